# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Between AI2-THOR's coordinates and the map frame.

AI2-THOR is left-handed: x right, y up, z forward, angles in degrees, clockwise seen from above; a camera's horizon is
positive downwards. The map is right-handed with z up (REP-103): (x, y, z) is AI2-THOR's (x, z, y), less the height of
the floor, and a heading is measured counter-clockwise from x.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Point
from sim_bridge.household.views import camera_pose as household_camera_pose

Vector = Mapping[str, float]
"""{"x", "y", "z"} in metres, AI2-THOR's axes."""


def to_map(vector: Vector, ground: float) -> Point:
    """Return a point of AI2-THOR's in the map, whose z = 0 is at AI2-THOR's height `ground`."""
    return float(vector["x"]), float(vector["z"]), float(vector["y"]) - ground


def to_thor(point: Point, ground: float) -> dict[str, float]:
    """Return a point of the map in AI2-THOR's coordinates."""
    x, y, z = point
    return {"x": x, "y": z + ground, "z": y}


def to_yaw(rotation: float) -> float:
    """Return the heading in the map, radians, of a rotation around AI2-THOR's y in degrees."""
    return math.remainder(math.pi / 2 - math.radians(rotation), math.tau)


def to_rotation(yaw: float) -> float:
    """Return the rotation around AI2-THOR's y, degrees from 0 up to 360, of a heading in the map."""
    return (90.0 - math.degrees(yaw)) % 360.0


def camera_pose(eye: Point, yaw: float, horizon: float) -> NDArray[np.float64]:
    """Return the (4, 4) transform from camera_optical_frame to map; `horizon` in degrees, positive downwards."""
    return household_camera_pose(eye, yaw, math.radians(horizon))
