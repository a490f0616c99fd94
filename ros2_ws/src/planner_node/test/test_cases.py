# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What past instructions meant, and what they say of words that may mean several things."""

from __future__ import annotations

import pytest
from household_robot import DictMemory, HouseholdRobot
from hypothesis import given
from hypothesis import strategies as st

from karma_language.vocabulary import household
from planner_node.memory import TRAJECTORY, Recall, Recollection, Task
from planner_node.planner import Instruction, Planner
from planner_node.understand.cases import Cases
from planner_node.understand.goals import Understood, goal_text
from planner_node.understand.hearing import Hearing
from planner_node.understand.offline import OfflineUnderstanding
from sim_bridge.household.backend import HouseholdBackend

RULES = OfflineUnderstanding(household())


def case(
    instruction: str, *goals: str, succeeded: bool = True, stamp: float = 1_777_000_000.0, name: str = ""
) -> Recollection:
    task = Task(instruction, goals, succeeded)
    return Recollection(TRAJECTORY, name or f"trajectory:{instruction}", "", valid_from=stamp, task=task)


SPRAY = case("put the spray bottle in the cabinet", "place(spray bottle=SprayBottle, cabinet=Cabinet, in)")
SOAP = case("put the soap bottle in the cabinet", "place(soap bottle=SoapBottle, cabinet=Cabinet, in)")


def taken(text: str, *cases: Recollection):
    asked = RULES.understand(text)
    assert isinstance(asked, Understood)
    return Cases(household()).doubtful(asked.goals, cases)


def test_what_words_leave_open_is_taken_as_it_was_right_before():
    assert taken("put a bottle in the cabinet").goals[0].object.categories[0] != "SprayBottle"
    found = taken("put a bottle in the cabinet", SPRAY)
    assert found.goals[0].object.categories == ("SprayBottle",)
    assert found.used == (SPRAY,)
    (note,) = found.notes
    assert note.startswith("I took 'bottle' for the spray bottle: I did as on 24 April 2026")
    vessel = case("", "place(pen=Pen, cup=Mug, in)", "place(cup=Mug, desk=Desk, on)")
    two = taken("put a pen in the cup and put the cup on the desk", vessel)
    assert goal_text(two.goals[0]).startswith("place(pen=Pen, cup=Mug")
    assert two.goals[1].object.categories == ("Mug",)


@pytest.mark.parametrize(
    "cases",
    [
        (SPRAY, SOAP),
        (case("", *SPRAY.task.goals, succeeded=False),),
        (case("", "place(pen=Pen, cabinet=Cabinet, in)"),),
        (case("", "place(spray bottle=SprayBottle, shelf=Shelf, on)"),),
        (case("", "hold(spray bottle=SprayBottle)"),),
        (case("", *SPRAY.task.goals, "open(drawer=Drawer)"),),
        (case("", "place(spray bottle"),),
    ],
)
def test_it_is_not_where_cases_differ_failed_or_were_about_something_else(cases: tuple[Recollection, ...]):
    found = taken("put a bottle in the cabinet", *cases)
    assert found.goals == RULES.understand("put a bottle in the cabinet").goals
    assert not found.used
    assert not found.notes


def test_words_that_say_what_is_meant_are_not_overruled():
    assert taken("put the soap bottle in the cabinet", SPRAY).goals[0].object.categories == ("SoapBottle",)


class Recalls(DictMemory):
    """A memory with attempts at tasks."""

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: tuple[str, ...] = ()):
        return Recall((SPRAY,)) if tuple(kinds) == (TRAJECTORY,) else super().recall(query, user, scene, limit, kinds)


def test_the_planner_takes_it_so_and_says_why():
    robot = HouseholdRobot(HouseholdBackend("FloorPlan413"))
    report = Planner(robot, Recalls(), Hearing(household()), household()).run(
        Instruction("put a bottle in the cabinet")
    )
    assert "I took 'bottle' for the spray bottle" in report.message
    assert report.goals[0].object.categories == ("SprayBottle",)
    assert SPRAY.id in [one.id for one in report.recalled]


def meant(instruction: str, *goals: str) -> list[str]:
    task = case(instruction, *goals).task
    assert task is not None
    return [str(goal) for goal in Cases(household()).goals_of(task)]


def test_what_was_meant_then_is_kept_beside_what_the_rules_read_again():
    assert meant("put a hot pan on a table", "place(pan=Pan, table=SideTable, on)") == ["place(hot pan, table, on)"]
    assert meant("put a hot pan on a table", "place(pan=Pan, table=Fridge, in)") == ["place(pan, table, in)"]
    assert meant("yeet the mug into the sink", "place(mug=Mug, sink=Sink, in)") == ["place(mug, sink, in)"]
    for text in ("follow(mug=Mug)", "place(mug=Bomb|Mug); import os", "place(flurb=Bomb, sink=Sink, in)"):
        assert meant("yeet the mug into the sink", text) == []


@given(st.lists(st.text(max_size=60), max_size=3), st.text(max_size=60))
def test_nothing_in_memory_is_more_than_goals(told, text):
    assert isinstance(meant(text, *told), list)
