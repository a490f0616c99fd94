# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node between a simulator (or a robot) and the ROS graph: sensors out, skills in."""

from __future__ import annotations

import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions

from karma_interfaces.action import ExecuteSkill
from sim_bridge.backend import BackendUnavailableError, Code, Outcome, Progress
from sim_bridge.conversions import base_pose_to, outcome_to, skill_from
from sim_bridge.factory import OWN_SENSORS, BackendOptions
from sim_bridge.pacing import Pace
from sim_bridge.parameters import PARAMETERS, backend_options
from sim_bridge.ros_executor import PatientExecutor
from sim_bridge.sensors import STATE_QOS, Sensors
from sim_bridge.services import Services, message_of
from sim_bridge.session import Session
from sim_bridge.sole import offered_by_another

_FEEDBACK_RATE = 20.0
"""Feedback messages a second, at most: a skill without pictures makes thousands of steps a second."""

_STOP_TIMEOUT = 10.0
"""Seconds that a running skill is given to end when the node is deactivated."""

_RESULT_TIME = 2.0
"""Seconds that a stopped skill's result may take to be sent; a client that has not asked for it is not waited for any
longer."""

_COMPLAINT_PERIOD = 10.0
"""Seconds between complaints about a camera that fails."""

_LONGEST_SPIN = 0.5
"""Seconds after which a signal is noticed, and that the node is closed."""


class _Server(ActionServer):
    """Calls `sent` when it has sent a result, which is some time after the callback that returned it."""

    def __init__(self, *arguments: Any, sent: Callable[[], None], **options: Any) -> None:
        self._sent = sent
        super().__init__(*arguments, **options)

    def _send_result_response(self, *response: Any) -> None:
        super()._send_result_response(*response)
        self._sent()


