# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot publishes: the topics of its table, transforms, perception's map and the camera (ROS side)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node as RosNode
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from karma_interfaces.msg import SceneGraph, SceneNode
from karma_interfaces.srv import GetSceneGraph
from sim_bridge.backend import Code, Intrinsics, Observation, Pose2D, RefusedError, SeenObject
from sim_bridge.robot.condition import matrix_of, pose_of
from sim_bridge.robot.perceived import Layer, Node, Perceived
from sim_bridge.robot.ports import Heard, Said
from sim_bridge.robot.ros_messages import field, interface
from sim_bridge.robot.sources import Source
from sim_bridge.robot.table import Camera
from sim_bridge.robot.transforms import TransformTree

GRAPH_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=64,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""As perception publishes."""
RELIABLE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""Of what a robot tells, only the newest counts: none waits behind older ones here."""
BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
_PICTURES = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Fits every publisher, whatever its reliability."""
LATCHED = QoSProfile(depth=16, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Several publishers' last words come at once, and none of them is said again."""
_SOMEBODY = b""
"""Who sent a message, where the middleware does not tell."""
_UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"
"""What the middleware calls one whose name has not been discovered yet."""
_DISCOVERED = 10.0
"""Seconds in which a publisher that was heard is discovered."""
_TRANSFORMS = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)
_FIXED = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_ASKED_AGAIN = 2.0
"""Seconds after which the whole map is asked for again."""
_THIN = 0.01
"""Metres; the box of a thing of which only an edge was seen has no thickness on the map."""
_DEPTHS = {"32FC1": (np.float32, 1.0), "16UC1": (np.uint16, 0.001)}
"""Encoding → type of a pixel, and metres of one unit."""


class _Message(NamedTuple):
    content: Any
    came: float
    stamp: float | None
    underway: float | None
    among: frozenset[bytes]
    """The publishers that were there when it came, where the middleware does not tell which of them sent it."""


class Topics:
    """The last message of each publisher of each topic."""

    def __init__(self, node: RosNode, topics: Iterable[tuple[str, str, QoSProfile]]) -> None:
        """`topics`: name, type and quality of service."""
        self._node = node
        self._last: dict[str, dict[bytes, _Message]] = {}
        self._lock = threading.Lock()
        self._qos: dict[str, QoSProfile] = {}
        for name, kind, qos in topics:
            self._qos[name] = qos
            self._last[name] = {}
            node.create_subscription(interface(kind), name, partial(self._hear, name), qos)

    def _hear(self, name: str, message: Any, info: Mapping[str, Any]) -> None:
        header = getattr(message, "header", None)
        stamp = _seconds(header.stamp) if isinstance(header, Header) else 0.0
        if stamp:
            underway: float | None = _now(self._node) - stamp
        else:  # the middleware's time is the machine's, also where the stamps' is a simulator's
            underway = (time.time_ns() - sent) * 1e-9 if (sent := info["source_timestamp"]) else None
        sender, last = _sender(info), self._last[name]
        there = frozenset(self._publishers(name)) if sender == _SOMEBODY or sender not in last else frozenset()
        with self._lock:
            if sender not in last:  # of those that are gone nothing is kept
                for other, one in list(last.items()):
                    if other not in there | {_SOMEBODY} and time.monotonic() - one.came > _DISCOVERED:
                        del last[other]
            last[sender] = _Message(message, time.monotonic(), stamp or None, underway, there)

    def latest(self, topic: str, path: str) -> Heard | None:
        """Return a field of the last message of the publishers that are there; None where there is none."""
        there = frozenset(self._publishers(topic))
        with self._lock:
            last = self._last[topic]
            counts = [one for sender, one in list(last.items()) if self._counts(topic, sender, one, there)]
        return _heard(max(counts, key=lambda one: one.came), path) if counts else None

    def _counts(self, topic: str, sender: bytes, message: _Message, there: frozenset[bytes]) -> bool:
        if sender != _SOMEBODY:
            return sender in there
        if self._qos[topic].durability != LATCHED.durability:
            return True
        if not message.among:  # it came before its publisher was discovered
            message = self._last[topic][sender] = message._replace(among=there)
        return message.among == there

    def said(self, topic: str, path: str) -> list[Said]:
        """Return what each publisher that is there now said last."""
        publishers, found = self._publishers(topic), []
        there = frozenset(publishers)
        with self._lock:
            last = dict(self._last[topic])
            somebody = last.get(_SOMEBODY)
            same = somebody is not None and self._counts(topic, _SOMEBODY, somebody, there)
        for gid, publisher in publishers.items():
            message, why = last.get(gid), self._why_unheard(topic, publisher)
            if somebody is not None and not why:
                if len(there) > 1:
                    why = f"{len(there)} publish it, and this middleware does not tell which of them said what"
                elif not same:
                    why = "its publisher is another one since it was heard, or was found late: have it publish again"
                message = somebody
            node = f"{publisher.node_namespace.rstrip('/')}/{publisher.node_name}"
            known = publisher.node_name != _UNKNOWN_NODE
            found.append(Said(node if known else "", _heard(message, path) if message is not None else None, why))
        return found

    def why_silent(self, topic: str) -> str:
        """Return why nothing can be heard on a topic; empty where a publisher fits how it is listened to."""
        reasons = [self._why_unheard(topic, publisher) for publisher in self._publishers(topic).values()]
        if not reasons:
            return "nobody publishes it: is its driver running?"
        return "" if "" in reasons else reasons[-1]

    def _publishers(self, topic: str) -> dict[bytes, Any]:
        return {bytes(one.endpoint_gid): one for one in self._node.get_publishers_info_by_topic(topic)}

    def _why_unheard(self, topic: str, publisher: Any) -> str:
        """Return why a publisher does not fit how its topic is listened to; empty where it does."""
        asked, offered = self._qos[topic], publisher.qos_profile
        if asked.reliability == RELIABLE.reliability and offered.reliability == BEST_EFFORT.reliability:
            return "its publisher is best-effort: write best_effort: true in the table"
        if asked.durability == LATCHED.durability and offered.durability == DurabilityPolicy.VOLATILE:
            return "its publisher is not latched: leave latched out of the table"
        return ""


