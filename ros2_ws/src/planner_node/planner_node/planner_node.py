# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `planner`: execute_instruction, answer, feedback, pause, resume."""

from __future__ import annotations

import logging
import signal
import threading
import traceback
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.srv import Answer, Feedback
from karma_language.vocabulary import Lexicon, household
from planner_node import conversions
from planner_node.act import Budget
from planner_node.exchanges import INSTRUCTION, ODOM, Exchanges
from planner_node.gate import Gate
from planner_node.goal_observer import GoalObserver, for_the_log, result_to
from planner_node.instruction_queue import InstructionQueue
from planner_node.memory import EventKind
from planner_node.parameters import FRONTIERS, OFFLINE, OWN, PARAMETERS, Parameter, memories_in
from planner_node.planner import Instruction, Planner, Report, Understander
from planner_node.questions import Questions
from planner_node.ros_clients import RosMemory, RosPlaces, RosRobot
from planner_node.ros_executor import PatientExecutor
from planner_node.ros_log import RosLog
from planner_node.ros_markers import PlanMarkers
from planner_node.ros_preferences import RosPreferences
from planner_node.ros_status import StatusPublisher
from planner_node.safety import RulesError, Safety, household_rules, load_rules
from planner_node.skills import Code, Outcome, Point
from planner_node.understand.offline import OfflineUnderstanding

_THREADS = 8
"""Executor threads: one carries out the instruction, the others bring it answers, goals and cancel requests."""

_LONGEST_WAIT = 0.2
"""Seconds after which a signal is noticed."""

_MAX_TEXT = 2000
"""Characters of an answer or feedback."""

_ENDING = 15.0
"""Seconds that a deactivation waits for the running instruction to end."""

# Only the newest position matters, and a lost one is followed by another.
_ODOM_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)

# Diagnostics are for whoever watches now; ten seconds of them are enough for one who is slow.
_DIAGNOSTICS_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)


_TO_STOP = 2.0
"""Seconds that `pause` waits for the robot to stop, to say what it holds."""

_Goal = tuple[Any, threading.Event]
"""The handle of a goal, and the flag that ends it. A flag is never cleared: the next activation has one of its own."""


