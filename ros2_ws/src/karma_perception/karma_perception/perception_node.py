# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `perception`: camera topics in, `scene_graph` and its markers out."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from karma_interfaces.msg import InstanceLabels, MemoryEvent, Result
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.srv import GetSceneGraph
from karma_perception import conversions
from karma_perception.frames.camera import FrameError
from karma_perception.frames.sensor_messages import stamp_nanoseconds
from karma_perception.frames.silence import SilenceWatch
from karma_perception.frames.synchronizer import StampSynchronizer
from karma_perception.markers import MarkerBook
from karma_perception.parameters import PARAMETERS, pipeline_options, view_options
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.ros.floor_plan_publisher import FloorPlanPublisher
from karma_perception.ros.frontier_service import FrontierService
from karma_perception.ros.map_services import MapServices
from karma_perception.ros.pose_inputs import PoseInputs
from karma_perception.saved_map.file import MapFileError
from karma_perception.saved_map.keeper import MapKeeper, at_once
from karma_perception.scene_graph import SceneGraph, Tolerance
from karma_perception.sources import SourceError, make_detector, make_states
from karma_perception.stream import GraphStream, Update
from karma_perception.views.chooser import ViewChooser
from karma_perception.worker import PerceptionWorker
from karma_ros.diagnostics import OK, WARN, Diagnosis
from karma_ros.lifecycle import ConfigurationError, ManagedNode
from karma_ros.parameters import ParameterError, Value
from karma_ros.process import run
from karma_ros.timers import steady_timer

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
GRAPH_QOS = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)

