# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A bag that `./karma record` makes of the running simulator, and the graph that `./karma map` makes of the bag."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from click.testing import CliRunner
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message
from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader, StoragePlugin, Writer

from karma.bag_pictures import IMAGE, smaller
from karma.command.__main__ import main
from karma.graph import GraphArguments
from karma.supervision import running_graph
from karma_interfaces.action import ExecuteSkill
from karma_interfaces.msg import SkillCall
from karma_interfaces.srv import GetSceneGraph
from karma_memory.ros.bag import typestore
from karma_perception import conversions
from karma_perception.export import read_json
from karma_perception.frames.sensor_messages import stamp_nanoseconds
from karma_perception.frames.synchronizer import StampSynchronizer
from karma_perception.perception_node import INPUTS
from karma_perception.pipeline import PerceptionPipeline, PipelineOptions
from karma_perception.saved_map.file import read_map
from karma_perception.scene_graph import EdgeType, Layer, SceneGraph
from karma_ros.client import GraphClient

pytestmark = [pytest.mark.ros, pytest.mark.slow]

SCENE = "FloorPlan401"
NAMESPACE = "robot1"
TOLERANCE = 0.03
"""Metres. The node tells of changes from 0.02 m, and the recorder misses what the robot saw before it was started."""


@dataclass(frozen=True)
class Recorded:
    """A bag, what the live node made of the same pictures, and how many of those it dropped because it was busy."""

    folder: Path
    live: SceneGraph
    dropped: int


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """The robot explores while the recorder is on; SIGTERM ends the recorder."""
    folder = tmp_path_factory.mktemp("recorded")
    arguments = GraphArguments(scene=SCENE, namespace=NAMESPACE, database=str(folder / "memory.sqlite3"))
    with running_graph(arguments, log_folder=folder / "log") as graph:
        graph.wait_active(180.0)
        recorder = command(
            *("record", "--raw", "--namespace", NAMESPACE, "--out", str(folder / "bag")),
            ROS_DOMAIN_ID=str(graph.domain_id),
        )
        try:
            with GraphClient(name="karma_test", namespace=NAMESPACE, domain_id=graph.domain_id) as client:
                heard: list[Any] = []
                client.node.create_subscription(DiagnosticArray, "/diagnostics", heard.append, 50)
                topics = [topic for topic, _ in INPUTS.values()]
                assert wait(lambda: all(listeners(client, t) == 2 for t in topics)), "the recorder does not listen"
                goal = ExecuteSkill.Goal(call=SkillCall(skill="Explore"))
                client.run_action(ExecuteSkill, "execute_skill", goal, timeout=300.0)
                known = len(perception_in(heard))
                assert wait(lambda: [v for v in perception_in(heard)[known + 1 :] if v["frames_waiting"] == "0"])
                recorder.send_signal(signal.SIGTERM)
                answer = client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request(), timeout=30.0)
                output = recorder.communicate(timeout=60)[1]
                assert recorder.returncode == 0, output
                live = conversions.apply_message(answer.graph, SceneGraph())
                yield Recorded(folder / "bag", live, int(perception_in(heard)[-1]["frames_dropped"]))
        finally:
            recorder.kill()
            recorder.wait()


def command(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "karma.command", *arguments],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def perception_in(diagnostics: list[Any]) -> list[dict[str, str]]:
    """Return what perception has reported, oldest first."""
    return [
        {kv.key: kv.value for kv in status.values}
        for message in diagnostics
        for status in message.status
        if status.name == f"{NAMESPACE}/perception: perception"
    ]


def listeners(client: GraphClient, topic: str) -> int:
    return int(client.node.count_subscribers(client.node.resolve_topic_name(topic)))


