# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What rviz is shown of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from builtin_interfaces.msg import Time
from rclpy.qos import DurabilityPolicy
from visualization_msgs.msg import Marker

from karma_memory.recall.query import Recollection, Record
from karma_memory.ros.answer_markers import LIFETIME, AnswerMarkers
from karma_memory.scene import Layer, Node

MUG = Node("Mug|1", Layer.OBJECT, category="Mug", position=(1.0, 2.0, 0.8))
SEEN = Record("long_term:home1/Mug|1", "long_term", "Mug", "Mug", "e1", 5.0, scene="home1", node=MUG)
TOLD = Record("told:t1", "told", "it is my mug", "it is my mug", "t1", 6.0, user="ann")


class Publisher:
    """A node and its publisher: keeps what is published."""

    def __init__(self) -> None:
        self.listeners = 1
        self.sent: list[Any] = []

    def create_publisher(self, kind: Any, topic: str, qos: Any, *, event_callbacks: Any) -> Publisher:
        assert topic == "memory/answer_markers"
        assert qos.durability == DurabilityPolicy.VOLATILE, "who comes later must not see what was asked before"
        return self

    def get_subscription_count(self) -> int:
        return self.listeners

    def publish(self, message: Any) -> None:
        self.sent.append(message)


def lit(*records: Record, listeners: int = 1) -> list[Any] | None:
    """Return the markers for evidence, after the one that takes the last answer's away; None: nothing was published."""
    node = Publisher()
    node.listeners = listeners
    evidence = [Recollection(record, 1.0) for record in records]
    AnswerMarkers(node).show(evidence, "home1", Time(sec=10))  # type: ignore[arg-type]
    if not node.sent:
        return None
    first, *others = node.sent[-1].markers
    assert first.action == Marker.DELETEALL
    return others


def test_what_an_answer_rests_on_is_lit_for_a_while() -> None:
    others = lit(SEEN)
    assert others is not None
    ball, label = others
    assert (ball.pose.position.x, ball.pose.position.y, ball.pose.position.z) == MUG.position
    assert label.text == "Mug"
    assert {marker.header.frame_id for marker in others} == {"map"}
    assert [marker.lifetime.sec for marker in others] == [LIFETIME, LIFETIME]


def test_an_answer_that_rests_on_what_is_a_persons_own_only_takes_the_last_away() -> None:
    assert lit(SEEN, TOLD) == []


@pytest.mark.parametrize("other", [{"scene": "home2"}, {"valid_until": 7.0}, {"node": None}, {"kind": "facts"}])
def test_only_what_the_scene_graph_of_here_and_now_has_is_lit(other: dict[str, Any]) -> None:
    assert lit(replace(SEEN, **other)) == []


def test_nothing_is_made_while_nobody_looks_on() -> None:
    assert lit(SEEN, listeners=0) is None
