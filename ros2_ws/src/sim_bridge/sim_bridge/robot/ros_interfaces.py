# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's interfaces over ROS: a node with an executor and a thread of its own (ROS side).

The node does not take over the process's remappings: the names are the table's, relative ones below the namespace.
"""

from __future__ import annotations

import threading
import traceback
from contextlib import ExitStack

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter

from sim_bridge.robot.perceived import Perceived
from sim_bridge.robot.ros_calls import Clients
from sim_bridge.robot.ros_senses import CameraReader, SceneGraphCopy, Topics, listen_to_transforms, quality
from sim_bridge.robot.ros_types import check_types
from sim_bridge.robot.table import Table
from sim_bridge.robot.transforms import TransformTree

_LONGEST_SPIN = 0.2
"""Seconds after which it is noticed that the node is closed."""
_COMPLAINT_PERIOD = 10.0
"""Seconds between complaints about what can't be read."""


class RosInterfaces:
    """See `sim_bridge.robot.ports.Interfaces`."""

    def __init__(self, table: Table, *, namespace: str = "", dry_run: bool = False, use_sim_time: bool = False) -> None:
        """Begin to listen. TableError where the table does not fit the types that it names, or they are missing.

        With `dry_run`, no client and no publisher is made: nothing can be moved by mistake. With `use_sim_time`, the
        time is that of /clock.
        """
        check_types(table)
        with ExitStack() as undo:
            self._open(table, undo, namespace=namespace, dry_run=dry_run, use_sim_time=use_sim_time)
            self._undo = undo.pop_all()

    def _open(self, table: Table, undo: ExitStack, *, namespace: str, dry_run: bool, use_sim_time: bool) -> None:
        calls = list(table.calls)
        self._context = Context()
        rclpy.init(context=self._context, args=[])
        undo.callback(rclpy.shutdown, context=self._context)
        self._node = Node(
            "robot_interfaces",
            context=self._context,
            namespace=namespace,
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
            parameter_overrides=[Parameter("use_sim_time", value=use_sim_time)],
        )
        undo.callback(self._node.destroy_node)
        clients = Clients(self._node, [] if dry_run else calls)
        confirmed = [c.confirm for c in calls if c.confirm is not None]
        topics = Topics(
            self._node,
            {
                **{c.topic: (c.topic, c.type, quality(c)) for c in confirmed},
                **{s.topic: (s.topic, s.type, quality(s)) for _, s in table.sources},
            }.values(),
        )
        transforms = TransformTree()
        if table.pose.base_frame is not None or table.pose.camera_frame is not None:
            listen_to_transforms(self._node, transforms)
        self._perceived = Perceived()
        SceneGraphCopy(self._node, self._perceived)
        # The protocol's methods are those of the parts.
        self.ready, self.begin, self.cancel_all = clients.ready, clients.begin, clients.cancel_all
        self.latest, self.said, self.why_silent = topics.latest, topics.said, topics.why_silent
        self.transform, self.picture = transforms.between, CameraReader(self._node).picture
        self._executor = SingleThreadedExecutor(context=self._context)
        undo.callback(self._executor.shutdown)
        self._executor.add_node(self._node)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="robot interfaces", daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        # Not spin(): rclpy's shutdown() can miss a thread that is about to wait, which then waits for ever.
        while not self._closed.is_set():
            try:
                self._executor.spin_once(timeout_sec=_LONGEST_SPIN)
            except Exception:  # noqa: BLE001 - what one message breaks must not keep the emergency stop from being heard
                self._node.get_logger().error(
                    f"what the robot or perception told broke its reader:\n{traceback.format_exc()}",
                    throttle_duration_sec=_COMPLAINT_PERIOD,
                )

    def perceived(self) -> Perceived:
        """Return perception's map."""
        return self._perceived

    def now(self) -> float:
        """Return the time in seconds."""
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def close(self) -> None:
        """End the thread and the node."""
        self._closed.set()
        self._thread.join()
        self._undo.close()
