# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `planner`: execute_instruction, answer, feedback, pause, resume."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.action import CancelResponse, GoalResponse
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_srvs.srv import Trigger

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.srv import Answer, Feedback
from karma_language.models import Limits, Model, Newest, Usage
from karma_language.reader import stops
from karma_language.vocabulary import Lexicon, household
from karma_language.vocabulary.home import load_home
from karma_language.vocabulary.lexicon import VocabularyError
from karma_ros.action_server import SafeActionServer
from karma_ros.diagnostics import OK, WARN, Diagnosis
from karma_ros.lifecycle import ConfigurationError, ManagedNode
from karma_ros.process import run
from karma_ros.timers import steady_timer
from planner_node import conversions
from planner_node.act.gate import Gate
from planner_node.act.loop import Budget
from planner_node.act.questions import Questions
from planner_node.act.reasoning import Planning
from planner_node.check.safety import RulesError, Safety, household_rules, load_rules
from planner_node.instruction_queue import InstructionQueue
from planner_node.memory import EventKind
from planner_node.parameters import FRONTIERS, OFFLINE, PARAMETERS, memories_in
from planner_node.planner import Instruction, Planner, Report
from planner_node.ros.exchanges import INSTRUCTION, ODOM, Exchanges
from planner_node.ros.goal_observer import GoalObserver, for_the_log, result_to
from planner_node.ros.log import RosLog
from planner_node.ros.markers import PlanMarkers
from planner_node.ros.memory import RosMemory
from planner_node.ros.preferences import RosPreferences
from planner_node.ros.robot import RosPlaces, RosRobot
from planner_node.ros.status import StatusPublisher
from planner_node.skills import Code, Outcome, Point
from planner_node.understand.answering import NOTHING_RUNS, Look
from planner_node.understand.hearing import Hearing

_THREADS = 8
"""Executor threads: one carries out the instruction, the others bring it answers, goals and cancel requests."""
_ASIDES = 2
"""Questions that are answered at a time while the robot is busy: each takes a thread. Further ones wait their turn."""

_MAX_TEXT = 2000
"""Characters of an answer or feedback."""

_CATCH_UP_PERIOD = 1.0
"""Seconds between two looks at whether the memory can be told what it missed."""

_ENDING = 15.0
"""Seconds that a deactivation waits for the running instruction to end."""

# Only the newest position matters, and a lost one is followed by another.
_ODOM_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)


_TO_STOP = 2.0
"""Seconds that `pause` waits for the robot to stop, to say what it holds."""

_Goal = tuple[Any, threading.Event]
"""The handle of a goal, and the flag that ends it. A flag is never cleared: the next activation has one of its own."""


