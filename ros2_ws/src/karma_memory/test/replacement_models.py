# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The replacement policies once more, in plain lists that are searched from end to end."""

from __future__ import annotations

from karma_memory.short_term import FrequencySketch, PolicySettings
from karma_memory.short_term.adaptive import (
    ADMISSION_LEAD,
    COUNTED,
    CREDIT,
    FORGETTING,
    REMEMBERED,
    SAMPLE_FACTOR,
    SMALL,
    WINDOWS,
)


class Queue:
    """FIFO, FIFO with merging and LRU: a list of slots."""

    def __init__(self, settings):
        self.kind, self.capacity, self.slots = settings.policy, settings.capacity, []

    def keys(self):
        return [key for i, key in enumerate(self.slots) if key not in self.slots[i + 1 :]]

    def admit(self, key):
        if self.kind != "fifo" and key in self.slots:
            self.slots.remove(key)
        self.slots.append(key)
        gone = self.slots[: -self.capacity]
        self.slots = self.slots[-self.capacity :]
        return [key for key in gone if key not in self.slots]

    def touch(self, key):
        if self.kind == "lru":
            self.admit(key)

    def remove(self, key):
        self.slots = [slot for slot in self.slots if slot != key]

    def order(self):
        return self.keys()

    def load(self, keys):
        self.slots = list(keys)

    def segment(self, key):
        return {"lru": "recent"}.get(self.kind, "queue") if key in self.slots else ""


class Counting:
    """LFU: a list of keys in the order of their last uses, and how often each was used."""

    def __init__(self, settings):
        self.capacity, self.recent, self.counts = settings.capacity, [], {}

    def order(self):
        return sorted(self.recent, key=lambda key: self.counts[key])

    keys = order

    def admit(self, key):
        gone = []
        if key not in self.recent and len(self.recent) == self.capacity:
            gone = self.order()[:1]
            self.remove(gone[0])
        self.touch(key)
        return gone

    def touch(self, key):
        if key in self.recent:
            self.recent.remove(key)
        self.recent.append(key)
        self.counts[key] = self.counts.get(key, 0) + 1

    def remove(self, key):
        if key in self.recent:
            self.recent.remove(key)
            del self.counts[key]

    def load(self, keys):
        self.recent, self.counts = list(keys), dict.fromkeys(keys, 1)

    def segment(self, key):
        return "frequent" if key in self.recent else ""


class Windowed:
    """W-TinyLFU: three lists in the order of last uses, and the tick of each key's last use."""

    def __init__(self, settings, *, size=None, sketch=None, lead=1, history=()):
        self.capacity = settings.capacity
        self.size = size or min(self.capacity, max(1, round(settings.window * self.capacity)))
        self.room = int(settings.protected * (self.capacity - self.size))
        self.compare_all = settings.policy == "w_tinylfu_karma"
        self.lead, self.history = lead, history
        self.shared = sketch is not None
        self.sketch = sketch or FrequencySketch(self.capacity)
        self.window, self.probation, self.protected, self.last, self.tick = [], [], [], {}, 0

    def keys(self):
        return self.window + self.probation + self.protected

    def order(self):
        exposed = sorted(self.window + self.probation, key=lambda key: (self.sketch.estimate(key), self.last[key]))
        return exposed + self.protected

    def admit(self, key):
        if key in self.keys():
            self.touch(key)
            return []
        if not self.shared:
            self.sketch.increment(key)
        self.tick += 1
        self.last[key] = self.tick
        self.window.append(key)
        candidate = key
        if len(self.window) > self.size:
            candidate = self.window.pop(0)
            self.probation.append(candidate)
        if len(self.keys()) <= self.capacity:
            return []
        victim = self.victim(key, candidate)
        self.remove(victim)
        return [victim]

    def victim(self, key, candidate):
        if self.compare_all:
            return ([other for other in self.order() if other != key] or [key])[0]
        rivals = [other for other in self.probation if other != candidate]
        if not rivals:
            return candidate
        ahead = self.sketch.estimate(candidate) - self.sketch.estimate(rivals[0])
        # Remembered uses, the newest last: the candidate's last two both come after the rival's last.
        since = self.history[max((i for i, used in enumerate(self.history) if used == rivals[0]), default=-1) + 1 :]
        return rivals[0] if ahead >= self.lead or (ahead > 0 and since.count(candidate) >= 2) else candidate

    def touch(self, key):
        if not self.shared:
            self.sketch.increment(key)
        self.tick += 1
        self.last[key] = self.tick
        if key in self.window:
            self.window.remove(key)
            self.window.append(key)
            return
        promoted = self.protected if key in self.protected or self.room else self.probation
        (self.probation if key in self.probation else self.protected).remove(key)
        promoted.append(key)
        if len(self.protected) > self.room:
            self.probation.append(self.protected.pop(0))

    def remove(self, key):
        for segment in (self.window, self.probation, self.protected):
            if key in segment:
                segment.remove(key)

    def load(self, keys):
        for tick, key in enumerate(keys, 1):
            self.window.append(key)
            self.tick = self.last[key] = tick
        split = max(0, len(self.window) - self.size)
        self.probation, self.window = self.window[:split], self.window[split:]

    def segment(self, key):
        for name in ("window", "probation", "protected"):
            if key in getattr(self, name):
                return name
        return ""


