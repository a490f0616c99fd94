# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""A bag of frames through the pipeline: whole, and with everything that is wrong with real ones."""

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")
pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")

from bag_writer import (
    COLOR,
    DEPTH,
    INFO,
    INSTANCES,
    LABELS,
    POSE,
    START,
    camera_info,
    header,
    image,
    make,
    script,
    world_frames,
)
from raycast import Intrinsics

from karma_perception.pipeline import PerceptionPipeline
from karma_perception.recording.bag import BagError
from karma_perception.recording.build import Built, build
from karma_perception.recording.findings import Findings
from karma_perception.recording.frames import Recording
from karma_perception.recording.options import RecordingOptions
from karma_perception.recording.topics import TopicArguments
from karma_perception.scene_graph import Layer

COUNT = 10
IMAGE = "sensor_msgs/msg/Image"
NOTHING = np.zeros(0, np.uint8)


@pytest.fixture(scope="module")
def frames():
    return world_frames(COUNT)


@pytest.fixture(scope="module")
def whole(frames):
    """The objects that the frames give without a bag."""
    pipeline = PerceptionPipeline()
    for frame in frames:
        pipeline.update(frame)
    return objects(pipeline.graph())


@pytest.fixture
def bag(frames):
    return script(frames)


def objects(graph):
    return {n.id: n for n in graph.layer(Layer.OBJECT)}


def mapped(path, findings=None, **options):
    """Return the objects that a bag gives, what was wrong with it, and how many frames it has."""
    findings = findings or Findings()
    pipeline, built = PerceptionPipeline(), Built()
    with Recording(path, RecordingOptions(**options), findings, with_instances=True) as recording:
        build(recording, pipeline, built)
    return objects(pipeline.graph()), list(findings), built.frames


def close(found, expected, tolerance=0.02):
    """Assert that the same objects are at the same places."""
    assert set(found) == set(expected)
    for name, node in found.items():
        np.testing.assert_allclose(node.center, expected[name].center, atol=tolerance, err_msg=name)


def warned(findings, topic, problem):
    """Return the finding about a topic; there must be this one and no other."""
    assert [(f.topic, problem in f.problem) for f in findings] == [(topic, True)], list(map(str, findings))
    return findings[0]


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_bag_gives_the_same_graph_as_its_frames(bag, whole, tmp_path, storage):
    found, findings, used = mapped(bag.write(tmp_path / "bag", storage=storage))
    assert not findings
    assert used == COUNT
    close(found, whole, 1e-6)
    assert found["Mug|1"].receptacle == "Table|1"
    assert found["Mug|1"].states == {"isFilled": "false"}
    assert found["Mug|1"].last_seen == whole["Mug|1"].last_seen


@pytest.mark.parametrize("lag", [0.0, 0.4])
def test_stamps_that_differ_within_the_slop_are_joined(bag, whole, tmp_path, lag):
    for m in bag.on(COLOR):
        m.message.header = header(m.time - 0.01 + 0.012, "camera_optical_frame")
        m.time += lag
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert (findings, used) == ([], COUNT)
    close(found, whole)


def test_stamps_that_differ_by_more_are_left_out(bag, tmp_path):
    for m in bag.on(COLOR):
        m.message.header = header(m.time - 0.01 + 0.1, "camera_optical_frame")
    _, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert used == 0
    assert {(f.topic, f.count) for f in findings} == {(COLOR, COUNT)}
    assert mapped(tmp_path / "bag", slop=0.11)[2] == COUNT


def test_frames_without_depth_are_left_out(bag, whole, tmp_path):
    bag.drop(DEPTH, 2, 5)
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    finding = warned(findings, COLOR, "pictures without depth within 0.03 s")
    assert (finding.count, finding.action, used) == (2, "left out", COUNT - 2)
    assert finding.first == pytest.approx(0.5, abs=0.02)
    close(found, whole)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_depth_that_is_nowhere_valid_is_left_out(bag, whole, tmp_path, value):
    for m in bag.on(DEPTH)[2:4]:
        m.message = image(m.message.header, np.full((120, 160), value, np.float32), "32FC1")
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert warned(findings, DEPTH, "without any depth").count == 2
    assert used == COUNT - 2
    close(found, whole)


