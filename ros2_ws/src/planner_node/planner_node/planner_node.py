# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `planner`: execute_instruction, answer, feedback, pause, resume."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
import uuid
from collections.abc import Mapping
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_srvs.srv import Trigger

from karma_interfaces.srv import Answer, Feedback
from karma_language.models import Limits, Model, Newest, Usage
from karma_language.vocabulary import Lexicon, household
from karma_language.vocabulary.home import load_home
from karma_language.vocabulary.lexicon import VocabularyError
from karma_ros.diagnostics import OK, WARN, Diagnosis
from karma_ros.lifecycle import ConfigurationError, ManagedNode
from karma_ros.process import run
from karma_ros.qos import SERVICES_QOS
from planner_node import conversions
from planner_node.act.gate import Gate
from planner_node.act.loop import Budget
from planner_node.act.questions import Questions
from planner_node.act.reasoning import Planning
from planner_node.check.safety import RulesError, Safety, household_rules, load_rules
from planner_node.memory import EventKind
from planner_node.parameters import FRONTIERS, OFFLINE, PARAMETERS, memories_in
from planner_node.planner import Instruction, Planner, Report
from planner_node.ros.exchanges import INSTRUCTION, ODOM, Exchanges
from planner_node.ros.goal_observer import GoalObserver, for_the_log, result_to
from planner_node.ros.instructions import ENDING, Instructions
from planner_node.ros.log import RosLog
from planner_node.ros.markers import PlanMarkers
from planner_node.ros.memory import RosMemory
from planner_node.ros.preferences import RosPreferences
from planner_node.ros.robot import RosPlaces, RosRobot
from planner_node.ros.status import StatusPublisher
from planner_node.skills import Code, Point
from planner_node.understand.answering import Look
from planner_node.understand.hearing import Hearing

_THREADS = 8
"""Executor threads: one carries out the instruction, the others bring it answers, goals and cancel requests."""
_MAX_TEXT = 2000
"""Characters of an answer or feedback."""

_CATCH_UP_PERIOD = 1.0
"""Seconds between two looks at whether the memory can be told what it missed."""

# Only the newest position matters, and a lost one is followed by another.
_ODOM_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
# Every publisher fits that. With events, Fast DDS wakes the executor again and again until a thread takes the message.
_NO_EVENTS = SubscriptionEventCallbacks(use_default_callbacks=False)


_TO_STOP = 2.0
"""Seconds that `pause` waits for the robot to stop, to say what it holds."""


class PlannerNode(ManagedNode):
    """Carries out instructions one after the other; the others wait, but for urgent ones."""

    def __init__(self) -> None:
        super().__init__("planner", PARAMETERS)
        self._parallel = ReentrantCallbackGroup()
        self._feedback = MutuallyExclusiveCallbackGroup()
        """Of its own: where it waited for the memory in every thread, none would be left to take the answers."""
        self._questions = Questions()
        self._gate = Gate()
        self._instructions = Instructions(self, self._gate, aside=self._aside, carry_out=self._carry_out)
        self._planner: Planner | None = None
        self._model: Model | None = None
        self._robot: RosRobot | None = None
        self._exchanges: Exchanges | None = None
        self._markers: PlanMarkers | None = None
        self._status: StatusPublisher | None = None
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
        self._status = StatusPublisher(self, lambda: self._gate.paused, lambda: self._instructions.waiting)
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
        memory = RosMemory(self, self._parallel, timeout=timeout, exchanges=exchanges)
        budget = Budget(
            skills=self.value("max_skills"),
            seconds=self.value("max_duration"),
            retries=self.value("skill_retries"),
        )
        places = RosPlaces(self, self._parallel, timeout=timeout, exchanges=exchanges)
        preferences = RosPreferences(self, self._parallel, timeout=timeout, exchanges=exchanges)
        self._planner = Planner(
            self._robot,
            memory,
            understander,
            lexicon,
            budget,
            now=self._now,
            places=places,
            preferences=preferences,
            memories=memories_in(self.value("memories")),
            safety=safety,
            gate=self._gate,
        )
        for client in (self._robot, memory, places, preferences):
            self.until_cleanup.callback(client.destroy, self)
        odom = self.create_subscription(
            Odometry, "odom", self._on_odom, _ODOM_QOS, callback_group=self.housekeeping, event_callbacks=_NO_EVENTS
        )
        self.until_cleanup.callback(self.destroy_subscription, odom)
        for kind, name, callback, group in (
            (Answer, "answer", self._on_answer, self._parallel),
            (Feedback, "feedback", self._on_feedback, self._feedback),
            (Trigger, "pause", self._on_pause, self._parallel),
            (Trigger, "resume", self._on_resume, self._parallel),
        ):
            service = self.create_service(kind, name, callback, qos_profile=SERVICES_QOS, callback_group=group)
            self.until_cleanup.callback(self.destroy_service, service)
        self._instructions.open(self._parallel)
        self.get_logger().info(f"understands instructions with {self.value('llm')}")

    def activate(self) -> None:
        """Take instructions, and stop the skill that a planner which died has left under way."""
        self._instructions.begin()
        rested = threading.Event()
        catching_up = threading.Thread(target=self._catch_up, args=(rested,), name="catch up", daemon=True)
        self.until_deactivated.callback(catching_up.join, ENDING)
        self.until_deactivated.callback(rested.set)
        catching_up.start()
        if self._robot is not None:
            self._robot.take_over(self._stopped_orphans)

    def deactivate(self) -> None:
        """Take no more instructions, stop the running one and the waiting ones, and wait a while until they ended."""
        if not self._instructions.end():
            self.get_logger().warning(
                f"The running instruction has not ended within {ENDING:.0f} s. It runs no further skill."
            )

    def cleanup(self) -> None:
        """End the thread that begins instructions."""
        self._instructions.close()
        self._planner = self._robot = self._exchanges = self._markers = self._status = None

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

    def _aside(self, instruction: Instruction) -> Report | None:
        """Answer a question while the robot is busy; None for what is no question."""
        return self._planner.aside(instruction) if self._planner is not None else None

    def _carry_out(self, handle: Any, stop: threading.Event) -> Report:
        planner, exchanges, markers, status = self._planner, self._exchanges, self._markers, self._status
        goal = handle.request
        if planner is None or exchanges is None or markers is None or status is None:
            return self._instructions.unstarted(handle)
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
        running = self._instructions.underway
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
        busy = "carrying out an instruction" if self._instructions.underway else "waiting for instructions"
        usage = self._model.usage if self._model is not None else Usage()
        said = f"{busy}, paused" if self._gate.paused else busy
        return Diagnosis(
            "instructions",
            f"{said}; language model: {usage.problem}" if usage.problem else said,
            WARN if usage.problem else OK,
            values={
                "llm": self.value("llm"),
                "queued": len(self._instructions.waiting),
                "carried out": self._carried_out,
                "failed": self._failed,
                "last": self._last,
                **(usage.figures("reading") if self._model is not None else {}),
            },
        )

    def _catch_up(self, rested: threading.Event) -> None:
        """Tell the memory what it missed while it was away (a thread of its own: a timer wakes the executor)."""
        while not rested.wait(_CATCH_UP_PERIOD):
            planner = self._planner
            try:
                if self.active and planner is not None:
                    planner.catch_up()
            except Exception:  # noqa: BLE001 - the memory must get it once it is well again
                self.get_logger().error(f"a defect; please report it:\n{traceback.format_exc()}")

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
