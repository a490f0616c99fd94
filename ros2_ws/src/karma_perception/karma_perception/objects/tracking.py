# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Identities where the detector gives none: what is seen now is told from what it lies on, over frames and moves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from karma_perception.frames.camera import FloatArray
from karma_perception.objects.association import Candidate, associate, overlap
from karma_perception.objects.instances import ObjectObservation
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.visibility import Visibility

_TESTED = 0.1
_TESTED_POINTS = 3
"""Share of an object's points, and their number, that must be in view for their votes to decide."""

_SAME_MASK = 0.6
"""Share of an object's visible points on the mask of another of its class, that says that both are one."""

_WITHIN = 0.8
"""Share of an object's box in that of another of its class, that says the same when only one of them is detected."""

_SLIVER = 40
"""Points of a movable thing at the border of the image that say too little about it to make an object."""

_AGREEING = 3
"""Frames that must say so before they are joined: a detector may merge two things in one mask now and then."""


@dataclass(frozen=True)
class Tracks:
    """Which observation is which object."""

    values: Mapping[str, int]
    """Id → value in the label image; of known and new objects."""
    doubles: tuple[tuple[str, str], ...]
    """Ids of objects that turned out to be one: the one that stays, and the one that goes."""


class Tracker:
    """Gives observations without an identity the identity of a known object, or a new one."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._agreeing: dict[tuple[str, str], int] = {}

    def match(
        self,
        observations: Sequence[ObjectObservation],
        objects: Iterable[MappedObject],
        views: Mapping[str, Visibility],
        near: Collection[str],
    ) -> Tracks:
        """Return who is who.

        `views`: id → flags of the points of the objects that may be in view; `near`: ids of those that are seen from
        near enough to tell them from what is beside them.
        """
        present = list(objects)
        votes, tested = _votes(observations, present, views)
        known = [o.candidate(tested=o.id in tested) for o in present]
        seen = [look(o) for o in observations]
        values = {}
        for o, index in zip(observations, associate(seen, known, votes), strict=True):
            if index is not None:
                values[present[index].id] = o.value
            elif not (o.cut and o.label.movable and len(o.points) < _SLIVER):
                values[self.new_id(o.label.category)] = o.value
        return Tracks(values, self._doubles(observations, present, votes, values, tested, near))

    def new_id(self, category: str) -> str:
        """Return an id that no object has had."""
        number = self._numbers.get(category, 0) + 1
        self._numbers[category] = number
        return f"{category}_{number}"

    def _doubles(
        self,
        observations: Sequence[ObjectObservation],
        present: Sequence[MappedObject],
        votes: FloatArray,
        values: Mapping[str, int],
        tested: Collection[str],
        near: Collection[str],
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs of objects that one mask has shown often enough, though each was taken for its own.

        What is in view, was not seen as a thing of its own, and lies within another, counts as shown by its mask.
        """
        owner = {value: name for name, value in values.items()}
        known = {o.id: o for o in present}
        found = []
        for j, o in enumerate(present):
            if o.id in values or o.id not in near:
                continue
            for i, observation in enumerate(observations):
                other = known.get(owner.get(observation.value, ""))
                if other is None or other.category != o.category:
                    continue
                within = o.id in tested and overlap(o.candidate(), other.candidate()) >= _WITHIN
                if votes[i, j] < _SAME_MASK and not within:
                    continue
                first, second = sorted((o, other), key=lambda k: (-k.sightings, k.born, k.id))
                pair = (first.id, second.id)
                self._agreeing.pop((second.id, first.id), None)
                self._agreeing[pair] = self._agreeing.get(pair, 0) + 1
                if self._agreeing[pair] >= _AGREEING:
                    del self._agreeing[pair]
                    found.append(pair)
        self._agreeing = {
            (a, b): count
            for (a, b), count in self._agreeing.items()
            if a in known and b in known and not (a in values and b in values)
        }
        return tuple(found)


def look(o: ObjectObservation) -> Candidate:
    """Return an observation as something that may belong to an object."""
    return Candidate(o.label.category, o.low, o.high, o.colors)


def strayed(view: Visibility, own: int, others: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which points, (n,), lie on one of `others`, the masks of other things of the class, and not on the own."""
    shown = np.isin(view.shows, [v for v in others if v != own])
    return np.asarray(shown)


def _votes(
    observations: Sequence[ObjectObservation], objects: Sequence[MappedObject], views: Mapping[str, Visibility]
) -> tuple[FloatArray, set[str]]:
    """Return the share of each object's visible points that lie on each mask, and whose votes decide."""
    votes = np.zeros((len(observations), len(objects)))
    tested = set()
    row = {o.value: i for i, o in enumerate(observations)}
    for j, o in enumerate(objects):
        view = views.get(o.id)
        if view is None:
            continue
        visible = int(np.count_nonzero((view.shows >= 0) | view.seen_through))
        if visible < max(_TESTED_POINTS, _TESTED * len(view.shows)):
            continue
        tested.add(o.id)
        shown, counts = np.unique(view.shows[(view.shows > 0) & ~view.seen_through], return_counts=True)
        for value, count in zip(shown.tolist(), counts.tolist(), strict=True):
            if value in row:
                votes[row[value], j] = count / visible
    return votes, tested
