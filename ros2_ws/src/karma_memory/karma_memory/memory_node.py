# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `memory_server`: the services memory/*, fed by `scene_graph` and `memory/events`."""

from __future__ import annotations

import math
import shutil
import sqlite3
import sys
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from builtin_interfaces.msg import Time
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.msg import MemoryEvent
from karma_interfaces.srv import (
    Ask,
    EditMemory,
    ExportMemory,
    Forget,
    ForgetUser,
    GetMemoryStats,
    GetSceneGraph,
    GetUserData,
    Recall,
    Remember,
    SetConsent,
    SnapshotMemory,
)
from karma_language.heap import give_back_heap
from karma_language.models import Limits, Model
from karma_memory import conversions
from karma_memory.encoding import dumps
from karma_memory.events import Code, Event
from karma_memory.journal import CorruptJournalError, DuplicateEventError, JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.memory import Memory
from karma_memory.parameters import PARAMETERS, names_in, robot_names
from karma_memory.privacy.consent import Consent
from karma_memory.projection import EditError
from karma_memory.recall.embedder import EmbedderError
from karma_memory.ros.answer_markers import AnswerMarkers
from karma_memory.ros.browsing_services import BrowsingServices
from karma_memory.ros.graph_subscription import GraphSubscription
from karma_memory.ros.personal_services import PersonalServices
from karma_memory.ros.short_term_topic import ShortTermTopic
from karma_memory.scene import InvalidEventError
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from karma_memory.scene_graph.shared_places import SharedPlaces
from karma_memory.short_term.policy import PolicySettings
from karma_memory.state.history import PAST_CALLERS, PastUnknownError
from karma_memory.state.live import UnknownRecordError
from karma_memory.state.reflecting import Think
from karma_memory.users.erasure import Erased, forget_user
from karma_ros.diagnostics import ERROR, OK, WARN, Diagnosis
from karma_ros.lifecycle import ConfigurationError, ManagedNode
from karma_ros.process import run
from karma_ros.timers import steady_timer

if TYPE_CHECKING:
    from karma_memory.event_memory import Remembered
    from karma_memory.hearing.model import ModelHearing

# Events without acknowledgement: none is lost on the way unless 256 wait; old ones are not sent again to a memory that
# starts.
EVENTS_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=256,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

# Calls that wait for a thread of the executor: the middleware would drop those beyond ten without a word.
SERVICES_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1024,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)

OPENING_ERRORS = (JournalError, EmbedderError, ValueError, OSError, sqlite3.Error)
"""Why a memory can't be opened."""
RETENTION_PERIOD = 86_400.0
"""Seconds between two looks at what is kept for longer than its user wants; there is one at the start, too."""
SNAPSHOT_EVENTS = 1000
"""After which a snapshot does not wait for its period: a start applies them one by one, 0.6 ms each."""
COMMIT_PERIOD = 1.0
"""Seconds between two commits of what was used of short-term memory."""
COMPACTION_PERIOD = 3600.0
"""Seconds between two looks at what may be dropped from the journal."""
THREADS = 6 + PAST_CALLERS
"""Requests that are served at the same time: those that remember share commits. Six are left for the others when all
that may ask about the past do."""
LOW_BYTES = 500_000_000
"""Free space below which it is told that the disk will be full."""
WARN_PERIOD = 5.0
"""Seconds between warnings of the same kind."""

SETTINGS = tuple(field.name for field in fields(PolicySettings))
"""Parameters that are those of short-term memory."""

Handler = Callable[[Memory, Any, Any], None]


