# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What rviz is shown of an instruction."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from rclpy.clock import Clock
from rclpy.qos import DurabilityPolicy
from visualization_msgs.msg import Marker

from karma_ros.markers import FRAME
from planner_node.memory import Recollection
from planner_node.ros.markers import PlanMarkers
from planner_node.skills import Code, Node, Outcome, SkillCall, Target

MUG = Node(id="Mug_1", category="Mug", position=(1.0, 2.0, 0.8))
TABLE = Node(id="Table_1", category="Table", position=(3.0, 2.0, 0.7))


class Publisher:
    """A node and its publisher: keeps what is published."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def create_publisher(self, kind: Any, topic: str, qos: Any) -> Publisher:
        assert topic == "planner/markers"
        assert qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
        return self

    def get_clock(self) -> Clock:
        return Clock()

    def publish(self, message: Any) -> None:
        self.sent.append(message)

    def shown(self) -> list[Any]:
        """Return the markers of the last message, after the one that takes the others away."""
        first, *others = self.sent[-1].markers
        assert first.action == Marker.DELETEALL
        assert all(marker.header.frame_id == FRAME for marker in others)
        assert len({(marker.ns, marker.id) for marker in others}) == len(others)
        return others


def outcome(skill: str, code: Code, *seen: Node, **targets: Target) -> Outcome:
    return Outcome(SkillCall(skill, **targets), code, seen=seen)


def test_the_way_goes_from_skill_to_skill_and_says_what_failed() -> None:
    node = Publisher()
    markers = PlanMarkers(node)
    markers.begin()
    assert node.shown() == []
    markers.add(outcome("GoToObject", Code.SUCCESS, MUG, target=Target("Mug_1")))
    markers.add(outcome("PickupObject", Code.EXECUTION_FAILURE, MUG, target=Target("Mug_1")))
    markers.add(outcome("Explore", Code.SUCCESS))  # nowhere in particular
    markers.add(outcome("PutObject", Code.SUCCESS, TABLE, target=Target("Mug_1"), receptacle=Target("Table_1")))
    texts = [marker for marker in node.shown() if marker.ns == "skills"]
    assert [marker.text for marker in texts] == ["1 GoToObject", "2 PickupObject", "4 PutObject"]
    assert texts[0].color.g > texts[0].color.r
    assert texts[1].color.r > texts[1].color.g
    assert texts[1].pose.position.z > texts[0].pose.position.z > 0.8  # one above the other
    (way,) = [marker for marker in node.shown() if marker.ns == "way"]
    assert [(p.x, p.y, p.z) for p in way.points] == [(1.0, 2.0, 0.8), (1.0, 2.0, 0.8), (3.0, 2.0, 0.7)]


def test_what_was_recalled_is_shown_at_the_end_and_tells_where_a_plan_goes() -> None:
    node = Publisher()
    markers = PlanMarkers(node)
    planned = outcome("GoToObject", Code.SUCCESS, target=Target("Mug_1"))  # imagined: nothing was seen
    told = Recollection("told", "told:1", "The mug is Ann's.")
    markers.end([planned], [Recollection("long_term", "1", "Mug", object=MUG), told])
    found = {marker.ns: marker for marker in node.shown()}
    assert found.keys() == {"skills", "recollections", "recollections_labels"}
    assert found["recollections_labels"].text == "long_term: Mug"
    position = found["recollections"].pose.position
    assert (position.x, position.y, position.z) == MUG.position
    markers.begin()
    assert node.shown() == []
