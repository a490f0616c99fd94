# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The topic `scene_graph/floor_plan` of the perception node: what is known of the floor that the robot is on."""

from __future__ import annotations

import time
from collections.abc import Callable

from nav_msgs.msg import OccupancyGrid
from rclpy.event_handler import PublisherEventCallbacks, QoSPublisherMatchedInfo
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Header

from karma_perception import conversions
from karma_perception.floor_plan import Occupancy, occupancy
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.worker import PerceptionWorker

QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

_PERIOD = 1.0
"""Seconds between two looks at the floor, at least."""
_PATIENCE = 0.5
"""Seconds that the worker may take to come to the floor: it is asked between two frames."""


class FloorPlanPublisher:
    """Publishes the floor when it has changed, and looks at it only while somebody subscribes."""

    def __init__(
        self, node: Node, pipeline: PerceptionPipeline, worker: Callable[[], PerceptionWorker | None], map_frame: str
    ) -> None:
        """`worker`: gives the worker of the pipeline, None while the node is not active."""
        self._node = node
        self._pipeline = pipeline
        self._worker = worker
        self._map_frame = map_frame
        self._told: Occupancy | None = None
        self._basis: object = None
        self._looked = -_PERIOD
        matched = PublisherEventCallbacks(matched=self._match)
        self._publisher = node.create_publisher(OccupancyGrid, "scene_graph/floor_plan", QOS, event_callbacks=matched)
        self._timer = node.create_timer(_PERIOD, self._look)

    def destroy(self) -> None:
        """Withdraw the topic."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def _match(self, info: QoSPublisherMatchedInfo) -> None:
        """Look at once for the first who comes after a while; others have the newest from the middleware."""
        if info.current_count_change > 0 and time.monotonic() - self._looked >= _PERIOD:
            self._timer.reset()
            self._look()

    def _look(self) -> None:
        worker = self._worker()
        if worker is None or not self._publisher.get_subscription_count():
            return
        basis = (worker, worker.statistics().processed, self._pipeline.epoch)
        if basis == self._basis or not self._pipeline.epoch:
            return
        try:
            stamp, known = worker.call(self._known, _PATIENCE)
        except (TimeoutError, RuntimeError) as error:
            self._node.get_logger().debug(f"the floor plan has to wait: {error or 'perception is busy'}")
            return
        self._basis, self._looked = basis, time.monotonic()
        if self._told is None or not known.same(self._told):
            self._told = known
            header = Header(stamp=conversions.to_time(stamp), frame_id=self._map_frame)
            self._publisher.publish(conversions.from_occupancy(known, header))

    def _known(self) -> tuple[float, Occupancy]:
        """Return the stamp of the newest frame in seconds, 0 before the first, and the floor."""
        return self._pipeline.stamp, occupancy(self._pipeline.floor_plan)
