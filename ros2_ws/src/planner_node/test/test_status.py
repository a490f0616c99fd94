# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What whoever looks on sees of an instruction while it is carried out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from household_robot import DictMemory
from scripted_robot import ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.act.gate import Gate
from planner_node.act.loop import Budget
from planner_node.instruction import Report
from planner_node.memory import MemoryClient
from planner_node.planner import Instruction, Planner, Stage
from planner_node.skills import Code, Outcome, SkillCall
from planner_node.status import Board, Following, Status
from planner_node.understand.hearing import Hearing

APPLE = thing("Apple1", (1, 0, 1), movable=True)
MUG = thing("Mug1", (2, 0, 1), movable=True)
TABLE = thing("DiningTable1", (3, 0, 1))
FRIDGE = thing("Fridge1", (6, 0, 1), states={"isOpen": "false"})


class Recorded(Following):
    """Keeps every status."""

    def __init__(self, first: Status | None = None) -> None:
        super().__init__(first)
        self.seen: list[Status] = [self.now]

    def _change(self, **what: Any) -> None:
        super()._change(**what)
        self.seen.append(self.now)

    def each(self, field: str) -> list[Any]:
        """Return the values that a field had, one after the other."""
        return [value for value, _ in groupby(getattr(status, field) for status in self.seen)]


def remembering(*nodes: Any) -> DictMemory:
    memory = DictMemory([node for node in nodes if not node.movable])
    memory.nodes = {node.id: node for node in nodes if node.movable}
    return memory


def planner(robot: ScriptedRobot, memory: MemoryClient, gate: Gate | None = None) -> Planner:
    return Planner(robot, memory, Hearing(household()), household(), Budget(), gate=gate)


def followed(
    text: str, robot: ScriptedRobot, *nodes: Any, dry_run: bool = False, gate: Gate | None = None
) -> tuple[Report, Recorded]:
    instruction = Instruction(text, dry_run=dry_run)
    following = Recorded(Status("1", instruction))
    report = planner(robot, remembering(*nodes), gate).run(instruction, None, "1", following)
    following.ended(report)
    return report, following


def words(calls: Sequence[SkillCall]) -> list[str]:
    return [str(call) for call in calls]


PUT = ["GoToObject(Apple1)", "PickupObject(Apple1)", "GoToObject(DiningTable1)", "PutObject(DiningTable1)"]


def test_a_plan_is_seen_before_it_is_begun_and_moves_call_by_call_to_what_was_done() -> None:
    report, following = followed("put the apple on the table", ScriptedRobot(), APPLE, TABLE)
    assert report.code is Code.SUCCESS
    assert following.each("stage") == [
        Stage.UNDERSTAND, Stage.CHECK, Stage.GROUND, Stage.PLAN, Stage.ACT, Stage.LEARN,
    ]  # fmt: skip
    running = [status for status in following.seen if status.current is not None]
    first = next(status for status in following.seen if status.stage is Stage.PLAN and status.plan == ())
    assert [str(goal) for goal in first.goals] == [str(goal) for goal in report.goals]
    assert first.goal == 0
    for number, call in enumerate(PUT):
        status = next(status for status in running if str(status.current) == call)
        assert words([outcome.call for outcome in status.done]) == PUT[:number]
        assert words(status.plan) == PUT[number + 1 :]
    assert any(words(status.plan) == PUT and status.current is None and not status.done for status in following.seen)
    assert [r.id for r in running[1].recalled] == ["st/Apple1"]
    last = following.now
    assert (last.goal, last.plan, last.current, last.report) == (1, (), None, report)
    assert last.done == report.outcomes
    assert all(status.report is None for status in following.seen[:-1])


def test_the_goals_are_pursued_one_after_the_other() -> None:
    _, following = followed(
        "put the apple on the table and put the mug on the table", ScriptedRobot(), APPLE, MUG, TABLE
    )
    assert following.each("goal") == [0, 1, 2]
    assert all("Mug1" not in str(call) for status in following.seen if status.goal == 0 for call in status.plan)


def test_what_is_not_found_yet_is_planned_as_a_search_for_its_kind() -> None:
    robot = ScriptedRobot({"Explore": [shows(APPLE, explore_steps=1)]})
    report, following = followed("put the apple on the table", robot, TABLE)
    assert report.code is Code.SUCCESS
    ahead = ["Explore(Apple)", "PickupObject(Apple)", "GoToObject(DiningTable1)", "PutObject(DiningTable1)"]
    assert any(words(status.plan)[1:] == ahead[1:] for status in following.seen)  # before it, the next step
    assert not any("?" in str(call) for status in following.seen for call in status.plan)
    assert following.now.done == report.outcomes


