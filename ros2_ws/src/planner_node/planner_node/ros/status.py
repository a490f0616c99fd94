# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner does, on `planner/state`, for panels and other onlookers: nothing is built while there are none."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.msg import InstructionStatus, PlannerState
from karma_ros.qos import SILENT
from planner_node import conversions
from planner_node.instruction import Instruction, Report
from planner_node.memory import Recollection
from planner_node.printable import LABEL, STEP, printable
from planner_node.skills import Code, Outcome
from planner_node.status import Board, Following, Status

TOPIC = "planner/state"
# How an instruction ended is told once, and the next one may begin at once: both are kept until they are heard.
QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)

_PERIOD = 0.1
"""Seconds between two messages; one more comes when an instruction ends."""
_UNHEARD_PERIOD = 1.0
"""Seconds between two looks at whether anybody listens."""
_COMPLAINS = 5.0
"""Seconds between two lines of the log, at least."""


class StatusPublisher:
    """Publishes what changed, from a thread of its own, so that no instruction waits for it or fails with it."""

    def __init__(self, node: Node, paused: Callable[[], bool], waiting: Callable[[], Sequence[str]]) -> None:
        """Begin to publish. `waiting`: the instructions that wait for their turn, the next first."""
        self._node = node
        self._paused = paused
        self._waiting = waiting
        self._board = Board(self._now)
        self._publisher = self._latch()
        self._latched: tuple[Any, ...] | None = None
        """What a newcomer is given by the middleware."""
        self._heard = False
        """Whether anybody listened when it was looked at last."""
        self._publishing = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="planner state", daemon=True)
        self._thread.start()

    def _latch(self) -> Any:
        return self._node.create_publisher(PlannerState, TOPIC, QOS, event_callbacks=SILENT)

    def destroy(self) -> None:
        """Give the publisher back."""
        self._closed.set()
        self._thread.join()
        with self._publishing:  # an instruction may still be ending
            self._node.destroy_publisher(self._publisher)

    def begin(self, instruction_id: str, instruction: Instruction) -> Following:
        """Show an instruction that begins; return what takes note of it."""
        return self._board.begin(Status(instruction_id, instruction, self._now()))

    def end(self, following: Following, report: Report) -> None:
        """Show how it ended, whatever comes next."""
        following.ended(report)
        self.publish()
        self._board.leave(following)

    def publish(self) -> None:
        """Publish what changed since the last time, if anybody looks on. Raises nothing: the log says what is wrong."""
        with self._publishing:
            if self._closed.is_set():
                return
            state: tuple[Any, ...] | None = None
            try:
                self._heard = self._publisher.get_subscription_count() > 0
                state = (self._board.shown, self._paused(), tuple(self._waiting()))
                latched = self._latched
                if latched is not None and latched[0] is state[0] and latched[1:] == state[1:]:
                    return
                if self._heard:
                    self._publisher.publish(self._message(*state))
                    self._latched = state
                elif self._latched is not None:
                    # Nobody would hear that what is latched is true no more: let there be nothing for a newcomer.
                    self._node.destroy_publisher(self._publisher)
                    self._publisher, self._latched = self._latch(), None
            except Exception as error:  # noqa: BLE001 - whoever looks on must not disturb who is looked at
                if state is not None:
                    self._latched = state  # not again before something else changes
                wrong = f"{TOPIC} can't be published: {type(error).__name__}"
                self._node.get_logger().error(wrong, throttle_duration_sec=_COMPLAINS)

    def _work(self) -> None:
        while not self._closed.wait(_PERIOD if self._heard else _UNHEARD_PERIOD):
            self.publish()

    def _now(self) -> float:
        return float(self._node.get_clock().now().nanoseconds) * 1e-9

    def _message(self, shown: Status | None, paused: bool, waiting: Sequence[str]) -> PlannerState:
        return PlannerState(
            stamp=conversions.stamp_to(self._now()),
            paused=paused,
            waiting=[printable(text) for text in waiting],
            instruction=[status_to(shown)] if shown is not None else [],
        )


def status_to(status: Status) -> InstructionStatus:
    """Return the message of a status."""
    told, report = status.instruction, status.report
    ended = conversions.result_to(report.code, printable(report.message)) if report is not None else None
    return InstructionStatus(
        id=status.id,
        instruction=printable(told.text),
        user=told.user,
        ignore_memory=told.ignore_memory,
        dry_run=told.dry_run,
        retry_of=told.retry_of,
        began=conversions.stamp_to(status.began),
        stage=int(status.stage),
        step=printable(status.step, STEP),
        heard=printable(status.heard),
        goals=[printable(str(goal)) for goal in status.goals],
        goal=status.goal,
        recalled=[conversions.recollection_to(_shown(one)) for one in status.recalled],
        plan=[conversions.call_to(call) for call in status.plan],
        current=[conversions.call_to(status.current)] if status.current is not None else [],
        done=[conversions.outcome_to(_told(outcome)) for outcome in status.done],
        question_id=status.question_id,
        question=printable(status.question),
        choices=[printable(choice, LABEL) for choice in status.choices],
        asked=conversions.stamp_to(status.asked),
        waits=status.waits,
        ended=report is not None,
        ended_at=conversions.stamp_to(status.ended_at),
        result=ended or conversions.result_to(Code.UNSET),
        picture=[status.picture] if status.picture is not None else [],
    )


def _shown(recollection: Recollection) -> Recollection:
    why = tuple(printable(reason) for reason in recollection.why)
    return replace(recollection, text=printable(recollection.text), why=why)


def _told(outcome: Outcome) -> Outcome:
    return replace(outcome, message=printable(outcome.message), seen=())
