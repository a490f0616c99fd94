# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The instances of one frame as sets of points: all of them in one pass over the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray, Frame, Label, back_project
from karma_perception.objects.colors import color_histograms
from karma_perception.objects.detection import Detections
from karma_perception.objects.voxels import trimmed_bounds

STRUCTURE = frozenset({"Floor", "Wall", "Ceiling", "Doorway", "Room"})
"""Classes that are the building, not objects in it."""


@dataclass(frozen=True)
class ExtractionOptions:
    """How pixels become points."""

    samples: int = 20_000
    """Pixels of large instances and the background that are used, on a lattice over the image."""
    small: int = 1000
    """Pixels; smaller instances are used whole."""
    min_points: int = 6
    """Fewer points than that are no estimate of a position."""
    max_range: float = 8.0
    """Metres; depth beyond is not used."""
    edge_jump: float = 0.06
    """Share of its depth by which a pixel may be off the surfaces beside it."""
    depth_gap: float = 0.4
    """Metres; within a mask, what is separated by more than this along the optical axis is not the same thing."""
    gap_share: float = 0.2
    """A part behind such a gap is dropped when it holds less than this share of the instance's points."""
    trim: float = 0.01
    """Share of points cut off at either end of each axis for a box."""
    depth_noise: float = 0.005
    """Standard deviation of the sensor's depth at 1 m, metres, taken to grow with the distance's square."""


@dataclass(frozen=True, eq=False)
class ObjectObservation:
    """One instance as one frame shows it."""

    value: int
    """In the frame's label image."""
    label: Label
    points: FloatArray
    """(n, 3), metres, map frame."""
    low: FloatArray
    """(3,) corner of the box around the visible part."""
    high: FloatArray
    """(3,) opposite corner."""
    colors: FloatArray | None = None
    """Histogram of its colours, of sum 1; None for frames without colour and instances whose identity is known."""
    cut: bool = False
    """Whether it touches the image's border, so that more of it may be outside."""


@dataclass(frozen=True, eq=False)
class FrameObjects:
    """Everything that one frame shows, as points."""

    observations: tuple[ObjectObservation, ...]
    glimpsed: frozenset[int]
    """Values that occur in the image, also those with too few points for an observation."""
    points: FloatArray
    """(n, 3) all sampled points, metres, map frame."""
    structure: NDArray[np.bool_]
    """(n,), whether the point belongs to the building (no instance, or a class in `STRUCTURE`)."""


def observe_objects(frame: Frame, detections: Detections, options: ExtractionOptions) -> FrameObjects:
    """Turn a frame's instances and background into points in the map frame."""
    depth = frame.depth
    valid = (depth > 0) & (depth <= options.max_range)
    mask = detections.mask
    counts = np.bincount(mask.ravel(), minlength=1)
    glimpsed = frozenset(int(v) for v in np.flatnonzero(counts) if v)

    small = (counts > 0) & (counts < options.small)
    small[0] = False
    sampled = np.zeros(depth.shape, dtype=bool)
    stride = max(1, round((depth.size / options.samples) ** 0.5))
    sampled[::stride, ::stride] = True
    if small.any():
        sampled |= small[mask]
    sampled &= valid
    clean = sampled & ~depth_edges(depth, valid, options.edge_jump)

    pixels = np.flatnonzero(sampled)
    values = mask.ravel()[pixels]
    smooth, support = smooth_depth(depth, mask, pixels, options.depth_noise)
    points = back_project(frame, pixels)
    points = frame.position + (points - frame.position) * (smooth / depth.ravel()[pixels])[:, None]
    on_edge = ~clean.ravel()[pixels]
    is_object = np.zeros(len(counts), dtype=bool)
    for value, label in detections.instances.items():
        if 0 < value < len(counts):
            is_object[value] = label.category not in STRUCTURE
    structure = ~is_object[values]

    kept = _clean_parts(values, frame.depth.ravel()[pixels], on_edge, structure, options)
    groups = np.split(kept, np.flatnonzero(np.diff(values[kept])) + 1) if len(kept) else []
    _denoise(points, support, groups, frame, options.depth_noise)
    colors = _colors(frame, pixels, groups) if not detections.identified else [None] * len(groups)
    border = set(np.concatenate((mask[0], mask[-1], mask[:, 0], mask[:, -1])).tolist())
    observations = []
    for members, histogram in zip(groups, colors, strict=True):
        if len(members) < options.min_points:
            continue
        value = int(values[members[0]])
        part = points[members]
        low, high = trimmed_bounds(part, options.trim)
        label = detections.instances[value]
        observations.append(ObjectObservation(value, label, part, low, high, histogram, value in border))
    return FrameObjects(tuple(observations), glimpsed, points, structure)


