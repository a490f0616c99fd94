# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402 - where ROS is missing, the module is skipped before it is imported
"""The node as a process of its own, fed by a publisher in the test's."""

import contextlib
import math
import os
import signal
import subprocess
import sys
import time

import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built here")

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Point, Quaternion
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from messages import to_messages
from nav_msgs.msg import OccupancyGrid, Odometry
from raycast import pose, room, shoot, thing
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from std_msgs.msg import Header
from vision_server import MODEL, VisionServer, says
from visualization_msgs.msg import Marker, MarkerArray

from karma_interfaces.msg import MemoryEvent, Result, SceneGraph
from karma_interfaces.srv import GetSceneGraph, LoadMap, SaveMap
from karma_perception.conversions import apply_message
from karma_perception.perception_node import FROM_SOURCE, GRAPH_QOS, INPUTS, MARKER_QOS
from karma_perception.places.floor_plan import FREE, FURNITURE, WALL
from karma_perception.ros.floor_plan_publisher import QOS as FLOOR_PLAN_QOS
from karma_perception.scene_graph import Layer
from karma_perception.scene_graph import SceneGraph as Graph

pytestmark = pytest.mark.ros

DOMAIN = os.environ.get("KARMA_TEST_DOMAIN_ID", str(101 - os.getpid() % 100))
PATIENCE = 60.0
"""Seconds; generous, since machines differ."""

ASKED = (
    (GetSceneGraph, "scene_graph/get_full"),
    (SaveMap, "scene_graph/save"),
    (LoadMap, "scene_graph/load"),
)

REACHED = {
    Transition.TRANSITION_CONFIGURE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_ACTIVATE: State.PRIMARY_STATE_ACTIVE,
    Transition.TRANSITION_DEACTIVATE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_CLEANUP: State.PRIMARY_STATE_UNCONFIGURED,
}
"""The state in which each transition ends, when it succeeds."""

TABLE = thing("DiningTable", (3.0, 1.5, 0.4), (1.0, 1.4, 0.8))
APPLE = thing("Apple", (2.8, 1.4, 0.85), (0.1, 0.1, 0.1), movable=True)
WORLD = [*room(0, 0, 5, 3), TABLE, APPLE]


