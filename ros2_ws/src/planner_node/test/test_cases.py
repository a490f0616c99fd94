# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Understanding by cases: past instructions that succeeded, adapted to words that the rules do not know."""

from __future__ import annotations

import pytest
from household_robot import DictMemory, HouseholdRobot
from hypothesis import given
from hypothesis import strategies as st

from karma_language.vocabulary import household
from planner_node.memory import TRAJECTORY, Recall, Recollection, Task
from planner_node.planner import Instruction, Planner
from planner_node.skills import Code
from planner_node.understand.cases import Cases
from planner_node.understand.goals import NotUnderstood, Statement, Understood, goal_text
from planner_node.understand.hearing import Hearing
from planner_node.understand.offline import OfflineUnderstanding
from sim_bridge.household.backend import HouseholdBackend

RULES = OfflineUnderstanding(household())
LOST = NotUnderstood(Code.NOT_UNDERSTOOD, "I don't understand that.")


def case(
    instruction: str, *goals: str, succeeded: bool = True, stamp: float = 1_777_000_000.0, name: str = ""
) -> Recollection:
    task = Task(instruction, goals, succeeded)
    return Recollection(TRAJECTORY, name or f"trajectory:{instruction}", "", valid_from=stamp, task=task)


YEET = case("yeet the mug into the sink", "place(mug=Mug, sink=Sink|SinkBasin, in)")


def understood(text: str, *cases: Recollection):
    return Cases(household()).consider(text, LOST, cases).understanding


def goals(text: str, *cases: Recollection) -> list[str]:
    found = understood(text, *cases)
    return [goal_text(goal) for goal in found.goals] if isinstance(found, Understood) else []


def test_the_same_words_mean_the_same_again():
    assert goals("Yeet the mug into the sink!", YEET) == ["place(mug=Mug, sink=Sink|SinkBasin, in)"]


def test_its_nouns_are_exchanged():
    (goal,) = goals("please yeet the plate into the fridge", YEET)
    assert goal == "place(plate=Plate, fridge=Fridge, in)"


def test_what_was_understood_otherwise_then_stays_said():
    found = understood("yeet the plate into the sink", YEET)
    assert found.notes == ("I did as on 24 April 2026, when you asked: “yeet the mug into the sink”.",)
    before = understood("yeet the plate into the sink", case(YEET.task.instruction, *YEET.task.goals, stamp=12.0))
    assert before.notes[0].startswith("I did as before, when you asked")


def test_states_that_the_rules_read_are_kept():
    text = "put a clean mug in the sink"
    told = case(text, *map(goal_text, RULES.understand(text).goals))
    found = understood("put a clean plate in the sink", told)
    assert found.goals[0].object.states == {"clean"}
    assert found.goals[0].object.categories == ("Plate",)


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("yeet the mug", [YEET]),  # another frame
        ("hurl the mug into the sink", [YEET]),  # another verb
        ("yeet the mug into the moon", [YEET]),  # no noun that is known
        ("yeet the fridge into the sink", [YEET]),  # makes no sense: a fridge can't be carried
        ("yeet the mug into the sink", [case(YEET.task.instruction, *YEET.task.goals, succeeded=False)]),
        ("yeet two mugs into the sink", [case("yeet two mugs into the sink", *YEET.task.goals)]),  # counts are lost
        ("yeet it into the sink", [case("yeet it into the sink", *YEET.task.goals)]),
        ("yeet the mug into the sink", [case(YEET.task.instruction, "follow(mug=Mug)")]),
        ("yeet the mug into the sink", [case(YEET.task.instruction, "place(mug=Bomb|Mug); import os")]),
        ("yeet the mug into the sink", [case(YEET.task.instruction, "place(flurb=Bomb, sink=Sink, in)")]),
        ("yeet the mug into the sink", [Recollection(TRAJECTORY, "x", "yeet the mug into the sink")]),
        ("yeet the mug into the sink", []),
    ],
)
def test_what_is_no_case_is_not_used(text, cases):
    assert understood(text, *cases) == LOST


def test_of_cases_that_differ_a_person_is_asked():
    other = case("yeet the cup into the sink", "clean(cup=Cup)")
    found = understood("yeet the plate into the sink", YEET, other)
    assert isinstance(found, NotUnderstood)
    assert (
        "not sure whether it is like “yeet the mug into the sink” or like “yeet the cup into the sink”" in found.message
    )


def test_cases_that_agree_are_one():
    other = case("yeet the cup into the sink", "place(cup=Cup, sink=Sink|SinkBasin, in)")
    assert goals("yeet the plate into the sink", YEET, other) == ["place(plate=Plate, sink=Sink|SinkBasin, in)"]


def test_what_the_same_words_led_to_counts_more_than_how_they_are_read_now():
    text = "put the mug in the sink"
    now = RULES.understand(text)
    cases = Cases(household())
    assert cases.consider(text, now, [case(text, "clean(mug=Mug)")]).understanding.goals[0].predicate == "clean"
    assert cases.consider(text, now, [case(text, *map(goal_text, now.goals))]).understanding is now
    assert cases.consider(text, now, [case(text, "clean(mug=Mug)", succeeded=False)]).understanding is now
    newer = [case(text, "clean(mug=Mug)"), case(text, *map(goal_text, now.goals), stamp=1_888_000_000.0, name="newer")]
    assert cases.consider(text, now, newer).understanding is now


def test_what_only_tells_something_stays_that():
    told = Statement("we need milk")
    assert (
        Cases(household()).consider("we need milk", told, [case("we need milk", "clean(mug=Mug)")]).understanding
        is told
    )


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3), st.text(max_size=60))
def test_nothing_in_memory_does_more_than_not_help(instruction, told, text):
    found = Cases(household()).consider(text, LOST, [case(instruction, *told)]).understanding
    assert isinstance(found, (Understood, NotUnderstood))


class Remembers(DictMemory):
    """Remembers one attempt."""

    def recall(self, *args: object, **kwargs: object) -> Recall:
        return Recall((YEET,))


def test_a_case_is_carried_out_and_named():
    backend = HouseholdBackend("FloorPlan1")
    planner = Planner(HouseholdRobot(backend), Remembers(), Hearing(household()), household())
    report = planner.run(Instruction("Yeet the mug into the sink."))
    assert report.code is Code.SUCCESS, report.message
    assert "I did as on 24 April 2026" in report.message
    assert YEET in report.recalled
    assert planner.run(Instruction("Yeet the mug into the sink.", ignore_memory=True)).code is Code.NOT_UNDERSTOOD


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


def test_what_was_meant_then_is_kept_beside_what_the_rules_read_again():
    meant = case("carefully take two lamps to the desk", "place(lamps=FloorLamp, desk=Desk)")
    assert goals("carefully yeet the mug to the desk", meant) == []
    hot = case("put a hot pan on a table", "place(pan=Pan, table=SideTable, on)")
    found = Cases(household()).consider("put a hot pan on a table", LOST, [hot]).understanding
    assert isinstance(found, Understood)
    assert found.goals[0].object.states == {"hot"}  # which the memory does not keep
    odd = case("put a hot pan on a table", "place(pan=Pan, table=Fridge, in)")
    assert isinstance(Cases(household()).consider("put a hot pan on a table", LOST, [odd]).understanding, NotUnderstood)
