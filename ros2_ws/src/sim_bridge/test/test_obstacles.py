# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Obstacles that a file adds to a scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim_bridge.backend import Code, Outcome, Skill, Target, execute
from sim_bridge.factory import BackendOptions, open_backend
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.obstacles import ObstacleError, read_obstacles
from sim_bridge.household.recorded import RecordingsMissingError, recording

FILE = """
obstacles:
  - skill: [ToggleOn, SwitchOn]
    thing: Microwave
    until: {every: Fridge, isOpen: false}
    message: The microwave does not start while the fridge is open.
  - skill: OpenObject
    thing: Drawer
    until: [{every: Drawer, isOpen: false}, {any: CoffeeMachine, isToggled: true}]
    code: EXECUTION_FAILURE
    message: The drawer is stuck.
  - skill: OpenObject
    thing: Cabinet
    until: {held: ButterKnife}
    message: The cabinet has no handle.
  - skill: PutObject
    thing: GarbageCan
    until: {empty: GarbageCan}
    message: The bin is full.
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "obstacles.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def robot(tmp_path: Path) -> HouseholdBackend:
    try:
        recording("FloorPlan1")
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    return HouseholdBackend("FloorPlan1", obstacles=read_obstacles(written(tmp_path, FILE)))


def do(robot: HouseholdBackend, skill: str, category: str, number: int = 0) -> Outcome:
    """Go to a thing of a category and do something to it."""
    name = list(robot.world.of_category(category))[number]
    there = Target(name, category, robot.world.boxes[name].center)
    went = execute(robot, Skill("GoToObject", there))
    assert went.code is Code.SUCCESS, went.message
    if skill == "PutObject":
        return execute(robot, Skill(skill, receptacle=Target(name)))
    return execute(robot, Skill(skill, Target(name)))


def test_a_skill_is_refused_until_a_thing_is_in_a_state_and_other_skills_and_things_are_not(
    robot: HouseholdBackend,
) -> None:
    assert do(robot, "OpenObject", "Fridge").code is Code.SUCCESS
    refused = do(robot, "ToggleOn", "Microwave")
    assert (refused.code, refused.message) == (
        Code.PRECONDITION_FAILURE,
        "The microwave does not start while the fridge is open.",
    )
    assert not robot.world.is_(next(iter(robot.world.of_category("Microwave"))), "isToggled")
    assert do(robot, "ToggleOn", "Toaster").code is Code.SUCCESS
    assert do(robot, "CloseObject", "Fridge").code is Code.SUCCESS
    assert do(robot, "ToggleOn", "Microwave").code is Code.SUCCESS


def test_several_conditions_hold_together_and_every_other_thing_counts_but_not_the_thing_itself(
    robot: HouseholdBackend,
) -> None:
    assert do(robot, "OpenObject", "Drawer").code is Code.EXECUTION_FAILURE
    assert do(robot, "ToggleOn", "CoffeeMachine").code is Code.SUCCESS
    assert do(robot, "OpenObject", "Drawer").code is Code.SUCCESS
    assert do(robot, "OpenObject", "Drawer", 1).message == "The drawer is stuck."
    assert do(robot, "CloseObject", "Drawer").code is Code.SUCCESS
    assert do(robot, "OpenObject", "Drawer", 1).code is Code.SUCCESS


def test_what_is_held_and_what_is_in_a_receptacle_count(robot: HouseholdBackend) -> None:
    assert do(robot, "OpenObject", "Cabinet").message == "The cabinet has no handle."
    knife = next(iter(robot.world.of_category("ButterKnife")))
    robot.move_object(knife, "CounterTop")
    assert do(robot, "PickupObject", "ButterKnife").code is Code.SUCCESS
    assert do(robot, "OpenObject", "Cabinet").code is Code.SUCCESS
    (can,) = robot.world.of_category("GarbageCan")
    robot.move_object(next(iter(robot.world.of_category("Egg"))), can)
    assert do(robot, "PutObject", "GarbageCan").message == "The bin is full."
    for name in robot.world.children(can):
        robot.move_object(name, "CounterTop")
    assert do(robot, "PutObject", "GarbageCan").code is Code.SUCCESS


def test_a_scene_begun_anew_has_them_too(robot: HouseholdBackend) -> None:
    robot.reset("FloorPlan2")
    assert do(robot, "OpenObject", "Drawer").message == "The drawer is stuck."


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[]", "one list, `obstacles`"),
        ("obstacles: [{skill: OpenObject}]", "obstacle 1: message, until is missing"),
        ("obstacles: [{skill: Opn, until: {held: Mug}, message: So}]", "no skill is called Opn"),
        ("obstacles: [{skill: OpenObject, thing: Saef, until: {held: Mug}, message: So}]", "did you mean Safe"),
        ("obstacles: [{skill: OpenObject, until: {any: Mug}, message: So}]", "names no state"),
        ("obstacles: [{skill: OpenObject, until: {any: Mug, isHot: true}, message: So}]", "isHot is no field"),
        ("obstacles: [{skill: OpenObject, until: {any: Mug, isOpen: maybe}, message: So}]", "isOpen is 'maybe'"),
        ("obstacles: [{skill: OpenObject, until: {any: Mug, every: Mug}, message: So}]", "begins with one of"),
        ("obstacles: [{skill: OpenObject, until: {held: Mug}, message: ''}]", "message is ''"),
        ("obstacles: [{skill: OpenObject, until: {held: Mug}, message: So, code: SUCCESS}]", "code is 'SUCCESS'"),
        ("obstacles: {", "is no YAML"),
        ("obstacles: 2026-02-30", "is no YAML"),
        ("obstacles: !!int ''", "is no YAML"),
        pytest.param("obstacles: " + "[" * 3000, "is no YAML", id="deep"),
    ],
)
def test_a_wrong_file_says_where_and_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ObstacleError, match=complaint):
        read_obstacles(written(tmp_path, text))


@pytest.mark.usefixtures("robot")
def test_a_missing_file_is_an_error_of_the_backends_options(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="can't read the obstacles"):
        open_backend(BackendOptions(scene="FloorPlan1", pictures=False, obstacles=str(tmp_path / "none.yaml")))
