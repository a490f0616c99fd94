# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the newest answer rests on, lit in rviz on `memory/answer_markers`: only what anybody may see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from visualization_msgs.msg import MarkerArray

from karma_memory.recall.query import Recollection
from karma_memory.scene_graph.long_term import KIND
from karma_ros.markers import Shape, lit, to_message
from karma_ros.qos import SILENT

# An answer is lit for who looks on when it is given; who comes later isn't shown what was asked before.
QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
LIFETIME = 30
"""Seconds for which an answer is lit, unless another is given before."""
_LIT = (0.1, 0.75, 0.9)
"""Red, green, blue."""


class AnswerMarkers:
    """Lights what an answer rests on; nothing is made while nobody looks on."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(MarkerArray, "memory/answer_markers", QOS, event_callbacks=SILENT)

    def destroy(self) -> None:
        """Give the publisher back."""
        self._node.destroy_publisher(self._publisher)

    def show(self, evidence: Sequence[Recollection], scene: str, stamp: Time) -> None:
        """Light what an answer rests on in the robot's `scene`, instead of the last."""
        if self._publisher.get_subscription_count():
            self._publisher.publish(to_message(_shapes(evidence, scene), stamp, lifetime=LIFETIME))


def _shapes(evidence: Sequence[Recollection], scene: str) -> Iterator[Shape]:
    """Yield what lights the things that the scene graph shows to everybody.

    Nothing where any of the evidence is a person's own: with it, even a mug on a table may tell what is theirs.
    """
    records = [found.record for found in evidence]
    if any(record.user for record in records):
        return
    for record in records:
        if record.kind == KIND and record.scene == scene and record.node is not None and record.valid_until is None:
            yield from lit("answer", record.node.position, record.node.label, _LIT)
