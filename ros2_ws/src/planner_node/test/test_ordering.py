# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals are reached in the order of the shortest way, where the words leave it free."""

from __future__ import annotations

import pytest
from household_robot import DictMemory
from scripted_robot import ScriptedRobot, thing

from karma_language.vocabulary import household
from planner_node.instruction import Instruction
from planner_node.planner import Planner
from planner_node.skills import Code, Node
from planner_node.understand.hearing import Hearing

FAR = (20.0, 0.0, 1.0)
APPLE, BOOK = thing("Apple1", FAR, movable=True), thing("Book1", (1, 0, 1), movable=True)
BOWL = thing("Bowl1", (19, 0, 1), movable=True)
DESK, FRIDGE, SHELF = thing("Desk1", FAR), thing("Fridge1", (21, 0, 1)), thing("Shelf1", (18, 0, 1))
LAMP = thing("FloorLamp1", (0, 0, 1))
HOME = (APPLE, BOOK, BOWL, DESK, FRIDGE, SHELF, LAMP)


def picked(*texts: str, nodes: tuple[Node, ...] = HOME) -> list[str]:
    """Return what the robot takes after it went to the lamp, in order."""
    memory = DictMemory([node for node in nodes if not node.movable])
    memory.nodes = {node.id: node for node in nodes if node.movable}
    robot = ScriptedRobot()
    planner = Planner(robot, memory, Hearing(household()), household())
    for text in ("go to the floor lamp", *texts):
        report = planner.run(Instruction(text))
        assert report.code is Code.SUCCESS, report.message
    return [call.target.id for call in robot.calls if call.skill == "PickupObject"]


def test_what_lies_on_the_way_comes_first() -> None:
    # From the lamp at 0 m by the book at 1 m to the shelf at 18 m, then the apple: 21 m. As said: 21 + 20 + 17.
    assert picked("put the apple in the fridge and the book on the shelf") == ["Book1", "Apple1"]
    assert picked("Put the apple in the fridge. Put the book on the shelf.") == ["Book1", "Apple1"]


@pytest.mark.parametrize(
    "text",
    [
        "put the apple in the fridge, then put the book on the shelf",
        "first put the apple in the fridge and after that the book on the shelf",
        "put the book on the shelf once you have put the apple in the fridge",
    ],
)
def test_words_of_time_say_in_which_order(text: str) -> None:
    assert picked(text) == ["Apple1", "Book1"]


def test_what_a_later_goal_is_about_is_brought_about_before() -> None:
    assert picked("put the apple in the bowl and put the bowl on the shelf and the book on the desk")[-2:] != [
        "Bowl1",
        "Apple1",
    ]
    near = (thing("Bowl1", (1, 0, 1), movable=True), *(node for node in HOME if node.id != "Bowl1"))
    assert picked("put the apple in the bowl and put the bowl on the shelf", nodes=near) == ["Apple1", "Bowl1"]


def test_what_is_to_be_held_in_the_end_is_fetched_last() -> None:
    near = (thing("Apple1", (0.5, 0, 1), movable=True), *(node for node in HOME if node.id != "Apple1"))
    assert picked("put the book on the shelf and bring me the apple", nodes=near) == ["Book1", "Apple1"]


def test_of_things_alike_the_one_on_the_way_to_where_it_is_to_go_is_taken() -> None:
    pens = [thing(name, (x, 0, 1), movable=True) for name, x in (("Pen1", -3.0), ("Pen2", 5.0))]
    assert picked("pick up a pen", nodes=(*pens, *HOME)) == ["Pen1"]
    assert picked("put a pen on the desk", nodes=(*pens, *HOME)) == ["Pen2"]


def test_of_things_alike_the_one_near_where_the_robot_was_last_is_taken() -> None:
    pens = [thing(name, (x, 0, 1), movable=True) for name, x in (("Pen1", 15.0), ("Pen2", 2.0))]
    assert picked("pick up a pen", nodes=(*pens, *HOME)) == ["Pen2"]
