# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot and what perception knows of places, over ROS. Every call is bounded in time; what is gone is noticed.

Used from one thread that may block, while an executor with more threads serves the answers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node as RosNode
from rclpy.task import Future

from karma_interfaces.action import ExecuteSkill
from karma_interfaces.srv import GetFrontiers, GetSceneGraph, ListSkills
from karma_ros.action_client import SafeActionClient
from planner_node import conversions
from planner_node.plan.exploring import Area, Frontier
from planner_node.ros.calling import NoAnswer, call
from planner_node.ros.exchanges import Exchanges
from planner_node.skills import Code, Outcome, RobotUnavailable, SkillCall, SkillTable

_SILENCE = 3.0
"""Seconds without feedback after which the bridge is asked whether it is still there."""

_STOPPING = 10.0
"""Seconds that a canceled skill may take to stop."""

_MAY_GO_ON = (
    "The robot may go on with what it was doing; if it moves, press its emergency stop. The service "
    "lifecycle_manager/is_active says which node does not answer."
)

_POLL = 0.05
"""Seconds between looks at a running skill."""

_LAST_FRAME = 0.5
"""Seconds between a skill's last picture and its end, at most."""


class RosRobot:
    """The robot behind `execute_skill` and `list_skills`."""

    def __init__(
        self,
        node: RosNode,
        group: CallbackGroup,
        *,
        service_timeout: float,
        skill_timeout: float,
        exchanges: Exchanges | None = None,
        on_outcome: Callable[[Outcome], None] | None = None,
    ) -> None:
        """Seconds that a service and a skill may take; `exchanges` hears of every call, `on_outcome` how skills end."""
        self._exchanges = exchanges
        self._on_outcome = on_outcome
        self._skill_timeout = skill_timeout
        self._service_timeout = service_timeout
        self._run = SafeActionClient(node, ExecuteSkill, "execute_skill", callback_group=group)
        self._cancel = node.create_client(CancelGoal, "execute_skill/_action/cancel_goal", callback_group=group)
        self._taking_over: threading.Thread | None = None
        self._closed = threading.Event()
        # The bridge discovers readers in the order in which they were made: when it answers this one, it knows those of
        # the action, too, and drops no answer to a goal.
        self._list = node.create_client(ListSkills, "list_skills", callback_group=group)

    def destroy(self, node: RosNode) -> None:
        """Give the clients back."""
        self._closed.set()
        if self._taking_over is not None:
            self._taking_over.join()
        self._run.destroy()
        for client in (self._cancel, self._list):
            node.destroy_client(client)

    def take_over(self, on_stopped: Callable[[int], None]) -> None:
        """Cancel, in a thread of its own, what an earlier planner left under way; no skill is run before that is done.

        Nobody follows it any more. `on_stopped` hears how many skills there were, if any. Where no bridge is found
        within the services' time, there is none that has any.
        """
        self._taking_over = threading.Thread(
            target=self._cancel_all, args=(on_stopped,), name="taking over", daemon=True
        )
        self._taking_over.start()

    def _cancel_all(self, on_stopped: Callable[[int], None]) -> None:
        until = time.monotonic() + self._service_timeout
        while not self._cancel.service_is_ready():
            if time.monotonic() > until or self._closed.wait(_POLL):
                return
        # Neither an id nor a time: all of them. Not sent again: a later one would cancel this planner's own skill.
        asked = self._cancel.call_async(CancelGoal.Request())
        answered = _done(asked)
        until = time.monotonic() + self._service_timeout
        while not answered.wait(_POLL):
            if time.monotonic() > until or self._closed.is_set():
                self._cancel.remove_pending_request(asked)
                return
        if skills := len(asked.result().goals_canceling):
            on_stopped(skills)

    def skills(self) -> SkillTable:
        """Ask for the skill table."""
        try:
            response = call(
                self._list, ListSkills.Request(), self._service_timeout, self._service_timeout, self._exchanges
            )
        except NoAnswer as error:
            raise RobotUnavailable(
                f"The robot does not answer ({error}). Start sim_bridge or the robot's driver."
            ) from error
        if conversions.code_from(response.result) is not Code.SUCCESS:
            raise RobotUnavailable(f"The robot can't act now: {response.result.message or 'list_skills refused'}")
        return SkillTable([conversions.spec_from(spec) for spec in response.skills])

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        """Run one skill; see `Robot.execute`."""
        goal = ExecuteSkill.Goal(call=conversions.call_to(call))
        asked = self._exchanges.now() if self._exchanges else None
        try:
            outcome = self._execute(goal, call, on_feedback, cancelled)
        except RobotUnavailable as error:
            if self._exchanges is not None:
                self._exchanges.note("execute_skill", goal, asked=asked, error=str(error))
            raise
        if self._exchanges is not None:
            done = ExecuteSkill.Result(outcome=conversions.outcome_to(outcome))
            self._exchanges.note("execute_skill", goal, done, asked=asked)
        if self._on_outcome is not None:
            self._on_outcome(outcome)
        return outcome

    def _execute(
        self,
        goal: ExecuteSkill.Goal,
        call: SkillCall,
        on_feedback: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Outcome:
        if self._taking_over is not None:
            self._taking_over.join()
        if not self._run.wait_for_server(timeout_sec=self._service_timeout):
            raise RobotUnavailable("nobody offers the action execute_skill. Start sim_bridge or the robot's driver.")
        heard = _Heard()

        def feedback(message: Any) -> None:
            heard.now()
            on_feedback(message.feedback.step)

        sent = self._run.send_goal_async(goal, feedback_callback=feedback)
        if not _wait(sent, self._service_timeout):
            sent.add_done_callback(_cancel_accepted)  # nobody would follow it any more
            raise RobotUnavailable(f"the robot did not accept {call.skill} within {self._service_timeout:.1f} s")
        handle = sent.result()
        if handle is None or not handle.accepted:
            raise RobotUnavailable(f"the robot does not accept {call.skill} now: it is busy or not active")
        try:
            return self._follow(call, handle, heard, cancelled)
        except RobotUnavailable as error:
            handle.cancel_goal_async()  # it may be there after all, and go on
            raise RobotUnavailable(f"{error} {_MAY_GO_ON}") from error

    def _follow(self, call: SkillCall, handle: Any, heard: _Heard, cancelled: Callable[[], bool]) -> Outcome:
        result = handle.get_result_async()
        ended = _done(result)
        probe: Future | None = None
        began = time.monotonic()
        while not ended.wait(_POLL):
            if cancelled():
                return self._stop(call, handle, result, Code.CANCELED, "stopped as asked")
            if time.monotonic() - began > self._skill_timeout:
                message = f"{call.skill} took longer than {self._skill_timeout:.0f} s (parameter skill_timeout)"
                return self._stop(call, handle, result, Code.TIMEOUT, message)
            if heard.silence() > _SILENCE:
                self.skills()  # raises when the bridge is gone
                probe = probe or handle.get_result_async()
                heard.now()
            if probe is not None and probe.done():
                if probe.result().status == GoalStatus.STATUS_UNKNOWN:
                    raise RobotUnavailable(
                        f"the robot's bridge was restarted and knows nothing of {call.skill} any more."
                    )
                result = probe  # the answer to the first question was lost
                break
        response = result.result()
        if response.status == GoalStatus.STATUS_UNKNOWN:
            raise RobotUnavailable(f"the robot's bridge knows nothing of {call.skill}.")
        outcome = conversions.outcome_from(response.result.outcome, call)
        if response.status == GoalStatus.STATUS_CANCELED and outcome.code is Code.CANCELED:
            return replace(outcome, stopped_by_others=True)
        if outcome.code is Code.UNSET:
            return Outcome(
                call, Code.INTERNAL_ERROR, f"the bridge ended {call.skill} without a result code", stamp=outcome.stamp
            )
        return outcome

    def _stop(self, call: SkillCall, handle: Any, result: Future, code: Code, message: str) -> Outcome:
        """Cancel a skill; return its own outcome where there is one in time.

        Else the robot may go on, which is a TIMEOUT, whatever it was stopped for.
        """
        handle.cancel_goal_async()
        if _wait(result, _STOPPING):
            outcome = conversions.outcome_from(result.result().result.outcome, call)
            if outcome.code in (Code.SUCCESS, Code.TIMEOUT, Code.UNAVAILABLE):  # it says what else became of it
                return outcome
            if outcome.code is not Code.UNSET:
                return replace(outcome, code=code, message=outcome.message or message)
            return Outcome(call, code, message)
        late = f"asked to stop {call.skill}, the robot's bridge has not said within {_STOPPING:.0f} s that it did."
        why = f"{message}; " if code is Code.TIMEOUT else ""
        return Outcome(call, Code.TIMEOUT, f"{why}{late} {_MAY_GO_ON}")


class RosPlaces:
    """What perception knows of places, behind `scene_graph/get_frontiers` and `scene_graph/get_full`."""

    def __init__(
        self, node: RosNode, group: CallbackGroup, *, timeout: float, exchanges: Exchanges | None = None
    ) -> None:
        """Seconds that perception may take to answer, and to catch up with what the robot has seen.

        `exchanges` hears of every call.
        """
        self._exchanges = exchanges
        self._timeout = timeout
        self._frontiers = node.create_client(GetFrontiers, "scene_graph/get_frontiers", callback_group=group)
        self._graph = node.create_client(GetSceneGraph, "scene_graph/get_full", callback_group=group)

    def destroy(self, node: RosNode) -> None:
        """Give the clients back."""
        for client in (self._frontiers, self._graph):
            node.destroy_client(client)

    def frontiers(self, after: float) -> tuple[Frontier, ...] | None:
        """Return where exploring can go on; see `Places.frontiers`."""
        until = time.monotonic() + self._timeout
        known: tuple[Frontier, ...] | None = None
        while True:
            try:
                response = call(self._frontiers, GetFrontiers.Request(), self._timeout, self._timeout, self._exchanges)
            except NoAnswer:
                return known
            if conversions.code_from(response.result) is Code.SUCCESS:
                known = conversions.frontiers_from(response.frontiers)
                caught_up = conversions.seconds_from(response.header.stamp) >= after - _LAST_FRAME
                if caught_up and not response.waiting:
                    return known
            if time.monotonic() > until:
                return known
            time.sleep(_POLL)

    def areas(self) -> tuple[Area, ...]:
        """Return the floor that was seen so far; see `Places.areas`."""
        try:
            response = call(self._graph, GetSceneGraph.Request(), self._timeout, self._timeout, self._exchanges)
        except NoAnswer:
            return ()
        return conversions.areas_from(response.graph)


class _Heard:
    """When something was heard of a running skill."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def now(self) -> None:
        self._last = time.monotonic()

    def silence(self) -> float:
        return time.monotonic() - self._last


def _cancel_accepted(sent: Future) -> None:
    """Cancel a goal that was accepted, if it was."""
    handle = sent.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


def _wait(future: Future, timeout: float) -> bool:
    """Wait in this thread until a future is done; return whether it is."""
    return _done(future).wait(timeout) or future.done()


def _done(future: Future) -> threading.Event:
    """Return what is set when a future is done."""
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    return done
