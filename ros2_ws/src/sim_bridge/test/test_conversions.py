# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages say what this package's types say."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("karma_interfaces.msg", reason="needs karma_interfaces to be built")
pytest.importorskip("sensor_msgs.msg", reason="needs ROS 2")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Quaternion, TransformStamped

from karma_interfaces.msg import Result, SceneEdge, SceneNode, SkillCall, SkillTarget
from karma_interfaces.msg import SkillSpec as SkillSpecMsg
from sim_bridge.backend import (
    Code,
    InstanceLabel,
    Intrinsics,
    Located,
    Observation,
    Outcome,
    Pose2D,
    SeenObject,
    Skill,
    Target,
)
from sim_bridge.conversions import (
    camera_info_to,
    fixed_transforms,
    graph_to,
    image_to,
    labels_to,
    moving_transforms,
    odometry_to,
    outcome_to,
    pose_to,
    quaternion_to,
    skill_from,
    skill_spec_to,
    spoken,
)
from sim_bridge.household.views import camera_pose
from sim_bridge.skills import SKILLS

STAMP = Time(sec=12, nanosec=34)
APPLE = SeenObject("Apple|1", "Apple", (1.0, 2.0, 0.9), (0.1, 0.1, 0.12), True, {"isSliced": "false"}, "Table|1", "on")
TABLE = SeenObject("Table|1", "DiningTable", (1.0, 2.0, 0.4), (1.0, 2.0, 0.8), False)


def matrix(message: TransformStamped) -> np.ndarray:
    t, q = message.transform.translation, message.transform.rotation
    made = np.eye(4)
    made[:3, :3] = rotation(q)
    made[:3, 3] = t.x, t.y, t.z
    return made


def rotation(q: Quaternion) -> np.ndarray:
    x, y, z, w = q.x, q.y, q.z, q.w
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def observation(robot: Pose2D, pose: np.ndarray) -> Observation:
    return Observation(
        stamp=0.0,
        rgb=np.zeros((2, 3, 3), np.uint8),
        depth=np.zeros((2, 3), np.float32),
        intrinsics=Intrinsics(3, 2, 1.5, 1.5, 1.0, 0.5),
        camera_pose=pose,
        robot=robot,
        instances=np.zeros((2, 3), np.uint16),
        labels={7: InstanceLabel("Apple|1", "Apple", True, {"isOpen": "true"}, 0.5)},
        held="Egg|2",
    )


def test_codes_equal_those_of_the_messages() -> None:
    for code in Code:
        assert getattr(Result, code.name) == code


def test_a_call_becomes_a_skill() -> None:
    call = SkillCall(
        skill="Place",
        target=SkillTarget(id="Apple|1", category="Apple", has_position=True, position=Point(x=1.0, y=2.0, z=3.0)),
        receptacle=SkillTarget(category="Bowl", position=Point(x=9.0)),
        relation="in",
        positions=[Point(x=4.0, y=5.0, z=6.0)],
        duration=1.5,
    )
    assert skill_from(call) == Skill(
        "Place", Target("Apple|1", "Apple", (1.0, 2.0, 3.0)), Target("", "Bowl", None), "in", ((4.0, 5.0, 6.0),), 1.5
    )


def test_an_outcome_becomes_a_message() -> None:
    outcome = Outcome(Code.NOT_FOUND, "no apple", (APPLE,), explore_steps=4, duration=2.5, distance=1.25)
    assert list(outcome_to(outcome, SkillCall(skill="Explore"), STAMP).position) == []
    message = outcome_to(outcome, SkillCall(skill="Explore"), STAMP, Pose2D(1.0, -2.0, 0.5, z=3.0))
    assert [(p.x, p.y, p.z) for p in message.position] == [(1.0, -2.0, 3.0)]
    assert (message.result.code, message.result.message) == (Result.NOT_FOUND, "no apple")
    assert (message.call.skill, message.explore_steps, message.duration, message.distance) == ("Explore", 4, 2.5, 1.25)
    node = message.seen[0]
    assert (node.id, node.category, node.layer, node.movable) == ("Apple|1", "Apple", SceneNode.OBJECT, True)
    assert (node.pose.position.x, node.pose.position.z, node.size.z) == (1.0, 0.9, 0.12)
    assert (node.receptacle, node.relation) == ("Table|1", "on")
    assert [(s.key, s.value) for s in node.states] == [("isSliced", "false")]
    assert node.last_seen == message.stamp == STAMP


def test_ground_truth_becomes_a_full_graph_with_relations() -> None:
    graph = graph_to([APPLE, TABLE], "home1", STAMP)
    assert graph.full
    assert graph.header.frame_id == "map"
    assert graph.scene == "home1"
    assert [(e.type, e.source, e.target) for e in graph.edges] == [(SceneEdge.ON, "Apple|1", "Table|1")]
    assert graph.edges[0].weight == pytest.approx(0.5)


@pytest.mark.parametrize("name", SKILLS)
def test_every_skill_of_the_table_fits_a_message(name: str) -> None:
    message = skill_spec_to(SKILLS[name])
    assert isinstance(message, SkillSpecMsg)
    assert message.name == name
    assert message.description
    assert {p.type for p in message.parameters} <= {"object", "receptacle", "room", "text", "points", "seconds"}


