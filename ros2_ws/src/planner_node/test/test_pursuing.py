# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What happens where things are not as planned: places that don't do, states that don't last."""

from __future__ import annotations

from collections.abc import Sequence

from household_robot import DictMemory
from scripted_robot import Answer, ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.check.safety import Safety
from planner_node.check.safety.rules import parse
from planner_node.instruction import Instruction, Report
from planner_node.planner import Planner
from planner_node.skills import Code, Node
from planner_node.understand.hearing import Hearing

APPLE = thing("Apple1", (1, 0, 1), movable=True)
SLICE = thing("AppleSliced1", (1, 0, 1), movable=True)
KNIFE = thing("Knife1", (2, 0, 1), movable=True)
COUNTER = thing("CounterTop1", (12, 0, 1))
FRIDGE = thing("Fridge1", (3, 0, 1), states={"isOpen": "false"})
MICROWAVE = thing("Microwave1", (4, 0, 1), states={"isOpen": "false", "isToggled": "false"})
SLICING = (APPLE, KNIFE, thing("DiningTable1", (9, 0, 1)))
OPEN_MICROWAVE = thing("Microwave1", (1, 1, 1), states={"isOpen": "true", "isToggled": "false"})


def carry_out(
    text: str, *nodes: Node, answers: dict[str, Sequence[Answer]] | None = None, safety: Safety | None = None
) -> tuple[Report, list[str]]:
    """Return the report and what the robot did. It knows of all nodes."""
    robot = ScriptedRobot(answers)
    memory = DictMemory([node for node in nodes if not node.movable])
    memory.nodes = {node.id: node for node in nodes if node.movable}
    planner = Planner(robot, memory, Hearing(household()), household(), safety=safety)
    return planner.run(Instruction(text)), robot.log


def test_what_was_heated_may_be_put_where_it_gets_cold_again() -> None:
    report, log = carry_out(
        "put a hot apple in the fridge", APPLE, MICROWAVE, FRIDGE, answers={"PickupObject": [shows(APPLE)]}
    )
    assert report.code is Code.SUCCESS, report.message
    assert log.index("ToggleOn(Microwave1)") < log.index("PutObject(Fridge1)")
    assert log[-1] == "CloseObject(Fridge1)"


def test_a_tool_is_put_on_a_surface_and_into_no_appliance_however_near() -> None:
    report, log = carry_out(
        "put a hot slice of apple into the microwave",
        *(APPLE, KNIFE, OPEN_MICROWAVE, COUNTER),
        answers={"SliceObject": [shows(SLICE)]},
    )
    assert report.code is Code.SUCCESS, report.message
    after = log[log.index("SliceObject(Apple1)") :]
    assert next(call for call in after if call.startswith("PutObject")) == "PutObject(CounterTop1)"


def test_where_the_rules_let_nothing_be_put_another_place_is_taken() -> None:
    rules = """
version: 1
rules:
  - name: no knives on sofas
    when: {skills: [PutObject], held: [Knife], target: [Sofa]}
    decision: refuse
    message: "No {held} on the {target}."
"""
    sofa, table = thing("Sofa1", (1, 0.5, 1)), thing("DiningTable1", (9, 0, 1))
    safety = Safety(parse(rules, household(), "test"))
    report, log = carry_out("slice the apple and pick up a slice", APPLE, KNIFE, sofa, table, **_cut(safety))
    assert report.code is Code.SUCCESS, report.message
    assert "PutObject(Sofa1)" not in log
    assert "PutObject(DiningTable1)" in log
    report, _ = carry_out("slice the apple and pick up a slice", APPLE, KNIFE, sofa, **_cut(safety))
    assert (report.code, "No knife on the sofa." in report.message) == (Code.REFUSED, True)


def _cut(safety: Safety) -> dict[str, object]:
    return {"safety": safety, "answers": {"SliceObject": [shows(SLICE)]}}


def test_a_slice_that_is_gone_is_cut_anew_before_anything_else_is_done() -> None:
    gone = thing("AppleSliced7", (8, 0, 1), movable=True, states={"isSliced": "true"})
    answers = {"GoToObject(AppleSliced7)": [(Code.NOT_FOUND, "not seen there")], "SliceObject": [shows(SLICE)]}
    report, log = carry_out("place a cold slice of apple on the table", *SLICING, gone, FRIDGE, answers=answers)
    assert report.code is Code.SUCCESS, report.message
    assert "PickupObject(Apple1)" not in log
    assert log.index("SliceObject(Apple1)") < log.index("OpenObject(Fridge1)")


