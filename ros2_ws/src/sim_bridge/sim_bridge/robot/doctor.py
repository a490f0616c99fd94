# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's table needs of a machine, and what the robot tells then (`sim_bridge.examination`)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import cast

import numpy as np

from sim_bridge.backend import Backend, Intrinsics, Observation, RefusedError
from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding
from sim_bridge.robot import registration
from sim_bridge.robot.backend import RobotBackend
from sim_bridge.robot.perceived import Layer
from sim_bridge.robot.table import TableError, find_table, read_table

WIDEST, NARROWEST = math.radians(150), math.radians(20)
"""Fields of view of cameras, horizontally."""
NEAR, FAR = 0.05, 20.0
"""Metres between which the median of a room's depth lies."""
LATE, EARLY = 5.0, 0.5
"""Seconds that a picture's stamp may be behind and ahead of this machine's clock."""
ASIDE = 3
"""Pixels by which depth and picture may be apart."""
_LOOK_AGAIN = 0.1


def checks(options: BackendOptions) -> Iterator[Finding]:
    """Look for ROS, the table, and the interfaces that it names."""
    if find_spec("rclpy") is None:
        yield Finding("ROS 2", "missing", "rclpy is not installed: run ./karma setup", essential=True)
        return
    from sim_bridge.robot.ros_types import check_types

    try:
        table = read_table(find_table(options.robot))
        if not table.emergency_stop:
            text = (
                "WARNING: the table names none, so that KARMA drives on while one is pressed: name the topics that "
                "tell of it (emergency_stop)"
            )
            yield Finding("emergency stop", "missing", text)
        check_types(table)
    except TableError as error:
        yield Finding("robot's table", "missing", str(error), essential=True)
        return
    text = f"{table.robot}: {len(table.skills)} skills; their interfaces are installed, and its requests fit them"
    yield Finding("robot's table", "works", text, essential=True)


def opened(backend: Backend) -> Iterator[Finding]:
    """Say what an open robot tells: where it is, what its camera shows, whether it may move, who takes its calls.

    Nothing is called and nothing moves.
    """
    robot = cast(RobotBackend, backend)
    yield from _places(robot)
    yield from _camera(robot)
    yield from _permission(robot)
    yield _servers(robot)
    yield _perception(robot)


def _places(robot: RobotBackend) -> Iterator[Finding]:
    frame = robot.table.map_frame
    try:
        base = robot.locate().robot
    except RefusedError as error:
        yield Finding("place of the base", "missing", error.message, essential=True)
        return
    text = (
        f"x {base.x:.2f}, y {base.y:.2f} m in {frame}, on a floor at {base.z:.2f} m, yaw {math.degrees(base.yaw):.0f}°"
    )
    yield Finding("place of the base", "works", text, essential=True)
    told = robot.table.pose.camera or robot.table.pose.camera_frame
    if told is None:
        return
    camera, why = robot.condition.camera()
    if camera is None:
        yield Finding("place of the camera", "missing", why, essential=True)
        return
    x, y, z = camera[:3, 2]
    left = (math.degrees(math.atan2(y, x) - base.yaw) + 180) % 360 - 180
    text = (
        f"{camera[2, 3] - base.z:.2f} m above the floor, looks {round(left)}° to the left of ahead, "
        f"{round(-math.degrees(math.asin(np.clip(z, -1.0, 1.0))))}° down"
    )
    if camera[2, 1] > -0.2:  # y of an optical frame points down
        text += ": it does not stand upright. Name the optical frame (z forward, x right, y down), not camera_link"
        yield Finding("place of the camera", "broken", text, essential=True)
    else:
        yield Finding("place of the camera", "works", text, essential=True)


def _camera(robot: RobotBackend) -> Iterator[Finding]:
    if robot.table.camera is None:
        return
    try:
        seen = robot.observe()
    except (RefusedError, ValueError) as error:
        yield Finding("picture and depth", "missing", str(error), essential=True)
        return
    yield _intrinsics(seen)
    yield _depth(seen)
    yield _registration(seen)
    behind = robot.interfaces.now() - seen.stamp
    fits = -EARLY < behind < LATE
    text = f"the picture's stamp is {abs(behind):.2f} s {'behind' if behind >= 0 else 'ahead of'} this machine's clock"
    advice = "" if fits else ": synchronise the clocks (chrony), or have the driver stamp with ROS time"
    yield Finding("clock", "works" if fits else "broken", text + advice, essential=True)


