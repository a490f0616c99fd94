# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The bridge node as a process of its own, talked to over ROS."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("karma_interfaces.action", reason="needs karma_interfaces to be built")
pytest.importorskip("procthor", reason="needs the recorded rooms")

import numpy as np  # noqa: E402
from geometry_msgs.msg import Point, PoseStamped  # noqa: E402
from habitat_stand_in import write_interpreter  # noqa: E402
from lifecycle_msgs.msg import State, Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState, GetState  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rcl_interfaces.srv import SetParameters  # noqa: E402
from rclpy.action import ActionClient, ActionServer  # noqa: E402
from rclpy.exceptions import InvalidHandle  # noqa: E402
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor  # noqa: E402
from rclpy.impl.implementation_singleton import rclpy_implementation as implementation  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import QoSProfile, ReliabilityPolicy  # noqa: E402
from sensor_msgs.msg import CameraInfo, Image  # noqa: E402

from karma_interfaces.action import ExecuteSkill  # noqa: E402
from karma_interfaces.msg import InstanceLabels, Result, SceneNode, SkillCall, SkillTarget  # noqa: E402
from karma_interfaces.srv import GetSceneGraph, ListSkills, MoveObject, ResetScene  # noqa: E402

pytestmark = pytest.mark.ros

DOMAIN = int(os.environ.get("KARMA_TEST_DOMAIN_ID", 101 - os.getpid() % 100))
"""A domain of this run's own, so that several can go on at once on one machine."""
PATIENCE = 60.0
"""Seconds after which a test gives up on an answer: long, so that a busy machine changes nothing."""

REACHED = {
    Transition.TRANSITION_CONFIGURE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_ACTIVATE: State.PRIMARY_STATE_ACTIVE,
    Transition.TRANSITION_DEACTIVATE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_CLEANUP: State.PRIMARY_STATE_UNCONFIGURED,
}
"""The state in which each transition ends, when it succeeds."""

PACKAGE = Path(__file__).parents[1]
CAMERA_TOPICS = {
    "camera/color/image_raw": Image,
    "camera/depth/image_raw": Image,
    "camera/instances": Image,
    "camera/color/camera_info": CameraInfo,
    "camera/depth/camera_info": CameraInfo,
    "camera/instance_labels": InstanceLabels,
    "camera/pose": PoseStamped,
}


