# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where on or in a receptacle an object can be put down."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sim_bridge.household.model import Box
from sim_bridge.household.world import GRIPPER, World
from sim_bridge.simulation.categories import (
    ACCEPTS_ONLY,
    CONTAINERS,
    CUPBOARDS,
    HANGING,
    PILES,
    SEATS,
    SLENDER,
    SURFACE,
    WALL_MOUNTED,
)

_SPACING = 0.05
"""Metres between the spots that are tried."""

_GAP = 0.01
"""Metres left between neighbours."""

_EDGE = 0.05
"""Metres by which a thing may stick out over furniture, both sides together."""

_PILE = 0.15
"""Metres above a receptacle's top on which a thing may still be piled."""

_SHALLOWEST = 0.25
"""Metres; a cupboard recorded as its door alone is taken to be this deep."""

_OVERHANG = 2.2
"""How many times longer than a movable receptacle a thing lying on it may be: a spatula in a pan."""


def refusal(world: World, name: str, receptacle: str) -> str:
    """Return why an object can't be put on or in a receptacle whatever else is there, or an empty string."""
    kind, onto = world.category(name), world.category(receptacle)
    if not world.can(receptacle, "receptacle"):
        return f"{receptacle} is no receptacle: nothing can be put on it"
    if name == receptacle or receptacle in world.contents(name):
        return f"{name} can't be put on itself"
    if world.specs[receptacle].movable and world.is_(receptacle, "isBroken"):
        return f"{receptacle} is broken: nothing can be put on or in it any more"
    only = ACCEPTS_ONLY.get(onto)
    if only is not None and kind not in only:
        return f"{receptacle} takes only {' or '.join(sorted(only))}, not {kind}"
    if onto in HANGING and world.children(receptacle):
        return f"{receptacle} already holds {world.children(receptacle)[0]}: take it away first"
    if not _fits(kind, world.boxes[name].size, world.boxes[receptacle].size, onto, world.specs[receptacle].movable):
        return f"{name} is too large for {receptacle}"
    return ""


def _fits(
    kind: str, size: tuple[float, float, float], room: tuple[float, float, float], onto: str, movable: bool
) -> bool:
    """Whether the thing's size suits the receptacle's, in whatever attitude it is put there."""
    if onto in HANGING or onto in ACCEPTS_ONLY or onto == "Floor":
        return True
    small, middle, large = sorted(size)
    narrow, wide = sorted(room[:2])
    if movable and kind in SLENDER:
        return True
    if movable:
        lies = middle <= wide * 1.1 and small <= narrow * 1.1 and large <= wide * _OVERHANG
        stands = onto in CONTAINERS and middle <= wide and small <= narrow
        return lies or stands
    if onto in CUPBOARDS:
        inside = sorted((max(room[0], _SHALLOWEST), max(room[1], _SHALLOWEST), room[2]))
        return all(a <= b * 1.05 for a, b in zip(sorted(size), inside, strict=True))
    across, along = sorted(size[:2])
    return across <= narrow + _EDGE and along <= wide + _EDGE


def spot(world: World, name: str, receptacle: str, near: tuple[float, float]) -> Box | None:
    """Return the box that an object would fill on or in a receptacle: the free one nearest to `near` (x, y), or None.

    Where there is no room beside what is already there, things are piled in a basin, a bowl, a box or on a plate;
    elsewhere there is no spot then.
    """
    onto = world.category(receptacle)
    size = world.boxes[name].size
    if onto in HANGING:
        return _hanging(size, world.boxes[receptacle])
    if onto in SEATS:
        x, y = _off_the_arms(world.boxes[receptacle], np.array(near)).tolist()
        near = x, y
    for attitude in _attitudes(size, world, receptacle):
        for z in _heights(world, receptacle):
            box = _free_spot(world, name, receptacle, attitude, z, near)
            if box is not None:
                return box
    return _piled(world, name, receptacle, size, near) if onto in PILES else None


