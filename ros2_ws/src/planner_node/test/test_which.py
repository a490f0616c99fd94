# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of several things is meant: asked where nothing tells them apart, and told by a fragment."""

from __future__ import annotations

import pytest
from household_robot import DictMemory
from scripted_robot import ScriptedRobot, thing
from test_choosing import Person

from karma_language.vocabulary import household
from planner_node.planner import Instruction, Planner
from planner_node.skills import Code, Node
from planner_node.understand.hearing import Hearing

HOME = (
    thing("Desk1", (0, 0, 1), parent="bedroom"),
    thing("SideTable1", (6, 0, 1), parent="living"),
    thing("DeskLamp1", (0, 0, 1.2), receptacle="Desk1", relation="on", parent="bedroom", states={"isToggled": "false"}),
    thing("FloorLamp1", (5, 0, 1), parent="living", states={"isToggled": "false"}),
    thing("Vase1", (0, 0, 1.2), movable=True, receptacle="Desk1", relation="on", parent="bedroom"),
    thing("Vase2", (6, 0, 1.2), movable=True, receptacle="SideTable1", relation="on", parent="living"),
    thing("Apple1", (0, 0, 1.2), movable=True, receptacle="Desk1", relation="on", parent="bedroom"),
    thing("Apple2", (6, 0, 1.2), movable=True, receptacle="SideTable1", relation="on", parent="living"),
    thing("Shelf1", (0, 4, 0.4), parent="bedroom"),
    thing("Shelf2", (0, 4, 1.2), parent="bedroom"),
    thing("Statue1", (0, 4, 0.5), movable=True, receptacle="Shelf1", relation="on", parent="bedroom"),
    thing("Statue2", (0, 4, 1.3), movable=True, receptacle="Shelf2", relation="on", parent="bedroom"),
    thing("CoffeeTable1", (9, 0, 1), parent="living"),
    thing("Cup1", (9, 0, 1.2), movable=True, receptacle="CoffeeTable1", relation="on", parent="living"),
    thing("Cup2", (9, 1, 1.2), movable=True, receptacle="CoffeeTable1", relation="on", parent="living"),
    thing("Book1", (9, 0.2, 1.2), movable=True, receptacle="CoffeeTable1", relation="on", parent="living"),
    thing("Pen1", (9, 0.9, 1.2), movable=True, receptacle="CoffeeTable1", relation="on", parent="living"),
    thing("SoapBar1", (6, 0, 1.2), movable=True, receptacle="SideTable1", relation="on", parent="living"),
    thing("SoapBottle1", (6, 0, 1.2), movable=True, receptacle="SideTable1", relation="on", parent="living"),
    Node("bedroom", "Bedroom", layer="room"),
    Node("living", "LivingRoom", layer="room"),
)


TWO_BEDROOMS = (
    Node("bedroom", "Bedroom", layer="room", name="bedroom"),
    Node("guest_room", "Bedroom", layer="room", name="guest_room"),
    *(
        thing(
            f"{kind}{number}", (8 * number, y, 1), movable=kind == "Pillow", parent=room, states={"isToggled": "true"}
        )
        for number, room in enumerate(("bedroom", "guest_room"))
        for y, kind in enumerate(("Pillow", "DeskLamp"))
    ),
)


def run(text: str, *answers: str, home: tuple[Node, ...] = HOME) -> tuple[Code, Person, list[str]]:
    """Return how it ended, who was asked, and what was switched or taken."""
    robot, memory, person = ScriptedRobot(), DictMemory(home), Person(*answers)
    planner = Planner(robot, memory, Hearing(household()), household())
    report = planner.run(Instruction(text), person)
    done = [str(call.target) for call in robot.calls if call.skill in ("PickupObject", "ToggleOn", "ToggleOff")]
    return report.code, person, done