class Bridge:
    """A running bridge process and a client of all that it offers."""

    def __init__(self, context: Any, *parameters: str, namespace: str = "", broken: str = "") -> None:
        """Start a bridge with parameters ("name:=value"), after code that breaks it has run in its process."""
        self._broken = broken
        self.node = rclpy.create_node("tester", context=context, namespace=namespace)
        # Made before the node spins: rclpy shows an action client to the executor before it is complete.
        self.actions = ActionClient(self.node, ExecuteSkill, "execute_skill")
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self.node)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()
        self._arguments = ["-r", f"__ns:=/{namespace}"] if namespace else []
        for parameter in parameters:
            self._arguments += ["-p", parameter]
        self._clients: dict[str, Any] = {}
        self.start()

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):
            while not self._closed.is_set():  # not spin(): a shutdown can miss a thread that is about to wait
                with contextlib.suppress(InvalidHandle, implementation.RCLError):  # of what a test has just destroyed
                    self._executor.spin_once(timeout_sec=0.2)

    def start(self) -> None:
        environment = {
            **os.environ,
            "ROS_DOMAIN_ID": str(DOMAIN),
            "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]),
        }
        code = f"import sys\n{self._broken}\nfrom sim_bridge.bridge_node import main\nsys.exit(main())"
        command = [sys.executable, "-c", code, "--ros-args", *self._arguments]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        self._log: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self._log.extend(iter(self.process.stderr.readline, ""))

    def log(self) -> str:
        self._reader.join(timeout=PATIENCE)
        return "".join(self._log)

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(how)
        return self.process.wait(timeout=PATIENCE)

    def close(self) -> None:
        # Not with SIGKILL where it can be helped: one that is killed while it writes into Fast DDS's shared memory can
        # leave this process deaf to all that come after it (one in some 1,000 kills).
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._closed.set()
        self._thread.join(timeout=PATIENCE)
        self._executor.shutdown()
        self.node.destroy_node()

    def call(self, kind: Any, name: str, request: Any) -> Any:
        """Call a service; a second time when an answer was lost.

        Fast DDS drops an answer to a client that the server has not matched within 0.1 s, as on a busy machine.
        """
        first = self._called(kind, name, request)
        with contextlib.suppress(AssertionError):
            return result_of(first, patience=PATIENCE / 4)
        return result_of(self._called(kind, name, request))

    def _called(self, kind: Any, name: str, request: Any) -> Any:
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        client = self._clients[name]
        assert client.wait_for_service(timeout_sec=PATIENCE), f"no service {name}: {''.join(self._log)}"
        return client.call_async(request)

    def change(self, transition: int) -> bool:
        """Whether a transition succeeded; the state tells when the answer was lost."""
        if "sim_bridge/change_state" not in self._clients:  # one that answers the client made after it knows it, too
            self._clients["sim_bridge/change_state"] = self.node.create_client(ChangeState, "sim_bridge/change_state")
            wait_until(self.answers)
        request = ChangeState.Request(transition=Transition(id=transition))
        for _ in range(3):
            answer = self._called(ChangeState, "sim_bridge/change_state", request)
            with contextlib.suppress(AssertionError):
                return bool(result_of(answer, patience=PATIENCE / 4).success)
            if self.state() == REACHED[transition]:
                return True
        raise AssertionError(f"no answer to transition {transition}: {''.join(self._log)}")

    def answers(self) -> bool:
        """Whether the process answers within a second: for some time after a kill, ROS still lists the dead one."""
        answered = threading.Event()
        asked = self._called(GetState, "sim_bridge/get_state", GetState.Request())
        asked.add_done_callback(lambda _: answered.set())
        return answered.wait(1.0)

    def state(self) -> int:
        wait_until(self.answers)
        return int(self.call(GetState, "sim_bridge/get_state", GetState.Request()).current_state.id)

    def activate(self) -> None:
        assert self.change(Transition.TRANSITION_CONFIGURE), "".join(self._log)
        assert self.change(Transition.TRANSITION_ACTIVATE), "".join(self._log)

    def send(self, call: SkillCall, on_feedback: Callable[[Any], None] | None = None) -> Any:
        assert self.actions.wait_for_server(timeout_sec=PATIENCE)
        goal = ExecuteSkill.Goal(call=call)
        # In the thread that gets the answer: rclpy 9.1 loses one that comes before it has made a second future.
        sent = self._executor.create_task(lambda: self.actions.send_goal_async(goal, feedback_callback=on_feedback))
        handle = result_of(result_of(sent))
        assert handle.accepted
        return handle

    def run(self, call: SkillCall) -> Any:
        return result_of(self.send(call).get_result_async()).result.outcome

    @contextlib.contextmanager
    def camera(self) -> Iterator[Callable[[], list[dict[str, Any]]]]:
        """Read the camera; what it yields returns the complete sets of messages so far, those of one stamp by topic."""
        sets: dict[tuple[int, int], dict[str, Any]] = defaultdict(dict)

        def keep(topic: str, message: Any) -> None:
            sets[message.header.stamp.sec, message.header.stamp.nanosec][topic] = message

        def complete() -> list[dict[str, Any]]:
            return [sets[stamp] for stamp in sorted(sets) if len(sets[stamp]) == len(CAMERA_TOPICS)]

        qos = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE)
        readers = [
            self.node.create_subscription(kind, topic, lambda m, t=topic: keep(t, m), qos)
            for topic, kind in CAMERA_TOPICS.items()
        ]
        wait_until(lambda: all(self.node.count_publishers(topic) for topic in CAMERA_TOPICS))
        yield complete
        for reader in readers:
            self.node.destroy_subscription(reader)

    def views(self, wanted: int, during: Callable[[], None] = lambda: None) -> list[dict[str, Any]]:
        """Return complete sets of camera messages, those of one stamp by topic."""
        with self.camera() as complete:
            during()
            wait_until(lambda: len(complete()) >= wanted, lambda: "".join(self._log))
            return complete()

    @contextlib.contextmanager
    def paced(self, rate: float) -> Iterator[None]:
        """Show so many views a second, to somebody who reads the camera: a skill waits for each of its views."""
        self._set_rate(rate)
        with self.camera() as views:
            wait_until(lambda: bool(views()))
            yield
        self._set_rate(RATE)

    def _set_rate(self, value: float) -> None:
        parameter = Parameter("frame_rate", value=value).to_parameter_msg()
        answer = self.call(SetParameters, "sim_bridge/set_parameters", SetParameters.Request(parameters=[parameter]))
        assert answer.results[0].successful


