# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The result of an instruction, as its client gets it."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy")

from planner_node.conversions import event_to
from planner_node.instruction import Report
from planner_node.memory import Event, EventKind
from planner_node.ros.goal_observer import result_to
from planner_node.skills import Code, Node, Outcome, SkillCall

SEEN = tuple(Node(f"Apple|{i}", "Apple", position=(0.0, 0.0, 1.0)) for i in range(100))
LOOKED = Outcome(SkillCall("Explore"), Code.SUCCESS, seen=SEEN, explore_steps=3, duration=1.0)


def test_a_result_does_not_list_what_was_seen_which_the_memory_is_told() -> None:
    (told,) = result_to(Report(Code.SUCCESS, outcomes=(LOOKED,))).skills
    assert (told.call.skill, told.explore_steps, list(told.seen)) == ("Explore", 3, [])
    (event,) = event_to(Event("1", EventKind.SKILL_OUTCOME, 1.0, outcome=LOOKED), robot="").outcome
    assert len(event.seen) == len(SEEN)
