# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built here")

from builtin_interfaces.msg import Time
from messages import to_messages
from raycast import pose, room, shoot, thing
from std_msgs.msg import Header

from karma_perception import conversions
from karma_perception.frames.camera import FrameError
from karma_perception.frames.sensor_messages import stamp_nanoseconds
from karma_perception.markers import MarkerBook
from karma_perception.places.floor_plan import FREE, FURNITURE, UNKNOWN, WALL, Occupancy
from karma_perception.places.frontiers import Frontier
from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph
from karma_perception.stream import GraphStream

WORLD = [*room(0, 0, 4, 3), thing("Fridge", (3, 1.5, 0.9), (0.6, 0.6, 1.8), isOpen="false")]


def frame(**options):
    return shoot(WORLD, pose(1.2, 1.4, 17), stamp=12.5, **options)


def convert(messages, map_frame="map"):
    return conversions.to_frame(**messages, map_frame=map_frame)


def test_a_frame_survives_the_way_through_messages():
    before = frame(held="Mug|1", resets=3)
    after = convert(to_messages(before))
    for name in ("depth", "rgb", "instances"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    np.testing.assert_allclose(after.camera_pose, before.camera_pose, atol=1e-9)
    assert (after.stamp, after.scene, after.resets, after.held) == (12.5, "test", 3, "Mug|1")
    assert after.intrinsics == before.intrinsics
    assert after.labels == before.labels


def test_other_common_encodings_are_understood():
    messages = to_messages(frame())
    rgb = convert(messages).rgb
    messages["color"].encoding = "bgr8"
    np.testing.assert_array_equal(convert(messages).rgb, rgb[:, :, ::-1])
    millimetres = np.round(frame().depth * 1000).astype(np.uint16)
    messages["depth"].encoding, messages["depth"].step = "16UC1", 2 * millimetres.shape[1]
    messages["depth"].data = millimetres.tobytes()
    np.testing.assert_allclose(convert(messages).depth, frame().depth, atol=0.001)


def test_padded_rows_and_big_endian_pixels_are_read_right():
    messages = to_messages(frame())
    depth = frame().depth
    swapped = depth.astype(">f4")
    padded = np.zeros((depth.shape[0], depth.shape[1] * 4 + 8), np.uint8)
    padded[:, :-8] = swapped.view(np.uint8).reshape(depth.shape[0], -1)
    messages["depth"].data, messages["depth"].step = padded.tobytes(), padded.shape[1]
    messages["depth"].is_bigendian = 1
    np.testing.assert_array_equal(convert(messages).depth, depth)


def spoil(name):
    messages = to_messages(frame())
    if name == "encoding":
        messages["depth"].encoding = "yuv422"
    elif name == "size":
        messages["depth"].height = 9999
    elif name == "huge":
        messages["depth"].height = messages["depth"].width = 5000
    elif name == "empty":
        messages["color"].data = b""
    elif name == "zero":
        messages["instances"].width = 0
    elif name == "nan":
        messages["pose"].pose.position.x = float("nan")
    elif name == "quaternion":
        messages["pose"].pose.orientation.w = 7.0
    elif name == "frame":
        messages["pose"].header.frame_id = "odom"
    elif name == "info":
        messages["info"].k = [0.0] * 9
    elif name == "mismatch":
        messages["info"].width = 10
    elif name == "label":
        messages["labels"].labels = [messages["labels"].labels[0]] * 2
    elif name == "category":
        messages["labels"].labels[0].category = ""
    return messages


@pytest.mark.parametrize(
    "name",
    [
        "encoding",
        "size",
        "huge",
        "empty",
        "zero",
        "nan",
        "quaternion",
        "frame",
        "info",
        "mismatch",
        "label",
        "category",
    ],
)
def test_garbage_is_refused_with_a_reason(name):
    with pytest.raises(FrameError, match=r"\w{3,}"):
        convert(spoil(name))


def a_graph():
    floor = Node("floor_0", Layer.FLOOR, "Floor", "ground floor", "", (1.0, 1.0, 1.0), (2.0, 2.0, 2.0))
    mug = Node(
        "Mug|1", Layer.OBJECT, "Mug", "mug", "area_1", (0.5, 1.5, 1.0), (0.5, 0.25, 0.5), True, "Table|1", "on",
        {"isDirty": "true"}, 0.5, 3.25, support_heights=(0.75, 1.0),
    )  # fmt: skip
    near = Edge(EdgeType.NEAR, "Mug|1", "floor_0", 1.5)
    return SceneGraph("home", 3.25, {n.id: n for n in (floor, mug)}, {near.key: near})


def test_a_graph_survives_the_way_through_messages():
    update = GraphStream().advance(a_graph(), epoch=1)
    message = conversions.from_update(update, "map")
    assert (message.sequence, message.full, message.scene, message.header.frame_id) == (1, True, "home", "map")
    assert conversions.apply_message(message, SceneGraph()) == a_graph()


def test_a_turned_box_keeps_its_turn_up_to_rounding():
    table = Node("T", Layer.OBJECT, "Table", "table", "", (0.5, 1.5, 1.0), (0.5, 0.25, 0.5), yaw=-0.7)
    message = conversions.from_node(table)
    q = message.pose.orientation
    assert (q.x, q.y, q.z, q.w) == pytest.approx((0.0, 0.0, math.sin(-0.35), math.cos(0.35)))
    assert conversions.to_node(message).yaw == pytest.approx(-0.7)


def test_deltas_as_messages_keep_a_subscriber_up_to_date():
    stream = GraphStream()
    known = conversions.apply_message(conversions.from_update(stream.advance(a_graph(), 1), "map"), SceneGraph())
    less = SceneGraph("home", 4.0, {"floor_0": a_graph().nodes["floor_0"]}, {})
    message = conversions.from_update(stream.advance(less, 1), "map")
    assert not message.full
    assert conversions.apply_message(message, known) == less


def test_a_frontier_becomes_a_message_that_faces_the_unknown():
    message = conversions.from_frontier(Frontier((1.0, 2.0, 0.0), np.pi / 2, (1.0, 3.0, 0.0), 0.75, 2.5, "room_1"))
    forward = conversions.to_matrix(message.pose)[:3, 0]
    np.testing.assert_allclose(forward, (0.0, 1.0, 0.0), atol=1e-9)
    assert (message.pose.position.x, message.middle.y, message.size) == (1.0, 3.0, 0.75)
    assert (message.distance, message.room) == (2.5, "room_1")


@given(st.integers(0, 2**31 - 2), st.integers(0, 10**9 - 1))
def test_stamps_keep_their_microseconds(sec, nanosec):
    stamp = conversions.to_time(sec + nanosec * 1e-9)
    assert 0 <= stamp.nanosec < 10**9
    assert abs(stamp_nanoseconds(stamp) - (sec * 10**9 + nanosec)) < 1000


def test_a_negative_or_endless_stamp_is_refused():
    for seconds in (-1.0, float("nan"), float("inf"), 2.0**31):
        with pytest.raises(ValueError, match="stamp"):
            conversions.to_time(seconds)


def test_markers_become_messages_with_their_ids():
    from std_msgs.msg import Header
    from visualization_msgs.msg import Marker

    book = MarkerBook()
    changed, _ = book.update(a_graph())
    _, gone = book.update(SceneGraph("home"))
    array = conversions.from_markers(changed, gone, Header(frame_id="map"), clear=True)
    assert array.markers[0].action == Marker.DELETEALL
    assert {(m.ns, m.id) for m in array.markers if m.action == Marker.DELETE} == set(gone)
    assert {(m.ns, m.id) for m in array.markers if m.action == Marker.ADD} == set(changed)
    assert all(m.header.frame_id == "map" for m in array.markers)


def test_the_cells_of_a_floor_are_rows_along_x():
    cells = np.array([[FREE, WALL], [FURNITURE, UNKNOWN], [WALL, WALL]], np.int8)
    header = Header(frame_id="map", stamp=Time(sec=12))
    message = conversions.from_occupancy(Occupancy((-1.5, 2.0, 3.0), 0.1, cells), header)
    assert (message.info.width, message.info.height) == (3, 2)
    assert list(message.data) == [FREE, FURNITURE, WALL, WALL, UNKNOWN, WALL]
    assert message.info.resolution == pytest.approx(0.1)
    origin = message.info.origin
    assert (origin.position.x, origin.position.y, origin.position.z, origin.orientation.w) == (-1.5, 2.0, 3.0, 1.0)
    assert message.header == header


def test_of_a_floor_that_is_not_known_there_are_no_cells():
    empty = Occupancy((0.0, 0.0, 0.0), 0.0, np.zeros((0, 0), np.int8))
    message = conversions.from_occupancy(empty, Header(frame_id="map"))
    assert (message.info.width, message.info.height, len(message.data)) == (0, 0, 0)
