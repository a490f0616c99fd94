# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What all nodes log, as lines of JSON for whoever collects logs."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TextIO

from rcl_interfaces.msg import Log
from rclpy.logging import LoggingSeverity
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_ros.client import GraphClient

TOPIC = "/rosout"
# As nodes publish it: what they said before is told to whoever comes later.
_EVERY = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def write_log(client: GraphClient, file: TextIO) -> None:
    """Write a line for each message on /rosout from now on, until the client's end: time (s), level, node, message."""

    def write(log: Log) -> None:
        said = {
            "time": log.stamp.sec + 1e-9 * log.stamp.nanosec,
            "level": LoggingSeverity(log.level).name,
            "node": log.name,
            "message": log.msg,
        }
        with suppress(BrokenPipeError):  # nobody collects any more: the graph goes on
            print(json.dumps(said, ensure_ascii=False), file=file, flush=True)

    client.node.create_subscription(Log, TOPIC, write, _EVERY)
