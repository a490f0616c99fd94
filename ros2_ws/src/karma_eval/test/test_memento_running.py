# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's task by the running planner, in a small home."""

from __future__ import annotations

from pathlib import Path

import memento_files
import pytest

from karma_eval.memento import running
from karma_eval.memento.house import House
from karma_eval.memento.robot import HouseRobot, label, room_names
from karma_eval.memento.task_data import load
from karma_eval.report import Report
from karma_language.vocabulary import household
from planner_node.skills import Code, Outcome, SkillCall, Target
from planner_node.world import LOOKS


@pytest.fixture
def robot() -> HouseRobot:
    rooms = {room: tuple(names) for room, names in memento_files.ROOMS.items()}
    house = House(rooms, {"cup_0": ("cup", "A red cup.", "counter_4"), "bear_1": ("stuffed_toy", "", "couch_1")})
    return HouseRobot(house, running.vocabulary(rooms, {"cup", "stuffed_toy"}), lambda: None, 5.0)


def do(robot: HouseRobot, skill: str, name: str = "", on: str = "", relation: str = "") -> Outcome:
    call = SkillCall(skill, Target(name), Target(on), relation)
    return robot.execute(call, lambda text: None, lambda: False)


def test_the_robot_sees_what_it_explores_and_tells_what_things_look_like(robot: HouseRobot) -> None:
    assert do(robot, "GoToObject", "cup_0@5").code is Code.NOT_FOUND
    assert {node.id for node in do(robot, "Explore").seen} == {"cup_0@5", "bear_1@5"}
    (cup,) = do(robot, "DescribeObject", "cup_0@5").seen
    assert (cup.category, cup.states[LOOKS]) == ("Cup", "A red cup.")


def test_what_is_carried_is_put_in_or_on_furniture_and_next_to_things(robot: HouseRobot) -> None:
    do(robot, "Explore")
    assert do(robot, "PutObject", on="couch_1").code is Code.PRECONDITION_FAILURE
    for skill, name in (("GoToObject", "cup_0@5"), ("PickupObject", "cup_0@5"), ("GoToObject", "bear_1@5")):
        assert do(robot, skill, name).ok
    (cup,) = do(robot, "PutObject", on="bear_1@5", relation="near").seen
    assert (cup.receptacle, cup.relation) == ("couch_1", "on")


def test_labels_are_the_households_where_it_has_them() -> None:
    lexicon = household()
    assert [label(name, lexicon) for name in ("cup", "pencil_case", "couch")] == ["Cup", "PencilCase", "Couch"]
    assert room_names("tv_1")[:2] == ("tv room", "tv")
    assert room_names("kitchen_1")[0] == "kitchen"


def test_what_was_told_once_is_done_later_and_not_without_memory(tmp_path: Path) -> None:
    results = running.evaluate(load(memento_files.write(tmp_path)), "lexical")
    assert [one.verdict.success for one in results.remembering["acquisition"]] == [True, True]
    gift, without = results.remembering["single"][0], results.forgetful["single"][0]
    assert gift.verdict.success
    assert not without.verdict.success
    assert results.figures()["acquisition"]["sr"] == 100.0
    report = Report("MEMENTO")
    results.say(report)
    assert "story night" in report.write(tmp_path).read_text()
