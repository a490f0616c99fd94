# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's skills against interfaces that behave well and badly; without ROS."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from robot_fakes import APPLE, DRIVE, TABLE, TABLE_TOP, FakeInterfaces, answer, table

from sim_bridge.backend import (
    BackendUnavailableError,
    Code,
    Outcome,
    Pose2D,
    Progress,
    RefusedError,
    SeenObject,
    Skill,
    Target,
    execute,
)
from sim_bridge.robot.approach import across
from sim_bridge.robot.backend import RobotBackend
from sim_bridge.robot.ports import Ending, Heard, Said
from sim_bridge.robot.table import Drive

KNOWN = Target("Apple|1", "Apple", APPLE.center)
TO_APPLE = Skill("GoToObject", KNOWN)
HERE = Skill("Navigate", Target(position=(1.0, 2.0, 0.0)))


class Robot:
    def __init__(self, dry_run: bool = False, **changes: Any) -> None:
        self.ros = FakeInterfaces()
        self.told: list[str] = []
        self.backend = RobotBackend(table(**changes), self.ros, scene="home", tell=self.told.append, dry_run=dry_run)

    def do(self, skill: Skill) -> Outcome:
        return execute(self.backend, skill)

    def keep_seeing(self, *objects: Any) -> None:
        self.ros.looks = lambda: self.ros.see(*objects)


def test_an_object_is_gone_to_faced_and_seen() -> None:
    robot = Robot()
    robot.keep_seeing(APPLE, TABLE_TOP)
    done = robot.do(TO_APPLE)
    assert done.code is Code.SUCCESS, done.message
    assert done.seen[0].id == APPLE.id
    at = robot.ros.at
    assert 0.3 <= math.dist((at.x, at.y), APPLE.center[:2]) <= 1.2
    assert math.isclose(at.yaw, math.atan2(APPLE.center[1] - at.y, APPLE.center[0] - at.x), abs_tol=1e-6)
    assert at.x < TABLE_TOP.center[0] - TABLE_TOP.size[0] / 2, "not in the table"


@pytest.mark.parametrize("told", ["late", "of before"])
def test_where_it_has_arrived_is_what_it_is_told_after_that_and_not_on_the_way(told: str) -> None:
    robot, since = Robot(), math.inf
    drive, latest, on_the_way = robot.ros.drive, robot.ros.latest, Pose2D(1.0, 1.0, 2.0)

    def arrive(request: Any) -> Any:
        nonlocal since
        since = time.monotonic()
        return drive(request)

    def behind(topic: str, path: str) -> Heard | None:
        ago = time.monotonic() - since
        there, news = robot.ros.at, ago > 0.3
        if topic != "odom" or ago < 0.0:
            return latest(topic, path)
        robot.ros.at = there if news else on_the_way
        heard = latest(topic, path)
        robot.ros.at = there
        assert heard is not None
        if news:
            return heard
        return heard._replace(age=ago + 0.1) if told == "late" else heard._replace(underway=ago + 0.1)

    robot.ros.answers["navigate_to_pose"] = arrive
    robot.ros.latest = behind  # type: ignore[method-assign]
    done = robot.do(HERE)
    assert done.code is Code.SUCCESS, done.message
    located = robot.backend.locate().robot
    assert (located.x, located.y) == (1.0, 2.0)
    assert done.duration > 0.3


def test_an_arrival_after_which_nothing_is_told_of_the_place_is_none() -> None:
    robot, since = Robot(pose={**TABLE["pose"], "max_age": 0.3}), math.inf
    drive, latest = robot.ros.drive, robot.ros.latest

    def arrive(request: Any) -> Any:
        nonlocal since
        since = time.monotonic()
        return drive(request)

    def silent(topic: str, path: str) -> Heard | None:
        heard = latest(topic, path)
        return heard._replace(age=max(time.monotonic() - since, 0.0) + 0.01) if heard is not None else None

    robot.ros.answers["navigate_to_pose"] = arrive
    robot.ros.latest = silent  # type: ignore[method-assign]
    done = robot.do(HERE)
    assert (done.code, "where the robot is is not known" in done.message) == (Code.UNAVAILABLE, True), done


def test_a_thing_that_is_seen_to_be_larger_from_there_is_faced() -> None:
    robot = Robot()
    part = replace(TABLE_TOP, center=(2.3, 0.9, 0.4), size=(0.9, 0.2, 0.8))
    robot.ros.see(part)
    robot.ros.looks = lambda: robot.ros.see(TABLE_TOP if robot.ros.sent else part)
    done = robot.do(Skill("GoToObject", Target(TABLE_TOP.id, TABLE_TOP.category, part.center)))
    assert done.code is Code.SUCCESS, done
    at, (x, y, _) = robot.ros.at, TABLE_TOP.center
    assert abs(math.remainder(math.atan2(y - at.y, x - at.x) - at.yaw, math.tau)) < math.radians(45.0)


def test_a_thing_that_is_seen_to_be_farther_off_from_there_is_gone_to() -> None:
    robot = Robot()
    robot.ros.see(APPLE)
    farther = replace(APPLE, center=(APPLE.center[0] + 0.9, *APPLE.center[1:]))
    robot.ros.looks = lambda: robot.ros.see(farther if robot.ros.sent else APPLE)
    done = robot.do(Skill("GoToObject", Target(APPLE.id, APPLE.category, APPLE.center)))
    assert done.code is Code.SUCCESS, done
    reach = Drive.model_validate(DRIVE).reach
    assert across(farther, robot.ros.at.x, robot.ros.at.y) <= reach


def test_a_thing_that_is_seen_elsewhere_again_and_again_is_gone_to_twice() -> None:
    robot = Robot()
    robot.ros.see(APPLE)
    robot.ros.looks = lambda: robot.ros.see(replace(APPLE, center=(robot.ros.at.x + 2.0, robot.ros.at.y, 0.9)))
    done = robot.do(TO_APPLE)
    assert (done.code, "out of reach" in done.message) == (Code.PRECONDITION_FAILURE, True), done
    assert [name for name, _ in robot.ros.sent].count("navigate_to_pose") == 2


