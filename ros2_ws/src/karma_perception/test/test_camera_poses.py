# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where the camera was, by transforms and by odometry that come in beside its pictures."""

import math
from types import SimpleNamespace as Message

import numpy as np
import pytest

from karma_perception.frames.camera import FrameError
from karma_perception.frames.camera_poses import PATIENCE, OdometryPoses, PoseQueue, TransformPoses
from karma_perception.parameters import camera_mount
from karma_ros.parameters import ParameterError

S = 1_000_000_000
MOUNT = (0.1, 0.0, 1.1, 0.0, 0.3, 0.0)


def header(frame, second):
    return Message(frame_id=frame, stamp=Message(sec=int(second), nanosec=round((second - int(second)) * S)))


def quaternion(yaw=0.0, roll=0.0):
    cy, sy, cr, sr = math.cos(yaw / 2), math.sin(yaw / 2), math.cos(roll / 2), math.sin(roll / 2)
    return Message(x=cy * sr, y=sy * sr, z=sy * cr, w=cy * cr)


OPTICAL = Message(x=-0.5, y=0.5, z=-0.5, w=0.5)
"""Of an optical frame in its camera's (REP-103)."""


def transform(parent, child, second, xyz, rotation=None):
    x, y, z = xyz
    rotation = quaternion() if rotation is None else rotation
    return Message(
        header=header(parent, second),
        child_frame_id=child,
        transform=Message(translation=Message(x=x, y=y, z=z), rotation=rotation),
    )


def odometry(second, x, yaw=0.0, frame="odom"):
    pose = Message(position=Message(x=x, y=0.0, z=0.0), orientation=quaternion(yaw))
    return Message(header=header(frame, second), child_frame_id="base_link", pose=Message(pose=pose))


def robot(poses, second, x, yaw=0.0):
    """Tell what a robot that drives would: where odom is in map, and the base in odom."""
    poses.take(
        Message(
            transforms=[
                transform("map", "odom", second, (1.0, 0.0, 0.0)),
                transform("odom", "base_link", second, (x, 0.0, 0.0), quaternion(yaw)),
            ]
        ),
        0,
        fixed=False,
    )


def mounted(poses):
    poses.take(
        Message(
            transforms=[
                transform("base_link", "camera_link", 0.0, (0.1, 0.0, 1.1)),
                transform("camera_link", "camera_optical_frame", 0.0, (0.0, 0.0, 0.0), OPTICAL),
            ]
        ),
        0,
        fixed=True,
    )


def test_transforms_lead_from_the_optical_frame_to_the_map_at_the_picture_s_instant():
    poses = TransformPoses("map")
    mounted(poses)
    robot(poses, 10.0, 0.0)
    robot(poses, 10.2, 0.4)
    pose = poses.at("camera_optical_frame", int(10.1 * S), 0, reach=0)
    np.testing.assert_allclose(pose[:3, 3], (1.3, 0.0, 1.1), atol=1e-9)
    np.testing.assert_allclose(pose[:3, 2], (1.0, 0.0, 0.0), atol=1e-9)  # looks ahead
    np.testing.assert_allclose(pose[:3, 1], (0.0, 0.0, -1.0), atol=1e-9)  # its y points down
    assert poses.at("camera_optical_frame", int(10.3 * S), 0, reach=0) is None
    assert poses.at("another_camera", int(10.1 * S), 0, reach=0) is None
    assert "no transforms lead from 'another_camera' to 'map'" in poses.complaint("another_camera")
    assert "base_link" in poses.complaint("another_camera")
    assert "older or newer" in poses.complaint("camera_optical_frame")


def test_a_transform_that_is_none_is_told_and_the_others_count():
    poses = TransformPoses("map")
    mounted(poses)
    bad = transform("odom", "base_link", 10.0, (math.nan, 0.0, 0.0))
    with pytest.raises(FrameError, match="not finite"):
        poses.take(Message(transforms=[bad, transform("map", "odom", 10.0, (0.0, 0.0, 0.0))]), 0, fixed=False)
    assert "no transforms lead" in poses.complaint("camera_optical_frame")
    with pytest.raises(FrameError, match="circle"):
        poses.take(Message(transforms=[transform("base_link", "base_link", 10.0, (0.0, 0.0, 0.0))]), 0, fixed=False)
    robot(poses, 10.0, 0.0)
    assert poses.at("camera_optical_frame", 10 * S, 0, reach=0) is not None


