# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The topic memory/short_term: short-term memory as it is, for those who listen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.msg import ShortTermMemory
from karma_memory import answer_conversions
from karma_memory.memory import Memory
from karma_memory.short_term.memory import Contents
from karma_ros.qos import SILENT
from karma_ros.timers import steady_timer

# Only the newest counts, and who comes later gets that, too.
QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
PERIOD = 0.2
"""Least seconds between two messages, of people's time: they look at it, however fast the robot's clock goes."""
UNHEARD_PERIOD = 1.0
"""Seconds between two looks at whether somebody listens: each costs a millisecond of a processor."""
UNITS_PER_SECOND = 1_000
"""At most: a unit takes 0.04 ms of a processor, and 0.3 kB; 10,000 are told every ten seconds."""


class ShortTermTopic:
    """Publishes short-term memory when it changed and somebody listens; without a listener it is not looked at.

    The middleware keeps the last message for those who come later. When the last listener goes, or the memory is not
    active, the publisher goes with it: what was, and may have been forgotten since, is shown to nobody.
    """

    def __init__(self, node: Node, memory: Callable[[], Memory | None], now: Callable[[], float]) -> None:
        """`memory`: what is open and active, if anything is; `now`: the time in seconds, the robot's clock."""
        self._node = node
        self._memory = memory
        self._now = now
        self._shown: tuple[Memory, tuple[int, int], Contents] | None = None
        """The memory whose contents were published last, when, and they."""
        self._due = 0.0
        """When that memory is looked at again, monotonic seconds."""
        self._withdrawing = threading.Lock()
        """Held by the timer's callback, too: one that has begun may find the topic withdrawn, in another thread."""
        self._withdrawn = False
        self._publisher = self._offered()
        self._timer = steady_timer(node, UNHEARD_PERIOD, self._follow, MutuallyExclusiveCallbackGroup())

    def destroy(self) -> None:
        """Take the topic away."""
        with self._withdrawing:
            self._withdrawn = True
            self._node.destroy_timer(self._timer)
            self._node.destroy_publisher(self._publisher)

    def _offered(self) -> Publisher[ShortTermMemory]:
        return self._node.create_publisher(ShortTermMemory, "memory/short_term", QOS, event_callbacks=SILENT)

    def _follow(self) -> None:
        with self._withdrawing:
            if self._withdrawn:
                return
            memory = self._memory() if self._publisher.get_subscription_count() else None
            self._timer.timer_period_ns = int(1e9 * (PERIOD if memory is not None else UNHEARD_PERIOD))
            if memory is not None:
                self._publish(memory)
            elif self._shown is not None:
                self._shown = None
                self._node.destroy_publisher(self._publisher)
                self._publisher = self._offered()

    def _publish(self, memory: Memory) -> None:
        """Publish the contents, unless they are what was published last, or that was too short a time ago."""
        version = memory.browsing.short_term_version()
        shown = self._shown
        if shown is not None and shown[0] is memory and (shown[1] == version or monotonic() < self._due):
            return
        contents = memory.browsing.short_term()
        if shown is None or shown[2] != contents:
            self._publisher.publish(answer_conversions.from_short_term(contents, self._now()))
        self._shown = memory, version, contents
        self._due = monotonic() + len(contents.units) / UNITS_PER_SECOND