def _sender(info: Mapping[str, Any]) -> bytes:
    """Return the endpoint_gid of who sent a message; `_SOMEBODY` where that is not told.

    rclpy does not tell it before Kilted, and in other middleware than Fast DDS it may be no endpoint's.
    """
    gid = info.get("publisher_gid")
    return bytes(gid["data"]) if gid and gid["implementation_identifier"].startswith("rmw_fastrtps") else _SOMEBODY


def _heard(message: _Message, path: str) -> Heard | None:
    try:
        value = field(message.content, path)
    except LookupError:
        return None
    return Heard(value, time.monotonic() - message.came, message.stamp, message.underway)


def quality(source: Source) -> QoSProfile:
    """Return the quality of service with which a topic of the table is listened to."""
    return LATCHED if source.latched else BEST_EFFORT if source.best_effort else RELIABLE


def listen_to_transforms(node: RosNode, tree: TransformTree) -> None:
    """Keep a tree up to date. TableError where tf2_msgs is not installed."""
    kind = interface("tf2_msgs/msg/TFMessage")

    def hear(message: Any, *, fixed: bool) -> None:
        for one in message.transforms:
            pose = pose_of(one.transform.translation, one.transform.rotation)
            stamp = _seconds(one.header.stamp)
            underway = _now(node) - stamp if stamp else None
            tree.put(one.header.frame_id, one.child_frame_id, pose, fixed=fixed, underway=underway)

    node.create_subscription(kind, "/tf", partial(hear, fixed=False), _TRANSFORMS)
    node.create_subscription(kind, "/tf_static", partial(hear, fixed=True), _FIXED)


class SceneGraphCopy:
    """Keeps a copy of perception's map up to date."""

    def __init__(self, node: RosNode, perceived: Perceived) -> None:
        self._perceived = perceived
        self._asked = 0.0
        self._full = node.create_client(GetSceneGraph, "scene_graph/get_full")
        node.create_subscription(SceneGraph, "scene_graph", self._hear, GRAPH_QOS)

    def _hear(self, graph: SceneGraph) -> None:
        now = time.monotonic()
        if not self._apply(graph) and now - self._asked > _ASKED_AGAIN and self._full.service_is_ready():
            self._asked = now
            self._full.call_async(GetSceneGraph.Request()).add_done_callback(
                lambda future: self._apply(future.result().graph)
            )

    def _apply(self, graph: SceneGraph) -> bool:
        return self._perceived.apply(
            stamp=_seconds(graph.header.stamp),
            sequence=graph.sequence,
            full=graph.full,
            nodes=[node_from(node) for node in graph.nodes],
            removed=graph.removed_nodes,
        )


