# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics as diagnostic_updater has them: on /diagnostics in every namespace, with the node's full name."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

TOPIC = "/diagnostics"
"""Absolute: diagnostic_aggregator listens there, to all robots at once; `full_name` tells them apart."""

# For whoever watches now; ten seconds of them are enough for one who is slow.
QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


@dataclass(frozen=True)
class Diagnosis:
    """How a part of a node is."""

    part: str
    """What of the node this is about, as "memory"."""
    message: str
    level: bytes = OK
    values: Mapping[str, object] = field(default_factory=dict)
    hardware_id: str = ""
    """The device that it is about; empty: the computer that the node runs on."""


def full_name(name: str, namespace: str) -> str:
    """Return how the diagnostics call a node: namespace and name without the first slash, as robot1/planner."""
    return "/".join(part for part in (namespace.strip("/"), name) if part)


class DiagnosticsPublisher:
    """Publishes diagnoses of a node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._name = full_name(node.get_name(), node.get_namespace())
        self._publisher = node.create_publisher(DiagnosticArray, TOPIC, QOS)

    def publish(self, diagnoses: Iterable[Diagnosis]) -> None:
        """Publish diagnoses of this moment."""
        message = DiagnosticArray(status=[self._status(diagnosis) for diagnosis in diagnoses])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def destroy(self) -> None:
        """Give the publisher back."""
        self._node.destroy_publisher(self._publisher)

    def _status(self, diagnosis: Diagnosis) -> DiagnosticStatus:
        return DiagnosticStatus(
            level=diagnosis.level,
            name=f"{self._name}: {diagnosis.part}",
            message=diagnosis.message,
            hardware_id=diagnosis.hardware_id or socket.gethostname(),
            values=[KeyValue(key=key, value=str(value)) for key, value in diagnosis.values.items()],
        )
