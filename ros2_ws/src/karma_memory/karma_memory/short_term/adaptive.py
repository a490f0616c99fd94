# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""W-TinyLFU whose window adapts to what is used.

Einziger, Eytan, Friedman and Manes (Adaptive Software Cache Management, 2018) move the window by hill climbing, which
needs long samples to tell a better size from luck: too long for a memory of sixteen units. Simulations that hold keys
only (their section 4; Waldspurger, Saemundsson, Ahmad, Park 2017) compare all sizes on the very same uses instead.

Whoever follows the best of several is behind it after a change: what it holds comes back only when it is used. Over
fewer than fifty uses per unit nobody stays within one point of both LRU and LFU whatever comes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from karma_memory.short_term.lfu import SEGMENT, Lfu
from karma_memory.short_term.segments import PROTECTED_SHARE, Segment, Segments
from karma_memory.short_term.sketch import FrequencySketch
from karma_memory.short_term.tinylfu import NEVER, by_use, loser

WINDOWS = (0.0, 0.1, 1.0)
"""Shares of the capacity that are tried as the window: one unit, a tenth, and all, with which this is LRU."""
SMALL = 128
"""Up to this capacity the window starts with all units, so that what was just used stays; above it, with one."""
CREDIT = 512.0
"""Hits that the first window has in advance, over the capacity. The first uses of a small memory say little: an
advantage of a few hits is often over before it was followed. The credit is forgotten like hits are."""
COUNTED = 64
"""Uses are counted as if for at least so many units: with fewer they would be forgotten before they tell anything."""
FORGETTING = 5
"""Uses per unit of capacity after which past hits count half."""
SAMPLE_FACTOR = 20
"""Uses per unit of capacity after which use counts are halved. The windows answer to change, so counts may last."""
REMEMBERED = 3
"""Keys of which the last two uses are known, per unit of capacity."""
ADMISSION_LEAD = 2
"""How much more a key must have been used than the one that goes for it. The use that brings it in is one of these:
with a lead of one, a loop over more keys than fit would replace a unit with every step. One is enough for a key used
twice since the other's last use, which is so of no key of a loop (cf. LIRS: Jiang, Zhang 2002)."""


