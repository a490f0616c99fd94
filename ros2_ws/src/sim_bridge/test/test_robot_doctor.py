# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What `./karma doctor --backend robot` says of a robot: what is wrong with it is told with what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml
from robot_fakes import TABLE, FakeInterfaces, table
from test_robot_registration import HEIGHT, WIDTH, view

from sim_bridge.backend import Code, Intrinsics, Observation, Pose2D, RefusedError, SeenObject
from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding
from sim_bridge.robot.backend import RobotBackend
from sim_bridge.robot.conformance import subject
from sim_bridge.robot.doctor import checks, opened

CAMERA = {"topic": "camera/pose", "type": "geometry_msgs/msg/PoseStamped", "field": "pose"}
WHOLE: dict[str, Any] = {
    "pose": {"base": {"topic": "odom", "type": "nav_msgs/msg/Odometry", "field": "pose.pose"}, "camera": CAMERA},
    "emergency_stop": [{"topic": "stop"}],
    "battery": {"topic": "battery"},
    "camera": {},
    "stop": [{"service": "halt", "type": "std_srvs/srv/Trigger"}],
}
Change = Callable[["Interfaces"], object]


class Interfaces(FakeInterfaces):
    """A robot with a camera 1.2 m above the floor that looks ahead, and a healthy state."""

    def __init__(self) -> None:
        super().__init__()
        optical = SimpleNamespace(x=-0.5, y=0.5, z=-0.5, w=0.5)
        self.topics = {
            "camera/pose": SimpleNamespace(position=SimpleNamespace(x=0.0, y=0.0, z=1.2), orientation=optical),
            "stop": False,
            "battery": 0.8,
        }
        rgb, depth = view()
        k = Intrinsics(WIDTH, HEIGHT, 160.0, 160.0, 160.0, 120.0)
        self.shown: Observation | None = Observation(
            Pose2D(0.0, 0.0, 0.0), np.eye(4), stamp=self.now(), rgb=rgb, depth=depth, intrinsics=k
        )
        self.tell_late(0.0)

    def now(self) -> float:
        return 1000.0

    def picture(self, camera: Any) -> Observation:
        if self.shown is None:
            raise RefusedError(Code.UNAVAILABLE, f"0 messages on {camera.color}")
        return self.shown

    def show(self, **changes: Any) -> None:
        assert self.shown is not None
        self.shown = replace(self.shown, **changes)

    def calibrated(self, **changes: float) -> None:
        assert self.shown is not None
        self.show(intrinsics=replace(self.shown.intrinsics, **changes))


def findings(change: Change = lambda robot: None, **tables: Any) -> dict[str, Finding]:
    robot = Interfaces()
    change(robot)
    backend = RobotBackend(table(**WHOLE | tables), robot, scene="home", tell=lambda text: None)
    return {finding.subject: finding for finding in opened(backend)}


def test_a_healthy_robot_is_told_with_its_numbers() -> None:
    found = findings()
    assert {f.verdict for f in found.values()} == {"works"}, found
    assert "x 0.00, y 0.00 m in map, on a floor at 0.00 m" in found["place of the base"].text
    assert "1.20 m above the floor, looks 0° to the left of ahead, 0° down" in found["place of the camera"].text
    assert "320 x 240 pixels, 90° wide" in found["intrinsics"].text
    assert re.search("moved by 0, [01] pixels$", found["depth on the picture"].text)
    assert found["battery"].text == "at 80%"
    assert "all 5 actions, services and topics" in found["what it calls"].text


def turned(robot: Interfaces) -> None:
    """The pose of camera_link, x forward."""
    robot.topics["camera/pose"].orientation = SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0)


def moved(robot: Interfaces) -> None:
    assert robot.shown is not None
    robot.show(depth=np.roll(robot.shown.depth, 10, 1))


def in_millimetres(robot: Interfaces) -> None:
    assert robot.shown is not None
    robot.show(depth=robot.shown.depth * 1000)


