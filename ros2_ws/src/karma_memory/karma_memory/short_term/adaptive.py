# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""W-TinyLFU whose window adapts to what is used.

Einziger, Eytan, Friedman and Manes (Adaptive Software Cache Management, 2018) move the window by hill climbing, which
needs long samples to tell a better size from luck: too long for a memory of sixteen units. Simulations that hold keys
only (their section 4; Waldspurger, Saemundsson, Ahmad, Park 2017) compare all sizes on the very same uses instead.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from karma_memory.short_term.segments import PROTECTED_SHARE, Segment, Segments
from karma_memory.short_term.sketch import FrequencySketch
from karma_memory.short_term.tinylfu import NEVER, by_use, loser

WINDOWS = (0.0, 0.1, 1.0)
"""Shares of the capacity that are tried as the window: one unit, a tenth, and all, with which this is LRU."""
SMALL = 128
"""Up to this capacity the window starts with all units, so that what was just used stays; above it, with one."""
CREDIT = 32.0
"""Hits that a small memory's first window has in advance. A household's first hundred uses say little: an advantage of
a few hits is often over before it was followed. The credit is forgotten like hits are."""
COUNTED = 64
"""Uses are counted as if for at least so many units: with fewer they would be forgotten before they tell anything."""
FORGETTING = 4
"""Uses per unit of capacity after which past hits count half; of a small memory 320, but no more than five per unit:
fewer tell nothing."""
SAMPLE_FACTOR = 20
"""Uses per unit of capacity after which use counts are halved. The windows answer to change, so counts may last."""
REMEMBERED = 3
"""Keys of which the last two uses are known, per unit of capacity."""
ADVANTAGE = 0.02, 2.0
"""Hits by which another window must be better: per unit of capacity, and at most. A short trace is over before a large
memory's windows are 2 % apart."""
ADMISSION_LEAD = 2
"""How much more a key must have been used than the one that goes for it. The use that brings it in is one of these:
with a lead of one, a loop over more keys than fit would replace a unit with every step. One is enough for a key used
twice since the other's last use, which is so of no key of a loop (cf. LIRS: Jiang, Zhang 2002)."""