def wait_until(true: Callable[[], bool], said: Callable[[], str] = lambda: "") -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"waited in vain: {said()}"
        time.sleep(0.02)


def result_of(future: Any, patience: float = PATIENCE) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(patience), "no answer"
    return future.result()


@pytest.fixture(scope="module")
def context() -> Iterator[Any]:
    # ./karma test has set it, with a profile to go with it.
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    yield context
    rclpy.try_shutdown(context=context)


RATE = 50.0
SMALL = ("scene:=FloorPlan1", "image_width:=160", "image_height:=120")


@pytest.fixture
def start(context: Any) -> Iterator[Callable[..., Bridge]]:
    """Starts bridges of a test's own, and ends them with it, however it ends."""
    with contextlib.ExitStack() as running:

        def start(*parameters: str, namespace: str, broken: str = "") -> Bridge:
            bridge = Bridge(context, *parameters, namespace=namespace, broken=broken)
            running.callback(bridge.close)
            return bridge

        yield start


@pytest.fixture(scope="module")
def bridge(context: Any) -> Iterator[Bridge]:
    running = Bridge(context, *SMALL, f"frame_rate:={RATE}", "idle_rate:=10.0")
    try:
        running.activate()
        yield running
    finally:
        running.close()


@pytest.fixture
def fresh(bridge: Bridge) -> Bridge:
    """The shared bridge with the scene as at its start."""
    answer = bridge.call(ResetScene, "sim/reset", ResetScene.Request(seed=-1))
    wait_until(lambda: bridge.call(ResetScene, "sim/reset", ResetScene.Request(seed=-1)).result.code == Result.SUCCESS)
    assert answer is not None
    return bridge


def call(skill: str, category: str = "", **more: Any) -> SkillCall:
    return SkillCall(skill=skill, target=SkillTarget(category=category), **more)


def truth(bridge: Bridge) -> dict[str, SceneNode]:
    answer = bridge.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request())
    assert answer.result.code == Result.SUCCESS
    return {node.id: node for node in answer.graph.nodes}


def pixels(image: Image, kind: Any) -> np.ndarray:
    return np.frombuffer(bytes(image.data), kind).reshape(image.height, image.width, -1)


def test_the_camera_messages_of_one_instant_agree(fresh: Bridge) -> None:
    view = fresh.views(1)[0]
    color, depth, instances = (view[f"camera/{t}"] for t in ("color/image_raw", "depth/image_raw", "instances"))
    assert (color.encoding, depth.encoding, instances.encoding) == ("rgb8", "32FC1", "16UC1")
    assert {(m.height, m.width) for m in (color, depth, instances)} == {(120, 160)}
    assert (color.step, depth.step, instances.step) == (480, 640, 320)
    assert pixels(color, np.uint8).std() > 10
    metres = pixels(depth, np.float32)
    assert np.isfinite(metres).all()
    assert 0.3 < np.median(metres) < 10
    labels = view["camera/instance_labels"]
    assert {*np.unique(pixels(instances, np.uint16))} - {0} == {label.value for label in labels.labels}
    assert labels.scene == "FloorPlan1"
    assert labels.resets > 0
    fresh.call(ResetScene, "sim/reset", ResetScene.Request(seed=-1))
    assert fresh.views(1)[0]["camera/instance_labels"].resets == labels.resets + 1
    known = truth(fresh)
    assert all(known[label.id].category == label.category for label in labels.labels)
    info = view["camera/color/camera_info"]
    assert (info.width, info.height) == (160, 120)
    assert info.k[0] == pytest.approx(80.0)  # 90 degrees across 160 pixels
    assert view["camera/depth/camera_info"].k.tolist() == info.k.tolist()
    assert view["camera/pose"].header.frame_id == "map"