def test_a_place_to_stand_is_chosen_when_perception_has_told_of_what_stands_there() -> None:
    robot, looked = Robot(), itertools.count()
    robot.ros.at = Pose2D(4.0, 0.0, 0.0)
    shelf = replace(TABLE_TOP, center=(2.6, 0.0, 0.4), size=(0.5, 2.0, 0.8))
    robot.ros.looks = lambda: robot.ros.see(APPLE, shelf) if next(looked) > 5 else None
    done = robot.do(TO_APPLE)
    assert done.code is Code.SUCCESS, done.message
    at = robot.ros.sent[0][1]["pose"]["pose"]["position"]
    assert across(shelf, at["x"], at["y"]) > 0.0, "not in the shelf"


def test_what_is_not_seen_where_it_was_expected_is_not_found() -> None:
    robot = Robot()
    robot.ros.see(APPLE)
    robot.keep_seeing(TABLE_TOP)
    done = robot.do(TO_APPLE)
    assert done.code is Code.NOT_FOUND
    assert [name for name, _ in robot.ros.sent].count("navigate_to_pose") == 3, "looked for from three sides"


def test_what_is_seen_elsewhere_on_the_way_is_gone_to_there() -> None:
    robot = Robot()
    robot.ros.see(APPLE)
    there = replace(APPLE, center=(-2.0, 1.0, 0.9))
    glimpsed: list[SeenObject] = [there]

    def looks() -> None:
        at_hand = math.dist((robot.ros.at.x, robot.ros.at.y), there.center[:2]) < 1.5
        on_the_way = bool(robot.ros.sent) and bool(glimpsed)
        robot.ros.see(TABLE_TOP, *([there] if at_hand else [glimpsed.pop()] if on_the_way else []))

    robot.ros.looks = looks
    done = robot.do(TO_APPLE)
    assert done.code is Code.SUCCESS, done
    assert math.dist((robot.ros.at.x, robot.ros.at.y), there.center[:2]) <= 1.2


def test_nothing_in_view_is_looked_at_when_perceptions_map_is_as_new() -> None:
    robot = Robot()
    robot.ros.see(APPLE)
    robot.ros.looks = lambda: robot.ros.tell_late(2.0)
    done = robot.do(TO_APPLE)
    assert (done.code, "not seen where it was expected" in done.message) == (Code.NOT_FOUND, True), done


LATE = 1e4
"""Seconds that perception is behind, longer than anything waits."""


@pytest.mark.parametrize(
    "skill",
    [
        TO_APPLE,
        Skill("Explore", Target(category="Apple"), positions=((0.0, 3.0, 0.0), (0.0, 6.0, 0.0))),
        Skill("FindObject", Target(category="Apple")),
        Skill("GoToObject", Target(category="Knife")),
        Skill("PickupObject", Target(category="Knife")),
        Skill("Navigate", Target(category="Kitchen")),
    ],
    ids=lambda skill: f"{skill.name} {skill.target.category}",
)
def test_what_perception_has_not_looked_at_is_not_said_to_be_missing(skill: Skill) -> None:
    robot = Robot()
    robot.ros.see(APPLE)
    robot.ros.looks = lambda: robot.ros.tell_late(LATE)
    done = robot.do(skill)
    assert done.code is Code.TIMEOUT, done
    assert "perception has not looked" in done.message
    assert "s behind" in done.message
    assert [name for name, _ in robot.ros.sent].count("navigate_to_pose") <= 6, "one place is enough"


def test_without_any_perception_nothing_is_said_to_be_missing() -> None:
    done = Robot().do(Skill("GoToObject", Target(category="Apple")))
    assert (done.code, "has not told of anything yet" in done.message) == (Code.TIMEOUT, True), done


def test_what_was_put_down_is_put_down_whether_perception_has_looked_or_not() -> None:
    robot = Robot()
    robot.keep_seeing(APPLE, TABLE_TOP)
    robot.do(TO_APPLE)
    robot.ros.answers["gripper"] = lambda _: answer(stalled=True)
    robot.do(Skill("PickupObject", Target(APPLE.id)))
    robot.ros.looks = lambda: None
    done = robot.do(Skill("PutObject", receptacle=Target(TABLE_TOP.id)))
    assert (done.code, [o.id for o in done.seen]) == (Code.SUCCESS, [TABLE_TOP.id])
    assert "perception has not looked" in done.message
    done = robot.do(Skill("OpenObject", Target(TABLE_TOP.id)))
    assert (done.code, "perception has not looked" in done.message) == (Code.SUCCESS, True), done


DRAWER = SeenObject("Drawer|1", "Drawer", (1.0, 0.0, 0.8), (0.4, 0.4, 0.1), False, {"isOpen": "false"})


def test_what_is_said_to_be_open_and_is_seen_to_be_shut_was_not_opened() -> None:
    robot = Robot()
    robot.keep_seeing(DRAWER)
    done = robot.do(Skill("OpenObject", Target(DRAWER.id)))
    assert done.code is Code.EXECUTION_FAILURE, done
    assert "is seen to have isOpen false" in done.message


@pytest.mark.parametrize("seen_now", [True, False])
def test_only_what_is_seen_now_to_be_open_is_refused_to_be_opened(seen_now: bool) -> None:
    robot, opened = Robot(), replace(DRAWER, states={"isOpen": "true"})
    robot.ros.see(opened)
    robot.ros.looks = lambda: robot.ros.see(opened) if seen_now else robot.ros.tell_late(LATE)
    done = robot.do(Skill("OpenObject", Target(DRAWER.id)))
    assert done.code is (Code.PRECONDITION_FAILURE if seen_now else Code.SUCCESS), done
    assert [name for name, _ in robot.ros.sent].count("open") == (0 if seen_now else 1)


def test_what_is_broken_and_stays_one_thing_is_reported_as_broken() -> None:
    strike = [{"service": "strike", "type": "std_srvs/srv/Trigger"}]
    robot = Robot(skills={**TABLE["skills"], "BreakObject": strike})
    mug = SeenObject("Mug|1", "Mug", (0.8, 0.0, 0.9), (0.1, 0.1, 0.1), True, {"isBroken": "false"})
    broken = replace(mug, states={"isBroken": "true"})
    struck = [False]

    def hit(_: Any) -> Any:
        struck[0] = True
        return answer(success=True)

    robot.ros.answers["strike"] = hit
    robot.ros.looks = lambda: robot.ros.see(broken if struck[0] else mug)
    done = robot.do(Skill("BreakObject", Target(mug.id)))
    assert (done.code, done.seen) == (Code.SUCCESS, (broken,)), done