def test_odometry_carries_the_mounted_camera():
    poses = OdometryPoses("odom", MOUNT)
    assert poses.at("", 10 * S, 0, reach=S) is None
    assert poses.complaint("") == "no odometry has come"
    poses.take(odometry(10.0, 0.0), 0)
    poses.take(odometry(10.2, 2.0, yaw=math.pi / 2), 0)
    pose = poses.at("", int(10.2 * S), 0, reach=0)
    np.testing.assert_allclose(pose[:3, 3], (2.0, 0.1, 1.1), atol=1e-9)
    np.testing.assert_allclose(pose[:3, 2], (0.0, math.cos(0.3), -math.sin(0.3)), atol=1e-9)  # to the left, and down
    assert poses.at("", int(10.1 * S), 0, reach=0)[0, 3] == pytest.approx(1.0 + 0.1 * math.cos(math.pi / 4))


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (odometry(10.0, 0.0, frame="map"), "in the frame 'map', expected 'odom'"),
        (odometry(10.0, math.inf), "not finite"),
    ],
)
def test_odometry_that_cannot_be_used_is_refused(message, complaint):
    poses = OdometryPoses("odom", MOUNT)
    with pytest.raises(FrameError, match=complaint):
        poses.take(message, 0)
    assert poses.at("", 10 * S, 0, reach=S) is None


def test_poses_of_long_ago_are_let_go():
    poses = TransformPoses("map")
    mounted(poses)
    for second in range(100):
        robot(poses, second, 0.1 * second)
    assert poses.at("camera_optical_frame", 10 * S, 0, reach=0) is None
    assert poses.at("camera_optical_frame", 90 * S, 0, reach=0)[0, 3] == pytest.approx(10.1)


def test_pictures_wait_for_their_pose_in_order():
    poses = OdometryPoses("odom", MOUNT)
    queue = PoseQueue(poses, capacity=10)
    queue.add("first", "", int(10.1 * S), now=0.0)
    queue.add("second", "", int(10.3 * S), now=0.1)
    assert list(queue.ready(0.1)) == []
    poses.take(odometry(10.0, 0.0), 0)
    assert list(queue.ready(0.1)) == []  # it may be halfway to where the next will tell
    poses.take(odometry(10.2, 2.0), 0)
    ((item, pose),) = queue.ready(0.2)
    assert item == "first"
    assert pose[0, 3] == pytest.approx(1.1)
    poses.take(odometry(10.4, 2.0), 0)
    assert [item for item, _ in queue.ready(0.2)] == ["second"]


def test_a_picture_whose_pose_does_not_come_goes_on_with_the_last_or_is_refused():
    poses = OdometryPoses("odom", MOUNT)
    queue = PoseQueue(poses, capacity=10)
    poses.take(odometry(10.0, 5.0), 0)
    queue.add("near", "", int(10.05 * S), now=0.0)
    queue.add("far", "", int(13.0 * S), now=0.0)
    found = queue.ready(PATIENCE)
    assert next(found)[0] == "near"
    with pytest.raises(FrameError, match="odometry is older or newer"):
        next(found)
    assert list(queue.ready(PATIENCE)) == []


def test_more_than_may_wait_do_not():
    queue = PoseQueue(OdometryPoses("odom", MOUNT), capacity=2)
    for number in range(3):
        queue.add(number, "", 10 * S, now=0.0)
    with pytest.raises(FrameError, match="no odometry has come"):
        list(queue.ready(0.0))
    assert list(queue.ready(0.0)) == []
    queue.clear()
    assert list(queue.ready(PATIENCE)) == []


@pytest.mark.parametrize("text", ["", "1 2 3", "0 0 1 0 0 nan", "0 0 one 0 0 0", "0 0 inf 0 0 0", "1 2 3 4 5 6 7"])
def test_a_mount_is_six_numbers(text):
    with pytest.raises(ParameterError, match="expected x y z"):
        camera_mount(text)
    assert camera_mount(" 0.1 0 1.1  0 0.3 0 ") == MOUNT
