# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot backend against real action, service and topic servers: honest ones, and four kinds of bad ones."""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("karma_interfaces.action", reason="needs karma_interfaces to be built")
pytest.importorskip("nav2_msgs.action", reason="needs nav2_msgs: ./karma test builds what is used of it")
pytest.importorskip("control_msgs.action", reason="needs control_msgs: ./karma test builds what is used of it")

import yaml  # noqa: E402
from action_msgs.msg import GoalStatus, GoalStatusArray  # noqa: E402
from action_msgs.srv import CancelGoal  # noqa: E402
from builtin_interfaces.msg import Time  # noqa: E402
from control_msgs.action import GripperCommand  # noqa: E402
from geometry_msgs.msg import PoseStamped, TransformStamped  # noqa: E402
from nav2_msgs.action import NavigateToPose  # noqa: E402
from nav2_msgs.msg import SpeedLimit  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rclpy.action import ActionServer, CancelResponse, GoalResponse  # noqa: E402
from rclpy.callback_groups import ReentrantCallbackGroup  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import BatteryState, CameraInfo, Image  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402

from karma_interfaces.msg import SceneGraph, SceneNode  # noqa: E402
from karma_ros.executor import PatientExecutor  # noqa: E402
from sim_bridge.backend import BackendUnavailableError, Code, Outcome, Progress, Skill, Target, execute  # noqa: E402
from sim_bridge.examination import examine  # noqa: E402
from sim_bridge.factory import BackendOptions, open_backend  # noqa: E402
from sim_bridge.robot import ros_senses  # noqa: E402
from sim_bridge.robot.backend import RobotBackend  # noqa: E402
from sim_bridge.robot.ports import Heard  # noqa: E402
from sim_bridge.robot.ros_messages import field, interface, message  # noqa: E402
from sim_bridge.robot.ros_senses import RELIABLE, Topics, node_from  # noqa: E402
from sim_bridge.robot.ros_types import check_types  # noqa: E402
from sim_bridge.robot.table import find_table, read_table  # noqa: E402
from sim_bridge.robot.transforms import TransformTree  # noqa: E402

pytestmark = pytest.mark.ros

# Set for processes that the tests start, too.
DOMAIN = int(os.environ.setdefault("KARMA_TEST_DOMAIN_ID", str(101 - os.getpid() % 100)))
PATIENCE = 30.0
BEST_EFFORT = ReliabilityPolicy.BEST_EFFORT
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
GRAPH = QoSProfile(depth=64, durability=DurabilityPolicy.TRANSIENT_LOCAL)
HERE = Skill("Navigate", Target(position=(1.0, 2.0, 0.0)))
ARM = {
    "topic": "arm/target",
    "type": "geometry_msgs/msg/PoseStamped",
    "request": "$target.pose",
    "confirm": {
        "topic": "arm/pose",
        "type": "geometry_msgs/msg/PoseStamped",
        "field": "pose.position",
        "near": "$target.position",
        "timeout": 3.0,
    },
}
TABLE: dict[str, Any] = {
    "robot": "bench",
    "pose": {"base": {"topic": "odom", "type": "nav_msgs/msg/Odometry", "field": "pose.pose"}},
    "emergency_stop": [{"topic": "stop", "latched": True}],
    "battery": {"topic": "battery"},
    "camera": {"color": "my/color", "depth": "my/depth", "info": "my/info"},
    "server": 10.0,
    "cancel": 10.0,
    "speed": 20.0,
    "drive": {
        "before": [
            {"topic": "speed_limit", "type": "nav2_msgs/msg/SpeedLimit", "request": {"speed_limit": "$limits.speed"}}
        ],
        "navigate": {
            "action": "navigate_to_pose",
            "type": "nav2_msgs/action/NavigateToPose",
            "request": {"pose": "$goal.pose"},
            "timeout": 30.0,
        },
        "settle": 10.0,
    },
    "skills": {
        "Navigate": [],
        "GoToObject": [],
        "PickupObject": [
            ARM,
            {
                "action": "gripper",
                "type": "control_msgs/action/GripperCommand",
                "request": {"command": {"position": 0.0, "max_effort": 5}},
                "reading": {"success": [{"field": "stalled", "equals": True}]},
            },
        ],
        "OpenObject": [{"service": "open", "type": "std_srvs/srv/SetBool", "request": {"data": True}}],
    },
    "stop": [{"service": "halt", "type": "std_srvs/srv/Trigger"}],
}
IMPATIENT = {"cancel": 2.0, "drive": {**TABLE["drive"], "navigate": {**TABLE["drive"]["navigate"], "timeout": 2.0}}}
"""Changes to the table for drivers that never get there, and don't stop."""


