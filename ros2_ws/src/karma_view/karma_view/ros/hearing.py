# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the page hears of the graph's topics while somebody looks."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image

from karma_interfaces.msg import InstanceLabels, PlannerState, Result, ShortTermMemory
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.srv import GetSceneGraph
from karma_perception.conversions import apply_message
from karma_perception.scene_graph import SceneGraph
from karma_ros.client import GraphClient, GraphError
from karma_ros.diagnostics_watch import DiagnosticsWatch, told
from karma_view.known import Live, Pose
from karma_view.ros.camera import CameraWatch
from karma_view.ros.transcript import Transcript
from karma_view.text import seconds

logger = logging.getLogger(__name__)

GRAPH_S = 15.0
"""For perception to answer with the whole scene graph."""
MOST_EARLY = 256
"""Updates that are kept until the whole graph is there; of more the rest is asked for again."""
PRESENCE_S = 1.0
"""Between two looks at who is there."""
PUBLISHERS = {"scene_graph": "perception", "planner/state": "planner", "memory/short_term": "memory server"}
"""Topics, and who says them."""

_LAST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Each may be the only one that tells how an instruction ended.
_EVERY = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# The last is told to whoever comes later; a gap is closed by asking for the whole graph.
_DELTAS = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Only the newest counts, and a page that is slow must slow nobody else down.
_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)


class Hearing:
    """Hears into `live` and `transcript` from when it is made until it is closed, and never afterwards."""

    def __init__(self, client: GraphClient, live: Live, transcript: Transcript) -> None:
        self._client = client
        self._live = live
        self._transcript = transcript
        self._taking = threading.RLock()
        """Held while something heard is taken: the scene graph comes by topic and by service."""
        self._sequence = 0
        """Of the newest update of the scene graph; 0: the whole graph is needed first."""
        self._early: dict[int, Any] = {}
        """By sequence, updates of this map that can't be taken before the whole graph is there."""
        self._maps = 0
        """That were begun. A whole graph that was asked for before is another one's, whose numbers mean nothing now."""
        self._missing = threading.Event()
        self._missing.set()
        self._closed = threading.Event()
        camera = CameraWatch(lambda view: self._learn(camera=view))
        topics: tuple[tuple[Any, str, Callable[[Any], None], QoSProfile], ...] = (
            (SceneGraphMsg, "scene_graph", self._on_graph, _DELTAS),
            (PlannerState, "planner/state", self._on_planner, _EVERY),
            (ShortTermMemory, "memory/short_term", lambda message: self._learn(short_term=message), _LAST),
            (OccupancyGrid, "scene_graph/floor_plan", lambda message: self._learn(floor_plan=message), _LAST),
            (Odometry, "odom", self._on_odom, _NEWEST),
            (Image, "camera/color/image_raw", partial(camera.take, "color"), _NEWEST),
            (Image, "camera/instances", partial(camera.take, "instances"), _NEWEST),
            (InstanceLabels, "camera/instance_labels", partial(camera.take, "labels"), _NEWEST),
            (CameraInfo, "camera/color/camera_info", partial(camera.take, "info"), _NEWEST),
            (PoseStamped, "camera/pose", partial(camera.take, "pose"), _NEWEST),
        )
        self._subscriptions = [
            client.node.create_subscription(kind, topic, partial(_unless_garbage, topic, take), quality)
            for kind, topic, take, quality in topics
        ]
        self._diagnostics = DiagnosticsWatch(client)
        self._thread = threading.Thread(target=self._follow, name="view_hearing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hear no more. An answer that is still to come is dropped; nobody waits for it but a moment."""
        with self._taking:
            self._closed.set()
        self._missing.set()
        self._thread.join(0.5)
        for subscription in self._subscriptions:
            self._client.node.destroy_subscription(subscription)
        self._diagnostics.close()

    def _learn(self, **changes: Any) -> None:
        with self._taking:
            if not self._closed.is_set():
                self._live.learn(**changes)

    def _on_planner(self, message: Any) -> None:
        with self._taking:
            if not self._closed.is_set():
                self._transcript.hear(message)
                self._live.learn(planner=message)

    def _on_odom(self, message: Any) -> None:
        at, turned = message.pose.pose.position, message.pose.pose.orientation
        yaw = math.atan2(2 * (turned.w * turned.z + turned.x * turned.y), 1 - 2 * (turned.y**2 + turned.z**2))
        self._learn(pose=Pose((at.x, at.y, at.z), yaw))

    def _on_graph(self, message: Any) -> None:
        with self._taking:
            if message.full:
                self._maps += 1
                self._early.clear()
                self._missing.set()  # where it is garbage
                self._begin(message)
            elif self._sequence and message.sequence == self._sequence + 1:
                self._take(message, self._live.known.graph)
            elif message.sequence > self._sequence or message.sequence == 1:
                # The first comes from a perception that was restarted; what is older comes after the whole graph.
                if len(self._early) < MOST_EARLY:
                    self._early[message.sequence] = message
                self._missing.set()

    def _begin(self, message: Any) -> None:
        """Take a whole graph."""
        self._take(message, SceneGraph(scene=message.scene))
        # What came while the whole was on its way goes on from there.
        early, self._early = self._early, {}
        for sequence in sorted(early):
            if sequence > self._sequence:
                self._on_graph(early[sequence])
        if not self._early:
            self._missing.clear()

    def _take(self, message: Any, graph: SceneGraph) -> None:
        changed = apply_message(message, graph)
        self._sequence = message.sequence
        self._learn(graph=changed, stamp=seconds(message.header.stamp))

    def _follow(self) -> None:
        """Say who isn't there or what is wrong, and ask for the whole scene graph when some was missed (a thread)."""
        while not self._closed.is_set():
            trouble = self._absent() or ". ".join(told(self._diagnostics.troubles()))
            if self._missing.is_set() and self._publishers("scene_graph"):
                try:
                    self._ask()
                except (GraphError, ValueError) as error:
                    trouble = str(error)
                    self._missing.set()
            self._learn(trouble=trouble)
            if self._missing.is_set():
                self._closed.wait(PRESENCE_S)
            else:
                self._missing.wait(PRESENCE_S)

    def _ask(self) -> None:
        """Ask for the whole scene graph. GraphError, ValueError: it is garbage."""
        self._missing.clear()
        maps = self._maps
        response = self._client.call(GetSceneGraph, "scene_graph/get_full", GetSceneGraph.Request(), timeout=GRAPH_S)
        with self._taking:
            if response.result.code != Result.SUCCESS:  # there is none before the first frame
                self._missing.set()
            elif maps == self._maps:
                self._begin(response.graph)

    def _absent(self) -> str:
        """Return who of the graph isn't there, in words; empty: all are."""
        absent = [name for topic, name in PUBLISHERS.items() if not self._publishers(topic)]
        if len(absent) == len(PUBLISHERS):
            return "The graph isn't running: start it with ./karma up. This page comes alive when it does."
        return f"Not running now: {', '.join(absent)}." if absent else ""

    def _publishers(self, topic: str) -> int:
        node = self._client.node
        return int(node.count_publishers(node.resolve_topic_name(topic)))


def _unless_garbage(topic: str, take: Callable[[Any], None], message: Any) -> None:
    """Take a message, but no garbage: an error would end the thread that hears all topics."""
    try:
        take(message)
    except ValueError as error:
        logger.warning("what was heard on %s is not taken: %s", topic, error)
