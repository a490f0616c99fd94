# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One id for each floor, room and area of a scene, whatever the robots that report it call it.

Who maps a home numbers its places in the order in which they are found: another robot, or the same one when it starts
again, calls them otherwise. What makes a place the same is where it is.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from karma_memory.scene import Edge, Layer, Node, distance
from karma_memory.scene_graph.graph import SceneGraph

SAME_AREA = 0.5
"""Metres between what two robots hold for the middle of one area, at most; neighbours are farther apart."""
SAME_FLOOR = 1.0
"""Metres of height between what two robots hold for one floor, at most."""


@dataclass(frozen=True)
class Reported:
    """What an update says, or what of that is new."""

    nodes: tuple[Node, ...] = ()
    removed: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    removed_edges: tuple[Edge, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.removed or self.edges or self.removed_edges)


@dataclass
class _Publisher:
    """The places of one robot, since it began to map a scene."""

    scene: str
    names: dict[str, str] = field(default_factory=dict)
    """The robot's own id → the shared one."""
    places: dict[str, Node] = field(default_factory=dict)
    """Shared id → what the robot reports there now."""


class SharedPlaces:
    """What the robots that are followed call the places that they share. Not thread-safe."""

    def __init__(self) -> None:
        self._publishers: dict[object, _Publisher] = {}

    def begin(self, publisher: object, scene: str) -> None:
        """Note that a publisher begins to number the places of a scene."""
        self._publishers[publisher] = _Publisher(scene)

    def translate(self, publisher: object, said: Reported, known: SceneGraph, *, full: bool) -> Reported:
        """Return what a publisher said, with shared ids; `full` when it reports no other places than these.

        A place is the one that is known, or that another robot reports, where it is; a new one keeps its id unless that
        is taken. An area of two robots that one of them moves is two from then on. Places that this publisher has not
        reported it can't remove.
        """
        robot = self._publishers[publisher]
        others = list(self._others(publisher))
        for node in said.nodes:
            if node.layer is Layer.AREA and _has_parted(node, robot.names.get(node.id, ""), others):
                robot.places.pop(robot.names.pop(node.id), None)
        new = {node.id: node for node in said.nodes if node.layer is not Layer.OBJECT and node.id not in robot.names}
        if new:
            places = {node.id: node for layer in _PLACES for node in known.nodes(layer)}
            for other in others:
                places.update(other.places)
            areas = [node for node in said.nodes if node.layer is Layer.AREA]
            robot.names.update(_recognised(new, areas, places, robot.names))
            taken = {*places, *robot.names.values()}
            for node_id in new.keys() - robot.names.keys():
                robot.names[node_id] = _free(node_id, known, taken)
                taken.add(robot.names[node_id])
        removed = tuple(
            robot.names.get(node_id, node_id)
            for node_id in said.removed
            if node_id in robot.names or not _is_place(known.node(node_id))
        )
        nodes = tuple(_renamed(node, robot.names) for node in said.nodes)
        if full:
            robot.places.clear()
        for node_id in removed:
            robot.places.pop(node_id, None)
        robot.places.update((node.id, node) for node in nodes if _is_place(node))
        return Reported(
            nodes,
            removed,
            tuple(_between(edge, robot.names) for edge in said.edges),
            tuple(_between(edge, robot.names) for edge in said.removed_edges),
        )

    def is_reported_by_others(self, publisher: object, node_id: str) -> bool:
        """Whether another robot in the same scene reports a place now."""
        return any(node_id in other.places for other in self._others(publisher))

    def _others(self, publisher: object) -> Iterator[_Publisher]:
        scene = self._publishers[publisher].scene
        return (other for key, other in self._publishers.items() if key is not publisher and other.scene == scene)


_PLACES = (Layer.FLOOR, Layer.ROOM, Layer.AREA)


def _is_place(node: Node | None) -> bool:
    return node is not None and node.layer is not Layer.OBJECT


def _has_parted(area: Node, shared: str, others: Iterable[_Publisher]) -> bool:
    """Whether an area is no longer where another robot reports what was the same one."""
    reported = (other.places[shared] for other in others if shared in other.places)
    return any(distance(place.position, area.position) > SAME_AREA for place in reported)