def test_what_is_in_an_opened_thing_is_waited_for() -> None:
    robot = Robot()
    shut = SeenObject("Fridge|1", "Fridge", (1.0, 0.0, 0.9), (1.0, 1.0, 1.8), False, {"isOpen": "false"})
    inside = replace(APPLE, center=(1.0, 0.0, 0.9), receptacle=shut.id, relation="in")
    robot.keep_seeing(shut)
    opened: list[float] = []

    def open_it(_: Any) -> Any:
        opened.append(robot.ros.now())
        return answer(success=True)

    def look() -> None:
        late = bool(opened) and robot.ros.now() > opened[0] + 1.0
        robot.ros.see(replace(shut, states={"isOpen": "true"}) if opened else shut, *([inside] if late else []))

    robot.ros.answers["open"] = open_it
    robot.ros.looks = look
    done = robot.do(Skill("OpenObject", Target(shut.id)))
    assert (done.code, [o.id for o in done.seen]) == (Code.SUCCESS, [shut.id, inside.id]), done
    assert done.seen[0].states == {"isOpen": "true"}


def test_what_may_be_shut_in_is_not_said_to_be_gone() -> None:
    robot = Robot()
    fridge = SeenObject("Fridge|1", "Fridge", (2.0, 0.0, 0.9), (1.0, 1.0, 1.8), False, {"isOpen": "false"})
    robot.keep_seeing(fridge)
    done = robot.do(TO_APPLE)
    assert done.code is Code.PRECONDITION_FAILURE
    assert "Fridge|1 is closed" in done.message


def test_another_place_is_tried_where_one_is_occupied() -> None:
    robot = Robot()
    robot.keep_seeing(APPLE)
    drive, tried = robot.ros.drive, []

    def occupied_once(request: Any) -> Any:
        tried.append(request)
        return answer(Ending.ABORTED, error_code=206, error_msg="occupied") if len(tried) == 1 else drive(request)

    robot.ros.answers["navigate_to_pose"] = occupied_once
    assert robot.do(TO_APPLE).code is Code.SUCCESS
    assert len(tried) == 2


@pytest.mark.parametrize(
    ("reply", "code", "words"),
    [
        (answer(Ending.REJECTED), Code.PRECONDITION_FAILURE, "refused"),
        (answer(Ending.ABORTED, error_code=208, error_msg="walled in"), Code.PRECONDITION_FAILURE, "walled in"),
        (answer(Ending.ABORTED, error_code=105), Code.EXECUTION_FAILURE, "code 105"),
        (answer(Ending.ABORTED, error_code=9002), Code.UNAVAILABLE, "9002"),
        (answer(Ending.CANCELED), Code.UNAVAILABLE, "somebody else"),
        (answer(), Code.EXECUTION_FAILURE, "2.24 m away"),
    ],
    ids=["refuses", "no way", "no progress", "no transforms", "cancelled", "lies"],
)
def test_what_navigation_answers_is_what_the_skill_says(reply: Any, code: Code, words: str) -> None:
    robot = Robot()
    robot.ros.answers["navigate_to_pose"] = lambda _: reply
    done = robot.do(HERE)
    assert done.code is code
    assert words in done.message


def test_a_server_that_never_answers_is_cancelled_in_time() -> None:
    robot = Robot()
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    done = robot.do(HERE)
    assert done.code is Code.TIMEOUT
    assert robot.ros.cancelled == ["navigate_to_pose"]
    assert not robot.told
    robot.ros.obeys = False
    robot.do(HERE)
    assert "did not confirm" in robot.told[0]


def test_a_server_that_dies_or_falls_silent_is_noticed() -> None:
    robot = Robot(drive={**TABLE["drive"], "navigate": {**TABLE["drive"]["navigate"], "silence": 0.1}})
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    robot.ros.silence = 0.2
    done = robot.do(HERE)
    assert done.code is Code.UNAVAILABLE
    assert "nothing was heard" in done.message
    robot.ros.alive = False
    done = robot.do(HERE)
    assert done.code is Code.UNAVAILABLE
    assert "went away" in done.message
    robot.ros.missing.add("navigate_to_pose")
    done = robot.do(HERE)
    assert done.code is Code.UNAVAILABLE
    assert "nobody offers" in done.message


def test_a_skill_whose_server_does_not_say_that_it_ended_is_not_said_to_be_stopped() -> None:
    robot = Robot()
    robot.ros.answers["navigate_to_pose"], robot.ros.obeys = (lambda _: None), False
    until_sent(robot, HERE, "navigate_to_pose").close()  # type: ignore[attr-defined]
    done = robot.backend.so_far()
    assert (done.code, "did not confirm within 0.2 s that it stopped" in done.message) == (Code.TIMEOUT, True), done
    robot.ros.obeys = True
    robot.ros.sent.clear()
    until_sent(robot, HERE, "navigate_to_pose").close()  # type: ignore[attr-defined]
    assert robot.backend.so_far().code is Code.CANCELED


def test_closing_a_skill_cancels_what_runs() -> None:
    robot = Robot()
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    steps = robot.backend.run(HERE)
    next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert robot.ros.cancelled == ["navigate_to_pose"]
    assert robot.backend.so_far().code is Code.CANCELED


STOP = {"emergency_stop": [{"topic": "stop"}]}


def test_nothing_is_sent_while_the_emergency_stop_is_pressed_or_unknown() -> None:
    robot = Robot(**STOP)
    assert robot.do(HERE).code is Code.UNAVAILABLE
    robot.ros.topics["stop"] = True
    done = robot.do(HERE)
    assert done.code is Code.UNAVAILABLE
    assert "emergency stop is pressed" in done.message
    assert not robot.ros.sent
    robot.ros.topics["stop"] = False
    assert robot.do(HERE).code is Code.SUCCESS


@pytest.mark.parametrize(
    ("stop", "change", "code"),
    [
        ({}, lambda ros: ros.ages.update(stop=1.9), Code.SUCCESS),
        ({}, lambda ros: ros.ages.update(stop=2.1), Code.UNAVAILABLE),
        ({"max_age": 5.0}, lambda ros: ros.ages.update(stop=2.1), Code.SUCCESS),
        ({"latched": True}, lambda ros: ros.ages.update(stop=9999.0), Code.SUCCESS),
        ({"latched": True}, lambda ros: ros.silent.update(stop="nobody publishes it"), Code.UNAVAILABLE),
        ({"latched": True, "max_age": 5.0}, lambda ros: ros.ages.update(stop=6.0), Code.UNAVAILABLE),
    ],
)
def test_an_emergency_stop_whose_driver_has_died_is_not_taken_for_released(
    stop: dict[str, Any], change: Callable[[FakeInterfaces], None], code: Code
) -> None:
    robot = Robot(emergency_stop=[{"topic": "stop", **stop}])
    robot.ros.topics["stop"] = False
    change(robot.ros)
    done = robot.do(HERE)
    assert done.code is code
    assert ("whether the emergency stop is pressed is not known" in done.message) is (code is Code.UNAVAILABLE)
    assert bool(robot.ros.sent) is (code is Code.SUCCESS)


