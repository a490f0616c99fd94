# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals with a condition: it is looked at when their turn comes, and what does not count is skipped and told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from household_robot import DictMemory
from no_memory import NoMemory
from scripted_robot import ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.instruction import Instruction, Report
from planner_node.planner import Planner
from planner_node.skills import Code, Node
from planner_node.understand.hearing import Hearing

FRIDGE = thing("Fridge1", (1, 0, 1))


def run(text: str, *seen: Node) -> tuple[ScriptedRobot, Report]:
    robot = ScriptedRobot({"Explore": [shows(*seen)], "GoToObject": [shows(*seen)]})
    report = Planner(robot, NoMemory(), Hearing(household()), household()).run(Instruction(text))
    return robot, report


def skills(robot: ScriptedRobot) -> set[str]:
    return {call.skill for call in robot.calls}


@pytest.mark.parametrize(("is_open", "closes"), [("true", True), ("false", False)])
def test_a_goal_counts_only_where_its_condition_holds(is_open: str, closes: bool) -> None:
    robot, report = run("If the fridge is open, close it.", thing("Fridge1", (1, 0, 1), states={"isOpen": is_open}))
    assert report.code is Code.SUCCESS
    assert ("CloseObject" in skills(robot)) is closes
    assert ("the fridge is not open" in report.message) is not closes


@pytest.mark.parametrize(("is_on", "switches"), [("true", False), ("false", True)])
def test_unless_is_the_opposite(is_on: str, switches: bool) -> None:
    lamp = thing("DeskLamp1", (1, 0, 1), states={"isToggled": is_on})
    robot, report = run("Switch the desk lamp on unless it is on.", lamp)
    assert report.code is Code.SUCCESS
    assert ("ToggleOn" in skills(robot)) is switches


def test_what_is_not_there_needs_nothing_to_be_done() -> None:
    robot, report = run("If there is an apple, put it in the fridge.", FRIDGE)
    assert report.code is Code.SUCCESS
    assert "there is no apple" in report.message
    assert not {"PickupObject", "PutObject"} & skills(robot)


@pytest.mark.parametrize(("wish", "call"), [("pick up the apple", "PickupObject"), ("close the fridge", "CloseObject")])
def test_whatever_else_is_in_view_the_alternative_is_done_with_its_own_thing(wish: str, call: str) -> None:
    fridge = thing("Fridge1", (1, 0, 1), states={"isOpen": "true"})
    lamp = thing("DeskLamp1", (1, 0, 1), states={"isToggled": "true"})
    robot, report = run(f"If the desk lamp isn't on, turn it on. Otherwise {wish}.", lamp, thing("Apple1"), fridge)
    assert report.code is Code.SUCCESS, report.message
    assert [c.target.category for c in robot.calls if c.skill == call] == [wish.split()[-1].capitalize()]


def test_otherwise_is_done_where_the_condition_does_not_hold() -> None:
    fridge = thing("Fridge1", (1, 0, 1), states={"isOpen": "true"})
    lamp = thing("DeskLamp1", (1, 0, 1), states={"isToggled": "true"})
    robot, report = run("If the desk lamp isn't on, turn it on. Otherwise go to the fridge.", lamp, fridge)
    assert report.code is Code.SUCCESS
    assert "ToggleOn" not in skills(robot)
    assert any(call.target.id == "Fridge1" for call in robot.calls)


@pytest.mark.parametrize(("place", "moved"), [("SinkBasin1", "Apple1"), ("Sofa1", "Tomato1")])
def test_otherwise_is_not_done_after_the_condition_held(place: str, moved: str) -> None:
    apple, tomato = (
        thing("Apple1", (1, 0, 1), receptacle=place, relation="on", movable=True),
        thing("Tomato1", (1, 0, 1)),
    )
    sink, sofa, table = thing("SinkBasin1", (2, 0, 1)), thing("Sofa1", (1, 0, 1)), thing("DiningTable1", (3, 0, 1))
    robot = ScriptedRobot({"Explore": [shows(apple, tomato, sink, sofa, table)]})
    robot.answers["PutObject"] = [shows(replace(apple, receptacle="DiningTable1"))]
    planner = Planner(robot, NoMemory(), Hearing(household()), household())
    words = "If the apple is in the sink, put it on the dining table. Otherwise put the tomato there."
    assert planner.run(Instruction(words)).code is Code.SUCCESS
    assert [call.target.id for call in robot.calls if call.skill == "PickupObject"] == [moved]


def test_without_the_thing_nothing_is_known_of_its_state() -> None:
    _, report = run("If the fridge is open, go to the sofa.", thing("Sofa1", (2, 0, 0)))
    assert "did not find the fridge" in report.message
    assert report.code is Code.SUCCESS


def test_what_is_skipped_is_not_told_as_done_nor_where_the_thing_is() -> None:
    memory = DictMemory()
    lamp = thing("DeskLamp1", (1, 0, 1), states={"isToggled": "true"})
    robot = ScriptedRobot({"Explore": [shows(lamp, FRIDGE)], "GoToObject": [shows(lamp, FRIDGE)]})
    planner = Planner(robot, memory, Hearing(household()), household())
    report = planner.run(Instruction("Switch the desk lamp on unless it is on. Then go to the fridge."))
    assert report.code is Code.SUCCESS
    end = memory.events[-1].text
    assert end == "done: go_to(fridge) | nothing to do for: switch_on(desk lamp) if not on(desk lamp)"
    assert report.message == "I did not switch the desk lamp on: the desk lamp is on."


@pytest.mark.parametrize(("place", "moved"), [("Fridge1", False), ("SinkBasin1", True)])
def test_where_it_is_counts_as_where_a_named_thing_is(place: str, moved: bool) -> None:
    sink = thing("SinkBasin1", (2, 0, 1))
    apple = thing("Apple1", (1, 0, 1), receptacle=place, relation="on")
    robot, report = run("Find the apple. If it is in the sink, put it in the fridge.", FRIDGE, sink, apple)
    assert ("PickupObject" in skills(robot)) is moved
    assert "I took" not in report.message


@pytest.mark.parametrize(("where", "moved"), [({"receptacle": "Floor1"}, True), ({"receptacle": "Sofa1"}, False)])
def test_what_lies_on_the_floor_is_there_though_nobody_knows_of_the_floor(where: dict[str, str], moved: bool) -> None:
    bear, sofa, bed = thing("TeddyBear1", (1, 0, 0.2), **where), thing("Sofa1", (1, 0, 0.4)), thing("Bed1", (3, 0, 0.5))
    robot, report = run("If the teddy bear is on the floor, put it on the bed, otherwise leave it.", bear, sofa, bed)
    assert report.code is Code.SUCCESS, report.message
    assert ("PickupObject" in skills(robot)) is moved
    assert ("there is no teddy bear on the floor" in report.message) is not moved