def node_from(node: SceneNode) -> Node:
    """Return a node of the scene graph, its box made axis-aligned."""
    pose = matrix_of(node.pose.position, node.pose.orientation)
    extents = np.maximum(np.abs(pose[:3, :3]) @ [node.size.x, node.size.y, node.size.z], _THIN)
    x, y, z = pose[:3, 3].tolist()
    seen = SeenObject(
        node.id,
        node.category,
        (x, y, z),
        tuple(extents.tolist()),
        movable=node.movable,
        states={state.key: state.value for state in node.states},
        receptacle=node.receptacle,
        relation=node.relation,
    )
    return Node(seen, Layer(node.layer), node.name, node.parent, tuple(node.support_heights), _seconds(node.last_seen))


class CameraReader:
    """Takes a picture and its depth of one stamp, when asked to.

    It listens from the first time on: the executor's thread ends where another destroys what it is about to wait for.
    """

    def __init__(self, node: RosNode) -> None:
        self._node = node
        self._hear: Callable[[str, Any], None] | None = None

    def picture(self, camera: Camera) -> Observation:
        """Wait for a picture; the poses of what is returned are empty. RefusedError when none came in time."""
        got: dict[str, dict[tuple[int, int], Any]] = {"color": {}, "depth": {}, "info": {}}
        whole = threading.Event()
        stamps: list[tuple[int, int]] = []

        def hear(stream: str, message: Any) -> None:
            stamp = (message.header.stamp.sec, message.header.stamp.nanosec)
            got[stream][stamp] = message
            if all(stamp in messages for messages in got.values()):
                stamps.append(stamp)
                whole.set()

        streams = (("color", camera.color, Image), ("depth", camera.depth, Image), ("info", camera.info, CameraInfo))
        begun, self._hear = self._hear is not None, hear
        for stream, topic, kind in () if begun else streams:
            self._node.create_subscription(kind, topic, partial(self._pass_on, stream), _PICTURES)
        if not whole.wait(camera.timeout):
            heard = ", ".join(f"{len(got[s])} messages on {topic}" for s, topic, _ in streams)
            raise RefusedError(
                Code.UNAVAILABLE,
                f"no picture, depth and camera_info of one stamp came within {camera.timeout:.0f} s ({heard}): is "
                "the camera's driver running, and are these its topics?",
            )
        self._hear = _leave
        stamp = stamps[0]
        color, depth, info = (got[stream][stamp] for stream in ("color", "depth", "info"))
        return Observation(
            Pose2D(0.0, 0.0, 0.0),
            np.eye(4),
            stamp=stamp[0] + stamp[1] * 1e-9,
            rgb=_colors(color),
            depth=_metres(depth),
            intrinsics=Intrinsics(info.width, info.height, info.k[0], info.k[4], info.k[2], info.k[5]),
        )

    def _pass_on(self, stream: str, message: Any) -> None:
        if self._hear is not None:
            self._hear(stream, message)


def _leave(stream: str, message: Any) -> None:
    """Let a picture go that nobody asked for."""


def _colors(image: Image) -> NDArray[np.uint8]:
    if image.encoding not in ("rgb8", "bgr8"):
        raise ValueError(f"a picture is encoded as {image.encoding}: rgb8 and bgr8 are understood")
    rows = np.frombuffer(bytes(image.data), np.uint8).reshape(image.height, image.step)
    pixels = rows[:, : 3 * image.width].reshape(image.height, image.width, 3)
    return pixels if image.encoding == "rgb8" else pixels[:, :, ::-1]


def _metres(image: Image) -> NDArray[np.float32]:
    if image.encoding not in _DEPTHS:
        raise ValueError(f"depth is encoded as {image.encoding}: {' and '.join(_DEPTHS)} are understood")
    kind, unit = _DEPTHS[image.encoding]
    pixel = np.dtype(kind).newbyteorder(">" if image.is_bigendian else "<")
    rows = np.frombuffer(bytes(image.data), np.uint8).reshape(image.height, image.step)
    values = np.ascontiguousarray(rows[:, : pixel.itemsize * image.width]).view(pixel)
    metres: NDArray[np.float32] = values.astype(np.float32) * np.float32(unit)
    metres[~np.isfinite(metres)] = 0.0
    return metres


def _now(node: RosNode) -> float:
    return float(node.get_clock().now().nanoseconds * 1e-9)


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec * 1e-9)
