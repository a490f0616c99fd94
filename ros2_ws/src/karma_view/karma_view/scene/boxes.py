# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Boxes by the hundred as one node of viser's scene: a mesh of one cube, drawn many times."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

Color = tuple[int, int, int]
"""Red, green, blue, 0..255."""
FloatArray = NDArray[np.float32]

THINNEST = 0.01
"""Metres; what is thinner would not be seen from the side."""

_CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)], np.float32)
_FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ],
    np.uint32,
)
_EDGES = np.array([(0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7)])
"""Of _CUBE, by its corners."""


def edges_of(centers: FloatArray, sizes: FloatArray, yaws: FloatArray) -> FloatArray:
    """Return the ends of the edges of boxes, (12 n, 2, 3); see draw_boxes."""
    x, y, z = np.moveaxis(_CUBE * sizes[:, None], -1, 0)
    cos, sin = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    corners = np.stack([x * cos - y * sin, x * sin + y * cos, z], -1) + centers[:, None]
    return corners[:, _EDGES].reshape(-1, 2, 3).astype(np.float32)


def draw_boxes(
    scene: viser.SceneApi,
    name: str,
    before: Any,
    *,
    centers: FloatArray,
    sizes: FloatArray,
    yaws: FloatArray | None = None,
    color: Color | NDArray[np.uint8],
    opacity: float | None = None,
) -> Any:
    """Draw boxes as the node `name` and return its handle.

    `centers`, `sizes`: (n, 3), metres; `yaws`: (n,), radians about z; `color`: of all, or (n, 3); `opacity`: None for
    solid ones. `before`: the handle of the node as it was drawn before, None for the first time; of as many boxes, only
    what differs is sent.
    """
    sizes = np.maximum(sizes, np.float32(THINNEST))
    wxyzs = np.zeros((len(centers), 4), np.float32)
    half = np.zeros(len(centers), np.float32) if yaws is None else yaws / 2
    wxyzs[:, 0], wxyzs[:, 3] = np.cos(half), np.sin(half)
    if before is None or len(before.batched_positions) != len(centers):
        return scene.add_batched_meshes_simple(
            name,
            _CUBE,
            _FACES,
            wxyzs,
            centers,
            batched_scales=sizes,
            batched_colors=color,
            opacity=opacity,
            flat_shading=True,
            lod="off",
            cast_shadow=False,
            receive_shadow=False,
        )
    now = {"batched_positions": centers, "batched_scales": sizes, "batched_wxyzs": wxyzs}
    now["batched_colors"] = np.array(color, np.uint8)
    for prop, values in now.items():
        if not np.array_equal(getattr(before, prop), values):
            setattr(before, prop, values)
    return before