def test_depth_that_cannot_be_metres_says_what_to_do(bag, whole, tmp_path):
    for m in bag.on(DEPTH):
        m.message = image(m.message.header, 1000 * m.message.data.view(np.float32).reshape(120, 160), "32FC1")
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    finding = warned(findings, DEPTH, "cannot be in metres")
    assert (finding.count, used, found) == (COUNT, 0, {})
    assert "--depth-unit 0.001" in finding.action
    found, findings, used = mapped(tmp_path / "bag", depth_unit=0.001)
    assert (findings, used) == ([], COUNT)
    close(found, whole)
    finding = warned(mapped(tmp_path / "bag", depth_unit=1e-6)[1], DEPTH, "cannot be in metres")
    assert "is --depth-unit right?" in finding.action


def spoiled_image(name, m):
    head = m.message.header
    if name == "empty":
        return make(
            IMAGE, header=head, height=0, width=0, encoding=m.message.encoding, is_bigendian=0, step=0, data=NOTHING
        )
    if name == "short":
        m.message.data = m.message.data[:-100]
    elif name == "encoding":
        m.message.encoding = "yuv422_yuy2"
    return m.message


@pytest.mark.parametrize("name", ["empty", "short", "encoding"])
@pytest.mark.parametrize("topic", [DEPTH, COLOR, INSTANCES])
def test_images_that_are_none_are_left_out(bag, whole, tmp_path, topic, name):
    for m in (bag.on(topic)[i] for i in (0, 4, 5)):
        m.message = spoiled_image(name, m)
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    finding = warned(findings, topic, "images that cannot be read")
    assert (finding.count, used) == (3, COUNT - 3)
    assert ("encoded as 'yuv422_yuy2'" if name == "encoding" else "bytes") in finding.example
    close(found, whole)


@pytest.mark.parametrize(
    ("fx", "cx", "why"),
    [
        (0.0, 79.5, "positive focal"),
        (-80.0, 79.5, "positive focal"),
        (np.nan, 79.5, "finite"),
        (80.0, 400.0, "outside"),
    ],
)
def test_wrong_intrinsics_give_way_to_the_last_good_ones(bag, whole, tmp_path, fx, cx, why):
    for m in bag.on(INFO)[:6]:
        m.message.k = np.array([fx, 0.0, cx, 0.0, 80.0, 59.5, 0.0, 0.0, 1.0])
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    finding = warned(findings, INFO, "cannot be right")
    assert (finding.count, finding.action, used) == (6, "the last good one is used", COUNT)
    assert why in finding.example
    close(found, whole, 1e-6)


def test_intrinsics_of_another_resolution_are_scaled_and_of_another_shape_refused(bag, whole, tmp_path):
    for m in bag.on(INFO):
        m.message = camera_info(m.message.header, Intrinsics(320, 240, 160.0, 160.0, 159.5, 119.5))
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert warned(findings, INFO, "for 320x240, but images of 160x120").action == "scaled"
    assert used == COUNT
    close(found, whole, 1e-6)
    for m in bag.on(INFO):
        m.message.height = 120
        m.message.k[5] = 59.5
    found, findings, used = mapped(bag.write(tmp_path / "other"))
    assert (used, len(found)) == (0, 0)
    assert [f.topic for f in findings] == [INFO, DEPTH]
    assert mapped(tmp_path / "other", intrinsics=(80.0, 80.0, 79.5, 59.5))[2] == COUNT


def test_a_color_camera_info_stands_in_for_the_depths(bag, whole, tmp_path):
    bag.rename(INFO, "/camera/color/camera_info")
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert (findings, used) == ([], COUNT)
    close(found, whole, 1e-6)


def test_a_lone_camera_info_far_from_the_images_is_used_and_none_ends_it(bag, whole, tmp_path):
    bag.rename(INFO, "/calib/info")
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert (findings, used) == ([], COUNT)
    close(found, whole, 1e-6)
    bag.drop("/calib/info")
    with pytest.raises(BagError, match="say --intrinsics FX FY CX CY"):
        mapped(bag.write(tmp_path / "none"))
    assert mapped(tmp_path / "none", intrinsics=(80.0, 80.0, 79.5, 59.5))[2] == COUNT


@pytest.mark.parametrize("jump", [-100.0, 100_000.0])
def test_a_clock_that_is_set_goes_on_with_the_map(bag, whole, tmp_path, jump):
    for topic in (DEPTH, COLOR, INSTANCES, LABELS, INFO, POSE):
        for m in bag.on(topic)[6:]:
            m.message.header = header(m.time - 0.01 + jump, m.message.header.frame_id)
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    finding = warned(findings, DEPTH, "stamps that jump")
    assert (finding.count, used) == (1, COUNT)
    assert finding.example == f"by {jump + 0.25:+.3f} s"
    close(found, whole)
    assert max(n.last_seen for n in found.values()) == pytest.approx(START + 0.25 * (COUNT - 1), abs=0.1)


