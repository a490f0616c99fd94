# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The scene graph of one robot as the memory server follows it: deltas, and all of it when one is missing."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.srv import GetSceneGraph
from karma_memory import conversions
from karma_memory.events import Code
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.scene import InvalidEventError
from karma_memory.scene_graph.follower import GapError, GraphUpdate, SceneFollower
from karma_memory.scene_graph.shared_places import SharedPlaces

# Deltas must all arrive, in order: reliable. Transient local as the publisher is, so that the deltas before the memory
# was there come too; the depth is what a busy memory may be behind.
QOS = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)

MAX_WAITING = 256
"""Deltas that wait for the full graph."""
FULL_GRAPH_TIMEOUT = 5.0
"""Seconds after which a full graph that did not come is asked for again."""
ASK_PERIOD = 1.0
"""Least seconds between two requests for the full graph."""
WARN_PERIOD = 5.0
"""Seconds between warnings of the same kind."""


class GraphSubscription:
    """Hands every update of a `scene_graph` topic to `observe`, in order.

    After a GapError of `observe`, and when the journal did not take an update, `<topic>/get_full` is asked, until it
    answers. `refuse` is told of malformed graphs, `complain` of what could not be remembered.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        *,
        refresh: float,
        places: SharedPlaces,
        observe: Callable[[GraphUpdate, SceneFollower], None],
        refuse: Callable[[str], None],
        complain: Callable[[str], None],
    ) -> None:
        """`refresh`, seconds, and `places`: see SceneFollower."""
        self._active = False
        self._node = node
        self._topic = topic
        self._observe = observe
        self._refuse = refuse
        self._complain = complain
        self._follower = SceneFollower(refresh, places)
        self._lock = threading.RLock()
        self._waiting: deque[GraphUpdate] = deque(maxlen=MAX_WAITING)
        self._gap = ""
        """Why the full graph is needed, "" when it isn't."""
        self._asked: Any = None
        """Future of the full graph that was asked for last, None once it came."""
        self._asked_at = -math.inf
        group = MutuallyExclusiveCallbackGroup()
        self._full_graph = node.create_client(GetSceneGraph, f"{topic}/get_full", callback_group=group)
        self._subscription = node.create_subscription(
            SceneGraphMsg, topic, self._on_scene_graph, QOS, callback_group=group
        )

    @property
    def scene(self) -> str:
        """Scene that the robot is in, "" before its first graph."""
        return self._follower.scene

    @property
    def active(self) -> bool:
        """Whether updates are handed on and the full graph is asked for."""
        return self._active

    @active.setter
    def active(self, value: bool) -> None:
        with self._lock:  # nobody asks for the full graph with a client that is gone
            self._active = value

    def destroy(self) -> None:
        """Give subscription and client back."""
        self.active = False
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_client(self._full_graph)

    def _on_scene_graph(self, message: SceneGraphMsg) -> None:
        try:
            update = conversions.to_update(message)
        except InvalidEventError as error:
            self._refuse(f"a scene graph was refused: {error}")
            return
        with self._lock:
            if self._asked is not None and not update.full:
                self._waiting.append(update)
            else:
                self._follow(update)
            self.ask_again()

    def _follow(self, update: GraphUpdate) -> None:
        """Remember what is new in an update, or note that the full graph is needed."""
        try:
            self._observe(update, self._follower)
        except InvalidEventError as error:
            self._refuse(f"a scene graph was refused: {error}")
        except GapError as gap:
            self._gap = str(gap)
        except (JournalError, BusyError) as error:
            self._complain(f"an observation is not remembered yet: {error}")
            self._gap = f"an update of scene {update.scene!r} could not be remembered"
        else:
            if update.full:
                self._gap = ""

    def ask_again(self) -> None:
        """Ask for the full graph if it is needed, unless it was asked for a moment ago."""
        with self._lock:
            if not self._active:
                return
            since = time.monotonic() - self._asked_at
            if self._asked is not None and since >= FULL_GRAPH_TIMEOUT:
                self._full_graph.remove_pending_request(self._asked)
                self._asked = None
            if not self._gap or self._asked is not None or since < ASK_PERIOD:
                return
            if not self._full_graph.service_is_ready():
                self._warn_of_gap(f"{self._topic}/get_full is not offered; waiting for it")
                return
            self._node.get_logger().info(
                f"{self._gap}; asking for the full scene graph", throttle_duration_sec=WARN_PERIOD
            )
            self._asked_at = time.monotonic()
            self._asked = self._full_graph.call_async(GetSceneGraph.Request())
            self._asked.add_done_callback(self._on_full_graph)

    def _warn_of_gap(self, consequence: str) -> None:
        self._node.get_logger().warning(f"{self._gap}; {consequence}", throttle_duration_sec=WARN_PERIOD)

    def _on_full_graph(self, future: Any) -> None:
        """Go on from the full graph, with the deltas of its scene that came meanwhile."""
        with self._lock:
            if future is not self._asked:
                return
            self._asked = None
            waiting = list(self._waiting)
            self._waiting.clear()
            response = future.result()
            if response is None or response.result.code != Code.SUCCESS:
                self._warn_of_gap(
                    f"no full graph came ({response.result.message if response else 'no answer'}); asking again"
                )
                return
            try:
                full = conversions.to_update(response.graph)
            except InvalidEventError as error:
                self._refuse(f"the full scene graph was refused: {error}")
                return
            self._follow(full)
            for update in waiting:
                if update.scene == full.scene and update.sequence > full.sequence:
                    self._follow(update)
