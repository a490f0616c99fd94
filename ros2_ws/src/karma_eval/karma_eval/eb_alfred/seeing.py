# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot sees while it works becomes its long-term memory, as perception would have it in the running graph.

Areas are known of a room that was looked around in everywhere: what was seen on the way is no map.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from karma_eval.household.conversions import node_to
from karma_eval.household.robot import HouseholdRobot
from karma_memory import Event, EventKind, Layer, Memory
from karma_memory import Node as MemoryNode
from planner_node.skills import Code, Node, Outcome, Point


class Seeing:
    """Watches a robot's skills; afterwards it tells what they showed: objects, and where the robot looked from."""

    def __init__(self, robot: HouseholdRobot, scene: str) -> None:
        self._robot = robot
        self._scene = scene
        self._seen: dict[str, Node] = {}
        self._areas: list[Point] = []
        robot.watch = self._watch

    def arrive(self, memory: Memory) -> None:
        """Let the memory know what kind of room the robot is in: that is plain to see."""
        self._remember(memory, [self._room()])

    def tell(self, memory: Memory) -> None:
        """Let the memory know what was seen, and what is not where it was remembered any more."""
        if not self._seen:
            return
        stamp = self._robot.clock
        room = self._room()
        nodes = [room]
        nodes += [
            MemoryNode(f"area {number}", Layer.AREA, "Area", parent=room.id, position=place, last_seen=stamp)
            for number, place in enumerate(self._areas, 1)
        ]
        nodes += [node_to(node) for node in self._seen.values()]
        known = memory.scene_graph(self._scene)
        gone = [
            node.id
            for node in (known.nodes() if known is not None else ())
            if node.movable and node.id not in self._seen and node.receptacle in self._seen
        ]
        self._remember(memory, nodes, gone)

    def _room(self) -> MemoryNode:
        room = self._robot.backend.world.scene.rooms[0]
        return MemoryNode(room.name, Layer.ROOM, room.kind, room.name, last_seen=self._robot.clock)

    def _remember(self, memory: Memory, nodes: Sequence[MemoryNode], removed: Sequence[str] = ()) -> None:
        event = Event(
            str(uuid.uuid4()),
            EventKind.OBSERVATION,
            self._robot.clock,
            scene=self._scene,
            nodes=tuple(nodes),
            removed=tuple(removed),
        )
        memory.remember([event])

    def _watch(self, outcome: Outcome) -> None:
        self._seen.update((node.id, node) for node in outcome.seen)
        toured = outcome.call.skill == "Explore" and not outcome.call.positions
        if toured and (outcome.code is Code.NOT_FOUND or (outcome.ok and not outcome.call.target)):
            self._areas = list(dict.fromkeys(look.position for look in self._robot.looks))
