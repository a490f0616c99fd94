# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Exploring frontier by frontier, on a robot that can't explore by itself."""

from __future__ import annotations

import pytest
from household_robot import DictMemory
from scripted_robot import TABLE, Answer, ScriptedRobot, shows, thing

from karma_language.vocabulary import household
from planner_node.act.loop import Budget
from planner_node.plan.exploring import Area, Frontier
from planner_node.planner import Instruction, Planner, Report
from planner_node.skills import Code, SkillParameter, SkillSpec, SkillTable
from planner_node.understand.hearing import Hearing

DOOR, HALL, ATTIC = (Frontier((x, 0.0, 0.0), (x + 1.0, 0.0, 0.0)) for x in (2.0, 5.0, 8.0))
LOOKS_FROM = SkillSpec(
    "Explore", parameters=(SkillParameter("target"), SkillParameter("positions", "points", required=True))
)
APPLE = thing("Apple1", (8, 0, 1), movable=True)


class Perception:
    """Knows of one frontier after the other: each answer is the next of a list, the last one for ever."""

    def __init__(self, *answers: tuple[Frontier, ...] | None, known: tuple[Area, ...] = ()) -> None:
        self.answers = list(answers)
        self.known = known
        self.asked: list[float] = []

    def frontiers(self, after: float) -> tuple[Frontier, ...] | None:
        self.asked.append(after)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def areas(self) -> tuple[Area, ...]:
        return self.known


class NeedsPositions(ScriptedRobot):
    """A robot that looks around from where it is told to, and knows nothing of free space."""

    def skills(self) -> SkillTable:
        return SkillTable([LOOKS_FROM, *(spec for name, spec in TABLE.items() if name != "Explore")])


class OnlyDrives(ScriptedRobot):
    """A robot without Explore."""

    def skills(self) -> SkillTable:
        return SkillTable([spec for name, spec in TABLE.items() if name != "Explore"])


def run(
    robot: ScriptedRobot, perception: Perception | None, text: str, *, always: bool = False, **budget: int
) -> Report:
    planner = Planner(robot, DictMemory(), Hearing(household()), household(), Budget(**budget), places=perception)
    planner.pursuit.by_frontiers = always
    return planner.run(Instruction(text))


def explored(robot: ScriptedRobot) -> list[float]:
    """Return the x of the positions that it looked from, one for each look."""
    return [call.positions[0][0] for call in robot.calls if call.skill == "Explore"]


@pytest.mark.parametrize("text", ["explore the home", "have a look around", "learn the house"])
def test_a_home_is_explored_frontier_by_frontier_until_none_is_left(text: str) -> None:
    robot = NeedsPositions()
    report = run(robot, Perception((DOOR, ATTIC), (HALL, ATTIC), (ATTIC,), ()), text)
    assert report.code is Code.SUCCESS, report.message
    assert explored(robot) == [2.0, 5.0, 8.0]


def test_exploring_ends_when_what_is_sought_is_seen() -> None:
    unseen = shows(code=Code.NOT_FOUND)
    robot = NeedsPositions({"Explore": [unseen, shows(APPLE)]})
    report = run(robot, Perception((DOOR,), (HALL, ATTIC), (ATTIC,)), "find the apple")
    assert report.code is Code.SUCCESS, report.message
    assert explored(robot) == [2.0, 5.0]
    assert [call.target.category for call in robot.calls if call.skill == "Explore"] == ["Apple", "Apple"]


def test_what_is_nowhere_is_looked_for_at_every_frontier_and_then_not_found() -> None:
    """The same complaint about one frontier after the other is no going round in circles."""
    many = [Frontier((2.0 * k, 0.0, 0.0), (2.0 * k + 1, 0.0, 0.0)) for k in range(8)]
    robot = NeedsPositions({"Explore": [(Code.NOT_FOUND, "Apple was not seen from 1 viewpoints")]})
    report = run(robot, Perception(*[tuple(many[k:]) for k in range(9)]), "find the apple")
    assert report.code is Code.NOT_FOUND
    assert explored(robot) == [2.0 * k for k in range(8)]


def test_a_frontier_that_stays_one_is_looked_at_once() -> None:
    robot = NeedsPositions()
    assert run(robot, Perception((DOOR, HALL)), "explore the home").code is Code.SUCCESS
    assert explored(robot) == [2.0, 5.0]


def floor(*places: tuple[float, str]) -> tuple[Area, ...]:
    return tuple(Area((x, 0.0, 0.0), room) for x, room in places)