class PlannerNode(ManagedNode):
    """Carries out instructions one after the other; the others wait, but for urgent ones."""

    def __init__(self) -> None:
        super().__init__("planner", PARAMETERS)
        self._parallel = ReentrantCallbackGroup()
        self._waiting_for_memory = MutuallyExclusiveCallbackGroup()
        self._feedback = MutuallyExclusiveCallbackGroup()
        """Of its own: where it waited for the memory in every thread, none would be left to take the answers."""
        self._asides = threading.BoundedSemaphore(_ASIDES)
        self._questions = Questions()
        self._gate = Gate()
        self._queue: InstructionQueue[_Goal] = InstructionQueue(self._gate)
        self._stop = threading.Event()
        """The flag of the goals that are accepted now."""
        self._flags: dict[int, threading.Event] = {}
        """Goal that has come and is not accepted yet, by its message → its flag."""
        self._unbegun: dict[bytes, Report] = {}
        """Goal that is not to be begun → what is said of it."""
        self._planner: Planner | None = None
        self._model: Model | None = None
        self._robot: RosRobot | None = None
        self._memory: RosMemory | None = None
        self._places: RosPlaces | None = None
        self._preferences: RosPreferences | None = None
        self._exchanges: Exchanges | None = None
        self._markers: PlanMarkers | None = None
        self._status: StatusPublisher | None = None
        self._worker: threading.Thread | None = None
        self._position: Point | None = None
        self._carried_out = 0
        self._failed = 0
        self._last = ""

    # Life

    def configure(self) -> None:
        """Make the clients and offer the action and the services."""
        lexicon = household()
        if file := self.value("home_words"):
            try:
                lexicon = load_home(file).added_to(lexicon)
            except VocabularyError as error:
                raise ConfigurationError(f"The home's words can't be used: {error}") from error
        try:
            understander = self._hearing(lexicon)
        except ValueError as error:
            raise ConfigurationError(f"The parameter llm_url can't be used: {error}") from error
        try:
            safety = self._safety(lexicon)
        except RulesError as error:
            raise ConfigurationError(
                f"The safety rules can't be used, and without them nothing is done: {error}"
            ) from error
        timeout = self.value("service_timeout")
        exchanges, markers = Exchanges(self), PlanMarkers(self)
        self._exchanges, self._markers = exchanges, markers
        self._status = StatusPublisher(self, lambda: self._gate.paused, self._waiting)
        for publisher in (exchanges, markers, self._status):
            self.until_cleanup.callback(publisher.destroy)
        self._robot = RosRobot(
            self,
            self._parallel,
            service_timeout=timeout,
            skill_timeout=self.value("skill_timeout"),
            exchanges=exchanges,
            on_outcome=markers.add,
        )
        self._memory = RosMemory(self, self._parallel, timeout=timeout, exchanges=exchanges)
        budget = Budget(
            skills=self.value("max_skills"),
            seconds=self.value("max_duration"),
            retries=self.value("skill_retries"),
        )
        self._places = RosPlaces(self, self._parallel, timeout=timeout, exchanges=exchanges)
        self._preferences = RosPreferences(self, self._parallel, timeout=timeout, exchanges=exchanges)
        self._planner = Planner(
            self._robot,
            self._memory,
            understander,
            lexicon,
            budget,
            now=self._now,
            places=self._places,
            preferences=self._preferences,
            memories=memories_in(self.value("memories")),
            safety=safety,
            gate=self._gate,
        )
        for client in (self._robot, self._memory, self._places, self._preferences):
            self.until_cleanup.callback(client.destroy, self)
        odom = self.create_subscription(Odometry, "odom", self._on_odom, _ODOM_QOS, callback_group=self.housekeeping)
        self.until_cleanup.callback(self.destroy_subscription, odom)
        for kind, name, callback, group in (
            (Answer, "answer", self._on_answer, self._parallel),
            (Feedback, "feedback", self._on_feedback, self._feedback),
            (Trigger, "pause", self._on_pause, self._parallel),
            (Trigger, "resume", self._on_resume, self._parallel),
        ):
            service = self.create_service(kind, name, callback, callback_group=group)
            self.until_cleanup.callback(self.destroy_service, service)
        server = SafeActionServer(
            self,
            ExecuteInstruction,
            "execute_instruction",
            execute_callback=self._execute,
            goal_callback=self._come,
            handle_accepted_callback=self._accepted,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
            callback_group=self._parallel,
        )
        self.until_cleanup.callback(server.destroy)
        self._worker = threading.Thread(target=self._work, name="instructions", daemon=True)
        self._worker.start()
        self.get_logger().info(f"understands instructions with {self.value('llm')}")

    def activate(self) -> None:
        """Take instructions, and stop the skill that a planner which died has left under way."""
        self._stop = threading.Event()
        timer = steady_timer(self, _CATCH_UP_PERIOD, self._catch_up, self._waiting_for_memory)
        self.until_deactivated.callback(self.destroy_timer, timer)
        if self._robot is not None:
            self._robot.take_over(self._stopped_orphans)

    def deactivate(self) -> None:
        """Take no more instructions, stop the running one and the waiting ones, and wait a while until they ended."""
        self._stop.set()
        self._queue.wake()
        if not self._queue.wait_empty(_ENDING) and self._queue.underway:
            self.get_logger().warning(
                f"The running instruction has not ended within {_ENDING:.0f} s. It runs no further skill."
            )

    def cleanup(self) -> None:
        """End the thread that begins instructions."""
        worker, self._worker = self._worker, None
        self._queue.wake()
        if worker is not None:
            worker.join(5.0)
        self._planner = self._robot = self._memory = self._places = self._preferences = None
        self._exchanges = self._markers = self._status = None

    def _stopped_orphans(self, skills: int) -> None:
        self.get_logger().warning(
            f"The robot's bridge was still busy with {skills} skill{'s' * (skills != 1)} that nobody followed any "
            "more, as after a planner that died. I had it cancel that."
        )

    def _safety(self, lexicon: Lexicon) -> Safety:
        """Return the rules in force. Raises RulesError where a file of them can't be used."""
        path = self.value("safety_rules")
        rules = load_rules(path, lexicon) if path else household_rules()
        self.get_logger().info(f"keeps to {len(rules.rules)} safety rules ({path or 'those that come with KARMA'})")
        return Safety(rules, self.value("confirm_irreversible"))

    def _hearing(self, lexicon: Lexicon) -> Hearing:
        self._model = None
        model = self.value("llm")
        if model == OFFLINE:
            return Hearing(lexicon)
        limits = Limits(
            first=self.value("llm_first_timeout"),
            total=self.value("llm_timeout"),
            window=self.value("llm_window"),
            answer=self.value("llm_answer"),
        )
        answers = Newest(self.value("llm_cache"))
        self._model = Model(model, url=self.value("llm_url"), limits=limits, answers=answers, heard=self._heard)
        return Hearing(lexicon, self._model, repairs=self.value("llm_repairs"))

    def _heard(self, question: Mapping[str, Any], answer: str) -> None:
        """Let others hear what a language model said."""
        if self._exchanges is not None:
            self._exchanges.note_model(question, answer)

    # Instructions

    def _come(self, goal: Any) -> GoalResponse:
        """Accept an instruction, as a refusal would come without a reason; what is told after it can stop it."""
        self._flags[id(goal)] = self._stop
        return GoalResponse.ACCEPT

    def _accepted(self, handle: Any) -> None:
        """Queue an instruction. One that can't be queued ends at once, with the reason in its result.

        A spoken "stop" waits for nothing: it ends all that is underway or waits, or has come before it: the client
        hears that a goal is accepted before this is called, maybe later than for its "stop".
        """
        stop = self._flags.pop(id(handle.request), self._stop)
        if self.active and stops(handle.request.instruction):
            self._unbegun[bytes(handle.goal_id.uuid)] = Report(
                Code.SUCCESS, "I stop." if self._queue.busy else NOTHING_RUNS
            )
            self._stop.set()
            self._stop = threading.Event()
            handle.execute()
            return
        if self.active and self._queue.busy and self._answered(handle):
            handle.execute()
            return
        urgent = handle.request.priority >= ExecuteInstruction.Goal.URGENT
        length = self.value("queue_length")
        if not self.active or not self._queue.offer((handle, stop), length, urgent):
            handle.execute()

    def _answered(self, handle: Any) -> bool:
        """Answer a question at once, also while the robot is busy; return whether it was one."""
        planner, goal = self._planner, handle.request
        if planner is None or goal.dry_run or goal.retry_of or not self._asides.acquire(blocking=False):
            return False
        try:
            report = planner.aside(Instruction(goal.instruction, goal.user, goal.ignore_memory))
        except Exception as error:  # noqa: BLE001 - a defect must not keep the instruction from its turn
            self.get_logger().error(f"A defect while answering {for_the_log(goal)}: {type(error).__name__}")
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
            goal = self._queue.begin(0.1)
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
            report = self._carry_out(handle, goal[1]) if goal is not None else self._unstarted(handle)
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

    def _unstarted(self, handle: Any) -> Report:
        """Say why an instruction was not even begun."""
        said = self._unbegun.pop(bytes(handle.goal_id.uuid), None)
        if not self.active:
            return Report(
                Code.UNAVAILABLE, "The planner is not active. Activate it (ros2 lifecycle set planner activate)."
            )
        return said or Report(
            Code.UNAVAILABLE,
            f"I am busy, and {len(self._queue)} instructions wait already (parameter queue_length). Try again later.",
        )

    def _carry_out(self, handle: Any, stop: threading.Event) -> Report:
        planner, exchanges, markers, status = self._planner, self._exchanges, self._markers, self._status
        goal = handle.request
        if planner is None or exchanges is None or markers is None or status is None:
            return self._unstarted(handle)
        instruction = Instruction(
            goal.instruction, goal.user, goal.ignore_memory, goal.dry_run, self._position, goal.retry_of
        )
        planner.pursuit.by_frontiers = self.value("exploring") == FRONTIERS
        planner.listener.look = Look(self.value("look"))
        planner.pursuit.planning = Planning(self.value("planning"))
        instruction_id = str(uuid.UUID(bytes=bytes(handle.goal_id.uuid)))
        timeout = self.value("question_timeout")
        following = status.begin(instruction_id, instruction)
        observer = GoalObserver(handle, self._questions, timeout, stop, exchanges, following)
        with exchanges.during(instruction_id):
            try:
                exchanges.note(ODOM, response=conversions.point_to(instruction.person) if instruction.person else None)
                exchanges.note(INSTRUCTION, goal)
                markers.begin()
                report = planner.run(instruction, observer, instruction_id, following)
            except Exception as error:  # noqa: BLE001 - a defect must end one instruction, not the node
                where = "".join(traceback.format_tb(error.__traceback__))
                what = type(error).__name__ if goal.user else repr(error)
                self.get_logger().error(f"A defect while carrying out {for_the_log(goal)}: {what}\n{where}")
                report = Report(Code.INTERNAL_ERROR, f"A defect in the planner: {error!r}. Its log says more.")
            status.end(following, report)
            exchanges.note(INSTRUCTION, goal, result_to(report))
            markers.end(report.outcomes, report.recalled if report.goals else ())  # the memory lights answers
        self._carried_out += 1
        self._failed += report.code is not Code.SUCCESS
        self._last = f"{report.code.name} {report.message}".strip()
        ended = f"{report.code.name} ({report.instruction_id})" if goal.user else self._last
        self.get_logger().info(f"{for_the_log(goal)}: {ended}, {len(report.outcomes)} skills")
        return report

    def _waiting(self) -> list[str]:
        return [handle.request.instruction for handle, _ in self._queue.waiting]

    # Services and topics

    def _on_answer(self, request: Any, response: Any) -> Any:
        if (request.text and not request.text.strip()) or len(request.text) > _MAX_TEXT:
            wrong = f"an answer has 1 to {_MAX_TEXT} characters, or none where there will be no answer"
            response.result = conversions.result_to(Code.INVALID_ARGUMENT, wrong)
        elif self._questions.answer(request.question_id, request.text, request.user):
            response.result = conversions.result_to(Code.SUCCESS)
        else:
            response.result = conversions.result_to(Code.NOT_FOUND, "no such question waits for your answer (any more)")
        return response

    def _on_feedback(self, request: Any, response: Any) -> Any:
        text = request.text.strip()
        judged = bool(request.instruction_id) and request.verdict in (request.RIGHT, request.WRONG)
        if not (text or judged) or len(text) > _MAX_TEXT:
            response.result = conversions.result_to(Code.INVALID_ARGUMENT, f"feedback has 1 to {_MAX_TEXT} characters")
            return response
        if not self.active or self._planner is None:
            response.result = conversions.result_to(Code.UNAVAILABLE, "the planner is not active")
            return response
        if self._exchanges is not None:
            self._exchanges.note("feedback", request)
        if judged:
            right = request.verdict == request.RIGHT
            receipt = self._planner.judged(request.instruction_id, right=right, user=request.user)
        if text and request.instruction_id:
            receipt = self._planner.feedback(text, request.user, request.instruction_id)
        elif text:
            receipt = self._planner.remember(EventKind.TOLD, text, request.user)
        response.result = conversions.result_to(receipt.code, receipt.message)
        return response

    def _on_pause(self, request: Any, response: Any) -> Any:
        self._gate.pause()
        response.success = True
        running = self._queue.underway
        says = self._gate.reached(_TO_STOP) if running else ""
        response.message = says or ("Paused as soon as the running skill ends." if running else "Paused.")
        return response

    def _on_resume(self, request: Any, response: Any) -> Any:
        response.message = "I go on." if self._gate.paused else "I was not paused."
        self._gate.resume()
        response.success = True
        return response

    def _on_odom(self, message: Odometry) -> None:
        self._position = conversions.point_from(message.pose.pose.position)

    def diagnose(self) -> Diagnosis:
        """Say what is done, and how instructions ended."""
        busy = "carrying out an instruction" if self._queue.underway else "waiting for instructions"
        usage = self._model.usage if self._model is not None else Usage()
        said = f"{busy}, paused" if self._gate.paused else busy
        return Diagnosis(
            "instructions",
            f"{said}; language model: {usage.problem}" if usage.problem else said,
            WARN if usage.problem else OK,
            values={
                "llm": self.value("llm"),
                "queued": len(self._queue),
                "carried out": self._carried_out,
                "failed": self._failed,
                "last": self._last,
                **(usage.figures("reading") if self._model is not None else {}),
            },
        )

    def _catch_up(self) -> None:
        """Tell the memory what it missed while it was away."""
        planner = self._planner
        if self.active and planner is not None:
            planner.catch_up()

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9


def _make() -> PlannerNode:
    node = PlannerNode()
    library = logging.getLogger("planner_node")
    library.setLevel(logging.INFO)
    library.addHandler(RosLog(node.get_logger().get_child("library")))
    return node


def main() -> int:
    """Run the node until SIGINT or SIGTERM; the running instruction is stopped first, and its client gets a result."""
    return run(_make, threads=_THREADS, pictures=False)


if __name__ == "__main__":
    sys.exit(main())