class Client:
    """Publishes frames to a node and collects what it says."""

    def __init__(self, process):
        self.process = process
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=int(DOMAIN))
        self.node = rclpy.create_node("client", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.inputs = {
            s: self.node.create_publisher(kind, topic, QoSProfile(depth=50)) for s, (topic, kind) in INPUTS.items()
        }
        self.graphs, self.markers, self.diagnostics = [], [], []
        self.node.create_subscription(SceneGraph, "scene_graph", self.graphs.append, GRAPH_QOS)
        self.node.create_subscription(MarkerArray, "scene_graph/markers", self.markers.append, MARKER_QOS)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.diagnostics.append, 10)
        self.stamp = 1.0
        # Before that of the life cycle: a process discovers readers in the order in which they were made, and when the
        # node answers the last of these, it knows the others and drops no answer to them.
        self.clients = {name: self.node.create_client(kind, name) for kind, name in ASKED}
        self.introduced = False

    def until(self, done, what):
        end = time.monotonic() + PATIENCE
        while not done():
            assert self.process.poll() is None, f"the node ended while waiting for {what}"
            assert time.monotonic() < end, f"waited too long for {what}"
            self.executor.spin_once(timeout_sec=0.05)

    def introduce(self):
        """Return when the node answers the client made last, and so knows the others; it is asked every second."""
        self.clients["perception/change_state"] = self.node.create_client(ChangeState, "perception/change_state")
        client = self.clients["perception/get_state"] = self.node.create_client(GetState, "perception/get_state")
        self.until(client.service_is_ready, "its state")
        answers = []

        def answered():
            answers.append(client.call_async(GetState.Request()))
            self.executor.spin_until_future_complete(answers[-1], 1.0)
            return any(answer.done() for answer in answers)

        self.until(answered, "its state")
        self.introduced = True

    def call(self, kind, name, request):
        """Call a service; again when an answer was lost.

        Fast DDS drops an answer to a client that the server has not matched within 0.1 s, as on a busy machine.
        """
        if not self.introduced:
            self.introduce()
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
        client = self.clients[name]
        self.until(client.service_is_ready, name)
        future = client.call_async(request)
        self.executor.spin_until_future_complete(future, PATIENCE / 4)
        if not future.done():
            future = client.call_async(request)
            self.until(future.done, f"an answer of {name}")
        return future.result()

    def change(self, transition):
        """Make a transition; the state tells that it was made when its answer was lost."""
        request = ChangeState.Request(transition=Transition(id=transition))
        answer = self.call(ChangeState, "perception/change_state", request)
        assert answer.success or self.state() == REACHED[transition]

    def state(self):
        return self.call(GetState, "perception/get_state", GetState.Request()).current_state.id

    def activate(self, unused=frozenset()):
        self.change(Transition.TRANSITION_CONFIGURE)
        self.change(Transition.TRANSITION_ACTIVATE)
        used = [p for stream, p in self.inputs.items() if stream not in unused]
        self.until(lambda: all(p.get_subscription_count() for p in used), "the node's subscriptions")

    def send(self, messages):
        for stream, message in messages.items():
            self.inputs[stream].publish(message)

    def look_around(self, world=WORLD, scene="test", count=8):
        for i in range(count):
            self.stamp += 0.1
            self.send(to_messages(shoot(world, pose(1.5, 1.5, 360 / count * i), stamp=self.stamp, scene=scene)))

    def full(self):
        """Return the answer with the whole graph, when all of its deltas have come: processed is not yet told."""
        answers = []

        def told():
            answers.append(self.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request()))
            return answers[-1].graph.sequence == self.graphs[-1].sequence

        self.until(told, "the last delta")
        return answers[-1]

    def shown(self):
        """Return the markers that are shown now."""
        shown = {}
        for array in self.markers:
            for m in array.markers:
                if m.action == Marker.ADD:
                    shown[m.ns, m.id] = m
                elif m.action == Marker.DELETE:
                    del shown[m.ns, m.id]
        return shown.values()

    def known(self):
        graph = Graph()
        for message in self.graphs:
            graph = apply_message(message, graph)
        return graph

    def status(self):
        return {kv.key: kv.value for kv in self.diagnostics[-1].status[0].values} if self.diagnostics else {}

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@contextlib.contextmanager
def running(*arguments, program=("-m", "karma_perception.perception_node")):
    environment = {**os.environ, "ROS_DOMAIN_ID": DOMAIN}
    command = [sys.executable, *program, *arguments]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    client = Client(process)
    try:
        yield client
    finally:
        client.close()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise


@pytest.fixture(autouse=True)
def localhost(monkeypatch):
    if "ROS_AUTOMATIC_DISCOVERY_RANGE" not in os.environ:  # ./karma test has set it, with a profile to go with it
        monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def test_frames_become_a_graph_its_deltas_add_up_and_a_latecomer_gets_all_of_it():
    with running() as client:
        client.activate()
        client.look_around()
        client.until(lambda: {TABLE.id, APPLE.id} <= client.known().nodes.keys(), "the objects")
        client.until(lambda: client.status().get("frames_processed") == "8", "all frames")
        moved = thing("Apple", (3.2, 1.8, 0.85), (0.1, 0.1, 0.1), movable=True)
        client.look_around([*room(0, 0, 5, 3), TABLE, moved])
        client.until(lambda: abs(client.known().nodes[APPLE.id].center[0] - 3.2) < 0.05, "the apple's new place")
        client.until(lambda: client.status().get("frames_processed") == "16", "all frames")
        answer = client.full()

        assert [m.sequence for m in client.graphs] == list(range(1, len(client.graphs) + 1))
        assert [m.full for m in client.graphs] == [True] + [False] * (len(client.graphs) - 1)
        graph = client.known()
        graph.check()
        assert graph.nodes[APPLE.id].receptacle == TABLE.id
        assert graph.layer(Layer.ROOM)
        assert answer.result.code == Result.SUCCESS
        assert answer.graph.full
        assert apply_message(answer.graph, Graph()).nodes == graph.nodes
        earlier = GetSceneGraph.Request(at=Time(sec=1))
        assert client.call(GetSceneGraph, "scene_graph/get_full", earlier).result.code == Result.INVALID_ARGUMENT
        other = client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request(scene="elsewhere"))
        assert other.result.code == Result.NOT_FOUND

        client.until(lambda: {"apple", "dining table"} <= {m.text for m in client.shown()}, "the markers")


