# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which thing is which after somebody moved several: what ended and what began are matched anew with every view."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from karma_perception.objects.association import Candidate, succeed
from karma_perception.objects.mapped_object import MappedObject

_MOST = 200
"""Stays that are remembered; the oldest are given up."""

_HOLD = 0.1
"""Difference by which another must be more alike before it takes an identity over."""

_TURNED_UP, _DISCOVERED = 1.0, -0.25
"""What speaks for a thing's having come from elsewhere where its place was seen without it, and where it was not."""

_UNSEEN, _IN_CUPBOARD = -0.4, -0.5
"""What speaks for it that a thing has left unseen a place that was not seen since, and one that a door may hide."""

_PATIENCE = 600.0
"""Seconds after which what was seen in a cupboard may have been taken out of it unseen; before, it hardly was."""


@dataclass(frozen=True, eq=False)
class Stay:
    """One thing at one place, for as long as it was there."""

    name: str
    """The identity it has unless it continues another stay."""
    look: Candidate
    since: float
    """Seconds; when it was first seen there."""
    until: float
    """Seconds; when it was last seen there well enough to know it."""
    perhaps: float
    """Seconds; when it was last seen there at all, or something that was taken for it."""
    turned_up: bool
    """Whether its place had been seen before without it."""
    odds: float
    """How sure it is that there was something and that it is there no more, from 0 (even) to 1 (sure); less: it may be
    there still."""


@dataclass(frozen=True)
class Changes:
    """What becomes of the objects of the map."""

    names: dict[str, str] = field(default_factory=dict)
    """Id of an object → the identity that it turned out to have."""
    emptied: set[str] = field(default_factory=set)
    """Ids of objects that are no longer there, because they are one of these."""
    returned: list[MappedObject] = field(default_factory=list)
    """Objects that had been emptied before, and are not one of these after all."""


