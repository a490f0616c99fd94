# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The running graph: what docs/architecture.md promises, over ROS, between real processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("rclpy", reason="needs ROS 2: run ./karma test")

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rclpy.qos import (
    DurabilityPolicy,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
    qos_check_compatible,
    qos_profile_sensor_data,
)
from sensor_msgs.msg import CameraInfo, Image
from visualization_msgs.msg import MarkerArray

from karma_interfaces.action import ExecuteInstruction, ExecuteSkill
from karma_interfaces.msg import InstanceLabels, MemoryEvent, SceneGraph, SceneNode, SkillCall
from karma_interfaces.srv import GetMemoryStats, GetSceneGraph, ListSkills, Recall, Remember
from karma_ros.client import GraphError
from karma_ros.result_codes import code_name

pytestmark = [pytest.mark.ros, pytest.mark.slow]

LONG = "Wash an apple and put it in the fridge, then put a potato in the microwave, then put the pan in the sink."
"""An instruction that keeps the robot busy for a while."""

LATCHED = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
CAMERA = {
    "camera/color/image_raw": Image,
    "camera/depth/image_raw": Image,
    "camera/instances": Image,
    "camera/color/camera_info": CameraInfo,
    "camera/depth/camera_info": CameraInfo,
    "camera/instance_labels": InstanceLabels,
    "camera/pose": PoseStamped,
}

RVIZ = Path(__file__).resolve().parents[1] / "ros2_ws" / "src" / "karma" / "rviz" / "karma.rviz"
SHOWN = {
    "rviz_default_plugins/Map": "nav_msgs/msg/OccupancyGrid",
    "rviz_default_plugins/MarkerArray": "visualization_msgs/msg/MarkerArray",
    "rviz_default_plugins/Odometry": "nav_msgs/msg/Odometry",
    "rviz_default_plugins/Image": "sensor_msgs/msg/Image",
}
"""What rviz's displays subscribe to, by their class. RobotModel's and TF's publishers are no part of the wheels."""


def stamp_of(message: Any) -> tuple[int, int]:
    return message.header.stamp.sec, message.header.stamp.nanosec


def listen(client, topic: str, kind: type, qos: Any = qos_profile_sensor_data) -> list[Any]:
    heard: list[Any] = []
    client.node.create_subscription(kind, topic, heard.append, qos)
    return heard


def instruct(client, text: str, **options: Any) -> Any:
    goal = ExecuteInstruction.Goal(instruction=text, **options)
    return client.run_action(ExecuteInstruction, "execute_instruction", goal, timeout=300.0, connect_timeout=60.0)


def explore(client) -> None:
    goal = ExecuteSkill.Goal(call=SkillCall(skill="Explore"))
    outcome = client.run_action(ExecuteSkill, "execute_skill", goal, timeout=300.0, connect_timeout=60.0).outcome
    assert code_name(outcome.result) == "SUCCESS", outcome.result.message


def categories(client, service: str) -> set[str]:
    """Return the categories of the objects in a scene graph."""
    response = client.call(GetSceneGraph, service, GetSceneGraph.Request())
    return {node.category for node in response.graph.nodes if node.layer == SceneNode.OBJECT}


def test_every_display_of_rviz_has_a_publisher_of_its_type_that_it_can_hear(client, eventually) -> None:
    displays = yaml.safe_load(RVIZ.read_text())["Visualization Manager"]["Displays"]
    wanted = {d["Topic"]["Value"]: d for d in displays if "Topic" in d}
    assert len(wanted) == 7
    for topic, display in wanted.items():
        name = client.node.resolve_topic_name(topic)
        assert eventually(lambda name=name: client.node.get_publishers_info_by_topic(name)), f"nobody publishes {name}"
        (publisher,) = client.node.get_publishers_info_by_topic(name)
        assert publisher.topic_type == SHOWN[display["Class"]]
        asked = QoSProfile(
            depth=1,
            reliability=ReliabilityPolicy[display["Topic"]["Reliability Policy"].upper().replace(" ", "_")],
            durability=DurabilityPolicy[display["Topic"]["Durability Policy"].upper().replace(" ", "_")],
        )
        compatible, why = qos_check_compatible(publisher.qos_profile, asked)
        assert compatible != QoSCompatibility.ERROR, f"{name}: {why}"


