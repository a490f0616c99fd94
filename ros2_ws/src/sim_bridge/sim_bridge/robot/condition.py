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
from sim_bridge.robot.freshness import why_not_of_now
from sim_bridge.robot.ports import Interfaces, Said
from sim_bridge.robot.sources import Battery, EmergencyStop, Source
from sim_bridge.robot.table import Table

_LOOK_AGAIN = 0.05
"""Seconds."""
_FULL = 1.1
"""A charge that is told to be more than this is in another unit."""
_UNIT = 0.1
"""What the length of a quaternion may be off from 1."""


class RobotCondition:
    """Reads what the robot tells about itself, by its table."""

    def __init__(self, table: Table, interfaces: Interfaces) -> None:
        self._table = table
        self._interfaces = interfaces

    def wait_until_known(self, longest: float) -> None:
        """Wait until all that the table says the robot tells has been heard, at most so many seconds."""
        until = time.monotonic() + longest
        while time.monotonic() < until:
            unknown = [self._pressed(stop)[1] for stop in self._table.emergency_stop]
            unknown += [self._charge(battery)[1] for battery in [self._table.battery] if battery is not None]
            if not any((*unknown, self._base()[1])):
                return
            time.sleep(_LOOK_AGAIN)

    def located(self) -> Located:
        """Return where the robot and its camera are. RefusedError (UNAVAILABLE) when that is not known."""
        base, why = self._base()
        if base is None:
            raise RefusedError(Code.UNAVAILABLE, f"where the robot is is not known: {why}")
        camera, _ = self.camera()
        yaw = math.atan2(base[1, 0], base[0, 0])
        x, y, z = base[:3, 3].tolist()
        return Located(Pose2D(x, y, yaw, z), base if camera is None else camera)

    def pose_age(self) -> float:
        """Return of how many seconds ago at least what is told of the robot's place is, by when it came and its stamp.

        0 where the table lets a pose get as old as it likes: such a one is told only when it changes.
        """
        pose = self._table.pose
        if math.isinf(pose.max_age):
            return 0.0
        if pose.base is None:
            found = self._interfaces.transform(self._table.map_frame, pose.base_frame or "")
            heard = found[1] if found is not None else ()
            return max((step.age + max(step.underway or 0.0, 0.0) for step in heard), default=0.0)
        told = self._interfaces.latest(pose.base.topic, pose.base.field)
        if told is None:
            return math.inf
        return told.age + (0.0 if pose.base.by_receipt else max(told.underway or 0.0, 0.0))

    def camera(self) -> tuple[NDArray[np.float64] | None, str]:
        """Return the (4, 4) pose of the camera's optical frame in the map; None, and why, when it is not known."""
        pose = self._table.pose
        if pose.camera is None and pose.camera_frame is None:
            return None, "the robot's table does not say"
        return self._pose(pose.camera, pose.camera_frame)

    def why_not_move(self) -> str:
        """Return why nothing may move now, empty when it may."""
        for stop in self._table.emergency_stop:
            pressed, unknown = self._pressed(stop)
            if pressed:
                return f"the emergency stop is pressed ({pressed}): release it to go on"
            if unknown:
                return f"{unknown}: whether the emergency stop is pressed is not known"
        return ""

    def _pressed(self, stop: EmergencyStop) -> tuple[str, str]:
        """Return who says that a stop is pressed, and why it is not known; both empty: all have released it.

        Each publisher that is there counts for itself: a released stop does not release another.
        """
        said = self._interfaces.said(stop.topic, stop.field)
        if not said:
            why = self._interfaces.why_silent(stop.topic)
            return "", f"nothing is heard on {stop.topic}" + (f" ({why})" if why else "")
        unknown = ""
        for one in said:
            value, why = _told_of(stop, stop.longest, one)
            if not why and stop.pressed(value):
                by = f" of {one.node}" if one.node else ""
                return f"{stop.topic}{by}: {stop.field} is {value}", ""
            unknown = unknown or why
        return "", unknown

    def why_not_drive(self, place: str = "") -> str:
        """Return why the base may not drive to a named place (empty: another) now; empty when it may."""
        battery = self._table.battery
        if battery is None or (battery.dock is not None and place == battery.dock):
            return ""
        charge, why = self._charge(battery)
        if why:
            return f"{why}: the battery's charge is not known"
        if charge < battery.minimum:
            dock = f"; I may only drive to {battery.dock}" if battery.dock is not None else ""
            return f"the battery is at {charge:.0%}, below {battery.minimum:.0%}{dock}: charge it"
        return ""

    def charge(self) -> float | None:
        """Return the charge, 0..1; None when it is not known."""
        battery = self._table.battery
        charge, why = self._charge(battery) if battery is not None else (0.0, "no battery")
        return None if why else charge

    def _charge(self, battery: Battery) -> tuple[float, str]:
        """Return the charge, 0..1, or why it is not known."""
        value, why = self._told(battery, battery.longest)
        if why:
            return 0.0, why
        charge = float(value) * battery.scale
        if charge > _FULL:
            return (
                0.0,
                f"{battery.topic} tells {value}, no charge from 0 to 1 (scale: 0.01 makes one of percent)",
            )
        return (charge, "") if math.isfinite(charge) else (0.0, f"{battery.topic} tells {value}")

    def _told(self, source: Source, longest: float) -> tuple[Any, str]:
        """Return what a topic tells now, or why it tells nothing."""
        heard = self._interfaces.latest(source.topic, source.field)
        silent = heard is None or heard.age > longest
        # A latched topic is sent only when it changes: it never gets old, but does not outlive its publisher.
        why = self._interfaces.why_silent(source.topic) if silent or source.latched else ""
        return _told_of(source, longest, Said("", heard, why))

    def _base(self) -> tuple[NDArray[np.float64] | None, str]:
        return self._pose(self._table.pose.base, self._table.pose.base_frame)

    def _pose(self, source: Source | None, frame: str | None) -> tuple[NDArray[np.float64] | None, str]:
        """Return a (4, 4) pose in the map, which a topic tells or a chain of transforms; None, and why, otherwise."""
        longest = self._table.pose.max_age
        if source is not None:
            told, why = self._told(source, longest)
            if why:
                return None, f"{why}; is its driver (or localization) running?"
            pose, what = pose_of(told.position, told.orientation), source.topic
        else:
            found, what = self._interfaces.transform(self._table.map_frame, frame or ""), f"transforms to {frame}"
            if found is None:
                return (
                    None,
                    f"no {what} are known in {self._table.map_frame}; is its driver (or localization) running?",
                )
            for step in found[1]:  # some are stamped ahead on purpose, as AMCL's are (transform_tolerance)
                if why := why_not_of_now(step, longest, ahead=longest):
                    return None, f"what {what} tell of {step.value} is not of now: {why}"
            pose = found[0]
        return (pose, "") if np.isfinite(pose).all() else (None, f"{what}: no pose (not finite, or no rotation)")


def _told_of(source: Source, longest: float, said: Said) -> tuple[Any, str]:
    """Return what a publisher tells now, or why it tells nothing."""
    heard = said.heard
    what = f"{source.topic} of {said.node}" if said.node else source.topic
    if heard is None or said.why:
        return None, f"nothing is heard on {what}" + (f" ({said.why})" if said.why else "")
    why = why_not_of_now(heard._replace(underway=None) if source.by_receipt else heard, longest)
    return (None, f"what {what} tells is not of now: {why}") if why else (heard.value, "")


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


def pose_of(position: Any, orientation: Any) -> NDArray[np.float64]:
    """Return `matrix_of`; with nothing but NaN in it where the quaternion is none, as one that was never set."""
    length = math.hypot(orientation.x, orientation.y, orientation.z, orientation.w)
    return matrix_of(position, orientation) if abs(length - 1.0) < _UNIT else np.full((4, 4), np.nan)
