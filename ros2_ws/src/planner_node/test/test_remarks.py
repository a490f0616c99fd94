# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Remarks beside a request: it is carried out without them, and they are remembered."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from no_memory import NoMemory
from scripted_robot import ScriptedRobot, shows, thing

from karma_language.reading import Reading
from karma_language.vocabulary import household
from planner_node.instruction import Instruction, Report
from planner_node.memory import EventKind
from planner_node.planner import Planner
from planner_node.skills import Code
from planner_node.understand.goals import NotUnderstood, Statement, Understood
from planner_node.understand.hearing import Hearing
from planner_node.understand.remarks import answered
from planner_node.understand.remarks import remarks as beside

HEARING = Hearing(household())


def read(text: str) -> Reading:
    return HEARING.hear(text).reading


def goals(text: str) -> list[str]:
    understood = HEARING.offline.understand(text)
    assert isinstance(understood, Understood), understood
    return [str(goal) for goal in understood.goals]


@pytest.mark.parametrize(
    ("text", "wanted", "remarks"),
    [
        (
            "Move the vase and the bowl to the stool, I like them there on snow days.",
            ["place(vase, stool)", "place(bowl, stool)"],
            ["I like them there on snow days."],
        ),
        ("Put the mug on the counter, I like it there.", ["place(mug, counter, on)"], ["I like it there."]),
        ("Put the mug in the sink, we need milk.", ["place(mug, sink, in)"], ["we need milk."]),
        (
            "Wash the mug because my mother's birthday is tomorrow.",
            ["clean(mug)"],
            ["my mother's birthday is tomorrow."],
        ),
        ("Turn on the light, I live in Rome.", ["switch_on(light)"], ["I live in Rome."]),
        ("Bring me the apple, I love apples.", ["bring(apple)"], ["I love apples."]),
        ("Bring me some fruit, I am tired.", ["bring(fruit)"], ["I am tired."]),
        ("I'm tired, bring me some fruit", ["bring(fruit)"], ["I'm tired."]),
        ("I’m tired — bring me some fruit", ["bring(fruit)"], ["I’m tired."]),
        ("My sister lives in Rome. Wash the mug since I have guests.", ["clean(mug)"], None),
        ("My sister is called Throw the knife. Open the fridge.", ["open(fridge)"], None),
        ("I don't like bananas, so bring me the apple", ["bring(apple)"], ["I don't like bananas."]),
        ("Wash the mug, I have guests, and put it on the table.", ["clean(mug)", "place(mug, table, on)"], None),
        ("Put the apple in the bowl so that I can eat it.", ["place(apple, bowl, in)"], None),
    ],
)
def test_a_remark_is_no_part_of_the_request(text: str, wanted: list[str], remarks: list[str] | None) -> None:
    assert goals(text) == wanted
    assert remarks is None or list(beside(read(text))) == remarks


def test_what_is_said_of_oneself_is_told_whatever_verbs_are_in_it() -> None:
    for text in ("My sister is called Throw the knife.", "Our dog is named Put the knife away."):
        assert HEARING.offline.understand(text) == Statement(text)
        assert beside(read(text)) == ()


def test_a_wish_that_is_not_understood_is_not_dropped() -> None:
    assert isinstance(HEARING.offline.understand("Bring me the apple, I want a flurb."), NotUnderstood)
    assert goals("Put the mug in the sink, I need milk.") == ["place(mug, sink, in)"]


def test_a_condition_behind_a_remark_is_heard() -> None:
    assert goals("Bring me an apple, I am tired, if there is one.") == ["bring(apple) if there(apple)"]


def test_an_answer_belongs_to_the_request() -> None:
    text = "Put the mug away, I am tired."
    assert isinstance(HEARING.offline.understand(text), NotUnderstood)
    assert goals(answered(text, "in the cabinet", read(text))) == ["place(mug, cabinet, in)"]
    assert answered("Put the mug away.", "in the box", read("Put the mug away.")) == "Put the mug away in the box"


def test_what_asks_for_something() -> None:
    for text in ("Polish the table", "we need milk. Polish the table", "could you dance?", "Put it there"):
        assert HEARING.hear(text).asks, text
    for text in ("we need milk", "Dentist on Friday at 3", "Tomorrow my mother comes", "Remind me to buy milk", ""):
        assert not HEARING.hear(text).asks, text


WORDS = [
    "I",
    "my",
    "cup",
    "is",
    "like",
    "put",
    "the",
    "mug",
    ",",
    ".",
    "because",
    "since",
    "so",
    "-",
    "in",
    "it",
    "want",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    assert isinstance(HEARING.offline.understand(text), Understood | Statement | NotUnderstood)
    for made in (answered(text, "there", read(text)), *beside(read(text))):
        assert isinstance(made, str)


# In the planner


def run(text: str, memory: NoMemory, robot: ScriptedRobot, **options: object) -> Report:
    planner = Planner(robot, memory, Hearing(household()), household())
    return planner.run(Instruction(text, **{"user": "ann", **options}))  # type: ignore[arg-type]


SHOWN = shows(thing("Cup1", (1, 0, 1), movable=True), thing("DiningTable1", (2, 2, 1), receptacle=True))
TEXT = "Pick up the cup, we need milk."


def test_the_request_is_carried_out_and_the_remark_told() -> None:
    robot, memory = ScriptedRobot({"Explore": [SHOWN]}), NoMemory()
    assert run(TEXT, memory, robot).code is Code.SUCCESS
    assert "PickupObject" in [call.skill for call in robot.calls]
    assert [e.text for e in memory.events if e.kind is EventKind.EPISODE_START] == [TEXT]
    (told,) = [event for event in memory.events if event.kind is EventKind.TOLD]
    assert (told.text, told.user) == ("we need milk.", "ann")
    assert told.episode == memory.events[0].episode


@pytest.mark.parametrize("options", [{"user": ""}, {"ignore_memory": True}, {"dry_run": True}])
def test_not_told_of_nobody_without_memory_and_in_a_rehearsal(options: dict[str, object]) -> None:
    robot, memory = ScriptedRobot({"Explore": [SHOWN]}), NoMemory()
    report = run(TEXT, memory, robot, **options)
    assert [str(goal) for goal in report.goals] == ["hold(cup)"]
    assert EventKind.TOLD not in [event.kind for event in memory.events]


def test_a_request_that_is_not_understood_is_never_taken_as_told() -> None:
    for text in (
        "Polish the table, we need milk.",
        "Put the mug in the flurb, I like it there.",
        "My cup is bad, fix it",
    ):
        robot, memory = ScriptedRobot(), NoMemory()
        assert run(text, memory, robot).code in (Code.NOT_UNDERSTOOD, Code.NOT_FOUND), text
        assert memory.events == []


def test_a_name_that_sounds_like_a_request_moves_nothing() -> None:
    robot, memory = ScriptedRobot(), NoMemory()
    run("My sister is called Throw the knife.", memory, robot)
    assert robot.calls == []
    assert {event.kind for event in memory.events} <= {EventKind.TOLD}
