# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node between a simulator (or a robot) and the ROS graph: sensors out, skills in."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.action import CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.qos import QoSProfile

from karma_interfaces.action import ExecuteSkill
from karma_ros.action_server import SafeActionServer
from karma_ros.diagnostics import Diagnosis
from karma_ros.lifecycle import ConfigurationError, ManagedNode
from karma_ros.process import run
from karma_ros.timers import steady_timer
from sim_bridge.backend import BackendUnavailableError, Code, Located, Outcome, Progress
from sim_bridge.conversions import base_pose_to, outcome_to, skill_from
from sim_bridge.factory import OWN_SENSORS, BackendOptions
from sim_bridge.pacing import Pace
from sim_bridge.parameters import PARAMETERS, backend_options, require_scene_of
from sim_bridge.sensors import Sensors
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

_FRAMES_RATE = 1.0
"""Odometry and transforms a second while nothing else has them published: tools expect them all the time."""

_LIVELY_S = 5.0
"""How long after something may have changed an idle robot's view is shown at the idle rate."""

_AT_REST_S = 5.0
"""Seconds between two views when nothing has changed since."""

_THREADS = 5
"""Of the executor: a skill, its cancellation, a service and two timers at once."""


class _Server(SafeActionServer):
    """Calls `sent` when it has sent a result, which is some time after the callback that returned it."""

    def __init__(self, *arguments: Any, sent: Callable[[], None], **options: Any) -> None:
        self._sent = sent
        super().__init__(*arguments, **options)

    def _send_result_response(self, *response: Any) -> None:
        super()._send_result_response(*response)
        self._sent()