def smooth_depth(
    depth: NDArray[np.float32], mask: NDArray[np.uint16], pixels: NDArray[np.intp], noise: float
) -> tuple[FloatArray, FloatArray]:
    """Return the depth of pixels, (n,), as the mean over their 3 x 3 neighbours, and how many of these went into it.

    Opposite neighbours count together, where both show the same instance and are as near as the sensor's noise allows:
    so no surface is mixed with another, and none is bent at its rim. `pixels`: (n,), flat indices; `noise`: standard
    deviation at 1 m, growing with the distance's square.
    """
    height, width = depth.shape
    v, u = np.divmod(pixels, width)
    flat, labels = depth.ravel(), mask.ravel()
    own, value = flat[pixels].astype(np.float64), labels[pixels]
    spread = 4.0 * noise * own * own
    total, count = own.copy(), np.ones(len(pixels))
    for dv, du in ((0, 1), (1, -1), (1, 0), (1, 1)):
        # At the border of the image one of the two is the pixel itself or beside it: no harm.
        one = np.clip(v + dv, 0, height - 1) * width + np.clip(u + du, 0, width - 1)
        two = np.clip(v - dv, 0, height - 1) * width + np.clip(u - du, 0, width - 1)
        middle = 0.5 * (flat[one] + flat[two])
        same = (labels[one] == value) & (labels[two] == value) & (flat[one] > 0) & (flat[two] > 0)
        same &= np.abs(middle - own) <= spread
        total += np.where(same, 2.0 * middle, 0.0)
        count += 2.0 * same
    return total / count, count


def _denoise(
    points: FloatArray, support: FloatArray, groups: Sequence[NDArray[np.intp]], frame: Frame, noise: float
) -> None:
    """Take out of each group of points, in place, the spread along the line of sight that is the sensor's noise.

    Small things far away are nothing but noise in depth, large ones are hardly touched: what exceeds the noise stays
    (a Wiener filter for each group). `support`: (n,), measurements that each point is the mean of.
    """
    for members in groups:
        part = points[members] - frame.position
        depth = part @ frame.camera_pose[:3, 2]
        middle = float(np.median(depth))
        variance = float(np.mean((depth - middle) ** 2))
        expected = (noise * middle * middle) ** 2 * float(np.mean(1.0 / support[members]))
        if variance > 0.0 and expected > 0.01 * variance:
            kept = max(0.0, 1.0 - expected / variance) ** 0.5
            points[members] = part * ((middle + kept * (depth - middle)) / depth)[:, None] + frame.position


def _colors(frame: Frame, pixels: NDArray[np.intp], groups: Sequence[NDArray[np.intp]]) -> Sequence[FloatArray | None]:
    """Return the colours of each group of samples."""
    if frame.rgb is None or not groups:
        return [None] * len(groups)
    lengths = [len(g) for g in groups]
    rgb = frame.rgb.reshape(-1, 3)[pixels[np.concatenate(groups)]]
    return list(color_histograms(rgb, np.repeat(np.arange(len(groups)), lengths), len(groups)))


def depth_edges(depth: NDArray[np.float32], valid: NDArray[np.bool_], jump: float) -> NDArray[np.bool_]:
    """Return the pixels that lie on no surface, (height, width): where two meet, and a pixel's depth mixes both.

    Inverse depth is linear across the image of a plane, at any slant. A pixel that continues the two before it or the
    two after it, or lies between its neighbours, up to the share `jump` of its value, is on a surface; so the rim of an
    object stays, and so do surfaces seen at a grazing angle.
    """
    inverse = np.zeros_like(depth)
    np.divide(1.0, depth, out=inverse, where=valid)
    limit = jump * inverse
    edges = np.zeros(depth.shape, dtype=bool)
    for image, limits, found in ((inverse, limit, edges), (inverse.T, limit.T, edges.T)):
        bend = np.full((image.shape[0] + 2, image.shape[1]), np.inf, dtype=depth.dtype)
        middle = bend[2:-2]
        np.subtract(image[2:] + image[:-2], 2.0 * image[1:-1], out=middle)
        np.abs(middle, out=middle)
        found |= np.minimum(np.minimum(bend[:-2], bend[1:-1]), bend[2:]) > limits
    return edges


def _clean_parts(
    values: NDArray[np.uint16],
    depths: NDArray[np.float32],
    on_edge: NDArray[np.bool_],
    structure: NDArray[np.bool_],
    options: ExtractionOptions,
) -> NDArray[np.intp]:
    """Return the samples that belong to objects, grouped by instance, without mixed pixels and what bleeds behind.

    Samples on depth edges are kept where an instance has little else: thin things are all edge.
    """
    candidates = np.flatnonzero(~structure)
    labels = values[candidates]
    total = np.bincount(labels, minlength=1)
    clean = np.bincount(labels[~on_edge[candidates]], minlength=len(total))
    thin = clean < np.maximum(options.min_points, total / 3)
    candidates = candidates[~on_edge[candidates] | thin[labels]]

    order = np.lexsort((depths[candidates], values[candidates]))
    candidates = candidates[order]
    if not len(candidates):
        return candidates
    labels = values[candidates]
    new_part = (np.diff(labels, prepend=labels[0]) != 0) | (
        np.diff(depths[candidates], prepend=depths[candidates[0]]) > options.depth_gap
    )
    part = np.cumsum(new_part)
    part_size = np.bincount(part)
    instance_size = np.bincount(labels)
    keep = part_size[part] >= options.gap_share * instance_size[labels]
    return np.asarray(candidates[keep])