def test_camera_topics_of_one_instant_carry_one_stamp(client, eventually) -> None:
    heard = {topic: listen(client, topic, kind) for topic, kind in CAMERA.items()}

    def common() -> set[tuple[int, int]]:
        return set.intersection(*({stamp_of(message) for message in messages} for messages in heard.values()))

    assert eventually(common), {topic: len(messages) for topic, messages in heard.items()}
    stamp = common().pop()
    at = {topic: next(m for m in messages if stamp_of(m) == stamp) for topic, messages in heard.items()}
    color, depth, instances = (at[f"camera/{name}"] for name in ("color/image_raw", "depth/image_raw", "instances"))
    assert (color.encoding, depth.encoding, instances.encoding) == ("rgb8", "32FC1", "16UC1")
    for image in (color, depth, instances):
        assert (image.width, image.height) == (color.width, color.height)
        assert len(image.data) == image.step * image.height
    assert at["camera/color/camera_info"].k[0] > 0
    assert at["camera/pose"].header.frame_id == "map"


def test_odometry_arrives(client, eventually) -> None:
    heard = listen(client, "odom", Odometry)
    assert eventually(lambda: heard)
    assert heard[0].header.frame_id == "odom"
    assert heard[0].child_frame_id == "base_link"


def test_every_node_reports_to_diagnostics(client, graph, eventually) -> None:
    heard = listen(client, "/diagnostics", DiagnosticArray, 10)
    expected = set(graph.names)

    def reported() -> set[str]:
        return {status.name.partition(":")[0] for message in heard for status in message.status}

    assert eventually(lambda: reported() == expected), expected ^ reported()
    assert all(status.hardware_id for message in heard for status in message.status)


def test_bridge_lists_the_skills_of_both_papers(client) -> None:
    response = client.call(ListSkills, "list_skills", ListSkills.Request())
    assert code_name(response.result) == "SUCCESS"
    names = {skill.name for skill in response.skills}
    assert {"Explore", "GoToObject", "PickupObject", "PutObject", "OpenObject", "SliceObject"} <= names
    assert {"Navigate", "Pick", "Place", "Wait", "FindObject", "DescribeObject"} <= names


def test_unknown_skill_is_refused_with_a_message(client) -> None:
    goal = ExecuteSkill.Goal(call=SkillCall(skill="TeleportObject"))
    outcome = client.run_action(ExecuteSkill, "execute_skill", goal, connect_timeout=60.0).outcome
    assert code_name(outcome.result) == "INVALID_ARGUMENT"
    assert "TeleportObject" in outcome.result.message


def test_exploring_fills_the_scene_graph_and_the_memory(client, eventually) -> None:
    deltas = listen(client, "scene_graph", SceneGraph, LATCHED)
    markers = listen(client, "scene_graph/markers", MarkerArray, 10)
    explore(client)
    for service in ("scene_graph/get_full", "memory/get_scene_graph"):
        assert eventually(lambda service=service: {"Fridge", "CounterTop"} <= categories(client, service)), service
    full = client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request()).graph
    assert {node.layer for node in full.nodes} == {SceneNode.FLOOR, SceneNode.ROOM, SceneNode.AREA, SceneNode.OBJECT}
    ids = {node.id for node in full.nodes}
    assert all(node.parent in ids for node in full.nodes if node.layer != SceneNode.FLOOR)
    assert eventually(lambda: deltas and markers), (len(deltas), len(markers))


def test_what_is_told_is_recalled(client) -> None:
    event = MemoryEvent(kind=MemoryEvent.TOLD, user="ann", text="Ann keeps her sewing kit in the blue box.")
    stored = client.call(Remember, "memory/remember", Remember.Request(events=[event]))
    assert code_name(stored.result) == "SUCCESS"
    request = Recall.Request(query="where is the sewing kit?", user="ann")
    response = client.call(Recall, "memory/recall", request)
    assert any("sewing kit" in recollection.text for recollection in response.recollections)
    assert "sewing kit" in response.prompt


def test_instruction_is_understood_carried_out_and_remembered(client, eventually) -> None:
    stages: list[int] = []
    goal = ExecuteInstruction.Goal(instruction="Open the fridge.")
    result = client.run_action(
        ExecuteInstruction,
        "execute_instruction",
        goal,
        on_feedback=lambda feedback: stages.append(feedback.stage),
        timeout=300.0,
        connect_timeout=60.0,
    )
    assert code_name(result.result) == "SUCCESS", result.result.message
    assert "OpenObject" in [outcome.call.skill for outcome in result.skills]
    assert eventually(lambda: ExecuteInstruction.Feedback.ACT in stages), stages
    stats = client.call(GetMemoryStats, "memory/stats", GetMemoryStats.Request())
    assert code_name(stats.result) == "SUCCESS"


