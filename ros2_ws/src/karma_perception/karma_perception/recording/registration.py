# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A color picture as the depth camera would see it, where the two cameras are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FloatArray, Intrinsics, pixel_rays


def register_color(
    rgb: NDArray[np.uint8],
    color: Intrinsics,
    depth: NDArray[np.float32],
    k: Intrinsics,
    color_from_depth: FloatArray,
) -> NDArray[np.uint8]:
    """Return the color of what each depth pixel shows, (height, width, 3) of the depth; black where none is known.

    `color` and `k`: intrinsics of both; `color_from_depth`: (4, 4), between their optical frames. What only the depth
    camera sees, past an edge, gets the color of what is in front of it.
    """
    columns, rows = pixel_rays(k)
    z = np.where(np.isfinite(depth), depth, 0.0).astype(np.float64)
    x, y = columns[None, :] * z, rows[:, None] * z
    r, t = color_from_depth[:3, :3], color_from_depth[:3, 3]
    seen = [r[i, 0] * x + r[i, 1] * y + r[i, 2] * z + t[i] for i in range(3)]
    ahead = (z > 0.0) & (seen[2] > 1e-3)
    inverse = np.where(ahead, 1.0 / np.where(ahead, seen[2], 1.0), 0.0)
    u = np.rint(np.clip(seen[0] * inverse * color.fx + color.cx, -1.0, color.width)).astype(np.intp)
    v = np.rint(np.clip(seen[1] * inverse * color.fy + color.cy, -1.0, color.height)).astype(np.intp)
    inside = ahead & (u >= 0) & (u < color.width) & (v >= 0) & (v < color.height)
    result = np.zeros((*depth.shape, 3), np.uint8)
    result[inside] = rgb[v[inside], u[inside]]
    return result