# Only changes are sent, so none may be lost; who comes late gets everything again, not the history.
MARKER_QOS = QoSProfile(depth=64, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

# As many as the memory may be behind; pictures that nobody remembers are not made.
VIEW_QOS = QoSProfile(depth=256, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

VIEWERS_PERIOD = 1.0
"""Seconds between two looks at whether someone new looks at the markers."""
WARN_PERIOD = 5.0
"""Seconds between warnings of the same kind."""


class PerceptionNode(ManagedNode):
    """Builds the scene graph while active; keeps it while inactive; forgets it on cleanup."""

    def __init__(self) -> None:
        super().__init__("perception", PARAMETERS)
        self._lock = threading.Lock()
        self._book = MarkerBook()
        self._pipeline: PerceptionPipeline | None = None
        self._stream = GraphStream()
        self._worker: PerceptionWorker | None = None
        self._maps: MapServices | None = None
        self._topics = INPUTS
        self._poses: PoseInputs | None = None
        self._floor_plan: FloorPlanPublisher | None = None
        self._scene = ""
        self._detector = ""
        self._synchronizer = self._synchronize()
        self._silence = self._listen()
        self._viewers = 0
        self._received = 0
        self._garbage = 0
        self._last_garbage = ""
        self._reported = (0, 0)
        self._pictures = 0

    def configure(self) -> None:
        """Create what the parameters ask for, publishers and the service."""
        values = self.values()
        try:
            detector, self._detector = make_detector(values)
            states = make_states(values)
            self.until_cleanup.callback(states.close)
            poses = self._pose_inputs(values)
        except (ParameterError, SourceError) as error:
            raise ConfigurationError(str(error)) from error
        self.get_logger().info(f"instances come from {self._detector}")
        self._map_frame, self._scene = str(values["map_frame"]), str(values["scene"])
        options = pipeline_options(values)
        pictured = view_options(values)
        views = ViewChooser(pictured) if pictured is not None else None
        pipeline = PerceptionPipeline(options, detector, states, views)
        alone = values["detector"] != "instances"
        told = set() if values["pose_source"] == "topic" else {"pose"}
        unused = told | (FROM_SOURCE if alone else set())
        self._topics = {s: t for s, t in INPUTS.items() if s not in unused}
        self._synchronizer = self._synchronize()
        self._stream = GraphStream(Tolerance(age=float(values["last_seen_period"])))
        maps = MapServices(self, MapKeeper(pipeline, self._stream, options), str(values["map_file"]))
        try:
            maps.begin()
        except MapFileError as error:
            raise ConfigurationError(str(error)) from error
        self.until_cleanup.callback(maps.close)
        self._pipeline, self._maps = pipeline, maps
        self._poses = poses
        self._graph_publisher = self.create_publisher(SceneGraphMsg, "scene_graph", GRAPH_QOS)
        self._marker_publisher = self.create_publisher(MarkerArray, "scene_graph/markers", MARKER_QOS)
        self._view_publisher = self.create_publisher(MemoryEvent, "memory/events", VIEW_QOS)
        for publisher in (self._graph_publisher, self._marker_publisher, self._view_publisher):
            self.until_cleanup.callback(self.destroy_publisher, publisher)
        service = self.create_service(GetSceneGraph, "scene_graph/get_full", self._get_full)
        self.until_cleanup.callback(self.destroy_service, service)
        frontiers = FrontierService(self, pipeline, lambda: self._worker, self._map_frame)
        self.until_cleanup.callback(frontiers.destroy)
        self._floor_plan = FloorPlanPublisher(self, pipeline, lambda: self._worker, self._map_frame)
        self.until_cleanup.callback(self._floor_plan.destroy)

    def activate(self) -> None:
        """Start the worker, then listen to the camera."""
        assert self._pipeline is not None
        assert self._maps is not None
        self._reported = (0, self._garbage)
        self._worker = PerceptionWorker(
            self._pipeline,
            self._stream,
            backlog=self.value("backlog"),
            rate=self.value("publish_rate"),
            on_update=self._publish,
            on_rejected=self._refuse,
            on_defect=self._fail,
        )
        self._worker.start()
        self._maps.hand_over(self._worker.call)
        self._silence = self._listen()
        reliable = self.value("sensor_reliability") == "reliable"
        qos = QoSProfile(
            depth=SENSOR_DEPTH,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.VOLATILE,
        )
        for stream, (topic, kind) in self._topics.items():
            subscription = self.create_subscription(kind, topic, self._collector(stream), qos)
            self.until_deactivated.callback(self.destroy_subscription, subscription)
        if self._poses is not None:
            self._poses.listen(lambda topic: self._silence.hear(topic, time.monotonic()))
            self.until_deactivated.callback(self._poses.stop)
        for period, work in (
            (VIEWERS_PERIOD, self._look_for_viewers),
            (self.value("map_save_period"), self._keep_map),
        ):
            self.until_deactivated.callback(self.destroy_timer, steady_timer(self, period, work))

    def deactivate(self) -> None:
        """Stop; what was processed is still published."""
        self._synchronizer.clear()
        if self._worker is not None and self._maps is not None:
            self._worker.stop()
            self._maps.hand_over(at_once)
            self._keep_map()
            self._worker = None

    def cleanup(self) -> None:
        """Forget the graph."""
        self._pipeline = self._maps = self._poses = self._floor_plan = None
        self._stream = GraphStream()
        self._book.clear()
        self._viewers = 0

    def _keep_map(self) -> None:
        if self._worker is not None and self._maps is not None:
            self._maps.keep(self._worker.statistics().processed)

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
        self.defect = True

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
            self._publish_views(graph)
        except RuntimeError:
            # rclpy's signal handler invalidates the context under a worker that is still at it: the process is ending,
            # and nobody can be told any more. Any other error is one.
            if self.context.ok():
                raise

    def _publish_views(self, graph: SceneGraph) -> None:
        """Send the pictures of what was just told, where somebody remembers them."""
        if self._pipeline is None or not self._view_publisher.get_subscription_count():
            return
        for view in self._pipeline.take_views(graph):
            self._view_publisher.publish(conversions.from_view(view, graph.scene, self.get_namespace().strip("/")))
            self._pictures += 1

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

    def _look_for_viewers(self) -> None:
        """Publish the floor when it has changed, and all markers when someone new looks at them."""
        if self._floor_plan is not None:
            self._floor_plan.look()
        viewers = self._marker_publisher.get_subscription_count()
        if viewers > self._viewers:
            header = Header(frame_id=self._map_frame, stamp=self.get_clock().now().to_msg())
            with self._lock:
                self._marker_publisher.publish(conversions.from_markers(self._book.shown, (), header))
        self._viewers = viewers

    def diagnose(self) -> Diagnosis | None:
        """Say how many frames came, and what became of them."""
        if self._worker is None or self._pipeline is None:
            return None
        s = self._worker.statistics()
        states = self._pipeline.states.report()
        complaint = self._silence.complaint(time.monotonic())
        with self._lock:
            garbage, last = self._garbage, self._last_garbage
        level, message = OK, "waiting for the first frame"
        if s.processed:
            message = f"{s.milliseconds:.1f} ms per frame"
        if complaint:
            level, message = WARN, complaint
        elif s.dropped > self._reported[0]:
            dropped = f"too slow: {s.dropped} of {self._received} frames were dropped"
            level, message = WARN, f"{dropped}; where that goes on, let the camera send fewer or smaller pictures"
        elif garbage > self._reported[1]:
            level, message = WARN, f"{garbage} frames were left out; look after the camera: {last}"
        elif states.problem:
            level, message = WARN, f"states stay as they were: {states.problem}"
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
            "pictures": self._pictures,
            "scene": told.scene,
            "sequence": told.sequence,
            "nodes": len(told.delta.nodes),
            "edges": len(told.delta.edges),
        }
        return Diagnosis("perception", message, level, values, hardware_id="camera")


def main() -> int:
    """Run the node until SIGINT or SIGTERM, or a defect ends it; return the exit status."""
    return run(PerceptionNode)


if __name__ == "__main__":
    sys.exit(main())
