# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The URDFs of the simulated robot and of Spot's frames, as xacro expands them and a URDF reader understands them."""

import subprocess
import sys
from pathlib import Path
from xml.etree.ElementTree import canonicalize

import numpy as np
import pytest
import yaml

xacro = pytest.importorskip("xacro")
yourdfpy = pytest.importorskip("yourdfpy")

FOLDER = Path(__file__).parents[1] / "urdf"
FILE = FOLDER / "karma_robot.urdf.xacro"
SPOT = FOLDER / "spot_frames.urdf.xacro"
TABLE = Path(__file__).parents[2] / "sim_bridge" / "sim_bridge" / "robot" / "tables" / "spot.yaml"
CAMERAS = ("frontleft", "frontright", "left", "right", "back")


@pytest.fixture
def robot(tmp_path: Path):
    return load(tmp_path)


def load(folder: Path, source: Path = FILE, **arguments: str):
    file = folder / "robot.urdf"
    file.write_text(xacro.process_file(str(source), mappings=arguments).toxml())
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


@pytest.fixture
def spot(tmp_path: Path):
    return load(tmp_path, SPOT)


@pytest.mark.parametrize("source", sorted(FOLDER.glob("*.xacro")), ids=lambda source: source.name)
def test_a_tree_is_whole(source: Path, tmp_path: Path) -> None:
    robot = load(tmp_path, source).robot
    links, children = [link.name for link in robot.links], [joint.child for joint in robot.joints]
    assert len(links) == len(set(links))
    assert len(children) == len(set(children)), "a frame has one parent"
    (root,) = set(links) - set(children)
    parents = {joint.child: joint.parent for joint in robot.joints}
    for link in links:
        for _ in links:
            link = parents.get(link, root)
        assert link == root


@pytest.mark.parametrize("source", sorted(FOLDER.glob("*.xacro")), ids=lambda source: source.name)
def test_a_description_is_read_from_a_command_line_where_a_value_is_yaml(source: Path) -> None:
    rclpy = pytest.importorskip("rclpy", reason="rclpy has rcl's own parser")
    program = [sys.executable, "-c", "from xacro import main; main()", str(source)]
    expanded = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    context = rclpy.Context()
    rclpy.init(args=["--ros-args", "-p", f"robot_description:={expanded}"], context=context)
    try:
        node = rclpy.create_node("published", context=context, automatically_declare_parameters_from_overrides=True)
        read = node.get_parameter("robot_description").value
        node.destroy_node()
    finally:
        rclpy.try_shutdown(context=context)
    assert canonicalize(read, strip_text=True) == canonicalize(expanded, strip_text=True)


def test_spots_frames_are_those_that_its_driver_publishes(spot) -> None:
    eyes = {frame for camera in CAMERAS for frame in (camera, f"{camera}_fisheye")}
    arm = {"hand", "arm_link_wr1", "hand_color_image_sensor", "hand_depth_sensor"}
    theirs = {f"Spot/{name}" for name in {"odom", "vision", "gpe", "body", "flat_body", "head"} | eyes | arm}
    ours = {"base_link", "base_footprint", "camera_link", "camera_optical_frame"}
    assert set(spot.link_map) == theirs | ours


def test_what_spots_driver_publishes_is_left_to_it_and_ours_never_moves(spot) -> None:
    for joint in spot.robot.joints:
        assert joint.type == ("floating" if joint.child.startswith("Spot/") else "fixed"), joint.name


def test_spots_base_is_on_the_floor_and_its_camera_is_the_hands(spot, tmp_path: Path) -> None:
    lying = spot.get_transform("base_link", "Spot/flat_body")
    np.testing.assert_allclose(lying[:3, 3], [0, 0, -0.52], atol=1e-9)
    np.testing.assert_allclose(lying[:3, :3], np.eye(3), atol=1e-9)
    np.testing.assert_allclose(spot.get_transform("camera_optical_frame", "Spot/hand_color_image_sensor"), np.eye(4))
    link = spot.get_transform("camera_link", "camera_optical_frame")
    np.testing.assert_allclose(link[:3, :3] @ [1, 0, 0], [0, 0, 1], atol=1e-9)  # x forward is along the view
    np.testing.assert_allclose(link[:3, :3] @ [0, 0, 1], [0, -1, 0], atol=1e-9)  # z up is against the picture's rows
    taller = load(tmp_path, SPOT, stand_height="0.6", prefix="")
    assert taller.get_transform("base_link", "flat_body")[2, 3] == pytest.approx(-0.6)


def test_spots_table_names_frames_of_that_tree(spot) -> None:
    pose = yaml.safe_load(TABLE.read_text(encoding="utf-8"))["pose"]
    assert {pose["base_frame"], pose["camera_frame"]} <= set(spot.link_map)