def test_depth_and_pose_put_a_labelled_object_where_the_ground_truth_has_it(fresh: Bridge) -> None:
    fresh.run(call("GoToObject", "Fridge"))
    seen = fresh.run(call("Explore", "Fridge"))
    view = fresh.views(1)[0]
    fridge = next(s for s in seen.seen if s.category == "Fridge")
    labels = {label.id: label.value for label in view["camera/instance_labels"].labels}
    v, u = np.nonzero(pixels(view["camera/instances"], np.uint16)[..., 0] == labels[fridge.id])
    z = pixels(view["camera/depth/image_raw"], np.float32)[v, u, 0]
    k = view["camera/color/camera_info"].k
    points = np.stack([(u - k[2]) / k[0] * z, (v - k[5]) / k[4] * z, z])
    pose = view["camera/pose"].pose
    world = rotation(pose.orientation) @ points + np.array([[pose.position.x], [pose.position.y], [pose.position.z]])
    center = np.array([fridge.pose.position.x, fridge.pose.position.y, fridge.pose.position.z])
    half = np.array([fridge.size.x, fridge.size.y, fridge.size.z]) / 2
    assert (np.abs(world.T - center) <= half + 0.01).all(axis=1).mean() > 0.99


def rotation(q: Any) -> np.ndarray:
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_the_skill_table_is_advertised(fresh: Bridge) -> None:
    skills = {s.name: s for s in fresh.call(ListSkills, "list_skills", ListSkills.Request()).skills}
    assert {"Explore", "GoToObject", "PickupObject", "PutObject", "SliceObject", "Place", "Wait"} <= set(skills)
    assert skills["SliceObject"].irreversible
    assert [p.name for p in skills["PutObject"].parameters if p.required] == ["receptacle"]


def test_picking_up_and_putting_down_changes_the_world(fresh: Bridge) -> None:
    found = fresh.run(call("Explore", "Apple"))
    assert found.result.code == Result.SUCCESS, found.result.message
    assert found.explore_steps >= 1
    assert found.duration > 0
    assert len(found.position) == 1
    apple = next(s for s in found.seen if s.category == "Apple")
    target = SkillTarget(id=apple.id, has_position=True, position=apple.pose.position)
    assert fresh.run(SkillCall(skill="GoToObject", target=target)).result.code == Result.SUCCESS
    picked = fresh.run(SkillCall(skill="PickupObject", target=target))
    assert picked.result.code == Result.SUCCESS, picked.result.message
    assert truth(fresh)[apple.id].relation == "held"
    assert fresh.views(1)[0]["camera/instance_labels"].held == apple.id
    refused = fresh.run(call("PickupObject", "Bread"))
    assert refused.result.code == Result.PRECONDITION_FAILURE
    assert refused.result.message
    assert refused.call.skill == "PickupObject"


def test_views_are_published_on_the_way_and_at_the_end(fresh: Bridge) -> None:
    with fresh.camera() as views:
        done = fresh.run(call("Explore"))
        at_the_end = fresh.views(1)[0]["camera/pose"].pose
        wait_until(lambda: bool(views()) and views()[-1]["camera/pose"].pose == at_the_end)
        places = [v["camera/pose"].pose for v in views()]
    assert done.result.code == Result.SUCCESS
    assert len({(round(p.position.x, 3), round(p.position.y, 3), round(p.orientation.z, 3)) for p in places}) > 6


def test_at_a_frame_rate_of_zero_only_the_beginning_and_the_end_are_shown(fresh: Bridge) -> None:
    outcome = []
    with fresh.paced(0.0):
        views = fresh.views(2, during=lambda: outcome.append(fresh.run(call("Explore"))))
    assert outcome[0].distance > 3.0
    places = [v["camera/pose"].pose.position for v in views]
    assert len({(p.x, p.y) for p in places}) <= 2


def test_feedback_tells_what_is_done_and_cancelling_stops_it(fresh: Bridge) -> None:
    heard: list[Any] = []
    started = threading.Event()

    def hear(message: Any) -> None:
        heard.append(message.feedback)
        started.set()

    with fresh.paced(1.0):  # it would take a minute
        handle = fresh.send(call("Explore", "NoSuchThing"), hear)
        assert started.wait(PATIENCE)
        assert result_of(handle.cancel_goal_async()).goals_canceling
        outcome = result_of(handle.get_result_async()).result.outcome
    assert outcome.result.code == Result.CANCELED
    assert heard[0].step
    assert math.isfinite(heard[0].robot.position.x)
    # The robot is where it was stopped, and free for the next skill.
    assert fresh.run(call("FindObject", "Fridge")).result.code in (Result.SUCCESS, Result.NOT_FOUND)


