# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A goal for several things of which one can't be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from household_robot import DictMemory
from scripted_robot import Answer, ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.instruction import Instruction, Report
from planner_node.plan.task_planning.making_room import in_the_way
from planner_node.planner import Planner
from planner_node.skills import Code, Node
from planner_node.understand.hearing import Hearing
from planner_node.world import SEEN, World

DESK = thing("Desk1", (6, 0, 0.7), size=(1.0, 0.4, 0.7))
TABLE = thing("CoffeeTable1", (2, 0, 0.5), size=(1.0, 1.0, 0.5))
ON_TABLE = {"receptacle": "CoffeeTable1", "relation": "on", "movable": True}
CARD, BOOK, LAPTOP, WATCH = (
    thing(name, (2, y, 0.5), size=size, **ON_TABLE)
    for name, y, size in (
        ("CreditCard1", 0.0, (0.08, 0.05, 0.0)),
        ("Book1", 0.1, (0.2, 0.15, 0.02)),
        ("Laptop1", 0.2, (0.5, 0.6, 0.3)),
        ("Watch1", 0.3, (0.05, 0.05, 0.05)),
    )
)
NO_ROOM = Code.PRECONDITION_FAILURE, "there is no free spot"


def carry_out(text: str, *nodes: Node, answers: dict[str, Sequence[Answer]]) -> tuple[Report, list[str]]:
    """Return the report and what was taken and put where. The robot sees all nodes where it looks around."""
    robot = ScriptedRobot({"Explore": [shows(*nodes), Code.SUCCESS], **answers})
    memory = DictMemory([node for node in nodes if not node.movable])
    memory.nodes = {node.id: node for node in nodes if node.movable}
    report = Planner(robot, memory, Hearing(household()), household()).run(Instruction(text))
    return report, [call for call in robot.log if call.startswith(("Pickup", "Put"))]


def put(*answers: Answer) -> dict[str, Sequence[Answer]]:
    return {"PutObject(Desk1)": answers}


def on_desk(node: Node) -> Answer:
    return shows(replace(node, receptacle="Desk1"))


def test_what_can_be_put_there_is_and_what_cannot_goes_back() -> None:
    in_turn = put(on_desk(CARD), NO_ROOM, on_desk(WATCH))
    things = (CARD, LAPTOP, WATCH)
    report, log = carry_out("put everything from the coffee table on the desk", *things, TABLE, DESK, answers=in_turn)
    assert report.code is Code.EXECUTION_FAILURE
    assert log == [
        *("PickupObject(CreditCard1)", "PutObject(Desk1)"),
        *("PickupObject(Laptop1)", "PutObject(Desk1)", "PutObject(CoffeeTable1)"),
        *("PickupObject(Watch1)", "PutObject(Desk1)"),
    ]
    assert report.message == (
        "I did that with a credit card and a watch, but not with a laptop. "
        "The desk does not take it: there is no free spot. I put the laptop back."
    )


def test_of_fewer_than_are_asked_for_it_is_said_how_many_there_are() -> None:
    report, log = carry_out("put three books on the desk", BOOK, TABLE, DESK, answers=put(on_desk(BOOK)))
    assert log == ["PickupObject(Book1)", "PutObject(Desk1)"]
    assert (report.code, report.message) == (Code.NOT_FOUND, "I found only 1 of the 3 books, and did that with it.")


def test_nothing_makes_room_for_what_would_not_fit_all_the_same() -> None:
    cup = thing("Cup1", (6, 0, 0.7), size=(0.1, 0.1, 0.1), movable=True, receptacle="Desk1")
    report, log = carry_out("put the laptop on the desk", LAPTOP, cup, TABLE, DESK, answers=put(NO_ROOM))
    assert report.code is Code.EXECUTION_FAILURE
    assert log == ["PickupObject(Laptop1)", "PutObject(Desk1)", "PutObject(CoffeeTable1)"]