class Successions:
    """Movable objects without identity of the source that are no longer where they were, and what they have become.

    Whether someone moved a thing is known only when its old place is seen empty, before or after it was seen at the new
    one. Every thing at a place is a stay. A stay that has ended is continued by one of its class, size and colours that
    began later; all are matched together, and anew with every view, so that no first glimpse decides for good. An
    object has the identity of the first stay that it continues.

    What is in a cupboard may have been taken out while its door was shut. Then nobody will see its place empty for a
    long time, while it is in use elsewhere. So it is withdrawn from the map when one like it turns up that is not more
    likely something else, and returns when it is found out what that one was.
    """

    def __init__(self) -> None:
        self._ended: dict[str, Stay] = {}
        self._before: dict[str, str] = {}
        """Stay → the one that it continues, as judged last."""
        self._withdrawn: dict[str, MappedObject] = {}
        """Ended stay → what may still be in its cupboard."""
        self._lost: set[str] = set()
        """Classes of which a stay has ended since they were matched last."""

    def lose(self, gone: MappedObject) -> None:
        """Remember a movable object that is removed from the map, for when it turns up."""
        if gone.movable:
            self._end(_stay(gone, there=0.0))
            self._lost.add(gone.category)

    def shift_time(self, seconds: float) -> None:
        """Add to the times at which things were seen, because the clock was set."""
        self._ended = {
            n: replace(g, since=g.since + seconds, until=g.until + seconds, perhaps=g.perhaps + seconds)
            for n, g in self._ended.items()
        }
        for o in self._withdrawn.values():
            o.shift_time(seconds)

    def changes(self, objects: Iterable[MappedObject], hidden: Collection[str] = ()) -> Changes:
        """Return who is who now.

        `objects`: all of the map that have no identity of the source; `hidden`: ids of those that a door may hide.
        """
        everything = list(objects)
        present: dict[str, list[MappedObject]] = defaultdict(list)
        settled: set[str] = set()
        for o in everything:
            if o.held:
                settled.update(self._chain(o.stay))
            elif o.movable:
                present[o.category].append(o)
        ended: dict[str, list[Stay]] = defaultdict(list)
        for name, stay in self._ended.items():
            if name not in settled:
                ended[stay.look.category].append(stay)
        judged = Changes()
        newest = max((o.last_seen for o in everything), default=0.0)
        for category, found in present.items():
            changed = category in self._lost or any(o.misses or o.last_seen == newest for o in found)
            unseen = _left_unseen(found, hidden) if changed else []
            if changed and (unseen or category in ended or any(o.misses for o in found)):
                self._match(found, ended[category], unseen, hidden, judged)
        self._lost = set()
        if len(self._before) > 2 * _MOST:
            self._prune(o.stay for o in everything)
        return judged

    def _match(
        self,
        present: Sequence[MappedObject],
        ended: Sequence[Stay],
        unseen: Sequence[MappedObject],
        hidden: Collection[str],
        judged: Changes,
    ) -> None:
        """Match the stays of one class; add to `judged` what that changes."""
        missing = [o for o in present if o.misses]
        rows = [
            *ended,
            *(_stay(o, there=0.0 if o.seen_through else o.confidence) for o in missing),
            *(_unseen_stay(o, o.id in hidden) for o in unseen),
        ]
        columns = [*ended, *(_stay(o, there=1.0) for o in present)]
        since, turned_up = np.array([(n.since, n.turned_up) for n in columns]).T[:, None]
        until, perhaps = np.array([(g.until, g.perhaps) for g in rows]).T[:, :, None]
        # What turned up came from somewhere, be it from where something else is taken for it now.
        later = since > np.where(turned_up, until, perhaps)
        origin = np.where(turned_up, _TURNED_UP, _DISCOVERED)
        row = {g.name: i for i, g in enumerate(rows)}
        held = np.zeros(later.shape)
        for j, n in enumerate(columns):
            if self._before.get(n.name) in row:
                held[row[self._before[n.name]], j] = 1.0
        gain = np.array([g.odds for g in rows])[:, None] + origin + _HOLD * held
        heirs = succeed([g.look for g in rows], [n.look for n in columns], later, gain)
        self._before = {n: before for n, before in self._before.items() if before not in row}
        unsure = {o.stay for o in unseen if o.id not in hidden}
        followed = {
            g.name: columns[j].name for g, j in zip(rows, heirs, strict=True) if j is not None and g.name not in unsure
        }
        self._before |= {heir: name for name, heir in followed.items()}
        for o in missing:
            if o.stay in followed:
                judged.emptied.add(o.id)
                self._end(_stay(o, there=0.0))
        for o in unseen:
            if o.stay in followed:
                judged.emptied.add(o.id)
                self._end(_unseen_stay(o, o.id in hidden))
                self._withdrawn[o.stay] = o
        for stay in ended:
            if stay.name in self._withdrawn and stay.name not in followed:
                del self._ended[stay.name]
                back = self._withdrawn.pop(stay.name)
                back.id = self._chain(back.stay)[-1]
                judged.returned.append(back)
        for o in present:
            name = self._chain(o.stay)[-1]
            if o.id not in judged.emptied and o.id != name:
                judged.names[o.id] = name

    def _chain(self, name: str) -> list[str]:
        """Return a stay and those that it continues, up to the first, whose name is the identity of them all."""
        chain = {name: None}
        while (before := self._before.get(name)) is not None and before not in chain:
            chain[before] = None
            name = before
        return list(chain)

    def _prune(self, present: Iterable[str]) -> None:
        """Forget what neither the stays in `present` nor those that are remembered continue."""
        used = {name for first in (*present, *self._ended) for name in self._chain(first)}
        self._before = {name: before for name, before in self._before.items() if name in used}

    def _end(self, stay: Stay) -> None:
        self._ended[stay.name] = stay
        while len(self._ended) > _MOST:
            oldest = next(iter(self._ended))
            del self._ended[oldest]
            self._withdrawn.pop(oldest, None)


def _left_unseen(present: Sequence[MappedObject], hidden: Collection[str]) -> list[MappedObject]:
    """Return what may have left its place unseen, of one class, if that is to be judged.

    That is when something turned up since one of them was seen in a cupboard. Those that stood in the open are as
    likely; which of them has left will show when their places are seen, so that nothing is withdrawn for them.
    """
    turned_up = max((o.born for o in present if o.turned_up), default=0.0)
    older = [o for o in present if not o.misses and o.last_seen < turned_up]
    return older if any(o.id in hidden and o.last_seen + _PATIENCE < turned_up for o in older) else []


def _unseen_stay(o: MappedObject, hidden: bool) -> Stay:
    there_until = o.last_seen + (_PATIENCE if hidden else 0.0)
    odds = _IN_CUPBOARD if hidden else _UNSEEN
    return Stay(o.stay, o.candidate(), o.born, there_until, there_until, o.turned_up, odds)


def _stay(o: MappedObject, there: float) -> Stay:
    """Return the stay of an object that is there still with the probability `there`."""
    sure = min(max(there, 0.01), 0.99)
    odds = 1.0 - 0.5 / o.sightings - max(0.0, math.log(sure / (1.0 - sure)))
    return Stay(o.stay, o.candidate(), o.born, o.confirmed, o.last_seen, o.turned_up, odds)