@pytest.mark.parametrize(
    ("text", "answer", "done"),
    [
        ("Turn on the lamp.", "the tall one, the floor lamp", "FloorLamp1"),
        ("Turn on the lamp.", "the one in the bedroom", "DeskLamp1"),
        ("Bring me the vase.", "the one on the side table", "Vase2"),
        ("Bring me the vase.", "Living room!", "Vase2"),
        ("Bring me the vase.", "mine, the bedroom one", "Vase1"),
        ("Bring me the vase.", "the side table one", "Vase2"),
        ("Bring me the cup.", "the one next to the pen", "Cup2"),
        ("Bring me the cup.", "the cup on the coffee table next to the book", "Cup1"),
        ("Bring me the vase.", "not the one on the desk, the one on the side table", "Vase2"),
        ("Bring me one of the vases.", "the vase on the desk", "Vase1"),
        ("Lamp on please.", "the floor lamp", "FloorLamp1"),
        ("Bring me the statue.", "the one on the lower shelf", "Statue1"),
        ("Bring me the statue.", "the statue on the top shelf", "Statue2"),
        ("Bring me the vase.", "living room, on the coffee table I think", "Vase2"),
        ("Bring me the vase.", "the one on the desk, my aunt hates the living room one", "Vase1"),
        ("Bring me the vase.", "no, the bedroom one", "Vase1"),
        ("Hand me the soap.", "the bottle, bars get slimy", "SoapBottle1"),
    ],
)
def test_what_several_things_fit_is_asked_about(text: str, answer: str, done: str) -> None:
    code, person, touched = run(text, answer)
    assert (code, len(person.asked), touched) == (Code.SUCCESS, 1, [done])
    assert len(person.asked[0][1]) == 2


def test_what_an_answer_asks_for_besides_is_done() -> None:
    robot, memory = ScriptedRobot(), DictMemory(HOME)
    person = Person("the one on the desk, and it goes on the coffee table")
    report = Planner(robot, memory, Hearing(household()), household()).run(Instruction("Take the vase."), person)
    assert report.code is Code.SUCCESS
    assert [str(call) for call in robot.calls][-1] == "PutObject(CoffeeTable1)"


@pytest.mark.parametrize(
    "answer", ["the one on the side table by the window", "the one lying on the side table, next to the lamp"]
)
def test_a_further_place_in_an_answer_is_no_request(answer: str) -> None:
    robot = ScriptedRobot()
    report = Planner(robot, DictMemory(HOME), Hearing(household()), household()).run(
        Instruction("Take the vase."), Person(answer)
    )
    assert "PutObject" not in {call.skill for call in robot.calls}
    assert not [goal for goal in report.goals if goal.destination is not None]


def test_what_is_mine_is_not_guessed() -> None:
    code, person, touched = run("Bring me my vase.")
    assert (code, len(person.asked), touched) == (Code.AMBIGUOUS, 1, [])


def test_what_is_not_meant_is_not_taken() -> None:
    code, _, touched = run("Bring me the vase, not the one on the desk.")
    assert (code, touched) == (Code.SUCCESS, ["Vase2"])


def test_an_answer_that_names_neither_does_nothing() -> None:
    code, _, touched = run("Bring me the vase.", "the one on the piano")
    assert (code, touched) == (Code.AMBIGUOUS, [])


def test_an_answer_that_is_not_understood_is_asked_about_once_more() -> None:
    code, person, touched = run("Bring me the vase.", "the wobbly one", "the one on the desk")
    assert (code, touched) == (Code.SUCCESS, ["Vase1"])
    assert person.asked[1][0] == "I don't know which vase is “the wobbly one”. Which of these do you mean?"


def test_without_an_answer_the_nearest_is_taken() -> None:
    code, person, touched = run("Bring me the vase.")
    assert (code, len(person.asked), len(touched)) == (Code.SUCCESS, 1, 1)