def test_a_second_goal_is_told_what_the_robot_is_busy_with(fresh: Bridge) -> None:
    started = threading.Event()
    with fresh.paced(1.0):
        handle = fresh.send(call("Explore", "NoSuchThing"), lambda _: started.set())
        assert started.wait(PATIENCE)
        second = fresh.run(call("FindObject", "Apple"))
        reset = fresh.call(ResetScene, "sim/reset", ResetScene.Request(seed=-1))
        result_of(handle.cancel_goal_async())
        assert result_of(handle.get_result_async()).result.outcome.result.code == Result.CANCELED
    assert second.result.code == Result.UNAVAILABLE
    assert "Explore" in second.result.message
    assert reset.result.code == Result.PRECONDITION_FAILURE
    assert "Explore" in reset.result.message


def test_an_idle_robots_pictures_never_keep_a_skill_from_it(fresh: Bridge) -> None:
    codes = [fresh.run(call("FindObject", "Fridge")).result.code for _ in range(40)]
    assert set(codes) <= {Result.SUCCESS, Result.NOT_FOUND}


@pytest.mark.parametrize(
    "garbage",
    [
        call("FlyToTheMoon", "Apple"),
        call(""),
        call("PickupObject"),
        call("PickupObject", "A" * 100_000),
        call("PickupObject", "Apple\n; DROP TABLE"),
        call("Wait", duration=math.nan),
        call("Wait", duration=-5.0),
        call("Explore", positions=[Point(x=math.nan)]),
        call("Explore", positions=[Point(x=1e300)]),
        SkillCall(skill="GoToObject", target=SkillTarget(has_position=True, position=Point(x=math.inf))),
        call("Place", "Apple", receptacle=SkillTarget(category="Bowl"), relation="betwixt"),
    ],
    ids=lambda c: c.skill or "empty",
)
def test_garbage_is_refused_and_changes_nothing(fresh: Bridge, garbage: SkillCall) -> None:
    before = truth(fresh)
    outcome = fresh.run(garbage)
    assert outcome.result.code == Result.INVALID_ARGUMENT
    assert outcome.result.message
    assert {k: n.pose for k, n in truth(fresh).items()} == {k: n.pose for k, n in before.items()}


def test_an_object_that_does_not_exist_is_not_found(fresh: Bridge) -> None:
    assert fresh.run(call("PickupObject", "Unicorn")).result.code == Result.NOT_FOUND


def test_people_move_things_and_reset_puts_them_back(fresh: Bridge) -> None:
    before = truth(fresh)
    moved = fresh.call(MoveObject, "sim/move_object", MoveObject.Request(object="Apple", receptacle="CounterTop"))
    assert moved.result.code == Result.SUCCESS, moved.result.message
    after = truth(fresh)[moved.object]
    assert after.receptacle == moved.receptacle
    assert after.pose != before[moved.object].pose
    assert fresh.call(ResetScene, "sim/reset", ResetScene.Request(seed=-1)).scene == "FloorPlan1"
    assert truth(fresh)[moved.object].pose == before[moved.object].pose


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (MoveObject.Request(), Result.INVALID_ARGUMENT),
        (MoveObject.Request(object="Unicorn"), Result.NOT_FOUND),
        (MoveObject.Request(object="Apple", receptacle="Unicorn"), Result.NOT_FOUND),
        (MoveObject.Request(object="Apple", receptacle="Faucet"), Result.PRECONDITION_FAILURE),
    ],
)
def test_a_move_that_is_not_possible_says_why(fresh: Bridge, request_: MoveObject.Request, code: int) -> None:
    answer = fresh.call(MoveObject, "sim/move_object", request_)
    assert answer.result.code == code
    assert answer.result.message


