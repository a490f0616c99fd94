# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The topic `scene_graph/floor_plan` of the perception node: what is known of the floor that the robot is on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Header

from karma_perception import conversions
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.places.floor_plan import Occupancy
from karma_perception.worker import PerceptionWorker
from karma_ros.qos import SILENT

QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class FloorPlanPublisher:
    """Publishes the floor when it has changed, and looks at it only while somebody subscribes.

    The worker's thread looks at the floor, between two frames, and publishes it: nobody waits for it. When nobody
    subscribes any more, the publisher is made anew, so that the middleware gives nobody the floor as it was.
    """

    def __init__(
        self, node: Node, pipeline: PerceptionPipeline, worker: Callable[[], PerceptionWorker | None], map_frame: str
    ) -> None:
        """`worker`: gives the worker of the pipeline, None while the node is not active."""
        self._node = node
        self._pipeline = pipeline
        self._worker = worker
        self._map_frame = map_frame
        self._telling = threading.Lock()
        """Held while the publisher is used or exchanged."""
        self._destroyed = False
        self._told: Occupancy | None = None
        self._basis: object = None
        """When the floor was looked at last."""
        self._asked: Future[tuple[float, Occupancy]] | None = None
        self._publisher = self._offered()

    def destroy(self) -> None:
        """Withdraw the topic."""
        with self._telling:
            self._destroyed = True
            self._node.destroy_publisher(self._publisher)

    def _offered(self) -> Publisher[OccupancyGrid]:
        return self._node.create_publisher(OccupancyGrid, "scene_graph/floor_plan", QOS, event_callbacks=SILENT)

    def look(self) -> None:
        """See whether anybody subscribes and the floor has changed; to be called every second."""
        if not self._publisher.get_subscription_count():
            self._take_back()
            return
        worker = self._worker()
        if worker is None or (self._asked is not None and not self._asked.done()):
            return
        basis = (worker, worker.statistics().processed, self._pipeline.epoch)
        if basis == self._basis or not self._pipeline.epoch:
            return
        try:
            self._asked = worker.ask(self._known)
        except RuntimeError as error:
            self._node.get_logger().debug(f"the floor plan has to wait: {error}")
            return
        self._asked.add_done_callback(partial(self._tell, basis))

    def _take_back(self) -> None:
        with self._telling:
            self._basis = None
            if self._told is not None:
                self._told = None
                self._node.destroy_publisher(self._publisher)
                self._publisher = self._offered()

    def _known(self) -> tuple[float, Occupancy]:
        """Return the stamp of the newest frame in seconds, 0 before the first, and the floor."""
        return self._pipeline.stamp, self._pipeline.floor_plan

    def _tell(self, basis: object, looked: Future[tuple[float, Occupancy]]) -> None:
        """Publish what the worker saw of the floor, if that is new and anybody is still there."""
        error = looked.exception()
        if error is not None:
            self._node.get_logger().error(f"the floor plan can't be made: {type(error).__name__}: {error}")
            return
        try:
            self._publish(basis, *looked.result())
        except RuntimeError:
            if self._node.context.ok():  # else the process is ending, and nobody can be told any more
                raise

    def _publish(self, basis: object, stamp: float, known: Occupancy) -> None:
        with self._telling:
            if self._destroyed or not self._publisher.get_subscription_count():
                return
            self._basis = basis
            if self._told is None or not known.same(self._told):
                self._told = known
                header = Header(stamp=conversions.to_time(stamp), frame_id=self._map_frame)
                self._publisher.publish(conversions.from_occupancy(known, header))