@pytest.mark.parametrize(
    ("rule", "released", "stopped"),
    [
        ({"released": 2}, [2], [0, 1, 3]),
        ({"released": ["RUN", "IDLE"]}, ["RUN", "IDLE"], ["STOP", "", "run"]),
        ({"released": True}, [True], [False]),
        ({}, [False], [True]),
        ({"stopped": False}, [True], [False]),
    ],
)
def test_all_that_is_not_known_to_mean_released_is_stopped(
    rule: dict[str, Any], released: list[Any], stopped: list[Any]
) -> None:
    robot = Robot(emergency_stop=[{"topic": "stop", **rule}])
    for value in released:
        robot.ros.topics["stop"] = value
        assert robot.do(HERE).code is Code.SUCCESS, value
    for value in stopped:
        robot.ros.topics["stop"] = value
        done = robot.do(HERE)
        assert (done.code, f"is pressed (stop: data is {value})" in done.message) == (Code.UNAVAILABLE, True), done


def test_a_charge_that_was_told_long_ago_is_not_known_and_why_is_said() -> None:
    robot = Robot(battery={"topic": "battery"})
    robot.ros.topics["battery"] = 0.8
    robot.ros.ages["battery"] = 59.0
    assert robot.do(HERE).code is Code.SUCCESS
    robot.ros.ages["battery"] = 61.0
    robot.ros.silent["battery"] = "its publisher is best-effort"
    done = robot.do(HERE)
    assert done.code is Code.UNAVAILABLE
    assert "nothing is heard on battery (its publisher is best-effort)" in done.message


def test_the_emergency_stop_cancels_what_runs() -> None:
    robot = Robot(**STOP)
    robot.ros.topics["stop"] = False
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    steps = robot.backend.run(HERE)
    next(steps)
    robot.ros.topics["stop"] = True
    done = next(s for s in steps if isinstance(s, Outcome))
    assert done.code is Code.UNAVAILABLE
    assert "emergency stop is pressed" in done.message
    assert robot.ros.cancelled == ["navigate_to_pose"]


def test_the_emergency_stop_cancels_what_the_arm_does() -> None:
    robot = Robot(**STOP)
    robot.ros.topics["stop"] = False
    robot.ros.see(replace(APPLE, center=(0.5, 0.0, 0.9)))
    robot.ros.answers["gripper"] = lambda _: None
    steps = robot.backend.run(Skill("PickupObject", Target(APPLE.id)))
    while "gripper" not in [name for name, _ in robot.ros.sent]:
        next(steps)
    robot.ros.topics["stop"] = True
    done = next(s for s in steps if isinstance(s, Outcome))
    assert done.code is Code.UNAVAILABLE
    assert "emergency stop is pressed" in done.message
    assert robot.ros.cancelled == ["gripper"]


HALT = {"stop": [{"service": "halt", "type": "std_srvs/srv/Trigger"}]}
NEAR = replace(APPLE, center=(0.5, 0.0, 0.9))
OPEN = Skill("OpenObject", Target(APPLE.id))
REACH = {
    "topic": "arm/target",
    "type": "geometry_msgs/msg/PoseStamped",
    "request": "$target.pose",
    "confirm": {"topic": "arm", "type": "std_msgs/msg/String", "field": "data", "equals": "there", "timeout": 0.3},
}


def until_sent(robot: Robot, skill: Skill, name: str) -> Iterator[Progress | Outcome]:
    steps = robot.backend.run(skill)
    while name not in [sent for sent, _ in robot.ros.sent]:
        item = next(steps)
        assert not isinstance(item, Outcome), item
    return steps


def sent_to(robot: Robot) -> list[str]:
    return [name for name, _ in robot.ros.sent]


def test_what_a_service_began_is_stopped_when_the_skill_is_and_by_the_emergency_stop() -> None:
    robot = Robot(**HALT, **STOP)
    robot.ros.topics["stop"] = False
    robot.ros.see(NEAR)
    robot.ros.answers["open"] = lambda _: None
    until_sent(robot, OPEN, "open").close()  # type: ignore[attr-defined]
    assert sent_to(robot) == ["open", "halt"]
    assert "can't be cancelled; the table's stop is called" in robot.told[0]
    assert not any("did not confirm" in text for text in robot.told), "nobody was waited for"
    robot.ros.sent.clear()
    steps = until_sent(robot, OPEN, "open")
    robot.ros.topics["stop"] = True
    done = next(s for s in steps if isinstance(s, Outcome))
    assert "emergency stop is pressed" in done.message
    assert sent_to(robot) == ["open", "halt"]


def test_what_a_topic_began_is_stopped_when_the_skill_is_and_when_it_does_not_get_there() -> None:
    skills = {**TABLE["skills"], "OpenObject": [REACH]}
    robot = Robot(**HALT, skills=skills)
    robot.ros.see(NEAR)
    robot.ros.topics["arm"] = "on its way"
    steps = until_sent(robot, OPEN, "arm/target")
    next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert sent_to(robot) == ["arm/target", "halt"]
    robot.ros.sent.clear()
    assert "does not show it" in robot.do(OPEN).message
    assert sent_to(robot) == ["arm/target", "halt"]
    robot.ros.sent.clear()
    robot.ros.topics["arm"] = "there"
    robot.do(OPEN)
    assert sent_to(robot) == ["arm/target"], "it got there: nothing is to be stopped"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda ros: ros.ages.update(arm=3600.0), "since the call began (last heard 3600 s ago)"),
        (lambda ros: ros.stamps.update(arm=ros.now() - 100.0), "s before the call began"),
        (lambda ros: ros.topics.pop("arm"), "nothing was heard on it (nobody publishes it)"),
        (lambda ros: ros.topics.update(arm="stuck"), "data is stuck"),
    ],
)
def test_only_what_was_told_after_a_call_began_confirms_it(
    change: Callable[[FakeInterfaces], None], words: str
) -> None:
    robot = Robot(skills={**TABLE["skills"], "OpenObject": [REACH]})
    robot.ros.see(NEAR)
    robot.ros.silent["arm"] = "nobody publishes it"
    robot.ros.topics["arm"] = "there"
    change(robot.ros)
    done = robot.do(OPEN)
    assert done.code is Code.EXECUTION_FAILURE
    assert words in done.message, done.message
    robot.ros.topics["arm"] = "there"
    robot.ros.ages["arm"] = 0.0
    robot.ros.stamps["arm"] = robot.ros.now() + 1000.0
    assert "arm does not show it" not in robot.do(OPEN).message


