# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an object stands on or is in, and what is near it: from boxes and the surfaces below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from karma_perception.frames.camera import FloatArray
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.parts import WHOLES

_SAME_HEIGHT = 0.03
"""Metres; surfaces that are closer in height are one: a shelf and its shelving unit."""

_GAP = 0.06
"""Metres that the underside may be above or below the surface that it rests on."""

_OVERLAP = 0.35
"""Share of the footprint that must be above the support."""

_SUNK = 0.3
"""Metres above or below the surface for what is within the box of furniture, as a pillow on a soft bed, or what
touches nothing at all: its underside was not seen."""

_TOUCH = 0.05
"""Metres to the furniture that an object hangs on."""

_NEAR = 0.5
"""Metres between boxes of movable objects that are near each other."""

_FEET = 0.1
"""Metres; what furniture has so close above its underside stands on the floor beside the object, and holds nothing."""

Relation = Literal["", "on", "in", "held"]

CONTAINERS = frozenset(
    {
        *("Bathtub", "BathtubBasin", "Bowl", "Box", "Cabinet", "Cup", "Drawer", "Fridge", "GarbageCan"),
        *("LaundryHamper", "Microwave", "Mug", "Pan", "Pot", "Safe", "Sink", "SinkBasin", "Toaster"),
    }
)
"""Classes that things are in rather than on. Others that hold things are supports."""

CUPBOARDS = frozenset({"Box", "Cabinet", "Drawer", "Fridge", "Microwave", "Safe"})
"""Containers that can be shut, so that what is in them is not seen."""

HUNG = frozenset({"Window", "Curtains", "Blinds", "Painting", "Mirror", "Poster", "LightSwitch", "ShowerDoor"})
"""Classes that hang on walls or stand upright: they hold nothing, and rest on nothing."""


HOLDS_NOTHING = HUNG | {"Faucet", "FloorLamp", "HousePlant", "ShowerHead", "StoveKnob"}
"""Classes that nothing is on or in."""


@dataclass(frozen=True)
class Placement:
    """The receptacle of one object."""

    receptacle: str = ""
    relation: Relation = ""


def place_objects(objects: Mapping[str, MappedObject], floors: Sequence[float] = ()) -> dict[str, Placement]:
    """Return what holds each object: the gripper, else the smallest container around it, else the surface below.

    An object that is on or in something is smaller than that; so there are no cycles. What is built into furniture
    or hangs on a wall has no receptacle, and furniture has none that could be carried off below it. `floors`: their
    heights, metres; what stands on one hangs on nothing.
    """
    everything = list(objects.values())
    if not everything:
        return {}
    lows = np.array([o.low for o in everything])
    highs = np.array([o.high for o in everything])
    areas = np.prod(highs[:, :2] - lows[:, :2], axis=1)
    result = {}
    for i, o in enumerate(everything):
        if o.held:
            result[o.id] = Placement("", "held")
            continue
        if not o.movable and (o.category in WHOLES or o.category in HUNG):
            result[o.id] = Placement()
            continue
        shared = np.clip(np.minimum(highs, o.high) - np.maximum(lows, o.low), 0.0, None)
        covered = np.prod(shared[:, :2], axis=1) / max(float(areas[i]), 1e-6)
        possible = [
            (everything[j], float(covered[j]))
            for j in np.flatnonzero(covered >= _OVERLAP)
            if j != i and (areas[j], everything[j].id) > (areas[i], o.id) and (o.movable or not everything[j].movable)
        ]
        placement = _inside(o, possible) or _support(o, possible, _GAP)
        grounded = any(abs(float(o.low[2]) - floor) <= _GAP for floor in floors)
        if placement is None and o.movable and not grounded:
            soft = [(c, s) for c, s in possible if o.low[2] <= c.high[2] + _GAP]
            placement = _support(o, soft, _SUNK) or _hanger(o, everything) or _support(o, possible, _SUNK)
        result[o.id] = placement or Placement()
    return result


