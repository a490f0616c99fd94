# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Topics of common drivers are found; what could be several is asked for."""

from types import SimpleNamespace

import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")

from karma_perception.recording.bag import BagError, Topic
from karma_perception.recording.images import COMPRESSED, RAW
from karma_perception.recording.topics import INFO, TopicArguments, choose_topics, transform_topics, with_info


def bag(*topics):
    """Return a bag's topics from (name, encoding or type) pairs, and their encodings."""
    kinds = {"rgb8": RAW, "bgr8": RAW, "bgra8": RAW, "mono8": RAW, "16UC1": RAW, "32FC1": RAW, "info": INFO}
    listed = tuple(Topic(n, kinds.get(e, e if "/" in e else COMPRESSED), 10) for n, e in topics)
    return SimpleNamespace(path="some bag", topics=listed), {n: e for n, e in topics if e != "info"}


def chosen(*topics, given=None, with_instances=False):
    known, encodings = bag(*topics)
    found = choose_topics(known, encodings, given or TopicArguments(), with_instances=with_instances)
    return found.depth, found.color, found.depth_info, found.color_info


def test_realsense_with_aligned_depth():
    assert chosen(
        ("/camera/camera/color/image_raw", "rgb8"),
        ("/camera/camera/color/camera_info", "info"),
        ("/camera/camera/depth/image_rect_raw", "16UC1"),
        ("/camera/camera/depth/camera_info", "info"),
        ("/camera/camera/aligned_depth_to_color/image_raw", "16UC1"),
        ("/camera/camera/aligned_depth_to_color/camera_info", "info"),
        ("/camera/camera/infra1/image_rect_raw", "mono8"),
    ) == (
        "/camera/camera/aligned_depth_to_color/image_raw",
        "/camera/camera/color/image_raw",
        "/camera/camera/aligned_depth_to_color/camera_info",
        "/camera/camera/color/camera_info",
    )


def test_azure_kinect():
    assert chosen(
        ("/rgb/image_raw", "bgra8"),
        ("/rgb/camera_info", "info"),
        ("/depth/image_raw", "32FC1"),
        ("/depth/camera_info", "info"),
        ("/depth_to_rgb/image_raw", "32FC1"),
        ("/depth_to_rgb/camera_info", "info"),
        ("/ir/image_raw", "16UC1"),
    ) == ("/depth_to_rgb/image_raw", "/rgb/image_raw", "/depth_to_rgb/camera_info", "/rgb/camera_info")


def test_tum_and_zed():
    assert chosen(
        ("/camera/rgb/image_color", "rgb8"),
        ("/camera/rgb/camera_info", "info"),
        ("/camera/depth/image", "32FC1"),
        ("/camera/depth/camera_info", "info"),
    )[:2] == ("/camera/depth/image", "/camera/rgb/image_color")
    assert chosen(
        ("/zed/zed_node/rgb/image_rect_color", "bgra8"),
        ("/zed/zed_node/depth/depth_registered", "32FC1"),
        ("/zed/zed_node/depth/camera_info", "info"),
    ) == (
        "/zed/zed_node/depth/depth_registered",
        "/zed/zed_node/rgb/image_rect_color",
        "/zed/zed_node/depth/camera_info",
        "",
    )


def test_compressed_topics_have_their_camera_info_beside_the_raw_ones_place():
    assert chosen(
        ("/head/color/image_raw/compressed", "rgb8; jpeg compressed bgr8"),
        ("/head/aligned_depth_to_color/image_raw/compressedDepth", "16UC1; compressedDepth"),
        ("/head/aligned_depth_to_color/camera_info", "info"),
    ) == (
        "/head/aligned_depth_to_color/image_raw/compressedDepth",
        "/head/color/image_raw/compressed",
        "/head/aligned_depth_to_color/camera_info",
        "",
    )


def test_a_raw_topic_comes_before_its_compressed_one():
    depth, color, *_ = chosen(
        ("/a", "rgb8"), ("/a/compressed", "jpeg"), ("/d", "16UC1"), ("/d/compressedDepth", "16UC1; png")
    )
    assert (depth, color) == ("/d", "/a")


def test_unknown_names_do_when_each_is_the_only_one():
    assert chosen(("/eyes", "bgr8"), ("/range", "32FC1"))[:2] == ("/range", "/eyes")


def test_several_candidates_are_listed():
    with pytest.raises(BagError, match=r"could be depth; choose one with --depth:\n  /d1 .*\n  /d2 .*10 messages"):
        chosen(("/eyes", "bgr8"), ("/d1", "32FC1"), ("/d2", "32FC1"))
    assert chosen(("/eyes", "bgr8"), ("/d1", "32FC1"), ("/d2", "32FC1"), given=TopicArguments(depth="d2"))[0] == "/d2"


def test_a_missing_topic_is_told_with_what_there_is():
    with pytest.raises(BagError, match=r"no topic with depth, .*--depth .*:\n  /eyes \(bgr8\)"):
        chosen(("/eyes", "bgr8"))
    with pytest.raises(BagError, match=r"no topic with color"):
        chosen(("/range", "32FC1"))
    with pytest.raises(BagError, match=r"no topic with instance labels.*--labels"):
        chosen(("/range", "32FC1"), with_instances=True)
    with pytest.raises(BagError, match=r"no topic /nose; it has:\n  /range"):
        chosen(("/range", "32FC1"), given=TopicArguments(depth="/nose"))


def test_a_camera_info_elsewhere_is_taken_when_it_is_the_only_one():
    pictures = (("/eyes", "bgr8"), ("/range", "32FC1"))

    def info(*names, apart=False, **said):
        known, encodings = bag(*pictures, *((name, "info") for name in names))
        found = choose_topics(known, encodings, TopicArguments(**said), with_instances=False)
        return with_info(found, known, said.get("namespace", ""), apart=apart).depth_info

    assert info("/calib/info") == "/calib/info"
    assert info("/a/info", "/b/info", depth_info="b/info") == "/b/info"
    with pytest.raises(BagError, match=r"several .* camera info; choose one with --info:\n  /a/info .*\n  /b/info"):
        info("/a/info", "/b/info")
    with pytest.raises(BagError, match=r"no camera info for /range: say --intrinsics .* it has:\n  /eyes"):
        info()
    with pytest.raises(BagError, match=r"no topic /calib/inof; it has:\n  /eyes"):
        info("/calib/info", depth_info="/calib/inof")
    with pytest.raises(BagError, match=r"no topic /inof; it has"):
        info("/calib/info", color_info="/inof")
    with pytest.raises(BagError, match=r"/eyes is no sensor_msgs/msg/CameraInfo; these are:\n  /calib/info"):
        info("/calib/info", depth_info="/eyes")
    # The color's stands in for the depth's only where both show the same view.
    assert info("/camera_info") == "/camera_info"
    assert info("/a/info", color_info="/a/info") == ""
    assert info("/a/info", "/b/info", color_info="/a/info", apart=True) == "/b/info"


def test_transforms_are_those_of_the_robot_and_of_all():
    tf = "tf2_msgs/msg/TFMessage"
    known, _ = bag(("/tf", tf), ("/tf_static", tf), ("/robot1/tf", tf), ("/robot2/tf", tf))
    assert [t.name for t in transform_topics(known.topics, "robot1")] == ["/robot1/tf", "/tf", "/tf_static"]
