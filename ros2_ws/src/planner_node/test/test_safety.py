# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The rules in the pipeline: what is refused, asked, said and put right, whatever the plan."""

from __future__ import annotations

import pytest
from no_memory import NoMemory
from scripted_robot import TABLE, ScriptedRobot, shows, thing
from test_planner import Watcher, remembering

from karma_language.vocabulary import household
from planner_node.check.safety import Safety
from planner_node.planner import Instruction, Planner
from planner_node.skills import Code, SkillParameter, SkillSpec, SkillTable
from planner_node.understand.hearing import Hearing

POTATO = thing("Potato1", (1, 0, 1), movable=True)
MICROWAVE = thing("Microwave1", (2, 0, 1), states={"isOpen": "false", "isToggled": "false"})
COUNTER = thing("CounterTop1", (3, 0, 1))
STOVE = thing("StoveKnob1", (4, 0, 1), states={"isToggled": "false"})
FAUCET, SINK = thing("Faucet1", (5, 0, 1.2)), thing("SinkBasin1", (5, 0, 1))
HEATED = thing("Potato1", (2, 0, 1), movable=True, receptacle="Microwave1", states={"temperature": "Hot"})
OPENED = thing("Microwave1", (2, 0, 1), states={"isOpen": "true", "isToggled": "false"})
PERSON = (9.0, 0.0, 0.0)


def planner(robot: ScriptedRobot, *known: object, safety: Safety | None = None) -> Planner:
    memory = remembering(*known) if known else NoMemory()  # type: ignore[arg-type]
    return Planner(robot, memory, Hearing(household()), household(), safety=safety)


def heating() -> ScriptedRobot:
    return ScriptedRobot({"OpenObject(Microwave1)": [Code.SUCCESS, shows(OPENED, HEATED)]})


def test_what_is_unsafe_whatever_is_where_is_refused_before_anything_moves() -> None:
    robot = ScriptedRobot()
    report = planner(robot, POTATO, COUNTER).run(Instruction("put the potato on the counter, then throw the knife"))
    assert report.code is Code.REFUSED
    assert report.message == "I won't do that: A thrown knife can hurt somebody: I don't throw it. Nothing was done."
    assert robot.calls == []


@pytest.mark.parametrize("answer", ["yes", "no", ""])
def test_a_person_is_asked_before_anything_moves_for_what_is_to_be_confirmed(answer: str) -> None:
    robot, watcher = ScriptedRobot(), Watcher(answer)
    knife, bed = thing("Knife1", (1, 0, 1), movable=True), thing("Bed1", (3, 0, 0.5))
    report = planner(robot, knife, bed).run(Instruction("lay the knife on the bed"), watcher)
    assert watcher.questions == [
        "Somebody could hurt themselves on a knife on the bed. Shall I put it there all the same?"
    ]
    assert report.code is (Code.SUCCESS if answer == "yes" else Code.REFUSED), report.message
    assert ("PickupObject(Knife1)" in robot.log) is (answer == "yes")


def test_a_person_is_asked_when_the_turn_of_what_is_to_be_confirmed_has_come() -> None:
    robot, watcher = ScriptedRobot(), Watcher()
    known = (POTATO, COUNTER, thing("Knife1", (1, 0, 1), movable=True), thing("Bed1", (3, 0, 0.5)))
    report = planner(robot, *known).run(
        Instruction("put the potato on the counter, then the knife on the bed"), watcher
    )
    assert report.code is Code.REFUSED
    assert robot.log[-1] == "PutObject(CounterTop1)"
    assert "PickupObject(Knife1)" not in robot.log


def test_something_hot_is_not_taken_up_where_nobody_says_yes() -> None:
    robot, watcher = heating(), Watcher()
    order = Instruction("heat the potato, then bring it to me", person=PERSON)
    report = planner(robot, POTATO, MICROWAVE, COUNTER).run(order, watcher)
    assert report.code is Code.REFUSED
    assert "hot" in watcher.questions[0]
    assert "ToggleOn(Microwave1)" in robot.log
    assert robot.log.count("PickupObject(Potato1)") == 1  # to heat it
    assert report.message.endswith("Left undone: bring you the potato.")


def test_something_hot_is_brought_to_whoever_says_yes() -> None:
    robot = heating()
    order = Instruction("heat the potato, then bring it to me", person=PERSON)
    report = planner(robot, POTATO, MICROWAVE, COUNTER).run(order, Watcher("yes"))
    assert report.code is Code.SUCCESS
    assert robot.log[-1].startswith("Navigate")
    assert report.message == "Careful: I hold a potato, which is hot."