class AdaptiveWTinyLfu:
    """Several W-TinyLFU memories with different windows hold keys only, and the units follow the best of them.

    The best is the one with the most hits, recent ones counting more. When there is one unit too many, one that the
    best doesn't hold goes, the one that it dropped first. So the units follow it key by key; after a change of the
    window, those that the new one wouldn't hold go as their places are needed, and not before.

    A use takes constant time on average, 2 to 2.4 times as long as with a fixed window.
    """

    def __init__(self, capacity: int, protected: float = PROTECTED_SHARE) -> None:
        """Make an empty memory of `capacity` keys; of those not in the window, a share `protected` is protected."""
        self.capacity = capacity
        self.sketch = FrequencySketch(max(capacity, COUNTED), SAMPLE_FACTOR)
        sizes = sorted({max(1, round(share * capacity)) for share in WINDOWS})
        self._simulations = [Segments(capacity, size, protected) for size in sizes]
        small = capacity <= SMALL
        self._first = self._best = len(sizes) - 1 if small else 0
        self._hits = [0.0] * len(sizes)
        if small:
            self._hits[self._first] = CREDIT
        self._period = 5 * min(capacity, COUNTED) if small else FORGETTING * capacity
        self._advantage = min(ADVANTAGE[0] * capacity, ADVANTAGE[1])
        self._uses = 0
        """Since past hits were halved."""
        self._tick = 0
        self._recent: OrderedDict[str, tuple[int, int]] = OrderedDict()
        """The instants of the last use, counted in uses, and of the one before; the least recently used first."""
        self._held: OrderedDict[str, None] = OrderedDict()
        """The least recently used first."""
        self._superfluous: OrderedDict[str, None] = OrderedDict()
        """What is held and the best simulation doesn't hold, first to go first."""

    @property
    def window_size(self) -> int:
        """Keys that the window holds at most, now."""
        return self._simulations[self._best].window_size

    def admit(self, key: str) -> list[str]:
        """Count a use of `key` and put it in; return the key that had to go."""
        self._use(key)
        if key in self._held:
            self._held.move_to_end(key)
            return []
        self._held[key] = None
        evicted = []
        if len(self._held) > self.capacity:
            evicted.append(self._superfluous.popitem(last=False)[0])
            del self._held[evicted[0]]
        self._adapt()
        return evicted

    def touch(self, key: str) -> None:
        """Count a use of `key`, which is in."""
        if key not in self._held:
            raise KeyError(key)
        self._use(key)
        self._held.move_to_end(key)

    def remove(self, key: str) -> None:
        """Take `key` out; its use count stays."""
        self._held.pop(key, None)
        self._recent.pop(key, None)
        self._superfluous.pop(key, None)
        for simulation in self._simulations:
            simulation.remove(key)

    def load(self, keys: Iterable[str]) -> list[str]:
        """Fill an empty memory, first to go first, without counting a use; return what doesn't fit."""
        ordered = list(keys)
        first = max(0, len(ordered) - self.capacity)
        for key in ordered[first:]:
            self._held[key] = None
            for simulation in self._simulations:
                simulation.enter(key)
        return ordered[:first]

    def order(self) -> list[str]:
        """Return the keys, first to go first."""
        kept = by_use(self._simulations[self._best], self.sketch)
        return list(self._superfluous) + [key for key in kept if key in self._held]

    def segment(self, key: str) -> str:
        """Return "window", "probation" or "protected", or "" when `key` is not in; superfluous is on probation."""
        if key not in self._held:
            return ""
        segment = self._simulations[self._best].where(key)
        return (segment or Segment.PROBATION).value

    def frequency(self, key: str) -> int:
        """Return about how often `key` was used lately, whether it is in or not."""
        return self.sketch.estimate(key)

    def __len__(self) -> int:
        return len(self._held)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {
            "best": self._best,
            "hits": list(self._hits),
            "uses": self._uses,
            "tick": self._tick,
            "recent": [[key, *instants] for key, instants in self._recent.items()],
            "held": list(self._held),
            "superfluous": list(self._superfluous),
            "simulations": [simulation.snapshot() for simulation in self._simulations],
            "sketch": self.sketch.snapshot(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a policy with the same settings, of versions that didn't know last uses, too."""
        self.sketch.restore(state["sketch"])
        for simulation, saved in zip(self._simulations, state["simulations"], strict=True):
            simulation.restore(saved)
        self._best, self._uses = int(state["best"]), int(state["uses"])
        self._hits = [float(hits) for hits in state["hits"]]
        self._tick = int(state.get("tick", 0))
        self._recent = OrderedDict(
            (str(key), (int(last), int(before))) for key, last, before in state.get("recent", [])
        )
        self._held = OrderedDict.fromkeys(map(str, state["held"]))
        self._superfluous = OrderedDict.fromkeys(map(str, state["superfluous"]))

    def _use(self, key: str) -> None:
        """Let every simulation use `key`, and count which had it."""
        self.sketch.increment(key)
        self._tick += 1
        self._recent[key] = self._tick, self._recent.pop(key, NEVER)[0]
        if len(self._recent) > REMEMBERED * self.capacity:
            self._recent.popitem(last=False)
        for number, simulation in enumerate(self._simulations):
            if simulation.use(key):
                self._hits[number] += 1.0
                continue
            candidate = simulation.enter(key)
            if len(simulation) <= self.capacity:
                continue
            victim = loser(simulation, candidate, self.sketch, ADMISSION_LEAD, self._recent)
            simulation.remove(victim)
            if number == self._best and victim in self._held:
                self._superfluous[victim] = None
        self._superfluous.pop(key, None)
        self._uses += 1
        if self._uses >= self._period:
            self._uses = 0
            self._hits = [hits / 2 for hits in self._hits]

    def _adapt(self) -> None:
        """Follow another simulation where it is better by enough, or the first where no other is any more."""
        most = max(self._hits)
        if self._hits[self._first] == most:
            chosen = self._first
        elif most > self._hits[self._best] + self._advantage:
            chosen = self._hits.index(most)
        else:
            return
        if chosen != self._best:
            self._best = chosen
            best = self._simulations[chosen]
            self._superfluous = OrderedDict.fromkeys(key for key in self._held if key not in best)