class SimBridge(ManagedNode):
    """Publishes a backend's sensors and runs its skills, one at a time."""

    def __init__(self) -> None:
        super().__init__("sim_bridge", PARAMETERS)
        self._options = BackendOptions()
        self._session = Session()
        self._sensors: Sensors | None = None
        """None where the backend's own drivers publish."""
        self._goals = 0
        self._told = 0
        """Results that were sent."""
        self._goal_ended = threading.Condition()
        self._stop = threading.Event()
        self._frames = 0
        self._last_frame = 0.0
        self._render_ms = 0.0
        self._stirred = 0.0
        """When something may have changed, or somebody began to read the camera, by the monotonic clock."""
        self._readers = 0
        self._goal_group = ReentrantCallbackGroup()
        self._service_group = ReentrantCallbackGroup()
        self._frames_group = MutuallyExclusiveCallbackGroup()
        self._idle: Any = None
        """The timer that shows an idle robot's view."""
        self._located: Located | None = None
        """Where the robot was last."""
        self._telling = threading.Lock()
        """Held while that is told: what is older must not get the later stamp."""

    # Lifecycle

    def configure(self) -> None:
        """Open the backend and offer the interfaces, where no other bridge does: two would drive one robot."""
        if offered_by_another(self, "execute_skill", self._service_group):
            raise ConfigurationError(
                f"another node offers {self.resolve_service_name('execute_skill')} in this ROS domain already: stop "
                "that graph first, or choose another ROS_DOMAIN_ID or namespace"
            )
        sim_time = self.get_parameter("use_sim_time").value
        options = self._options = backend_options({**self.values(), "use_sim_time": sim_time}, self.get_namespace())
        self.until_cleanup.callback(self._session.close)
        begin = time.monotonic()
        try:
            self._session.open(options)
        except (BackendUnavailableError, KeyError, ValueError) as error:
            raise ConfigurationError(
                f"can't open the backend {options.backend} with {options.scene}: {message_of(error)}"
            ) from error
        self._offer()
        self.get_logger().info(f"{options.backend} runs {self._session.scene} ({time.monotonic() - begin:.1f} s)")

    def activate(self) -> None:
        """Begin to publish and to accept skills."""
        self._stop.clear()
        self._session.begin_pause()
        self._stir()
        if self._sensors is not None:
            self._sensors.publish_fixed(self._now())
            self._set_idle_rate(self.value("idle_rate"))
            timer = steady_timer(self, 1.0 / _FRAMES_RATE, self._tell_frames, self._frames_group)
            self.until_deactivated.callback(self.destroy_timer, timer)
            self._tell_where()

    def apply(self, changes: Mapping[str, Any]) -> None:
        """Show an idle robot's view as often as is wanted now; the other parameters are read where they are used."""
        if self.active and self._sensors is not None and "idle_rate" in changes:
            self._set_idle_rate(changes["idle_rate"])

    def fit(self, values: Mapping[str, Any]) -> None:
        """Refuse a scene that the backend does not have."""
        require_scene_of(values)

    def _set_idle_rate(self, rate: float) -> None:
        if self._idle is not None:
            self.destroy_timer(self._idle)
        self._idle = steady_timer(self, 1.0 / rate, self._tick, self.housekeeping) if rate > 0 else None

    def _offer(self) -> None:
        def publisher(kind: Any, topic: str, qos: QoSProfile) -> Any:
            made = self.create_lifecycle_publisher(kind, topic, qos)
            self.until_cleanup.callback(self.destroy_lifecycle_publisher, made)
            return made

        own = self._options.backend in OWN_SENSORS
        self._sensors = None if own else Sensors(publisher)
        services = Services(
            self,
            self._session,
            seed=self._options.seed,
            look=self._look_if_active,
            moved=self._stir,
            skills=self._session.use(lambda backend: backend.skills),
            simulated=not own,
        )
        for kind, name, answer in services.offered():
            service = self.create_service(kind, name, answer, callback_group=self._service_group)
            self.until_cleanup.callback(self.destroy_service, service)
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
        self.until_cleanup.callback(server.destroy)

    def deactivate(self) -> None:
        """Stop the running skill, and wait until its client has been told."""
        self._stop.set()
        if self._idle is not None:
            self.destroy_timer(self._idle)
            self._idle = None
        with self._goal_ended:
            to_tell = self._told + self._goals
            if not self._goal_ended.wait_for(lambda: self._goals == 0, _STOP_TIMEOUT):
                self.get_logger().error(f"{self._session.running} did not stop within {_STOP_TIMEOUT:.0f} s")
            self._goal_ended.wait_for(lambda: self._told >= to_tell, _RESULT_TIME)

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
            robot = self._located.robot if self._located is not None else None
            return ExecuteSkill.Result(outcome=outcome_to(outcome, goal.request.call, self._now(), robot))
        finally:
            with self._goal_ended:
                self._goals -= 1
                self._goal_ended.notify_all()

    def _perform(self, goal: ServerGoalHandle) -> Outcome:
        session = self._session
        if not session.take():
            return Outcome(Code.UNAVAILABLE, f"busy with {session.running}: cancel it or wait for its end")
        try:
            if not self.active:
                return Outcome(Code.UNAVAILABLE, "the bridge is not active")
            session.running = goal.request.call.skill
            return self._run(goal)
        finally:
            session.running = ""
            session.begin_pause()
            self._stir()
            session.release()

    def _run(self, goal: ServerGoalHandle) -> Outcome:
        session, skill = self._session, skill_from(goal.request.call)
        try:
            for thing, place in session.let_people_move(self.value("people_move_after"), self.value("people_move")):
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
        feedback_pace, frame_rate = Pace(_FEEDBACK_RATE), self.value("frame_rate")
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
        return self._options.pictures and self._sensors is not None and self._sensors.readers > 0

    def _look(self) -> None:
        """Publish where the robot is and, where anybody wants to know, what it sees."""
        if self._sensors is None or not self._watched():
            self._tell_where()
            return
        begin = time.monotonic()
        scene, seen = self._session.use(lambda backend: (backend.scene, backend.observe()))
        self._render_ms = 1e3 * (time.monotonic() - begin)
        with self._telling:
            self._located = seen
            self._sensors.publish(seen, scene, self._session.resets, self._now())
        self._frames += 1
        self._last_frame = time.monotonic()

    def _stir(self) -> None:
        self._stirred = time.monotonic()

    def _look_if_active(self) -> None:
        self._stir()
        if self.active:
            self._look()

    def _shows_news(self) -> bool:
        """Whether an idle robot's view may show what nobody has seen, or was not shown for a while."""
        now, readers = time.monotonic(), self._sensors.readers if self._sensors is not None else 0
        if readers > self._readers:
            self._stirred = now
        self._readers = readers
        return now - self._stirred < _LIVELY_S or now - self._last_frame >= _AT_REST_S

    def _tell_where(self) -> None:
        if self._sensors is not None:
            located = self._session.use(lambda backend: backend.locate())
            with self._telling:
                self._located = located
                self._sensors.publish_location(located, self._now())

    def _tell_frames(self) -> None:
        """Tell again where the robot was last: it is still there, or a skill tells that it is not."""
        with self._telling:
            if self.active and self._sensors is not None and self._located is not None:
                self._sensors.publish_frames(self._located, self._now())

    def _tick(self) -> None:
        """Show an idle robot's view."""
        if not self.active or not self._shows_news() or not self._session.take_if_idle():
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

    def diagnose(self) -> Diagnosis:
        """Say what the robot does, and what is published."""
        running = self._session.running
        shown = self._frames > 0 and time.monotonic() - self._last_frame < 10.0
        return Diagnosis(
            "backend",
            f"running {running}" if running else "idle",
            values={
                "scene": self._session.scene,
                "frames published": self._frames,
                "camera read": str(self._watched()).lower(),
                "last frame rendered in ms": f"{self._render_ms:.1f}" if shown else "none lately",
            },
            hardware_id=self._options.backend,
        )

    def _now(self) -> Time:
        return self.get_clock().now().to_msg()


def main() -> int:
    """Run the node until SIGINT or SIGTERM; a running skill is stopped first, and its client gets a result."""
    return run(SimBridge, threads=_THREADS)


if __name__ == "__main__":
    sys.exit(main())
