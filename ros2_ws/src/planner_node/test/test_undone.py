# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was left undone: said, remembered, and answered, by a real memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from scripted_robot import ScriptedRobot, shows, thing
from test_planner import Watcher, planner, remembering

from planner_node.memory import NoMemory, Recall, Recollection
from planner_node.planner import Instruction
from planner_node.skills import Code, SkillTable
from planner_node.undone import undone

THINGS = (
    thing("Apple1", (1, 0, 1), movable=True),
    thing("Mug1", (2, 0, 1), movable=True),
    thing("DiningTable1", (3, 0, 1)),
)
TWO = "put the apple on the table, then put the mug on the table"


class Episodes(NoMemory):
    """Answers with episodes as the memory tells them, oldest first."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self.texts = texts

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        assert (query, tuple(kinds)) == ("", ("episodic",))
        return Recall(
            tuple(Recollection("episodic", f"e/{i}", text, valid_from=float(i)) for i, text in enumerate(self.texts))
        )


def test_what_a_stopped_instruction_leaves_undone_is_said_and_remembered() -> None:
    memory = remembering(*THINGS)
    report = planner(ScriptedRobot(), memory).run(Instruction(TWO), Watcher(stop_after=4))
    assert report.code is Code.CANCELED
    assert report.message.endswith("Left undone: place(mug, table, on).")
    assert memory.events[-1].text == "done: place(apple, table, on) | not done: place(mug, table, on)"


@pytest.mark.parametrize(
    "question",
    [
        "What did you leave undone?",
        "what is left to do?",
        "Karma, what have you not finished yet?",
        "What didn't you get done",
        "Please tell me what is still undone.",
        "What remains to be done?",
    ],
)
def test_questions_for_what_is_undone_are_answered(question: str) -> None:
    memory = Episodes('"tidy up": canceled, done: place(apple, table, on) | not done: place(mug, table, on)')
    said = undone(question, memory, "", "")
    assert said is not None
    assert said.message == "I left undone: place(mug, table, on) (of “tidy up”)."
    assert list(said.grounds) == ["e/0"]


@pytest.mark.parametrize(
    "text", ["put the mug on the table", "what is on the table?", "What did you do?", "", "leave it"]
)
def test_nothing_else_is_taken_for_such_a_question(text: str) -> None:
    assert undone(text, Episodes(), "", "") is None


def test_what_was_done_since_is_not_undone() -> None:
    memory = Episodes(
        '"a": canceled, done: nothing | not done: hold(mug); open(fridge)',
        '"b": not finished',
        '"c": success, done: hold(mug)',
        '"b": success, done: open(box)',
        '"say \\": success, done: x | not done: y": execution failure, done: nothing | not done: find(pen)',
    )
    said = undone("What did you leave undone?", memory, "", "")
    assert said is not None
    assert "hold(mug)" not in said.message
    assert "“b”" not in said.message
    assert "open(fridge) (of “a”)" in said.message
    assert "find(pen)" in said.message


def test_an_instruction_that_a_crash_ended_is_undone() -> None:
    said = undone("What did you leave undone?", Episodes('"wash the mug": not finished'), "", "")
    assert said is not None
    assert said.message == "I left undone: “wash the mug”, which I never finished."


def test_when_nothing_is_left_the_answer_says_so() -> None:
    said = undone("What did you leave undone?", Episodes('"a": success, done: hold(mug)'), "", "")
    assert said is not None
    assert said.message.startswith("Nothing")


FRIDGE = thing("Fridge1", (6, 0, 1), states={"isOpen": "false"})


def test_what_is_still_held_after_a_failure_is_said() -> None:
    robot = ScriptedRobot({"Explore": [Code.NOT_FOUND]})
    report = planner(robot, remembering(*THINGS[:2])).run(Instruction("put the mug on the table"))
    assert report.code is Code.NOT_FOUND
    assert report.message == "I found no table. I looked around. I still hold the mug."
    plan = "GoToObject(robot, 'Mug')\nPickupObject(robot, 'Mug')\nExplore(robot, 'Sofa')"
    report = planner(ScriptedRobot({"Explore": [(Code.NOT_FOUND, "no sofa")]}), remembering(*THINGS)).run(
        Instruction(plan)
    )
    assert report.message == (
        "Explore(Sofa) failed (line 3 of the plan): no sofa. Done before: GoToObject(Mug); PickupObject(Mug). "
        "Left undone: Explore(Sofa). I still hold the mug."
    )


def test_whatever_ends_an_instruction_what_was_done_and_left_is_said() -> None:
    report = planner(ScriptedRobot(), remembering(*THINGS, FRIDGE)).run(
        Instruction("open the fridge, then put the mug on the table"), Watcher(stop_after=4)
    )
    assert report.code is Code.CANCELED
    assert report.message.endswith(
        "Done before: open(fridge). Left undone: place(mug, table, on). I still hold the mug."
    )


class Cutting(ScriptedRobot):
    """Says that what it slices stays sliced."""

    def skills(self) -> SkillTable:
        table = super().skills()
        return SkillTable([replace(spec, irreversible=spec.name == "SliceObject") for spec in table.values()])


def test_what_was_done_for_good_is_said_though_its_goal_was_not_reached() -> None:
    slices = shows(thing("AppleSliced1", (1, 0, 1), movable=True))
    knife = thing("Knife1", (2, 0, 1), movable=True)
    for text, sliced in (
        ("put one apple slice into that fridge", "slice the apple"),
        ("slice the apple, then put the mug on the table", "slice(apple)"),
    ):
        watcher, robot = Watcher(), Cutting({"SliceObject": [slices]})
        watcher.cancelled = lambda robot=robot: any(c.skill == "SliceObject" for c in robot.calls)  # type: ignore[method-assign, misc]
        report = planner(robot, remembering(*THINGS, knife, FRIDGE)).run(Instruction(text), watcher)
        assert report.code is Code.CANCELED
        assert report.message.count("slice the apple") == (sliced == "slice the apple")
        assert f"Done before: {sliced}. Left undone: place(" in report.message
        assert report.message.endswith("I still hold the knife.")


def test_sentences_of_a_robot_that_ends_none_are_kept_apart() -> None:
    shut = thing("Microwave1", (2, 0, 1), states={"isOpen": "false"})
    robot = ScriptedRobot({"OpenObject(Microwave1)": [(Code.PRECONDITION_FAILURE, "it is locked")]})
    report = planner(robot, remembering(*THINGS, FRIDGE, shut)).run(
        Instruction("open the fridge, then open the microwave")
    )
    assert report.message == (
        "I can't open the microwave: it is locked. Done before: open(fridge). Left undone: open(microwave)."
    )


def test_what_is_so_already_is_said() -> None:
    fork = thing("Fork1", (3, 0, 1), movable=True, receptacle="DiningTable1", relation="on")
    robot = ScriptedRobot()
    report = planner(robot, remembering(fork, *THINGS)).run(Instruction("put the fork on the table"))
    assert (report.code, report.message) == (Code.SUCCESS, "The fork is on the dining table already.")
    assert robot.log == ["GoToObject(Fork1)"]
    report = planner(robot, remembering(*THINGS)).run(Instruction("put the mug on the table"))
    assert (report.code, report.message) == (Code.SUCCESS, "")


def test_what_is_found_where_it_is_to_be_put_is_said_to_be_there() -> None:
    drawer = thing("Drawer1", (3, 0, 1), states={"isOpen": "false"})
    fork = thing("Fork1", (3, 0, 1), movable=True, receptacle="Drawer1", relation="in")
    robot = ScriptedRobot({"Explore": [Code.NOT_FOUND], "OpenObject": [shows(fork)]})
    report = planner(robot, remembering(drawer)).run(Instruction("put the fork in the drawer"))
    assert "PickupObject(Fork1)" not in robot.log
    assert (report.code, report.message) == (Code.SUCCESS, "The fork is in the drawer already.")


def test_what_is_held_already_is_said() -> None:
    plan = planner(ScriptedRobot(), remembering(*THINGS))
    reports = [plan.run(Instruction("pick up the mug")) for _ in range(2)]
    assert [report.message for report in reports] == ["", "I hold the mug already."]
