# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about the robot itself: where it is, what it holds, what it can do."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from karma_language.answers.evidence import Evidence, Gap
from karma_language.reading import Kind, Question
from karma_memory.ask.home import room_name
from karma_memory.ask.scene import Scene

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState
    from karma_memory.working.steps import AgentState


_LOOKED_AT = 100
"""Episodes that tell which skills the robot has: the last ones."""


def of_robot(question: Question, state: MemoryState, known: Scene, scene: str, now: float) -> Evidence:
    """Return what is known of the robot that was last active in a scene."""
    robot = state.working.last_active(scene)
    match question.kind:
        case Kind.ABLE:
            return Evidence(now, names=tuple(sorted(skills_used(state))))
        case _ if robot is None:
            return Evidence(now, gap=Gap.NOT_THEN)
        case Kind.HOLDING:
            return Evidence(now, names=(robot.holding,) if robot.holding else ())
        case _:
            return _where(robot, known, now)


def _where(robot: AgentState, known: Scene, now: float) -> Evidence:
    """Return room, place and floor, each "" where it is not known."""
    rooms = [room for room in known.rooms() if room.id == robot.room]
    floors = {floor.id: floor.name for floor in known.floors()}
    names = (*map(room_name, rooms), "")[0], robot.location, next((floors.get(room.parent, "") for room in rooms), "")
    return Evidence(now, names=names, gap=None if any(names) else Gap.NOT_THEN)


def skills_used(state: MemoryState) -> set[str]:
    """Return the names of the skills that the robot was seen to have."""
    last = itertools.islice(state.episodic.between(0.0, math.inf), _LOOKED_AT)
    return {step.skill for episode in last for step in episode.steps}
