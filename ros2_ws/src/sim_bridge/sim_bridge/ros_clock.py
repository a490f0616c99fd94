# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether somebody publishes `/clock`, the time of a simulated robot (ROS side)."""

from __future__ import annotations

import time

import rclpy
from rclpy.context import Context
from rclpy.node import Node

_LOOK_AGAIN = 0.1


def clock_is_published(patience: float) -> bool:
    """Look for a publisher of `/clock`, in the domain of the environment, for as many seconds at most."""
    context = Context()
    rclpy.init(context=context, args=[])
    try:
        node = Node(
            "clock_examination",
            context=context,
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )
        until = time.monotonic() + patience
        while not (found := node.count_publishers("/clock")) and time.monotonic() < until:
            time.sleep(_LOOK_AGAIN)
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)
    return bool(found)