def read(message, x, y):
    """Return what an occupancy grid says of a position in metres; None outside of it."""
    info, corner = message.info, message.info.origin.position
    i, j = (math.floor((v - o) / info.resolution) for v, o in ((x, corner.x), (y, corner.y)))
    return message.data[j * info.width + i] if 0 <= i < info.width and 0 <= j < info.height else None


def test_the_floor_is_told_to_who_comes_late_and_again_when_it_has_changed(tmp_path):
    with running() as client:
        client.activate()
        client.look_around()
        client.until(lambda: client.status().get("frames_processed") == "8", "all frames")
        first, second = [], []
        client.node.create_subscription(OccupancyGrid, "scene_graph/floor_plan", first.append, FLOOR_PLAN_QOS)
        client.until(lambda: first, "the floor")
        assert first[0].header.frame_id == "map"
        assert first[0].header.stamp == Time(sec=1, nanosec=800_000_000)
        assert read(first[0], 1.55, 0.5) == FREE
        assert read(first[0], 2.55, 1.5) == FURNITURE
        assert read(first[0], 2.0, 3.05) == WALL
        client.node.create_subscription(OccupancyGrid, "scene_graph/floor_plan", second.append, FLOOR_PLAN_QOS)
        client.until(lambda: second, "the floor, for another")
        assert second[0] == first[-1]

        path = str(tmp_path / "map")
        assert client.call(SaveMap, "scene_graph/save", SaveMap.Request(path=path)).result.code == Result.SUCCESS
        client.look_around(room(0, 0, 4, 3), scene="other")
        client.until(lambda: read(first[-1], 2.55, 1.5) == FREE, "the floor of another scene")
        # A frame that came after the map was loaded would be of another scene again.
        client.until(lambda: client.status().get("frames_processed") == "16", "all frames")
        assert client.call(LoadMap, "scene_graph/load", LoadMap.Request(path=path)).result.code == Result.SUCCESS
        client.until(lambda: read(first[-1], 2.55, 1.5) == FURNITURE, "the floor of the map that was loaded")

        client.until(lambda: client.status().get("scene") == "test", "the map in the diagnostics")
        count, beats = len(first), len(client.diagnostics)
        client.until(lambda: len(client.diagnostics) >= beats + 3, "three seconds without a frame")
        assert len(first) == count, "what has not changed was told again"


def test_garbage_is_counted_and_the_node_goes_on():
    with running() as client:
        client.activate()
        for i, (stream, field, value) in enumerate(
            (("depth", "encoding", "jpeg"), ("color", "height", 7), ("instances", "data", b"")), start=1
        ):
            messages = to_messages(shoot(WORLD, pose(1.5, 1.5, 0), stamp=float(i)))
            setattr(messages[stream], field, value)
            client.send(messages)
        messages = to_messages(shoot(WORLD, pose(1.5, 1.5, 0), stamp=9.0))
        messages["pose"].pose.position.x = float("nan")
        client.send(messages)
        messages = to_messages(shoot(WORLD, pose(1.5, 1.5, 0), stamp=9.5))
        for message in messages.values():
            message.header.stamp.sec = -5
        client.send(messages)
        client.until(lambda: client.status().get("frames_refused") == "5", "the count of refused frames")
        client.stamp = 10.0
        client.look_around()
        client.until(lambda: APPLE.id in client.known().nodes, "the objects")
        assert client.state() == State.PRIMARY_STATE_ACTIVE


def test_a_new_scene_is_a_fresh_graph():
    with running() as client:
        client.activate()
        client.look_around()
        client.until(lambda: APPLE.id in client.known().nodes, "the objects")
        client.look_around(room(0, 0, 4, 3), scene="other")
        client.until(lambda: client.known().scene == "other", "the new scene")
        fresh = next(m for m in client.graphs if m.scene == "other")
        assert fresh.full
        assert fresh.sequence == 1
        assert APPLE.id not in client.known().nodes


