# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `perception`: camera topics in, `scene_graph` and its markers out."""

from __future__ import annotations

import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from karma_interfaces.msg import InstanceLabels, Result
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.srv import GetSceneGraph
from karma_perception import conversions
from karma_perception.camera import FrameError
from karma_perception.floor_plan_publisher import FloorPlanPublisher
from karma_perception.frontier_service import FrontierService
from karma_perception.map_keeper import MapKeeper, at_once
from karma_perception.map_services import MapServices
from karma_perception.markers import MarkerBook
from karma_perception.parameters import PARAMETERS, ParameterError, Value, parameter_values, pipeline_options
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.pose_inputs import PoseInputs
from karma_perception.scene_graph import SceneGraph, Tolerance
from karma_perception.sensor_messages import stamp_nanoseconds
from karma_perception.silence import SilenceWatch
from karma_perception.sources import SourceError, make_detector, make_states
from karma_perception.stream import GraphStream, Update
from karma_perception.synchronizer import StampSynchronizer
from karma_perception.worker import PerceptionWorker

INPUTS: dict[str, tuple[str, Any]] = {
    "color": ("camera/color/image_raw", Image),
    "depth": ("camera/depth/image_raw", Image),
    "instances": ("camera/instances", Image),
    "labels": ("camera/instance_labels", InstanceLabels),
    "info": ("camera/depth/camera_info", CameraInfo),
    "pose": ("camera/pose", PoseStamped),
}
"""Stream → topic and type; messages of one stamp make a frame."""

FROM_SOURCE = frozenset({"instances", "labels"})
"""Streams that a network detector does without."""

# An exploring simulator sends frames in bursts, faster than they are processed. The callbacks only put messages
# together, so that 50 frames (half a second and more) are enough for what the executor is behind; longer bursts wait in
# the worker's backlog, which drops on purpose. Old images are of no use to a late subscriber: volatile.
SENSOR_DEPTH = 50
SENSOR_BYTES = 512 * 2**20

# Deltas must all arrive, in order: reliable. The history lets a slow subscriber catch up (16 s at 4 Hz), and gives one
# that comes late the last deltas; it asks scene_graph/get_full when they don't begin with the first.
GRAPH_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=64,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# Only changes are sent, so none may be lost; who comes late gets everything again, not the history.
MARKER_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=64,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

LONGEST_WAIT = 0.2
"""Seconds after which a signal is noticed."""
WARN_PERIOD = 5.0
"""Seconds between warnings of the same kind."""


