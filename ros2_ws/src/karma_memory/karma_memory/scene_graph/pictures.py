# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which pictures are known of the things of a scene, and how each looked: their bytes are in the journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from karma_memory.events import Image
from karma_memory.scene import Node, Point, distance
from karma_memory.scene_graph.beliefs import Belief

KEPT_PICTURES = 8
"""Pictures that are known of each thing: the last ones."""
KEPT_PICTURED = 4096
"""Things of which pictures are known: those pictured last."""
SAME_SIGHT = 0.3
"""Metres that a thing may be from where it was and still look as it did. What perception finds out about a thing's
size shifts its middle, too."""

TOLD_WITHIN = 10.0
"""Seconds within which a change is told that was seen: a picture may be so much older than the belief that it shows."""


@dataclass(frozen=True)
class Picture:
    """A picture of a thing, and how the thing was."""

    image: Image
    """Without its bytes."""
    stamp: float
    """When it was taken, seconds."""
    source: str
    """Id of the event that it came with."""
    position: Point
    """Of the thing, metres, map frame."""
    states: Mapping[str, str]

    def shows(self, node: Node) -> bool:
        """Whether it shows a thing as `node` says that it is: in these states, about there."""
        return dict(self.states) == dict(node.states) and distance(self.position, node.position) <= SAME_SIGHT


class Pictures:
    """The pictures of one scene's things. Not thread-safe."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Picture]] = {}
        """Node → its pictures, the newest last; the node that was pictured last is the last."""

    def __iter__(self) -> Iterator[Picture]:
        return (picture for pictures in self._of.values() for picture in pictures)

    def add(self, node_id: str, picture: Picture) -> None:
        """Take in a picture of a node; of the same sight, it takes the place of the one before."""
        known = self._of.pop(node_id, deque(maxlen=KEPT_PICTURES))
        self._of[node_id] = known
        if known and known[-1].states == picture.states and known[-1].position == picture.position:
            known.pop()
        known.append(picture)
        if len(self._of) > KEPT_PICTURED:
            del self._of[next(iter(self._of))]

    def of(self, node_id: str) -> Sequence[Picture]:
        """Return the pictures of a node, the newest last."""
        return self._of.get(node_id, ())

    def showing(self, belief: Belief, history: Sequence[Belief]) -> Picture | None:
        """Return the newest picture that shows what is or was believed, None for none; `history`: of that node.

        It was taken while that was so, as far as is known; beliefs that look alike follow each other where only the
        estimate of a place became better.
        """
        since = belief
        for before in reversed(history):
            if before.valid_until == since.valid_from and _look_alike(before.node, belief.node):
                since = before
        begun, until = since.valid_from - TOLD_WITHIN, belief.valid_until
        for picture in reversed(self.of(belief.node.id)):
            if begun <= picture.stamp and (until is None or picture.stamp <= until) and picture.shows(belief.node):
                return picture
        return None

    def forget(self, node_id: str) -> None:
        """Drop what is known of a node's pictures."""
        self._of.pop(node_id, None)

    def snapshot(self) -> dict[str, tuple[Picture, ...]]:
        """Return all of them, by node."""
        return {node_id: tuple(pictures) for node_id, pictures in self._of.items()}

    def restore(self, state: Mapping[str, Sequence[Picture]]) -> None:
        """Take over a state."""
        self._of = {node_id: deque(pictures, maxlen=KEPT_PICTURES) for node_id, pictures in state.items()}


def _look_alike(one: Node, other: Node) -> bool:
    """Whether a picture of one may show the other."""
    return one.states == other.states and distance(one.position, other.position) <= SAME_SIGHT