def test_what_was_asked_to_be_on_stays_on_and_is_said() -> None:
    robot = ScriptedRobot()
    report = planner(robot, STOVE).run(Instruction("turn on the stove"))
    assert report.code is Code.SUCCESS
    assert robot.log == ["GoToObject(StoveKnob1)", "ToggleOn(StoveKnob1)"]
    assert "still on, as you asked" in report.message


def test_what_goes_on_the_burner_that_was_switched_on_goes_on_that_and_not_on_its_knob() -> None:
    pan, others = thing("Pan1", (1, 0, 1), movable=True), [thing(f"StoveBurner{n}", (4, 0.2 * n, 1)) for n in (1, 2)]
    lit = thing("StoveBurner2", (4, 0.4, 1), states={"isToggled": "true"})
    robot = ScriptedRobot({"ToggleOn(StoveKnob1)": [shows(lit)]})
    report = planner(robot, STOVE, pan, *others).run(Instruction("switch on the stove burner, put the pan on it"))
    assert report.code is Code.SUCCESS, report.message
    assert robot.log[-1] == "PutObject(StoveBurner2)"


def washing(robot: ScriptedRobot, watcher: Watcher) -> tuple[Code, str]:
    report = planner(robot, POTATO, FAUCET, SINK).run(Instruction("wash the potato"), watcher)
    return report.code, report.message


def test_a_tap_that_was_left_on_is_switched_off_at_the_end() -> None:
    robot = ScriptedRobot({"ToggleOff(Faucet1)": [(Code.TIMEOUT, "the arm is slow"), Code.SUCCESS]})
    code, message = washing(robot, Watcher())
    assert code is Code.TIMEOUT
    assert robot.log[-1] == "ToggleOff(Faucet1)"
    assert robot.log.count("ToggleOff(Faucet1)") == 2
    assert "I switch the faucet off again." in message


def test_a_canceled_robot_says_what_is_on_and_does_not_move() -> None:
    robot = ScriptedRobot()
    code, message = washing(robot, Watcher(stop_after=4))
    assert code is Code.CANCELED
    assert robot.log[-1] == "ToggleOn(Faucet1)"
    assert "I left the faucet on." in message


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("throw the knife", Code.REFUSED, "can hurt somebody"),
        ("heat the potato, then bring it to me", Code.SUCCESS, "I would ask first: The potato is hot"),
        ("turn on the stove", Code.SUCCESS, "still on"),
    ],
)
def test_a_dry_run_keeps_to_the_same_rules(text: str, code: Code, says: str) -> None:
    robot = ScriptedRobot()
    report = planner(robot, POTATO, MICROWAVE, STOVE).run(
        Instruction(text, dry_run=True, person=PERSON), Watcher("yes")
    )
    assert report.code is code
    assert says in report.message
    assert robot.calls == []


@pytest.mark.parametrize(("answer", "code"), [("yes", Code.SUCCESS), ("no", Code.REFUSED), ("", Code.REFUSED)])
def test_what_cannot_be_undone_is_asked_about_where_that_is_wished(answer: str, code: Code) -> None:
    class Breaking(ScriptedRobot):
        def skills(self) -> SkillTable:
            spec = SkillSpec("BreakObject", parameters=(SkillParameter("target", required=True),), irreversible=True)
            return SkillTable([*TABLE.values(), spec])

    vase, robot, watcher = thing("Vase1", (1, 0, 1)), Breaking(), Watcher(answer)
    careful = Safety(confirm_irreversible=True)
    report = planner(robot, vase, safety=careful).run(Instruction("break the vase"), watcher)
    assert report.code is code
    assert watcher.questions == ["BreakObject with the vase can't be undone. Shall I?"]
    assert ("BreakObject(Vase1)" in robot.log) is (code is Code.SUCCESS)


def test_what_the_eyes_find_out_later_counts_too() -> None:
    mug = thing("Mug1", (1, 0, 1), movable=True)
    fork = thing("Fork1", (1, 0, 1), receptacle="Mug1", relation="in")
    robot = ScriptedRobot({"PickupObject(Mug1)": [shows(mug, fork)]})
    report = planner(robot, mug, MICROWAVE, COUNTER).run(Instruction("put the mug in the microwave"))
    assert report.code is Code.REFUSED
    assert "fork is metal" in report.message
    assert "PutObject(Microwave1)" not in robot.log