def near_pairs(objects: Mapping[str, MappedObject]) -> list[tuple[str, str, float]]:
    """Return the pairs of movable objects whose boxes are near each other, and the distance of their centres."""
    movable = sorted((o for o in objects.values() if o.movable and not o.held), key=lambda o: o.id)
    if len(movable) < 2:
        return []
    lows = np.array([o.low for o in movable])
    highs = np.array([o.high for o in movable])
    gaps = np.maximum(0.0, np.maximum(lows[:, None] - highs[None], lows[None] - highs[:, None]))
    close = np.linalg.norm(gaps, axis=2) <= _NEAR
    return [
        (movable[i].id, movable[j].id, float(np.linalg.norm(movable[i].center - movable[j].center)))
        for i, j in zip(*np.nonzero(np.triu(close, k=1)), strict=True)
    ]


def _inside(o: MappedObject, possible: Sequence[tuple[MappedObject, float]]) -> Placement | None:
    """Return the smallest container whose box holds the object's middle."""
    around = [
        c
        for c, covered in possible
        if covered >= 0.6
        and c.category in CONTAINERS
        and c.low[2] - 0.03 <= o.low[2]
        and o.center[2] <= c.high[2] + min(0.5 * float(o.size[2]), 0.1)
        and _middle_within(o, c)
    ]
    if not around:
        return None
    smallest = min(around, key=lambda c: c.volume)
    # What is on top of a closed box is not in it.
    if o.low[2] >= smallest.high[2] - 0.03 and smallest.states.get("isOpen") == "false":
        return None
    return Placement(smallest.id, "in")


def _middle_within(o: MappedObject, c: MappedObject) -> bool:
    middle = o.center[:2]
    return bool(np.all(middle >= c.low[:2] - 0.02) and np.all(middle <= c.high[:2] + 0.02))


def _support(o: MappedObject, possible: Sequence[tuple[MappedObject, float]], gap: float) -> Placement | None:
    """Return what has a surface under the object, within `gap` of its underside; of those equally near the smallest."""
    best: tuple[float, float, str] | None = None
    for c, _ in possible:
        if c.category in HOLDS_NOTHING or c.held:
            continue
        height = _surface_below(o, c, gap)
        if height is None:
            continue
        rank = (-round(abs(float(o.low[2]) - height) / _SAME_HEIGHT), -c.volume, c.id)
        if best is None or rank > best:
            best = rank
    return _resting(best[2], possible) if best else None


def _resting(receptacle: str, possible: Sequence[tuple[MappedObject, float]]) -> Placement:
    """Return how things are said to be on that receptacle: on the bottom or rim of a bathtub is "in" it."""
    c = next(c for c, _ in possible if c.id == receptacle)
    return Placement(receptacle, "in" if c.category in CONTAINERS and "isOpen" not in c.states else "on")


def _hanger(o: MappedObject, everything: Sequence[MappedObject]) -> Placement | None:
    """Return the nearest piece of furniture that something without support touches: a towel's holder."""
    best: tuple[float, float, str] | None = None
    for c in everything:
        if c.movable or c.category in HOLDS_NOTHING:
            continue
        gap = float(np.linalg.norm(np.maximum(0.0, np.maximum(c.low - o.high, o.low - c.high))))
        if gap <= _TOUCH and (best is None or (gap, c.volume, c.id) < best):
            best = (gap, c.volume, c.id)
    return Placement(best[2], "on") if best else None


def _surface_below(o: MappedObject, c: MappedObject, gap: float) -> float | None:
    """Return the height of the surface of `c` under `o`, None when there is none within `gap` of its underside."""
    points = c.voxels.points
    margin = max(c.voxels.size, 0.03)
    under = points[_within(points, o.low[:2] - margin, o.high[:2] + margin), 2]
    under = under[(np.abs(under - o.low[2]) <= gap) & (under >= c.low[2] + min(_FEET, 0.5 * float(c.size[2])))]
    if len(under):
        return float(under.max())
    # The surface under it may never have been seen; the top of the box is the next best.
    return float(c.high[2]) if abs(float(o.low[2] - c.high[2])) <= gap else None


def _within(points: FloatArray, low: FloatArray, high: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    x, y = points[:, 0], points[:, 1]
    return np.asarray((x >= low[0]) & (x <= high[0]) & (y >= low[1]) & (y <= high[1]))
