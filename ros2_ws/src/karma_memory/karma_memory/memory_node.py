# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `memory_server`: the services memory/*, fed by `scene_graph` and `memory/events`."""

from __future__ import annotations

import contextlib
import math
import sqlite3
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Header

from karma_interfaces.msg import MemoryEvent
from karma_interfaces.msg import SceneGraph as SceneGraphMsg
from karma_interfaces.srv import (
    EditMemory,
    Forget,
    GetMemoryStats,
    GetSceneGraph,
    Recall,
    Remember,
    SnapshotMemory,
)
from karma_memory import conversions
from karma_memory.events import Code, Event
from karma_memory.journal import CorruptJournalError, DuplicateEventError, JournalError
from karma_memory.memory import PAST_CALLERS, BusyError, Memory, UnknownRecordError
from karma_memory.parameters import PARAMETERS, Parameter
from karma_memory.projection import EditError
from karma_memory.recall.embedder import EmbedderError
from karma_memory.scene import InvalidEventError
from karma_memory.scene_graph.follower import GapError, GraphUpdate, SceneFollower
from karma_memory.short_term.policy import PolicySettings

# Deltas must all arrive, in order: reliable. Transient local as the publisher is, so that the deltas before the memory
# was there come too; the depth is what a busy memory may be behind.
GRAPH_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=64,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# Events without acknowledgement: none may be lost on the way; old ones are not sent again to a memory that starts.
EVENTS_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=256,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

THREADS = 2 + PAST_CALLERS
"""Requests that are served at the same time; two are left when all that may ask about the past do."""
MAX_WAITING = 256
"""Deltas that wait for the full graph."""
FULL_GRAPH_TIMEOUT = 5.0
"""Seconds after which a full graph that did not come is asked for again."""
ASK_PERIOD = 1.0
"""Least seconds between two requests for the full graph."""
WARN_PERIOD = 5.0
"""Seconds between warnings of the same kind."""

Handler = Callable[[Memory, Any, Any], None]