@pytest.mark.parametrize(
    ("pixels", "encoding", "step"),
    [
        (np.arange(18, dtype=np.uint8).reshape(2, 3, 3), "rgb8", 9),
        (np.arange(6, dtype=np.float32).reshape(2, 3), "32FC1", 12),
        (np.arange(6, dtype=np.uint16).reshape(2, 3), "16UC1", 6),
        (np.arange(12, dtype=np.uint16).reshape(2, 6)[:, ::2], "16UC1", 6),
    ],
)
def test_an_image_keeps_every_pixel(pixels: np.ndarray, encoding: str, step: int) -> None:
    image = image_to(pixels, encoding, STAMP)
    assert (image.height, image.width, image.step, image.encoding) == (2, 3, step, encoding)
    assert (image.header.frame_id, image.header.stamp) == ("camera_optical_frame", STAMP)
    np.testing.assert_array_equal(np.frombuffer(bytes(image.data), pixels.dtype).reshape(pixels.shape), pixels)


def test_camera_info_has_the_intrinsics_in_k_and_p() -> None:
    info = camera_info_to(Intrinsics(640, 480, 320.0, 321.0, 319.5, 239.5), STAMP)
    assert info.k.tolist() == [320.0, 0, 319.5, 0, 321.0, 239.5, 0, 0, 1]
    assert info.p.tolist() == [320.0, 0, 319.5, 0, 0, 321.0, 239.5, 0, 0, 0, 1, 0]
    assert (info.width, info.height) == (640, 480)


def test_labels_carry_scene_held_object_and_states() -> None:
    message = labels_to(observation(Pose2D(0, 0, 0), np.eye(4)), "home1", 3, STAMP)
    assert message.resets == 3
    label = message.labels[0]
    assert (message.scene, message.held, label.value, label.id, label.score) == ("home1", "Egg|2", 7, "Apple|1", 0.5)
    assert [(s.key, s.value) for s in label.states] == [("isOpen", "true")]


@pytest.mark.parametrize("seed", range(20))
def test_a_quaternion_is_the_rotation_it_came_from(seed: int) -> None:
    axes, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
    axes *= np.sign(np.linalg.det(axes))
    q = quaternion_to(axes)
    np.testing.assert_allclose(rotation(q), axes, atol=1e-9)
    assert math.hypot(q.x, q.y, q.z, q.w) == pytest.approx(1.0)
    assert q.w >= 0


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_half_turns_have_quaternions_too(axis: int) -> None:
    half_turn = -np.eye(3)
    half_turn[axis, axis] = 1.0
    np.testing.assert_allclose(rotation(quaternion_to(half_turn)), half_turn, atol=1e-12)


def test_a_camera_that_looks_along_x_has_ros_s_usual_optical_rotation() -> None:
    q = pose_to(camera_pose((1, 2, 3), 0.0), STAMP).pose.orientation
    np.testing.assert_allclose([q.x, q.y, q.z, q.w], [-0.5, 0.5, -0.5, 0.5])


def test_transforms_chain_from_the_map_to_the_camera_s_pose() -> None:
    pose = camera_pose((1.0, -2.0, 4.1), 0.7, 0.4)
    map_odom, camera_optical = fixed_transforms(STAMP)
    odom_base, base_camera = moving_transforms(Located(Pose2D(1.0, -2.0, 0.7, 3.0), pose), STAMP)
    chain = [map_odom, odom_base, base_camera, camera_optical]
    assert [(t.header.frame_id, t.child_frame_id) for t in chain] == [
        ("map", "odom"),
        ("odom", "base_link"),
        ("base_link", "camera_link"),
        ("camera_link", "camera_optical_frame"),
    ]
    np.testing.assert_allclose(np.linalg.multi_dot([matrix(t) for t in chain]), pose, atol=1e-9)
    assert base_camera.transform.translation.z == pytest.approx(1.1)


def test_odometry_is_the_base_s_pose() -> None:
    odometry = odometry_to(Pose2D(1.0, 2.0, math.pi / 2, 3.0), STAMP)
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_link")
    pose = odometry.pose.pose
    assert (pose.position.x, pose.position.y, pose.position.z) == (1.0, 2.0, 3.0)
    np.testing.assert_allclose(rotation(pose.orientation) @ [1, 0, 0], [0, 1, 0], atol=1e-12)


def test_odometry_says_how_sure_it_is() -> None:
    odometry = odometry_to(Pose2D(1.0, 2.0, 0.0, 3.0), STAMP)
    pose, twist = (np.reshape(part.covariance, (6, 6)) for part in (odometry.pose, odometry.twist))
    assert np.count_nonzero(pose) == np.count_nonzero(twist) == 6
    known = [0, 1, 2, 5]  # x, y, z and yaw; it stays upright, and nobody measures that
    assert np.all(np.diag(pose)[known] == 0.01**2)
    assert np.all(np.diag(pose)[[3, 4]] >= 1e6)
    assert np.all(np.diag(twist) >= 1e6)


@pytest.mark.parametrize(("category", "words"), [("SoapBottle", "soap bottle"), ("CD", "cd"), ("TVStand", "tvstand")])
def test_people_read_a_category_as_words(category: str, words: str) -> None:
    assert spoken(category) == words
