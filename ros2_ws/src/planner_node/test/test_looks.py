# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of several things is meant, by what it is said to look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_memory import NoMemory
from scripted_robot import TABLE, ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.instruction import Instruction
from planner_node.planner import Planner
from planner_node.skills import Code, Node, Outcome, SkillCall, SkillSpec, SkillTable
from planner_node.understand.goals import Understood
from planner_node.understand.hearing import Hearing
from planner_node.understand.looks import DESCRIBED, likeness, tells_looks
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.world import LOOKS, SEEN, World

SEES = SkillTable([*TABLE.values(), SkillSpec("DescribeObject", parameters=TABLE["GoToObject"].parameters)])
TELLS = SkillTable([*TABLE.values(), replace(SEES["DescribeObject"], effects=(DESCRIBED,))])
DESK = thing("Desk1", (4.0, 1.0, 0.7))
PLAIN = thing("Vase1", (1.0, 1.0, 1.0), movable=True)
TEAL = thing("Vase2", (2.0, 1.0, 1.0), movable=True)


class Describing(ScriptedRobot):
    """Says what two vases look like."""

    def __init__(self, table: SkillTable = TELLS) -> None:
        super().__init__({"Explore": [shows(PLAIN, TEAL, DESK)], "Explore(Vase)": [shows(PLAIN, TEAL, DESK)]})
        self._table = table

    def skills(self) -> SkillTable:
        return self._table

    def execute(self, call: SkillCall, *more: object) -> Outcome:  # type: ignore[override]
        outcome = super().execute(call, *more)  # type: ignore[arg-type]
        if call.skill != "DescribeObject":
            return outcome
        looks = {"Vase1": "A plain white vase.", "Vase2": "A teal vase with a tall, slender neck."}[call.target.id]
        seen: Sequence[Node] = [
            replace(one, states={LOOKS: looks}) for one in (PLAIN, TEAL) if one.id == call.target.id
        ]
        return replace(outcome, seen=tuple(seen))


def run(robot: ScriptedRobot, text: str) -> Code:
    return Planner(robot, NoMemory(), Hearing(household()), household()).run(Instruction(text)).code


@pytest.mark.parametrize(
    "text",
    [
        "Put the teal vase with a slender neck on the desk",
        "Put the vase on the desk. The vase is teal with a tall, slender neck.",
    ],
)
def test_the_thing_that_looks_so_is_taken(text: str) -> None:
    robot = Describing()
    assert run(robot, text) is Code.SUCCESS
    taken = [call.target.id for call in robot.calls if call.skill == "PickupObject"]
    assert taken == ["Vase2"]


def test_a_robot_that_does_not_promise_to_tell_looks_is_not_asked() -> None:
    robot = Describing(SEES)
    assert not tells_looks(SEES)
    run(robot, "Put the teal vase on the desk")
    assert not [call for call in robot.calls if call.skill == "DescribeObject"]


def test_what_stands_where_another_stood_does_not_look_like_that() -> None:
    world = World(household())
    world.believe(replace(PLAIN, states={LOOKS: "A plain white vase.", "isDirty": "true"}), "long_term")
    world.apply(shows(replace(TEAL, position=PLAIN.position)))
    seen = world.get("Vase2")
    assert seen is not None
    assert seen.source == SEEN
    assert dict(seen.node.states) == {"isDirty": "true"}


def test_what_a_text_tells_of_a_thing_belongs_to_its_reference() -> None:
    said = OfflineUnderstanding(household()).understand("Put the mug and the bowl on the desk. The bowl is blue.")
    assert isinstance(said, Understood)
    assert [goal.object.looks for goal in said.goals if goal.object] == [(), ("bowl The bowl is blue",)]


@given(st.lists(st.text(max_size=30), max_size=3), st.text(max_size=60), st.text(max_size=10))
def test_likeness_is_a_share(told: list[str], looks: str, noun: str) -> None:
    assert 0.0 <= likeness(told, looks, noun) <= 1.0


def test_the_noun_tells_nothing_apart() -> None:
    assert likeness(["the vase"], "A vase.", "vase") == 0.0
    assert likeness(["teal vase"], "A teal vase.", "vase") == 1.0
