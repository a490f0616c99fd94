# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The objects of a dataset's files, and rays cast at them."""

import importlib
import importlib.util
import json
import math
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
    colors = np.concatenate([np.tile(p.visual.material.baseColorFactor, (len(p.faces), 1)) for p in parts])
    mesh = trimesh.util.concatenate(list(parts))
    return np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32), colors


class Node(Closed):
    """Where something is drawn, and with which number."""

    semantic_id = Typed(int)
    matrix = Typed(Matrix4)

    def __init__(self, matrix):
        self.semantic_id, self.matrix = 0, Matrix4.of(matrix)

    @property
    def transformation(self):
        return self.matrix

    @transformation.setter
    def transformation(self, matrix):
        turn = checked(matrix, Matrix4)._m[:3, :3]
        if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-5):
            raise ValueError("the rotation is not orthogonal")
        self.matrix = matrix


class Rigid:
    """A rigid object, or the stage."""

    is_articulated = False
    moved = False

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
            self._translation, self.moved = vector, True

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


class Box:
    """The robot's body, which has no number."""

    object_id, semantic_id, moved = -2, 0, True

    def __init__(self, middle, size):
        body = trimesh.creation.box(extents=size)
        self.translation = Vector3(*middle)
        self.shape = np.asarray(body.vertices + np.array(middle), np.float32)
        self.faces, self.colors = np.asarray(body.faces, np.uint32), np.tile([200, 180, 20, 255], (len(body.faces), 1))


class Rays:
    """What rays meet among some objects."""

    def __init__(self, objects):
        core = _open3d().core
        self._tensor = lambda a: core.Tensor(np.ascontiguousarray(a, dtype=np.float32))
        self._scene = _open3d().t.geometry.RaycastingScene()
        for found in objects:
            self._scene.add_triangles(self._tensor(found.shape), core.Tensor(found.faces))
        # Open3D numbers what is added from 0; what is met by no ray comes after the last.
        self._numbers = np.array([*(o.semantic_id for o in objects), 0], np.uint32)
        self._first_faces = np.cumsum([0, *(len(o.faces) for o in objects)])
        self._colors = np.concatenate([*(o.colors for o in objects), [[0, 0, 0, 0]]]).astype(np.uint8)

    def cast(self, eye, directions):
        """Return how far each ray goes in lengths of its direction, what number it meets, and which color."""
        rays = np.empty((len(directions), 6), np.float32)
        rays[:, :3], rays[:, 3:] = eye, directions
        hits = self._scene.cast_rays(self._tensor(rays))
        far, keys, faces = (hits[k].numpy() for k in ("t_hit", "geometry_ids", "primitive_ids"))
        missed = ~np.isfinite(far)
        keys[missed], faces[missed] = len(self._numbers) - 1, 0
        return far, self._numbers[keys], self._colors[self._first_faces[keys] + faces]

    def distance(self, points):
        return self._scene.compute_distance(self._tensor(points)).numpy()

    def drop(self, points):
        down = np.tile([0.0, -1.0, 0.0], (len(points), 1))
        return self._scene.cast_rays(self._tensor(np.concatenate([points, down], axis=1)))["t_hit"].numpy()


class Pictures:
    """What cameras see. Making the rays of a home anew takes longer than a picture, so what has moved is apart."""

    def __init__(self):
        self._layers = {}
        self._last = (None, None)

    def taken(self, objects, eye, width, height, hfov):
        """Return kind of sensor → picture from a transform (4, 4), `hfov` in degrees."""
        for moved in (False, True):
            layer = [o for o in objects if o.moved == moved]
            key = tuple((o.object_id, o.semantic_id, *o.translation) for o in layer)
            if moved not in self._layers or self._layers[moved][0] != key:
                self._layers[moved] = (key, Rays(layer))
        key = (*(key for key, _ in self._layers.values()), eye.tobytes(), width, height, hfov)
        if key != self._last[0]:
            directions = _directions(width, height, hfov) @ np.float32(eye[:3, :3].T)
            still, moved = (rays.cast(eye[:3, 3], directions) for _, rays in self._layers.values())
            nearer = moved[0] < still[0]
            for a, b in zip(still, moved, strict=True):
                a[nearer] = b[nearer]
            depth, numbers, colors = (a.reshape(height, width, *a.shape[1:]) for a in still)
            pictures = {"depth": np.where(np.isfinite(depth), depth, np.float32(0)), "panoptic": numbers, "rgb": colors}
            self._last = (key, pictures)
        return self._last[1]


@cache
def _directions(width, height, hfov):
    """Return the rays of the pixels, row by row, as long as makes their depth 1."""
    focal = width / 2 / math.tan(math.radians(hfov) / 2)
    u, v = np.meshgrid((np.arange(width) - (width - 1) / 2) / focal, (np.arange(height) - (height - 1) / 2) / focal)
    return np.stack([u, -v, -np.ones_like(u)], axis=-1).reshape(-1, 3).astype(np.float32)