class Following:
    """Adaptive W-TinyLFU: what is held, last changed last, which simulations hold it, and these in plain lists."""

    def __init__(self, settings):
        self.capacity, self.held, self.holders, self.uses = settings.capacity, [], {}, 0
        self.history = []
        self.sketch = FrequencySketch(max(self.capacity, COUNTED), SAMPLE_FACTOR)
        sizes = sorted({max(1, round(share * self.capacity)) for share in WINDOWS})
        self.all = [
            Windowed(settings, size=size, sketch=self.sketch, lead=ADMISSION_LEAD, history=self.history)
            for size in sizes
        ]
        self.all.append(Counting(settings))
        self.hits = [0.0] * len(self.all)
        first = len(sizes) - 1 if self.capacity <= SMALL else 0
        self.hits[first] = CREDIT / self.capacity
        self.ranking = sorted(range(len(self.all)), key=lambda number: number != first)

    def keys(self):
        return self.held

    def worth(self, key):
        return [number in self.holders[key] for number in self.ranking]

    def order(self):
        best = self.ranking[0]
        superfluous = [key for key in self.held if best not in self.holders[key]]
        return sorted(superfluous, key=self.worth) + [key for key in self.all[best].order() if key in self.held]

    def put(self, key, holders):
        if key in self.held:
            self.held.remove(key)
        self.held.append(key)
        self.holders[key] = holders

    def admit(self, key):
        self.use(key)
        self.put(key, set(self.ranking))
        if len(self.held) <= self.capacity:
            return []
        self.ranking.sort(key=lambda number: self.hits[number], reverse=True)
        gone = min(self.held, key=self.worth)
        self.held.remove(gone)
        return [gone]

    touch = admit

    def use(self, key):
        self.sketch.increment(key)
        self.history.append(key)
        known = list(dict.fromkeys(reversed(self.history)))
        if len(known) > REMEMBERED * self.capacity:
            self.forget(known[-1])
        for number, simulation in enumerate(self.all):
            self.hits[number] += simulation.segment(key) != ""
            for gone in simulation.admit(key):
                if gone in self.held:
                    self.put(gone, self.holders[gone] - {number})
        self.uses += 1
        if self.uses >= FORGETTING * self.capacity:
            self.uses, self.hits = 0, [hits / 2 for hits in self.hits]

    def forget(self, key):
        self.history[:] = [other for other in self.history if other != key]

    def remove(self, key):
        self.forget(key)
        if key in self.held:
            self.held.remove(key)
        for simulation in self.all:
            simulation.remove(key)

    def load(self, keys):
        for simulation in self.all:
            simulation.load(keys)
        for key in keys:
            self.put(key, set(self.ranking))

    def segment(self, key):
        best = self.all[self.ranking[0]]
        superfluous = "frequent" if isinstance(best, Counting) else "probation"
        return (best.segment(key) or superfluous) if key in self.held else ""


def model_of(settings: PolicySettings):
    """Return the model of an empty policy."""
    if settings.policy in ("fifo", "fifo_merge", "lru"):
        return Queue(settings)
    if settings.policy == "lfu":
        return Counting(settings)
    return Following(settings) if settings.policy == "w_tinylfu_adaptive" else Windowed(settings)


def exchanged(old, settings: PolicySettings):
    """Return the model of other settings that holds what fits of what `old` holds."""
    new, keys = model_of(settings), old.order()
    if hasattr(old, "sketch") and hasattr(new, "sketch"):
        new.sketch.inherit(old.sketch, keys)
    new.load(keys[max(0, len(keys) - new.capacity) :])
    return new
