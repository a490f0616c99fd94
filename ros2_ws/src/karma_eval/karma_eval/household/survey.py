# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Getting to know a home: the robot explores it once, and long-term memory keeps what it saw (KARMA, section 3.3).

In the running graph perception makes the scene graph of pictures. Here it is made of what the skills report to have
seen: what is in something closed, or was never in view, is not in it. Area nodes stand where the robot looked around
from; what lies between two is as far as it drove.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from karma_eval.household.conversions import node_to
from karma_eval.household.robot import HouseholdRobot
from karma_memory import Edge, Layer, Memory, Relation
from karma_memory import Node as MemoryNode
from karma_memory.scene import Point
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from planner_node.skills import Node, SkillCall
from sim_bridge.household.backend import HouseholdBackend

_REFRESH = 60.0
"""Seconds; see SceneFollower. Nothing is told twice here."""
_DOORWAY = 0.5
"""Metres beyond the walls of a room that still count for it."""


@dataclass(frozen=True)
class Survey:
    """What the robot saw of a home."""

    scene: str
    nodes: tuple[MemoryNode, ...]
    edges: tuple[Edge, ...]
    ended: float
    """Seconds, the robot's clock."""

    def tell(self, memory: Memory) -> None:
        """Let the memory know what was seen."""
        update = GraphUpdate(self.scene, 1, self.ended, full=True, nodes=self.nodes, edges=self.edges)
        memory.observe_graph(update, SceneFollower(_REFRESH))


def survey(robot: HouseholdRobot) -> Survey:
    """Let the robot look around everywhere, and return what it saw."""
    explored = robot.execute(SkillCall("Explore"), lambda step: None, lambda: False)
    looks = [next(same) for _, same in groupby(robot.looks, lambda look: look.position)]
    rooms = robot.execute(SkillCall("FindRoom"), lambda step: None, lambda: False).seen
    seen_rooms = {room.id: room for look in looks if (room := _room_at(look.position, rooms)) is not None}
    areas = [
        MemoryNode(
            f"area {number}",
            Layer.AREA,
            "Area",
            parent=room.id if (room := _room_at(look.position, rooms)) is not None else "",
            position=look.position,
            last_seen=robot.clock,
        )
        for number, look in enumerate(looks, 1)
    ]
    nodes = [
        *(node_to(replace(room, layer="room", name=room.id)) for room in seen_rooms.values()),
        *areas,
        *map(node_to, explored.seen),
    ]
    edges = [
        Edge(Relation.REACHABLE, a.id, b.id, last.driven - first.driven)
        for a, b, first, last in zip(areas, areas[1:], looks, looks[1:], strict=False)
    ]
    return Survey(
        robot.backend.scene,
        tuple(nodes),
        tuple(edges),
        robot.clock,
    )


@lru_cache(maxsize=256)
def explored(scene: str, seed: int = 0) -> Survey:
    """Return what a robot saw that explored a home once, as it is at its start."""
    return survey(HouseholdRobot(HouseholdBackend(scene, seed=seed)))


def _room_at(position: Point, rooms: tuple[Node, ...]) -> Node | None:
    """Return the room in which a place is."""
    for room in rooms:
        if room.position is None or abs(position[2] - room.position[2]) > 1.0:
            continue
        if all(abs(position[a] - room.position[a]) <= room.size[a] / 2 + _DOORWAY for a in (0, 1)):
            return room
    return None