class AdaptiveWTinyLfu:
    """W-TinyLFU memories with different windows, and LFU, hold keys only, and the units follow the best of them.

    The best is the one with the most hits, recent ones counting more. When there is one unit too many, one goes that
    the best doesn't hold; of several, one that the second best doesn't hold either, and so on; of several still, the
    one that has been like this for longest. So the units follow the best key by key; after a change of the best, those
    that the new one wouldn't hold go as their places are needed, and not before.

    A use takes constant time on average, 2.4 to 2.9 times as long as with a fixed window.
    """

    def __init__(self, capacity: int, protected: float = PROTECTED_SHARE) -> None:
        """Make an empty memory of `capacity` keys; of those not in the window, a share `protected` is protected."""
        self.capacity = capacity
        self.sketch = FrequencySketch(max(capacity, COUNTED), SAMPLE_FACTOR)
        sizes = sorted({max(1, round(share * capacity)) for share in WINDOWS})
        self._windows = [Segments(capacity, size, protected) for size in sizes]
        self._counting = Lfu(capacity)
        """The last of the simulations; those with a window come before it."""
        first = len(sizes) - 1 if capacity <= SMALL else 0
        self._hits = [0.0] * (len(sizes) + 1)
        self._hits[first] = CREDIT / capacity
        self._uses = 0
        """Since past hits were halved."""
        self._tick = 0
        self._recent: OrderedDict[str, tuple[int, int]] = OrderedDict()
        """The instants of the last use, counted in uses, and of the one before; the least recently used first."""
        self._holders: dict[str, int] = {}
        """For each key that is in, a bit for each simulation that holds it."""
        self._alike: list[OrderedDict[str, None]] = [OrderedDict() for _ in range(2 << len(sizes))]
        """The keys that are in, by their holders."""
        self._rank([first, *(number for number in range(len(self._hits)) if number != first)])

    @property
    def window_size(self) -> int:
        """Keys that the window holds at most, now; 0 while LFU is the best."""
        return self._best.window_size

    def admit(self, key: str) -> list[str]:
        """Count a use of `key` and put it in; return the key that had to go."""
        self._use(key)
        self._put(key, len(self._alike) - 1)
        return [] if len(self._holders) <= self.capacity else [self._evict()]

    def touch(self, key: str) -> None:
        """Count a use of `key`, which is in."""
        if key not in self._holders:
            raise KeyError(key)
        self.admit(key)

    def remove(self, key: str) -> None:
        """Take `key` out; its use count stays."""
        self._recent.pop(key, None)
        if key in self._holders:
            del self._alike[self._holders.pop(key)][key]
        for window in self._windows:
            window.remove(key)
        self._counting.remove(key)

    def load(self, keys: Iterable[str]) -> list[str]:
        """Fill an empty memory, first to go first, without counting a use; return what doesn't fit."""
        ordered = list(keys)
        first = max(0, len(ordered) - self.capacity)
        for key in ordered[first:]:
            for window in self._windows:
                window.enter(key)
            self._counting.admit(key)
            self._put(key, len(self._alike) - 1)
        return ordered[:first]

    def order(self) -> list[str]:
        """Return the keys, first to go first."""
        best = self._best
        kept = best.order() if isinstance(best, Lfu) else by_use(best, self.sketch)
        bit = 1 << self._ranking[0]
        superfluous = [key for keys in self._to_go for key in keys if not self._holders[key] & bit]
        return superfluous + [key for key in kept if key in self._holders]

    def segment(self, key: str) -> str:
        """Return "window", "probation" or "protected", while LFU is the best its only one, or "" when `key` is not in.

        What the best doesn't hold is on probation.
        """
        if key not in self._holders:
            return ""
        best = self._best
        return SEGMENT if isinstance(best, Lfu) else (best.where(key) or Segment.PROBATION).value

    def frequency(self, key: str) -> int:
        """Return about how often `key` was used lately, whether it is in or not."""
        return self.sketch.estimate(key)

    def __len__(self) -> int:
        return len(self._holders)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {
            "ranking": list(self._ranking),
            "hits": list(self._hits),
            "uses": self._uses,
            "tick": self._tick,
            "recent": [[key, *instants] for key, instants in self._recent.items()],
            "alike": [list(keys) for keys in self._alike],
            "windows": [window.snapshot() for window in self._windows],
            "counting": self._counting.snapshot(),
            "sketch": self.sketch.snapshot(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the state of a policy with the same settings; of version 8 use counts and who goes first."""
        self.sketch.restore(state["sketch"])
        if "alike" not in state:
            self.load(map(str, dict.fromkeys((*state["superfluous"], *state["held"]))))
            return
        for window, saved in zip(self._windows, state["windows"], strict=True):
            window.restore(saved)
        self._counting.restore(state["counting"])
        self._hits = [float(hits) for hits in state["hits"]]
        self._uses, self._tick = int(state["uses"]), int(state["tick"])
        self._recent = OrderedDict((str(key), (int(last), int(before))) for key, last, before in state["recent"])
        for holders, keys in enumerate(state["alike"]):
            for key in keys:
                self._put(str(key), holders)
        self._rank([int(number) for number in state["ranking"]])

    @property
    def _best(self) -> Segments | Lfu:
        best = self._ranking[0]
        return self._windows[best] if best < len(self._windows) else self._counting

    def _use(self, key: str) -> None:
        """Let every simulation use `key`, count which had it, and note which dropped another for it."""
        self.sketch.increment(key)
        self._tick += 1
        self._recent[key] = self._tick, self._recent.pop(key, NEVER)[0]
        if len(self._recent) > REMEMBERED * self.capacity:
            self._recent.popitem(last=False)
        for number, window in enumerate(self._windows):
            if window.use(key):
                self._hits[number] += 1.0
                continue
            candidate = window.enter(key)
            if len(window) > self.capacity:
                victim = loser(window, candidate, self.sketch, ADMISSION_LEAD, self._recent)
                window.remove(victim)
                if victim in self._holders:
                    self._put(victim, self._holders[victim] & ~(1 << number))
        if self._counting.segment(key):
            self._hits[-1] += 1.0
        for victim in self._counting.admit(key):
            if victim in self._holders:
                self._put(victim, self._holders[victim] & ~(1 << len(self._windows)))
        self._uses += 1
        if self._uses >= FORGETTING * self.capacity:
            self._uses = 0
            self._hits = [hits / 2 for hits in self._hits]

    def _put(self, key: str, holders: int) -> None:
        """Note by which simulations `key` is held."""
        if key in self._holders:
            del self._alike[self._holders[key]][key]
        self._holders[key] = holders
        self._alike[holders][key] = None

    def _evict(self) -> str:
        ranking = sorted(self._ranking, key=self._hits.__getitem__, reverse=True)
        if ranking != self._ranking:
            self._rank(ranking)
        victim, _ = next(filter(None, self._to_go)).popitem(last=False)
        del self._holders[victim]
        return victim

    def _rank(self, ranking: list[int]) -> None:
        """Follow the simulations in this order, the best first."""
        self._ranking = ranking
        order = sorted(range(len(self._alike)), key=lambda holders: [holders >> number & 1 for number in ranking])
        self._to_go = [self._alike[holders] for holders in order]