def test_a_call_is_not_made_before_the_latched_topic_that_is_to_confirm_it_is_there() -> None:
    reach = {**REACH, "confirm": {**REACH["confirm"], "latched": True}}
    robot = Robot(skills={**TABLE["skills"], "OpenObject": [reach]})
    robot.ros.see(NEAR)
    robot.ros.topics["arm"] = "there"
    robot.ros.silent["arm"] = "nobody publishes it: is its driver running?"
    done = robot.do(OPEN)
    assert done.code is Code.UNAVAILABLE
    assert "arm could not confirm it: nobody publishes it" in done.message
    assert "arm/target" not in sent_to(robot)
    robot.ros.silent.clear()
    assert "could not confirm" not in robot.do(OPEN).message
    assert "arm/target" in sent_to(robot)


def test_a_robot_is_brought_to_rest_and_what_was_left_over_is_told() -> None:
    robot = Robot(**HALT)
    robot.backend.bring_to_rest()
    assert sorted(robot.ros.cancelled) == ["gripper", "navigate_to_pose"], "once each"
    assert sent_to(robot) == ["halt"]
    assert robot.told == []
    robot.ros.left = {"navigate_to_pose": 1, "gripper": None}
    robot.backend.bring_to_rest()
    assert len(robot.told) == 2
    assert "navigate_to_pose (nav2_msgs/action/NavigateToPose) was still carrying out 1 goal" in robot.told[0]
    assert "gripper (control_msgs/action/GripperCommand) did not say within 0.2 s" in robot.told[1]


def test_who_is_not_there_does_not_keep_the_others_from_being_brought_to_rest() -> None:
    robot = Robot(**HALT)
    robot.ros.missing = {"navigate_to_pose", "halt"}
    began = time.monotonic()
    robot.backend.bring_to_rest()
    assert time.monotonic() - began < 5.0
    assert robot.ros.cancelled == ["gripper"]
    assert ["nobody offers the service halt" in robot.told[0], "navigate_to_pose" in robot.told[1]] == [True, True]
    robot = Robot(dry_run=True, **HALT)
    robot.backend.bring_to_rest()
    assert (robot.ros.cancelled, robot.ros.sent) == ([], [])


def test_an_action_that_ends_when_it_is_cancelled_needs_no_other_stop_unless_it_is_unsafe() -> None:
    robot = Robot(**HALT, **STOP)
    robot.ros.topics["stop"] = False
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    until_sent(robot, HERE, "navigate_to_pose").close()  # type: ignore[attr-defined]
    assert sent_to(robot) == ["navigate_to_pose"]
    for change in (lambda: setattr(robot.ros, "obeys", False), lambda: setattr(robot.ros, "alive", False)):
        change()
        robot.ros.sent.clear()
        assert robot.do(HERE).code in (Code.TIMEOUT, Code.UNAVAILABLE)
        assert sent_to(robot) == ["navigate_to_pose", "halt"]
    robot.ros.alive = robot.ros.obeys = True
    robot.ros.sent.clear()
    steps = until_sent(robot, HERE, "navigate_to_pose")
    robot.ros.topics["stop"] = True
    assert "emergency stop" in next(s for s in steps if isinstance(s, Outcome)).message
    assert sent_to(robot) == ["navigate_to_pose", "halt"]


def test_a_stop_that_does_not_stop_or_is_not_there_is_told() -> None:
    for change, words in (
        (lambda robot: robot.ros.answers.update(halt=lambda _: answer(success=False)), "whether the robot has stopped"),
        (lambda robot: robot.ros.answers.update(halt=lambda _: None), "did not answer within 0.2 s"),
        (lambda robot: robot.ros.missing.add("halt"), "nobody offers the service halt"),
    ):
        robot = Robot(**HALT)
        robot.ros.see(NEAR)
        robot.ros.answers["open"] = lambda _: None
        change(robot)
        until_sent(robot, OPEN, "open").close()  # type: ignore[attr-defined]
        assert words in robot.told[1], robot.told
        stopped = robot.backend.so_far()
        assert (stopped.code, stopped.message) == (Code.TIMEOUT, robot.told[1])
    robot = Robot()
    robot.ros.see(NEAR)
    robot.ros.answers["open"] = lambda _: None
    until_sent(robot, OPEN, "open").close()  # type: ignore[attr-defined]
    assert [("names no stop" in text) for text in robot.told] == [True]


def test_a_goal_that_nobody_says_to_take_is_cancelled_in_time() -> None:
    drive = {**DRIVE, "navigate": {**DRIVE["navigate"], "timeout": 60.0}}
    robot = Robot(drive=drive)
    robot.ros.answers["navigate_to_pose"], robot.ros.accepts = (lambda _: None), False
    done = robot.do(HERE)
    assert (done.code, "did not say within 0.2 s whether it takes the goal" in done.message) == (Code.TIMEOUT, True)
    assert robot.ros.cancelled == ["navigate_to_pose"]


def test_a_battery_that_gets_low_on_the_way_stops_the_drive_unless_it_is_to_the_dock() -> None:
    low = {"battery": {"topic": "battery", "minimum": 0.2, "dock": "dock"}, "places": {"dock": [3.0, 0.0, 0.0]}}
    for skill, words in ((HERE, "the battery is at 10%"), (Skill("Navigate", Target(category="Dock")), "took longer")):
        robot = Robot(**low)
        robot.ros.topics["battery"] = 0.9
        robot.ros.answers["navigate_to_pose"] = lambda _: None
        steps = robot.backend.run(skill)
        next(steps)
        robot.ros.topics["battery"] = 0.1
        done = next(s for s in steps if isinstance(s, Outcome))
        assert words in done.message
        assert robot.ros.cancelled == ["navigate_to_pose"]


