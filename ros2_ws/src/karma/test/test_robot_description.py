# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The URDF of the simulated robot, as xacro expands it and a URDF reader understands it."""

from pathlib import Path

import numpy as np
import pytest

xacro = pytest.importorskip("xacro")
yourdfpy = pytest.importorskip("yourdfpy")

FILE = Path(__file__).parents[1] / "urdf" / "karma_robot.urdf.xacro"


@pytest.fixture
def robot(tmp_path: Path):
    return load(tmp_path)


def load(folder: Path, **arguments: str):
    file = folder / "robot.urdf"
    file.write_text(xacro.process_file(str(FILE), mappings=arguments).toxml())
    return yourdfpy.URDF.load(str(file))


def test_frames_are_those_of_rep_105(robot) -> None:
    assert robot.base_link == "base_link"
    assert {"base_footprint", "camera_link", "camera_optical_frame"} <= set(robot.link_map)


def test_optical_frame_looks_along_z_with_x_to_the_right(robot) -> None:
    pose = robot.get_transform("camera_optical_frame", "base_link")
    np.testing.assert_allclose(pose[:3, :3] @ [0, 0, 1], [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(pose[:3, :3] @ [1, 0, 0], [0, -1, 0], atol=1e-9)


@pytest.mark.parametrize("tilt", [-0.5, 0.0, 0.8])
def test_camera_stays_at_the_simulators_height_when_the_head_tilts(robot, tilt: float) -> None:
    robot.update_cfg({"head_tilt_joint": tilt, "head_pan_joint": 1.0})
    assert robot.get_transform("camera_link", "base_link")[2, 3] == pytest.approx(1.1)


def test_positive_tilt_looks_down(robot) -> None:
    robot.update_cfg({"head_tilt_joint": 0.5})
    assert (robot.get_transform("camera_link", "base_link")[:3, :3] @ [1, 0, 0])[2] < 0


def test_camera_height_is_an_argument(tmp_path: Path) -> None:
    robot = load(tmp_path, camera_height="1.4")
    assert robot.get_transform("camera_link", "base_link")[2, 3] == pytest.approx(1.4)


def test_without_its_camera_no_frame_is_published_twice_and_no_joint_moves(tmp_path: Path) -> None:
    robot = load(tmp_path, camera="false")
    assert not {"camera_link", "camera_optical_frame"} & set(robot.link_map)
    assert {"head_tilt_link", "gripper_link"} <= set(robot.link_map)
    assert {joint.type for joint in robot.robot.joints} == {"fixed"}


def test_every_moving_link_has_a_mass(robot) -> None:
    massive = [link.inertial.mass for link in robot.robot.links if link.visuals]
    assert massive
    assert all(mass > 0 for mass in massive)