@pytest.mark.parametrize("text", ["put the moon in the fridge", "xyzzy plugh", ""])
def test_wrong_instruction_gets_a_named_code_and_a_message(client, text: str) -> None:
    result = instruct(client, text).result
    assert code_name(result) in ("NOT_FOUND", "NOT_UNDERSTOOD", "INVALID_ARGUMENT", "PLANNING_FAILURE")
    assert result.message


def test_dry_run_plans_without_moving(client) -> None:
    result = instruct(client, "Close the fridge.", dry_run=True)
    assert code_name(result.result) == "SUCCESS", result.result.message
    assert result.goals


def test_cancelled_instruction_ends_as_canceled(client) -> None:
    action = client.connected(ExecuteInstruction, "execute_instruction", 60.0)
    acting = threading.Event()

    def on_feedback(message: Any) -> None:
        if message.feedback.stage == ExecuteInstruction.Feedback.ACT:
            acting.set()

    goal = ExecuteInstruction.Goal(instruction=LONG, ignore_memory=True)
    handle = finished(action.send_goal_async(goal, on_feedback))
    assert handle.accepted
    result = handle.get_result_async()
    assert acting.wait(120)
    finished(handle.cancel_goal_async())
    assert code_name(finished(result).result.result) == "CANCELED"


def finished(future: Any) -> Any:
    """Wait for a future that the client's own thread completes."""
    deadline = time.monotonic() + 120
    while not future.done() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert future.done()
    return future.result()


def test_one_instruction_at_a_time_or_a_clear_refusal(client) -> None:
    """A second instruction while one runs is either queued or refused, and never breaks the first."""
    answers: list[Any] = []
    other = threading.Thread(target=lambda: answers.append(attempt(client, "Open the fridge.")))
    other.start()
    mine = attempt(client, "Close the fridge.")
    other.join(timeout=300)
    assert len(answers) == 1
    assert "SUCCESS" in (mine, answers[0])
    assert {mine, answers[0]} <= {"SUCCESS", "REJECTED", "UNAVAILABLE", "PRECONDITION_FAILURE"}


def attempt(client, text: str) -> str:
    try:
        return code_name(instruct(client, text).result)
    except GraphError as error:
        return "REJECTED" if "rejected" in str(error) else str(error)


@pytest.mark.parametrize("name", ["memory_server", "sim_bridge", "perception", "planner", "lifecycle_manager"])
def test_killed_node_comes_back_and_the_graph_works_again(graph, client, eventually, name: str) -> None:
    held = instruct(client, "Pick up the apple.")
    assert code_name(held.result) == "SUCCESS", held.result.message
    before = graph.pids[name]
    os.kill(before, signal.SIGKILL)
    assert eventually(lambda: graph.pids.get(name, before) != before)
    graph.wait_active(180)
    # A simulator that was restarted is back at its beginning, with the apple on the counter, never in the sink.
    result = instruct(client, "Put the apple in the sink.")
    assert code_name(result.result) == "SUCCESS", result.result.message
    assert "PutObject" in [outcome.call.skill for outcome in result.skills]
    assert len(result.skills) < 40  # a restarted planner knows, or feels, what the robot holds


def test_node_killed_during_an_instruction_is_an_error_and_not_a_hang(graph, client) -> None:
    def kill_when_acting(feedback: Any) -> None:
        if feedback.stage == ExecuteInstruction.Feedback.ACT and not killed:
            killed.append(graph.pids["sim_bridge"])
            os.kill(killed[0], signal.SIGKILL)

    killed: list[int] = []
    goal = ExecuteInstruction.Goal(instruction=LONG, ignore_memory=True)
    try:
        result = client.run_action(
            ExecuteInstruction,
            "execute_instruction",
            goal,
            on_feedback=kill_when_acting,
            timeout=300.0,
            connect_timeout=60.0,
        )
        assert killed
        assert code_name(result.result) not in ("UNSET", "TIMEOUT")
        assert result.result.message or code_name(result.result) == "SUCCESS"
    finally:
        graph.wait_active(180)


def test_remembered_position_needs_no_exploring(client, eventually) -> None:
    explore(client)
    assert eventually(lambda: "Fridge" in categories(client, "memory/get_scene_graph"))  # perception may lag behind
    result = instruct(client, "Open the fridge.")
    assert code_name(result.result) == "SUCCESS", result.result.message
    assert result.explore_steps == 0
