# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the clients do with a goal; test_planner_node.py has them at work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("karma_interfaces.action", reason="needs karma_interfaces to be built")

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.task import Future

from karma_interfaces.action import ExecuteSkill
from karma_interfaces.srv import Recall
from planner_node import conversions
from planner_node.memory import TRAJECTORY, WORKING, Handled, Recollection
from planner_node.ros import calling
from planner_node.ros import robot as ros_robot
from planner_node.ros.calling import NoAnswer, call
from planner_node.ros.memory import RosMemory
from planner_node.ros.robot import RosRobot, _Heard
from planner_node.skills import Code, Outcome, SkillCall, Target


class Counting(Future):
    """Counts who waits for it."""

    callbacks = 0

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self.callbacks += 1
        super().add_done_callback(callback)


def test_a_long_skill_is_waited_for_by_one_callback() -> None:
    result, looks = Counting(), 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        if looks == 5:
            status = GoalStatus.STATUS_SUCCEEDED
            result.set_result(SimpleNamespace(status=status, result=ExecuteSkill.Result()))
        return False

    robot = RosRobot.__new__(RosRobot)
    robot._skill_timeout = 60.0
    robot._follow(SkillCall("Explore"), SimpleNamespace(get_result_async=lambda: result), _Heard(), cancelled)
    assert (looks, result.callbacks) == (5, 1)


def test_a_skill_whose_result_is_lost_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ros_robot, "_SILENCE", 0.0)
    lost, again = Future(), Future()
    again.set_result(SimpleNamespace(status=GoalStatus.STATUS_SUCCEEDED, result=ExecuteSkill.Result()))
    answers = iter((lost, again))
    robot = RosRobot.__new__(RosRobot)
    robot._skill_timeout = 60.0
    monkeypatch.setattr(robot, "skills", lambda: None)  # the bridge is still there
    handle = SimpleNamespace(get_result_async=lambda: next(answers))
    assert robot._follow(SkillCall("Explore"), handle, _Heard(), lambda: False).call.skill == "Explore"


@pytest.mark.parametrize(
    ("status", "by_others"),
    [(GoalStatus.STATUS_CANCELED, True), (GoalStatus.STATUS_ABORTED, False)],  # aborted: the bridge was deactivated
)
def test_a_skill_that_was_canceled_by_others_is_known(status: int, by_others: bool) -> None:
    result = Future()
    canceled = conversions.outcome_to(Outcome(SkillCall("Explore"), Code.CANCELED, "so it says"))
    result.set_result(SimpleNamespace(status=status, result=ExecuteSkill.Result(outcome=canceled)))
    robot = RosRobot.__new__(RosRobot)
    handle = SimpleNamespace(get_result_async=lambda: result)
    outcome = robot._follow(SkillCall("Explore"), handle, _Heard(), lambda: False)
    assert (outcome.code, outcome.message, outcome.stopped_by_others) == (Code.CANCELED, "so it says", by_others)


