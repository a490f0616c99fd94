# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's body in a scene: where it stands, where its camera looks, and the time that moving takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Intrinsics, Point, Pose2D, Progress
from sim_bridge.household.model import Box
from sim_bridge.household.navigation import Grid
from sim_bridge.household.views import camera_pose
from sim_bridge.household.visibility import CAMERA_HEIGHT, View
from sim_bridge.simulation.motion import Reckoning, turns

TRAVEL_PITCH = math.radians(-15.0)
"""The camera's pitch while driving and looking around: the floor from a metre ahead, and shelves across the room."""

_PITCH_LIMITS = math.radians(-60.0), math.radians(45.0)
_TURN_STEP = math.radians(45.0)
_GRIPPER = 0.35, -0.25, 0.75
"""Metres ahead, to the left, and above the floor."""


class Robot(Reckoning):
    """Stands on a free cell of a grid; every motion is a generator of `Progress` that can be left at any step."""

    def __init__(self, grid: Grid, intrinsics: Intrinsics) -> None:
        super().__init__()
        self.grid = grid
        self.half_width = math.atan(intrinsics.width / 2 / intrinsics.fx)
        """Radians that the camera sees to each side, likewise upwards and downwards."""
        self.half_height = math.atan(intrinsics.height / 2 / intrinsics.fy)
        self.cell = grid.index[grid.scene.start]
        self.yaw = 0.0
        self.pitch = TRAVEL_PITCH
        self.camera_height = CAMERA_HEIGHT
        """Metres above its floor."""

    @property
    def pose(self) -> Pose2D:
        """Pose of the base."""
        x, y, z = self.grid.points[self.cell].tolist()
        return Pose2D(x, y, self.yaw, z)

    @property
    def position(self) -> tuple[float, float]:
        """Where the base stands: x, y."""
        x, y, _ = self.grid.points[self.cell].tolist()
        return x, y

    @property
    def storey(self) -> int:
        """The storey that it is on."""
        return int(self.grid.storeys[self.cell])

    @property
    def view(self) -> View:
        """Where the camera is and looks."""
        return View(self.eye, self.yaw, self.pitch, self.half_width, self.half_height)

    @property
    def eye(self) -> Point:
        """Where the camera is."""
        x, y, z = self.grid.points[self.cell].tolist()
        return x, y, z + self.camera_height

    @property
    def camera_pose(self) -> NDArray[np.float64]:
        """(4, 4) transform from camera_optical_frame to map."""
        return camera_pose(self.eye, self.yaw, -self.pitch)

    def gripped(self, box: Box) -> Box:
        """Return where a box is when it is in the gripper."""
        ahead, left, up = _GRIPPER
        x, y, z = self.grid.points[self.cell].tolist()
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return Box((x + ahead * cos - left * sin, y + ahead * sin + left * cos, z + up), box.size)

    def follow(self, path: Sequence[int], step: str) -> Iterator[Progress]:
        """Drive along cells, the first of which it stands on."""
        self.pitch = TRAVEL_PITCH
        for cell in path[1:]:
            here, there = self.grid.points[self.cell], self.grid.points[cell]
            flat = float(np.hypot(*(there - here)[:2]))
            if flat > 0.0:
                yield from self.turn(math.atan2(there[1] - here[1], there[0] - here[0]), step)
            length = float(np.linalg.norm(there - here))
            self.cell = cell
            self.drove(length)
            yield self.progress(step)

    def turn(self, yaw: float, step: str, most: float = _TURN_STEP) -> Iterator[Progress]:
        """Turn on the spot to a heading, the shorter way."""
        for heading in turns(self.yaw, yaw, most):
            self.turned(math.remainder(heading - self.yaw, math.tau))
            self.yaw = heading
            yield self.progress(step)

    def face(self, point: Point, step: str) -> Iterator[Progress]:
        """Turn to a point and look at it."""
        x, y, z = self.eye
        dx, dy = point[0] - x, point[1] - y
        flat = math.hypot(dx, dy)
        low, high = _PITCH_LIMITS
        before = self.pitch
        self.pitch = min(max(math.atan2(point[2] - z, max(flat, 1e-3)), low), high)
        if flat > 0.05:
            yield from self.turn(math.atan2(dy, dx), step)
        if abs(self.pitch - before) > 1e-3:
            self.turned(self.pitch - before)
            yield self.progress(step)
