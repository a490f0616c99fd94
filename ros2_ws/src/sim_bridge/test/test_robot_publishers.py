# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Several drivers tell of one robot, and come and go: each speaks for itself, over real DDS."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("karma_interfaces.action", reason="needs karma_interfaces to be built")

import yaml  # noqa: E402
from test_robot_ros import DOMAIN, PATIENCE, TABLE  # noqa: E402

from sim_bridge.robot import ros_senses  # noqa: E402
from sim_bridge.robot.condition import RobotCondition  # noqa: E402
from sim_bridge.robot.ros_interfaces import RosInterfaces  # noqa: E402
from sim_bridge.robot.table import read_table  # noqa: E402

pytestmark = pytest.mark.ros

DRIVER = """
import sys, rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool
rclpy.init()
node = rclpy.create_node(sys.argv[1])
quality = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
stop = node.create_publisher(Bool, "stop", quality)
battery = node.create_publisher(BatteryState, "battery", quality)
print("ready", flush=True)
for line in sys.stdin:
    what, value = line.split()
    if what == "stop":
        stop.publish(Bool(data=value == "true"))
    else:
        battery.publish(BatteryState(percentage=float(value)))
"""


class Bench:
    """What a table's reader makes of drivers in other processes."""

    def __init__(self, folder: Path, undo: ExitStack) -> None:
        self._undo = undo
        file = folder / "table.yaml"
        latched: dict[str, Any] = {"emergency_stop": [{"topic": "stop", "latched": True}]}
        latched["battery"] = {"topic": "battery", "latched": True}
        kept = {key: value for key, value in TABLE.items() if key in ("robot", "pose", "camera", "drive")}
        kept["drive"] = {**TABLE["drive"], "before": []}
        file.write_text(yaml.safe_dump({**kept, **latched, "skills": {"Navigate": []}}), encoding="utf-8")
        table = read_table(file)
        self._interfaces = RosInterfaces(table, dry_run=True)
        undo.callback(self._interfaces.close)
        self.condition = RobotCondition(table, self._interfaces)

    def heard(self) -> int:
        """Return how many drivers have told of the emergency stop."""
        return sum(said.heard is not None for said in self._interfaces.said("stop", "data"))

    def driver(self, name: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", DRIVER, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._undo.callback(process.wait)
        self._undo.callback(process.kill)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def until(self, holds: Callable[[str], object], longest: float = PATIENCE) -> str:
        until = time.monotonic() + longest
        while not holds(why := self.condition.why_not_move()):
            assert time.monotonic() < until, why
            time.sleep(0.05)
        return why

    def stays(self, holds: Callable[[str], object], seconds: float = 2.0) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            assert holds(why := self.condition.why_not_move()), why
            time.sleep(0.05)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    pytest.importorskip("nav2_msgs.action", reason="needs nav2_msgs: ./karma test builds what is used of it")
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN))
    with ExitStack() as undo:
        yield Bench(tmp_path, undo)


@pytest.fixture
def anonymous(monkeypatch: pytest.MonkeyPatch) -> None:
    """A middleware, or an rclpy, that does not tell who sent a message."""
    told = ros_senses._sender
    monkeypatch.setattr(ros_senses, "_sender", lambda info: told({**info, "publisher_gid": None}))


def tell(driver: subprocess.Popen[str], what: str, value: Any) -> None:
    assert driver.stdin is not None
    driver.stdin.write(f"{what} {value}\n")
    driver.stdin.flush()


def test_what_a_killed_driver_said_does_not_count_for_the_next_one(bench: Bench) -> None:
    first = bench.driver("first")
    tell(first, "stop", "false")
    tell(first, "battery", 0.9)
    bench.until(lambda why: not why)
    bench.until(lambda _: bench.condition.charge() == pytest.approx(0.9))
    second = bench.driver("second")
    bench.until(lambda why: "stop of /second" in why)
    first.kill()
    bench.until(lambda _: bench.condition.charge() is None, 60.0)
    bench.stays(lambda why: "nothing is heard on stop of /second: whether" in why)
    tell(second, "battery", 0.5)
    tell(second, "stop", "false")
    bench.until(lambda why: not why)
    bench.until(lambda _: bench.condition.charge() == pytest.approx(0.5))


def test_one_driver_does_not_release_what_another_has_pressed(bench: Bench) -> None:
    one, other = bench.driver("one"), bench.driver("other")
    tell(one, "stop", "true")
    bench.until(lambda why: "is pressed (stop of /one: data is True)" in why)
    tell(other, "stop", "false")
    bench.stays(lambda why: "is pressed (stop of /one: data is True)" in why)
    tell(one, "stop", "false")
    bench.until(lambda why: not why)
    tell(other, "stop", "true")
    bench.until(lambda why: "is pressed (stop of /other: data is True)" in why)


def test_drivers_that_have_released_it_before_anybody_listened_are_all_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN))
    with ExitStack() as undo:
        early = Bench(tmp_path, undo)
        for name in ("one", "two", "three"):
            tell(early.driver(name), "stop", "false")
        early.until(lambda why: not why)
        late = Bench(tmp_path, undo)
        late.until(lambda why: not why and late.heard() == 3)  # each is found before it is heard
        late.stays(lambda why: not why)


@pytest.mark.usefixtures("anonymous")
def test_where_nobody_tells_who_said_it_one_driver_counts_and_two_do_not(bench: Bench) -> None:
    first = bench.driver("first")
    tell(first, "stop", "false")
    bench.until(lambda why: not why)
    second = bench.driver("second")
    tell(second, "stop", "false")
    bench.until(lambda why: "2 publish it, and this middleware does not tell which" in why)
    first.kill()
    bench.until(lambda why: "its publisher is another one since it was heard" in why, 60.0)
    bench.stays(lambda why: "its publisher is another one since it was heard" in why)
    tell(second, "stop", "false")
    bench.until(lambda why: not why)
