# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Timers that don't care what the time of day is."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.callback_groups import CallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer


def steady_timer(node: Node, period: float, work: Callable[[], object], group: CallbackGroup | None = None) -> Timer:
    """Have a node work every `period` seconds that pass.

    rclpy's own timers go by the node's clock: where that is set ahead and back again, as by a wrong time server, they
    stand still for as long as it was ahead.
    """
    return node.create_timer(period, work, callback_group=group, clock=Clock(clock_type=ClockType.STEADY_TIME))