def test_what_made_room_in_vain_is_back_before_the_next_thing_is_dealt_with() -> None:
    vase = thing("Vase1", (6, 0, 0.7), size=(0.3, 0.3, 0.3), movable=True, receptacle="Desk1")
    sofa = thing("Sofa1", (9, 0, 0.4), size=(2.0, 1.0, 0.8))
    in_turn = put(NO_ROOM, NO_ROOM, on_desk(vase), on_desk(WATCH))
    things = (BOOK, WATCH, vase, TABLE, DESK, sofa)
    report, log = carry_out("put everything from the coffee table on the desk", *things, answers=in_turn)
    assert report.code is Code.EXECUTION_FAILURE
    assert log[log.index("PickupObject(Watch1)") - 2 :] == [
        *("PickupObject(Vase1)", "PutObject(Desk1)"),
        *("PickupObject(Watch1)", "PutObject(Desk1)"),
    ]
    assert "vase" not in report.message
    assert "I still hold" not in report.message


def test_where_a_small_thing_finds_no_room_a_larger_one_is_not_tried() -> None:
    report, log = carry_out(
        "put everything from the coffee table on the desk", BOOK, LAPTOP, TABLE, DESK, answers=put(NO_ROOM)
    )
    assert log == ["PickupObject(Book1)", "PutObject(Desk1)", "PutObject(CoffeeTable1)"]
    assert report.message.startswith("I could not do that with a book and a laptop.")


def test_what_the_rules_refuse_for_one_thing_leaves_the_others() -> None:
    knife = replace(thing("Knife1", (2, 0.1, 0.5), **ON_TABLE))
    stool = thing("Stool1", (6, 0, 0.5))
    report, log = carry_out("put everything from the coffee table on the stool", knife, CARD, TABLE, stool, answers={})
    assert report.code is Code.REFUSED
    assert {"PickupObject(CreditCard1)", "PutObject(Stool1)"} <= {*log}
    assert log.count("PutObject(Stool1)") == 1
    assert "I did that with a credit card, but not with a knife." in report.message


@pytest.mark.parametrize(
    ("width", "cleared"), [(0.3, ["Vase1"]), (0.9, ["Vase1", "Cup1"]), (1.2, []), (0.0, ["Vase1", "Cup1"])]
)
def test_so_much_is_in_the_way_as_takes_the_room(width: float, cleared: list[str]) -> None:
    world = World(household())
    for node in (
        DESK,
        thing("Vase1", (6.0, 0, 1), size=(0.3, 0.3, 0.3), receptacle="Desk1"),
        thing("Cup1", (6.4, 0, 1), size=(0.1, 0.1, 0.1), receptacle="Desk1"),
        thing("Plate1", size=(width, 0.3 if width else 0.0, 0.02)),
    ):
        world.believe(node, SEEN)
    assert in_the_way(world, household(), "Desk1", (), "Plate1") == cleared


def test_what_cannot_be_carried_stays_in_the_way() -> None:
    world = World(household())
    television = thing("Television1", (6.0, 0, 1), size=(0.9, 0.35, 0.8), receptacle="Desk1")
    remote = thing("RemoteControl1", (6.48, 0, 1), size=(0.05, 0.2, 0.02), receptacle="Desk1")
    for node in (DESK, television, remote, thing("KeyChain1", size=(0.13, 0.07, 0.01))):
        world.believe(node, SEEN)
    assert in_the_way(world, household(), "Desk1", (), "KeyChain1") == []


def test_a_pan_sticks_out_over_a_burner() -> None:
    world = World(household())
    burner = thing("StoveBurner1", (6, 0, 1), size=(0.17, 0.17, 0.03))
    for node in (burner, thing("Kettle1", receptacle="StoveBurner1"), thing("Pan1", size=(0.3, 0.45, 0.1))):
        world.believe(node, SEEN)
    assert in_the_way(world, household(), "StoveBurner1", (), "Pan1") == ["Kettle1"]
