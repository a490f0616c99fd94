# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What has been seen of one storey, from above: floor, furniture, walls and where the robot has been.

Cell (i, j) covers [i, i + 1) x [j, j + 1) times the resolution, in the map frame; the grid grows with what is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from karma_perception.frames.camera import FloatArray

BoolGrid = NDArray[np.bool_]
CountGrid = NDArray[np.int16]

_Scalar = TypeVar("_Scalar", bound=np.generic)

_MAX_EVIDENCE = 20
_BLOCK = 32


@dataclass(frozen=True)
class GridOptions:
    """How points become evidence; metres."""

    resolution: float = 0.1
    floor_band: float = 0.06
    """Points within this of the floor's height are floor."""
    low_obstacle: float = 0.1
    """Lower things are driven over."""
    robot_height: float = 1.5
    """Higher things are driven under."""
    wall_height: float = 1.8
    """Points of the building up to here are walls; above are ceilings and lintels of doors."""
    robot_radius: float = 0.2
    range: float = 4.0
    """What is farther away is seen too slantingly, and its depth is too inexact, to count."""
    stride_gap: float = 0.8
    """Two positions of the robot in a row that are closer than this are joined to a path."""
    max_extent: float = 200.0
    """Largest side of the mapped region."""
    min_points: int = 2
    """Points in a cell that make evidence in one frame."""
    min_share: float = 0.25
    """Points of an obstacle in a cell for each of its floor's; fewer are the noise of the floor."""


