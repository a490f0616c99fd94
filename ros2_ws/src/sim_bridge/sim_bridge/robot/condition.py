# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a robot: where it is, and whether it may move."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Code, Located, Pose2D, RefusedError
from sim_bridge.robot.ports import Interfaces
from sim_bridge.robot.table import Table, Told

_LOOK_AGAIN = 0.05
"""Seconds."""


class RobotCondition:
    """Reads what the robot tells about itself, by its table."""

    def __init__(self, table: Table, interfaces: Interfaces) -> None:
        self._table = table
        self._interfaces = interfaces

    def wait_until_known(self, longest: float) -> None:
        """Wait until all that the table says the robot tells has been heard, at most so many seconds."""
        battery, until = self._table.battery, time.monotonic() + longest
        while time.monotonic() < until:
            stops = all(self._heard(stop) is not None for stop in self._table.emergency_stop)
            if stops and (battery is None or self.charge() is not None) and self._base() is not None:
                return
            time.sleep(_LOOK_AGAIN)

    def located(self) -> Located:
        """Return where the robot and its camera are. RefusedError (UNAVAILABLE) when that is not known."""
        pose, base = self._table.pose, self._base()
        if base is None:
            told = pose.base.topic if pose.base is not None else f"transforms to {pose.base_frame}"
            if pose.base is not None and (why := self._interfaces.why_silent(pose.base.topic)):
                told += f" ({why})"
            raise RefusedError(
                Code.UNAVAILABLE,
                f"where the robot is is not known: nothing lately on {told}; is its driver (or localization) running?",
            )
        camera = self.camera()
        yaw = math.atan2(base[1, 0], base[0, 0])
        x, y, z = base[:3, 3].tolist()
        return Located(Pose2D(x, y, yaw, z), base if camera is None else camera)

    def camera(self) -> NDArray[np.float64] | None:
        """Return the (4, 4) pose of the camera's optical frame in the map; None when it is not known."""
        pose = self._table.pose
        if pose.camera is not None:
            return self._pose(pose.camera.topic, pose.camera.field)
        return self._transform(pose.camera_frame) if pose.camera_frame is not None else None

    def why_not_move(self) -> str:
        """Return why nothing may move now, empty when it may."""
        for stop in self._table.emergency_stop:
            heard = self._heard(stop)
            if heard is None:
                return f"{self._nothing(stop.topic)}: whether the emergency stop is pressed is not known"
            if stop.pressed(heard):
                return f"the emergency stop is pressed ({stop.topic}: {stop.field} is {heard}): release it to go on"
        return ""

    def why_not_drive(self, place: str = "") -> str:
        """Return why the base may not drive to a named place (empty: another) now; empty when it may."""
        battery = self._table.battery
        if battery is None or (battery.dock is not None and place == battery.dock):
            return ""
        charge = self.charge()
        if charge is None:
            return f"{self._nothing(battery.topic)}: the battery's charge is not known"
        if charge < battery.minimum:
            dock = f"; I may only drive to {battery.dock}" if battery.dock is not None else ""
            return f"the battery is at {charge:.0%}, below {battery.minimum:.0%}{dock}: charge it"
        return ""

    def charge(self) -> float | None:
        """Return the charge, 0..1; None when it is not known."""
        battery = self._table.battery
        heard = self._heard(battery) if battery is not None else None
        if battery is None or heard is None:
            return None
        charge = float(heard) * battery.scale
        return charge if math.isfinite(charge) else None

    def _base(self) -> NDArray[np.float64] | None:
        pose = self._table.pose
        if pose.base is not None:
            return self._pose(pose.base.topic, pose.base.field)
        return self._transform(pose.base_frame or "")

    def _heard(self, told: Told) -> Any:
        """Return what a topic tells; None when it does not any more."""
        heard = self._interfaces.latest(told.topic, told.field)
        if heard is None or heard[1] > told.longest:
            return None
        # A latched topic is sent only when it changes: it never gets old, but does not outlive its publisher.
        return None if told.latched and self._interfaces.why_silent(told.topic) else heard[0]

    def _nothing(self, topic: str) -> str:
        why = self._interfaces.why_silent(topic)
        return f"nothing is heard on {topic}" + (f" ({why})" if why else "")

    def _pose(self, topic: str, field: str) -> NDArray[np.float64] | None:
        heard = self._interfaces.latest(topic, field)
        if heard is None or heard[1] > self._table.pose.max_age:
            return None
        pose = heard[0]
        return matrix_of(pose.position, pose.orientation)

    def _transform(self, frame: str) -> NDArray[np.float64] | None:
        found = self._interfaces.transform(self._table.map_frame, frame)
        return None if found is None or found[1] > self._table.pose.max_age else found[0]


def matrix_of(position: Any, orientation: Any) -> NDArray[np.float64]:
    """Return the (4, 4) transform of a geometry_msgs position (or translation) and quaternion."""
    x, y, z, w = orientation.x, orientation.y, orientation.z, orientation.w
    pose = np.eye(4)
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    pose[:3, 3] = position.x, position.y, position.z
    return pose
