# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which thing is which after somebody moved several: by class, size and colours; asked anew with every view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from karma_perception.association import Candidate, succeed
from karma_perception.mapped_object import MappedObject

_MOST = 500
"""Identities that are looked for; the oldest are given up."""

_HOLD = 0.1
"""Difference by which another must be more alike before it takes an identity over."""


@dataclass(frozen=True, eq=False)
class Departed:
    """An identity whose place was seen empty."""

    look: Candidate
    """As it was at its old place."""
    last_seen: float
    """There, seconds."""


@dataclass(frozen=True)
class Changes:
    """What becomes of the objects of the map."""

    names: Mapping[str, str]
    """Id of an object → the identity that it turned out to have; "" for none that is known."""
    emptied: frozenset[str]
    """Ids of objects that are no longer there, because they are one of these."""


class Successions:
    """Movable objects without identity of the source that are no longer where they were, and what they have become.

    Whether someone moved a thing is known only when its old place is seen empty, before or after it was seen at the new
    one: what has turned up since it was seen last, of its class, size and colours, is it.
    """

    def __init__(self) -> None:
        self._departed: dict[str, Departed] = {}

    def lose(self, gone: MappedObject) -> None:
        """Remember a movable object that is removed from the map, for when it turns up."""
        if gone.movable:
            self._departed.pop(gone.id, None)
            self._departed[gone.id] = _departed(gone)
            while len(self._departed) > _MOST:
                del self._departed[next(iter(self._departed))]

    def shift_time(self, seconds: float) -> None:
        """Add to the times at which things were last seen, because the clock was set."""
        self._departed = {n: replace(d, last_seen=d.last_seen + seconds) for n, d in self._departed.items()}

    def changes(self, objects: Iterable[MappedObject]) -> Changes:
        """Return who is who now. `objects`: all of the map that have no identity of the source."""
        present = {o.id: o for o in objects if o.movable and not o.held}
        for o in present.values():
            if o.misses:
                self._departed.pop(o.id, None)
        sought = self._departed | {o.id: _departed(o) for o in present.values() if o.misses}
        found = [o for o in present.values() if not o.misses]
        possible = np.array([[n.born > g.last_seen for n in found] for g in sought.values()], dtype=bool)
        if not possible.any():
            return Changes({}, frozenset())
        bonus = np.array([[_HOLD * (n.id == name) for n in found] for name in sought])
        heirs = succeed([g.look for g in sought.values()], [o.candidate() for o in found], possible, bonus)
        names = {found[j].id: name for name, j in zip(sought, heirs, strict=True) if j is not None}
        emptied = frozenset(n for n in names.values() if n in present and present[n].misses)
        for name in emptied:
            self._departed[name] = sought[name]
        for name in self._departed.keys() & present.keys():
            if name not in names and not present[name].misses:
                names[name] = ""  # it was taken for something that it is not
        return Changes({old: new for old, new in names.items() if old != new}, emptied)


def _departed(o: MappedObject) -> Departed:
    return Departed(o.candidate(), o.last_seen)