def test_pictures_of_things_go_to_who_remembers_events():
    with running("--ros-args", "-p", "private_rooms:=''") as client:
        events = []
        client.node.create_subscription(MemoryEvent, "memory/events", events.append, 10)
        client.activate()

        def pictured():
            client.look_around()
            client.executor.spin_once(timeout_sec=0.2)
            return any(event.target == TABLE.id for event in events)

        client.until(pictured, "a picture")
        event = next(event for event in events if event.target == TABLE.id)
        assert (event.kind, event.scene, [node.id for node in event.nodes]) == (0, "test", [TABLE.id])
        assert bytes(event.image[0].data[:3]) == b"\xff\xd8\xff"
        assert event.image[0].header.stamp == event.stamp


def test_the_lifecycle_can_be_gone_through_again_and_again():
    with running() as client:
        assert client.state() == State.PRIMARY_STATE_UNCONFIGURED
        client.change(Transition.TRANSITION_CONFIGURE)
        nothing = client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request())
        assert nothing.result.code == Result.UNAVAILABLE
        client.change(Transition.TRANSITION_ACTIVATE)
        client.until(lambda: all(p.get_subscription_count() for p in client.inputs.values()), "subscriptions")
        client.look_around()
        client.until(lambda: APPLE.id in client.known().nodes, "the objects")
        client.change(Transition.TRANSITION_DEACTIVATE)
        client.until(
            lambda: not any(p.get_subscription_count() for p in client.inputs.values()), "the end of listening"
        )
        assert APPLE.id in {n.id for n in client.full().graph.nodes}
        client.change(Transition.TRANSITION_CLEANUP)
        client.graphs.clear()
        client.activate()
        client.look_around()
        client.until(lambda: APPLE.id in client.known().nodes, "the objects again")
        assert client.graphs[0].full


def test_a_parameter_that_is_wrong_keeps_the_node_unconfigured():
    with running("--ros-args", "-p", "sensor_reliability:=perhaps") as client:
        request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CONFIGURE))
        assert not client.call(ChangeState, "perception/change_state", request).success
        assert client.state() == State.PRIMARY_STATE_UNCONFIGURED


def test_a_parameter_out_of_range_is_said_in_a_line():
    with running("--ros-args", "-p", "publish_rate:=-1.0") as client:
        _, said = client.process.communicate(timeout=PATIENCE)
        assert client.process.returncode == 2
        assert "publish_rate" in said
        assert "Traceback" not in said


def test_a_network_sees_without_a_simulator_and_its_objects_are_labelled(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed; it writes the test's network")
    from tiny_network import write_red_detector

    model = write_red_detector(tmp_path / "red.onnx", names="{0: 'thing', 1: 'sports ball'}")
    ball = thing("Ball", (2.6, 1.5, 0.15), (0.25, 0.25, 0.3))
    arguments = ("detector:=onnx", f"detector_model:={model}", "scene:=garage", "states:=none")
    with running("--ros-args", *(a for argument in arguments for a in ("-p", argument))) as client:
        client.activate(unused=FROM_SOURCE)
        assert not any(client.inputs[stream].get_subscription_count() for stream in FROM_SOURCE)
        for i, yaw in enumerate((-8, 0, 8)):
            messages = to_messages(shoot([*room(0, 0, 5, 3), ball], pose(1.0, 1.5, yaw), stamp=1.0 + i))
            client.send({stream: m for stream, m in messages.items() if stream not in FROM_SOURCE})
        client.until(lambda: "BasketBall_1" in client.known().nodes, "the ball")
        assert client.known().scene == "garage"
        found = client.known().nodes["BasketBall_1"].center
        assert max(abs(a - b) for a, b in zip(found, ball.center, strict=True)) < 0.15
        client.until(lambda: "basket ball" in {m.text for m in client.shown()}, "the ball's marker")
        client.until(lambda: client.status().get("frames_processed") == "3", "the count of frames")
        assert "YOLOv5" in client.status()["detector"]
        assert float(client.status()["detector_milliseconds"]) > 0


def test_a_model_that_does_not_fit_is_told_and_keeps_the_node_unconfigured(tmp_path):
    (tmp_path / "no.onnx").write_bytes(b"not a model")
    arguments = ("-p", "detector:=onnx", "-p", f"detector_model:={tmp_path / 'no.onnx'}")
    with running("--ros-args", *arguments) as client:
        request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CONFIGURE))
        assert not client.call(ChangeState, "perception/change_state", request).success
        assert client.state() == State.PRIMARY_STATE_UNCONFIGURED
        client.process.send_signal(signal.SIGINT)
        _, said = client.process.communicate(timeout=PATIENCE)
        assert "expected an ONNX model" in said
        assert "Traceback" not in said


