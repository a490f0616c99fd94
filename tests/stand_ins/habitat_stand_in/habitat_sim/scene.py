# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The objects of a dataset's files, and rays cast at them."""

import importlib
import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import trimesh
from habitat_sim.fields import Closed, Typed
from habitat_sim.physics import MotionType
from magnum import Matrix4, Vector3, checked


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


class Node(Closed):
    """Where something is drawn, and with which number."""

    semantic_id = Typed(int)
    moved = Typed(Vector3)
    """By how much what it draws was moved away."""
    matrix = Typed(Matrix4)

    def __init__(self, matrix):
        self.semantic_id, self.moved, self.matrix = 0, Vector3(0, 0, 0), Matrix4.of(matrix)

    @property
    def transformation(self):
        return self.matrix

    @transformation.setter
    def transformation(self, matrix):
        turn = checked(matrix, Matrix4)._m[:3, :3]
        if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-5):
            raise ValueError("the rotation is not orthogonal")
        self.matrix = matrix

    def translate(self, vector):
        self.moved = self.moved + checked(vector, Vector3)


class Rigid:
    """A rigid object, or the stage."""

    is_articulated = False

    def __init__(self, config, object_id, handle, position=(0, 0, 0), motion=MotionType.DYNAMIC):
        read = json.loads(Path(config).read_text())
        self.handle, self._object_id, self._motion = handle, object_id, motion
        self._translation = Vector3(*position)
        node = Node(np.eye(4))
        node.semantic_id = read.get("semantic_id", 0)
        self._nodes = [node]
        self.vertices, self.faces, self.colors = _mesh(str(Path(config).parent / read["render_asset"]))

    def remove(self):
        """Leave the scene; what is asked of it from now on is a mistake."""
        self._object_id = None

    @property
    def object_id(self):
        if self._object_id is None:
            raise RuntimeError(f"{self.handle} was removed")
        return self._object_id

    @property
    def visual_scene_nodes(self):
        return [self._nodes[0]] if self.object_id is not None else []

    @property
    def semantic_id(self):
        """What pictures show of it."""
        return self._nodes[0].semantic_id

    @property
    def motion_type(self):
        return self._motion

    @motion_type.setter
    def motion_type(self, motion):
        self._motion = checked(motion, MotionType)

    @property
    def translation(self):
        return self._translation

    @translation.setter
    def translation(self, vector):
        checked(vector, Vector3)
        if self.object_id is not None and self._motion != MotionType.STATIC:
            self._translation = vector

    @property
    def aabb(self):
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @property
    def transformation(self):
        matrix = np.eye(4)
        matrix[:3, 3] = list(self.translation)
        return Matrix4.of(matrix)

    @property
    def shape(self):
        return self.vertices + np.array(list(self.translation), np.float32)


class Rays:
    """What rays meet among some objects."""

    def __init__(self, objects):
        core = _open3d().core
        self._tensor = lambda a: core.Tensor(np.ascontiguousarray(a, dtype=np.float32))
        self._scene = _open3d().t.geometry.RaycastingScene()
        self._numbers, self._colors = {}, {}
        for found in objects:
            key = self._scene.add_triangles(self._tensor(found.shape), core.Tensor(found.faces))
            self._numbers[key] = found.semantic_id
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
