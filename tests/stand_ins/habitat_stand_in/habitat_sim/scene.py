# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The objects of a dataset's files, and rays cast at them."""

import importlib
import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import trimesh
from habitat_sim.physics import MotionType
from magnum import Matrix4, Vector3


@cache
def _open3d():
    found = importlib.util.find_spec("open3d")
    package = ModuleType("open3d")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["open3d"] = package
    return importlib.import_module("open3d.pybind")


@cache
def _mesh(path):
    parts = trimesh.load(path).geometry.values()
    colors = np.concatenate([np.tile(p.visual.material.baseColorFactor[:3], (len(p.faces), 1)) for p in parts])
    mesh = trimesh.util.concatenate(list(parts))
    return np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32), colors


class Rigid:
    """A rigid object, or the stage."""

    is_articulated = False

    def __init__(self, config, object_id, position=(0, 0, 0), motion=MotionType.DYNAMIC):
        read = json.loads(Path(config).read_text())
        self.handle = f"{Path(config).name.split('.')[0]}_:0000"
        self.object_id = object_id
        self.translation = Vector3(*position)
        self.motion_type = motion
        self.visual_scene_nodes = [SimpleNamespace(semantic_id=read.get("semantic_id", 0))]
        self.vertices, self.faces, self.colors = _mesh(str(Path(config).parent / read["render_asset"]))

    @property
    def aabb(self):
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @property
    def transformation(self):
        matrix = np.eye(4)
        matrix[:3, 3] = [self.translation[a] for a in range(3)]
        return Matrix4.of(matrix)

    @property
    def shape(self):
        return self.vertices + np.array([self.translation[a] for a in range(3)], np.float32)


class Rays:
    """What rays meet among some objects."""

    def __init__(self, objects):
        core = _open3d().core
        self._tensor = lambda a: core.Tensor(np.ascontiguousarray(a, dtype=np.float32))
        self._scene = _open3d().t.geometry.RaycastingScene()
        self._numbers, self._colors = {}, {}
        for found in objects:
            key = self._scene.add_triangles(self._tensor(found.shape), core.Tensor(found.faces))
            self._numbers[key] = found.visual_scene_nodes[0].semantic_id
            self._colors[key] = found.colors

    def cast(self, eye, directions):
        """Return how far each ray goes in lengths of its direction, what number it meets, and which color."""
        rays = np.concatenate([np.tile(eye, (len(directions), 1)), directions], axis=1)
        hits = self._scene.cast_rays(self._tensor(rays))
        far, keys, faces = (hits[k].numpy() for k in ("t_hit", "geometry_ids", "primitive_ids"))
        numbers, colors = np.zeros(len(rays), np.uint32), np.zeros((len(rays), 4), np.uint8)
        for key in np.unique(keys[np.isfinite(far)]):
            mine = keys == key
            numbers[mine] = self._numbers[int(key)]
            colors[mine, :3] = self._colors[int(key)][faces[mine]]
        return np.where(np.isfinite(far), far, 0.0).astype(np.float32), numbers, colors

    def distance(self, points):
        return self._scene.compute_distance(self._tensor(points)).numpy()

    def drop(self, points):
        down = np.tile([0.0, -1.0, 0.0], (len(points), 1))
        return self._scene.cast_rays(self._tensor(np.concatenate([points, down], axis=1)))["t_hit"].numpy()
