# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Boxes to masks: which pixels of a box show the thing itself, told from depth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Box = tuple[int, int, int, int]
"""Left, top, right, bottom; pixels, right and bottom exclusive."""

Flags = NDArray[np.bool_]


_SAMPLES = 4096
"""Pixels of a box that the layers are found with."""

_MARGIN = 0.2
"""Share of a box's sides, beyond it, in which the surfaces around it are looked for."""

_SURFACES = 3
"""Most planes around a box that are taken for background: what it stands on, and walls behind."""

_SURFACE_SHARE = 0.2
"""Share of the surroundings that a plane must explain."""

_TOLERANCE = 0.01
"""Share of its depth by which a pixel may be off a plane, besides `_LEAST_TOLERANCE`."""

_LEAST_TOLERANCE = 0.008
"""Metres."""

_BIN = 0.03
"""Width of a bin of the histogram of depths, as a share of the depth."""

_VALLEY = 0.08
"""Share of a layer's peak; where the histogram falls below, the layer ends."""

_NEAREST_SHARE = 0.3
"""The nearest layer with this share of the box, weighed towards its centre, is the thing."""

_LEAST_SHARE = 0.15
"""Of the weight; when less is off the planes, the thing lies flat on one, and the planes are no background."""


def foreground(depth: NDArray[np.float32], box: Box) -> Flags:
    """Return which pixels of a box show the thing that it was drawn around, (bottom - top, right - left).

    `depth`: (height, width), metres, 0 or not finite = none. Planes that go on outside of the box (floor, table, wall)
    are background; of the rest, the nearest layer of depth that fills enough of the box is the thing, so that neither
    what is seen through a chair nor what a mug stands in front of counts. No pixel where there is no depth.
    """
    left, top, right, bottom = box
    inner = depth[top:bottom, left:right]
    valid = np.isfinite(inner) & (inner > 0)
    if not valid.any():
        return valid
    step = max(1, round((inner.size / _SAMPLES) ** 0.5))
    rows, columns = np.mgrid[top:bottom:step, left:right:step]
    sampled = valid[::step, ::step]
    rows, columns, z = rows[sampled], columns[sampled], inner[::step, ::step][sampled].astype(np.float64)
    if not len(z):
        return valid
    weight = _central(rows, top, bottom) * _central(columns, left, right)
    planes = _surfaces(depth, box)
    free = ~_on_planes(rows, columns, z, planes)
    if weight[free].sum() < _LEAST_SHARE * weight.sum():
        planes, free = [], np.ones(len(z), dtype=bool)
    low, high = _layer(z[free], weight[free])
    mask = valid & (inner >= low) & (inner <= high)
    if planes:
        v, u = np.nonzero(mask)
        mask[v, u] = ~_on_planes(v + top, u + left, inner[v, u].astype(np.float64), planes)
    return mask


def _central(positions: NDArray[np.intp], first: int, end: int) -> NDArray[np.float64]:
    """Return weights of 1 in the middle of first..end that fall to 0.2 at its ends."""
    off = (positions + 0.5 - (first + end) / 2) / ((end - first) / 2)
    return np.asarray(1.0 - 0.8 * off**2)


def _layer(z: NDArray[np.float64], weight: NDArray[np.float64]) -> tuple[float, float]:
    """Return nearest and farthest depth of the layer that is the thing."""
    bins = np.floor(np.log(z) / np.log1p(_BIN)).astype(np.intp)
    start = int(bins.min())
    mass = np.convolve(np.bincount(bins - start, weights=weight), (0.25, 0.5, 0.25), mode="full")
    # mass[i] is about bin start + i - 1: the convolution adds one at either end
    layers = []
    open_ = np.ones(len(mass), dtype=bool)
    while open_.any():
        peak = int(np.argmax(np.where(open_, mass, -1.0)))
        limit = _VALLEY * mass[peak]
        if mass[peak] <= 0.02 * weight.sum():
            break
        first = last = peak
        while first > 0 and open_[first - 1] and mass[first - 1] > limit:
            first -= 1
        while last < len(mass) - 1 and open_[last + 1] and mass[last + 1] > limit:
            last += 1
        layers.append((first, last, float(mass[first : last + 1].sum())))
        open_[first : last + 1] = False
    if not layers:
        return float(z.min()), float(z.max())
    best = max(share for _, _, share in layers)
    enough = [layer for layer in layers if layer[2] >= min(best, _NEAREST_SHARE * weight.sum())]
    first, last, _ = min(enough)
    return (
        float(np.exp((start + first - 1) * np.log1p(_BIN))),
        float(np.exp((start + last) * np.log1p(_BIN))),
    )


