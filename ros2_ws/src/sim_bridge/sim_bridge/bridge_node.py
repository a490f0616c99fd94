# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The node between a simulator (or a robot) and the ROS graph: sensors out, skills in."""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import CameraInfo, Image

from karma_interfaces.action import ExecuteSkill
from karma_interfaces.msg import InstanceLabels
from karma_interfaces.srv import GetSceneGraph, ListSkills, MoveObject, ResetScene
from sim_bridge.backend import (
    Backend,
    BackendUnavailableError,
    Code,
    Located,
    Observation,
    Outcome,
    Progress,
    RefusedError,
)
from sim_bridge.conversions import (
    base_pose_to,
    camera_info_to,
    fixed_transforms,
    graph_to,
    image_to,
    labels_to,
    moving_transforms,
    odometry_to,
    outcome_to,
    pose_to,
    result_to,
    skill_from,
    skill_spec_to,
)
from sim_bridge.factory import BackendOptions, Simulator, open_backend
from sim_bridge.pacing import Pace
from sim_bridge.parameters import PARAMETERS, backend_options
from sim_bridge.skills import SKILLS
from sim_bridge.worker import BackendThread

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not among the wheels: camera/pose and odom carry the same without it
    TFMessage = None

# Every view counts: what the camera showed only once, perception must still get. Reliable delivery repeats what was
# lost; a short queue drops the oldest when a reader is slower, so that neither the simulator waits nor memory grows. A
# reader that prefers best effort can still connect.
CAMERA_QOS = QoSProfile(depth=5, history=HistoryPolicy.KEEP_LAST, reliability=ReliabilityPolicy.RELIABLE)
# Sent once at activation; a reader that starts later must get it too.
LATCHED_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Small and frequent: the newest matters.
STATE_QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)

_FEEDBACK_RATE = 20.0
"""Feedback messages a second, at most: a skill without pictures makes thousands of steps a second."""

_STOP_TIMEOUT = 10.0
"""Seconds that a running skill is given to end when the node is deactivated."""

_RESULT_TIME = 0.2
"""Seconds in which rclpy sends a result after the callback that returned it; nothing tells when it did."""

_COMPLAINT_PERIOD = 10.0
"""Seconds between complaints about a camera that fails."""

_LONGEST_SPIN = 0.5
"""Seconds after which the executor looks whether the node is closed."""

_PICTURE_POLL = 0.05
"""Seconds between looks at who has the robot: a skill, which another must not wait for, or only a picture."""