class StoreyGrid:
    """Evidence of one storey, (nx, ny) arrays that begin at cell `origin`."""

    def __init__(self, height: float, options: GridOptions) -> None:
        """`height`: of the floor, metres, map frame."""
        self.height = height
        self._options = options
        self.origin = (0, 0)
        self.floor: CountGrid = np.zeros((0, 0), np.int16)
        self.furniture: CountGrid = np.zeros((0, 0), np.int16)
        self.wall: CountGrid = np.zeros((0, 0), np.int16)
        self.path: BoolGrid = np.zeros((0, 0), np.bool_)
        self._last: FloatArray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Cells along x and y."""
        return (self.floor.shape[0], self.floor.shape[1])

    @property
    def resolution(self) -> float:
        """Edge of a cell in metres."""
        return self._options.resolution

    @property
    def walls(self) -> BoolGrid:
        """Cells of the building: where more of it was seen than of furniture, whose detection may fail now and then."""
        return np.asarray((self.wall >= 2) & (self.wall > self.furniture))

    @property
    def blocked(self) -> BoolGrid:
        """Cells with something that the robot would run into."""
        blocked: BoolGrid = ((self.furniture >= 2) | (self.wall >= 2)) & ~self.path
        return blocked

    @property
    def free(self) -> BoolGrid:
        """Cells whose floor has been seen, or driven on, and that are not blocked."""
        free: BoolGrid = ((self.floor >= 1) | self.path) & ~self.blocked
        return free

    def cells(self, xy: FloatArray) -> NDArray[np.intp]:
        """Return the array indices, (n, 2), of positions, (n, 2); they may lie outside the grid."""
        return np.asarray(np.floor(xy / self.resolution).astype(np.intp) - np.array(self.origin, dtype=np.intp))

    def positions(self, cells: NDArray[np.intp]) -> FloatArray:
        """Return the centres, (n, 2), of array indices, (n, 2)."""
        return np.asarray((cells + np.array(self.origin) + 0.5) * self.resolution, dtype=np.float64)

    def integrate(self, points: FloatArray, structure: BoolGrid, camera: FloatArray) -> None:
        """Add the points, (n, 3), of one frame seen from `camera`, (3,).

        `structure`, (n,), marks the points of the building. ValueError when the region would become larger than
        `max_extent`; then nothing has changed.
        """
        o = self._options
        above = points[:, 2] - self.height
        distance = np.hypot(points[:, 0] - camera[0], points[:, 1] - camera[1])
        near = distance <= o.range
        floor = near & (np.abs(above) <= o.floor_band)
        body = near & (above > o.low_obstacle) & (above < o.robot_height) & ~structure
        wall = near & (above > o.low_obstacle) & (above < o.wall_height) & structure
        line = self._line(camera[:2])
        region = np.concatenate((points[floor | body | wall, :2], line - o.robot_radius, line + o.robot_radius))
        self._cover(region.min(axis=0), region.max(axis=0), camera)
        self._drive(line)
        on_floor = self._count(points[floor, :2])
        floor_cells = on_floor >= o.min_points
        for grid, obstacle in ((self.furniture, body), (self.wall, wall)):
            hit = self._count(points[obstacle, :2]) >= np.maximum(o.min_points, o.min_share * on_floor)
            grid[floor_cells & ~hit & (grid > 0)] -= 1
            grid[hit] += 2
            np.minimum(grid, _MAX_EVIDENCE, out=grid)
        self.floor[floor_cells & (self.floor < _MAX_EVIDENCE)] += 1

    def leave(self) -> None:
        """Say that the robot left this storey: its next position here does not continue the path."""
        self._last = None

    def _count(self, xy: FloatArray) -> NDArray[np.intp]:
        """Return how many of the positions, (n, 2), fall into each cell."""
        index = self.cells(xy)
        i, j = index[:, 0], index[:, 1]
        inside = (i >= 0) & (i < self.shape[0]) & (j >= 0) & (j < self.shape[1])
        flat = i[inside] * self.shape[1] + j[inside]
        return np.bincount(flat, minlength=self.shape[0] * self.shape[1]).reshape(self.shape)

    def _line(self, here: FloatArray) -> FloatArray:
        """Return the positions, (n, 2), that the robot passed since the last frame, the newest last."""
        if self._last is None or float(np.linalg.norm(here - self._last)) > self._options.stride_gap:
            return here[None].copy()
        steps = int(np.ceil(float(np.linalg.norm(here - self._last)) / (0.5 * self.resolution))) + 1
        return np.linspace(self._last, here, steps)

    def _drive(self, line: FloatArray) -> None:
        """Mark where the robot passed."""
        self._last = line[-1]
        radius = self._options.robot_radius
        reach = int(np.ceil(radius / self.resolution))
        offsets = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
        near = (self.cells(line)[:, None] + offsets[None]).reshape(-1, 2)
        source = np.repeat(line, len(offsets), axis=0)
        close = np.linalg.norm(self.positions(near) - source, axis=1) <= radius
        near = near[close & np.all((near >= 0) & (near < self.shape), axis=1)]
        self.path[near[:, 0], near[:, 1]] = True

    def _cover(self, low: FloatArray, high: FloatArray, camera: FloatArray) -> None:
        """Grow the grid over a rectangle of positions, up to the largest extent around what is there."""
        limit = int(self._options.max_extent / self.resolution)
        first = np.floor(low / self.resolution).astype(np.int64) // _BLOCK * _BLOCK
        last = (np.floor(high / self.resolution).astype(np.int64) // _BLOCK + 1) * _BLOCK
        if 0 in self.shape:
            self.origin = (int(first[0]), int(first[1]))
        old_first = np.array(self.origin)
        old_last = old_first + np.array(self.shape)
        first, last = np.minimum(first, old_first), np.maximum(last, old_last)
        if np.any(last - first > limit):
            raise ValueError(
                f"the camera at ({camera[0]:.1f}, {camera[1]:.1f}) would make the map larger than "
                f"{self._options.max_extent:.0f} m; is its pose right?"
            )
        if np.array_equal(first, old_first) and np.array_equal(last, old_last):
            return
        before = old_first - first
        after = last - old_last
        pad = ((int(before[0]), int(after[0])), (int(before[1]), int(after[1])))
        self.floor, self.furniture, self.wall = (np.pad(g, pad) for g in (self.floor, self.furniture, self.wall))
        self.path = np.pad(self.path, pad)
        self.origin = (int(first[0]), int(first[1]))


def move_grid(
    old: NDArray[_Scalar], origin: tuple[int, int], to: tuple[int, int], shape: tuple[int, int]
) -> NDArray[_Scalar]:
    """Return `old`, which begins at cell `origin`, as part of a grid that begins at `to` and contains it."""
    new = np.zeros(shape, dtype=old.dtype)
    i, j = origin[0] - to[0], origin[1] - to[1]
    new[i : i + old.shape[0], j : j + old.shape[1]] = old
    return new


def fill_underfoot(free: BoolGrid, blocked: BoolGrid, path: BoolGrid, most: int) -> BoolGrid:
    """Return the unseen cells around the robot's path, enclosed by what was seen: the camera looks over them."""
    holes, count = ndimage.label(np.pad(~(free | blocked), 1, constant_values=True))
    holes = holes[1:-1, 1:-1]
    sizes = np.bincount(holes.ravel(), minlength=count + 1)
    rim = np.concatenate((holes[0], holes[-1], holes[:, 0], holes[:, -1]))
    beside = np.unique(holes[ndimage.binary_dilation(path, structure=np.ones((3, 3), dtype=bool))])
    inner = np.setdiff1d(beside[(beside > 0) & (sizes[beside] <= most)], rim)
    return np.asarray(np.isin(holes, inner))


def fill_holes(inside: BoolGrid, most: int) -> BoolGrid:
    """Return the grid with its enclosed gaps of at most so many cells filled: what is behind a chair."""
    holes, count = ndimage.label(ndimage.binary_fill_holes(inside) & ~inside)
    sizes = np.bincount(holes.ravel(), minlength=count + 1)
    sizes[0] = most + 1
    return np.asarray(inside | (sizes[holes] <= most))


def covered_area(points: FloatArray, resolution: float) -> float:
    """Return the square metres that points, (n, 3), cover from above."""
    return len(np.unique(np.floor(points[:, :2] / resolution), axis=0)) * resolution**2


def dense_height(z: FloatArray, expected: float, around: float) -> float:
    """Return the height that most of the points share, of those within `around` metres of the expected one."""
    counts, edges = np.histogram(z, bins=50, range=(expected - around, expected + around))
    best = int(np.argmax(counts))
    near = z[(z >= edges[max(best - 1, 0)]) & (z <= edges[min(best + 2, len(edges) - 1)])]
    return float(np.median(near))