def _surfaces(depth: NDArray[np.float32], box: Box) -> list[NDArray[np.float64]]:
    """Return planes around a box as (a, b, c): 1 / depth = a * column + b * row + c."""
    left, top, right, bottom = box
    dx, dy = max(3, round(_MARGIN * (right - left))), max(3, round(_MARGIN * (bottom - top)))
    x0, y0, x1, y1 = (
        max(0, left - dx),
        max(0, top - dy),
        min(depth.shape[1], right + dx),
        min(depth.shape[0], bottom + dy),
    )
    step = max(1, round(((x1 - x0) * (y1 - y0) / _SAMPLES) ** 0.5))
    rows, columns = np.mgrid[y0:y1:step, x0:x1:step]
    around = (columns < left) | (columns >= right) | (rows < top) | (rows >= bottom)
    rows, columns = rows[around], columns[around]
    z = depth[rows, columns].astype(np.float64)
    good = np.isfinite(z) & (z > 0)
    rows, columns, z = rows[good], columns[good], z[good]
    random = np.random.default_rng(0)
    planes: list[NDArray[np.float64]] = []
    least = max(12.0, _SURFACE_SHARE * len(z))
    for _ in range(_SURFACES):
        if len(z) < least:
            break
        plane, on = _best_plane(rows, columns, z, random)
        if np.count_nonzero(on) < least:
            break
        planes.append(plane)
        rows, columns, z = rows[~on], columns[~on], z[~on]
    return planes


def _best_plane(
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    z: NDArray[np.float64],
    random: np.random.Generator,
) -> tuple[NDArray[np.float64], Flags]:
    """Return the plane through most of the points (RANSAC, then least squares), and which points are on it."""
    points = np.stack([columns, rows, np.ones(len(z))], axis=1).astype(np.float64)
    inverse = 1.0 / z
    triples = random.integers(0, len(z), (64, 3))
    systems = points[triples]
    solvable = np.abs(np.linalg.det(systems)) > 1.0
    if not solvable.any():
        return np.zeros(3), np.zeros(len(z), dtype=bool)
    guesses = np.linalg.solve(systems[solvable], inverse[triples[solvable]][:, :, None])[:, :, 0]
    limit = (_TOLERANCE + _LEAST_TOLERANCE / z) * inverse
    some = slice(None, None, max(1, len(z) // 500))
    hits = np.abs(guesses @ points[some].T - inverse[some]) <= limit[some]
    plane = guesses[int(hits.sum(axis=1).argmax())]
    on = np.abs(points @ plane - inverse) <= limit
    if np.count_nonzero(on) >= 3:
        plane = np.linalg.lstsq(points[on], inverse[on], rcond=None)[0]
        on = np.abs(points @ plane - inverse) <= limit
    return plane, on


def _on_planes(
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    z: NDArray[np.float64],
    planes: list[NDArray[np.float64]],
) -> Flags:
    inverse = 1.0 / z
    limit = (_TOLERANCE + _LEAST_TOLERANCE / z) * inverse
    on = np.zeros(len(z), dtype=bool)
    for a, b, c in planes:
        on |= np.abs(a * columns + b * rows + c - inverse) <= limit
    return on