@pytest.mark.parametrize(
    ("change", "subject", "words"),
    [
        (lambda robot: setattr(robot, "odometry_age", 99.0), "place of the base", "odom .* came 99.0 s ago, max_age"),
        (lambda robot: robot.topics.pop("camera/pose"), "place of the camera", "nothing is heard on camera/pose"),
        (turned, "place of the camera", "Name the optical frame"),
        (lambda robot: setattr(robot, "shown", None), "picture and depth", "0 messages on camera/color/image_raw"),
        (lambda robot: robot.calibrated(width=640, height=480), "intrinsics", "camera_info 640 x 480: take depth that"),
        (lambda robot: robot.calibrated(fx=0.0), "intrinsics", "no calibration"),
        (lambda robot: robot.calibrated(fx=1600.0), "intrinsics", "is it another's camera_info"),
        (lambda robot: robot.show(depth=np.zeros((HEIGHT, WIDTH), np.float32)), "depth", "0% of the pixels"),
        (in_millimetres, "depth", "32FC1 has to be metres"),
        (moved, "depth on the picture", "moved by -10, [01] pixels: depth is not registered"),
        (lambda robot: robot.show(stamp=900.0), "clock", "100.00 s behind .* synchronise the clocks"),
        (lambda robot: robot.show(stamp=1010.0), "clock", "10.00 s ahead of"),
        (lambda robot: robot.topics.update(stop=True), "emergency stop", "is pressed .*release it"),
        (lambda robot: robot.topics.pop("stop"), "emergency stop", "nothing is heard on stop"),
        (lambda robot: robot.topics.update(battery=0.05), "battery", "at 5%, below 15%"),
        (lambda robot: robot.missing.add("gripper"), "what it calls", r"nobody is there for the action gripper \(con"),
    ],
)
def test_what_is_wrong_is_essential_and_told_with_what_to_do(change: Change, subject: str, words: str) -> None:
    found = findings(change)
    assert found[subject].essential
    assert found[subject].verdict != "works"
    assert re.search(words, found[subject].text), found[subject].text
    beside = {"picture and depth", "depth on the picture"}
    assert {name for name, f in found.items() if f.verdict != "works"} <= {subject, *beside}


def test_a_view_without_edges_and_no_perception_are_no_failures() -> None:
    def plain(robot: Interfaces) -> None:
        robot.show(depth=np.full((HEIGHT, WIDTH), 2.0, np.float32))
        robot.map = type(robot.map)()

    found = findings(plain)
    assert "turn the camera to some furniture" in found["depth on the picture"].text
    assert "tells nothing on scene_graph" in found["perception"].text
    assert not any(f.essential and f.verdict != "works" for f in found.values())


def test_a_table_without_camera_stop_and_battery_has_nothing_to_say_of_them() -> None:
    found = findings(pose={"base": WHOLE["pose"]["base"]}, emergency_stop=[], battery=None, camera=None)
    assert found.keys() == {"place of the base", "what it calls", "perception"}


@pytest.mark.parametrize("installed", [True, False])
def test_a_table_without_any_emergency_stop_is_warned_of_on_a_line_of_its_own(tmp_path: Path, installed: bool) -> None:
    file = tmp_path / "mine.yaml"
    stop = {"service": "halt", "type": "std_srvs/srv/Trigger" if installed else "my_msgs/srv/Halt"}
    mine = {"robot": "mine", "pose": TABLE["pose"], "skills": {"Wait": []}, "stop": [stop]}
    file.write_text(yaml.safe_dump(mine), encoding="utf-8")
    options = BackendOptions("robot", "home", robot=str(file))
    warning, *others = checks(options)
    assert (warning.subject, warning.verdict, warning.essential) == ("emergency stop", "missing", False)
    assert warning.text.startswith("WARNING: the table names none, so that KARMA drives on while one is pressed")
    assert [finding.verdict for finding in others] == ["works" if installed else "missing"]
    file.write_text(yaml.safe_dump({**mine, "emergency_stop": [{"topic": "stop"}]}), encoding="utf-8")
    assert [finding.subject for finding in checks(options)] == ["robot's table"]


def test_a_table_with_services_and_without_stop_is_told_what_nothing_stops() -> None:
    found = findings(stop=[])["stopping"]
    assert (found.verdict, found.essential) == ("missing", False)
    assert "nothing stops what release, open began" in found.text
    actions = {name: calls for name, calls in TABLE["skills"].items() if name not in ("PutObject", "OpenObject")}
    assert "stopping" not in findings(stop=[], skills=actions), "actions can be cancelled"


def test_the_conformance_suite_tries_what_perception_has_on_its_map() -> None:
    robot = Interfaces()
    fridge = SeenObject("Fridge|1", "Fridge", (1.0, 0.0, 0.9), (1.0, 1.0, 1.8), False, {"isOpen": "false"})
    shut_in = SeenObject("Apple|1", "Apple", (1.0, 0.0, 0.9), (0.1, 0.1, 0.1), True, receptacle=fridge.id)
    apple, lamp = replace(shut_in, id="Apple|2", receptacle="Table|1"), replace(fridge, id="Lamp|1", category="Lamp")
    robot.see(fridge, shut_in, apple, replace(lamp, states={"isToggled": "true"}))
    backend = RobotBackend(table(**WHOLE), robot, scene="home", tell=lambda text: None)
    known = subject(BackendOptions("robot", "home")).known(backend)
    assert {category: target.id for category, target in known.items()} == {"Fridge": "Fridge|1", "Apple": "Apple|2"}