@pytest.mark.parametrize("text", ["Bring me a vase.", "Bring me the vase on the desk.", "Bring me the apple."])
def test_nobody_is_asked_where_it_is_told_or_does_not_matter(text: str) -> None:
    assert run(text)[1].asked == []


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("Bring me the pillow from the guest room.", "Pillow1"),
        ("Bring me the pillow from the bedroom.", "Pillow0"),
        ("Turn off the desk lamp in the spare room.", "DeskLamp1"),
        ("Turn off the bedroom lamp.", "DeskLamp0"),
    ],
)
def test_the_guest_room_is_not_the_bedroom(text: str, done: str) -> None:
    code, person, touched = run(text, home=TWO_BEDROOMS)
    assert (code, person.asked, touched) == (Code.SUCCESS, [], [done])


def test_two_bedrooms_are_told_apart_by_their_names() -> None:
    code, person, touched = run("Turn off the desk lamp.", "in the guest room, nobody sleeps there", home=TWO_BEDROOMS)
    assert person.asked[0][1] == ("the desk lamp in the bedroom", "the desk lamp in the guest room")
    assert (code, touched) == (Code.SUCCESS, ["DeskLamp1"])


TABLES = (
    *HOME,
    thing("Bed1", (0, 8, 0.3), parent="bedroom", size=(2.0, 2.0, 0.6)),
    thing("SideTable2", (1.4, 8, 0.3), parent="bedroom", size=(0.4, 0.4, 0.6)),
    thing("SideTable3", (8, 8, 0.3), parent="bedroom", size=(1.2, 0.8, 0.6)),
)


@pytest.mark.parametrize(
    ("text", "put"),
    [
        ("Put the book on the side table by the bed.", "SideTable2"),
        ("Put the pen on the little side table in the bedroom.", "SideTable2"),
        ("Put the pen on the big side table in the bedroom.", "SideTable3"),
    ],
)
def test_what_it_stands_beside_and_its_size_tell_which_it_is(text: str, put: str) -> None:
    robot, person = ScriptedRobot(), Person()
    report = Planner(robot, DictMemory(TABLES), Hearing(household()), household()).run(Instruction(text), person)
    assert (report.code, person.asked) == (Code.SUCCESS, [])
    assert [str(call) for call in robot.calls][-1].startswith(f"PutObject({put}")


def test_words_that_nothing_known_decides_are_asked_about_and_not_passed_over() -> None:
    robot, person = ScriptedRobot(), Person("the one in the living room")
    planner = Planner(robot, DictMemory(TABLES), Hearing(household()), household())
    report = planner.run(Instruction("Put the book on the rickety side table."), person)
    assert report.code is Code.SUCCESS
    assert [str(call) for call in robot.calls][-1].startswith("PutObject(SideTable1")
    assert "I can't tell" not in report.message
    moved = len(robot.calls)
    report = planner.run(Instruction("Put the pen on the rickety side table."), Person())
    assert (report.code, len(robot.calls)) == (Code.AMBIGUOUS, moved)


def test_what_is_ruled_out_is_not_taken() -> None:
    home = (*HOME, thing("Pencil1", (20, 0, 1), movable=True, parent="living"))
    robot = ScriptedRobot()
    planner = Planner(robot, DictMemory(home), Hearing(household()), household())
    report = planner.run(Instruction("Bring me something to write with, but not the pen."), Person())
    assert report.code is Code.SUCCESS
    assert [str(call.target) for call in robot.calls if call.skill == "PickupObject"] == ["Pencil1"]


def test_both_of_two_things_may_be_meant() -> None:
    robot, person = ScriptedRobot(), Person("both of them, please")
    planner = Planner(robot, DictMemory(TWO_BEDROOMS), Hearing(household()), household())
    assert planner.run(Instruction("Switch off the desk lamp."), person).code is Code.SUCCESS
    assert {str(call.target) for call in robot.calls if call.skill == "ToggleOff"} == {"DeskLamp0", "DeskLamp1"}