class PerceptionNode(LifecycleNode):
    """Builds the scene graph while active; keeps it while inactive; forgets it on cleanup."""

    def __init__(self) -> None:
        super().__init__("perception")
        for parameter in PARAMETERS:
            self.declare_parameter(parameter.name, parameter.default, conversions.from_parameter(parameter))
        self.defect: Any = Future()
        """Done when the worker has died of a defect: the process must end, so that it is restarted."""
        self._lock = threading.Lock()
        self._book = MarkerBook()
        self._pipeline: PerceptionPipeline | None = None
        self._stream = GraphStream()
        self._worker: PerceptionWorker | None = None
        self._maps: MapServices | None = None
        self._topics = INPUTS
        self._poses: PoseInputs | None = None
        self._scene = ""
        self._detector = ""
        self._synchronizer = self._synchronize()
        self._silence = self._listen()
        self._inputs: list[Any] = []
        self._periodic: list[Any] = []
        self._viewers = 0
        self._received = 0
        self._garbage = 0
        self._last_garbage = ""
        self._reported = (0, 0)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the parameters; create publishers and the service."""
        try:
            values = parameter_values({p.name: self.get_parameter(p.name).value for p in PARAMETERS})
            detector, self._detector = make_detector(values)
            states = make_states(values)
            poses = self._pose_inputs(values)
        except (ParameterError, SourceError) as error:
            self.get_logger().error(str(error))
            return TransitionCallbackReturn.FAILURE
        self.get_logger().info(f"instances come from {self._detector}")
        self._map_frame, self._scene = str(values["map_frame"]), str(values["scene"])
        options = pipeline_options(values)
        pipeline = PerceptionPipeline(options, detector, states)
        alone = values["detector"] != "instances"
        told = set() if values["pose_source"] == "topic" else {"pose"}
        unused = told | (FROM_SOURCE if alone else set())
        self._topics = {s: t for s, t in INPUTS.items() if s not in unused}
        self._synchronizer = self._synchronize()
        self._stream = GraphStream(Tolerance(age=float(values["last_seen_period"])))
        maps = MapServices(self, MapKeeper(pipeline, self._stream, options), str(values["map_file"]))
        if not maps.begin():
            states.close()
            return TransitionCallbackReturn.FAILURE
        self._pipeline, self._maps = pipeline, maps
        self._poses = poses
        self._graph_publisher = self.create_publisher(SceneGraphMsg, "scene_graph", GRAPH_QOS)
        self._marker_publisher = self.create_publisher(MarkerArray, "scene_graph/markers", MARKER_QOS)
        self._diagnostics = self.create_publisher(DiagnosticArray, "diagnostics", 10)
        self._service = self.create_service(GetSceneGraph, "scene_graph/get_full", self._get_full)
        self._frontiers = FrontierService(self, self._pipeline, lambda: self._worker, self._map_frame)
        self._floor_plan = FloorPlanPublisher(self, self._pipeline, lambda: self._worker, self._map_frame)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start the worker, then listen to the camera."""
        result = super().on_activate(state)
        assert self._pipeline is not None
        assert self._maps is not None
        self._reported = (0, self._garbage)
        self._worker = PerceptionWorker(
            self._pipeline,
            self._stream,
            backlog=int(self.get_parameter("backlog").value),
            rate=float(self.get_parameter("publish_rate").value),
            on_update=self._publish,
            on_rejected=self._refuse,
            on_defect=self._fail,
        )
        self._worker.start()
        self._maps.hand_over(self._worker.call)
        self._silence = self._listen()
        reliable = self.get_parameter("sensor_reliability").value == "reliable"
        qos = QoSProfile(
            history=HistoryPolicy.KEEP_LAST,
            depth=SENSOR_DEPTH,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.VOLATILE,
        )
        self._inputs = [
            self.create_subscription(kind, topic, self._collector(stream), qos)
            for stream, (topic, kind) in self._topics.items()
        ]
        if self._poses is not None:
            self._poses.listen(lambda topic: self._silence.hear(topic, time.monotonic()))
        self._periodic = [
            self.create_timer(1.0, self._report),
            self.create_timer(float(self.get_parameter("map_save_period").value), self._keep_map),
        ]
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop listening; what was processed is still published."""
        self._stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the graph and release publishers and service."""
        self._release()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop and release everything."""
        self._stop()
        self._release()
        return super().on_shutdown(state)

    def close(self) -> None:
        """End the worker before the process does."""
        self._stop()

    def _stop(self) -> None:
        for subscription in self._inputs:
            self.destroy_subscription(subscription)
        self._inputs = []
        if self._poses is not None:
            self._poses.stop()
        for timer in self._periodic:
            self.destroy_timer(timer)
        self._periodic = []
        self._synchronizer.clear()
        if self._worker is not None and self._maps is not None:
            self._worker.stop()
            self._maps.hand_over(at_once)
            self._keep_map()
            self._worker = None

    def _keep_map(self) -> None:
        if self._worker is not None and self._maps is not None:
            self._maps.keep(self._worker.statistics().processed)

    def _release(self) -> None:
        if self._pipeline is None or self._maps is None:
            return
        self._maps.close()
        self.destroy_service(self._service)
        self._frontiers.destroy()
        self._floor_plan.destroy()
        for publisher in (self._graph_publisher, self._marker_publisher, self._diagnostics):
            self.destroy_publisher(publisher)
        self._pipeline.states.close()
        self._pipeline = self._maps = None
        self._stream = GraphStream()
        self._book.clear()
        self._viewers = 0

    def _pose_inputs(self, values: Mapping[str, Value]) -> PoseInputs | None:
        if values["pose_source"] == "topic":
            return None
        return PoseInputs(self, values, capacity=SENSOR_DEPTH, on_located=self._submit, on_refused=self._refuse)

    def _synchronize(self) -> StampSynchronizer[Any]:
        return StampSynchronizer(
            self._topics, capacity=SENSOR_DEPTH, max_bytes=SENSOR_BYTES, size=conversions.data_size
        )

    def _listen(self) -> SilenceWatch:
        topics = [topic for topic, _ in self._topics.values()]
        return SilenceWatch([*topics, *([self._poses.topic] if self._poses else [])], time.monotonic())

    def _collector(self, stream: str) -> Callable[[Any], None]:
        topic = INPUTS[stream][0]

        def collect(message: Any) -> None:
            now = time.monotonic()
            self._silence.hear(topic, now)
            stamp = stamp_nanoseconds(message.header.stamp)
            group = self._synchronizer.add(stream, stamp, message)
            if group is None or self._worker is None:
                return
            self._received += 1
            self._silence.complete(now)
            if self._poses is None:
                self._submit(group)
            else:
                self._poses.locate(group, stamp)

        return collect

    def _submit(self, group: dict[str, Any]) -> None:
        if self._worker is None:
            return
        try:
            frame = conversions.to_frame(**group, map_frame=self._map_frame, scene=self._scene)
        except FrameError as error:
            self._refuse(error)
        else:
            self._worker.submit(frame)

    def _refuse(self, error: ValueError) -> None:
        """Count a frame that cannot be used, and say why, not too often."""
        with self._lock:
            self._garbage += 1
            self._last_garbage = str(error)
        self.get_logger().warning(f"a frame was left out: {error}", throttle_duration_sec=WARN_PERIOD)

    def _fail(self, error: Exception) -> None:
        """Say what killed the worker, and have the process end."""
        trace = "".join(traceback.format_exception(error))
        self.get_logger().fatal(f"a defect ended the perception, and this process with it; please report it:\n{trace}")
        self.defect.set_result(None)

    def _publish(self, update: Update, graph: SceneGraph) -> None:
        """Publish an update and the markers that changed with it; called by the worker."""
        try:
            self._graph_publisher.publish(conversions.from_update(update, self._map_frame))
            header = Header(frame_id=self._map_frame, stamp=conversions.to_time(update.delta.stamp))
            with self._lock:
                if update.full:
                    self._book.clear()
                changed, gone = self._book.update(graph)
                if changed or gone or update.full:
                    self._marker_publisher.publish(conversions.from_markers(changed, gone, header, clear=update.full))
        except RuntimeError:
            # rclpy's signal handler invalidates the context under a worker that is still at it: the process is ending,
            # and nobody can be told any more. Any other error is one.
            if self.context.ok():
                raise

    def _get_full(self, request: GetSceneGraph.Request, response: GetSceneGraph.Response) -> GetSceneGraph.Response:
        full = self._stream.full() if self._worker is None else self._worker.told()
        if request.at.sec or request.at.nanosec:
            response.result.code = Result.INVALID_ARGUMENT
            response.result.message = "only now is known here: leave `at` zero, or ask memory/get_scene_graph"
        elif not full.sequence:
            response.result.code = Result.UNAVAILABLE
            response.result.message = "nothing has been perceived yet; are the camera topics published?"
        elif request.scene and request.scene != full.scene:
            response.result.code = Result.NOT_FOUND
            response.result.message = f"only the current scene {full.scene!r} is known here; ask memory/get_scene_graph"
        else:
            response.result.code = Result.SUCCESS
            response.graph = conversions.from_update(full, self._map_frame)
        return response

    def _report(self) -> None:
        """Publish diagnostics, and all markers when someone new looks at them."""
        viewers = self._marker_publisher.get_subscription_count()
        if viewers > self._viewers:
            header = Header(frame_id=self._map_frame, stamp=self.get_clock().now().to_msg())
            with self._lock:
                self._marker_publisher.publish(conversions.from_markers(self._book.shown, (), header))
        self._viewers = viewers
        if self._worker is None or self._pipeline is None:
            return
        s = self._worker.statistics()
        states = self._pipeline.states.report()
        complaint = self._silence.complaint(time.monotonic())
        with self._lock:
            garbage, last = self._garbage, self._last_garbage
        level, message = DiagnosticStatus.OK, "waiting for the first frame"
        if s.processed:
            message = f"{s.milliseconds:.1f} ms per frame"
        if complaint:
            level, message = DiagnosticStatus.WARN, complaint
        elif s.dropped > self._reported[0]:
            level, message = DiagnosticStatus.WARN, f"too slow: {s.dropped} of {self._received} frames were dropped"
        elif garbage > self._reported[1]:
            level, message = DiagnosticStatus.WARN, f"{garbage} frames were left out, the last because {last}"
        elif states.problem:
            level, message = DiagnosticStatus.WARN, f"states stay as they were: {states.problem}"
        self._reported = (s.dropped, garbage)
        told = self._worker.told()
        values = {
            "frames_received": self._received,
            "frames_processed": s.processed,
            "frames_dropped": s.dropped,
            "frames_refused": garbage,
            "frames_incomplete": self._synchronizer.given_up,
            "frames_waiting": s.waiting,
            "milliseconds_per_frame": round(s.milliseconds, 2),
            "detector": self._detector,
            "detector_milliseconds": round(self._pipeline.detector_milliseconds, 2),
            "states_asked": states.asked,
            "states_answered": states.answered,
            "states_failed": states.failed,
            "states_waiting": states.waiting,
            "scene": told.scene,
            "sequence": told.sequence,
            "nodes": len(told.delta.nodes),
            "edges": len(told.delta.edges),
        }
        status = DiagnosticStatus(
            level=level,
            name=f"{self.get_fully_qualified_name()}: perception",
            message=message,
            hardware_id="camera",
            values=[KeyValue(key=k, value=str(v)) for k, v in values.items()],
        )
        header = Header(stamp=self.get_clock().now().to_msg())
        self._diagnostics.publish(DiagnosticArray(header=header, status=[status]))


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM, or a defect ends it; return the exit status.

    rclpy's own signal handlers would invalidate the context under a worker that is still at it.
    """
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        node = PerceptionNode()
    except (InvalidParameterTypeException, InvalidParameterValueException) as error:
        rclpy.try_shutdown()
        print(f"perception: {error}", file=sys.stderr)
        return 2
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while not (ended.is_set() or node.defect.done()):
            executor.spin_once(timeout_sec=LONGEST_WAIT)
        node.get_logger().info("stopping")
    finally:
        node.close()
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
    return 1 if node.defect.done() else 0


if __name__ == "__main__":
    sys.exit(main())