def test_what_finding_it_takes_is_planned_before_the_rest() -> None:
    robot = ScriptedRobot({"OpenObject(Fridge1)": [shows(APPLE)]})
    report, following = followed("put the apple on the table", robot, TABLE, FRIDGE)
    assert report.code is Code.SUCCESS
    opening = next(status for status in following.seen if str(status.current) == "OpenObject(Fridge1)")
    assert words(opening.plan)[-2:] == ["GoToObject(DiningTable1)", "PutObject(DiningTable1)"]


def test_a_failed_skill_is_among_what_was_done_and_a_new_plan_is_seen() -> None:
    robot = ScriptedRobot({"PutObject(DiningTable1)": [(Code.PRECONDITION_FAILURE, "it is full")]})
    other = thing("DiningTable2", (5, 0, 1))
    report, following = followed("put the apple on the table", robot, APPLE, TABLE, other)
    assert report.code is Code.SUCCESS
    failed = next(status for status in following.seen if status.done and not status.done[-1].ok)
    assert failed.current is None
    later = following.seen[following.seen.index(failed) :]
    assert any(words(status.plan) == ["GoToObject(DiningTable2)", "PutObject(DiningTable2)"] for status in later)


def test_an_instruction_that_fails_ends_at_the_goal_that_was_not_reached() -> None:
    robot = ScriptedRobot({"PickupObject": [(Code.EXECUTION_FAILURE, "slipped")]})
    report, following = followed("put the apple on the table", robot, APPLE, TABLE)
    last = following.now
    assert last.report is report
    assert report.code is Code.EXECUTION_FAILURE
    assert (last.goal, last.plan, last.current) == (0, (), None)


def test_a_robot_that_goes_away_leaves_no_skill_running() -> None:
    report, following = followed("put the apple on the table", ScriptedRobot(gone_after=1), APPLE, TABLE)
    assert report.code is Code.UNAVAILABLE
    assert following.now.current is None
    assert len(following.now.done) == 1


def test_a_dry_run_does_nothing_and_plans_everything() -> None:
    report, following = followed("put the apple on the table", ScriptedRobot(), APPLE, TABLE, dry_run=True)
    assert following.each("done") == [()]
    assert following.each("current") == [None]
    assert words(following.now.plan) == words([outcome.call for outcome in report.outcomes]) == PUT


def test_a_pause_is_seen_with_what_comes_after_it() -> None:
    gate = Gate()
    gate.pause()
    ended: list[tuple[Report, Recorded]] = []

    def run() -> None:
        ended.append(followed("put the apple on the table", ScriptedRobot(), APPLE, TABLE, gate=gate))

    thread = threading.Thread(target=run)
    thread.start()
    assert gate.reached(30.0)
    gate.resume()
    thread.join(30.0)
    report, following = ended[0]
    assert report.code is Code.SUCCESS
    assert following.each("waits") == [False, True, False]
    waiting = next(status for status in following.seen if status.waits)
    assert waiting.step.startswith("Paused before I ")
    assert words(waiting.plan) == PUT


def test_the_newest_instruction_is_shown_then_the_one_that_it_interrupted_then_the_last() -> None:
    board = Board()
    assert board.shown is None
    tidy, fetch = (board.begin(Status(name, Instruction(name))) for name in ("tidy", "fetch"))
    tidy.progress(Stage.ACT, "go on")
    assert board.shown is fetch.now
    fetch.ended(Report(Code.SUCCESS))
    assert board.shown is fetch.now
    board.leave(fetch)
    assert board.shown is tidy.now
    tidy.ended(Report(Code.CANCELED))
    board.leave(tidy)
    assert board.shown is tidy.now


def test_what_comes_in_between_is_planned_before_the_rest() -> None:
    following = Following()
    wash, dry, open_it = SkillCall("Wash"), SkillCall("Dry"), SkillCall("Open")
    following.plans([dry])
    with following.before(wash):
        following.next(open_it)
        assert following.now.plan == (open_it, wash, dry)
        following.runs(open_it)
        assert following.now.plan == (wash, dry)
        assert following.now.current == open_it
        following.did(Outcome(open_it, Code.SUCCESS))
    following.next(wash)
    assert following.now.plan == (wash, dry)


def test_nothing_changes_where_the_same_is_said_again() -> None:
    following = Following()
    following.progress(Stage.ACT, "drive")
    before = following.now
    following.progress(Stage.ACT, "drive")
    following.uses(())
    assert following.now is before


def test_the_clock_tells_when_it_was_asked_and_when_it_ended() -> None:
    times = iter((7.0, 9.0))
    following = Board(lambda: next(times)).begin(Status("1", Instruction("fetch the mug"), 5.0))
    following.asks("q", "Which mug?", ())
    assert (following.now.began, following.now.asked, following.now.ended_at) == (5.0, 7.0, 0.0)
    following.answered()
    following.ended(Report(Code.SUCCESS))
    assert (following.now.asked, following.now.ended_at) == (0.0, 9.0)