def test_a_vision_language_model_tells_states_and_its_silence_is_told_in_the_diagnostics():
    fridge = thing("Fridge", (3.0, 1.5, 0.8), (0.6, 0.6, 1.6), isOpen="false")
    with VisionServer(says("opened")).running() as server:
        arguments = ("states:=vision", f"states_model:={MODEL}", f"llm_url:={server.host}", "states_period:=0.0")
        with running("--ros-args", *(a for argument in arguments for a in ("-p", argument))) as client:
            client.activate()

            def told():
                client.look_around([*room(0, 0, 5, 3), fridge], count=4)
                client.executor.spin_once(timeout_sec=0.2)
                node = client.known().nodes.get(fridge.id)
                return node is not None and node.states == {"isOpen": "true"}

            client.until(told, "the state")
            server.status = 500
            other = thing("Microwave", (3.0, 0.6, 1.0), (0.6, 0.5, 0.4))

            def complained():
                client.look_around([*room(0, 0, 5, 3), fridge, other], count=4)
                client.executor.spin_once(timeout_sec=0.2)
                return any("states stay as they were" in d.status[0].message for d in client.diagnostics)

            client.until(complained, "the complaint")
            assert client.status()["states_failed"] != "0"
            assert client.known().nodes[fridge.id].states == {"isOpen": "true"}


def objects(graph):
    return {node.id for node in graph.layer(Layer.OBJECT)}


def with_map(path):
    return running("--ros-args", "-p", f"map_file:={path}")


def test_a_node_that_is_restarted_goes_on_with_its_map(tmp_path):
    path = tmp_path / "home.map"
    with with_map(path) as client:
        client.activate()
        nothing = client.call(SaveMap, "scene_graph/save", SaveMap.Request())
        assert nothing.result.code == Result.REFUSED
        client.look_around()
        client.until(lambda: client.status().get("frames_processed") == "8", "all frames")
        client.until(lambda: APPLE.id in client.known().nodes, "the objects")
        copy = client.call(SaveMap, "scene_graph/save", SaveMap.Request(path=str(tmp_path / "copy.map")))
        assert (copy.result.code, copy.scene, copy.objects) == (Result.SUCCESS, "test", 2)
        client.process.send_signal(signal.SIGINT)
        assert client.process.wait(PATIENCE) == 0
        known, last = client.known(), client.graphs[-1].sequence
    assert path.exists(), "it is saved when the node ends"

    with with_map(path) as client:
        client.activate()
        client.until(lambda: client.graphs, "the map, without any frame")
        assert client.graphs[0].full
        assert client.graphs[0].sequence > last
        assert objects(client.known()) == objects(known)  # the last areas may not have been told
        client.stamp = 100.0
        client.look_around([*room(0, 0, 5, 3), TABLE, thing("Apple", (3.2, 1.8, 0.85), (0.1, 0.1, 0.1), movable=True)])
        client.until(lambda: client.status().get("frames_processed") == "8", "all frames")
        client.until(lambda: client.known().nodes[APPLE.id].center[0] > 3.1, "the apple's new place")
        back = client.call(LoadMap, "scene_graph/load", LoadMap.Request(path=str(tmp_path / "copy.map")))
        assert (back.result.code, back.scene, back.objects) == (Result.SUCCESS, "test", 2)
        client.until(lambda: client.known().nodes[APPLE.id].center[0] < 2.9, "the map that was loaded")
        assert [m.full for m in client.graphs].count(True) == 2

        before = client.known()
        (tmp_path / "copy.map").write_bytes((tmp_path / "copy.map").read_bytes()[:-9])
        for name, code in (("copy.map", Result.INVALID_ARGUMENT), ("none.map", Result.NOT_FOUND)):
            request = LoadMap.Request(path=str(tmp_path / name))
            answer = client.call(LoadMap, "scene_graph/load", request)
            assert answer.result.code == code
            assert name in answer.result.message
        (tmp_path / "letter.txt").write_text("dear reader")
        request = SaveMap.Request(path=str(tmp_path / "letter.txt"))
        assert client.call(SaveMap, "scene_graph/save", request).result.code == Result.REFUSED
        assert (tmp_path / "letter.txt").read_text() == "dear reader"
        full = client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request()).graph
        assert objects(apply_message(full, Graph())) == objects(before)