NO_ROOM = Code.PRECONDITION_FAILURE, "there is no free spot"
NO_WAY = Code.PRECONDITION_FAILURE, "can't be reached"


def test_a_full_basin_is_cleared_where_there_is_no_other() -> None:
    basin, tap = thing("SinkBasin1", (6, 0, 1)), thing("Faucet1", (6, 0.4, 1))
    cup = thing("Cup1", (6, 0, 1), movable=True, receptacle="SinkBasin1")
    answers = {"PutObject(SinkBasin1)": [NO_ROOM, Code.SUCCESS]}
    report, log = carry_out("wash the apple", APPLE, cup, basin, tap, COUNTER, answers=answers)
    assert report.code is Code.SUCCESS, report.message
    assert "I put the cup aside to make room" in report.message
    puts = [call for call in log if call.startswith(("PutObject", "Pickup"))]
    assert puts[1:] == [
        "PutObject(SinkBasin1)",
        "PutObject(CounterTop1)",
        "PickupObject(Cup1)",
        "PutObject(CounterTop1)",
        "PickupObject(Apple1)",
        "PutObject(SinkBasin1)",
    ]


def test_of_what_is_in_the_way_only_a_few_things_are_put_aside() -> None:
    cups = [thing(f"Cup{n}", (6, 0, 1), movable=True, receptacle="Desk1") for n in range(1, 9)]
    answers = {"PutObject(Desk1)": [NO_ROOM]}
    report, log = carry_out(
        "put the apple on the desk", APPLE, thing("Desk1", (6, 0, 1)), *cups, COUNTER, answers=answers
    )
    assert report.code is Code.EXECUTION_FAILURE
    assert "does not take it: there is no free spot" in report.message
    assert len({call for call in log if call.startswith("PickupObject(Cup")}) == 3


def test_a_place_that_cannot_be_reached_or_is_full_leaves_others_to_be_tried() -> None:
    near, drawer = thing("SideTable1", (2, 0, 1), size=(1, 1, 1)), thing("Drawer1", (2, 0, 1), size=(1, 1, 1))
    far = thing("SideTable2", (7, 0, 1)), thing("SideTable3", (9, 0, 1))
    shut = Node(drawer.id, drawer.category, position=drawer.position, size=drawer.size, states={"isOpen": "false"})
    answers = {name: [NO_WAY] for name in ("GoToObject(SideTable1)", "GoToObject(Drawer1)")}
    answers["PutObject(SideTable2)"] = [NO_ROOM]
    report, log = carry_out("put the apple on the side table", APPLE, near, shut, *far, answers=answers)
    assert (report.code, log[-1]) == (Code.SUCCESS, "PutObject(SideTable3)"), report.message


def test_where_no_such_place_will_do_one_that_is_also_called_so_does() -> None:
    desk, dresser = thing("Desk1", (6, 0, 1)), thing("Dresser1", (9, 0, 1))
    report, log = carry_out("put the apple on the table", APPLE, desk, dresser, answers={"PutObject(Desk1)": [NO_ROOM]})
    assert (report.code, log[-1]) == (Code.SUCCESS, "PutObject(Dresser1)"), report.message
    assert "also called that" in report.message


def test_a_place_that_is_named_by_its_kind_is_no_other() -> None:
    stand, dresser = thing("TVStand1", (6, 0, 1)), thing("Dresser1", (9, 0, 1))
    full = {"PutObject(TVStand1)": [NO_ROOM]}
    report, log = carry_out("put the apple on the TV stand", APPLE, stand, dresser, answers=full)
    assert report.code is Code.EXECUTION_FAILURE
    assert "PutObject(Dresser1)" not in log


def test_nothing_is_said_to_have_been_taken_where_nothing_was() -> None:
    report, _ = carry_out("put the apple on the table", APPLE, answers={"Explore": [Code.NOT_FOUND]})
    assert report.message == "I found no table. I looked around. I still hold the apple."
    full = {"PutObject(Desk1)": [NO_ROOM], "Explore": [Code.NOT_FOUND]}
    report, _ = carry_out("put the apple on the table", APPLE, thing("Desk1", (6, 0, 1)), answers=full)
    assert report.code is not Code.SUCCESS
    assert "also called that" not in report.message


