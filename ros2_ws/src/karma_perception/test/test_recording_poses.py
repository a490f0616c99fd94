# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Where the camera was, from every source that recordings have."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")
pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")

from bag_writer import DEPTH, OPTICAL, POSE, START, make, odometry, script, transforms, world_frames

from karma_perception.recording.bag import BagError
from karma_perception.recording.findings import Findings
from karma_perception.recording.frames import Recording
from karma_perception.recording.options import RecordingOptions

COUNT = 4
TF = "tf2_msgs/msg/TFMessage"
ODOMETRY = "nav_msgs/msg/Odometry"

BODY_TO_OPTICAL = np.array([[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""REP-103: x forward, y left, z up; optical z forward, x right, y down."""
BASE_TO_BODY = np.array([[1.0, 0.0, 0.0, 0.2], [0.0, 1.0, 0.0, 0.1], [0.0, 0.0, 1.0, 1.1], [0.0, 0.0, 0.0, 1.0]])


@pytest.fixture(scope="module")
def frames():
    return world_frames(COUNT)


@pytest.fixture
def bag(frames):
    """Messages without any pose."""
    made = script(frames)
    made.drop(POSE)
    return made


def bases(frames):
    return [f.camera_pose @ np.linalg.inv(BASE_TO_BODY @ BODY_TO_OPTICAL) for f in frames]


def poses(path, **options):
    """Return the poses of a bag's frames, and the words for their source."""
    with Recording(path, RecordingOptions(**options), Findings(), with_instances=True) as recording:
        return [f.camera_pose for f in recording.frames()], recording.poses.description


def same(found, frames):
    assert len(found) == len(frames)
    for pose, frame in zip(found, frames, strict=True):
        np.testing.assert_allclose(pose, frame.camera_pose, atol=1e-9)


def add_transforms(bag, frames, *, root="map"):
    bag.add("/tf_static", TF, START - 1.0, **transforms(START - 1.0, ("base_link", "camera_link", BASE_TO_BODY)))
    bag.add("/tf_static", TF, START - 1.0, **transforms(START - 1.0, ("camera_link", OPTICAL, BODY_TO_OPTICAL)))
    for frame, base in zip(frames, bases(frames), strict=True):
        bag.add("/tf", TF, frame.stamp + 0.02, **transforms(frame.stamp, (root, "base_link", base)))


@pytest.mark.parametrize("root", ["map", "odom", "world", "kinect_home"])
def test_transforms(bag, frames, tmp_path, root):
    add_transforms(bag, frames, root=root)
    found, words = poses(bag.write(tmp_path / "bag"))
    same(found, frames)
    assert words == f"{OPTICAL} in {root}, by transforms"


def test_transforms_between_the_images_are_interpolated(bag, frames, tmp_path):
    bag.add(
        "/tf_static", TF, START - 1.0, **transforms(START - 1.0, ("base_link", OPTICAL, BASE_TO_BODY @ BODY_TO_OPTICAL))
    )
    for frame, base in zip(frames, bases(frames), strict=True):
        for late in (-0.1, 0.1):
            moved = base.copy()
            moved[:3, 3] += 0.5 * late
            bag.add("/tf", TF, frame.stamp + late, **transforms(frame.stamp + late, ("odom", "base_link", moved)))
    same(poses(bag.write(tmp_path / "bag"))[0], frames)


def test_odometry_of_the_base_with_static_transforms(bag, frames, tmp_path):
    add_transforms(bag, frames)
    bag.drop("/tf")
    for frame, base in zip(frames, bases(frames), strict=True):
        bag.add("/odom", ODOMETRY, frame.stamp, **odometry(frame.stamp, base))
    found, words = poses(bag.write(tmp_path / "bag"))
    same(found, frames)
    assert words == f"/odom in odom, of base_link, with transforms to {OPTICAL}"


def test_odometry_of_the_base_with_a_mount(bag, frames, tmp_path):
    for frame, base in zip(frames, bases(frames), strict=True):
        bag.add("/odom", ODOMETRY, frame.stamp, **odometry(frame.stamp, base))
    bag.write(tmp_path / "bag")
    with pytest.raises(BagError, match=r"pose of 'base_link', and no transforms lead from there .*--mount"):
        poses(tmp_path / "bag")
    same(poses(tmp_path / "bag", mount=(0.2, 0.1, 1.1, 0.0, 0.0, 0.0))[0], frames)
    turned = poses(tmp_path / "bag", mount=(0.2, 0.1, 1.1, 0.0, 0.3, 0.0))[0]
    down = turned[0][:3, :3].T @ frames[0].camera_pose[:3, 2]
    assert np.arctan2(-down[1], down[2]) == pytest.approx(0.3)  # pitched down: what was ahead is higher in the picture


def test_a_pose_of_the_optical_frame_or_of_the_body_frame(bag, frames, tmp_path):
    plain = script(frames)
    plain.rename(POSE, "/vicon/camera")
    same(poses(plain.write(tmp_path / "optical"))[0], frames)
    for m, frame in zip(plain.on("/vicon/camera"), frames, strict=True):
        m.message = script([with_pose(frame, frame.camera_pose @ np.linalg.inv(BODY_TO_OPTICAL))]).on(POSE)[0].message
    plain.write(tmp_path / "body")
    same(poses(tmp_path / "body", mount=(0.0,) * 6)[0], frames)
    plain.add("/tf_static", TF, START - 1.0, **transforms(START - 1.0, ("camera_link", OPTICAL, BODY_TO_OPTICAL)))
    plain.write(tmp_path / "with transforms")
    same(poses(tmp_path / "with transforms", pose_of="camera_link")[0], frames)


def with_pose(frame, pose):
    return replace(frame, camera_pose=pose)


def test_a_body_frame_taken_for_the_optical_one_is_told(frames, tmp_path):
    made = script([with_pose(f, f.camera_pose @ np.linalg.inv(BODY_TO_OPTICAL)) for f in frames])
    findings = Findings()
    with Recording(made.write(tmp_path / "bag"), RecordingOptions(), findings, with_instances=True) as recording:
        assert len(list(recording.frames())) == COUNT
    assert [(f.topic, f.count) for f in findings] == [(POSE, COUNT)]
    assert "lower edge is not down" in str(next(iter(findings)))


@pytest.mark.parametrize("up", ["x", "-x", "y", "-y", "-z", "z"])
def test_a_map_whose_z_is_not_up_is_turned(bag, frames, tmp_path, up):
    """Here the axis that points up in the recording is the map's z, wherever the other two are."""
    axis = "xyz".index(up[-1])
    sign = -1.0 if up[0] == "-" else 1.0
    lying = np.eye(4)
    lying[:3, :3] = np.roll(np.eye(3), axis - 2, axis=0)  # x y z -> z is at `axis`
    if sign < 0:
        lying[:3, :3] = lying[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    made = script([with_pose(f, lying @ f.camera_pose) for f in frames])
    found, _ = poses(made.write(tmp_path / "bag"), up=up)
    for pose, frame in zip(found, frames, strict=True):
        np.testing.assert_allclose(pose[2], frame.camera_pose[2], atol=1e-9)
        assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)


def test_poses_in_another_frame_are_taken_into_the_map_by_transforms(bag, frames, tmp_path):
    shift = np.eye(4)
    shift[:3, 3] = (7.0, 0.0, 0.0)
    made = script([with_pose(f, np.linalg.inv(shift) @ f.camera_pose) for f in frames])
    for m in made.on(POSE):
        m.message.header.frame_id = "odom"
    made.add("/tf_static", TF, START, **transforms(START, ("map", "odom", shift)))
    made.write(tmp_path / "bag")
    same(poses(tmp_path / "bag", map_frame="map")[0], frames)
    with pytest.raises(BagError, match=r"in the frame 'odom', and no transforms lead from there to 'moon'"):
        poses(tmp_path / "bag", map_frame="moon")


def test_without_a_pose_it_says_what_there_is(bag, frames, tmp_path):
    with pytest.raises(
        BagError, match=rf"says where the camera was: expected transforms on /tf to the frame '{OPTICAL}'"
    ):
        poses(bag.write(tmp_path / "bag"))
    bag.add("/tf", TF, START, **transforms(START, ("odom", "base_link", np.eye(4))))
    with pytest.raises(BagError, match=r"frames of the transforms: base_link, odom"):
        poses(bag.write(tmp_path / "apart"))
    with pytest.raises(BagError, match=r"no transforms lead from the camera's frame"):
        poses(tmp_path / "apart", pose="tf")


def test_several_poses_are_asked_for(bag, frames, tmp_path):
    made = script(frames)
    made.rename(POSE, "/slam/pose")
    for m in made.on("/slam/pose").copy():
        made.add("/goal/pose", m.type, m.time, header=m.message.header, pose=m.message.pose)
    made.write(tmp_path / "bag")
    with pytest.raises(BagError, match=r"choose one with --pose:\n  /goal/pose .*\n  /slam/pose"):
        poses(tmp_path / "bag")
    same(poses(tmp_path / "bag", pose="slam/pose")[0], frames)
    with pytest.raises(BagError, match=r"/camera/depth/image_raw is sensor_msgs/msg/Image; a pose comes as"):
        poses(tmp_path / "bag", pose=DEPTH)


def test_transforms_that_are_none_are_noted(bag, frames, tmp_path):
    add_transforms(bag, frames)
    bag.on("/tf")[1].message.transforms[0].transform.rotation = make(
        "geometry_msgs/msg/Quaternion", x=np.nan, y=0.0, z=0.0, w=1.0
    )
    findings = Findings()
    with Recording(bag.write(tmp_path / "bag"), RecordingOptions(), findings, with_instances=True) as recording:
        assert len(list(recording.frames())) == COUNT  # the gap is bridged
    assert [(f.topic, f.count) for f in findings] == [("/tf", 1)]
