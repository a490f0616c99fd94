# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Takes instructions as goals of the action `execute_instruction`, and has them carried out as their turn comes."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rclpy.action import CancelResponse, GoalResponse
from rclpy.callback_groups import CallbackGroup

from karma_interfaces.action import ExecuteInstruction
from karma_language.reader import after_stop
from karma_ros.action_server import SafeActionServer
from karma_ros.lifecycle import ManagedNode
from planner_node.act.gate import Gate
from planner_node.instruction import Instruction, Report
from planner_node.instruction_queue import InstructionQueue
from planner_node.ros.goal_observer import for_the_log, result_to
from planner_node.skills import Code, Outcome
from planner_node.understand.answering import NOTHING_RUNS

ASIDES = 2
"""Questions that are answered at a time while the robot is busy: each takes a thread. Further ones wait their turn."""
ENDING = 15.0
"""Seconds that a deactivation waits for the running instruction to end."""

_LOOKS_S, _LOOKS_AT_REST_S = 0.1, 1.0
"""Between two looks at whether one that waits was canceled; and where none waits."""

_Goal = tuple[Any, threading.Event]
"""The handle of a goal, and the flag that ends it. A flag is never cleared: the next activation has one of its own."""


class Instructions:
    """The instructions of a node that wait or are carried out."""

    def __init__(
        self,
        node: ManagedNode,
        gate: Gate,
        *,
        aside: Callable[[Instruction], Report | None],
        carry_out: Callable[[Any, threading.Event], Report],
    ) -> None:
        """`aside` answers what is a question; `carry_out` is called with a goal's handle and the flag that ends it."""
        self._node = node
        self._aside = aside
        self._carry_out = carry_out
        self._asides = threading.BoundedSemaphore(ASIDES)
        self._queue: InstructionQueue[_Goal] = InstructionQueue(gate)
        self._stop = threading.Event()
        """The flag of the goals that are accepted now."""
        self._flags: dict[int, threading.Event] = {}
        """Goal that has come and is not accepted yet, by its message → its flag."""
        self._unbegun: dict[bytes, Report] = {}
        """Goal that is not to be begun → what is said of it."""
        self._worker: threading.Thread | None = None

    @property
    def waiting(self) -> list[str]:
        """What waits, in the words in which it was said."""
        return [handle.request.instruction for handle, _ in self._queue.waiting]

    @property
    def underway(self) -> bool:
        """Whether any has begun and not ended."""
        return self._queue.underway

    def open(self, group: CallbackGroup) -> None:
        """Offer the action, until the node is cleaned up."""
        server = SafeActionServer(
            self._node,
            ExecuteInstruction,
            "execute_instruction",
            execute_callback=self._execute,
            goal_callback=self._come,
            handle_accepted_callback=self._accepted,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
            callback_group=group,
        )
        self._node.until_cleanup.callback(server.destroy)
        self._worker = threading.Thread(target=self._work, name="instructions", daemon=True)
        self._worker.start()

    def begin(self) -> None:
        """Take instructions."""
        self._stop = threading.Event()

    def end(self) -> bool:
        """Stop the running one and the waiting ones; return whether none runs after ENDING seconds."""
        self._stop.set()
        self._queue.wake()
        return self._queue.wait_empty(ENDING) or not self._queue.underway

    def close(self) -> None:
        """End the thread that begins instructions."""
        worker, self._worker = self._worker, None
        self._queue.wake()
        if worker is not None:
            worker.join(5.0)

    def _come(self, goal: Any) -> GoalResponse:
        """Accept an instruction, as a refusal would come without a reason; what is told after it can stop it."""
        self._flags[id(goal)] = self._stop
        return GoalResponse.ACCEPT

    def _accepted(self, handle: Any) -> None:
        """Queue an instruction. One that can't be queued ends at once, with the reason in its result.

        A spoken "stop" waits for nothing: it ends all that is underway or waits, or has come before it: the client
        hears that a goal is accepted before this is called, maybe later than for its "stop". What else is said
        ("stop, bring me the mug instead") comes after that.
        """
        stop = self._flags.pop(id(handle.request), self._stop)
        if self._node.active and (rest := after_stop(handle.request.instruction)) is not None:
            busy = self._queue.busy
            self._stop.set()
            stop = self._stop = threading.Event()
            if not rest:
                self._unbegun[bytes(handle.goal_id.uuid)] = Report(Code.SUCCESS, "I stop." if busy else NOTHING_RUNS)
                handle.execute()
                return
        if self._node.active and self._queue.busy and self._answered(handle):
            handle.execute()
            return
        urgent = handle.request.priority >= ExecuteInstruction.Goal.URGENT
        length = self._node.value("queue_length")
        if not self._node.active or not self._queue.offer((handle, stop), length, urgent):
            handle.execute()

    def _answered(self, handle: Any) -> bool:
        """Answer a question at once, also while the robot is busy; return whether it was one."""
        goal = handle.request
        if goal.dry_run or goal.retry_of or not self._asides.acquire(blocking=False):
            return False
        try:
            report = self._aside(Instruction(goal.instruction, goal.user, goal.ignore_memory))
        except Exception as error:  # noqa: BLE001 - a defect must not keep the instruction from its turn
            self._node.get_logger().error(f"A defect while answering {for_the_log(goal)}: {type(error).__name__}")
            return False
        finally:
            self._asides.release()
        if report is None:
            return False
        self._unbegun[bytes(handle.goal_id.uuid)] = replace(
            report, instruction_id=str(uuid.UUID(bytes=bytes(handle.goal_id.uuid)))
        )
        return True

    def _work(self) -> None:
        """Start the queued instructions as their turn comes (a thread of its own)."""
        while self._worker is threading.current_thread():
            goal = self._queue.begin(_LOOKS_S if self._queue.waiting else _LOOKS_AT_REST_S)
            if goal is not None:
                goal[0].execute()
            for handle, _ in self._queue.drop(lambda goal: goal[0].is_cancel_requested or goal[1].is_set()):
                report = Report(Code.CANCELED, "Stopped as asked before it was begun.")
                self._unbegun[bytes(handle.goal_id.uuid)] = report
                handle.execute()

    def _execute(self, handle: Any) -> Any:
        """Carry out one instruction (a thread of the executor)."""
        goal = self._queue.begun(lambda begun: begun[0] is handle)
        outcomes: Sequence[Outcome] = ()
        try:
            report = self._carry_out(handle, goal[1]) if goal is not None else self.unstarted(handle)
            outcomes = report.outcomes
        finally:
            if goal is not None:
                self._queue.ended(goal, outcomes)
        if report.code is Code.SUCCESS:
            handle.succeed()
        elif report.code is Code.CANCELED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return result_to(report)

    def unstarted(self, handle: Any) -> Report:
        """Say why an instruction was not even begun."""
        said = self._unbegun.pop(bytes(handle.goal_id.uuid), None)
        if not self._node.active:
            return Report(
                Code.UNAVAILABLE, "The planner is not active. Activate it (ros2 lifecycle set planner activate)."
            )
        return said or Report(
            Code.UNAVAILABLE,
            f"I am busy, and {len(self._queue)} instructions wait already (parameter queue_length). Try again later.",
        )