def test_localisation_that_is_lost_on_the_way_stops_the_drive() -> None:
    robot = Robot()
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    steps = robot.backend.run(HERE)
    next(steps)
    robot.ros.odometry_age = 60.0
    done = next(s for s in steps if isinstance(s, Outcome))
    assert done.code is Code.UNAVAILABLE
    assert "where the robot is is not known" in done.message
    assert robot.ros.cancelled == ["navigate_to_pose"]


def test_transforms_that_are_too_old_are_no_localisation() -> None:
    robot = Robot(pose={"base_frame": "base_link", "max_age": 1.0})
    assert robot.do(HERE).code is Code.EXECUTION_FAILURE, "it is where the transforms say, and not where it was sent"
    sent = len(robot.ros.sent)
    for step, words in (
        (
            Heard("odom", 1.5),
            "transforms to base_link tell of odom is not of now: the newest message came 1.5 s ago",
        ),
        (Heard("odom", 0.1, None, 1.2), "of odom is not of now: the newest message is stamped 1.2 s before it came"),
        (Heard("odom", 0.1, None, -1.2), "of odom is not of now: the newest message is stamped 1.2 s ahead"),
    ):
        robot.ros.transform = lambda *_, step=step: (np.eye(4), (Heard("base_link", 0.0), step))  # type: ignore[method-assign, misc]
        done = robot.do(HERE)
        assert (done.code, words in done.message) == (Code.UNAVAILABLE, True), done.message
    assert len(robot.ros.sent) == sent
    ahead = Heard("odom", 0.2, None, -0.9)  # as AMCL's, which holds for its transform_tolerance
    robot.ros.transform = lambda *_: (np.eye(4), (ahead,))  # type: ignore[method-assign]
    assert robot.do(HERE).code is Code.EXECUTION_FAILURE
    robot.ros.transform = lambda *_: None  # type: ignore[method-assign]
    assert "no transforms to base_link are known in map" in robot.do(HERE).message


STAMPED: dict[str, Any] = {
    "battery": {"topic": "battery"},
    "emergency_stop": [{"topic": "stop"}],
    "pose": {**TABLE["pose"], "max_age": 1.0},
}
HEARD = {
    "stop": "whether the emergency stop is pressed",
    "battery": "charge is not known",
    "odom": "where the robot is",
}
"""Topic → what is not known without it."""


@pytest.mark.parametrize("topic", HEARD)
@pytest.mark.parametrize(
    ("underway", "words"),
    [
        (99.0, "is stamped 99.0 s before it came, 0.0 s ago, max_age is"),
        (-0.6, "0.6 s ahead of this"),
    ],
)
def test_what_was_underway_for_long_or_has_another_clock_is_not_taken_for_news(
    topic: str, underway: float, words: str
) -> None:
    robot = Robot(**STAMPED)
    robot.ros.topics.update(stop=False, battery=0.9)
    robot.ros.underway = dict.fromkeys(HEARD, 0.4)
    assert robot.do(HERE).code is Code.SUCCESS
    robot.ros.sent.clear()
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    steps = until_sent(robot, HERE, "navigate_to_pose")
    robot.ros.underway[topic] = underway
    done = next(s for s in steps if isinstance(s, Outcome))
    assert done.code is Code.UNAVAILABLE
    assert words in done.message
    assert HEARD[topic] in done.message
    assert "synchronise the clocks" in done.message
    assert "by_receipt: true" in done.message
    assert robot.ros.cancelled == ["navigate_to_pose"]
    robot.ros.sent.clear()
    assert robot.do(HERE).code is Code.UNAVAILABLE
    assert not robot.ros.sent


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Said("/b", Heard(False, 0.0)), ""),
        (Said("/b", Heard(True, 0.0)), "is pressed (stop of /b: data is True)"),
        (Said("/b", None), "nothing is heard on stop of /b: whether"),
        (Said("/b", Heard(False, 7.3)), "what stop of /b tells is not of now: the newest message came 7.3 s ago"),
        (Said("/b", Heard(False, 0.0, None, -9.0)), "what stop of /b tells is not of now"),
        (Said("/b", Heard(False, 0.0), "2 publish it"), "nothing is heard on stop of /b (2 publish it): whether"),
    ],
)
def test_every_publisher_of_an_emergency_stop_has_to_say_that_it_is_released(other: Said, words: str) -> None:
    released = Said("/a", Heard(False, 0.0))
    for said in ([released, other], [other, released]):
        robot = Robot(emergency_stop=[{"topic": "stop"}])
        robot.ros.publishers["stop"] = said
        done = robot.do(HERE)
        assert done.code is (Code.UNAVAILABLE if words else Code.SUCCESS)
        assert words in done.message
        assert bool(robot.ros.sent) is not bool(words)


def test_a_pressed_emergency_stop_is_told_before_one_that_is_silent() -> None:
    robot = Robot(emergency_stop=[{"topic": "stop"}])
    robot.ros.publishers["stop"] = [Said("/a", None), Said("/b", Heard(True, 0.0))]
    assert "is pressed (stop of /b" in robot.do(HERE).message


def test_a_driver_with_a_clock_of_its_own_is_gone_by_when_it_is_heard_where_the_table_says_so() -> None:
    own = {"by_receipt": True}
    robot = Robot(
        battery={**STAMPED["battery"], **own},
        emergency_stop=[{"topic": "stop", **own}],
        pose={"base": {**TABLE["pose"]["base"], **own}},
    )
    robot.ros.topics.update(stop=False, battery=0.9)
    for underway in (1e9, -1e9):
        robot.ros.underway = dict.fromkeys(HEARD, underway)
        assert robot.do(HERE).code is Code.SUCCESS
    robot.ros.ages["stop"] = 3.0
    assert "the newest message came 3.0 s ago" in robot.do(HERE).message


def test_no_clock_matters_to_what_is_told_only_when_it_changes() -> None:
    robot = Robot(emergency_stop=[{"topic": "stop", "latched": True}])
    robot.ros.topics["stop"] = False
    for underway in (1e9, -1e9):
        robot.ros.underway["stop"] = underway
        assert robot.do(HERE).code is Code.SUCCESS
    robot.ros.topics["stop"] = True
    assert "emergency stop is pressed" in robot.do(HERE).message


