# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder: what is published, in a bag that others read."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")
pytest.importorskip("rosbags", reason="rosbags is not installed")

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosbags.typesys import Stores, get_typestore
from sensor_msgs.msg import Image

from karma import bag_recorder
from karma.bag_recorder import BagRecorder, RecorderError, register
from karma_interfaces.msg import InstanceLabel, InstanceLabels
from karma_perception.recording.bag import Bag
from karma_perception.recording.findings import Findings
from karma_ros.client import GraphClient
from karma_ros.domain import claim_domain

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


@pytest.mark.ros
@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_what_is_published_is_in_the_bag_with_its_definitions(storage: str, tmp_path: Path) -> None:
    with (
        claim_domain(None) as domain,
        GraphClient(name="talker", namespace="robot1", domain_id=domain) as talker,
        GraphClient(name="recorder", namespace="robot1", domain_id=domain) as client,
    ):
        labels = talker.node.create_publisher(InstanceLabels, "camera/instance_labels", BEST_EFFORT)
        latched = talker.node.create_publisher(DiagnosticArray, "/fixed", LATCHED)
        points = talker.node.create_publisher(Point, "points", 10)
        latched.publish(DiagnosticArray())  # before anyone listens
        topics = ("camera/instance_labels", "/fixed", "points", "never")
        recorder = BagRecorder(client.node, tmp_path / "bag", topics, storage=storage)
        ended = threading.Event()
        sent = [0, 0]

        def publish() -> None:
            while not ended.wait(0.02):
                labels.publish(InstanceLabels(scene="home", labels=[InstanceLabel(value=sent[0], category="Mug")]))
                points.publish(Point(x=float(sent[1])))
                sent[0] += 1
                sent[1] += 1

        thread = threading.Thread(target=publish)
        thread.start()
        try:
            record_until(recorder, lambda: min(recorder.counts.values(), default=0) and recorder.counts.total() > 20)
        finally:
            ended.set()
            thread.join()
        assert recorder.missing == ["/robot1/never"]
        assert not recorder.lost

    findings = Findings()
    with Bag(tmp_path / "bag", findings) as bag:
        assert {t.name for t in bag.topics} == {"/robot1/camera/instance_labels", "/fixed", "/robot1/points"}
        found = list(bag.messages(["/robot1/camera/instance_labels"]))
        numbers = [m.message.labels[0].value for m in found]
        assert numbers == sorted(set(numbers))  # best effort may lose some
        assert abs(found[0].time - time.time_ns()) < 300 * 10**9
        assert bag.count(["/fixed"]) == 1
    assert not list(findings)


def record_until(recorder: BagRecorder, enough: Any) -> None:
    """Record until there is enough, then end it as Ctrl-C does."""
    deadline = time.monotonic() + 60

    def look() -> None:
        assert time.monotonic() < deadline, recorder.counts
        if enough():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        recorder.record(on_progress=look)


@pytest.mark.ros
@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize("raw", [False, True])
def test_pictures_take_less_room_unless_they_are_to_stay_as_they_are(storage: str, raw: bool, tmp_path: Path) -> None:
    data = bytes(range(256)) * (3 * 480 * 640 // 256)
    picture = Image(encoding="rgb8", height=480, width=640, step=3 * 640, data=data)
    with (
        claim_domain(None) as domain,
        GraphClient(name="talker", domain_id=domain) as talker,
        GraphClient(name="recorder", domain_id=domain) as client,
    ):
        talker.node.create_publisher(Image, "color", LATCHED).publish(picture)
        recorder = BagRecorder(client.node, tmp_path / "bag", ("color",), storage=storage, raw=raw)
        record_until(recorder, lambda: recorder.counts.total())
        assert not recorder.missing
    assert sum(file.stat().st_size for file in (tmp_path / "bag").iterdir()) < len(data) / 4
    with Bag(tmp_path / "bag", Findings()) as bag:
        (found,) = bag.messages([topic.name for topic in bag.topics])
    assert (found.topic, len(found.message.data) == len(data)) == ("/color" if raw else "/color/compressed", raw)
    assert not raw or bytes(found.message.data) == data


@pytest.mark.ros
def test_everything_is_recorded_but_what_is_hidden_or_left_out(tmp_path: Path) -> None:
    with (
        claim_domain(None) as domain,
        GraphClient(name="talker", domain_id=domain) as talker,
        GraphClient(name="recorder", domain_id=domain) as client,
    ):
        names = ("points", "robot1/points", "robot1/camera/points", "run/_action/points")
        publishers = [talker.node.create_publisher(Point, name, LATCHED) for name in names]
        for publisher in publishers:
            publisher.publish(Point())
        recorder = BagRecorder(client.node, tmp_path / "bag", None, exclude="camera/|rosout")
        record_until(recorder, lambda: {"/points", "/robot1/points"} <= recorder.counts.keys())
    assert {topic for topic in recorder.counts if topic.endswith("points")} == {"/points", "/robot1/points"}
    assert "/rosout" not in recorder.counts
    assert recorder.missing == []


@pytest.mark.ros
def test_a_folder_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    with claim_domain(None) as domain, GraphClient(name="recorder", domain_id=domain) as client:
        with pytest.raises(RecorderError, match="cannot be written"):
            BagRecorder(client.node, tmp_path, ["x"]).record(0.1)
        recorder = BagRecorder(client.node, tmp_path / "bag", ["x"])
        recorder.record(0.1)
        assert (recorder.missing, dict(recorder.counts)) == (["/x"], {})


def test_installed_types_are_found_with_what_they_use() -> None:
    store = get_typestore(Stores.EMPTY)
    register(store, "karma_interfaces/msg/InstanceLabels")
    assert {"karma_interfaces/msg/InstanceLabel", "std_msgs/msg/Header", "diagnostic_msgs/msg/KeyValue"} <= set(
        store.fielddefs
    )
    full = get_typestore(Stores.LATEST)
    assert store.hash_rihs01("std_msgs/msg/Header") == full.hash_rihs01("std_msgs/msg/Header")
    with pytest.raises(LookupError):
        register(store, "moon_msgs/msg/Crater")


@pytest.mark.ros
def test_a_bag_of_a_recorder_that_is_killed_has_all_but_the_last_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bag_recorder, "FLUSH_S", 0.2)
    killed = tmp_path / "killed"
    with (
        claim_domain(None) as domain,
        GraphClient(name="talker", domain_id=domain) as talker,
        GraphClient(name="recorder", domain_id=domain) as client,
    ):
        points = talker.node.create_publisher(Point, "points", LATCHED)
        points.publish(Point(x=7.0))
        recorder = BagRecorder(client.node, tmp_path / "bag", ("points",))

        def written() -> bool:
            """Take what is in the file while it is still open: that is all that a killed recorder leaves."""
            if recorder.counts.total() and (tmp_path / "bag" / "bag.mcap").stat().st_size:
                shutil.copytree(tmp_path / "bag", killed, dirs_exist_ok=True)
                return True
            return False

        record_until(recorder, written)
    findings = Findings()
    with Bag(killed, findings) as bag:
        assert [message.message.x for message in bag.messages(["/points"])] == [7.0]
    assert any("a recorder that was killed" in str(finding) for finding in findings)