def test_a_loop_is_one_map(bag, whole, tmp_path):
    """The same bag played and recorded twice: its stamps come twice, its poses too."""
    second = script(world_frames(COUNT))
    for m in second.messages:
        m.time += 10.0
    bag.messages += second.messages
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert warned(findings, DEPTH, "stamps that jump").count == 1
    assert used == 2 * COUNT
    close(found, whole)


def test_a_single_wrong_stamp_costs_one_frame_at_most(bag, whole, tmp_path):
    bag.on(DEPTH)[4].message.header = header(5.0, "camera_optical_frame")
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert used == COUNT - 1
    assert {f.topic for f in findings} == {COLOR}
    close(found, whole)


def test_stamps_of_zero_become_the_time_of_receipt(bag, whole, tmp_path):
    for topic in (DEPTH, COLOR, INSTANCES, LABELS, POSE):
        for m in bag.on(topic):
            m.message.header = header(0.0, m.message.header.frame_id)
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert used == COUNT
    assert {(f.topic, f.problem, f.count) for f in findings} == {
        (t, "stamps of zero", COUNT) for t in (DEPTH, COLOR, INSTANCES, LABELS)
    }
    close(found, whole)


def test_poses_that_are_none_are_bridged_or_cost_their_frames(bag, whole, tmp_path):
    bag.on(POSE)[3].message.pose.position.x = np.nan
    bag.on(POSE)[9].message.pose.orientation.w = 17.0
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert [(f.topic, f.count) for f in findings] == [(POSE, 2), (POSE, 1)]
    assert "no pose for a depth image" in findings[1].problem
    assert used == COUNT - 1  # the fourth pose lies between its neighbours
    close(found, whole, 0.05)


def test_missing_and_wrong_labels_cost_their_frames(bag, whole, tmp_path):
    bag.drop(LABELS, 1)
    doubled = bag.on(LABELS)[4].message
    doubled.labels = [doubled.labels[0]] * 2
    bag.on(LABELS)[6].message.header = header(bag.on(LABELS)[6].time, "camera_optical_frame")
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert used == COUNT - 3
    assert {(f.topic, f.problem, f.count) for f in findings} == {
        (LABELS, "nothing within 0.03 s of a depth image", 1),
        (LABELS, "labels that cannot be used", 1),
        (LABELS, "no labels of an instance image's stamp", 1),
    }
    close(found, whole)


def test_pictures_of_another_resolution_are_scaled_as_the_same_view(bag, whole, tmp_path):
    for m in bag.on(COLOR):
        m.message = image(m.message.header, np.zeros((240, 320, 3), np.uint8), "rgb8")
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert warned(findings, COLOR, "pictures of 320x240, but depth of 160x120").action == "scaled, as the same view"
    assert used == COUNT
    close(found, whole)


def test_messages_that_cannot_be_decoded_are_left_out(bag, whole, tmp_path):
    for m in bag.on(DEPTH)[2:4]:
        m.raw = b"\x00\x01\x00\x00\x07"
    found, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert used == COUNT - 2
    assert next((f.topic, f.problem, f.count) for f in findings) == (DEPTH, "messages that cannot be decoded", 2)
    close(found, whole)


def test_frames_can_be_fewer(bag, tmp_path):
    assert mapped(bag.write(tmp_path / "bag"), rate=2.0)[2] == COUNT / 2


def test_a_namespace_chooses_the_robot(bag, tmp_path):
    for topic in (DEPTH, COLOR, INSTANCES, LABELS, INFO, POSE):
        bag.rename(topic, f"/robot1{topic}")
    other = script(world_frames(3))
    for m in other.messages:
        m.topic = f"/robot2{m.topic}"
    bag.messages += other.messages
    bag.write(tmp_path / "bag")
    with pytest.raises(BagError, match="several topics could be instance labels; choose one with --labels:"):
        mapped(tmp_path / "bag")
    assert mapped(tmp_path / "bag", topics=TopicArguments(namespace="robot1"))[2] == COUNT
    assert mapped(tmp_path / "bag", topics=TopicArguments(namespace="/robot2/"))[2] == 3


def test_a_distorting_lens_is_told(bag, tmp_path):
    for m in bag.on(INFO):
        m.message.d = np.array([0.2, -0.3, 0.0, 0.0, 0.0])
    _, findings, used = mapped(bag.write(tmp_path / "bag"))
    assert warned(findings, INFO, "lens distortion").count == used == COUNT
