# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Qualities of service that several nodes have."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# Calls that wait for a thread of the executor: the middleware would drop those beyond ten without a word.
SERVICES_QOS = QoSProfile(depth=1024, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
