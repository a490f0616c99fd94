# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is published of instructions: when, to whom, and in which words."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("karma_interfaces.msg", reason="karma_interfaces is not built")

from rclpy.clock import Clock
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from rclpy.serialization import serialize_message
from unique_identifier_msgs.msg import UUID

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import Exchange, PlannerState, Result
from planner_node.act.questions import Questions
from planner_node.instruction import Instruction, Report, Stage
from planner_node.memory import Recollection
from planner_node.planner_node import PlannerNode
from planner_node.ros import status as ros_status
from planner_node.ros.exchanges import INSTRUCTION, Exchanges
from planner_node.ros.goal_observer import GoalObserver
from planner_node.ros.status import StatusPublisher, status_to
from planner_node.skills import Code, Node, Outcome, SkillCall, Target
from planner_node.status import Following, Status

MUG = Node("Mug_1", "Mug", position=(1.0, 2.0, 0.8))
TAKE = SkillCall("PickupObject", Target("Mug_1", "Mug"))


class Graph:
    """A node, its publisher, and who subscribes to it."""

    def __init__(self) -> None:
        self.readers = 0
        self.made = 0
        self.sent: list[PlannerState] = []
        self.errors: list[str] = []
        self.defect: Exception | None = None
        self.paused = False
        self.waiting: list[str] = []

    def create_publisher(self, kind: Any, topic: str, qos: Any, *, event_callbacks: Any = None) -> Graph:
        if kind is Exchange:
            return self
        assert (kind, topic) == (PlannerState, "planner/state")
        assert not event_callbacks.use_default_callbacks  # an event of one that was destroyed is an executor's end
        assert event_callbacks.matched is None
        assert qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
        assert qos.reliability == ReliabilityPolicy.RELIABLE
        self.made += 1
        return self

    def destroy_publisher(self, publisher: Graph) -> None:
        self.made -= 1
        self.sent.clear()

    def get_subscription_count(self) -> int:
        return self.readers

    def publish(self, message: PlannerState) -> None:
        if self.defect is not None:
            raise self.defect
        serialize_message(message)
        self.sent.append(message)

    def get_clock(self) -> Clock:
        return Clock()

    def get_logger(self) -> Any:
        return SimpleNamespace(error=lambda text, **_: self.errors.append(text), info=lambda text: None)


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def status(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> Iterator[StatusPublisher]:
    """One whose clock never ticks: the test says when."""
    monkeypatch.setattr(ros_status, "_PERIOD", 1000.0)
    made = StatusPublisher(graph, lambda: graph.paused, lambda: graph.waiting)  # type: ignore[arg-type]
    yield made
    made.destroy()
    assert graph.made == 0


def test_whoever_comes_hears_the_present_state_and_then_every_change(graph: Graph, status: StatusPublisher) -> None:
    status.begin("1", Instruction("wash the mug")).progress(Stage.ACT, "take the mug")
    status.publish()
    assert graph.sent == []
    graph.readers = 1
    status.publish()
    status.publish()
    (told,) = graph.sent
    assert (told.instruction[0].id, told.instruction[0].step) == ("1", "take the mug")
    graph.paused, graph.waiting = True, ["fetch the \x1b[2Jbook"]
    status.publish()
    assert (graph.sent[-1].paused, graph.sent[-1].waiting) == (True, ["fetch the  [2Jbook"])
    assert len(graph.sent) == 2


def test_before_the_first_instruction_there_is_none(graph: Graph, status: StatusPublisher) -> None:
    graph.readers = 1
    status.publish()
    assert [list(message.instruction) for message in graph.sent] == [[]]


def test_what_is_latched_is_taken_back_when_it_is_true_no_more_and_nobody_hears(
    graph: Graph, status: StatusPublisher
) -> None:
    graph.readers = 1
    following = status.begin("1", Instruction("wash the mug"))
    status.publish()
    graph.readers = 0
    status.publish()
    assert len(graph.sent) == 1  # still true
    following.progress(Stage.ACT, "take the mug")
    status.publish()
    assert (graph.sent, graph.made) == ([], 1)
    graph.readers = 1
    status.publish()
    assert [message.instruction[0].step for message in graph.sent] == ["take the mug"]


def test_an_end_is_published_though_another_instruction_begins_at_once(graph: Graph, status: StatusPublisher) -> None:
    graph.readers = 1
    first = status.begin("1", Instruction("wash the mug"))
    status.end(first, Report(Code.EXECUTION_FAILURE, "It slipped."))
    status.begin("2", Instruction("fetch the book"))
    status.publish()
    ended, begun = (message.instruction[0] for message in graph.sent)
    assert (ended.id, ended.ended, ended.result.code, ended.result.message) == (
        "1", True, Result.EXECUTION_FAILURE, "It slipped.",
    )  # fmt: skip
    assert (begun.id, begun.ended, begun.result.code) == ("2", False, Result.UNSET)


def test_a_defect_here_breaks_no_instruction_and_is_logged_without_anybodys_words(
    graph: Graph, status: StatusPublisher
) -> None:
    graph.readers = 1
    graph.defect = RuntimeError("wash the mug")
    following = status.begin("1", Instruction("wash the mug"))
    status.end(following, Report(Code.SUCCESS))
    status.publish()
    assert graph.errors == ["planner/state can't be published: RuntimeError"]
    graph.defect = None
    status.begin("2", Instruction("fetch the book"))
    status.publish()
    assert graph.sent[-1].instruction[0].id == "2"


@pytest.mark.parametrize("asked", ["paused", "waiting"])
def test_what_is_asked_for_a_message_may_fail_too_and_the_publishing_goes_on(
    graph: Graph, status: StatusPublisher, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    def fail() -> Any:
        raise RuntimeError("wash the mug")

    graph.readers = 1
    with monkeypatch.context() as broken:
        broken.setattr(status, f"_{asked}", fail)
        status.end(status.begin("1", Instruction("wash the mug")), Report(Code.SUCCESS))
        status.publish()
    assert set(graph.errors) == {"planner/state can't be published: RuntimeError"}
    status.begin("2", Instruction("fetch the book"))
    status.publish()
    assert graph.sent[-1].instruction[0].id == "2"


def test_an_instruction_that_fails_before_it_is_planned_is_not_shown_as_running_for_ever(
    graph: Graph, status: StatusPublisher
) -> None:
    class Silent(Exchanges):
        """One that can't tell what the instruction was."""

        def note(self, name: str, request: Any = None, response: Any = None, **_: Any) -> None:
            if name == INSTRUCTION and response is None:
                raise RuntimeError("no definitions")

    node = PlannerNode.__new__(PlannerNode)
    node.__dict__.update(
        _planner=SimpleNamespace(pursuit=SimpleNamespace(), listener=SimpleNamespace()),
        _exchanges=Silent(graph),  # type: ignore[arg-type]
        _markers=SimpleNamespace(begin=lambda: None, end=lambda *_: None),
        _status=status,
        _questions=Questions(),
        _position=None,
        _carried_out=0,
        _failed=0,
        value=lambda name: {"look": "ask", "planning": "goals"}.get(name, 0.0),
        get_logger=graph.get_logger,
    )
    goal = ExecuteInstruction.Goal(instruction="wash the mug")
    handle = SimpleNamespace(request=goal, goal_id=UUID(uuid=[7] * 16))
    report = node._carry_out(handle, threading.Event())
    assert (report.code, node._failed) == (Code.INTERNAL_ERROR, 1)
    shown = status._board.shown
    assert shown is not None
    assert shown.report is report


def test_text_is_shown_and_does_nothing_and_what_was_seen_is_left_out() -> None:
    evil = "mug\x1b[31m\u202e\ud800"
    done = Outcome(TAKE, Code.NOT_FOUND, evil, seen=(MUG,), duration=1)
    recalled = Recollection("profile", "7", evil, 0.5, (f"it speaks of {evil}",), object=MUG)
    told = Status("1", Instruction(evil, "ann", retry_of="0"), 12.5, recalled=(recalled,), done=(done,), step=evil)
    told = replace(told, asked=13.5, ended_at=14.5)
    message = status_to(replace(told, question_id="q", question=evil, choices=(evil,), plan=(TAKE,), current=TAKE))
    serialize_message(message)
    shown = [message.instruction, message.step, message.question, *message.choices, message.recalled[0].text]
    shown += [message.recalled[0].why[0], message.done[0].result.message]
    assert not any(bad in text for text in shown for bad in "\x1b\u202e\ud800")
    assert list(message.done[0].seen) == []
    assert message.done[0].call.target.id == message.plan[0].target.id == message.current[0].target.id == "Mug_1"
    assert (message.user, message.retry_of, message.began.sec) == ("ann", "0", 12)
    assert (message.asked.sec, message.ended_at.sec) == (13, 14)


def test_a_question_is_seen_while_it_waits_for_its_answer() -> None:
    questions, following = Questions(), Following()
    seen: list[Status] = []

    class Handle:
        request = SimpleNamespace(user="ann")
        is_cancel_requested = False

        def publish_feedback(self, feedback: Any) -> None:
            seen.append(following.now)
            assert questions.answer(feedback.question_id, "red", "ann")

    observer = GoalObserver(Handle(), questions, 5.0, threading.Event(), following=following)
    assert observer.ask("Which mug?", ("red", "blue")) == "red"
    assert (seen[0].question, seen[0].choices) == ("Which mug?", ("red", "blue"))
    assert seen[0].question_id
    assert (following.now.question_id, following.now.question, following.now.choices) == ("", "", ())