class Busy:
    """The client of a bridge that is there after some looks, and then stops so many skills."""

    def __init__(self, looks: int, skills: int) -> None:
        self.looks = looks
        self.skills = skills
        self.asked: list[CancelGoal.Request] = []

    def service_is_ready(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    def call_async(self, request: CancelGoal.Request) -> Future:
        self.asked.append(request)
        future = Future()
        future.set_result(CancelGoal.Response(goals_canceling=[GoalInfo()] * self.skills))
        return future


def taking_over(bridge: Busy, timeout: float) -> list[int]:
    robot = RosRobot.__new__(RosRobot)
    robot._cancel, robot._service_timeout, robot._closed = bridge, timeout, threading.Event()
    stopped: list[int] = []
    robot.take_over(stopped.append)
    assert robot._taking_over is not None
    robot._taking_over.join()
    return stopped


@pytest.mark.parametrize(("skills", "told"), [(0, []), (1, [1])])
def test_all_skills_of_an_earlier_planner_are_canceled_once(skills: int, told: list[int]) -> None:
    bridge = Busy(2, skills)
    assert taking_over(bridge, 60.0) == told
    assert bridge.asked == [CancelGoal.Request()]  # neither an id nor a time: all


def test_where_there_is_no_bridge_nothing_is_canceled() -> None:
    bridge = Busy(10**9, 1)
    assert taking_over(bridge, 0.1) == []
    assert not bridge.asked


def stopping(result: Future, code: Code) -> Outcome:
    """Return what becomes of a skill that is stopped, when the bridge answers so."""
    handle = SimpleNamespace(cancel_goal_async=lambda: None)
    robot = RosRobot.__new__(RosRobot)
    return robot._stop(SkillCall("Explore"), handle, result, code, "the reason")


@pytest.mark.parametrize("code", [Code.CANCELED, Code.TIMEOUT])
def test_a_robot_whose_bridge_does_not_answer_is_not_said_to_have_stopped(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_robot, "_STOPPING", 0.01)
    outcome = stopping(Future(), code)
    assert outcome.code is Code.TIMEOUT
    assert "The robot may go on" in outcome.message
    assert ("the reason" in outcome.message) is (code is Code.TIMEOUT)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (Code.CANCELED, Code.CANCELED),
        (Code.EXECUTION_FAILURE, Code.CANCELED),
        (Code.SUCCESS, Code.SUCCESS),
        (Code.TIMEOUT, Code.TIMEOUT),  # what drives the robot has not said that it stopped
        (Code.UNAVAILABLE, Code.UNAVAILABLE),
    ],
)
def test_what_a_bridge_says_of_a_skill_that_was_stopped_is_told(said: Code, code: Code) -> None:
    result = Future()
    outcome = conversions.outcome_to(Outcome(SkillCall("Explore"), said, "so it says"))
    result.set_result(SimpleNamespace(result=ExecuteSkill.Result(outcome=outcome)))
    stopped = stopping(result, Code.CANCELED)
    assert (stopped.code, stopped.message) == (code, "so it says")


class Deaf:
    """A client of a service that answers a request once it has been sent so many times."""

    srv_name = "memory/recall"

    def __init__(self, times: int) -> None:
        self.times = times
        self.sent = 0
        self.removed: list[Any] = []
        self.remove_pending_request = self.removed.append

    def wait_for_service(self, timeout_sec: float) -> bool:
        return True

    def call_async(self, request: str) -> Any:
        self.sent += 1
        future = Future()
        if self.sent == self.times:
            future.set_result(f"answer to {request}")
        return future


def test_a_request_without_an_answer_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "_REPEAT", 0.01)
    client = Deaf(3)
    assert call(client, "a request", 60.0, 0.0) == "answer to a request"
    assert (client.sent, len(client.removed)) == (3, 3)


def test_a_service_that_never_answers_is_given_up_in_time() -> None:
    client = Deaf(0)
    with pytest.raises(NoAnswer, match=r"did not answer within 0\.1 s"):
        call(client, "a request", 0.1, 0.0)
    assert client.sent >= 1
    assert len(client.removed) == client.sent


def test_what_another_robot_handles_is_not_this_ones_but_how_a_task_was_done_is_anyones() -> None:
    memory = RosMemory.__new__(RosMemory)
    memory._robot = "robot2"
    memory._recall = None
    handled = (SkillCall("PickupObject", Target("", "Fork")),)
    known = [
        Recollection(WORKING, "mine", "", handled=Handled("robot2", handled)),
        Recollection(WORKING, "other", "", handled=Handled("robot1", handled)),
        Recollection(TRAJECTORY, "way", "", handled=Handled("", handled)),
    ]
    response = Recall.Response(recollections=[conversions.recollection_to(one) for one in known])
    memory._call = lambda client, request: response
    assert [one.id for one in memory.recall("wash the fork").recollections] == ["mine", "way"]
