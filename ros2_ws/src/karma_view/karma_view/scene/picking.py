# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which object a ray from the viewer's eye means."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from karma_perception.scene_graph import Layer, SceneGraph

_MARGIN = 0.02
"""Metres around a thing: small ones are hard to hit."""


def picked(graph: SceneGraph, origin: ArrayLike, direction: ArrayLike) -> str:
    """Return the id of the object that a ray (metres, map frame) means; empty where it hits none.

    That is the first that is hit; where a thing is in it, or seen through it, the thing.
    """
    objects = graph.layer(Layer.OBJECT)
    if not objects:
        return ""
    centers, sizes = np.array([node.center for node in objects]), np.array([node.size for node in objects])
    yaws = np.array([node.yaw for node in objects])
    movable = np.array([node.movable for node in objects])
    start = _turned(np.asarray(origin, float) - centers, -yaws)
    ahead = _turned(np.broadcast_to(np.asarray(direction, float), centers.shape), -yaws)
    ahead = np.where(np.abs(ahead) < 1e-9, 1e-9, ahead)
    reach = sizes / 2 + np.where(movable, _MARGIN, 0.0)[:, None]
    sides = np.stack([(-reach - start) / ahead, (reach - start) / ahead])
    enters, leaves = np.maximum(sides.min(axis=0).max(axis=1), 0.0), sides.max(axis=0).min(axis=1)
    hit = leaves >= enters
    if not hit.any():
        return ""
    first = int(np.argmin(np.where(hit, enters, np.inf)))
    things = hit & movable & (enters <= leaves[first])
    return objects[int(np.argmin(np.where(things, enters, np.inf))) if things.any() else first].id


def _turned(vectors: np.ndarray, yaws: np.ndarray) -> np.ndarray:
    cos, sin = np.cos(yaws), np.sin(yaws)
    x, y, z = vectors.T
    return np.stack([cos * x - sin * y, sin * x + cos * y, z], axis=1)
