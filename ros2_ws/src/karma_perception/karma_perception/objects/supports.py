# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""At which heights furniture holds things: its level surfaces, and what rests on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.relations import CONTAINERS, HUNG, Placement

NO_SURFACE = HUNG | frozenset(
    {
        *("Cabinet", "CoffeeMachine", "DeskLamp", "Drawer", "Faucet", "FloorLamp", "GarbageCan", "HandTowelHolder"),
        *("HousePlant", "LaundryHamper", "RoomDecor", "StoveKnob", "Television", "ToiletPaperHanger", "TowelHolder"),
    }
)
"""Classes whose level faces are not for putting things on: edges of fronts, tops of lamps. What rests in one tells."""

_BIN = 0.025
"""Metres of height; a surface lies in two neighbouring bins."""

_BESIDE = 3
"""Bins above and below a surface in which it has no points of its own: what has is a part of an upright face."""

_COLUMN = 0.05
"""Metres; edge of the columns in which a surface's points are counted."""

_APART = 0.05
"""Metres; of what is closer in height only one is a surface: noise of depth, folds of a blanket."""

_SHARE = 0.15
"""Of the footprint that a surface covers at least, as far as it was seen."""

_LARGE = 0.2
"""Square metres that are a surface however large the footprint is: a counter around a corner."""


class SupportHeights:
    """Keeps the level surfaces of furniture, which are looked for again only where it has been seen since."""

    def __init__(self) -> None:
        self._level: dict[str, tuple[float, tuple[float, ...]]] = {}
        """Id → when it was seen last, and the heights found then."""

    def of(
        self, objects: Mapping[str, MappedObject], placements: Mapping[str, Placement]
    ) -> dict[str, tuple[float, ...]]:
        """Return the heights of the surfaces of each object that hold things, metres, map frame, ascending.

        A surface that was never seen is told by what rests there.
        """
        known, self._level = self._level, {}
        for o in objects.values():
            if o.movable or o.category in NO_SURFACE:
                continue
            before = known.get(o.id)
            seen = before is not None and before[0] == o.last_seen
            self._level[o.id] = before if before is not None and seen else (o.last_seen, level_surfaces(o))
        resting: dict[str, list[float]] = {}
        for name, placement in placements.items():
            if placement.receptacle:
                resting.setdefault(placement.receptacle, []).append(float(objects[name].low[2]))
        return {
            o.id: _with_resting(o, self._level.get(o.id, (0.0, ()))[1], resting.get(o.id, ())) for o in objects.values()
        }


def _with_resting(o: MappedObject, level: tuple[float, ...], lows: Iterable[float]) -> tuple[float, ...]:
    heights = list(level)
    for low in sorted(lows):
        if o.low[2] - _APART <= low <= o.high[2] + _APART and all(abs(low - h) > _APART for h in heights):
            heights.append(low)
    return tuple(sorted(heights))


def level_surfaces(o: MappedObject) -> tuple[float, ...]:
    """Return the heights at which many of the object's points lie side by side, largest surface first."""
    points = o.voxels.points
    if not len(points):
        return ()
    edge, height = max(_COLUMN, 2 * o.voxels.size), max(_BIN, o.voxels.size)
    _, columns = np.unique(np.floor(points[:, :2] / edge).astype(np.int64), axis=0, return_inverse=True)
    bins = np.floor((points[:, 2] - points[:, 2].min()) / height).astype(np.int64) + _BESIDE
    count = int(bins.max()) + 1 - _BESIDE
    filled = np.zeros((int(columns.max()) + 1, count + 2 * _BESIDE + 1), dtype=np.int64)
    filled[columns.ravel(), bins] = 1
    # Of each column and bin, how many bins below are filled.
    below = np.pad(np.cumsum(filled, axis=1), ((0, 0), (1, 0)))
    first = np.arange(count) + _BESIDE
    band = below[:, first + 2] - below[:, first]
    around = below[:, first + 2 + _BESIDE] - below[:, first - _BESIDE]
    areas = np.count_nonzero((band > 0) & (around == band), axis=0) * edge**2
    # The underside of what stands on the floor may be level, too, but nothing is put there.
    bottom = float(o.low[2]) + (0.0 if o.category in CONTAINERS else min(_APART, 0.25 * float(o.size[2])))
    needed = min(_SHARE * float(np.prod(np.maximum(o.size[:2], edge))), _LARGE)
    heights: list[float] = []
    for k in np.argsort(-areas, kind="stable")[: np.count_nonzero(areas >= needed)]:
        found = float(np.median(points[(bins == first[k]) | (bins == first[k] + 1), 2]))
        if found > bottom and all(abs(found - h) > 2 * height for h in heights):
            heights.append(found)
    return tuple(heights)