def _intrinsics(seen: Observation) -> Finding:
    k: Intrinsics = seen.intrinsics
    shapes = {"picture": seen.rgb.shape[:2], "depth": seen.depth.shape, "camera_info": (k.height, k.width)}
    sizes = ", ".join(f"{name} {shape[1]} x {shape[0]}" for name, shape in shapes.items())
    if len(set(shapes.values())) > 1:
        text = f"{sizes}: take depth that is registered to the picture, and its own camera_info"
        return Finding("intrinsics", "broken", text, essential=True)
    if not (k.fx > 0 and k.fy > 0 and 0 < k.cx < k.width and 0 < k.cy < k.height):
        text = (
            f"fx {k.fx:g}, fy {k.fy:g}, cx {k.cx:g}, cy {k.cy:g}: the driver has no calibration; calibrate the camera"
        )
        return Finding("intrinsics", "broken", text, essential=True)
    view = 2 * math.atan(k.width / (2 * k.fx))
    text = f"{k.width} x {k.height} pixels, {math.degrees(view):.0f}° wide, fx/fy {k.fx / k.fy:.3f}"
    if not NARROWEST < view < WIDEST or abs(k.fx / k.fy - 1) > 0.1:
        return Finding("intrinsics", "broken", f"{text}: no camera is like that; is it another's camera_info?", True)
    return Finding("intrinsics", "works", text, essential=True)


def _depth(seen: Observation) -> Finding:
    known = seen.depth[seen.depth > 0.0]
    share, median = known.size / seen.depth.size, float(np.median(known)) if known.size else 0.0
    text = f"{share:.0%} of the pixels have one, {median:.2f} m in the middle"
    if share < 0.1:
        return Finding("depth", "broken", f"{text}: is the lens covered, or something nearer than it measures?", True)
    if not NEAR < median < FAR:
        return Finding("depth", "broken", f"{text}: 32FC1 has to be metres, 16UC1 millimetres", essential=True)
    return Finding("depth", "works", text, essential=True)


def _registration(seen: Observation) -> Finding:
    subject = "depth on the picture"
    if seen.rgb.shape[:2] != seen.depth.shape or (found := registration.offset(seen.rgb, seen.depth)) is None:
        return Finding(subject, "missing", "not to be told from this view: turn the camera to some furniture")
    text = f"edges fit best when depth is moved by {found[0]}, {found[1]} pixels"
    if max(map(abs, found)) > ASIDE:
        text += ": depth is not registered to the picture (RealSense: align_depth), or they are not of one moment"
        return Finding(subject, "broken", text, essential=True)
    return Finding(subject, "works", text)


def _permission(robot: RobotBackend) -> Iterator[Finding]:
    table, condition = robot.table, robot.condition
    if reason := condition.why_not_move():
        yield Finding("emergency stop", "broken", reason, essential=True)
    elif table.emergency_stop:  # of none, `checks` has warned
        text = f"heard on {', '.join(stop.topic for stop in table.emergency_stop)}, and not pressed"
        yield Finding("emergency stop", "works", text, essential=True)
    if table.unstoppable and not table.stop:
        names = ", ".join(dict.fromkeys(call.name for call in table.unstoppable))
        text = f"nothing stops what {names} began, not even an emergency stop that KARMA hears: add stop to the table"
        yield Finding("stopping", "missing", text)
    if table.battery is not None:
        reason = condition.why_not_drive()
        text = reason or f"at {condition.charge() or 0.0:.0%}"
        yield Finding("battery", "broken" if reason else "works", text, essential=True)


def _servers(robot: RobotBackend) -> Finding:
    calls = {call.name: call for call in robot.table.calls}.values()
    until = time.monotonic() + robot.table.server
    while (away := [c for c in calls if not robot.interfaces.ready(c)]) and time.monotonic() < until:
        time.sleep(_LOOK_AGAIN)
    if away:
        text = f"nobody is there for {', '.join(map(str, away))}: start it, or mend its name in the table"
        return Finding("what it calls", "missing", text, essential=True)
    return Finding("what it calls", "works", f"all {len(calls)} actions, services and topics are there", essential=True)


def _perception(robot: RobotBackend) -> Finding:
    perceived = robot.map_by_now()
    if not perceived.stamp:
        return Finding("perception", "missing", "tells nothing on scene_graph: ./karma up --backend robot starts it")
    behind = robot.interfaces.now() - perceived.stamp
    text = f"{len(perceived.layer(Layer.OBJECT))} things on its map, the newest picture in it {behind:.1f} s ago"
    return Finding("perception", "works", text)
