# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors and transforms, as habitat has them and as they are sent."""

from __future__ import annotations

import math
from typing import Any

import magnum as mn
import numpy as np


class RequestError(Exception):
    """What was asked of the simulation is not possible; the message says why."""


def vector(values: Any) -> Any:
    """Return three numbers as habitat has them."""
    return mn.Vector3(float(values[0]), float(values[1]), float(values[2]))


def listed(values: Any) -> list[float]:
    """Return habitat's vector as three numbers."""
    return [float(values[0]), float(values[1]), float(values[2])]


def matrix(values: Any) -> Any:
    """Return a transform (4, 4) as habitat has it, by columns."""
    return mn.Matrix4([[float(values[row][column]) for row in range(4)] for column in range(4)])


def array(transform: Any) -> Any:
    """Return habitat's transform as an array (4, 4). RequestError where it is none."""
    result = np.eye(4)
    origin = transform.translation
    for axis in range(3):
        unit = mn.Vector3(float(axis == 0), float(axis == 1), float(axis == 2))
        result[:3, axis] = listed(transform.transform_vector(unit))
    result[:3, 3] = listed(origin)
    if not math.isfinite(float(result.sum())):
        raise RequestError("habitat-sim gave a transform that is no number")
    return result