class PlannerNode(LifecycleNode):
    """Carries out instructions one after the other; the others wait, but for urgent ones."""

    def __init__(self) -> None:
        super().__init__("planner")
        for parameter in PARAMETERS:
            self.declare_parameter(parameter.name, parameter.default, _descriptor(parameter))
        self._parallel = ReentrantCallbackGroup()
        self._housekeeping = MutuallyExclusiveCallbackGroup()
        self._waiting_for_memory = MutuallyExclusiveCallbackGroup()
        self._questions = Questions()
        self._gate = Gate()
        self._queue: InstructionQueue[_Goal] = InstructionQueue(self._gate)
        self._stop = threading.Event()
        """The flag of the goals that are accepted now."""
        self._active = False
        self._planner: Planner | None = None
        self._robot: RosRobot | None = None
        self._memory: RosMemory | None = None
        self._places: RosPlaces | None = None
        self._preferences: RosPreferences | None = None
        self._exchanges: Exchanges | None = None
        self._markers: PlanMarkers | None = None
        self._status: StatusPublisher | None = None
        self._entities: list[tuple[Any, Any]] = []
        self._worker: threading.Thread | None = None
        self._position: Point | None = None
        self._carried_out = 0
        self._failed = 0
        self._last = ""

    # Life

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Make the clients and offer the action and the services."""
        lexicon = household()
        if self._text("exploring") not in (OWN, FRONTIERS):
            self.get_logger().error(f"The parameter exploring must be {OWN!r} or {FRONTIERS!r}.")
            return TransitionCallbackReturn.FAILURE
        try:
            understander = self._understander(lexicon)
        except ValueError as error:
            self.get_logger().error(f"The parameter llm_url can't be used: {error}")
            return TransitionCallbackReturn.FAILURE
        try:
            safety = self._safety(lexicon)
        except RulesError as error:
            self.get_logger().error(f"The safety rules can't be used, and without them nothing is done: {error}")
            return TransitionCallbackReturn.FAILURE
        timeout = self._number("service_timeout")
        exchanges, markers = Exchanges(self), PlanMarkers(self)
        self._exchanges, self._markers = exchanges, markers
        self._status = StatusPublisher(self, lambda: self._gate.paused, self._waiting)
        self._robot = RosRobot(
            self,
            self._parallel,
            service_timeout=timeout,
            skill_timeout=self._number("skill_timeout"),
            exchanges=exchanges,
            on_outcome=markers.add,
        )
        self._memory = RosMemory(self, self._parallel, timeout=timeout, exchanges=exchanges)
        budget = Budget(
            skills=int(self._number("max_skills")),
            seconds=self._number("max_duration"),
            retries=int(self._number("skill_retries")),
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
            memories=memories_in(self._text("memories")),
            safety=safety,
            gate=self._gate,
        )
        self._diagnostics = self.create_publisher(DiagnosticArray, "diagnostics", _DIAGNOSTICS_QOS)
        self._keep(self.destroy_publisher, self._diagnostics)
        timer = self.create_timer(1.0, self._diagnose, callback_group=self._housekeeping)
        self._keep(self.destroy_timer, timer)
        timer = self.create_timer(1.0, self._catch_up, callback_group=self._waiting_for_memory)
        self._keep(self.destroy_timer, timer)
        odom = self.create_subscription(Odometry, "odom", self._on_odom, _ODOM_QOS, callback_group=self._housekeeping)
        self._keep(self.destroy_subscription, odom)
        for kind, name, callback in (
            (Answer, "answer", self._on_answer),
            (Feedback, "feedback", self._on_feedback),
            (Trigger, "pause", self._on_pause),
            (Trigger, "resume", self._on_resume),
        ):
            self._keep(self.destroy_service, self.create_service(kind, name, callback, callback_group=self._parallel))
        self._server = ActionServer(
            self,
            ExecuteInstruction,
            "execute_instruction",
            execute_callback=self._execute,
            goal_callback=lambda goal: GoalResponse.ACCEPT,  # a refusal would come without a reason: see _accepted
            handle_accepted_callback=self._accepted,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
            callback_group=self._parallel,
        )
        self._worker = threading.Thread(target=self._work, name="instructions", daemon=True)
        self._worker.start()
        self.get_logger().info(f"understands instructions with {self._text('llm')}")
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take instructions, and stop the skill that a planner which died has left under way."""
        self._stop = threading.Event()
        self._active = True
        if self._robot is not None:
            self._robot.take_over(self._stopped_orphans)
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop what is running and take no more."""
        self.stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give everything back."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give everything back."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give everything back; the node can be configured again."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def stop(self) -> None:
        """Take no more instructions, stop the running one and the waiting ones, and wait a while until they ended."""
        self._active = False
        self._stop.set()
        self._queue.wake()
        if not self._queue.wait_empty(_ENDING) and self._queue.underway:
            self.get_logger().warning(
                f"The running instruction has not ended within {_ENDING:.0f} s. It runs no further skill."
            )

    def close(self) -> None:
        """Stop what runs and give everything back. May be called again."""
        if self._planner is None:
            return
        self.stop()
        worker, self._worker = self._worker, None
        self._queue.wake()
        if worker is not None:
            worker.join(5.0)
        self._server.destroy()
        for destroy, entity in reversed(self._entities):
            destroy(entity)
        self._entities.clear()
        for client in (self._robot, self._memory, self._places, self._preferences):
            if client is not None:
                client.destroy(self)
        for publisher in (self._exchanges, self._markers, self._status):
            if publisher is not None:
                publisher.destroy()
        self._planner = self._robot = self._memory = self._places = self._preferences = None
        self._exchanges = self._markers = self._status = None

    def _stopped_orphans(self, skills: int) -> None:
        self.get_logger().warning(
            f"The robot's bridge was still busy with {skills} skill{'s' * (skills != 1)} that nobody followed any "
            "more, as after a planner that died. I had it cancel that."
        )

    def _keep(self, destroy: Any, entity: Any) -> None:
        self._entities.append((destroy, entity))

    def _safety(self, lexicon: Lexicon) -> Safety:
        """Return the rules in force. Raises RulesError where a file of them can't be used."""
        path = self._text("safety_rules")
        rules = load_rules(path, lexicon) if path else household_rules()
        self.get_logger().info(f"keeps to {len(rules.rules)} safety rules ({path or 'those that come with KARMA'})")
        return Safety(rules, bool(self.get_parameter("confirm_irreversible").value))

    def _understander(self, lexicon: Lexicon) -> Understander:
        model = self._text("llm")
        if model == OFFLINE:
            return OfflineUnderstanding(lexicon)
        # A language model's client takes half a second to import: only when it is wanted.
        from karma_language.models import Limits, Model, Newest
        from planner_node.understand.llm import LlmUnderstanding

        limits = Limits(
            first=self._number("llm_first_timeout"),
            total=self._number("llm_timeout"),
            window=int(self._number("llm_window")),
            answer=int(self._number("llm_answer")),
        )
        answers = Newest(int(self._number("llm_cache")))
        client = Model(model, url=self._text("llm_url"), limits=limits, answers=answers, heard=self._heard)
        return LlmUnderstanding(lexicon, client, repairs=int(self._number("llm_repairs")))

    def _heard(self, question: Mapping[str, Any], answer: str) -> None:
        """Let others hear what a language model said."""
        if self._exchanges is not None:
            self._exchanges.note_model(question, answer)

    # Instructions

    def _accepted(self, handle: Any) -> None:
        """Queue an instruction. One that can't be queued ends at once, with the reason in its result."""
        urgent = handle.request.priority >= ExecuteInstruction.Goal.URGENT
        length = int(self._number("queue_length"))
        if not self._active or not self._queue.offer((handle, self._stop), length, urgent):
            handle.execute()

    def _work(self) -> None:
        """Start the queued instructions as their turn comes (a thread of its own)."""
        while self._worker is threading.current_thread():
            goal = self._queue.begin(0.1)
            if goal is not None:
                goal[0].execute()
            for handle, _ in self._queue.drop(lambda goal: goal[0].is_cancel_requested or goal[1].is_set()):
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
        if not self._active:
            return Report(
                Code.UNAVAILABLE, "The planner is not active. Activate it (ros2 lifecycle set planner activate)."
            )
        if handle.is_cancel_requested:
            return Report(Code.CANCELED, "Stopped as asked before it was begun.")
        return Report(
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
        planner.by_frontiers = self._text("exploring") == FRONTIERS
        instruction_id = str(uuid.UUID(bytes=bytes(handle.goal_id.uuid)))
        timeout = self._number("question_timeout")
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
            markers.end(report.outcomes, report.recalled)
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
        if not self._active or self._planner is None:
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

    def _diagnose(self) -> None:
        if not self._active:
            return
        busy = "carrying out an instruction" if self._queue.underway else "waiting for instructions"
        status = DiagnosticStatus(
            level=DiagnosticStatus.OK,
            name=f"{self.get_name()}: instructions",
            message=f"{busy}, paused" if self._gate.paused else busy,
            values=[
                KeyValue(key="llm", value=self._text("llm")),
                KeyValue(key="queued", value=str(len(self._queue))),
                KeyValue(key="carried out", value=str(self._carried_out)),
                KeyValue(key="failed", value=str(self._failed)),
                KeyValue(key="last", value=self._last),
            ],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    def _catch_up(self) -> None:
        """Tell the memory what it missed while it was away."""
        planner = self._planner
        if self._active and planner is not None:
            planner.catch_up()

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9

    def _text(self, name: str) -> str:
        return str(self.get_parameter(name).value)

    def _number(self, name: str) -> float:
        return float(self.get_parameter(name).value)


def _descriptor(parameter: Parameter) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(description=parameter.description)
    if isinstance(parameter.default, float):
        descriptor.floating_point_range = [FloatingPointRange(from_value=parameter.low, to_value=parameter.high)]
    elif isinstance(parameter.default, int) and not isinstance(parameter.default, bool):
        descriptor.integer_range = [IntegerRange(from_value=int(parameter.low), to_value=int(parameter.high), step=1)]
    return descriptor


def main() -> None:
    """Run the node until SIGINT or SIGTERM; the running instruction is stopped first, and its client gets a result.

    rclpy's own signal handlers would invalidate the context under it.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    node = PlannerNode()
    library = logging.getLogger("planner_node")
    library.setLevel(logging.INFO)
    library.addHandler(RosLog(node.get_logger().get_child("library")))
    executor = PatientExecutor(num_threads=_THREADS)
    executor.add_node(node)
    stopping = threading.Thread(target=node.stop, name="stopping")
    try:
        while not ended.is_set():
            executor.spin_once(timeout_sec=_LONGEST_WAIT)
        stopping.start()
        while stopping.is_alive():  # the skill hears of it, and the client
            executor.spin_once(timeout_sec=_LONGEST_WAIT)
    finally:
        executor.shutdown(timeout_sec=1.0)
        node.close()
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
