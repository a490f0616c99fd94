# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot as its driver would show it: Nav2's and control_msgs' actions, camera, odometry, battery, e-stop.

The household simulator is behind it, in real time. KARMA talks to it as to a physical robot, by the table
`simulated`; the services sim/* are for tests and the demonstration, and no part of a robot.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger

from karma_ros.declared_parameters import DeclaredParameters
from karma_ros.parameter_service import SafeParameterService
from karma_ros.process import StartError, run
from karma_ros.timers import steady_timer
from sim_bridge.backend import BackendUnavailableError, Code, Located, Outcome, Point, Pose2D, Progress
from sim_bridge.conversions import base_pose_to
from sim_bridge.factory import BackendOptions
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.pacing import Pace
from sim_bridge.sensors import LATCHED_QOS, STATE_QOS, Sensors
from sim_bridge.services import Services, message_of
from sim_bridge.session import Session
from sim_bridge.simulated_robot import hand
from sim_bridge.simulated_robot.base import NoWayError, between, drive, point_head
from sim_bridge.simulated_robot.parameters import PARAMETERS
from sim_bridge.simulation.motion import Motion

_OPEN = 0.02
"""Metres of the gripper's width above which it lets go."""
_STATE_RATE = 10.0
"""Messages a second about the arm, and about a base that stands still."""
_ODOMETRY_RATE = 20.0
"""Poses a second on the way."""
_THREADS = 6
"""Of the executor: a goal, its cancellation, the arm, a service and timers at once."""
_UNKNOWN, _NO_PROGRESS = 9000, 105
"""Error codes of nav2_msgs."""


class SimulatedRobot(Node):
    """The robot and its drivers."""

    defect = False
    """It goes on whatever happens (karma_ros.process)."""

    def __init__(self) -> None:
        super().__init__("simulated_robot", start_parameter_services=False)
        SafeParameterService(self)
        self._declared = DeclaredParameters(self, PARAMETERS)
        value = self._declared.value
        from control_msgs.action import GripperCommand, PointHead
        from nav2_msgs.action import NavigateToPose
        from nav2_msgs.msg import SpeedLimit

        self._navigate, self._grip, self._head = NavigateToPose, GripperCommand, PointHead
        options = BackendOptions(
            scene=value("scene"),
            seed=value("seed"),
            pictures=value("publish_images"),
            image_width=value("image_width"),
            image_height=value("image_height"),
        )
        self._speed = self._limit = value("speed")
        self._turn_rate, self._act_time = value("turn_rate"), value("act_time")
        self._stopped = False
        self._ended, self._arm_stopped = threading.Event(), threading.Event()
        self._session = Session()
        self._session.open(options)
        self._pictures = options.pictures
        self._hurry()
        self._sensors = Sensors(self.create_publisher)
        self._battery = self.create_publisher(BatteryState, "battery_state", STATE_QOS)
        self._stop_state = self.create_publisher(Bool, "emergency_stop", LATCHED_QOS)
        self._arm_state = self.create_publisher(PoseStamped, "arm/pose", STATE_QOS)
        self._arm: Point = (0.0, 0.0, 0.0)
        self._at: Located = self._use(lambda b: b.locate())
        apart, ticks = ReentrantCallbackGroup(), MutuallyExclusiveCallbackGroup()
        for kind, name, execute in (
            (NavigateToPose, "navigate_to_pose", self._drive),
            (GripperCommand, "gripper_controller/gripper_cmd", self._gripper),
            (PointHead, "head_controller/point_head", self._point_head),
        ):
            ActionServer(
                self, kind, name, execute, cancel_callback=lambda _: CancelResponse.ACCEPT, callback_group=apart
            )
        for service, name, act in (
            (SetBool, "arm/open", lambda request: lambda b: hand.pull(b, self._arm, request.data)),
            (SetBool, "arm/press", lambda request: lambda b: hand.press(b, self._arm, request.data)),
            (Trigger, "arm/cut", lambda _: lambda b: hand.cut(b, self._arm)),
            (Trigger, "arm/strike", lambda _: lambda b: hand.strike(b, self._arm)),
            (Trigger, "arm/throw", lambda _: hand.throw),
        ):
            self.create_service(service, name, self._acting(act), callback_group=apart)
        self.create_service(Trigger, "arm/stop", self._stop_arm, callback_group=apart)
        self.create_service(SetBool, "emergency_stop/set", self._press_stop, callback_group=apart)
        self.create_subscription(PoseStamped, "arm/target_pose", self._move_arm, 10, callback_group=apart)
        self.create_subscription(SpeedLimit, "speed_limit", self._limit_speed, 10)
        services = Services(self, self._session, seed=options.seed, look=self._begin_anew, skills=None, simulated=True)
        for service, name, answer in services.offered():
            self.create_service(service, name, answer, callback_group=apart)
        steady_timer(self, 1.0 / value("idle_rate"), self._tick, ticks)
        state = MutuallyExclusiveCallbackGroup()  # of its own: what it tells does not wait for pictures
        steady_timer(self, 1.0, self._tell_state, state)
        steady_timer(self, 1.0 / _STATE_RATE, self._tell_arm, state)
        steady_timer(self, 1.0 / _STATE_RATE, self._tell_rest, state)
        self._sensors.publish_fixed(self._now())
        self._stop_state.publish(Bool(data=False))

    def halt(self) -> None:
        """Leave off whatever it does."""
        self._ended.set()
        self._arm_stopped.set()

    def close(self) -> None:
        """Close the simulator."""
        self._session.close()

    def _use(self, use: Callable[[HouseholdBackend], Any]) -> Any:
        return self._session.use(lambda backend: use(cast(HouseholdBackend, backend)))

    @contextmanager
    def _doing(self, what: str) -> Iterator[bool]:
        """Have the robot for one thing; whether it was free."""
        free = self._session.take()
        if not free:
            yield False
            return
        self._session.running = what
        try:
            yield True
        finally:
            self._session.running = ""
            self._session.release()

    # The base

    def _drive(self, goal: ServerGoalHandle) -> Any:
        result = self._navigate.Result()
        pose = goal.request.pose.pose
        yaw = 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)
        to = Pose2D(pose.position.x, pose.position.y, yaw, pose.position.z)
        with self._doing("driving") as free:
            if not free:
                return self._failed(goal, result, _UNKNOWN, f"the robot is {self._session.running} already")
            try:
                self._follow(goal, self._use(lambda b: drive(b, to, lambda: min(self._speed, self._limit))))
            except NoWayError as error:
                return self._failed(goal, result, error.code, str(error))
        if self._stopped:
            return self._failed(goal, result, _NO_PROGRESS, "the emergency stop is pressed")
        if goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.succeed()
        return result

    def _follow(self, goal: ServerGoalHandle, steps: Iterator[Progress]) -> None:
        """Move in real time, showing what the camera sees on the way; leave off where it is to stop."""
        due, (clock, at) = time.monotonic(), self._use(lambda b: (b.robot.clock, b.locate()))
        feedback, frame_rate = Pace(_ODOMETRY_RATE), self._declared.value("frame_rate")
        frames = Pace(frame_rate) if frame_rate > 0 else None

        def left_off() -> bool:
            return bool(goal.is_cancel_requested or self._stopped or self._ended.is_set())

        while not left_off() and self._use(lambda _: next(steps, None)) is not None:
            before, was, (clock, at) = clock, at, self._use(lambda b: (b.robot.clock, b.locate()))
            began = max(due, time.monotonic())  # a late robot does not make up for it by driving faster
            due = began + clock - before
            while (now := time.monotonic()) < due and not left_off():
                stamp = self._now()  # of the moment that the place is of: it may be told late
                if feedback.due():
                    self._tell_way(goal, between(was, at, max(now - began, 0.0) / (due - began)), stamp)
                self._ended.wait(min(due - now, 1.0 / _ODOMETRY_RATE))
            if feedback.due():
                self._tell_way(goal, at, self._now())
            if frames is not None and self._watched() and frames.due():
                self._look()
        self._look()

    def _tell_way(self, goal: ServerGoalHandle, at: Located, stamp: Any) -> None:
        self._sensors.publish_location(at, stamp)
        shown = self._navigate.Feedback()
        shown.current_pose.pose = base_pose_to(at.robot)
        goal.publish_feedback(shown)

    def _failed(self, goal: ServerGoalHandle, result: Any, code: int, message: str) -> Any:
        self.get_logger().info(f"navigation failed: {message}")
        result.error_code, result.error_msg = code, message
        goal.abort()
        return result

    def _limit_speed(self, limit: Any) -> None:
        self._limit = limit.speed_limit * (self._speed / 100.0 if limit.percentage else 1.0) or self._speed

    def _point_head(self, goal: ServerGoalHandle) -> Any:
        at = goal.request.target.point
        with self._doing("handling") as free:
            if not free or self._stopped:
                goal.abort()
                return self._head.Result()
            self._use(lambda b: point_head(b, (at.x, at.y, at.z)))
            self._look()
        goal.succeed()
        return self._head.Result()

    # The arm

    def _move_arm(self, target: PoseStamped) -> None:
        """Follow a target pose, where it is in reach."""
        at = target.pose.position
        point = (at.x, at.y, at.z)
        if self._stopped or not self._use(lambda b: hand.reaches(b, point)):
            return
        if self._arm_moved():
            self._arm = point
            self._tell_arm()

    def _arm_moved(self) -> bool:
        """Take the time of a motion; whether it came to its end."""
        self._arm_stopped.clear()
        return not self._arm_stopped.wait(self._act_time)

    def _stop_arm(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._arm_stopped.set()
        response.success = True
        return response

    def _gripper(self, goal: ServerGoalHandle) -> Any:
        result = self._grip.Result()
        width = goal.request.command.position
        holds = self._use(lambda b: b.world.held)
        closing = width <= _OPEN
        if closing or holds:
            done = self._act(lambda b: (hand.grasp if closing else hand.release)(b, self._arm))
            got = done.code is Code.SUCCESS
            if self._stopped or (not closing and not got):
                goal.abort()
                return result
            result.stalled = closing and got
        result.position = width if not result.stalled else _OPEN
        result.reached_goal = not result.stalled
        goal.succeed()
        return result

    def _acting(self, act: Callable[[Any], Callable[[HouseholdBackend], Outcome]]) -> Callable[[Any, Any], Any]:
        def answer(request: Any, response: Any) -> Any:
            done = self._act(act(request))
            response.success, response.message = done.code is Code.SUCCESS, done.message
            return response

        return answer

    def _act(self, act: Callable[[HouseholdBackend], Outcome]) -> Outcome:
        """Do something with the arm, which takes its time, look at it, and log what came of it."""
        done = self._moved(act)
        self.get_logger().info(
            f"arm: {done.code.name} {done.message or ', '.join(s.id for s in done.seen[:1])}".rstrip()
        )
        return done

    def _moved(self, act: Callable[[HouseholdBackend], Outcome]) -> Outcome:
        with self._doing("handling") as free:
            if not free or self._stopped:
                why = "the emergency stop is pressed" if free else f"the robot is {self._session.running} already"
                return Outcome(Code.UNAVAILABLE, why)
            if not self._arm_moved():
                return Outcome(Code.CANCELED, "the arm was stopped")
            done: Outcome = self._use(act)
            self._look()
        return done

    # State

    def _press_stop(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._stopped = request.data
        if self._stopped:
            self._arm_stopped.set()
        self._stop_state.publish(Bool(data=self._stopped))
        response.success = True
        return response

    def _tell_state(self) -> None:
        charge = self._declared.value("battery")
        battery = BatteryState(percentage=charge, present=True)
        battery.header.stamp = self._now()
        self._battery.publish(battery)

    def _tell_arm(self) -> None:
        pose = PoseStamped()
        pose.header.frame_id, pose.header.stamp = "map", self._now()
        pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = self._arm
        pose.pose.orientation.w = 1.0
        self._arm_state.publish(pose)

    def _tell_rest(self) -> None:
        """Tell where the base stands while nothing moves it, be a picture being made or not."""
        stamp = self._now()
        if not self._session.running:
            self._sensors.publish_frames(self._at, stamp)

    def _hurry(self) -> None:
        motion = Motion(self._speed, self._turn_rate, self._act_time)

        def hurry(backend: HouseholdBackend) -> None:
            backend.robot.motion = motion

        self._use(hurry)

    def _begin_anew(self) -> None:
        self._hurry()
        self._arm = (0.0, 0.0, 0.0)
        self._look()

    def _watched(self) -> bool:
        return self._pictures and self._sensors.readers > 0

    def _look(self) -> None:
        if not self._watched():
            self._at = self._use(lambda b: b.locate())
            self._sensors.publish_location(self._at, self._now())
            return
        scene, seen = self._use(lambda b: (b.scene, b.observe()))
        self._at = seen
        self._sensors.publish(seen, scene, self._session.resets, self._now())

    def _tick(self) -> None:
        if self._session.take_if_idle():
            try:
                self._look()
            finally:
                self._session.release()

    def _now(self) -> Any:
        return self.get_clock().now().to_msg()


def _make() -> SimulatedRobot:
    try:
        return SimulatedRobot()
    except (ImportError, KeyError, ValueError, BackendUnavailableError) as error:
        raise StartError(message_of(error)) from error


def main() -> int:
    """Run the robot until SIGINT or SIGTERM."""
    return run(_make, threads=_THREADS)


if __name__ == "__main__":
    sys.exit(main())