def test_in_a_home_that_was_seen_before_known_floor_is_looked_at_again() -> None:
    """People move things; what one place shows of its own room is not looked at from another."""
    home = floor((9.0, "bedroom"), (1.0, "kitchen"), (2.0, "kitchen"), (3.5, "kitchen"), (4.0, "hall"))
    robot = NeedsPositions()
    assert run(robot, Perception((), known=home), "explore the home").code is Code.SUCCESS
    assert explored(robot) == [9.0, 4.0, 3.5, 1.0], "the first is where nothing is nearer, the others the nearest each"
    robot = NeedsPositions({"Explore": [Code.NOT_FOUND, shows(APPLE)]})
    report = run(robot, Perception((), known=home), "find the apple")
    assert report.code is Code.SUCCESS, report.message
    assert len(explored(robot)) == 2, "until what is sought is seen"


def test_floor_is_looked_at_again_after_what_is_new_and_but_once_for_each_instruction() -> None:
    robot = NeedsPositions({"Explore": [(Code.NOT_FOUND, "Apple was not seen from 1 viewpoints")]})
    perception = Perception((DOOR,), (), known=floor((0.5, ""), (4.5, ""), (2.5, "hall")))
    assert run(robot, perception, "find the apple and the bowl").code is Code.NOT_FOUND
    assert explored(robot) == [2.0, 4.5], "0.5 and 2.5 were shown from 2.0"


def test_frontiers_that_can_not_be_reached_are_left_and_too_many_of_them_are_a_failure() -> None:
    stuck: Answer = (Code.PRECONDITION_FAILURE, "no way there")
    robot = NeedsPositions({"Explore": [stuck, Code.SUCCESS]})
    assert run(robot, Perception((DOOR, HALL), (DOOR, HALL), (DOOR,)), "explore the home").code is Code.SUCCESS
    assert explored(robot) == [2.0, 5.0]
    robot = NeedsPositions({"Explore": [stuck]})
    many = tuple(Frontier((2.0 * k, 0.0, 0.0), (2.0 * k + 1, 0.0, 0.0)) for k in range(30))
    report = run(robot, Perception(many), "explore the home")
    assert report.code is Code.PRECONDITION_FAILURE
    assert "no way there" in report.message
    assert 1 < len(set(explored(robot))) < 15


def test_the_budget_ends_exploring() -> None:
    many = tuple(Frontier((2.0 * k, 0.0, 0.0), (2.0 * k + 1, 0.0, 0.0)) for k in range(30))
    robot = NeedsPositions()
    assert run(robot, Perception(many), "explore the home", skills=4).code is Code.TIMEOUT
    assert len(robot.calls) == 4


def test_a_robot_that_only_drives_goes_to_the_frontiers_and_memory_is_asked_what_was_seen() -> None:
    memory = DictMemory()
    robot = OnlyDrives()
    perception = Perception((DOOR,), (HALL,), ())
    planner = Planner(robot, memory, Hearing(household()), household(), Budget(), places=perception)
    execute = robot.execute

    def learn(call, on_feedback, cancelled):  # type: ignore[no-untyped-def]
        if call.target.position == HALL.position:
            memory.nodes[APPLE.id] = APPLE
        return execute(call, on_feedback, cancelled)

    robot.execute = learn  # type: ignore[method-assign]
    report = planner.run(Instruction("find the apple"))
    assert report.code is Code.SUCCESS, report.message
    assert [call.target.position for call in robot.calls if call.skill == "Navigate"] == [DOOR.position, HALL.position]


def test_a_robot_that_explores_by_itself_is_let_unless_frontiers_are_asked_for() -> None:
    robot, perception = ScriptedRobot(), Perception((DOOR,), ())
    assert run(robot, perception, "explore the home").code is Code.SUCCESS
    assert [call.positions for call in robot.calls] == [()]
    assert not perception.asked
    robot = ScriptedRobot()
    assert run(robot, perception, "explore the home", always=True).code is Code.SUCCESS
    assert explored(robot) == [2.0]


def test_where_nobody_knows_frontiers_the_robot_has_to_explore_by_itself() -> None:
    robot = ScriptedRobot()
    assert run(robot, Perception(None), "explore the home", always=True).code is Code.SUCCESS
    assert [call.positions for call in robot.calls] == [()]
    report = run(NeedsPositions(), Perception(None), "explore the home")
    assert report.code is Code.INVALID_ARGUMENT
    assert "positions" in report.message
