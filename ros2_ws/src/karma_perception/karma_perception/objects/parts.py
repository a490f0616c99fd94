# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is built into larger furniture and moves with it: the drawers of a dresser, the basin of a sink."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from karma_perception.objects.mapped_object import MappedObject

_STORAGE = ("Dresser", "Desk", "SideTable", "TVStand", "ShelvingUnit", "CoffeeTable", "DiningTable", "Bed")

WHOLES: Mapping[str, tuple[str, ...]] = {
    "BathtubBasin": ("Bathtub",),
    "Cabinet": (*_STORAGE, "CounterTop"),
    "Drawer": (*_STORAGE, "Cabinet", "CounterTop"),
    "Faucet": ("SinkBasin", "Sink", "BathtubBasin", "Bathtub", "CounterTop"),
    "Shelf": _STORAGE,
    "ShowerHead": (),
    "Sink": ("CounterTop",),
    "SinkBasin": ("Sink", "CounterTop"),
    "StoveBurner": ("StoveOven", "CounterTop"),
    "StoveKnob": ("StoveOven", "CounterTop"),
}
"""Class that is always built in → the classes that it may be a part of, the closest first."""

_MARGIN = 0.06
"""Metres around a whole's box: fronts and knobs stick out, and of either not everything was seen."""

_SHARE = 0.6
"""Of the part's box that has to be in the whole's."""

_HUNG_BELOW = 1.0
"""Metres below the slab of a counter down to which drawers and cabinets are in its body, which is no object."""


def part_of(objects: Mapping[str, MappedObject]) -> dict[str, str]:
    """Return part → whole, by id: of the whole's possible classes the first that the part lies in, the smallest one."""
    by_class: dict[str, list[MappedObject]] = {}
    for o in objects.values():
        by_class.setdefault(o.category, []).append(o)
    found = {}
    for category, wholes in WHOLES.items():
        for part in by_class.get(category, ()):
            whole = _whole(part, [by_class.get(w, []) for w in wholes])
            if whole is not None:
                found[part.id] = whole.id
    return found


def _whole(part: MappedObject, candidates: Sequence[Sequence[MappedObject]]) -> MappedObject | None:
    for of_class in candidates:
        around = [w for w in of_class if w.id != part.id and not w.movable and _lies_in(part, w)]
        if around:
            return min(around, key=lambda w: (w.volume, w.id))
    return None


def _lies_in(part: MappedObject, whole: MappedObject) -> bool:
    """Whether most of the part's box is in the whole's; for a counter, of which the slab is mapped, also below it."""
    low, high = whole.low - _MARGIN, whole.high + _MARGIN
    if whole.category == "CounterTop" and part.high[2] <= whole.high[2] + _MARGIN:
        low[2] = min(low[2], whole.high[2] - _HUNG_BELOW)
    elif part.category == "Faucet":
        high[2] += float(part.size[2])
    size = np.maximum(part.size, 0.01)
    shared = np.minimum(high, part.center + size / 2) - np.maximum(low, part.center - size / 2)
    return bool(np.all(shared > 0.0) and float(np.prod(np.minimum(shared / size, 1.0))) >= _SHARE)