def test_an_unknown_scene_is_refused_and_the_old_one_stays(fresh: Bridge) -> None:
    answer = fresh.call(ResetScene, "sim/reset", ResetScene.Request(scene="FloorPlan999", seed=-1))
    assert answer.result.code == Result.NOT_FOUND
    assert "FloorPlan" in answer.result.message
    assert truth(fresh)
    assert fresh.views(1)[0]["camera/instance_labels"].scene == "FloorPlan1"


def test_another_scene_is_shown_after_a_reset(fresh: Bridge) -> None:
    answer = fresh.call(ResetScene, "sim/reset", ResetScene.Request(scene="FloorPlan401", seed=-1))
    assert (answer.result.code, answer.scene) == (Result.SUCCESS, "FloorPlan401")
    assert any(n.category == "Toilet" for n in truth(fresh).values())
    assert fresh.views(1)[0]["camera/instance_labels"].scene == "FloorPlan401"
    wrong = fresh.call(GetSceneGraph, "sim/ground_truth", GetSceneGraph.Request(scene="FloorPlan1"))
    assert wrong.result.code == Result.NOT_FOUND
    fresh.call(ResetScene, "sim/reset", ResetScene.Request(scene="FloorPlan1", seed=-1))


def test_without_a_reader_of_the_camera_skills_are_not_slowed_down(start: Callable[..., Bridge]) -> None:
    unwatched = start(*SMALL, "frame_rate:=0.5", namespace="fast")
    unwatched.activate()
    poses: list[Odometry] = []
    reader = unwatched.node.create_subscription(Odometry, "odom", poses.append, 10)
    outcome = unwatched.run(call("Explore"))  # some sixty views: two minutes at half a view a second
    assert outcome.result.code == Result.SUCCESS
    wait_until(lambda: bool(poses))
    unwatched.node.destroy_subscription(reader)


def test_an_idle_robot_tells_where_it_is_without_making_pictures(start: Callable[..., Bridge]) -> None:
    bridge = start(*SMALL, "idle_rate:=0.0", namespace="idle")
    poses: list[Odometry] = []
    pictures: list[Image] = []
    bridge.node.create_subscription(Odometry, "odom", poses.append, 10)
    bridge.node.create_subscription(Image, "camera/color/image_raw", pictures.append, 10)
    bridge.activate()
    wait_until(lambda: len(poses) > 10)
    stamps = [(pose.header.stamp.sec, pose.header.stamp.nanosec) for pose in poses]
    assert stamps == sorted(set(stamps))
    seconds = [second + nanosecond * 1e-9 for second, nanosecond in stamps]
    assert median(later - sooner for sooner, later in pairwise(seconds)) < 1.5  # 1 Hz, on a slow machine, too
    assert not pictures


def test_the_node_can_be_taken_down_and_brought_back_while_a_skill_runs(start: Callable[..., Bridge]) -> None:
    bridge = start(*SMALL, namespace="restarted")
    early = bridge.node.create_client(ListSkills, "list_skills")
    assert bridge.state() == State.PRIMARY_STATE_UNCONFIGURED
    assert not early.service_is_ready()
    bridge.activate()
    started = threading.Event()
    with bridge.paced(1.0):
        handle = bridge.send(call("Explore", "NoSuchThing"), lambda _: started.set())
        assert started.wait(PATIENCE)  # accepted is not yet begun
        assert bridge.change(Transition.TRANSITION_DEACTIVATE)
        stopped = result_of(handle.get_result_async()).result.outcome
    assert stopped.result.code == Result.CANCELED
    assert "deactivated" in stopped.result.message
    assert bridge.run(call("FindObject", "Apple")).result.code == Result.UNAVAILABLE
    assert bridge.change(Transition.TRANSITION_CLEANUP)
    bridge.activate()
    assert bridge.run(call("FindObject", "Fridge")).result.code in (Result.SUCCESS, Result.NOT_FOUND)
    assert bridge.state() == State.PRIMARY_STATE_ACTIVE
    assert bridge.stop() == 0
    assert "Traceback" not in bridge.log()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_of_a_skill_ends_the_process_cleanly(
    start: Callable[..., Bridge], how: signal.Signals
) -> None:
    bridge = start(*SMALL, "frame_rate:=1.0", namespace=f"signal{int(how)}")
    bridge.activate()
    started = threading.Event()
    with bridge.camera() as views:
        wait_until(lambda: bool(views()))  # somebody looks: waiting has a hundred views
        result = bridge.send(call("Wait", duration=80_000.0), lambda _: started.set()).get_result_async()
        assert started.wait(PATIENCE)
        assert bridge.stop(how) == 0
    assert "Traceback" not in bridge.log()
    assert result_of(result).result.outcome.result.code == Result.CANCELED