class SimBridge(LifecycleNode):
    """Publishes a backend's sensors and runs its skills, one at a time."""

    def __init__(self) -> None:
        super().__init__("sim_bridge")
        self._declare()
        self._options = BackendOptions()
        self._session = Session()
        self._active = False
        self._sensors: Sensors | None = None
        """None where the backend's own drivers publish."""
        self._goals = 0
        self._told = 0
        """Results that were sent."""
        self._goal_ended = threading.Condition()
        self._stop = threading.Event()
        self._made: list[tuple[Callable[[Any], object], Any]] = []
        self._ticking: list[Any] = []
        self._frames = 0
        self._last_frame = 0.0
        self._render_ms = 0.0
        self._goal_group = ReentrantCallbackGroup()
        self._service_group = ReentrantCallbackGroup()
        self._tick_group = MutuallyExclusiveCallbackGroup()

    def _declare(self) -> None:
        for p in PARAMETERS:
            descriptor = ParameterDescriptor(
                description=p.description,
                additional_constraints=f"Takes effect {'with the next skill' if p.live else 'on configuration'}.",
            )
            if p.low is not None and p.high is not None:
                if isinstance(p.default, float):
                    descriptor.floating_point_range = [FloatingPointRange(from_value=p.low, to_value=p.high)]
                else:
                    descriptor.integer_range = [IntegerRange(from_value=int(p.low), to_value=int(p.high), step=1)]
            self.declare_parameter(p.name, p.default, descriptor)

    # Lifecycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the backend and offer the interfaces, where no other bridge does: two would drive one robot."""
        if offered_by_another(self, "execute_skill", self._service_group):
            self.get_logger().error(
                f"another node offers {self.resolve_service_name('execute_skill')} in this ROS domain already: stop "
                "that graph first, or choose another ROS_DOMAIN_ID or namespace"
            )
            return TransitionCallbackReturn.FAILURE
        values = {name: self._value(name) for name in ("use_sim_time", *(p.name for p in PARAMETERS))}
        options = self._options = backend_options(values, self.get_namespace())
        begin = time.monotonic()
        try:
            self._session.open(options)
        except (BackendUnavailableError, KeyError, ValueError) as error:
            self.get_logger().error(
                f"can't open the backend {options.backend} with {options.scene}: {message_of(error)}"
            )
            return TransitionCallbackReturn.FAILURE
        except Exception:  # noqa: BLE001 - rclpy would swallow it: the log must tell
            self.get_logger().error(f"opening the backend {options.backend} failed:\n{traceback.format_exc()}")
            return TransitionCallbackReturn.FAILURE
        self._offer()
        self.get_logger().info(f"{options.backend} runs {self._session.scene} ({time.monotonic() - begin:.1f} s)")
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to publish and to accept skills."""
        done = super().on_activate(state)
        self._stop.clear()
        self._active = True
        self._session.begin_pause()
        self._ticking.append(self.create_timer(1.0, self._diagnose, callback_group=self._tick_group))
        idle_rate = self._value("idle_rate")
        if self._sensors is not None:
            self._sensors.publish_fixed(self._now())
        if self._sensors is not None and idle_rate > 0:
            self._ticking.append(self.create_timer(1.0 / idle_rate, self._tick, callback_group=self._tick_group))
        return done

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the running skill and fall silent."""
        self.halt()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the backend."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop, from whatever state."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of everything, so that the node can be configured again."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def _offer(self) -> None:
        def publisher(kind: Any, topic: str, qos: QoSProfile) -> Any:
            made = self.create_lifecycle_publisher(kind, topic, qos)
            self._made.append((self.destroy_lifecycle_publisher, made))
            return made

        own = self._options.backend in OWN_SENSORS
        self._sensors = None if own else Sensors(publisher)
        self._diagnostics = publisher(DiagnosticArray, "diagnostics", STATE_QOS)
        services = Services(
            self,
            self._session,
            seed=self._options.seed,
            look=self._look_if_active,
            skills=self._session.use(lambda backend: backend.skills),
            simulated=not own,
        )
        for kind, name, answer in services.offered():
            service = self.create_service(kind, name, answer, callback_group=self._service_group)
            self._made.append((self.destroy_service, service))
        server = _Server(
            self,
            ExecuteSkill,
            "execute_skill",
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT,  # a refusal is a result with a code and a reason
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=self._goal_group,
            sent=self._count_told,
        )
        self._made.append((lambda made: made.destroy(), server))

    def halt(self) -> None:
        """Stop the running skill, and wait until its client has been told."""
        self._active = False
        self._stop.set()
        for timer in self._ticking:
            self.destroy_timer(timer)
        self._ticking.clear()
        with self._goal_ended:
            to_tell = self._told + self._goals
            if not self._goal_ended.wait_for(lambda: self._goals == 0, _STOP_TIMEOUT):
                self.get_logger().error(f"{self._session.running} did not stop within {_STOP_TIMEOUT:.0f} s")
            self._goal_ended.wait_for(lambda: self._told >= to_tell, _RESULT_TIME)

    def close(self) -> None:
        """Stop what runs, withdraw the interfaces and close the backend; harmless when there is nothing of it."""
        self.halt()
        while self._made:
            destroy, made = self._made.pop()
            destroy(made)
        self._session.close()

    # Skills

    def _count_told(self) -> None:
        with self._goal_ended:
            self._told += 1
            self._goal_ended.notify_all()

    def _execute(self, goal: ServerGoalHandle) -> ExecuteSkill.Result:
        with self._goal_ended:
            self._goals += 1
        try:
            outcome = self._perform(goal)
            if outcome.code == Code.SUCCESS:
                goal.succeed()
            elif outcome.code == Code.CANCELED and goal.is_cancel_requested:
                goal.canceled()
            else:
                goal.abort()
            return ExecuteSkill.Result(outcome=outcome_to(outcome, goal.request.call, self._now()))
        finally:
            with self._goal_ended:
                self._goals -= 1
                self._goal_ended.notify_all()

    def _perform(self, goal: ServerGoalHandle) -> Outcome:
        session = self._session
        if not session.take():
            return Outcome(Code.UNAVAILABLE, f"busy with {session.running}: cancel it or wait for its end")
        try:
            if not self._active:
                return Outcome(Code.UNAVAILABLE, "the bridge is not active")
            session.running = goal.request.call.skill
            return self._run(goal)
        finally:
            session.running = ""
            session.begin_pause()
            session.release()

    def _run(self, goal: ServerGoalHandle) -> Outcome:
        session, skill = self._session, skill_from(goal.request.call)
        try:
            for thing, place in session.let_people_move(self._value("people_move_after"), self._value("people_move")):
                self.get_logger().info(f"a person moved {thing} to {place}")
            steps = self._session.use(lambda backend: backend.run(skill))
            outcome = self._follow(goal, steps)
            self._look()
        except Exception:  # noqa: BLE001 - a defect of a backend must not take the node down; the goal gets the reason
            self.get_logger().error(f"{skill.name} broke the backend:\n{traceback.format_exc()}")
            return Outcome(Code.INTERNAL_ERROR, f"{skill.name} broke the backend: see the log of {self.get_name()}")
        self.get_logger().info(f"{skill.name}: {outcome.code.name} {outcome.message}".rstrip())
        return outcome

    def _follow(self, goal: ServerGoalHandle, steps: Iterator[Progress | Outcome]) -> Outcome:
        """Run a skill to its end, publishing on the way; stop it when the client or the node's deactivation asks."""
        feedback_pace, frame_rate = Pace(_FEEDBACK_RATE), self._value("frame_rate")
        frame_pace = Pace(frame_rate) if frame_rate > 0 else None
        while True:
            item = self._session.use(lambda _: next(steps, None))
            if item is None:
                raise RuntimeError("the skill ended without an outcome")
            if isinstance(item, Outcome):
                return item
            if feedback_pace.due():
                feedback = ExecuteSkill.Feedback(elapsed=item.elapsed, step=item.step, robot=base_pose_to(item.robot))
                goal.publish_feedback(feedback)
                self._tell_where()
            if item.look and frame_pace is not None and self._watched():
                frame_pace.wait(self._stop)
                self._look()
            if goal.is_cancel_requested or self._stop.is_set():
                self._session.use(lambda _: steps.close())  # type: ignore[attr-defined]
                why = "on request" if goal.is_cancel_requested else "the bridge was deactivated"
                done: Outcome = self._session.use(lambda backend: backend.so_far())
                stopped = f"stopped at '{item.step}', {why}"
                return replace(done, message=f"to be {stopped}; {done.message}" if done.message else stopped)

    # Sensors

    def _watched(self) -> bool:
        """Whether anybody reads the camera: otherwise nothing is rendered, and skills run as fast as they can."""
        return self._options.pictures and self._sensors is not None and self._sensors.read

    def _look(self) -> None:
        """Publish where the robot is and, where anybody wants to know, what it sees."""
        if self._sensors is None or not self._watched():
            self._tell_where()
            return
        begin = time.monotonic()
        scene, seen = self._session.use(lambda backend: (backend.scene, backend.observe()))
        self._render_ms = 1e3 * (time.monotonic() - begin)
        self._sensors.publish(seen, scene, self._session.resets, self._now())
        self._frames += 1
        self._last_frame = time.monotonic()

    def _look_if_active(self) -> None:
        if self._active:
            self._look()

    def _tell_where(self) -> None:
        if self._sensors is not None:
            self._sensors.publish_location(self._session.use(lambda backend: backend.locate()), self._now())

    def _tick(self) -> None:
        """Show an idle robot's view."""
        if not self._active or not self._session.take_if_idle():
            return
        try:
            self._look()
        except Exception:  # noqa: BLE001 - an exception from a timer would end the node
            self.get_logger().error(
                f"looking around failed:\n{traceback.format_exc()}", throttle_duration_sec=_COMPLAINT_PERIOD
            )
        finally:
            self._session.release()

    # Health

    def _diagnose(self) -> None:
        now = time.monotonic()
        running = self._session.running
        shown = self._frames > 0 and now - self._last_frame < 10.0
        status = DiagnosticStatus(
            level=DiagnosticStatus.OK,
            name=f"{self.get_fully_qualified_name().lstrip('/')}: backend",
            message=f"running {running}" if running else "idle",
            hardware_id=self._options.backend,
            values=[
                KeyValue(key="scene", value=self._session.scene),
                KeyValue(key="frames published", value=str(self._frames)),
                KeyValue(key="camera read", value=str(self._watched()).lower()),
                KeyValue(key="last frame rendered in ms", value=f"{self._render_ms:.1f}" if shown else "none lately"),
            ],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._now()
        self._diagnostics.publish(array)

    def _value(self, parameter: str) -> Any:
        return self.get_parameter(parameter).value

    def _now(self) -> Time:
        return self.get_clock().now().to_msg()


def main() -> int:
    """Run the node until SIGINT or SIGTERM.

    rclpy's own signal handlers would invalidate the context under a running skill; here the skill is stopped first, and
    its client gets a result. A second signal ends the process at once. The exit status is 0 after a signal, 1 when an
    exception ended the node, 2 for parameters that it does not take.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    signals: list[int] = []  # no Event: a handler that sets one while this thread waits for it can wait for ever

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        signals.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        node = SimBridge()
    except (InvalidParameterValueException, InvalidParameterTypeException) as error:
        rclpy.try_shutdown()
        print(f"sim_bridge: {error}", file=sys.stderr)
        return 2
    executor = PatientExecutor(num_threads=4)  # a skill, its cancellation, a service and a timer at once
    executor.add_node(node)

    failures: list[Exception] = []
    broken, closed = threading.Event(), threading.Event()

    def spin() -> None:
        try:
            # Not spin(): rclpy's shutdown() can miss a thread that is about to wait, which then waits for ever.
            while not closed.is_set():
                executor.spin_once(timeout_sec=_LONGEST_SPIN)
        except Exception as error:  # noqa: BLE001 - whatever it is, the node is closed and the exit status tells
            traceback.print_exc()
            failures.append(error)
        finally:
            broken.set()

    spinning = threading.Thread(target=spin, name="executor")
    spinning.start()
    while not (signals or broken.is_set()):
        time.sleep(_LONGEST_SPIN)  # a signal that another thread got is only looked at when this one wakes
    node.halt()
    closed.set()
    spinning.join()
    executor.shutdown()
    node.close()  # only now: a node that is just being configured has all that there is to close
    node.destroy_node()
    rclpy.try_shutdown()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