class MemoryNode(ManagedNode):
    """Serves one memory. Its services answer UNAVAILABLE unless the node is active."""

    def __init__(self) -> None:
        super().__init__("memory_server", PARAMETERS)
        self._parallel = ReentrantCallbackGroup()
        self._events_in_order = MutuallyExclusiveCallbackGroup()
        self._compaction = MutuallyExclusiveCallbackGroup()
        self._memory: Memory | None = None
        self._swapping = threading.RLock()
        """Held while a user is erased, and when the memory is closed: who asks meanwhile waits."""
        self._personal: PersonalServices | None = None
        self._markers: AnswerMarkers | None = None
        self._robots: dict[str, GraphSubscription] = {}
        """By namespace without slashes; the first is this node's own robot."""
        self._refused = 0
        self._model: Model | None = None
        """What thinks about episodes; None: nothing does."""
        self._model_hearing: ModelHearing | None = None
        """What reads with a model what rules don't read; None: nothing does."""
        self._trouble = ""
        self._snapshot_events = self._snapshot_due = 0

    def configure(self) -> None:
        """Open the memory and offer the services."""
        try:
            memory = self._memory = self._open(verify=self.value("verify"))
        except OPENING_ERRORS as error:
            raise ConfigurationError(f"cannot open the memory: {error}") from error
        give_back_heap()
        stats = memory.stats()
        self._snapshot_events = memory.snapshot_sequence
        self._snapshot_due = self._snapshot_events + SNAPSHOT_EVENTS
        self.get_logger().info(
            f"{stats.events} events, {stats.records} records in {memory.location}; embedder {stats.embedder}"
            + (f" ({stats.remark})" if stats.remark else "")
        )
        if (model := self._language_model()) is not None:
            from karma_memory.hearing.model import ModelHearing

            self._model_hearing = ModelHearing(model, self._remember_reading)
            self.until_cleanup.callback(self._stop_hearing)
        self._markers = AnswerMarkers(self)
        self.until_cleanup.callback(self._markers.destroy)
        self._serve(Remember, "memory/remember", self._remember)
        self._serve(Recall, "memory/recall", self._recall)
        self._serve(Ask, "memory/ask", self._ask)
        self._serve(Forget, "memory/forget", self._forget)
        self._serve(EditMemory, "memory/edit", self._edit)
        self._serve(GetMemoryStats, "memory/stats", self._stats)
        self._serve(SnapshotMemory, "memory/snapshot", self._snapshot)
        self._serve(ExportMemory, "memory/export", self._export)
        self._serve(GetSceneGraph, "memory/get_scene_graph", self._get_scene_graph)
        self._serve(GetUserData, "memory/get_user_data", self._get_user_data)
        self._serve(SetConsent, "memory/set_consent", self._set_consent)
        self._serve(ForgetUser, "memory/forget_user", self._forget_user)
        self._personal = PersonalServices(self._serve, self._now)
        BrowsingServices(self._serve, self._now)
        topic = ShortTermTopic(self, lambda: self._settled() if self.active else None, self._now)
        self.until_cleanup.callback(topic.destroy)
        events = self.create_subscription(
            MemoryEvent, "memory/events", self._on_event, EVENTS_QOS, callback_group=self._events_in_order
        )
        self.until_cleanup.callback(self.destroy_subscription, events)
        places = SharedPlaces()
        for robot in dict.fromkeys((self._robot, *robot_names(self.value("robots")))):
            self._robots[robot] = GraphSubscription(
                self,
                # Relative for the own robot, so that the user's remappings hold.
                "scene_graph" if robot == self._robot else f"/{robot}/scene_graph",
                refresh=self.value("refresh_period"),
                places=places,
                observe=partial(self._observe, robot),
                refuse=self._refuse,
                complain=self._complain,
            )
            self.until_cleanup.callback(self._robots[robot].destroy)

    def activate(self) -> None:
        """Begin to serve."""
        self._forget_old()
        for subscription in self._robots.values():
            subscription.active = True
        periodic = [
            (COMMIT_PERIOD, self._commit, self.housekeeping),
            (self.value("snapshot_period"), self._save, self.housekeeping),
            (RETENTION_PERIOD, self._forget_old, self._compaction),
            (COMPACTION_PERIOD if self._forgets else 0.0, self._compact, self._compaction),
        ]
        for period, work, group in periodic:
            if period > 0:
                self.until_deactivated.callback(self.destroy_timer, steady_timer(self, period, work, group))

    def deactivate(self) -> None:
        """Stop serving; everything stays in the file."""
        for subscription in self._robots.values():
            subscription.active = False
        self._save()

    def cleanup(self) -> None:
        """Close the file."""
        self._robots.clear()
        with self._swapping:
            if self._memory is not None:
                self._let_go(self._memory)

    @property
    def _robot(self) -> str:
        """The robot in whose namespace this node is."""
        return str(self.get_namespace()).strip("/")

    def _serve(self, kind: Any, name: str, handler: Handler) -> None:
        """Offer a service whose errors become results."""

        def answer(request: Any, response: Any) -> Any:
            memory = self._settled()
            if memory is None or not self.active:
                response.result = conversions.result(
                    Code.UNAVAILABLE, f"{self.get_fully_qualified_name()} is not active; activate it and try again"
                )
                return response
            response.result = conversions.result()
            try:
                handler(memory, request, response)
            except (InvalidEventError, EditError, DuplicateEventError, PastUnknownError) as error:
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

        service = self.create_service(kind, name, answer, qos_profile=SERVICES_QOS, callback_group=self._parallel)
        self.until_cleanup.callback(self.destroy_service, service)

    def _remember(self, memory: Memory, request: Any, response: Any) -> None:
        receipt = self._keep(memory, request.events)
        response.ids = list(receipt.ids)
        response.sequences = list(receipt.sequences)

    def _keep(self, memory: Memory, messages: Sequence[MemoryEvent]) -> Remembered:
        """Remember events; what people tell in them the language model reads, too, where there is one."""
        events = [self._to_event(memory, message) for message in messages]
        receipt = memory.remember(events)
        if self._model_hearing is not None:
            self._model_hearing.note(events, receipt.sequences)
        return receipt

    def _recall(self, memory: Memory, request: Any, response: Any) -> None:
        query = conversions.to_query(
            request,
            limit=self.value("limit"),
            token_budget=self.value("token_budget"),
            now=self._now(),
        )
        answer = memory.recall(query)
        response.recollections = conversions.from_recollections(answer.recollections)
        response.prompt = answer.prompt
        response.sequence = answer.sequence

    def _ask(self, memory: Memory, request: Any, response: Any) -> None:
        asked = memory.ask(
            request.question,
            user=request.user,
            scene=request.scene,
            now=self._now(),
            at=conversions.to_seconds(request.at) or None,
            question=conversions.to_question(request.reading),
        )
        data = memory.image(asked.picture.sha256) if asked.picture is not None else None
        conversions.fill_answer(response, asked, data)
        if self._markers is not None:
            now = request.at == Time()  # the home of then is not what rviz shows
            here = self._robots[self._robot].scene or memory.current_scene
            self._markers.show(asked.evidence if now else (), here, self.get_clock().now().to_msg())

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

    def _export(self, memory: Memory, request: Any, response: Any) -> None:
        if not Path(request.path).is_absolute():
            raise InvalidEventError(f"the path {request.path!r} is not absolute; name a new file on this machine")
        response.events, response.path = memory.export(request.path), request.path

    def _get_scene_graph(self, memory: Memory, request: Any, response: Any) -> None:
        graph = memory.scene_graph(request.scene, at=conversions.to_seconds(request.at) or None)
        if graph is None:
            known = ", ".join(memory.scenes) or "none yet"
            message = f"no scene {request.scene!r} is known; known scenes: {known}"
            response.result = conversions.result(Code.NOT_FOUND, message)
            return
        response.graph = conversions.from_graph(graph, memory.last_sequence)

    def _get_user_data(self, memory: Memory, request: Any, response: Any) -> None:
        response.location = memory.location
        response.data = dumps(memory.users.data(_named(request.user), pictures=request.pictures))

    def _set_consent(self, memory: Memory, request: Any, response: Any) -> None:
        memory.users.set_consent(_named(request.user), Consent(request.keep, request.retention), self._now())

    def _forget_user(self, memory: Memory, request: Any, response: Any) -> None:
        response.location = memory.location
        erased = self._erase({_named(request.user): math.inf})
        response.events, response.observations = erased.events, erased.observations
        response.pictures, response.mentions = erased.pictures, erased.mentions

    def _forget_old(self) -> None:
        """Erase what is kept for longer than its user wants."""
        memory = self._settled()
        if memory is None:
            return
        now = self._now()
        if users := {user: now - period for user, period in memory.users.retentions().items()}:
            try:
                self._erase(users)
            except OPENING_ERRORS as error:
                self._complain(f"what is older than its user wants may still be there: {error}")

    def _erase(self, users: Mapping[str, float]) -> Erased:
        """Close the memory, erase what happened before a time (seconds) to each of the users, and open it again.

        All that it has made of the journal is made anew then. Return what became of the last user. OPENING_ERRORS.
        """
        with self._swapping:
            memory, erased = self._memory, Erased()
            if memory is None:
                raise JournalError("the memory is closed; activate this node and try again")
            self._let_go(memory)
            try:
                folder = self.value("folder") or None
                for user, before in users.items():
                    erased = forget_user(self.value("database"), user, before=before, folder=folder)
                    self.get_logger().info(f"{erased.events} events of a user erased in {memory.location}")
            finally:
                self._memory = self._open(verify=False)
                self._snapshot_events = self._memory.snapshot_sequence
            return erased

    def _let_go(self, memory: Memory) -> None:
        """Close the memory; nothing here holds it after that."""
        self._memory = None
        memory.close()
        if self._personal is not None:
            self._personal.release()

    def _settled(self) -> Memory | None:
        """Return the memory when no user is being erased; None where it is closed."""
        with self._swapping:
            return self._memory

    def _open(self, *, verify: bool) -> Memory:
        """Open the memory that the parameters name. OPENING_ERRORS."""
        return Memory(
            self.value("database"),
            folder=self.value("folder") or None,
            **vars(self._settings()),
            embedder=self.value("embedder"),
            image_bytes=self.value("image_bytes"),
            verify=verify,
            assume_consent=self.value("assume_consent"),
            household=names_in(self.value("household")),
            clock=self._now,
            think=self._think(),
        )

    def _language_model(self) -> Model | None:
        """Return the language model, None where the rules are all. ValueError for a bad URL."""
        if (model := self.value("llm")) == "offline":
            return None
        timeout = self.value("llm_timeout")
        return Model(model, url=self.value("llm_url"), limits=Limits(timeout, timeout))

    def _think(self) -> Think | None:
        """Return the language model's reflection, None where the rules are all. ValueError for a bad URL."""
        self._model = self._language_model()
        if self._model is None:
            return None
        from karma_memory.guidelines.model_reflection import ModelReflection

        return ModelReflection(self._model)

    def _remember_reading(self, events: Sequence[Event]) -> None:
        """Remember what the model read. JournalError while the memory is closed."""
        memory = self._settled()
        if memory is None:
            raise JournalError("the memory is closed")
        memory.remember(events)

    def _stop_hearing(self) -> None:
        if self._model_hearing is not None:
            self._model_hearing.close()
        self._model_hearing = None

    def _to_event(self, memory: Memory, message: MemoryEvent) -> Event:
        robot = self._robots.get(message.robot.strip("/")) or self._robots[self._robot]
        scene = robot.scene or memory.current_scene
        return conversions.to_event(message, event_id=str(uuid.uuid4()), stamp=self._now(), scene=scene)

    def _on_event(self, message: MemoryEvent) -> None:
        """Remember an event that nobody waits for."""
        memory = self._settled()
        if memory is None or not self.active:
            return
        try:
            self._keep(memory, [message])
        except (InvalidEventError, EditError, UnknownRecordError, DuplicateEventError) as error:
            self._refuse(f"an event on memory/events was refused: {error}")
        except (JournalError, BusyError) as error:
            self._complain(f"an event on memory/events is lost: {error}")

    def _observe(self, robot: str, update: GraphUpdate, follower: SceneFollower) -> None:
        """Remember what is new in an update of a robot's scene graph."""
        memory = self._settled()
        if memory is not None and self.active:
            memory.observe_graph(update, follower, robot=robot)

    def _commit(self) -> None:
        """Commit uses of short-term memory, and ask again for what is missing of the scene graphs."""
        memory = self._settled()
        if memory is None:
            return
        for subscription in list(self._robots.values()):
            subscription.ask_again()
        try:
            memory.flush()
        except (JournalError, BusyError) as error:
            self._complain(str(error))
        if self.value("snapshot_period") > 0 and memory.last_sequence >= self._snapshot_due:
            self._snapshot_due = memory.last_sequence + SNAPSHOT_EVENTS  # also where the disk does not take this one
            self._save()

    def diagnose(self) -> Diagnosis | None:
        """Say how much is remembered, and what went wrong since the last time."""
        memory = self._settled()
        if memory is None:
            return None
        try:
            stats = memory.stats()
        except (JournalError, BusyError) as error:
            return Diagnosis("memory", str(error), ERROR)
        level, message = OK, f"{stats.events} events, {stats.records} records"
        if stats.remark and self.value("embedder") != "lexical":
            level, message = WARN, stats.remark
        usages = {
            purpose: model.usage
            for purpose, model in (("reflection", self._model), ("told", self._model_hearing))
            if model is not None
        }
        for usage in usages.values():
            if usage.problem:
                level, message = WARN, f"language model: {usage.problem}"
        free = shutil.disk_usage(memory.path.parent).free
        if free < LOW_BYTES:
            folder = f"{memory.path.parent}, where the memory's files grow"
            level, message = WARN, f"only {free // 10**6} MB are free in {folder}: free some space"
        if trouble := memory.trouble or self._trouble:
            level, message = ERROR, trouble
        self._trouble = ""
        names = (
            *("events", "journal_bytes", "records", "policy", "capacity", "occupancy", "hit_rate", "evictions"),
            *("embedder", "waiting_for_embedding", "remember_p99", "recall_p99"),
        )
        values = {name: getattr(stats, name) for name in names}
        values |= {
            "free_bytes": free,
            "scene": memory.current_scene,
            "refused": self._refused,
            "llm": self.value("llm"),
        }
        for purpose, usage in usages.items():
            values |= usage.figures(purpose)
        return Diagnosis("memory", message, level, values)

    @property
    def _forgets(self) -> bool:
        """Whether something is kept for some time only."""
        return bool(self.value("past_period") or self.value("picture_period"))

    def _compact(self) -> None:
        """Forget how things came to be known that are known for long, and old pictures."""
        memory = self._settled()
        if memory is None or not self.active:
            return
        try:
            if period := self.value("past_period"):
                memory.compact(self._now() - period)
            if period := self.value("picture_period"):
                memory.drop_pictures(self._now() - period)
        except (JournalError, BusyError) as error:
            self._complain(f"the journal was not compacted: {error}")

    def _save(self) -> None:
        """Write a snapshot if something happened since the last."""
        memory = self._settled()
        if memory is None or memory.last_sequence == self._snapshot_events:
            return
        try:
            self._snapshot_events, path = memory.snapshot()
        except (JournalError, BusyError) as error:
            self._complain(str(error))
        else:
            give_back_heap()
            self.get_logger().debug(f"snapshot of {self._snapshot_events} events in {path}")

    def apply(self, changes: Mapping[str, Any]) -> None:
        """Change short-term memory; what fails leaves it as it is."""
        memory = self._settled()
        if memory is not None and changes.keys() & set(SETTINGS):
            try:
                memory.configure(self._settings(changes))
            except (JournalError, BusyError) as error:
                raise ValueError(str(error)) from error

    def _settings(self, changes: Mapping[str, Any] = MappingProxyType({})) -> PolicySettings:
        return PolicySettings(**{name: changes.get(name, self.value(name)) for name in SETTINGS})

    def _now(self) -> float:
        return conversions.to_seconds(self.get_clock().now().to_msg())

    def _refuse(self, message: str) -> None:
        """Count input that can't be used."""
        self._refused += 1
        self.get_logger().warning(message, throttle_duration_sec=WARN_PERIOD)

    def _complain(self, message: str) -> None:
        """Tell the operator of a failure, in the log and in the next diagnostics."""
        self._trouble = message
        self.get_logger().error(message, throttle_duration_sec=WARN_PERIOD)


def _named(user: str) -> str:
    """Return a user's name. InvalidEventError where it is empty."""
    if not user:
        raise InvalidEventError("the user is empty; name the user")
    return user


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(MemoryNode, threads=THREADS, pictures=False)


if __name__ == "__main__":
    sys.exit(main())