def test_a_service_that_meets_an_exception_answers_it_and_the_node_lives_on(start: Callable[..., Bridge]) -> None:
    broken = """
from sim_bridge.household import backend, recorded
def missing(package, version, name, real=recorded._package_file):
    if "FloorPlan2-" in name:
        raise recorded.RecordingsMissingError("no layout of FloorPlan2")
    return real(package, version, name)
recorded._package_file = missing
def broken(self, name, receptacle=""):
    raise ZeroDivisionError("a defect")
backend.HouseholdBackend.move_object = broken
"""
    bridge = start(*SMALL, namespace="broken", broken=broken)
    bridge.activate()
    reset = bridge.call(ResetScene, "sim/reset", ResetScene.Request(scene="FloorPlan2", seed=-1)).result
    assert (reset.code, reset.message) == (Result.UNAVAILABLE, "no layout of FloorPlan2")
    move = bridge.call(MoveObject, "sim/move_object", MoveObject.Request(object="Apple")).result
    assert move.code == Result.INTERNAL_ERROR
    assert "a defect" in move.message
    assert truth(bridge)
    assert bridge.stop() == 0


def test_a_camera_that_fails_does_not_end_the_node_and_is_complained_about(start: Callable[..., Bridge]) -> None:
    broken = """
from sim_bridge.household.renderer import HouseholdRenderer
def render(*_):
    raise OSError("the context is lost")
HouseholdRenderer.render = render
"""
    bridge = start(*SMALL, namespace="blind", broken=broken)
    bridge.activate()
    reader = bridge.node.create_subscription(Image, "camera/color/image_raw", lambda _: None, 10)
    wait_until(lambda: "the context is lost" in "".join(bridge._log))
    assert truth(bridge)
    bridge.node.destroy_subscription(reader)
    assert bridge.stop() == 0


def test_an_exception_that_ends_the_node_shows_in_the_exit_status(start: Callable[..., Bridge]) -> None:
    broken = """
from sim_bridge import bridge_node
def broken(self):
    raise ZeroDivisionError("a defect")
bridge_node.SimBridge.diagnose = broken
"""
    bridge = start(*SMALL, namespace="ended", broken=broken)
    assert bridge.change(Transition.TRANSITION_CONFIGURE)
    activate = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVATE))
    bridge._called(ChangeState, "sim_bridge/change_state", activate)  # it may end before it answers
    assert bridge.process.wait(timeout=PATIENCE) == 1
    assert "a defect" in bridge.log()


def test_people_move_things_once_in_a_pause(start: Callable[..., Bridge]) -> None:
    bridge = start(*SMALL, "people_move:=2.0", "people_move_after:=0.0", "idle_rate:=20.0", namespace="people")
    bridge.activate()
    before = truth(bridge)
    time.sleep(1.0)  # twenty ticks, in which nobody moves anything
    assert {n: o.receptacle for n, o in truth(bridge).items()} == {n: o.receptacle for n, o in before.items()}
    bridge.run(call("FindObject", "Fridge"))
    assert 1 <= sum(o.receptacle != before[n].receptacle for n, o in truth(bridge).items()) <= 2


def test_where_nothing_changes_few_pictures_are_made_and_a_change_is_shown(start: Callable[..., Bridge]) -> None:
    bridge = start(*SMALL, "idle_rate:=20.0", namespace="rest")
    bridge.activate()
    pictures: list[Image] = []
    reader = bridge.node.create_subscription(Image, "camera/color/image_raw", pictures.append, 10)
    wait_until(lambda: len(pictures) > 10)

    def made_in_a_second() -> int:
        before = len(pictures)
        time.sleep(1.0)
        return len(pictures) - before

    wait_until(lambda: made_in_a_second() <= 1)
    before = len(pictures)
    moved = bridge.call(MoveObject, "sim/move_object", MoveObject.Request(object="Apple"))
    assert moved.result.code == Result.SUCCESS, moved.result.message
    wait_until(lambda: len(pictures) > before + 10)
    bridge.node.destroy_subscription(reader)
    seconds = [picture.header.stamp.sec + picture.header.stamp.nanosec * 1e-9 for picture in pictures[before:]]
    assert median(later - sooner for sooner, later in pairwise(seconds)) < 2.5  # at rest: 5 s


