# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Spot in Habitat, moved as the skills move a robot: along the navmesh, with what its hand holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Code, Intrinsics, Point, Pose2D, Progress, RefusedError
from sim_bridge.habitat.client import HabitatClient, RobotPose
from sim_bridge.habitat.eyes import RenderedSight, aimed
from sim_bridge.habitat.mirror import Mirror
from sim_bridge.household.model import Box
from sim_bridge.household.navigation import Grid
from sim_bridge.household.robot import TRAVEL_PITCH, Robot
from sim_bridge.household.visibility import CAMERA_HEIGHT
from sim_bridge.household.world import World
from sim_bridge.simulation.body import Moving
from sim_bridge.simulation.senses import Senses

_STRIDE = 0.25
"""Metres between two poses on the way."""


class SpotBody(Robot):
    """The robot of the skills, whose poses are those that Habitat's Spot has.

    Where to stand is chosen among the grid's cells; the ways between them are the navmesh's.
    """

    def __init__(
        self,
        world: World,
        grid: Grid,
        intrinsics: Intrinsics,
        senses: Senses,
        fails: Callable[[], bool],
        *,
        habitat: HabitatClient,
        mirror: Mirror,
    ) -> None:
        super().__init__(world, grid, RenderedSight(world, habitat, mirror, intrinsics), intrinsics, senses, fails)
        self._camera = intrinsics
        self._habitat = habitat
        self._mirror = mirror
        x, y, z = grid.points[self.cell].tolist()
        self._position: Point = (x, y, z)
        self._stood: tuple[float | str, ...] = ()
        self._actual: RobotPose | None = None

    @property
    def pose(self) -> Pose2D:
        """Pose of the base."""
        x, y, z = self._position
        return Pose2D(x, y, self.yaw, z)

    @property
    def position(self) -> tuple[float, float]:
        """Where the base stands: x, y."""
        return self._position[:2]

    @property
    def eye(self) -> Point:
        """Where the head's camera is."""
        x, y, z = self._position
        return x, y, z + CAMERA_HEIGHT

    @property
    def camera_pose(self) -> NDArray[np.float64]:
        """(4, 4) transform from camera_optical_frame to map, as Habitat has it."""
        return self.settle().camera

    def gripped(self, box: Box) -> Box:
        """Return where a box is when it is in the hand."""
        return Box(self.settle().hand, box.size)

    def progress(self, step: str, *, look: bool = True) -> Progress:
        """Report where the running skill is, Habitat's robot being there too."""
        self.settle()
        return super().progress(step, look=look)

    def settle(self) -> RobotPose:
        """Have Habitat's objects and its robot be where the skills have them; return where that robot is."""
        self._mirror.sync()
        wanted = (*self._position, self.yaw, self.pitch, self._mirror.held)
        if self._actual is None or wanted != self._stood:
            eye = aimed(self.eye, self.yaw, self.pitch, self._camera)
            self._actual = self._habitat.stand(self._position, self.yaw, self.pitch, eye)
            self._stood = wanted
            self._mirror.carry(self._actual.hand)
        return self._actual

    def follow(self, path: Sequence[int], step: str) -> Moving:
        """Drive to the last of some cells over the navmesh; RefusedError where that has no way there."""
        self.pitch = TRAVEL_PITCH
        if len(path) < 2:
            return
        x, y, z = self.grid.points[path[-1]].tolist()
        corners = self._habitat.path(self._position, (x, y, z))
        if not len(corners):
            raise RefusedError(Code.EXECUTION_FAILURE, "the navmesh has no way there: something stands in it")
        for corner in [*corners[1:-1].tolist(), [x, y, z]]:
            yield from self._drive(corner, step)
        self.cell = path[-1]

    def _drive(self, goal: Sequence[float], step: str) -> Moving:
        """Drive straight to a point, facing it."""
        start = np.array(self._position)
        flat = float(np.hypot(goal[0] - start[0], goal[1] - start[1]))
        if flat < 1e-3:
            return
        yield from self.turn(math.atan2(goal[1] - start[1], goal[0] - start[0]), step)
        strides = math.ceil(flat / _STRIDE - 1e-9)
        for k in range(1, strides + 1):
            x, y, z = (start + (np.array(goal) - start) * k / strides).tolist()
            storey = self.grid.storey_of(z)
            self.cell = self.grid.nearest(x, y, storey)
            length = math.dist(self._position, (x, y, self._floor(z)))
            self._position = (x, y, self._floor(z))
            self.drove(length)
            yield self.progress(step)

    def _floor(self, z: float) -> float:
        """Return the height of the floor where the navmesh, which lies a little above it, is at `z`."""
        here = float(self.grid.points[self.cell][2])
        return here if abs(here - z) < _STRIDE else z
