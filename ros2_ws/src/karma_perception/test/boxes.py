# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Mapped objects that are boxes."""

import numpy as np

from karma_perception.objects.mapped_object import MappedObject
from karma_perception.objects.voxels import VoxelSet


def known(name, low, high, *, movable=True, held=False, top=None, **states):
    """Make a mapped box whose faces are full of points; `top` lowers the upper face, as of a bed with a headboard."""
    low, high = np.array(low, float), np.array(high, float)
    grid = np.stack(np.meshgrid(*[np.linspace(a, b, 12) for a, b in zip(low, high, strict=True)]), -1).reshape(-1, 3)
    faces = grid[np.any(np.isclose(grid, low) | np.isclose(grid, high), axis=1)]
    if top is not None:
        upper = np.isclose(faces[:, 2], high[2])
        faces[upper, 2] = top
        faces = np.concatenate((faces, [[low[0], low[1], high[2]]]))
    voxels = VoxelSet(0.02, 5000)
    voxels.insert(faces)
    category = name.split("|")[0]
    return MappedObject(name, category, movable, voxels, low, high, 0.0, 1.0, True, states, held=held)