@pytest.mark.parametrize(
    "pose",
    [
        ((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
        ((1.0, 2.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        ((1.0, 2.0, 0.0), (0.0, 0.0, math.nan, 1.0)),
    ],
    ids=["no place", "no quaternion", "no number"],
)
def test_what_is_no_pose_is_not_taken_for_one(pose: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
    robot = Robot()
    position, orientation = (SimpleNamespace(**dict(zip("xyzw", part, strict=False))) for part in pose)
    told = Heard(SimpleNamespace(position=position, orientation=orientation), 0.0)
    robot.ros.latest = lambda *_: told  # type: ignore[method-assign]
    done = robot.do(HERE)
    assert done.code is Code.UNAVAILABLE, done
    assert "odom: no pose" in done.message
    assert not robot.ros.sent


def test_a_charge_in_percent_is_not_taken_for_a_full_battery() -> None:
    robot = Robot(battery={"topic": "battery", "minimum": 0.2})
    robot.ros.topics["battery"] = 12.0
    done = robot.do(HERE)
    assert (done.code, "battery tells 12.0, no charge from 0 to 1 (scale: 0.01" in done.message) == (
        Code.UNAVAILABLE,
        True,
    ), done
    robot = Robot(battery={"topic": "battery", "minimum": 0.2, "scale": 0.01})
    robot.ros.topics["battery"] = 12.0
    assert "at 12%, below 20%" in robot.do(HERE).message


def test_a_camera_that_shows_nothing_any_more_is_told_from_perception_that_is_slow() -> None:
    robot = Robot(camera={"timeout": 0.1})
    robot.ros.see(APPLE)
    done = robot.do(TO_APPLE)
    assert done.code is Code.UNAVAILABLE
    assert "camera/color/image_raw" in done.message


def test_an_arm_that_stays_where_it_is_puts_things_down() -> None:
    skills = {
        name: calls for name, calls in TABLE["skills"].items() if name not in ("Explore", "GoToObject", "Navigate")
    }
    robot = Robot(drive=None, skills=skills)
    robot.keep_seeing(APPLE, TABLE_TOP)
    robot.ros.answers["gripper"] = lambda _: answer(stalled=True)
    assert robot.do(Skill("PickupObject", Target(APPLE.id))).code is Code.SUCCESS
    done = robot.do(Skill("PutObject", receptacle=Target(TABLE_TOP.id)))
    assert done.code is Code.SUCCESS, done
    assert [name for name, _ in robot.ros.sent] == ["gripper", "release"]


def test_on_a_low_battery_it_drives_to_its_dock_only() -> None:
    low = {"battery": {"topic": "battery", "minimum": 0.2, "dock": "dock"}, "places": {"dock": [3.0, 0.0, 0.0]}}
    robot = Robot(**low)
    for charge, code in ((None, Code.UNAVAILABLE), (0.1, Code.UNAVAILABLE), (math.nan, Code.UNAVAILABLE)):
        if charge is not None:
            robot.ros.topics["battery"] = charge
        assert robot.do(HERE).code is code
    robot.ros.topics["battery"] = 0.1
    done = robot.do(HERE)
    assert "10%" in done.message
    assert "dock" in done.message
    assert not robot.ros.sent
    assert robot.do(Skill("Navigate", Target(category="Dock"))).code is Code.SUCCESS
    assert (robot.ros.at.x, robot.ros.at.y) == (3.0, 0.0)
    robot.ros.topics["battery"] = 0.9
    assert robot.do(HERE).code is Code.SUCCESS


def test_a_robot_that_drives_too_fast_is_stopped() -> None:
    robot = Robot(speed=0.5, drive={**TABLE["drive"], "navigate": {**TABLE["drive"]["navigate"], "timeout": 5.0}})
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    steps = robot.backend.run(HERE)
    outcome = None
    for item in steps:
        if isinstance(item, Outcome):
            outcome = item
        robot.ros.at = Pose2D(robot.ros.at.x + 0.1, 0.0, 0.0)  # each 0.01 to 0.05 s
    assert outcome is not None
    assert outcome.code is Code.UNAVAILABLE
    assert "where the table allows 0.50" in outcome.message
    assert robot.ros.cancelled == ["navigate_to_pose"]


def test_a_robot_that_does_not_know_where_it_is_does_not_move() -> None:
    robot = Robot()
    robot.ros.odometry_age = 60.0
    done = robot.do(HERE)
    assert done.code is Code.UNAVAILABLE
    assert "odom" in done.message
    assert not robot.ros.sent


def test_a_robot_that_somebody_else_has_stopped_is_not_sent_elsewhere() -> None:
    robot = Robot()
    robot.keep_seeing(APPLE)
    robot.ros.answers["navigate_to_pose"] = lambda _: answer(Ending.CANCELED)
    explore = Skill("Explore", positions=((0.0, 3.0, 0.0), (0.0, 6.0, 0.0)))
    for skill in (TO_APPLE, explore):
        robot.ros.sent.clear()
        done = robot.do(skill)
        assert (done.code, "cancelled by somebody else" in done.message) == (Code.UNAVAILABLE, True), done
        assert sent_to(robot) == ["navigate_to_pose"], "only once"


@pytest.mark.parametrize("name", ["dock", "thrown"])
def test_nothing_is_sent_while_it_is_not_known_where_the_robot_is(name: str) -> None:
    throw = [{"service": "throw", "type": "std_srvs/srv/Trigger"}]
    robot = Robot(places={"dock": [3.0, 0.0, 0.0]}, skills={**TABLE["skills"], "ThrowObject": throw})
    robot.backend._body.held = APPLE
    robot.ros.odometry_age = 60.0
    done = robot.do(Skill("Navigate", Target(category="dock")) if name == "dock" else Skill("ThrowObject"))
    assert (done.code, "where the robot is is not known" in done.message) == (Code.UNAVAILABLE, True), done
    assert not robot.ros.sent


def test_a_battery_that_gets_low_while_the_robot_gets_ready_keeps_it_from_driving() -> None:
    stow = {"service": "stow", "type": "std_srvs/srv/Trigger"}
    robot = Robot(drive={**DRIVE, "before": [stow]}, battery={"topic": "battery", "minimum": 0.2})
    robot.ros.topics["battery"] = 0.21

    def stowed(_: Any) -> Any:
        robot.ros.topics["battery"] = 0.19
        return answer(success=True)

    robot.ros.answers["stow"] = stowed
    assert "the battery is at 19%" in robot.do(HERE).message
    assert sent_to(robot) == ["stow"]


def test_what_the_gripper_closes_on_is_held_and_what_it_misses_is_not() -> None:
    robot = Robot()
    robot.keep_seeing(APPLE, TABLE_TOP)
    robot.do(TO_APPLE)
    robot.ros.answers["gripper"] = lambda _: answer(stalled=False, reached_goal=True)
    pick = Skill("PickupObject", Target(APPLE.id))
    assert robot.do(pick).code is Code.EXECUTION_FAILURE
    robot.ros.answers["gripper"] = lambda _: answer(stalled=True)
    done = robot.do(pick)
    assert done.code is Code.SUCCESS
    assert [(o.id, o.relation) for o in done.seen] == [(APPLE.id, "held")]
    assert robot.do(pick).code is Code.PRECONDITION_FAILURE, "the gripper is full"
    assert robot.do(Skill("PutObject", receptacle=Target(TABLE_TOP.id))).code is Code.SUCCESS
    done = robot.do(Skill("PutObject", receptacle=Target(TABLE_TOP.id)))
    assert "empty" in done.message


def test_what_is_out_of_reach_is_not_handled() -> None:
    robot = Robot()
    robot.keep_seeing(APPLE)
    done = robot.do(Skill("PickupObject", Target(APPLE.id)))
    assert done.code is Code.PRECONDITION_FAILURE
    assert "go to it first" in done.message
    assert not robot.ros.sent


def test_a_service_that_fails_says_why() -> None:
    robot = Robot()
    robot.keep_seeing(TABLE_TOP)
    robot.do(Skill("GoToObject", Target(TABLE_TOP.id)))
    robot.ros.answers["open"] = lambda _: answer(success=False, message="the door is locked")
    done = robot.do(Skill("OpenObject", Target(TABLE_TOP.id)))
    assert done.code is Code.EXECUTION_FAILURE
    assert "the door is locked" in done.message


def test_exploring_looks_around_at_each_place_until_the_target_is_seen() -> None:
    robot = Robot()
    places = ((0.0, 3.0, 0.0), (0.0, 6.0, 0.0))
    robot.keep_seeing(TABLE_TOP)
    done = robot.do(Skill("Explore", Target(category="Apple"), positions=places))
    assert (done.code, done.explore_steps) == (Code.NOT_FOUND, 2)
    assert len(robot.ros.sent) == 12, "six directions at each"
    robot.ros.sent.clear()
    robot.keep_seeing(APPLE)
    done = robot.do(Skill("Explore", Target(category="Apple"), positions=places))
    assert (done.code, done.explore_steps) == (Code.SUCCESS, 1)
    assert done.seen[0].id == APPLE.id
    assert len(robot.ros.sent) == 1
    assert robot.do(Skill("Explore")).code is Code.INVALID_ARGUMENT


def test_exploring_waits_in_each_direction_for_a_picture_from_there() -> None:
    """Perception takes one a second into account, on a busy machine; the apple shows in the fourth direction only."""
    robot = Robot()
    taken = 0.0

    def look() -> None:
        nonlocal taken
        if time.monotonic() - taken >= 1.0:
            taken = time.monotonic()
            behind = abs(math.remainder(robot.ros.at.yaw + math.radians(90.0), math.tau)) < 0.1
            robot.ros.see(*([APPLE] if behind else []))

    robot.ros.looks = look
    done = robot.do(Skill("Explore", Target(category="Apple"), positions=((0.0, 3.0, 0.0),)))
    assert done.code is Code.SUCCESS, done
    assert len(robot.ros.sent) == 4


def test_a_dry_run_makes_no_call_and_says_so() -> None:
    robot = Robot(dry_run=True)
    robot.ros.see(APPLE)
    done = robot.do(TO_APPLE)
    assert done.code is Code.UNAVAILABLE
    assert "nothing was moved" in done.message
    assert "navigate_to_pose" in done.message
    assert "navigate_to_pose" in robot.told[0]
    assert not robot.ros.sent
    assert robot.do(Skill("PickupObject", Target(APPLE.id))).code is Code.UNAVAILABLE
    assert not robot.ros.sent


def test_a_skill_that_the_table_lacks_is_not_run() -> None:
    robot = Robot()
    assert "ThrowObject" not in robot.backend.skills
    done = robot.do(Skill("ThrowObject"))
    assert done.code is Code.INVALID_ARGUMENT
    assert "has no ThrowObject" in done.message
    (positions,) = [p for p in robot.backend.skills["Explore"].parameters if p.name == "positions"]
    assert positions.required


def test_what_only_simulators_can_do_is_refused() -> None:
    robot = Robot()
    with pytest.raises(BackendUnavailableError, match="real home"):
        robot.backend.reset()
    with pytest.raises(RefusedError, match="only simulators"):
        robot.backend.ground_truth()
    with pytest.raises(RefusedError, match="names no camera"):
        robot.backend.observe()


def test_only_what_is_in_view_now_is_reported() -> None:
    robot = Robot()
    robot.ros.see(TABLE_TOP)
    robot.keep_seeing(APPLE)
    done = robot.do(Skill("FindObject"))
    assert [o.id for o in done.seen] == [APPLE.id]
    assert robot.do(Skill("FindObject", Target(category=TABLE_TOP.category))).code is Code.NOT_FOUND


def test_an_appliance_that_is_open_already_is_not_opened_again() -> None:
    robot = Robot()
    fridge = SeenObject("Fridge|1", "Fridge", (1.0, 0.0, 0.9), (1.0, 1.0, 1.8), False, {"isOpen": "true"})
    robot.keep_seeing(fridge)
    done = robot.do(Skill("OpenObject", Target("Fridge|1")))
    assert done.code is Code.PRECONDITION_FAILURE
    assert not robot.ros.sent


def test_a_robot_whose_localization_corrects_itself_once_drives_on() -> None:
    robot = Robot(speed=0.4, drive={**TABLE["drive"], "navigate": {**TABLE["drive"]["navigate"], "timeout": 2.5}})
    robot.ros.answers["navigate_to_pose"] = lambda _: None
    began, outcome = time.monotonic(), None
    for item in robot.backend.run(HERE):
        if isinstance(item, Outcome):
            outcome = item
        driven = time.monotonic() - began
        robot.ros.at = Pose2D(0.4 * driven + (2.0 if driven > 1.2 else 0.0), 0.0, 0.0)
    assert outcome is not None
    assert outcome.code is Code.TIMEOUT, outcome.message
