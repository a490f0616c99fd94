# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an instruction has done and what it rested on, as markers for rviz on `planner/markers`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from visualization_msgs.msg import Marker, MarkerArray

from karma_ros.markers import ABOVE, LETTER, Shape, lit, to_message
from planner_node.memory import Recollection
from planner_node.printable import LABEL, printable
from planner_node.skills import Outcome, Point

TOPIC = "planner/markers"
# All markers are in every message, so that the last one is enough for an rviz that comes later.
QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)

_DONE, _FAILED, _RECALLED = (0.1, 0.6, 0.2), (0.8, 0.15, 0.1), (0.95, 0.7, 0.1)
"""Red, green, blue."""
_LINE = 0.03
"""Metres, width of the way."""


class PlanMarkers:
    """The newest instruction: the way from skill to skill, and the things that recollections are about."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(MarkerArray, TOPIC, QOS)
        self._outcomes: list[Outcome] = []

    def destroy(self) -> None:
        """Give the publisher back."""
        self._node.destroy_publisher(self._publisher)

    def begin(self) -> None:
        """Show that nothing is done yet."""
        self._outcomes.clear()
        self._publish(())

    def add(self, outcome: Outcome) -> None:
        """Show a skill that ended."""
        self._outcomes.append(outcome)
        self._publish(())

    def end(self, outcomes: Sequence[Outcome], recalled: Sequence[Recollection]) -> None:
        """Show all that was done, or is planned where nothing moved, and the recollections that it rests on."""
        self._outcomes = list(outcomes)
        self._publish(recalled)

    def _publish(self, recalled: Sequence[Recollection]) -> None:
        stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(to_message(_shown(self._outcomes, recalled), stamp))


def _shown(outcomes: Sequence[Outcome], recalled: Sequence[Recollection]) -> Iterator[Shape]:
    """Yield what is shown."""
    known = {one.object.id: one.object.position for one in recalled if one.object is not None}
    way: list[Point] = []
    for number, outcome in enumerate(outcomes, start=1):
        place = _place(outcome, known)
        if place is None:
            continue
        # What is done at one place is written one above the other.
        x, y, z = place
        height = z + ABOVE + LETTER * sum(1 for passed in way if passed == place)
        way.append(place)
        color = _DONE if outcome.ok else _FAILED
        text = printable(f"{number} {outcome.call.skill}", LABEL)
        yield Shape("skills", Marker.TEXT_VIEW_FACING, LETTER, color, ((x, y, height),), text)
    if len(way) > 1:
        yield Shape("way", Marker.LINE_STRIP, _LINE, _DONE, way)
    for one in recalled:
        if one.object is not None and one.object.position is not None:
            text = printable(f"{one.kind}: {one.object.category}", LABEL)
            yield from lit("recollections", one.object.position, text, _RECALLED)


def _place(outcome: Outcome, known: dict[str, Any]) -> Point | None:
    """Return where a skill was run: where its target or destination is, as far as it was said, seen or recalled."""
    for target in (outcome.call.receptacle, outcome.call.target):
        seen = next((node.position for node in outcome.seen if node.id == target.id and target.id), None)
        if place := target.position or seen or known.get(target.id):
            return place
    return None