def _recognised(
    new: Mapping[str, Node], areas: Iterable[Node], places: Mapping[str, Node], names: Mapping[str, str]
) -> dict[str, str]:
    """Return the shared ids of those of the `new` places that are among `places`, each of which is one place only.

    A room is the one in which the most of its `areas` are; areas on the two sides of a wall are not the same.
    """
    pairs = sorted(_near(new.values(), places.values()))
    found = {**names, **_one_to_one(((node_id, place) for _, _, node_id, place in pairs), names)}
    votes = Counter(
        (area.parent, places[found[area.id]].parent)
        for area in areas
        if area.parent in new and area.id in found and found[area.id] in places
    )
    rooms = [pair for pair, _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])) if pair[1] in places]
    for node_id, node in new.items():  # a room without areas: only its id says which one it is
        if node.layer is Layer.ROOM and not any(area.parent == node_id for area in areas):
            rooms += [(node_id, node_id)] if node_id in places and places[node_id].layer is Layer.ROOM else []
    found.update(_one_to_one(rooms, found))
    room_of = {node_id: found.get(node_id) for node_id in new} | found
    return {
        node_id: shared
        for node_id, shared in found.items()
        if node_id in new and not _is_across_a_wall(new[node_id], places[shared], room_of)
    }


def _near(new: Iterable[Node], places: Iterable[Node]) -> Iterator[tuple[float, bool, str, str]]:
    """Yield areas and floors that are where others are: how far apart, whether they are called otherwise, both ids."""
    cells: dict[tuple[int, ...], list[Node]] = defaultdict(list)
    floors: list[Node] = []
    for place in places:
        if place.layer is Layer.AREA:
            cells[_cell(place)].append(place)
        elif place.layer is Layer.FLOOR:
            floors.append(place)
    for node in new:
        if node.layer is Layer.AREA:
            cell = _cell(node)
            for shift in itertools.product((-1, 0, 1), repeat=3):
                for place in cells.get(tuple(map(sum, zip(cell, shift, strict=True))), ()):
                    gap = distance(place.position, node.position)
                    if gap <= SAME_AREA:
                        yield gap, place.id != node.id, node.id, place.id
        elif node.layer is Layer.FLOOR:
            for place in floors:
                gap = abs(place.position[2] - node.position[2])
                if gap <= SAME_FLOOR:
                    yield gap, place.id != node.id, node.id, place.id


def _cell(node: Node) -> tuple[int, ...]:
    return tuple(int(value // SAME_AREA) for value in node.position)


def _one_to_one(pairs: Iterable[tuple[str, str]], names: Mapping[str, str]) -> dict[str, str]:
    """Return the pairs, the first ones first, whose ends are neither in an earlier one nor in `names`."""
    found: dict[str, str] = {}
    taken = set(names.values())
    for node_id, place in pairs:
        if node_id not in found and node_id not in names and place not in taken:
            found[node_id] = place
            taken.add(place)
    return found


def _is_across_a_wall(area: Node, place: Node, room_of: Mapping[str, str | None]) -> bool:
    """Whether an area and the one that is near it belong to different rooms; `room_of` has None for unknown ones."""
    if area.layer is not Layer.AREA or not area.parent or not place.parent:
        return False
    return room_of.get(area.parent, area.parent) != place.parent


def _free(node_id: str, known: SceneGraph, taken: set[str]) -> str:
    """Return the id, with a number where it stands for something else."""
    candidates = itertools.chain([node_id], (f"{node_id}.{number}" for number in itertools.count(2)))
    return next(candidate for candidate in candidates if candidate not in known and candidate not in taken)


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    node_id = node.id if node.layer is Layer.OBJECT else names[node.id]
    parent = names.get(node.parent, node.parent)
    return node if (node_id, parent) == (node.id, node.parent) else replace(node, id=node_id, parent=parent)


def _between(edge: Edge, names: Mapping[str, str]) -> Edge:
    source, target = names.get(edge.source, edge.source), names.get(edge.target, edge.target)
    return edge if (source, target) == (edge.source, edge.target) else replace(edge, source=source, target=target)
