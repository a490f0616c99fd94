# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How the simulated robot drives and tilts its camera."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Located, Point, Pose2D, Progress
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.visibility import CAMERA_HEIGHT

GOAL_TOLERANCE = 0.5
"""Metres from its goal at which it stops where the goal itself is not free, as Nav2's planners do by default."""

_MAST = 1.9
"""Metres above the floor to which its mast raises the camera: into an open cabinet one looks from that height."""

_ABOVE = 0.2
"""Metres that the mast raises the camera above what it looks at: of a counter at its height only the edge shows."""

_MAPPED = 20.0
"""Metres around free floor that are on the map."""

GOAL_OUTSIDE_MAP, GOAL_OCCUPIED, NO_VALID_PATH = 204, 206, 208
"""Error codes of nav2_msgs."""


class NoWayError(Exception):
    """The robot can't get there."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def drive(backend: HouseholdBackend, goal: Pose2D, speed: Callable[[], float]) -> Iterator[Progress]:
    """Drive to a pose at a speed (m/s), which is asked before each stretch. NoWayError at once where there is no way.

    A stretch is a cell of the grid, or a turn: the simulator puts the robot to its end, and `between` tells of the way.
    """
    grid, robot = backend.grid, backend.robot
    storey = grid.storey_of(goal.z)
    cell = grid.nearest(goal.x, goal.y, storey)
    away = math.dist(grid.points[cell][:2].tolist(), (goal.x, goal.y))
    if away > _MAPPED:
        raise NoWayError(GOAL_OUTSIDE_MAP, "the goal is outside of the map")
    if away > GOAL_TOLERANCE:
        raise NoWayError(GOAL_OCCUPIED, f"the goal is occupied: the nearest free place is {away:.2f} m away")
    path = grid.path(robot.cell, cell)
    if not path:
        raise NoWayError(NO_VALID_PATH, "there is no way to the goal")
    robot.camera_height = CAMERA_HEIGHT

    def moving() -> Iterator[Progress]:
        robot.motion = replace(robot.motion, speed=speed())
        for progress in chain(robot.follow(path, "driving"), robot.turn(goal.yaw, "turning")):
            yield progress
            robot.motion = replace(robot.motion, speed=speed())

    return moving()


def between(was: Located, now: Located, part: float) -> Located:
    """Return where the robot and its camera, which moves with it, are when it has come a part (0..1) of its way."""
    a, b = was.robot, now.robot
    yaw = a.yaw + part * math.remainder(b.yaw - a.yaw, math.tau)
    x, y, z = (p + part * (q - p) for p, q in ((a.x, b.x), (a.y, b.y), (a.z, b.z)))
    robot = Pose2D(x, y, math.remainder(yaw, math.tau), z)
    camera: NDArray[np.float64] = _base(robot) @ np.linalg.inv(_base(b)) @ now.camera_pose
    return Located(robot, camera)


def _base(pose: Pose2D) -> NDArray[np.float64]:
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    return np.array([[cos, -sin, 0, pose.x], [sin, cos, 0, pose.y], [0, 0, 1, pose.z], [0, 0, 0, 1]], dtype=np.float64)


def point_head(backend: HouseholdBackend, point: Point) -> None:
    """Point the camera at something, raised on its mast to look onto and into what is high; the base stays as it is."""
    robot = backend.robot
    floor = robot.pose.z
    robot.camera_height = min(max(point[2] - floor + _ABOVE, CAMERA_HEIGHT), _MAST)
    x, y, z = robot.eye
    flat = max(math.hypot(point[0] - x, point[1] - y), 1e-3)
    robot.pitch = min(max(math.atan2(point[2] - z, flat), math.radians(-60.0)), math.radians(45.0))