def test_the_whole_is_not_taken_for_the_clean_slice_that_was_remembered_in_its_place() -> None:
    table, basin, tap = thing("DiningTable1", (9, 0, 1)), thing("SinkBasin1", (6, 0, 1)), thing("Faucet1", (6, 0.4, 1))
    states = {"isSliced": "true", "washed": "true"}
    gone = [thing(f"AppleSliced{n}", (9, 0, 1), movable=True, receptacle="DiningTable1", states=states) for n in (7, 8)]
    apple = thing("Apple1", (9, 0.1, 1), movable=True, receptacle="DiningTable1")
    answers = {f"GoToObject({piece.id})": [(Code.NOT_FOUND, "not seen there")] for piece in gone}
    answers["SliceObject"] = [shows(SLICE)]
    text = "put a clean slice of apple on the table"
    report, log = carry_out(text, apple, KNIFE, table, basin, tap, COUNTER, *gone, answers=answers)
    assert report.code is Code.SUCCESS, report.message
    assert {"SliceObject(Apple1)", "ToggleOn(Faucet1)"} <= {*log}
    assert sum("AppleSliced7" in call or "AppleSliced8" in call for call in log) == 1  # both would have been seen there


def test_what_an_opened_place_does_not_show_is_looked_for_elsewhere() -> None:
    pan = thing("Pan1", (3, 0, 1), movable=True, receptacle="Fridge1", relation="in")
    found = thing("Pan2", (7, 0, 1), movable=True)
    answers = {"Explore": [shows(found)]}
    report, log = carry_out("open the fridge, then put the apple in the pan", APPLE, FRIDGE, pan, answers=answers)
    assert report.code is Code.SUCCESS, report.message
    assert "PutObject(Pan1)" not in log
    assert log[-1] == "PutObject(Pan2)"


BOWL = thing("Bowl1", (3, 0, 1), movable=True, receptacle="Fridge1", relation="in")
EGG = thing("Egg1", (3, 0, 1), movable=True, receptacle="Bowl1", relation="in")
BASIN, TAP = thing("SinkBasin1", (6, 0, 1)), thing("Faucet1", (6, 0.4, 1))


def test_what_is_in_a_vessel_is_taken_before_the_door_around_both_is_closed() -> None:
    answers = {"OpenObject(Fridge1)": [shows(BOWL, EGG)], "PickupObject": [shows(EGG)]}
    report, log = carry_out("wash the egg", FRIDGE, BOWL, EGG, BASIN, TAP, answers=answers)
    assert report.code is Code.SUCCESS, report.message
    doors = [call for call in log if call.startswith(("OpenObject", "PickupObject(Egg1", "CloseObject"))]
    assert doors[:3] == ["OpenObject(Fridge1)", "PickupObject(Egg1)", "CloseObject(Fridge1)"]
    assert log.count("OpenObject(Fridge1)") == 1


def test_of_two_doors_around_a_thing_the_outer_is_opened_first_and_both_are_closed() -> None:
    cabinet = thing("Cabinet1", (3, 0, 1), states={"isOpen": "false"})
    shut = {"isOpen": "false"}
    box = thing("Box1", (3, 0, 1), movable=True, receptacle="Cabinet1", relation="in", states=shut)
    pen = thing("Pen1", (3, 0, 1), movable=True, receptacle="Box1", relation="in")
    answers = {"OpenObject(Cabinet1)": [shows(box)], "OpenObject(Box1)": [shows(pen)], "PickupObject": [shows(pen)]}
    report, log = carry_out("put the pen on the desk", cabinet, box, pen, thing("Desk1", (6, 0, 1)), answers=answers)
    assert report.code is Code.SUCCESS, report.message
    opened = [call for call in log if call.startswith("OpenObject")]
    assert opened[:2] == ["OpenObject(Cabinet1)", "OpenObject(Box1)"]
    assert log.index("CloseObject(Cabinet1)") > log.index("PickupObject(Pen1)") < log.index("CloseObject(Box1)")