def test_without_pictures_the_robots_pose_is_published_all_the_same(start: Callable[..., Bridge]) -> None:
    bridge = start(*SMALL, "publish_images:=false", namespace="pose")
    bridge.activate()
    poses: list[PoseStamped] = []
    places: list[Odometry] = []
    readers = [
        bridge.node.create_subscription(PoseStamped, "camera/pose", poses.append, 10),
        bridge.node.create_subscription(Odometry, "odom", places.append, 10),
    ]
    wait_until(lambda: bool(poses and places))
    before = poses[-1].pose
    assert bridge.run(call("GoToObject", "Fridge")).result.code in (Result.SUCCESS, Result.NOT_FOUND)
    assert bridge.run(call("Explore", "Fridge")).result.code == Result.SUCCESS
    wait_until(lambda: poses[-1].pose != before)
    for reader in readers:
        bridge.node.destroy_subscription(reader)


def test_a_killed_bridge_can_be_started_again(start: Callable[..., Bridge]) -> None:
    bridge = start(*SMALL, namespace="killed")
    bridge.activate()
    assert bridge.state() == State.PRIMARY_STATE_ACTIVE
    bridge.stop(signal.SIGKILL)
    bridge.start()
    wait_until(bridge.answers)
    assert bridge.state() == State.PRIMARY_STATE_UNCONFIGURED
    bridge.activate()  # what ROS still lists of the dead one is no other bridge
    assert truth(bridge)


def test_a_robot_that_another_node_drives_already_is_left_to_it(start: Callable[..., Bridge]) -> None:
    bridge = start(*SMALL, namespace="driven")
    other = ActionServer(bridge.node, ExecuteSkill, "execute_skill", lambda goal: ExecuteSkill.Result())
    # Once it lists the bridge, the bridge lists it.
    wait_until(bridge.answers)
    assert not bridge.change(Transition.TRANSITION_CONFIGURE)
    assert bridge.state() == State.PRIMARY_STATE_UNCONFIGURED
    other.destroy()
    bridge.activate()
    assert bridge.state() == State.PRIMARY_STATE_ACTIVE
    assert bridge.stop() == 0
    assert "another node offers /driven/execute_skill in this ROS domain already" in bridge.log()


def test_an_unknown_scene_or_backend_fails_to_configure_and_says_why(start: Callable[..., Bridge]) -> None:
    for what, value, word in (("scene", "FloorPlan999", "FloorPlan"), ("backend", "holodeck", "household")):
        bridge = start(f"{what}:={value}", namespace=f"wrong_{what}")
        assert not bridge.change(Transition.TRANSITION_CONFIGURE)
        assert bridge.state() == State.PRIMARY_STATE_UNCONFIGURED
        assert bridge.stop() == 0
        assert word in bridge.log()
        assert "Traceback" not in bridge.log()


def test_a_parameter_out_of_range_ends_the_process_with_a_message(start: Callable[..., Bridge]) -> None:
    bridge = start("actuation_failure:=7.0", namespace="range")
    assert bridge.process.wait(timeout=PATIENCE) != 0
    assert "actuation_failure" in bridge.log()
    assert "Traceback" not in bridge.log()


def test_the_same_node_runs_habitat(start: Callable[..., Bridge], tmp_path: Path) -> None:
    if find_spec("open3d") is None:
        pytest.skip("the stand-in for habitat-sim needs Open3D, which is there for x86-64 only")
    python = write_interpreter(tmp_path)
    size = ("image_width:=64", "image_height:=48")
    bridge = start("backend:=habitat", "scene:=FloorPlan401", f"habitat_python:={python}", *size, namespace="spot")
    bridge.activate()
    outcome = bridge.run(call("Explore", "Sink"))
    assert outcome.result.code == Result.SUCCESS, outcome.result.message
    assert "Sink" in {seen.category for seen in outcome.seen}