class MemoryNode(LifecycleNode):
    """Serves one memory. Its services answer UNAVAILABLE unless the node is active."""

    def __init__(self) -> None:
        super().__init__("memory_server")
        for parameter in PARAMETERS:
            self.declare_parameter(parameter.name, parameter.default, _descriptor(parameter))
        self._parallel = ReentrantCallbackGroup()
        self._in_order = MutuallyExclusiveCallbackGroup()
        self._events_in_order = MutuallyExclusiveCallbackGroup()
        self._housekeeping = MutuallyExclusiveCallbackGroup()
        self._memory: Memory | None = None
        self._active = False
        self._follower = SceneFollower(60.0)
        self._follow_lock = threading.RLock()
        self._waiting: deque[GraphUpdate] = deque(maxlen=MAX_WAITING)
        self._gap = ""
        """Why the full graph is needed, "" when it isn't."""
        self._asked: Any = None
        """Future of the full graph that was asked for last, None once it came."""
        self._asked_at = -math.inf
        self._entities: list[tuple[Callable[[Any], Any], Any]] = []
        self._refused = 0
        self._trouble = ""
        self._snapshot_events = 0
        self.add_on_set_parameters_callback(self._check_parameters)
        self.add_post_set_parameters_callback(self._apply_parameters)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the memory and offer the services."""
        database = str(self._value("database"))
        if not database or database == ":memory:":
            self.get_logger().error(
                f"parameter database is {database!r}, which would lose everything with the process: name a file"
            )
            return TransitionCallbackReturn.FAILURE
        try:
            settings = self._settings()
            self._memory = Memory(
                database,
                capacity=settings.capacity,
                policy=settings.policy,
                window=settings.window,
                embedder=str(self._value("embedder")),
                verify=bool(self._value("verify")),
            )
        except (JournalError, EmbedderError, ValueError, OSError, sqlite3.Error) as error:
            self.get_logger().error(f"cannot open the memory: {error}")
            return TransitionCallbackReturn.FAILURE
        stats = self._memory.stats()
        self._snapshot_events = stats.events
        self.get_logger().info(
            f"{stats.events} events, {stats.records} records in {self._memory.path}; embedder {stats.embedder}"
            + (f" ({stats.remark})" if stats.remark else "")
        )
        self._follower = SceneFollower(float(self._value("refresh_period")))
        self._waiting.clear()
        self._gap, self._asked = "", None
        self._diagnostics = self.create_publisher(DiagnosticArray, "diagnostics", 10)
        self._keep(self.destroy_publisher, self._diagnostics)
        self._serve(Remember, "memory/remember", self._remember)
        self._serve(Recall, "memory/recall", self._recall)
        self._serve(Forget, "memory/forget", self._forget)
        self._serve(EditMemory, "memory/edit", self._edit)
        self._serve(GetMemoryStats, "memory/stats", self._stats)
        self._serve(SnapshotMemory, "memory/snapshot", self._snapshot)
        self._serve(GetSceneGraph, "memory/get_scene_graph", self._get_scene_graph)
        self._full_graph = self.create_client(GetSceneGraph, "scene_graph/get_full", callback_group=self._parallel)
        self._keep(self.destroy_client, self._full_graph)
        for kind, topic, callback, qos, group in (
            (SceneGraphMsg, "scene_graph", self._on_scene_graph, GRAPH_QOS, self._in_order),
            (MemoryEvent, "memory/events", self._on_event, EVENTS_QOS, self._events_in_order),
        ):
            subscription = self.create_subscription(kind, topic, callback, qos, callback_group=group)
            self._keep(self.destroy_subscription, subscription)
        self._keep(self.destroy_timer, self.create_timer(1.0, self._report, callback_group=self._housekeeping))
        if (period := float(self._value("snapshot_period"))) > 0:
            timer = self.create_timer(period, self._save, callback_group=self._housekeeping)
            self._keep(self.destroy_timer, timer)
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to serve."""
        self._active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop serving; everything stays in the file."""
        self._active = False
        self._save()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the memory."""
        self.close()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the memory."""
        self.close()
        return super().on_shutdown(state)

    def close(self) -> None:
        """Write a snapshot, close the file and take the services away. May be called again."""
        with self._follow_lock:  # nobody asks for the full graph with a client that is gone
            self._active = False
        for destroy, entity in self._entities:
            destroy(entity)
        self._entities.clear()
        if self._memory is not None:
            self._save()
            self._memory.close()
            self._memory = None

    def _keep(self, destroy: Callable[[Any], Any], entity: Any) -> None:
        self._entities.append((destroy, entity))

    def _serve(self, kind: Any, name: str, handler: Handler) -> None:
        """Offer a service whose errors become results."""

        def answer(request: Any, response: Any) -> Any:
            memory = self._memory
            if memory is None or not self._active:
                response.result = conversions.result(
                    Code.UNAVAILABLE, f"{self.get_fully_qualified_name()} is not active; activate it and try again"
                )
                return response
            response.result = conversions.result()
            try:
                handler(memory, request, response)
            except (InvalidEventError, EditError, DuplicateEventError) as error:
                response.result = conversions.result(Code.INVALID_ARGUMENT, str(error))
            except UnknownRecordError as error:
                response.result = conversions.result(Code.NOT_FOUND, str(error))
            except BusyError as error:
                response.result = conversions.result(Code.UNAVAILABLE, str(error))
            except CorruptJournalError as error:
                self._complain(str(error))
                response.result = conversions.result(Code.INTERNAL_ERROR, str(error))
            except JournalError as error:
                self._complain(str(error))
                response.result = conversions.result(Code.UNAVAILABLE, str(error))
            except Exception as error:  # noqa: BLE001 - a defect must not leave the client without an answer
                self._complain(f"{name} failed: {type(error).__name__}: {error}")
                response.result = conversions.result(Code.INTERNAL_ERROR, f"{name} failed; see the memory server's log")
            return response

        service = self.create_service(kind, name, answer, callback_group=self._parallel)
        self._keep(self.destroy_service, service)

    def _remember(self, memory: Memory, request: Any, response: Any) -> None:
        receipt = memory.remember([self._to_event(memory, message) for message in request.events])
        response.ids = list(receipt.ids)
        response.sequences = list(receipt.sequences)

    def _recall(self, memory: Memory, request: Any, response: Any) -> None:
        query = conversions.to_query(
            request, limit=int(self._value("limit")), token_budget=int(self._value("token_budget"))
        )
        answer = memory.recall(query)
        response.recollections = conversions.from_recollections(answer.recollections)
        response.prompt = answer.prompt

    def _forget(self, memory: Memory, request: Any, response: Any) -> None:
        response.forgotten = memory.forget(
            list(request.ids),
            kind=request.kind,
            user=request.user,
            object_id=request.object,
            everything=request.all,
            stamp=self._now(),
        )

    def _edit(self, memory: Memory, request: Any, response: Any) -> None:
        response.new_id = memory.edit(request.id, request.text, user=request.user, stamp=self._now())

    def _stats(self, memory: Memory, request: Any, response: Any) -> None:
        response.stats = conversions.from_stats(memory.stats())

    def _snapshot(self, memory: Memory, request: Any, response: Any) -> None:
        sequence, path = memory.snapshot()
        response.sequence, response.path = sequence, str(path)

    def _get_scene_graph(self, memory: Memory, request: Any, response: Any) -> None:
        graph = memory.scene_graph(request.scene, at=conversions.to_seconds(request.at) or None)
        if graph is None:
            known = ", ".join(memory.scenes) or "none yet"
            message = f"no scene {request.scene!r} is known; known scenes: {known}"
            response.result = conversions.result(Code.NOT_FOUND, message)
            return
        response.graph = conversions.from_graph(graph, memory.last_sequence)

    def _to_event(self, memory: Memory, message: MemoryEvent) -> Event:
        return conversions.to_event(
            message, event_id=str(uuid.uuid4()), stamp=self._now(), scene=self._follower.scene or memory.current_scene
        )

    def _on_event(self, message: MemoryEvent) -> None:
        """Remember an event that nobody waits for."""
        memory = self._memory
        if memory is None or not self._active:
            return
        try:
            memory.remember([self._to_event(memory, message)])
        except (InvalidEventError, EditError, UnknownRecordError, DuplicateEventError) as error:
            self._refuse(f"an event on memory/events was refused: {error}")
        except JournalError as error:
            self._complain(f"an event on memory/events is lost: {error}")

    def _on_scene_graph(self, message: SceneGraphMsg) -> None:
        try:
            update = conversions.to_update(message)
        except InvalidEventError as error:
            self._refuse(f"a scene graph was refused: {error}")
            return
        with self._follow_lock:
            if self._asked is not None and not update.full:
                self._waiting.append(update)
            else:
                self._follow(update)
            self._ask_for_full_graph()

    def _follow(self, update: GraphUpdate) -> None:
        """Remember what is new in an update, or note that the full graph is needed."""
        memory = self._memory
        if memory is None or not self._active:
            return
        try:
            memory.observe_graph(update, self._follower, robot=self.get_namespace().strip("/"))
        except InvalidEventError as error:
            self._refuse(f"a scene graph was refused: {error}")
        except GapError as gap:
            self._gap = str(gap)
        except JournalError as error:
            self._complain(f"an observation is not remembered yet: {error}")
            self._gap = f"an update of scene {update.scene!r} could not be remembered"
        else:
            if update.full:
                self._gap = ""

    def _ask_for_full_graph(self) -> None:
        """Ask for the full graph if it is needed, unless it was asked for a moment ago."""
        with self._follow_lock:
            if not self._active:
                return
            since = time.monotonic() - self._asked_at
            if self._asked is not None and since >= FULL_GRAPH_TIMEOUT:
                self._full_graph.remove_pending_request(self._asked)
                self._asked = None
            if not self._gap or self._asked is not None or since < ASK_PERIOD:
                return
            if not self._full_graph.service_is_ready():
                self._warn_of_gap("scene_graph/get_full is not offered; waiting for it")
                return
            self.get_logger().info(f"{self._gap}; asking for the full scene graph", throttle_duration_sec=WARN_PERIOD)
            self._asked_at = time.monotonic()
            self._asked = self._full_graph.call_async(GetSceneGraph.Request())
            self._asked.add_done_callback(self._on_full_graph)

    def _warn_of_gap(self, consequence: str) -> None:
        self.get_logger().warning(f"{self._gap}; {consequence}", throttle_duration_sec=WARN_PERIOD)

    def _on_full_graph(self, future: Any) -> None:
        """Go on from the full graph, with the deltas of its scene that came meanwhile."""
        with self._follow_lock:
            if future is not self._asked:
                return
            self._asked = None
            waiting = list(self._waiting)
            self._waiting.clear()
            response = future.result()
            if response is None or response.result.code != Code.SUCCESS:
                self._warn_of_gap(
                    f"no full graph came ({response.result.message if response else 'no answer'}); asking again"
                )
                return
            try:
                full = conversions.to_update(response.graph)
            except InvalidEventError as error:
                self._refuse(f"the full scene graph was refused: {error}")
                return
            self._follow(full)
            for update in waiting:
                if update.scene == full.scene and update.sequence > full.sequence:
                    self._follow(update)

    def _report(self) -> None:
        """Commit uses of short-term memory, ask again for what is missing, and publish diagnostics."""
        memory = self._memory
        if memory is None or not self._active:
            return
        self._ask_for_full_graph()
        try:
            memory.flush()
            stats = memory.stats()
        except JournalError as error:
            self._complain(str(error))
            return
        level, message = DiagnosticStatus.OK, f"{stats.events} events, {stats.records} records"
        if stats.remark and self._value("embedder") != "lexical":
            level, message = DiagnosticStatus.WARN, stats.remark
        if self._trouble:
            level, message = DiagnosticStatus.ERROR, self._trouble
        self._trouble = ""
        values = {
            **{
                name: getattr(stats, name)
                for name in (
                    "events",
                    "journal_bytes",
                    "records",
                    "policy",
                    "capacity",
                    "occupancy",
                    "hit_rate",
                    "evictions",
                    "embedder",
                    "waiting_for_embedding",
                    "remember_p99",
                    "recall_p99",
                )
            },
            "scene": memory.current_scene,
            "refused": self._refused,
        }
        status = DiagnosticStatus(
            level=level,
            name=f"{self.get_fully_qualified_name()}: memory",
            message=message,
            hardware_id="memory",
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
        self._diagnostics.publish(
            DiagnosticArray(header=Header(stamp=self.get_clock().now().to_msg()), status=[status])
        )

    def _save(self) -> None:
        """Write a snapshot if something happened since the last."""
        memory = self._memory
        if memory is None or memory.last_sequence == self._snapshot_events:
            return
        try:
            self._snapshot_events, path = memory.snapshot()
        except JournalError as error:
            self._complain(str(error))
        else:
            self.get_logger().debug(f"snapshot of {self._snapshot_events} events in {path}")

    def _check_parameters(self, parameters: Sequence[Any]) -> SetParametersResult:
        changed = {parameter.name: parameter.value for parameter in parameters}
        for parameter in PARAMETERS:
            if parameter.name in changed and not parameter.live and self._memory is not None:
                return SetParametersResult(
                    successful=False, reason=f"{parameter.name} takes effect on configure: clean the node up first"
                )
        try:
            self._settings(changed)
        except ValueError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply_parameters(self, parameters: Sequence[Any]) -> None:
        if self._memory is not None and any(p.name in ("capacity", "policy", "window") for p in parameters):
            try:
                self._memory.configure(self._settings())
            except JournalError as error:
                self._complain(f"short-term memory was not changed: {error}")

    def _settings(self, changed: dict[str, Any] | None = None) -> PolicySettings:
        values = {name: self._value(name) for name in ("policy", "capacity", "window")} | (changed or {})
        return PolicySettings(values["policy"], values["capacity"], values["window"])

    def _value(self, name: str) -> Any:
        return self.get_parameter(name).value

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def _refuse(self, message: str) -> None:
        """Count input that can't be used."""
        self._refused += 1
        self.get_logger().warning(message, throttle_duration_sec=WARN_PERIOD)

    def _complain(self, message: str) -> None:
        """Tell the operator of a failure, in the log and in the next diagnostics."""
        self._trouble = message
        self.get_logger().error(message, throttle_duration_sec=WARN_PERIOD)


def _descriptor(parameter: Parameter) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(description=parameter.description)
    if parameter.choices:
        descriptor.additional_constraints = "one of " + ", ".join(parameter.choices)
    if isinstance(parameter.default, bool):
        return descriptor
    if isinstance(parameter.default, int):
        descriptor.integer_range = [IntegerRange(from_value=int(parameter.low), to_value=int(parameter.high), step=1)]
    elif isinstance(parameter.default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=parameter.low, to_value=parameter.high, step=0.0)
        ]
    return descriptor


def main(args: list[str] | None = None) -> None:
    """Run the node until it is told to stop."""
    rclpy.init(args=args)
    node = MemoryNode()
    executor = MultiThreadedExecutor(num_threads=THREADS)
    executor.add_node(node)
    try:
        with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
            executor.spin()
    finally:
        executor.shutdown(timeout_sec=2.0)
        node.close()
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
