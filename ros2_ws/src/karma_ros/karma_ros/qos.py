# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Qualities of service, and publishers' events, that several nodes have."""

from __future__ import annotations

from rclpy.event_handler import PublisherEventCallbacks
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# Calls that wait for a thread of the executor: the middleware would drop those beyond ten without a word.
SERVICES_QOS = QoSProfile(depth=1024, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

# Of a publisher that will be destroyed: an executor that is about to take an event of it then ends with an error.
SILENT = PublisherEventCallbacks(use_default_callbacks=False)
