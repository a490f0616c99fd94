# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Perception's map as the robot's skills use it: what was seen where, and when."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from sim_bridge.backend import Point, SeenObject, Target
from sim_bridge.targets import NEAR_POSITION, category_of


class Layer(IntEnum):
    """Layers of the scene graph; values of karma_interfaces/SceneNode."""

    FLOOR = 0
    ROOM = 1
    AREA = 2
    OBJECT = 3


@dataclass(frozen=True)
class Node:
    """One node; see karma_interfaces/SceneNode."""

    seen: SeenObject
    """Its box is axis-aligned, whatever the node's was."""
    layer: Layer = Layer.OBJECT
    name: str = ""
    parent: str = ""
    support_heights: tuple[float, ...] = ()
    last_seen: float = 0.0
    """Seconds, clock of the camera's stamps."""

    @property
    def id(self) -> str:
        """Its id in the scene graph."""
        return self.seen.id

    @property
    def center(self) -> Point:
        """Its middle."""
        return self.seen.center


class Perceived:
    """A copy of the scene graph, kept up to date by its changes. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._changes = 0
        self._nodes: dict[str, Node] = {}
        self._sequence = 0
        self._stamp = 0.0

    @property
    def stamp(self) -> float:
        """Stamp of the newest observation that is in it, seconds."""
        with self._lock:
            return self._stamp

    @property
    def changes(self) -> int:
        """Number of changes that were taken over."""
        with self._lock:
            return self._changes

    def wait(self, changes: int, longest: float) -> None:
        """Wait until more than so many changes were taken over, or so many seconds."""
        with self._lock:
            self._lock.wait_for(lambda: self._changes > changes, longest)

    def apply(self, *, stamp: float, sequence: int, full: bool, nodes: Iterable[Node], removed: Iterable[str]) -> bool:
        """Take over a change; return False where one before it was missed: then everything has to be asked for."""
        with self._lock:
            if not full and sequence <= self._sequence:
                return sequence > 1 or self._sequence == 1
            if not full and sequence != self._sequence + 1:
                return False
            if full:
                self._nodes.clear()
            self._nodes.update((node.id, node) for node in nodes)
            for name in removed:
                self._nodes.pop(name, None)
            self._sequence, self._stamp = sequence, max(stamp, 0.0 if full else self._stamp)
            self._changes += 1
            self._lock.notify_all()
            return True

    def __iter__(self) -> Iterator[Node]:
        with self._lock:
            return iter(tuple(self._nodes.values()))

    def get(self, name: str) -> Node | None:
        """Return a node by its id."""
        with self._lock:
            return self._nodes.get(name)

    def layer(self, layer: Layer) -> tuple[Node, ...]:
        """Return the nodes of a layer."""
        return tuple(node for node in self if node.layer is layer)

    def find(self, target: Target, near: tuple[float, float], since: float = 0.0) -> Node | None:
        """Return the object that a target means: by id, else of its category near its position, else near `near`.

        Only what was seen since then (seconds) counts.
        """
        known = self.get(target.id) if target.id else None
        if known is not None and known.layer is Layer.OBJECT:
            return known if known.last_seen >= since else None
        category = category_of(target)
        found = [
            node
            for node in self.layer(Layer.OBJECT)
            if node.last_seen >= since and node.seen.category.casefold() == category.casefold()
        ]
        position = target.position
        if position is not None:
            found = [node for node in found if _away(node, position) <= NEAR_POSITION]
            return min(found, key=lambda node: _away(node, position), default=None)
        return min(found, key=lambda node: math.dist(node.center[:2], near), default=None)

    def contents(self, name: str) -> tuple[Node, ...]:
        """Return what is on or in an object."""
        return tuple(node for node in self if node.seen.receptacle == name and node.seen.relation != "held")

    def room_of(self, node: Node) -> str:
        """Return the id of the room that a node is in, empty when that is not known."""
        parent = self.get(node.parent)
        while parent is not None and parent.layer is not Layer.ROOM:
            parent = self.get(parent.parent)
        return parent.id if parent is not None else ""


def _away(node: Node, point: Point) -> float:
    """Distance in metres from a point to a node's box."""
    gaps = (max(abs(p - c) - size / 2, 0.0) for p, c, size in zip(point, node.seen.center, node.seen.size, strict=True))
    return math.hypot(*gaps)