class Driver:
    """A robot's drivers, which drive at once where they are sent, unless they are told to behave badly."""

    def __init__(self) -> None:
        self.manner, self.at, self.stopped, self.arm_follows = "honest", (0.0, 0.0), False, True
        self.goals: list[Any] = []
        self.limits: list[float] = []
        self.gripped: list[Any] = []
        self.cancelled, self.outlasted = threading.Event(), threading.Event()
        self.context = Context()
        rclpy.init(context=self.context, args=[], domain_id=DOMAIN)
        self.node = rclpy.create_node("driver", context=self.context)
        group = ReentrantCallbackGroup()
        self.navigation = ActionServer(
            self.node,
            NavigateToPose,
            "navigate_to_pose",
            self._drive,
            goal_callback=lambda _: GoalResponse.REJECT if self.manner == "refusing" else GoalResponse.ACCEPT,
            cancel_callback=lambda _: CancelResponse.REJECT if self.manner == "stubborn" else CancelResponse.ACCEPT,
            callback_group=group,
        )
        ActionServer(self.node, GripperCommand, "gripper", self._grip, callback_group=group)
        self.node.create_service(SetBool, "open", self._open, callback_group=group)
        self.opening, self.halted = threading.Event(), threading.Event()
        self.node.create_service(Trigger, "halt", self._halt, callback_group=group)
        self.node.create_subscription(SpeedLimit, "speed_limit", lambda m: self.limits.append(m.speed_limit), 10)
        self.node.create_subscription(PoseStamped, "arm/target", self._move_arm, 10)
        self.odometry = self.node.create_publisher(Odometry, "odom", 10)
        self.battery = self.node.create_publisher(BatteryState, "battery", 10)
        self.stop = self.node.create_publisher(Bool, "stop", LATCHED)
        self.arm = self.node.create_publisher(PoseStamped, "arm/pose", 10)
        self.graph = self.node.create_publisher(SceneGraph, "scene_graph", GRAPH)
        self.camera = {
            name: self.node.create_publisher(kind, f"my/{name}", 10)
            for name, kind in (("color", Image), ("depth", Image), ("info", CameraInfo))
        }
        self.seen: list[SceneNode] = []
        self._sequence = 0
        self._arm_at: PoseStamped | None = None
        self.node.create_timer(0.05, self._tell, callback_group=group)
        self.press(False)
        self.executor = PatientExecutor(4, context=self.context)
        self.executor.add_node(self.node)
        self._closed = threading.Event()
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):
            while not self._closed.is_set():
                self.executor.spin_once(timeout_sec=0.1)

    def _tell(self) -> None:
        odometry = Odometry()
        odometry.pose.pose.position.x, odometry.pose.pose.position.y = self.at
        self.odometry.publish(odometry)
        self.battery.publish(BatteryState(percentage=0.8))
        stamp = self.node.get_clock().now().to_msg()
        if self._arm_at is not None:
            self.arm.publish(self._arm_at)
        if self.seen:
            self._sequence += 1
            for node in self.seen:
                node.last_seen = stamp
            graph = SceneGraph(sequence=self._sequence, full=self._sequence == 1, nodes=self.seen)
            graph.header.stamp = stamp
            self.graph.publish(graph)
        color = Image(height=2, width=2, encoding="bgr8", step=6, data=bytes(range(12)))
        depth = Image(height=2, width=2, encoding="16UC1", step=4, data=bytes([0xE8, 3] * 4))
        info = CameraInfo(height=2, width=2, k=[1.0, 0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0])
        for name, shown in (("color", color), ("depth", depth), ("info", info)):
            shown.header.stamp = stamp
            self.camera[name].publish(shown)

    def press(self, stop: bool) -> None:
        self.stop.publish(Bool(data=stop))

    def _drive(self, goal: Any) -> Any:
        result, pose = NavigateToPose.Result(), goal.request.pose
        self.goals.append(pose)
        if self.manner == "lying":
            goal.succeed()
            return result
        if self.manner == "blocked":
            result.error_code, result.error_msg = 208, "no valid path"
            goal.abort()
            return result
        if (manner := self.manner) in ("slow", "stubborn", "dying"):
            for _ in range(1200):  # a minute
                if self.manner != manner:  # the test is over
                    self.outlasted.set()
                    return result
                if goal.is_cancel_requested:
                    self.cancelled.set()
                    goal.canceled()
                    return result
                if self.manner == "dying":
                    goal.publish_feedback(NavigateToPose.Feedback())
                if self._closed.wait(0.05):
                    return result
            goal.abort()  # a later test does not find itself where this one was to go
            return result
        self.at = (pose.pose.position.x, pose.pose.position.y)
        self._tell()
        goal.succeed()
        return result

    def _grip(self, goal: Any) -> Any:
        self.gripped.append(goal.request.command)
        goal.succeed()
        return GripperCommand.Result(stalled=self.manner != "lying")

    def _open(self, request: Any, response: Any) -> Any:
        if self.manner == "slow hand":
            self.opening.set()
            self.halted.wait(PATIENCE)
        response.success, response.message = self.manner != "locked", f"asked for {request.data}"
        return response

    def _halt(self, _: Any, response: Any) -> Any:
        self.halted.set()
        response.success = True
        return response

    def _move_arm(self, target: PoseStamped) -> None:
        if self.arm_follows:
            self._arm_at = target

    def die(self) -> None:
        self.navigation.destroy()

    def close(self) -> None:
        self._closed.set()
        self.thread.join(PATIENCE)
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture(scope="module", autouse=True)
def domain() -> Iterator[None]:
    before = os.environ.get("ROS_DOMAIN_ID")
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    yield
    os.environ.pop("ROS_DOMAIN_ID")
    if before is not None:
        os.environ["ROS_DOMAIN_ID"] = before