def wait(condition: Any, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return bool(condition())


def objects(graph: SceneGraph) -> dict[str, Any]:
    return {n.id: n for n in graph.layer(Layer.OBJECT)}


def frames_as_the_node_makes_them(folder: Path) -> Iterator[Any]:
    """Yield what the node's own synchroniser and conversions make of the bag's messages."""
    streams = {f"/{NAMESPACE}/{topic}": (stream, kind) for stream, (topic, kind) in INPUTS.items()}
    synchronizer: StampSynchronizer[Any] = StampSynchronizer(
        list(INPUTS), capacity=50, max_bytes=2**29, size=conversions.data_size
    )
    with Reader(folder) as reader:
        for connection, _, data in reader.messages([c for c in reader.connections if c.topic in streams]):
            stream, kind = streams[connection.topic]
            message = deserialize_message(data, kind)
            group = synchronizer.add(stream, stamp_nanoseconds(message.header.stamp), message)
            if group is not None:
                yield conversions.to_frame(**group, map_frame="map")


def test_the_bag_gives_the_graph_of_the_live_node(recorded: Recorded, tmp_path: Path) -> None:
    config = Path(__file__).resolve().parents[1] / "ros2_ws/src/karma/config/perception.yaml"
    arguments = ("--bag", str(recorded.folder), "--out", str(tmp_path), "--json", str(tmp_path / "report"))
    arguments += ("--params", str(config), "--map", str(tmp_path / "home.map"))
    result = CliRunner().invoke(main, ["map", *arguments])
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "report").read_text())
    assert report["frames"] >= report["depth_images"] - 5 > 10  # the first may be cut by the recorder's start
    assert (tmp_path / "scene_graph.png").stat().st_size > 10_000
    graph = read_json(tmp_path / "scene_graph.json")

    mapped, live = objects(graph), objects(recorded.live)
    assert len(live) > 10
    # What only a dropped picture showed, the live node cannot know.
    assert len(mapped.keys() ^ live.keys()) <= (0.05 * len(mapped) if recorded.dropped else 0)
    for name in mapped.keys() & live.keys():
        assert math.dist(mapped[name].center, live[name].center) < TOLERANCE, name
        assert mapped[name].category == live[name].category
    assert len(graph.layer(Layer.FLOOR)) == len(recorded.live.layer(Layer.FLOOR)) == 1
    assert len(graph.layer(Layer.ROOM)) == len(recorded.live.layer(Layer.ROOM))

    # Without dropped frames and the tolerance of the node's updates, both are the same to the last bit.
    pipeline = PerceptionPipeline()
    for frame in frames_as_the_node_makes_them(recorded.folder):
        pipeline.update(frame)
    assert pipeline.graph() == graph

    # The node can go on with the map of a recording.
    resumed = PerceptionPipeline()
    resumed.resume(read_map(tmp_path / "home.map", PipelineOptions()).state)
    assert resumed.graph() == graph


def test_pictures_that_take_less_room_give_the_same_things(recorded: Recorded, tmp_path: Path) -> None:
    types = typestore()
    with (
        Reader(recorded.folder) as reader,
        Writer(tmp_path / "small", version=9, storage_plugin=StoragePlugin.MCAP) as writer,
    ):
        connections: dict[str, Connection] = {}
        for connection, time_, data in reader.messages():
            topic, kind = connection.topic, connection.msgtype
            if kind == IMAGE:
                topic, kind, data = smaller(topic, bytes(data), types)
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=types)
            writer.write(connections[topic], time_, data)
    graphs = []
    for folder in (recorded.folder, tmp_path / "small"):
        out = tmp_path / f"of_{folder.name}"
        result = CliRunner().invoke(main, ["map", "--bag", str(folder), "--out", str(out)])
        assert result.exit_code == 0, result.output
        graphs.append(read_json(out / "scene_graph.json"))
    raw, small = map(objects, graphs)
    assert raw.keys() == small.keys()
    for name, node in raw.items():
        assert math.dist(node.center, small[name].center) < TOLERANCE, name
        assert (node.category, node.states, node.receptacle) == (
            small[name].category,
            small[name].states,
            small[name].receptacle,
        )
    relations = [{key for key in graph.edges if key[0] is not EdgeType.NEAR} for graph in graphs]
    assert relations[0] == relations[1]


def test_ctrl_c_leaves_the_map_of_what_was_read(recorded: Recorded, tmp_path: Path) -> None:
    mapping = command("map", "--bag", str(recorded.folder), "--out", str(tmp_path), "--json", str(tmp_path / "report"))
    assert mapping.stderr is not None
    while not (line := mapping.stderr.readline()).startswith("camera:"):
        assert line, "it ended before it began"
    time.sleep(1.0)
    mapping.send_signal(signal.SIGINT)
    output = mapping.stderr.read()
    mapping.communicate(timeout=60)
    assert mapping.returncode == 130, output
    if (tmp_path / "report").exists():  # it was at the frames already
        assert "the map of what was read so far" in output
        assert json.loads((tmp_path / "report").read_text())["interrupted"]
        read_json(tmp_path / "scene_graph.json").check()


def test_what_cannot_be_mapped_is_told_in_a_line_or_two(recorded: Recorded, tmp_path: Path) -> None:
    os.environ.setdefault("KARMA_ROOT", str(tmp_path))

    def refused(*arguments: str) -> str:
        result = CliRunner().invoke(main, ["map", "--out", str(tmp_path), *arguments])
        assert result.exit_code in (1, 2), result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return str(result.output)

    bag = ("--bag", str(recorded.folder))
    assert "does not exist" in refused("--bag", str(tmp_path / "nowhere"))
    assert "has no topic /eye; it has:" in refused(*bag, "--depth", "/eye")
    assert "detector_model" in refused(*bag, "--detector", "onnx")
    assert "expected 0.01 to 1.0" in refused(*bag, "--set", "voxel_size=7")
    assert "there is no parameter 'colour'" in refused(*bag, "--set", "colour=red")
    assert "has no ros__parameters" in refused(*bag, "--params", _file(tmp_path / "empty.yaml", "a: 1"))
    assert "can't be read as YAML" in refused(*bag, "--params", _file(tmp_path / "bad.yaml", "a: [1"))
    words = _file(tmp_path / "words.yaml", "perception: {ros__parameters: [words]}")
    assert "can't be read as YAML" in refused(*bag, "--params", words)


def _file(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)
