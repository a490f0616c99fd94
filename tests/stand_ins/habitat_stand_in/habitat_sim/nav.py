# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A lattice of points where the robot fits, in place of a navmesh."""

import math

import numpy as np
from habitat_sim.fields import Closed, Typed
from magnum import Vector3, checked
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

_STEP = 0.125
_PROBES = (0.25, 0.5, 0.75, 1.0, 1.25)
_LIFT = 0.1
"""Metres by which Recast's cells of 0.2 m raise the floor of a home, whose lowest point is 0.1 m below it."""
_PICKED = (2.0, 4.0, 2.0)
"""Metres along each axis within which a point is projected onto the mesh (PathFinder.cpp, polyPickExt)."""


class NavMeshSettings(Closed):
    cell_size, agent_radius, agent_height = Typed(float), Typed(float), Typed(float)
    agent_max_climb, agent_max_slope = Typed(float), Typed(float)
    include_static_objects = Typed(bool)

    def set_defaults(self):
        self.cell_size, self.agent_radius, self.agent_height = 0.05, 0.1, 1.5
        self.agent_max_climb, self.agent_max_slope, self.include_static_objects = 0.2, 45.0, False

    @property
    def eroded(self):
        """Metres by which free ground is less than what is free, at most.

        The radius in whole cells, rounded up in 32 bits, and one that an obstacle may touch with its edge only.
        """
        return self.cell_size * (1 + np.ceil(np.float32(self.agent_radius) / np.float32(self.cell_size)))


class ShortestPath(Closed):
    requested_start, requested_end, points = Typed(Vector3), Typed(Vector3), Typed(list)

    def __init__(self):
        self.points = []


class PathFinder:
    is_loaded = False

    def build(self, settings, distance, drop, low, high):
        """`distance`: points (n, 3) → metres to the nearest thing; `drop`: points → metres down to the floor."""
        xs, zs = (np.arange(np.ceil(low[a] / _STEP), np.floor(high[a] / _STEP) + 1) * _STEP for a in (0, 2))
        lattice = np.array([(x, 0.0, z) for x in xs for z in zs])
        up = np.array([0.0, 1.0, 0.0])
        floor = np.abs(drop(lattice + 0.2 * up) - 0.2) < 0.06
        fits = floor & np.all([distance(lattice + h * up) >= settings.eroded - 1e-6 for h in _PROBES], axis=0)
        self._points = lattice[fits] + _LIFT * up
        index = {tuple(c): k for k, c in enumerate(np.rint(self._points[:, [0, 2]] / _STEP).astype(int).tolist())}
        edges = [
            (k, index[there], _STEP * np.hypot(a, b))
            for (i, j), k in index.items()
            for a in (-1, 0, 1)
            for b in (-1, 0, 1)
            if (a or b) and (there := (i + a, j + b)) in index and (i + a, j) in index and (i, j + b) in index
        ]
        rows, columns, lengths = zip(*edges, strict=True)
        self._graph = coo_matrix((lengths, (rows, columns)), shape=(len(self._points),) * 2).tocsr()
        self._fields = {}
        self.is_loaded = True
        return True

    @property
    def navigable_area(self):
        return len(self._points) * _STEP**2

    def get_bounds(self):
        return Vector3(*self._points.min(axis=0)), Vector3(*self._points.max(axis=0))

    def snap_point(self, point):
        found = self._nearest(checked(point, Vector3))
        return Vector3(*(self._points[found] if found is not None else (math.nan,) * 3))

    def find_path(self, path):
        start, end = (self._nearest(p) for p in (path.requested_start, path.requested_end))
        if start is None or end is None:
            return False
        if start not in self._fields:
            self._fields[start] = dijkstra(self._graph, indices=start, return_predecessors=True)
        distance, previous = self._fields[start]
        if not np.isfinite(distance[end]):
            return False
        way = [end]
        while way[-1] != start:
            way.append(previous[way[-1]])
        path.points = [Vector3(*self._points[k]) for k in reversed(way)]
        if len(path.points) == 1:
            path.points *= 2
        return True

    def _nearest(self, point):
        """Return the number of the nearest point; None where the mesh is too far away."""
        away = self._points - np.array([point[0], point[1], point[2]])
        nearest = int(np.argmin(np.linalg.norm(away, axis=1)))
        return nearest if (np.abs(away[nearest]) <= _PICKED).all() else None
