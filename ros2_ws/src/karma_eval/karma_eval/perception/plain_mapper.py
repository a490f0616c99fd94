# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A peer: the plain way to map objects, on Open3D. Not any published system, but the steps that many of them share.

Each mask becomes a cloud of points (voxel grid, statistical outliers removed), which joins the object of its class
whose box it overlaps most, or begins a new one; now and then, objects of a class that overlap are merged. Objects don't
vanish, and nothing is said about floors, rooms, areas and relations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karma_perception.frames.camera import FloatArray, Frame, back_project
from karma_perception.objects.detection import Detector
from karma_perception.objects.instances import STRUCTURE
from karma_perception.objects.point_clouds import open3d
from karma_perception.scene_graph import Layer, Node, SceneGraph

_VOXEL = 0.02
"""Metres."""

_RANGE = 8.0
"""Metres; depth beyond is not used."""

_LEAST_POINTS = 6

_NEIGHBOURS, _DEVIATIONS = 10, 2.0
"""A point is an outlier when its neighbours are farther, on average, than those of others by so many deviations."""

_OVERLAP = 0.3
"""Share of the smaller box that must lie in the larger for both to be one thing."""

_PADDING = 0.02
"""Metres added to boxes before they are compared; most surfaces are thin."""

_MERGE_EVERY = 20
"""Frames."""

_LEAST_SIGHTINGS = 2
"""Frames that must have shown an object before it counts."""


@dataclass(eq=False)
class _Object:
    id: str
    category: str
    movable: bool
    cloud: Any
    low: FloatArray
    high: FloatArray
    sightings: int = 1


class PlainMapper:
    """Takes frames like `PerceptionPipeline`. `Open3DError` where Open3D can't be loaded."""

    def __init__(self, detector: Detector) -> None:
        self._geometry, self._utility = open3d().geometry, open3d().utility
        self._detector = detector
        self._objects: list[_Object] = []
        self._made = 0
        self._frames = 0
        self._scene, self._stamp = "", 0.0

    def update(self, frame: Frame) -> None:
        """Take a frame into account."""
        self._frames += 1
        self._scene, self._stamp = frame.scene, frame.stamp
        detections = self._detector.detect(frame)
        usable = np.isfinite(frame.depth) & (frame.depth > 0) & (frame.depth <= _RANGE)
        pixels = np.flatnonzero(usable & (detections.mask > 0))
        values = detections.mask.ravel()[pixels]
        order = np.argsort(values, kind="stable")
        pixels, values = pixels[order], values[order]
        points = back_project(frame, pixels)
        for part in np.split(np.arange(len(values)), np.flatnonzero(np.diff(values)) + 1):
            label = detections.instances.get(int(values[part[0]])) if len(part) else None
            if label is not None and label.category not in STRUCTURE:
                self._observe(label.category, label.movable, points[part])
        if self._frames % _MERGE_EVERY == 0:
            self._merge()

    def graph(self) -> SceneGraph:
        """Return the objects that were seen more than once."""
        nodes = {o.id: _node(o) for o in self._objects if o.sightings >= _LEAST_SIGHTINGS}
        return SceneGraph(self._scene, self._stamp, nodes)

    def _observe(self, category: str, movable: bool, points: FloatArray) -> None:
        cloud = self._geometry.PointCloud(self._utility.Vector3dVector(points)).voxel_down_sample(_VOXEL)
        if len(cloud.points) > _NEIGHBOURS:
            cloud, _ = cloud.remove_statistical_outlier(_NEIGHBOURS, _DEVIATIONS)
        if len(cloud.points) < _LEAST_POINTS:
            return
        found = _Object("", category, movable, cloud, cloud.get_min_bound(), cloud.get_max_bound())
        same = max(self._objects, key=lambda o: _overlap(o, found), default=None)
        if same is not None and _overlap(same, found) >= _OVERLAP:
            _join(same, found)
        else:
            self._made += 1
            found.id = f"{category}_{self._made}"
            self._objects.append(found)

    def _merge(self) -> None:
        """Merge objects that overlap, the later ones into the earlier."""
        kept: list[_Object] = []
        for o in self._objects:
            same = max(kept, key=lambda k: _overlap(k, o), default=None)
            if same is not None and _overlap(same, o) >= _OVERLAP:
                _join(same, o)
            else:
                kept.append(o)
        self._objects = kept


def _join(one: _Object, other: _Object) -> None:
    one.cloud = (one.cloud + other.cloud).voxel_down_sample(_VOXEL)
    one.low, one.high = one.cloud.get_min_bound(), one.cloud.get_max_bound()
    one.sightings += other.sightings


def _overlap(a: _Object, b: _Object) -> float:
    """Return the share of the smaller box that lies in the larger; 0 for different classes."""
    if a.category != b.category:
        return 0.0
    shared = np.minimum(a.high, b.high) - np.maximum(a.low, b.low) + 2 * _PADDING
    volume = float(np.prod(np.maximum(shared, 0.0)))
    return volume / min(float(np.prod(o.high - o.low + 2 * _PADDING)) for o in (a, b))


def _node(o: _Object) -> Node:
    center, size = ((o.low + o.high) / 2).tolist(), (o.high - o.low).tolist()
    return Node(o.id, Layer.OBJECT, o.category, o.category.lower(), "", tuple(center), tuple(size), movable=o.movable)
