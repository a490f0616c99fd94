# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of the robot at one time, and what is known now."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

from karma_perception.scene_graph import SceneGraph, Vector


@dataclass(frozen=True)
class Pose:
    """Where the robot stands: map frame, metres; yaw in radians about z, 0 along x."""

    position: Vector
    yaw: float


@dataclass(frozen=True)
class CameraView:
    """What the camera shows, with the names of what is recognised drawn into it."""

    image: Any
    """uint8, height × width × 3, RGB."""
    stamp: float
    """Seconds, robot's clock."""
    fov: float
    """Vertical field of view, radians."""
    position: Vector | None
    """Of the camera, metres, map frame; None: not known."""
    wxyz: tuple[float, float, float, float] | None
    """Rotation from camera_optical_frame (x right, y down, z ahead) to map."""


@dataclass(frozen=True)
class Known:
    """What the page shows, at one time. Messages are as they came and are never changed; None: nothing is known."""

    stamp: float = 0.0
    """Seconds, robot's clock; 0 where it is not known."""
    graph: SceneGraph = field(default_factory=SceneGraph)
    floor_plan: Any = None
    """nav_msgs/OccupancyGrid."""
    pose: Pose | None = None
    camera: CameraView | None = None
    planner: Any = None
    """karma_interfaces/PlannerState."""
    short_term: Any = None
    """karma_interfaces/ShortTermMemory."""
    trouble: str = ""
    """What of the graph doesn't answer or isn't well, and what to do; empty: nothing."""


class Live:
    """What is known now: written by whoever hears of it, read by whoever shows it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = Known()

    @property
    def known(self) -> Known:
        """What is known now. What has not changed is the same object as before."""
        return self._known

    def learn(self, **changes: Any) -> None:
        """Replace some of what is known (fields of Known)."""
        with self._lock:
            self._known = replace(self._known, **changes)

    def clear(self) -> None:
        """Know nothing any more."""
        with self._lock:
            self._known = Known()