def _off_the_arms(seat: Box, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for points (..., 2; x, y) the nearest ones of a seat that are no arm and no back."""
    margin = 0.25 * min(seat.size[:2])
    return np.clip(points, np.array(seat.low[:2]) + margin, np.array(seat.high[:2]) - margin)


def _attitudes(size: tuple[float, float, float], world: World, receptacle: str) -> list[tuple[float, float, float]]:
    """Return the sizes to try: as it is, turned by 90°, and in a container on end or on its side where it must be."""
    x, y, z = size
    lying = [size, (y, x, z)]
    if world.category(receptacle) not in CONTAINERS:
        return lying
    room = world.boxes[receptacle].size
    turned = dict.fromkeys([*lying, *((a, b, c) for a, b, c in permutations(size))])
    suited = [a for a in turned if a[0] <= room[0] and a[1] <= room[1]]
    return suited or lying


def _heights(world: World, receptacle: str) -> list[float]:
    box = world.boxes[receptacle]
    if world.category(receptacle) in SEATS:
        return [box.low[2] + world.rests[receptacle]]
    fractions = SURFACE.get(world.category(receptacle), (1.0,))
    return [box.low[2] + f * box.size[2] for f in fractions]


def _surfaces(world: World, receptacle: str) -> NDArray[np.float64]:
    """Return the rectangles (x0, y0, x1, y1) of a receptacle's top, one a row."""
    return np.array([(*b.low[:2], *b.high[:2]) for b in world.solids(receptacle)])


def _free_spot(
    world: World,
    name: str,
    receptacle: str,
    size: tuple[float, float, float],
    z: float,
    near: tuple[float, float],
) -> Box | None:
    surfaces = _surfaces(world, receptacle)
    sticks_out = world.specs[receptacle].movable or world.category(receptacle) in {*ACCEPTS_ONLY, *CUPBOARDS}
    candidates = _candidates(surfaces, size, math.inf if sticks_out else _EDGE)
    if world.category(receptacle) == "Floor":
        distance = np.hypot(candidates[:, 0] - near[0], candidates[:, 1] - near[1])
        candidates = candidates[distance < 1.5]
    if not len(candidates):
        return None
    obstacles = np.array([(*o.low[:2], *o.high[:2]) for o in _obstacles(world, name, receptacle, z, size[2])])
    if len(obstacles):
        in_the_way = np.ones((len(candidates), len(obstacles)), dtype=bool)
        for axis in (0, 1):
            middle, half = candidates[:, axis, None], size[axis] / 2 + _GAP
            in_the_way &= (middle + half > obstacles[:, axis]) & (middle - half < obstacles[:, axis + 2])
        candidates = candidates[~in_the_way.any(axis=1)]
    if world.category(receptacle) in SEATS:  # rather beside what lies there than into the back
        on_seat = np.isclose(_off_the_arms(world.boxes[receptacle], candidates), candidates).all(axis=1)
        candidates = candidates[on_seat] if on_seat.any() else candidates
    if not len(candidates):
        return None
    best = np.argmin(np.hypot(candidates[:, 0] - near[0], candidates[:, 1] - near[1]))
    x, y = candidates[best].tolist()
    return Box((x, y, z + size[2] / 2), size)


def _candidates(
    surfaces: NDArray[np.float64], size: tuple[float, float, float], overhang: float
) -> NDArray[np.float64]:
    """Return the middles (x, y) at which a thing of `size` rests on one of the rectangles or, carved, on several."""
    whole = (*surfaces[:, :2].min(axis=0).tolist(), *surfaces[:, 2:].max(axis=0).tolist())
    axes = []
    for a in (0, 1):
        low, high = whole[a] + size[a] / 2, whole[a + 2] - size[a] / 2
        if low > high:
            if low - high > overhang:
                return np.empty((0, 2))
            axes.append(np.array([(low + high) / 2]))
        else:
            steps = max(1, math.floor((high - low) / _SPACING))
            axes.append(np.linspace(low, high, steps + 1) if high - low > 1e-6 else np.array([low]))
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    if len(surfaces) == 1:
        return grid
    half = np.minimum(np.array(size[:2]) / 2, 0.1)
    supported = np.ones(len(grid), dtype=bool)
    for sign in ((0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        point = grid + half * sign
        inside = (point[:, None] >= surfaces[None, :, :2]) & (point[:, None] <= surfaces[None, :, 2:])
        supported &= np.any(inside.all(axis=2), axis=1)
    return grid[supported]


def _obstacles(world: World, name: str, receptacle: str, z: float, height: float) -> list[Box]:
    """Return the boxes in the way of something of `height` put on the receptacle's surface at `z`."""
    onto = world.category(receptacle)
    if onto in CONTAINERS or onto in ACCEPTS_ONLY or onto == "Shelf":
        return [world.boxes[c] for c in world.children(receptacle) if world.boxes[c].high[2] > z]
    own = world.boxes[receptacle]
    ignored = {name, receptacle, *world.contents(name), *world.ancestors(receptacle)}
    found: list[Box] = []
    for other, box in world.boxes.items():
        if other in ignored or world.category(other) in {"Floor", *WALL_MOUNTED} or world.parents[other] == GRIPPER:
            continue
        flush = world.category(other) in {"SinkBasin", "BathtubBasin", "StoveBurner"}
        top = box.high[2] + (0.03 if flush else -0.005)
        if top <= z or box.low[2] >= z + height:
            continue
        if any(box.low[a] >= own.high[a] or box.high[a] <= own.low[a] for a in (0, 1)):
            continue
        if not world.specs[other].movable and _surrounds(box, own) and other not in world.children(receptacle):
            continue
        found.extend(world.solids(other))
    return found


def _surrounds(outer: Box, inner: Box) -> bool:
    """Whether the middle of `inner` lies in `outer`: a shelving unit around its shelf."""
    return all(outer.low[a] < inner.center[a] < outer.high[a] for a in (0, 1, 2))


def _hanging(size: tuple[float, float, float], holder: Box) -> Box:
    x, y, _ = holder.center
    return Box((x, y, holder.high[2] - size[2] / 2), size)


def _piled(
    world: World, name: str, receptacle: str, size: tuple[float, float, float], near: tuple[float, float]
) -> Box | None:
    """Return a box on top of what lies in the middle of the receptacle; None where the pile is too high already."""
    own = world.boxes[receptacle]
    x, y = near if world.category(receptacle) == "Floor" else own.center[:2]
    z = _heights(world, receptacle)[0]
    for child in world.children(receptacle):
        box = world.boxes[child]
        apart = any(abs(c - box.center[a]) >= (size[a] + box.size[a]) / 2 for a, c in ((0, x), (1, y)))
        if not apart and child != name:
            z = max(z, box.high[2])
    if z > own.high[2] + _PILE:
        return None
    return Box((x, y, z + size[2] / 2), size)