def opened(folder: Path, *, dry_run: bool = False, use_sim_time: bool = False, **changes: Any) -> Any:
    file = folder / "table.yaml"
    file.write_text(yaml.safe_dump({**TABLE, **changes}), encoding="utf-8")
    options = BackendOptions(backend="robot", scene="home", robot=str(file), dry_run=dry_run, use_sim_time=use_sim_time)
    return open_backend(options)


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Driver, Any]]:
    driver = Driver()
    backend = opened(tmp_path_factory.mktemp("robot"))
    until = time.monotonic() + PATIENCE
    while execute(backend, Skill("Navigate", Target(position=(0.0, 0.0, 0.0)))).code is not Code.SUCCESS:
        assert time.monotonic() < until, "the driver is not found"
    driver.halted.clear()  # it was brought to rest
    yield driver, backend
    backend.close()
    driver.close()


@pytest.fixture(autouse=True)
def behaves(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "robot" in request.fixturenames:
        driver, _ = request.getfixturevalue("robot")
        driver.manner, driver.arm_follows = "honest", True
        for event in (driver.cancelled, driver.opening, driver.halted):
            event.clear()
        driver.seen.clear()


def test_an_honest_server_drives_and_is_told_the_limit(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    done = execute(backend, HERE)
    assert done.code is Code.SUCCESS, done.message
    goal = driver.goals[-1]
    assert (goal.header.frame_id, goal.pose.position.x, goal.pose.position.y) == ("map", 1.0, 2.0)
    assert goal.header.stamp.sec > 0
    assert driver.limits[-1] == 20.0
    assert (backend.locate().robot.x, backend.locate().robot.y) == (1.0, 2.0)


def test_goals_are_stamped_with_the_time_of_a_simulated_robot(robot: tuple[Driver, Any], tmp_path: Path) -> None:
    driver, _ = robot
    clock = driver.node.create_publisher(Clock, "/clock", LATCHED)
    clock.publish(Clock(clock=Time(sec=1234)))
    backend = opened(tmp_path, use_sim_time=True)
    try:
        until = time.monotonic() + PATIENCE
        while backend.interfaces.now() != 1234.0:
            assert time.monotonic() < until, backend.interfaces.now()
            clock.publish(Clock(clock=Time(sec=1234)))
            time.sleep(0.1)
        done = execute(backend, HERE)
    finally:
        backend.close()
        driver.node.destroy_publisher(clock)
    assert done.code is Code.SUCCESS, done.message
    assert driver.goals[-1].header.stamp.sec == 1234


def test_the_doctor_says_whether_a_simulated_robot_has_a_time(
    robot: tuple[Driver, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, _ = robot
    file = tmp_path / "table.yaml"
    file.write_text(yaml.safe_dump({**TABLE, "server": 1.0}), encoding="utf-8")
    options = BackendOptions(backend="robot", scene="home", robot=str(file), use_sim_time=True)
    *_, last = examine(options)
    file.write_text(yaml.safe_dump(TABLE), encoding="utf-8")
    assert (last.subject, last.verdict, last.essential) == ("/clock", "missing", True)
    assert "nobody publishes /clock" in last.text
    clock = driver.node.create_publisher(Clock, "/clock", LATCHED)
    try:
        found = {finding.subject: finding.verdict for finding in examine(options)}
    finally:
        driver.node.destroy_publisher(clock)
    assert found["/clock"] == "works"
    assert found["scene"] == "works"
    without = [finding.subject for finding in examine(replace(options, use_sim_time=False))]
    assert "/clock" not in without


@pytest.mark.parametrize(
    ("manner", "code", "words"),
    [
        ("slow", Code.TIMEOUT, "longer than 2 s"),
        ("refusing", Code.PRECONDITION_FAILURE, "refused the goal"),
        ("lying", Code.EXECUTION_FAILURE, "m away from its goal"),
        ("blocked", Code.PRECONDITION_FAILURE, "no valid path"),
    ],
)
def test_a_bad_server_gets_its_code(
    robot: tuple[Driver, Any], tmp_path: Path, manner: str, code: Code, words: str
) -> None:
    driver, _ = robot
    backend = opened(tmp_path, **({"drive": IMPATIENT["drive"]} if manner == "slow" else {}))
    try:
        driver.manner, driver.at = manner, (9.0, 9.0)
        until = time.monotonic() + PATIENCE
        while backend.locate().robot.x != 9.0:  # odometry comes now and then
            assert time.monotonic() < until
            time.sleep(0.02)
        done = execute(backend, HERE)
    finally:
        backend.close()
    assert (done.code, words in done.message) == (code, True), done
    assert driver.cancelled.is_set() is (manner == "slow")


def test_closing_a_skill_cancels_the_goal_and_waits_for_it(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    driver.manner = "slow"
    before = len(driver.goals)
    steps = backend.run(HERE)
    until = time.monotonic() + PATIENCE
    while len(driver.goals) == before:
        assert not isinstance(next(steps), Outcome)
        assert time.monotonic() < until
    steps.close()
    assert driver.cancelled.is_set(), "not before the server has stopped"


def test_a_server_that_does_not_stop_is_not_waited_for_any_longer(
    robot: tuple[Driver, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    driver, _ = robot
    backend = opened(tmp_path, **IMPATIENT)
    try:
        driver.manner = "stubborn"
        driver.outlasted.clear()
        assert execute(backend, HERE).code is Code.TIMEOUT
    finally:
        backend.close()
    assert "did not confirm" in caplog.text
    driver.manner = "honest"
    assert driver.outlasted.wait(PATIENCE), "the goal had ended before the skill did"


def test_the_emergency_stop_cancels_the_goal(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    driver.manner = "slow"
    steps = backend.run(HERE)
    before = len(driver.goals)
    while len(driver.goals) == before:
        next(steps)
    driver.press(True)
    done = next(item for item in steps if isinstance(item, Outcome))
    assert done.code is Code.UNAVAILABLE
    assert "emergency stop" in done.message
    assert driver.cancelled.is_set()
    sent = len(driver.goals)
    assert execute(backend, HERE).code is Code.UNAVAILABLE
    assert len(driver.goals) == sent
    driver.press(False)


def until_said(backend: Any, words: str) -> None:
    """Drive until an outcome says so: drivers are found only after a while."""
    until = time.monotonic() + PATIENCE
    while words not in (said := f"{(done := execute(backend, HERE)).code.name}: {done.message}"):
        assert time.monotonic() < until, said


def test_a_latched_stop_whose_publisher_is_gone_cancels_the_goal(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    until_said(backend, "SUCCESS")
    driver.manner = "slow"
    steps = backend.run(HERE)
    before = len(driver.goals)
    while len(driver.goals) == before:
        assert not isinstance(next(steps), Outcome)
    driver.node.destroy_publisher(driver.stop)
    try:
        done = next(item for item in steps if isinstance(item, Outcome))
        assert (done.code, "nothing is heard on stop (nobody publishes it" in done.message) == (Code.UNAVAILABLE, True)
        assert driver.cancelled.is_set()
        sent = len(driver.goals)
        assert execute(backend, HERE).code is Code.UNAVAILABLE
        assert len(driver.goals) == sent
    finally:
        driver.manner = "honest"
        driver.stop = driver.node.create_publisher(Bool, "stop", LATCHED)
        driver.press(False)
    until_said(backend, "SUCCESS")


def test_a_driver_that_is_listened_to_in_the_wrong_way_is_told_so(robot: tuple[Driver, Any], tmp_path: Path) -> None:
    driver, _ = robot
    wrong = driver.node.create_publisher(Bool, "unreliable", QoSProfile(depth=1, reliability=BEST_EFFORT))
    try:
        for changes, words in (
            (
                {"emergency_stop": [{"topic": "unreliable"}]},
                "unreliable of /driver (its publisher is best-effort",
            ),
            (
                {"battery": {"topic": "battery", "latched": True}},
                "battery (its publisher is not latched: leave latched",
            ),
        ):
            backend = opened(tmp_path, server=1.0, **changes)
            try:
                until_said(backend, words)
            finally:
                backend.close()
    finally:
        driver.node.destroy_publisher(wrong)


def test_what_is_none_on_perceptions_map_does_not_make_deaf_to_the_emergency_stop(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    until_said(backend, "SUCCESS")
    driver.graph.publish(SceneGraph(full=True, nodes=[SceneNode(id="What|1", layer=250)]))
    time.sleep(1.0)
    driver.press(True)
    try:
        until_said(backend, "the emergency stop is pressed")
    finally:
        driver.press(False)
    until_said(backend, "SUCCESS")


def apple() -> SceneNode:
    node = SceneNode(id="Apple|1", layer=SceneNode.OBJECT, category="Apple", movable=True)
    node.pose.position.x, node.pose.position.y, node.pose.position.z = 3.0, 0.0, 0.9
    node.size.x = node.size.y = node.size.z = 0.1
    return node


def test_perceptions_map_tells_what_is_there_and_the_gripper_what_it_holds(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    driver.seen = [apple()]
    until = time.monotonic() + PATIENCE
    while (done := execute(backend, Skill("GoToObject", Target("Apple|1")))).code is not Code.SUCCESS:
        assert time.monotonic() < until, done
    assert [o.id for o in done.seen] == ["Apple|1"]
    assert math.dist(driver.at, (3.0, 0.0)) < 1.2
    driver.arm_follows = False
    done = execute(backend, Skill("PickupObject", Target("Apple|1")))
    assert (done.code, "arm/pose does not show it" in done.message) == (Code.EXECUTION_FAILURE, True), done
    driver.arm_follows, driver.manner = True, "lying"
    done = execute(backend, Skill("PickupObject", Target("Apple|1")))
    assert (done.code, "stalled is False" in done.message) == (Code.EXECUTION_FAILURE, True), done
    driver.manner = "honest"
    assert execute(backend, Skill("PickupObject", Target("Apple|1"))).code is Code.SUCCESS
    assert driver.gripped[-1].max_effort == 5.0


def test_a_service_answers_and_says_why_not(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    driver.seen = [apple()]
    driver.at = (2.2, 0.0)
    until = time.monotonic() + PATIENCE
    while (done := execute(backend, Skill("OpenObject", Target("Apple|1")))).code is not Code.SUCCESS:
        assert time.monotonic() < until, done
    driver.manner = "locked"
    done = execute(backend, Skill("OpenObject", Target("Apple|1")))
    assert (done.code, "asked for True" in done.message) == (Code.EXECUTION_FAILURE, True), done


def test_what_a_service_is_doing_is_halted_when_the_skill_is_stopped(
    robot: tuple[Driver, Any], caplog: pytest.LogCaptureFixture
) -> None:
    driver, backend = robot
    drawer = apple()  # the gripper may hold the apple
    drawer.id, drawer.category = "Drawer|1", "Drawer"
    driver.seen = [drawer]
    until = time.monotonic() + PATIENCE
    while (done := execute(backend, Skill("GoToObject", Target("Drawer|1")))).code is not Code.SUCCESS:
        assert time.monotonic() < until, done
    done = execute(backend, Skill("OpenObject", Target("Drawer|1")))
    assert done.code is Code.SUCCESS, done
    assert not driver.halted.is_set()
    driver.manner = "slow hand"
    steps = backend.run(Skill("OpenObject", Target("Drawer|1")))
    while not driver.opening.is_set():
        item = next(steps)
        assert not isinstance(item, Outcome), item
    began = time.monotonic()
    steps.close()
    assert driver.halted.is_set()
    assert time.monotonic() - began < PATIENCE / 2, "the service's own answer is not waited for"
    assert "can't be cancelled; the table's stop is called" in caplog.text
    assert "did not confirm" not in caplog.text


def test_an_answer_to_a_goal_that_comes_at_once_is_not_lost(
    robot: tuple[Driver, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(dict[bytes, Any]):
        """Where rclpy keeps the callbacks of feedback, between the futures that it makes of one goal."""

        def __setitem__(self, key: bytes, value: Any) -> None:
            time.sleep(0.5)
            super().__setitem__(key, value)

    _, backend = robot
    until_said(backend, "SUCCESS")
    for client in backend.interfaces.begin.__self__._made.values():
        if hasattr(client, "_feedback_callbacks"):
            monkeypatch.setattr(client, "_feedback_callbacks", Slow())
    done = execute(backend, HERE)
    assert done.code is Code.SUCCESS, done.message


class Mute:
    """An action server whose answer to a goal is lost; what is cancelled ends."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.closed, self.ended = driver, threading.Event(), threading.Event()
        self.goals: list[bytes] = []
        self.cancels: list[Any] = []
        kind, node, group = NavigateToPose.Impl, driver.node, ReentrantCallbackGroup()
        self.parts = [
            node.create_service(kind.SendGoalService, "mute/_action/send_goal", self._take, callback_group=group),
            node.create_service(CancelGoal, "mute/_action/cancel_goal", self._cancel, callback_group=group),
            node.create_service(kind.GetResultService, "mute/_action/get_result", self._tell, callback_group=group),
        ]
        self.told = [
            node.create_publisher(kind.FeedbackMessage, "mute/_action/feedback", 10),
            node.create_publisher(GoalStatusArray, "mute/_action/status", LATCHED),
        ]

    def _take(self, request: Any, response: Any) -> Any:
        self.goals.append(bytes(request.goal_id.uuid))
        self.closed.wait(PATIENCE)
        return response

    def _cancel(self, request: Any, response: Any) -> Any:
        self.cancels.append(request.goal_info)
        self.ended.set()
        response.goals_canceling = [request.goal_info]
        return response

    def _tell(self, _: Any, response: Any) -> Any:
        self.ended.wait(PATIENCE)
        response.status = GoalStatus.STATUS_CANCELED
        return response


def test_a_goal_whose_acceptance_is_lost_is_cancelled_by_its_id(
    robot: tuple[Driver, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    driver, _ = robot
    mute = Mute(driver)
    navigate = {**TABLE["drive"]["navigate"], "action": "mute", "timeout": 60.0}
    backend = opened(tmp_path, drive={**TABLE["drive"], "navigate": navigate}, server=2.0)
    try:
        mute.cancels.clear()  # all goals were, when it was opened
        mute.ended.clear()
        until = time.monotonic() + PATIENCE
        while not mute.goals:
            done = execute(backend, HERE)
            assert time.monotonic() < until, done
        assert (done.code, "whether it takes the goal" in done.message) == (Code.TIMEOUT, True), done
        cancelled = mute.cancels[0]
        assert bytes(cancelled.goal_id.uuid) == mute.goals[0], "just this one"
        assert (cancelled.stamp.sec, cancelled.stamp.nanosec) == (0, 0)
        assert "did not confirm" not in caplog.text, "its result tells that it has ended"
    finally:
        backend.close()
        mute.closed.set()


def test_the_camera_is_read_by_the_tables_names(robot: tuple[Driver, Any]) -> None:
    _, backend = robot
    seen = backend.observe()
    assert seen.rgb[0, 0].tolist() == [2, 1, 0], "bgr8 turned into rgb"
    assert seen.depth.tolist() == [[1.0, 1.0], [1.0, 1.0]], "1000 mm"
    assert (seen.intrinsics.fx, seen.intrinsics.fy) == (1.0, 2.0)


def test_the_camera_is_read_again_and_again_by_one_subscription(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    stamps = [backend.observe().stamp for _ in range(20)]
    assert stamps == sorted(set(stamps)), "each a new picture"
    assert driver.camera["color"].get_subscription_count() == 1


def test_doctor_tells_what_is_wrong_with_real_drivers(robot: tuple[Driver, Any], tmp_path: Path) -> None:
    driver, _ = robot
    driver.press(True)
    table = {**TABLE, "camera": {**TABLE["camera"], "depth": "my/deep", "timeout": 2.0}}
    (tmp_path / "table.yaml").write_text(yaml.safe_dump(table), encoding="utf-8")
    options = BackendOptions("robot", "home", robot=str(tmp_path / "table.yaml"))
    found = {finding.subject: finding for finding in examine(options)}
    driver.press(False)
    assert found["place of the base"].verdict == "works"
    assert re.search(r"[1-9]\d* messages on my/color, 0 messages on my/deep", found["picture and depth"].text)
    assert "is pressed" in found["emergency stop"].text
    assert found["what it calls"].verdict == "works", found["what it calls"].text


def test_a_dry_run_sends_nothing(robot: tuple[Driver, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    driver, _ = robot
    sent = len(driver.goals)
    backend = opened(tmp_path, dry_run=True)
    try:
        until = time.monotonic() + PATIENCE
        while "nothing was moved" not in (done := execute(backend, HERE)).message:
            assert time.monotonic() < until, done
    finally:
        backend.close()
    assert done.code is Code.UNAVAILABLE
    assert "dry run: would call the action navigate_to_pose" in caplog.text
    assert len(driver.goals) == sent


def test_what_the_table_has_wrong_is_said_before_anything_moves(tmp_path: Path) -> None:
    wrong = {**TABLE["drive"]["navigate"], "request": {"goal": "$goal.pose"}}
    with pytest.raises(BackendUnavailableError, match="goal is no field"):
        opened(tmp_path, drive={**TABLE["drive"], "navigate": wrong})
    missing = {**TABLE["drive"]["navigate"], "type": "other_msgs/action/Drive"}
    with pytest.raises(BackendUnavailableError, match=r"other_msgs.*is not installed"):
        opened(tmp_path, drive={**TABLE["drive"], "navigate": missing})
    with pytest.raises(BackendUnavailableError, match="no field voltages"):
        opened(tmp_path, battery={"topic": "battery", "field": "voltages"})
    with pytest.raises(BackendUnavailableError, match="no robot table"):
        open_backend(BackendOptions(backend="robot", robot="nowhere/such.yaml"))


STOPS = {"topic": "stop", "latched": True}
GRIPPER = TABLE["skills"]["PickupObject"][1]
OPENS = TABLE["skills"]["OpenObject"][0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"emergency_stop": [{**STOPS, "stopped": "true"}]}, r"emergency_stop\.0\.stopped: 'true' is neither"),
        ({"emergency_stop": [{**STOPS, "released": 0}]}, r"released: data does not take 0: it is a boolean"),
        (
            {"emergency_stop": [{**STOPS, "type": "std_msgs/msg/UInt8", "released": [1, 256]}]},
            r"emergency_stop\.0\.released: data does not take 256",
        ),
        (
            {"emergency_stop": [{**STOPS, "type": "std_msgs/msg/UInt8", "stopped": True}]},
            r"emergency_stop\.0\.stopped: data is a uint8, and no boolean: .*released",
        ),
        (
            {"emergency_stop": [{**STOPS, "type": "std_msgs/msg/UInt8"}]},
            r"emergency_stop\.0\.field: data is a uint8, and no boolean: .*released",
        ),
        ({"battery": {"topic": "b", "field": "header"}}, r"battery\.field: header is a std_msgs/Header: a charge"),
        ({"battery": {"topic": "b", "field": "cell_voltage"}}, "a charge is a number"),
        (
            {"pose": {"base": {"topic": "odom", "type": "nav_msgs/msg/Odometry", "field": "pose"}}},
            r"pose\.base\.field: pose is a geometry_msgs/PoseWithCovariance: name a geometry_msgs/Pose",
        ),
        (
            {"pose": {"base": {"topic": "p", "type": "geometry_msgs/msg/PoseArray", "field": "poses.position"}}},
            "position follows a list",
        ),
        (
            {"skills": {"PickupObject": [{**ARM, "confirm": {**ARM["confirm"], "field": "header"}}]}},
            r"skills\.PickupObject\.0\.confirm\.field: header is a std_msgs/Header: near needs a position",
        ),
        (
            {
                "skills": {
                    "PickupObject": [{**GRIPPER, "reading": {"success": [{"field": "stalled", "equals": "yes"}]}}]
                }
            },
            r"skills\.PickupObject\.0\.reading\.success\.0: stalled does not take 'yes'",
        ),
        (
            {"skills": {"PickupObject": [{**GRIPPER, "reading": {"success": [{"field": "stalled", "at_least": 1}]}}]}},
            "stalled is a boolean, and no number",
        ),
        ({"skills": {"PickupObject": [{**ARM, "reading": {"code": "a"}}]}}, "a topic answers nothing"),
        (
            {"skills": {"OpenObject": [{**OPENS, "type": "std_srvs/srv/Empty", "request": {}}]}},
            r"skills\.OpenObject\.0: what the service open .* give it a reading, or a confirm",
        ),
    ],
)
def test_what_does_not_fit_its_type_is_told_with_file_line_and_field(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(BackendUnavailableError, match=rf"table\.yaml:[1-9]\d*: .*{words}"):
        opened(tmp_path, **changes)


def test_what_fits_is_taken_and_a_list_is_looked_into(tmp_path: Path) -> None:
    poses = {"topic": "p", "type": "geometry_msgs/msg/PoseArray", "field": "poses.0"}
    empty = {"service": "open", "type": "std_srvs/srv/Empty", "reading": {}}
    file = tmp_path / "table.yaml"
    table = {**TABLE, "pose": {"base": poses}, "skills": {"OpenObject": [empty]}}
    file.write_text(yaml.safe_dump(table), encoding="utf-8")
    check_types(read_table(file))
    check_types(read_table(find_table("simulated")))


class Listening:
    """A robot's publishers and what listens to them, which hears only when it is told to."""

    def __init__(self, **parameters: Any) -> None:
        self.context = Context()
        rclpy.init(context=self.context, args=[], domain_id=DOMAIN)
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.node = rclpy.create_node("listening", context=self.context, parameter_overrides=overrides)
        kinds = {"told/bool": "std_msgs/msg/Bool", "told/odom": "nav_msgs/msg/Odometry"}
        self.topics = Topics(self.node, [(name, kind, RELIABLE) for name, kind in kinds.items()])
        self.publishers = {name: self.node.create_publisher(interface(kind), name, 10) for name, kind in kinds.items()}
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.until(lambda: all(p.get_subscription_count() for p in self.publishers.values()))

    def until(self, condition: Callable[[], object]) -> None:
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until
            self.executor.spin_once(timeout_sec=0.05)

    def hear(self, name: str, path: str, *messages: Any, after: float = 0.0) -> Heard:
        """Publish messages, and begin to listen some seconds later."""
        for told in messages:
            self.publishers[name].publish(told)
        time.sleep(after)
        began = time.monotonic()
        self.until(lambda: self.topics.latest(name, path) is not None)
        heard = self.topics.latest(name, path)
        assert heard is not None
        assert heard.age <= time.monotonic() - began, "it came only now"
        return heard

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def listening(request: pytest.FixtureRequest) -> Iterator[Listening]:
    made = Listening(**getattr(request, "param", {}))
    yield made
    made.close()


def test_how_long_a_message_was_underway_is_told_by_its_stamp_or_by_the_middleware(listening: Listening) -> None:
    heard = listening.hear("told/bool", "data", Bool(data=True), after=1.0)
    assert heard.stamp is None
    assert heard.underway is not None
    assert 0.9 < heard.underway < 5.0
    stamp = listening.node.get_clock().now().to_msg()
    for seconds in (20, -20):
        late = Odometry()
        late.header.stamp.sec = stamp.sec - seconds
        listening.topics._last["told/odom"].clear()
        heard = listening.hear("told/odom", "pose.pose", late)
        assert heard.stamp == stamp.sec - seconds
        assert heard.underway == pytest.approx(seconds, abs=5.0)


@pytest.mark.parametrize("listening", [{"use_sim_time": True}], indirect=True)
def test_the_time_of_a_simulated_robot_is_what_its_stamps_are_compared_with(listening: Listening) -> None:
    clock = listening.node.create_publisher(Clock, "/clock", LATCHED)
    clock.publish(Clock(clock=Time(sec=1234)))
    listening.until(lambda: listening.node.get_clock().now().nanoseconds == 1234 * 10**9)
    told = Odometry()
    told.header.stamp.sec = 1230
    heard = listening.hear("told/odom", "pose.pose", told)
    assert (heard.stamp, heard.underway) == (1230.0, 4.0)
    heard = listening.hear("told/bool", "data", Bool(data=True))
    assert heard.underway is not None
    assert 0.0 <= heard.underway < 5.0, "it was sent by the machine's time"


def test_of_what_came_while_nobody_listened_the_newest_is_heard_first(listening: Listening) -> None:
    listening.hear("told/bool", "data", *(Bool(data=stop) for stop in (False, False, False, False, True)), after=0.5)
    heard = listening.topics.latest("told/bool", "data")
    assert heard is not None
    assert heard.value is True


def test_transforms_are_listened_to_with_when_they_were_stamped(
    listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As /tf tells of them, whose type is not among the wheels."""
    heard: dict[str, Callable[[Any], None]] = {}
    monkeypatch.setattr(ros_senses, "interface", lambda name: None)
    monkeypatch.setattr(
        listening.node, "create_subscription", lambda kind, topic, callback, qos: heard.update({topic: callback})
    )
    tree = TransformTree()
    ros_senses.listen_to_transforms(listening.node, tree)
    now = listening.node.get_clock().now().to_msg().sec
    for topic, parent, child, stamp in (
        ("/tf", "map", "odom", now - 20),
        ("/tf", "odom", "base", 0),
        ("/tf_static", "base", "camera", now - 1000),
    ):
        one = TransformStamped(child_frame_id=child)
        one.header.frame_id, one.header.stamp.sec = parent, stamp
        heard[topic](SimpleNamespace(transforms=[one]))
    found = tree.between("map", "camera")
    assert found is not None
    camera, base, odom = found[1]
    assert (camera.underway, base.underway) == (None, None)
    assert odom.underway == pytest.approx(20.0, abs=5.0)
    none = TransformStamped(child_frame_id="base")
    none.header.frame_id, none.transform.rotation.w = "odom", 0.0
    heard["/tf"](SimpleNamespace(transforms=[none]))
    found = tree.between("map", "base")
    assert found is not None
    assert math.isnan(found[0][0, 0]), "a quaternion that nobody set is no rotation"


def test_a_robot_that_does_not_open_leaves_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: RobotBackend) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(RobotBackend, "wait_until_known", fails)
    before = {thread for thread in threading.enumerate() if thread.name == "robot interfaces"}
    with pytest.raises(ValueError, match="broken"):
        opened(tmp_path)
    assert {thread for thread in threading.enumerate() if thread.name == "robot interfaces"} == before


def test_messages_are_filled_from_mappings_with_lists_of_messages_in_them() -> None:
    path = message(
        interface("nav_msgs/msg/Path"),
        {
            "header": {"frame_id": "map"},
            "poses": [{"pose": {"position": {"x": 1}}}, {"pose": {"orientation": {"w": 0.5}}}],
        },
    )
    assert path.header.frame_id == "map"
    assert [p.pose.position.x for p in path.poses] == [1.0, 0.0]
    assert field(path, "poses.1.pose.orientation.w") == 0.5
    info = message(interface("sensor_msgs/msg/CameraInfo"), {"k": [1.0] * 9, "d": [0.5]})
    assert (info.k.tolist(), info.d.tolist()) == ([1.0] * 9, [0.5])
    for wrong, where in (
        ({"poses": {"x": 1}}, "Path.poses takes a list"),
        ({"poses": [{"pose": {"position": {"q": 1}}}]}, r"Path\.poses\.0\.pose\.position\.q is no field"),
        ({"header": "map"}, "Path.header takes the fields"),
        ({"header": {"frame_id": 7}}, r"frame_id does not take 7"),
        ({"header": {"stamp": {"sec": 2**31}}}, r"sec does not take 2147483648: it is a int32"),
        ({"poses": [{"pose": {"position": {"x": True}}}]}, r"x does not take True"),
    ):
        with pytest.raises(ValueError, match=where):
            message(interface("nav_msgs/msg/Path"), wrong)
    with pytest.raises(LookupError):
        field(path, "poses.7")


def test_what_only_an_edge_was_seen_of_has_a_size() -> None:
    node = SceneNode(id="CounterTop|1", layer=SceneNode.OBJECT)
    node.pose.orientation.w, node.size.y = 1.0, 0.7
    assert node_from(node).seen.size == pytest.approx((0.01, 0.7, 0.01))


BRIDGE = """
import pathlib, sys, test_robot_ros
from sim_bridge.backend import Outcome
backend = test_robot_ros.opened(pathlib.Path(sys.argv[1]), drive=test_robot_ros.PATIENT)
while True:
    for item in backend.run(test_robot_ros.HERE):
        print(item, flush=True)
"""
PATIENT = {**TABLE["drive"], "navigate": {**TABLE["drive"]["navigate"], "timeout": 300.0}}


def test_what_a_bridge_that_was_killed_began_is_cancelled_when_the_next_one_is_opened(
    robot: tuple[Driver, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    driver, _ = robot
    driver.manner, driven = "slow", len(driver.goals)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    bridge = subprocess.Popen([sys.executable, "-c", BRIDGE, str(tmp_path)], env=environment, stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + PATIENCE
        while len(driver.goals) == driven:
            assert time.monotonic() < until, "it did not begin to drive"
            time.sleep(0.05)
    finally:
        bridge.kill()
        bridge.wait()
    driver.halted.clear()
    assert not driver.cancelled.wait(1.0), "nobody cancels it"
    file = tmp_path / "table.yaml"
    file.write_text(yaml.safe_dump(TABLE), encoding="utf-8")
    found = {finding.subject for finding in examine(BackendOptions("robot", "home", robot=str(file)))}
    assert "what it calls" in found
    assert not driver.cancelled.is_set(), "the doctor only listens"
    assert not driver.halted.is_set()
    opened(tmp_path, dry_run=True).close()
    assert not driver.cancelled.is_set(), "a dry run moves nothing, and stops nothing"
    opened(tmp_path).close()
    assert driver.cancelled.wait(PATIENCE)
    assert driver.halted.is_set()
    assert "was still carrying out 1 goal(s)" in caplog.text


def test_a_server_that_leaves_is_noticed(robot: tuple[Driver, Any]) -> None:
    driver, backend = robot
    driver.manner = "dying"
    steps = backend.run(HERE)
    before = len(driver.goals)
    while len(driver.goals) == before:
        next(steps)
    driver.die()
    done = next(item for item in steps if isinstance(item, Outcome))
    assert (done.code, "went away" in done.message) == (Code.UNAVAILABLE, True), done


KILLED = """
import rclpy, test_robot_ros
from rclpy.executors import ExternalShutdownException
driver = test_robot_ros.Driver()
driver.manner = "dying"
stop = driver.node.create_publisher(test_robot_ros.Bool, "its/stop", test_robot_ros.LATCHED)
stop.publish(test_robot_ros.Bool(data=False))
print("ready", flush=True)
while not driver.goals:
    driver.thread.join(0.05)
print("driving", flush=True)
driver.thread.join()
"""


def test_a_server_that_is_killed_falls_silent(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", KILLED], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        navigate = {**TABLE["drive"]["navigate"], "timeout": 60.0, "silence": 4.0}
        stop = {"topic": "its/stop", "latched": True}  # another driver may be there, with a stop of its own
        backend = opened(tmp_path, drive={**TABLE["drive"], "navigate": navigate}, emergency_stop=[stop])
        try:
            until = time.monotonic() + PATIENCE
            while not isinstance(next(steps := backend.run(HERE)), Progress):  # until the driver is found
                assert time.monotonic() < until
            driving = threading.Event()
            listener = threading.Thread(target=lambda: process.stdout.readline() and driving.set())
            listener.start()
            while not driving.is_set():
                assert isinstance(next(steps), Progress)
            listener.join()
            lived = time.monotonic() + 6.0
            while time.monotonic() < lived:
                assert isinstance(next(steps), Progress), "its feedback keeps it alive"
            process.send_signal(signal.SIGKILL)
            done = next(item for item in steps if isinstance(item, Outcome))
            assert (done.code, "nothing was heard" in done.message) == (Code.UNAVAILABLE, True), done
        finally:
            backend.close()
    finally:
        process.kill()
        process.wait()
