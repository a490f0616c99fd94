# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What of a scene the robot's camera really shows, judged by rendered pixels and not by lines of sight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.driving import horizontal_distance
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.robot import Robot
from sim_bridge.simulation.motion import REACH


def unpictured(backend: HouseholdBackend, names: Sequence[str], renderer: HouseholdRenderer) -> tuple[str, ...]:
    """Return which of the objects no picture shows that the robot takes of them from a free cell within its reach.

    A picture shows an object when one pixel of it does. The camera faces the middle of the object's box as a skill
    does; the robot itself is not moved.
    """
    return tuple(n for n in names if not _pictured(backend, n, renderer))


def _pictured(backend: HouseholdBackend, name: str, renderer: HouseholdRenderer) -> bool:
    grid, box, snapshot = backend.grid, backend.world.boxes[name], backend.snapshot()
    away = horizontal_distance(box, grid.points)
    cells = np.flatnonzero((away <= REACH) & (grid.storeys == grid.storey_of(box.low[2])))
    eyes = Robot(grid, backend.robot.motion, renderer.intrinsics)
    for cell in cells[np.argsort(away[cells], kind="stable")].tolist():
        eyes.cell = cell
        for _ in eyes.face(box.center, ""):
            pass
        labels = renderer.render(snapshot, eyes.camera_pose).labels
        if any(label.id == name for label in labels.values()):
            return True
    return False