class SimBridge(LifecycleNode):
    """Publishes a backend's sensors and runs its skills, one at a time."""

    def __init__(self) -> None:
        super().__init__("sim_bridge")
        self._declare()
        self._options = BackendOptions()
        self._worker: BackendThread[Backend] | None = None
        self._scene = ""
        self._resets = 0
        self._active = False
        self._skill = threading.Lock()
        self._running = ""
        self._goals = 0
        self._goal_ended = threading.Condition()
        self._stop = threading.Event()
        self._made: list[tuple[Callable[[Any], object], Any]] = []
        self._ticking: list[Any] = []
        self._frames = 0
        self._last_frame = 0.0
        self._render_ms = 0.0
        self._idle_since = time.monotonic()
        self._people = random.Random()  # noqa: S311
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
        """Open the backend and offer the interfaces."""
        options = self._options = backend_options({p.name: self._value(p.name) for p in PARAMETERS})
        begin = time.monotonic()
        try:
            self._worker = BackendThread(lambda: open_backend(options))
        except (BackendUnavailableError, KeyError, ValueError) as error:
            self.get_logger().error(f"can't open the backend {options.backend} with {options.scene}: {_text(error)}")
            return TransitionCallbackReturn.FAILURE
        except Exception:  # noqa: BLE001 - rclpy would swallow it: the log must tell
            self.get_logger().error(f"opening the backend {options.backend} failed:\n{traceback.format_exc()}")
            return TransitionCallbackReturn.FAILURE
        self._scene = self._worker.call(lambda backend: backend.scene)
        self._people.seed(options.seed)
        self._offer()
        self.get_logger().info(f"{options.backend} runs {self._scene} ({time.monotonic() - begin:.1f} s)")
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to publish and to accept skills."""
        done = super().on_activate(state)
        self._stop.clear()
        self._active = True
        self._idle_since = time.monotonic()
        if TFMessage is not None:
            self._tf_static.publish(TFMessage(transforms=fixed_transforms(self._now())))
        self._ticking.append(self.create_timer(1.0, self._diagnose, callback_group=self._tick_group))
        idle_rate = self._value("idle_rate")
        if idle_rate > 0:
            self._ticking.append(self.create_timer(1.0 / idle_rate, self._tick, callback_group=self._tick_group))
        return done

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the running skill and fall silent."""
        self._halt()
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

        def service(kind: Any, name: str, serve: Callable[[Any, Any], Any]) -> None:
            made = self.create_service(kind, name, self._answering(name, serve), callback_group=self._service_group)
            self._made.append((self.destroy_service, made))

        self._color = publisher(Image, "camera/color/image_raw", CAMERA_QOS)
        self._depth = publisher(Image, "camera/depth/image_raw", CAMERA_QOS)
        self._instances = publisher(Image, "camera/instances", CAMERA_QOS)
        self._color_info = publisher(CameraInfo, "camera/color/camera_info", CAMERA_QOS)
        self._depth_info = publisher(CameraInfo, "camera/depth/camera_info", CAMERA_QOS)
        self._labels = publisher(InstanceLabels, "camera/instance_labels", CAMERA_QOS)
        self._camera_pose = publisher(PoseStamped, "camera/pose", CAMERA_QOS)
        self._odometry = publisher(Odometry, "odom", STATE_QOS)
        self._diagnostics = publisher(DiagnosticArray, "diagnostics", STATE_QOS)
        if TFMessage is not None:
            self._tf = publisher(TFMessage, "tf", STATE_QOS)
            self._tf_static = publisher(TFMessage, "tf_static", LATCHED_QOS)
        service(ListSkills, "list_skills", self._list_skills)
        service(ResetScene, "sim/reset", self._reset)
        service(MoveObject, "sim/move_object", self._move_object)
        service(GetSceneGraph, "sim/ground_truth", self._ground_truth)
        server = ActionServer(
            self,
            ExecuteSkill,
            "execute_skill",
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT,  # a refusal is a result with a code and a reason
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=self._goal_group,
        )
        self._made.append((lambda made: made.destroy(), server))

    def _halt(self) -> None:
        """Stop the running skill, and wait until its client has been told."""
        self._active = False
        self._stop.set()
        for timer in self._ticking:
            self.destroy_timer(timer)
        self._ticking.clear()
        with self._goal_ended:
            busy = self._goals > 0
            if not self._goal_ended.wait_for(lambda: self._goals == 0, _STOP_TIMEOUT):
                self.get_logger().error(f"{self._running} did not stop within {_STOP_TIMEOUT:.0f} s")
        if busy:
            time.sleep(_RESULT_TIME)

    def close(self) -> None:
        """Stop what runs, withdraw the interfaces and close the backend; harmless when there is nothing of it."""
        self._halt()
        while self._made:
            destroy, made = self._made.pop()
            destroy(made)
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    # Skills

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
        if not self._take_robot():
            return Outcome(Code.UNAVAILABLE, f"busy with {self._running}: cancel it or wait for its end")
        try:
            if not self._active:
                return Outcome(Code.UNAVAILABLE, "the bridge is not active")
            self._running = goal.request.call.skill
            return self._run(goal)
        finally:
            self._running = ""
            self._idle_since = time.monotonic()
            self._skill.release()

    def _take_robot(self) -> bool:
        """Take `_skill`, after an idle robot's picture that is just being made; return False while a skill has it."""
        while not self._skill.acquire(timeout=_PICTURE_POLL):
            if self._running:
                return False
        return True

    def _run(self, goal: ServerGoalHandle) -> Outcome:
        skill = skill_from(goal.request.call)
        try:
            self._let_people_move()
            steps = self._use(lambda backend: backend.run(skill))
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
            item = self._use(lambda _: next(steps, None))
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
                self._use(lambda _: steps.close())  # type: ignore[attr-defined]
                why = "on request" if goal.is_cancel_requested else "the bridge was deactivated"
                done: Outcome = self._use(lambda backend: backend.so_far())
                return replace(done, message=f"stopped while {item.step}: {why}")

    # Sensors

    def _watched(self) -> bool:
        """Whether anybody reads the camera: otherwise nothing is rendered, and skills run as fast as they can."""
        readers = (self._color, self._depth, self._instances, self._labels)
        return self._options.pictures and any(r.get_subscription_count() for r in readers)

    def _look(self) -> None:
        """Publish where the robot is and, where anybody wants to know, what it sees."""
        if not self._watched():
            self._tell_where()
            return
        begin = time.monotonic()
        scene, seen = self._use(lambda backend: (backend.scene, backend.observe()))
        self._render_ms = 1e3 * (time.monotonic() - begin)
        self._publish(scene, seen)

    def _tell_where(self) -> None:
        self._publish_location(self._use(lambda backend: backend.locate()), self._now())

    def _publish_location(self, located: Located, stamp: Time) -> None:
        self._camera_pose.publish(pose_to(located.camera_pose, stamp))
        self._odometry.publish(odometry_to(located.robot, stamp))
        if TFMessage is not None:
            self._tf.publish(TFMessage(transforms=moving_transforms(located, stamp)))

    def _publish(self, scene: str, seen: Observation) -> None:
        stamp = self._now()
        info = camera_info_to(seen.intrinsics, stamp)
        # What explains the images goes first, so that a reader that waits for the images has it.
        self._color_info.publish(info)
        self._depth_info.publish(info)
        self._publish_location(seen, stamp)
        if seen.instances is not None:
            self._labels.publish(labels_to(seen, scene, self._resets, stamp))
            self._instances.publish(image_to(seen.instances, "16UC1", stamp))
        self._color.publish(image_to(seen.rgb, "rgb8", stamp))
        self._depth.publish(image_to(seen.depth, "32FC1", stamp))
        self._frames += 1
        self._last_frame = time.monotonic()

    def _tick(self) -> None:
        """Show an idle robot's view."""
        if not self._active or not self._skill.acquire(blocking=False):
            return
        try:
            self._look()
        except Exception:  # noqa: BLE001 - an exception from a timer would end the node
            self.get_logger().error(
                f"looking around failed:\n{traceback.format_exc()}", throttle_duration_sec=_COMPLAINT_PERIOD
            )
        finally:
            self._skill.release()

    def _let_people_move(self) -> None:
        """At the end of a pause, let people have moved things in it: drawn once, however long it was."""
        if time.monotonic() - self._idle_since < self._value("people_move_after"):
            return
        often = self._value("people_move")
        for _ in range(int(often) + (self._people.random() < often % 1)):
            moved = self._use(partial(_move_any, choice=self._people.random()))
            if moved:
                self.get_logger().info(f"a person moved {moved[0]} to {moved[1]}")

    # Services

    def _answering(self, name: str, serve: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return a service callback that answers an exception, which would end the node otherwise."""

        def answer(request: Any, response: Any) -> Any:
            try:
                return serve(request, response)
            except RefusedError as error:
                response.result = result_to(error.code, error.message)
            except BackendUnavailableError as error:
                self.get_logger().error(f"{name}: {error}")
                response.result = result_to(Code.UNAVAILABLE, str(error))
            except Exception as error:  # noqa: BLE001 - a defect of a backend must not take the node down
                self.get_logger().error(f"{name} failed:\n{traceback.format_exc()}")
                reason = f"{type(error).__name__}: {error}: see the log of {self.get_name()}"
                response.result = result_to(Code.INTERNAL_ERROR, f"{name} failed with {reason}")
            return response

        return answer

    def _list_skills(self, _: ListSkills.Request, response: ListSkills.Response) -> ListSkills.Response:
        response.skills = [skill_spec_to(spec) for spec in SKILLS.values()]
        response.result = result_to(Code.SUCCESS)
        return response

    def _reset(self, request: ResetScene.Request, response: ResetScene.Response) -> ResetScene.Response:
        if not self._take_robot():
            response.result = result_to(Code.PRECONDITION_FAILURE, f"busy with {self._running}: cancel it or try again")
            return response
        seed = request.seed if request.seed >= 0 else self._options.seed
        try:
            self._scene = self._use(lambda backend: backend.reset(request.scene, seed))
            self._people.seed(seed)
            self._resets += 1
        except KeyError as error:
            response.result = result_to(Code.NOT_FOUND, _text(error))
            return response
        finally:
            self._skill.release()
        self._idle_since = time.monotonic()
        if self._active:
            self._look()
        response.scene, response.result = self._scene, result_to(Code.SUCCESS)
        return response

    def _move_object(self, request: MoveObject.Request, response: MoveObject.Response) -> MoveObject.Response:
        def move(backend: Backend) -> tuple[str, str]:
            if not isinstance(backend, Simulator):
                raise RefusedError(Code.UNAVAILABLE, "people move things in simulators only")
            return backend.move_object(request.object, request.receptacle)

        if not request.object:
            response.result = result_to(Code.INVALID_ARGUMENT, "object is empty: give an id or a category")
            return response
        response.object, response.receptacle = self._use(move)
        response.result = result_to(Code.SUCCESS)
        return response

    def _ground_truth(self, request: GetSceneGraph.Request, response: GetSceneGraph.Response) -> GetSceneGraph.Response:
        if request.scene and request.scene != self._scene:
            response.result = result_to(Code.NOT_FOUND, f"{request.scene!r} is not loaded, {self._scene} is")
        elif request.at.sec or request.at.nanosec:
            response.result = result_to(Code.INVALID_ARGUMENT, "the simulator knows only now: leave `at` zero")
        else:
            objects = self._use(lambda backend: backend.ground_truth())
            response.graph = graph_to(objects, self._scene, self._now())
            response.result = result_to(Code.SUCCESS)
        return response

    # Health

    def _diagnose(self) -> None:
        now = time.monotonic()
        shown = self._frames > 0 and now - self._last_frame < 10.0
        status = DiagnosticStatus(
            level=DiagnosticStatus.OK,
            name=f"{self.get_fully_qualified_name().lstrip('/')}: backend",
            message=f"running {self._running}" if self._running else "idle",
            hardware_id=self._options.backend,
            values=[
                KeyValue(key="scene", value=self._scene),
                KeyValue(key="frames published", value=str(self._frames)),
                KeyValue(key="camera read", value=str(self._watched()).lower()),
                KeyValue(key="last frame rendered in ms", value=f"{self._render_ms:.1f}" if shown else "none lately"),
            ],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self._now()
        self._diagnostics.publish(array)

    def _use(self, use: Callable[[Backend], Any]) -> Any:
        worker = self._worker
        if worker is None:
            raise RuntimeError("the bridge is not configured")
        return worker.call(use)

    def _value(self, parameter: str) -> Any:
        return self.get_parameter(parameter).value

    def _now(self) -> Time:
        return self.get_clock().now().to_msg()


def _move_any(backend: Backend, choice: float) -> tuple[str, str] | None:
    """Move the movable thing that a number in 0..1 chooses to where it fits; None when that is nowhere else."""
    if not isinstance(backend, Simulator):
        return None
    movable = [o.id for o in backend.ground_truth() if o.movable and o.relation != "held"]
    if not movable:
        return None
    try:
        return backend.move_object(movable[int(choice * len(movable))])
    except RefusedError:
        return None


def _text(error: Exception) -> str:
    """Return the message of an error; a KeyError's str would quote it."""
    return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)


