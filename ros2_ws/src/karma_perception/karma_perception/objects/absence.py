# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a view that does not show an object says that it is no longer where it was, or that something hides it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_perception.objects.detection import Detections
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.relations import CONTAINERS, CUPBOARDS
from karma_perception.objects.visibility import Visibility

_IN_VIEW = 0.5
"""Share of an object's points that must be in view to tell."""

_GONE = 0.7
"""Share of its points where something else must be seen; of those in view, where that lies behind it."""

_BEFORE = 0.02
"""Metres that a surface may lie before an object, on average over its points, without hiding it."""

_PIERCED = 0.25
"""Share of an object's points with something before them, from which on that may be a door which has pushed it in."""


@dataclass(frozen=True)
class Absence:
    """Something else is seen where an object was."""

    seen_through: bool
    """Whether most of what was behind it shows, or its source would know it; else a surface is still there, which a
    detector without identities may have overlooked."""
    behind: bool
    """Whether what is seen lies behind it, so that it is not the door of what the object is in."""


def absence(known: MappedObject, view: Visibility, detections: Detections) -> Absence | None:
    """Return what a frame says of an object that may be in view and was not detected; None when it may be hidden."""
    total = len(view.in_view)
    if known.identified and detections.identified:
        return Absence(True, True) if np.count_nonzero(view.in_view) >= _IN_VIEW * total else None
    if np.count_nonzero(view.seen_through) >= _IN_VIEW * total:
        return Absence(True, True)
    own = [v for v, label in detections.instances.items() if label.category == known.category]
    other = (view.shows >= 0) & ~np.isin(view.shows, own)
    # From afar, what is measured about where it is may be something before it; of all its points that shows.
    if other.any() and float(np.median(view.beyond[other])) < -_BEFORE:
        return None
    gone = other | view.seen_through | (view.in_view & (view.shows < 0) & (view.beyond > 0.0))
    count, visible = int(np.count_nonzero(gone)), int(np.count_nonzero(view.in_view | (view.shows >= 0)))
    behind = count > 0 and float(np.quantile(view.beyond[gone], _PIERCED)) > 0.0
    whole = count >= _GONE * total
    return Absence(False, behind) if whole or (behind and count >= max(_IN_VIEW * total, _GONE * visible)) else None


class Cupboards:
    """What can be shut, with things in it."""

    def __init__(self, objects: Collection[MappedObject]) -> None:
        """`objects`: all of the map."""
        self._shut = _Boxes([o for o in objects if o.category in CONTAINERS and o.states.get("isOpen") == "false"])
        self._perhaps = _Boxes([o for o in objects if o.category in CUPBOARDS and "isOpen" not in o.states])

    def hide(self, known: MappedObject, seen: Absence) -> bool:
        """Whether an object may be behind a door, though a part of it may have stuck out before.

        Where nobody says whether a cupboard is shut, it hides what nothing is seen behind.
        """
        if known.movable and self._shut.hold([known])[0]:
            return True
        return not (seen.seen_through or seen.behind) and bool(self._perhaps.hold([known])[0])

    def contents(self, objects: Sequence[MappedObject]) -> set[str]:
        """Return the ids of those objects that are in something that is shut, or may be."""
        held = self._shut.hold(objects) | self._perhaps.hold(objects)
        return {o.id for o, inside in zip(objects, held.tolist(), strict=True) if inside}


class _Boxes:
    def __init__(self, objects: Sequence[MappedObject]) -> None:
        self._ids = np.array([o.id for o in objects], dtype=object)
        self._low = np.array([o.low for o in objects]).reshape(-1, 3)
        self._high = np.array([o.high for o in objects]).reshape(-1, 3)

    def hold(self, objects: Sequence[MappedObject]) -> NDArray[np.bool_]:
        """Return which objects, (n,), have their centres in one of the boxes that is not their own."""
        centers = np.array([o.center for o in objects]).reshape(-1, 1, 3)
        others = np.array([o.id for o in objects], dtype=object)[:, None] != self._ids
        within = ((centers >= self._low) & (centers <= self._high)).all(axis=2)
        return np.asarray((within & others).any(axis=1))
