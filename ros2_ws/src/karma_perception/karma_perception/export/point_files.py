# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The objects' points and hulls as PLY, for CloudCompare, MeshLab and Open3D; written by Open3D."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from karma_perception.frames.camera import FloatArray
from karma_perception.markers import category_color
from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.point_clouds import Open3DError, open3d
from karma_perception.saved_map.whole_file import whole_file

_FLAT = 1e-4
"""Metres; points that lie in a plane have no hull, so that each is given this much room."""


def write_ply(objects: Iterable[MappedObject], path: Path | str) -> Path:
    """Write the points of objects (`PerceptionPipeline.objects`) in the map frame, metres; return the path.

    Each object has a colour of its own, and its number in the scalar field `object`; the table beside it, of the same
    name with the suffix .csv, says which object that is. ValueError when there is no object, `Open3DError` without
    Open3D, OSError where nothing can be written.
    """
    known = _in_order(objects)
    o3d = open3d()
    cloud = o3d.t.geometry.PointCloud()
    colors = np.array([_color(o) for o in known], dtype=np.uint8).reshape(-1, 3)
    counts = [len(o.voxels) for o in known]
    points = np.concatenate([o.voxels.points for o in known])
    cloud.point.positions = o3d.core.Tensor(points.astype(np.float32))
    cloud.point.colors = o3d.core.Tensor(np.repeat(colors, counts, axis=0))
    numbers = np.repeat(np.arange(1, len(known) + 1, dtype=np.int32), counts)
    cloud.point["object"] = o3d.core.Tensor(numbers[:, None])
    target = Path(path)
    _write(target, lambda part: o3d.t.io.write_point_cloud(str(part), cloud))
    with whole_file(target.with_suffix(".csv")) as part, part.open("w", encoding="utf-8", newline="") as table:
        _write_table(table, known, colors)
    return target


def write_mesh(objects: Iterable[MappedObject], path: Path | str) -> Path:
    """Write the convex hulls of objects as one mesh with their colours; return the path. Errors as of `write_ply`."""
    known = _in_order(objects)
    o3d = open3d()
    all_hulls = o3d.geometry.TriangleMesh()
    for o in known:
        if len(o.voxels) < 4:
            continue
        hull = _hull(o3d, o.voxels.points)
        hull.paint_uniform_color([c / 255 for c in _color(o)])
        all_hulls += hull
    target = Path(path)
    _write(target, lambda part: o3d.io.write_triangle_mesh(str(part), all_hulls))
    return target


def _hull(o3d: Any, points: FloatArray) -> Any:
    """Return the convex hull of points, (n, 3), as a mesh.

    It is that of the points stretched until they reach equally far along their principal axes, since Qhull warns of
    hulls that are narrow, as a shelf's is.
    """
    middle = points.mean(axis=0)
    _, lengths, axes = np.linalg.svd(points - middle, full_matrices=False)
    for axis in axes[lengths <= _FLAT]:
        points = np.concatenate([points - axis * _FLAT / 2, points + axis * _FLAT / 2])
    stretched, lengths, axes = np.linalg.svd(points - middle, full_matrices=False)
    if np.linalg.det(axes) < 0.0:  # a mirrored hull would be inside out
        stretched[:, 0] *= -1
        axes[0] *= -1
    hull, _ = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(stretched)).compute_convex_hull()
    hull.vertices = o3d.utility.Vector3dVector(np.asarray(hull.vertices) * lengths @ axes + middle)
    return hull


def _write(path: Path, write: Callable[[Path], bool]) -> None:
    path.parent.stat()  # Open3D says no more than that it failed
    with whole_file(path) as part:
        if not write(part):
            raise Open3DError(f"Open3D could not write {path}; is there room on the disk, and the suffix .ply?")


def _write_table(table: Any, known: Sequence[MappedObject], colors: np.ndarray[Any, Any]) -> None:
    writer = csv.writer(table)
    writer.writerow(
        [
            *("object", "id", "class", "red", "green", "blue", "points"),
            *("x_m", "y_m", "z_m", "size_x_m", "size_y_m", "size_z_m", "confidence"),
        ]
    )
    for number, (o, color) in enumerate(zip(known, colors.tolist(), strict=True), start=1):
        numbers = [round(float(v), 4) for v in (*o.center, *o.size, o.confidence)]
        writer.writerow([number, o.id, o.category, *color, len(o.voxels), *numbers])


def _in_order(objects: Iterable[MappedObject]) -> list[MappedObject]:
    known = sorted(objects, key=lambda o: o.id)
    if not known:
        raise ValueError("no object has been mapped yet: there are no points to write")
    return known


def _color(o: MappedObject) -> tuple[int, int, int]:
    """Return an object's colour, 0..255: by its id, so that neighbours of a class can be told apart."""
    r, g, b, _ = category_color(o.id)
    return (round(255 * r), round(255 * g), round(255 * b))