def main() -> int:
    """Run the node until SIGINT or SIGTERM.

    rclpy's own signal handlers would invalidate the context under a running skill; here the skill is stopped first, and
    its client gets a result. A second signal ends the process at once. The exit status is 0 after a signal, 1 when an
    exception ended the node, 2 for parameters that it does not take.
    """
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    ended = threading.Event()

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        node = SimBridge()
    except (InvalidParameterValueException, InvalidParameterTypeException) as error:
        rclpy.try_shutdown()
        print(f"sim_bridge: {error}", file=sys.stderr)
        return 2
    executor = MultiThreadedExecutor(num_threads=4)  # a skill, its cancellation, a service and a timer at once
    executor.add_node(node)

    failures: list[Exception] = []
    closed = threading.Event()

    def spin() -> None:
        try:
            # Not spin(): rclpy's shutdown() can miss a thread that is about to wait, which then waits for ever.
            while not closed.is_set():
                executor.spin_once(timeout_sec=_LONGEST_SPIN)
        except Exception as error:  # noqa: BLE001 - whatever it is, the node is closed and the exit status tells
            traceback.print_exc()
            failures.append(error)
        finally:
            ended.set()

    spinning = threading.Thread(target=spin, name="executor")
    spinning.start()
    ended.wait()
    node.close()
    closed.set()
    spinning.join()
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