def test_a_damaged_map_keeps_the_node_unconfigured_and_is_left_as_it_is(tmp_path):
    path = tmp_path / "home.map"
    path.write_bytes(b"no map")
    with with_map(path) as client:
        request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CONFIGURE))
        assert not client.call(ChangeState, "perception/change_state", request).success
        client.process.send_signal(signal.SIGINT)
        _, said = client.process.communicate(timeout=PATIENCE)
        assert "no map of KARMA" in said
        assert "Traceback" not in said
    assert path.read_bytes() == b"no map"


def test_odometry_tells_where_a_mounted_camera_is():
    arguments = ("pose_source:=odometry", f"camera_mount:='0.0 0 1.1 0 {math.radians(25)} 0'", "map_frame:=odom")
    with running("--ros-args", *(a for argument in arguments for a in ("-p", argument))) as client:
        driven = client.node.create_publisher(Odometry, "odom", 50)
        client.activate(unused={"pose"})
        client.until(driven.get_subscription_count, "the subscription to odom")
        for i in range(9):
            yaw = math.radians(45 * i)
            base = Odometry(header=Header(frame_id="odom"), child_frame_id="base_link")
            base.pose.pose.position = Point(x=1.5, y=1.5)
            base.pose.pose.orientation = Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))
            messages = to_messages(shoot(WORLD, pose(1.5, 1.5, 45 * i, eye=1.1), stamp=1.0 + 0.1 * i))
            base.header.stamp = messages.pop("pose").header.stamp
            client.send(messages)
            driven.publish(base)
        client.until(lambda: APPLE.id in client.known().nodes, "the apple")
        assert math.dist(client.known().nodes[APPLE.id].center, APPLE.center) < 0.05


def test_odometry_without_a_mount_is_told_and_keeps_the_node_unconfigured():
    with running("--ros-args", "-p", "pose_source:=odometry") as client:
        request = ChangeState.Request(transition=Transition(id=Transition.TRANSITION_CONFIGURE))
        assert not client.call(ChangeState, "perception/change_state", request).success
        client.process.send_signal(signal.SIGINT)
        _, said = client.process.communicate(timeout=PATIENCE)
        assert "expected x y z (m) roll pitch yaw (rad)" in said


def test_a_camera_that_is_silent_is_told_in_the_diagnostics():
    with running() as client:
        client.activate()
        client.until(lambda: client.diagnostics, "diagnostics")
        assert client.diagnostics[0].status[0].message == "waiting for the first frame"
        client.until(lambda: client.diagnostics[-1].status[0].level == DiagnosticStatus.WARN, "a warning")
        assert "no camera messages" in client.diagnostics[-1].status[0].message


def test_an_interrupt_ends_the_process_cleanly():
    with running() as client:
        client.activate()
        client.look_around(count=2)
        client.process.send_signal(signal.SIGINT)
        _, said = client.process.communicate(timeout=PATIENCE)
        assert client.process.returncode == 0, said
        assert "Traceback" not in said


BROKEN = """
import sys
from karma_perception import perception_node
from karma_perception.pipeline import PerceptionPipeline

def graph(self):
    raise ZeroDivisionError("on purpose")

PerceptionPipeline.graph = graph
sys.exit(perception_node.main())
"""


def test_a_defect_ends_the_process_with_its_traceback_so_that_it_is_restarted():
    with running(program=("-c", BROKEN)) as client:
        client.activate()
        client.look_around(count=1)
        _, said = client.process.communicate(timeout=PATIENCE)
        assert client.process.returncode == 1
        assert "ZeroDivisionError: on purpose" in said
