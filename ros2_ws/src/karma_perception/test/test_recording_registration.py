# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Color and depth cameras that are apart."""

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")
pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")

from bag_writer import COLOR, OPTICAL, SMALL, START, Recorded, camera_info, header, image, script, transforms
from raycast import Intrinsics, pose, room, shoot, thing

from karma_perception.recording.findings import Findings
from karma_perception.recording.frames import Recording
from karma_perception.recording.options import RecordingOptions
from karma_perception.recording.registration import register_color

WIDE = Intrinsics(width=320, height=180, fx=120.0, fy=120.0, cx=159.5, cy=89.5)
BESIDE = np.eye(4)
BESIDE[0, 3] = 0.06
"""The color camera, 6 cm to the right of the depth camera: its frame in the depth's."""

COLOR_INFO = "/camera/color/camera_info"
WORLD = [*room(0.0, 0.0, 5.0, 4.0), thing("Cube", (2.5, 2.0, 1.0), (0.6, 0.6, 0.6))]


def views():
    """Return what both cameras see: the cube is red."""
    depth_pose = pose(1.0, 2.0, 0.0, pitch_deg=5.0)
    return shoot(WORLD, depth_pose, stamp=START, intrinsics=SMALL), shoot(WORLD, depth_pose @ BESIDE, intrinsics=WIDE)


def share_red(rgb, frame):
    """Return the shares of the cube's pixels, and of all others, that are red."""
    red, cube = rgb[:, :, 0] > 100, frame.instances > 0
    return red[cube].mean(), red[~cube].mean()


def test_what_the_depth_shows_gets_its_own_color():
    depth, color = views()
    registered = register_color(color.rgb, WIDE, depth.depth, SMALL, np.linalg.inv(BESIDE))
    inside, outside = share_red(registered, depth)
    assert inside > 0.97
    assert outside < 0.01
    nothing = register_color(color.rgb, WIDE, np.full_like(depth.depth, np.nan), SMALL, np.linalg.inv(BESIDE))
    assert not nothing.any()


def recorded(tmp_path, *, with_transforms):
    depth, color = views()
    made = script([depth])
    made.drop(COLOR)
    head = header(START, "color_optical_frame")
    for topic, m in ((COLOR, image(head, color.rgb, "rgb8")), (COLOR_INFO, camera_info(head, WIDE))):
        made.messages.append(Recorded(topic, m.__msgtype__, START, m))
    if with_transforms:
        link = (OPTICAL, "color_optical_frame", BESIDE)
        made.add("/tf_static", "tf2_msgs/msg/TFMessage", START, **transforms(START, link))
    findings = Findings()
    with Recording(made.write(tmp_path / "bag"), RecordingOptions(), findings, with_instances=True) as recording:
        return list(recording.frames()), list(findings)


def test_a_bag_with_transforms_between_its_cameras_is_registered(tmp_path):
    (frame,), findings = recorded(tmp_path, with_transforms=True)
    assert not findings
    assert share_red(frame.rgb, frame)[0] > 0.97


def test_without_them_it_is_told(tmp_path):
    frames, findings = recorded(tmp_path, with_transforms=False)
    assert not frames  # another ratio of sides cannot be the same view
    assert [f.topic for f in findings] == [COLOR, COLOR]
    assert "pictures in 'color_optical_frame', but depth in 'camera_optical_frame'" in findings[0].problem
