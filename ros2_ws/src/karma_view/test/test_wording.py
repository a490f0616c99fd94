# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals and calls of skills, as the planner writes them, are told in words wherever they are read on the page."""

from __future__ import annotations

from viewing import Viewer, ended, outcome, running, state

from karma_interfaces.msg import MemoryEvent, Recollection, Result, SkillCall, SkillTarget
from karma_view.known import Known
from karma_view.panels.plan import PlanPanel
from karma_view.panels.talk import TalkPanel
from karma_view.ros.history import words
from karma_view.scene.recording import caption

EPISODE = Recollection(kind="episodic", text='"look around": success, done: explore()')


def test_no_call_is_shown_as_it_is_written(viewer: Viewer) -> None:
    call = SkillCall(skill="Explore")
    status = {"goals": ["explore()"], "recalled": [EPISODE], "done": [outcome(call, message="Explore() ended")]}
    going_on = running(step="plan explore()", **status)
    over = ended(code=Result.EXECUTION_FAILURE, message="Explore() failed 3 times", **status)
    plan, talk = PlanPanel(viewer), TalkPanel(viewer)  # type: ignore[arg-type]
    for now in (going_on, over):
        viewer.robot.transcript.hear(state(now))
        for panel in (plan, talk):
            panel.update(Known(planner=state(now)))
        assert "()" not in caption(Known(planner=state(now)))
    for told in ("explore</bdi>", "plan explore", "done: explore", "Explore ended", "Explore failed 3 times"):
        assert told in viewer.html()
    assert "()" not in viewer.html()


def test_events_name_skills_and_categories() -> None:
    thing = "Apple|-00.47|+01.15"
    done = outcome(
        SkillCall(skill="PickupObject", target=SkillTarget(id=thing, category="Apple")), message=f"has {thing}"
    )
    picked = MemoryEvent(kind=MemoryEvent.SKILL_OUTCOME, text=f"PickupObject({thing})", outcome=[done])
    assert words(picked) == "PickupObject Apple: SUCCESS has Apple"
    over = MemoryEvent(kind=MemoryEvent.EPISODE_END, text="done: explore()", result=Result(code=Result.SUCCESS))
    assert words(over) == "SUCCESS done: explore"
