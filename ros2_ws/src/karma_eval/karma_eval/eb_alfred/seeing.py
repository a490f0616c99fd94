# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot sees while it works becomes its long-term memory, as perception would have it in the running graph."""

from __future__ import annotations

import uuid
from types import TracebackType

from karma_eval.household.conversions import node_to
from karma_eval.household.robot import HouseholdRobot
from karma_memory import Event, EventKind, Layer, Memory
from karma_memory import Node as MemoryNode
from planner_node.skills import Node, Outcome

_APART = 1.0
"""Metres between the places that areas stand for."""


class Seeing:
    """Watches a robot's skills; afterwards it tells what they showed: objects, and where the robot looked from."""

    def __init__(self, robot: HouseholdRobot, scene: str) -> None:
        self._robot = robot
        self._scene = scene
        self._seen: dict[str, Node] = {}
        self._areas: list[tuple[float, float, float]] = []

    def __enter__(self) -> Seeing:
        """Begin to watch."""
        self._robot.watch = self._watch
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""
        self._robot.watch = lambda outcome: None

    def tell(self, memory: Memory) -> None:
        """Let the memory know what was seen, and what is not where it was remembered any more."""
        if not self._seen:
            return
        room = self._robot.backend.world.scene.rooms[0]
        stamp = self._robot.clock
        nodes = [MemoryNode(room.name, Layer.ROOM, room.kind, room.name, last_seen=stamp)]
        nodes += [
            MemoryNode(f"area {number}", Layer.AREA, "Area", parent=room.name, position=place, last_seen=stamp)
            for number, place in enumerate(self._areas, 1)
        ]
        nodes += [node_to(node) for node in self._seen.values()]
        known = memory.scene_graph(self._scene)
        gone = [
            node.id
            for node in (known.nodes() if known is not None else ())
            if node.movable and node.id not in self._seen and node.receptacle in self._seen
        ]
        memory.remember(
            [
                Event(
                    str(uuid.uuid4()),
                    EventKind.OBSERVATION,
                    stamp,
                    scene=self._scene,
                    nodes=tuple(nodes),
                    removed=tuple(gone),
                )
            ]
        )

    def _watch(self, outcome: Outcome) -> None:
        self._seen.update((node.id, node) for node in outcome.seen)
        pose = self._robot.backend.robot.pose
        here = (pose.x, pose.y, pose.z)
        if all(sum((a - b) ** 2 for a, b in zip(here, area, strict=True)) > _APART**2 for area in self._areas):
            self._areas.append(here)
