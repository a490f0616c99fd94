# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The lifecycle node `memory_server`: the services memory/*, fed by `scene_graph` and `memory/events`."""

from __future__ import annotations

import math
import sys
import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from karma_interfaces.msg import MemoryEvent
from karma_interfaces.srv import (
    ForgetUser,
    Remember,
    SnapshotMemory,
)
from karma_language.heap import give_back_heap
from karma_language.models import Model
from karma_memory import conversions
from karma_memory.events import Event
from karma_memory.journal import DuplicateEventError, JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.memory import Memory
from karma_memory.parameters import PARAMETERS, robot_names
from karma_memory.projection import EditError
from karma_memory.ros.browsing_services import BrowsingServices
from karma_memory.ros.diagnosis import diagnosis
from karma_memory.ros.graph_subscription import GraphSubscription
from karma_memory.ros.memory_services import MemoryServices, named
from karma_memory.ros.opening import OPENING_ERRORS, SETTINGS, language_model, open_memory, settings
from karma_memory.ros.personal_services import PersonalServices
from karma_memory.ros.serving import Services
from karma_memory.ros.short_term_topic import ShortTermTopic
from karma_memory.scene import InvalidEventError
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from karma_memory.scene_graph.shared_places import SharedPlaces
from karma_memory.state.history import PAST_CALLERS
from karma_memory.state.live import UnknownRecordError
from karma_memory.state.reflecting import Think
from karma_memory.users.erasure import Erased, forget_user
from karma_ros.diagnostics import Diagnosis
from karma_ros.lifecycle import ConfigurationError, ManagedNode
from karma_ros.process import run
from karma_ros.timers import steady_timer

if TYPE_CHECKING:
    from karma_memory.event_memory import Remembered
    from karma_memory.hearing.model import ModelHearing

# Events without acknowledgement: none is lost on the way unless 256 wait; old ones are not sent again to a memory that
# starts.
EVENTS_QOS = QoSProfile(depth=256, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)

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
WARN_PERIOD = 5.0
"""Seconds between warnings of the same kind."""


class MemoryNode(ManagedNode):
    """Serves one memory. Its services answer UNAVAILABLE unless the node is active."""

    def __init__(self) -> None:
        super().__init__("memory_server", PARAMETERS)
        self._events_in_order = MutuallyExclusiveCallbackGroup()
        self._compaction = MutuallyExclusiveCallbackGroup()
        self._memory: Memory | None = None
        self._swapping = threading.RLock()
        """Held while a user is erased, and when the memory is closed: who asks meanwhile waits."""
        self._personal: PersonalServices | None = None
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
        self._snapshot_events = memory.upkeep.snapshot_sequence
        self._snapshot_due = self._snapshot_events + SNAPSHOT_EVENTS
        self.get_logger().info(
            f"{stats.events} events, {stats.records} records in {memory.location}; embedder {stats.embedder}"
            + (f" ({stats.remark})" if stats.remark else "")
        )
        if (model := language_model(self.value)) is not None:
            from karma_memory.hearing.model import ModelHearing

            self._model_hearing = ModelHearing(model, self._remember_reading)
            self.until_cleanup.callback(self._stop_hearing)
        serve = Services(self, self._settled, self._complain).serve
        serve(Remember, "memory/remember", self._remember)
        serve(SnapshotMemory, "memory/snapshot", self._snapshot)
        serve(ForgetUser, "memory/forget_user", self._forget_user)
        MemoryServices(serve, self, self._now, lambda: self._robots[self._robot].scene)
        self._personal = PersonalServices(serve, self._now)
        BrowsingServices(serve, self._now)
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

    def _snapshot(self, memory: Memory, request: Any, response: Any) -> None:
        sequence, path = memory.upkeep.snapshot()
        response.sequence, response.path = sequence, str(path)

    def _forget_user(self, memory: Memory, request: Any, response: Any) -> None:
        response.location = memory.location
        erased = self._erase({named(request.user): math.inf})
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
                self._snapshot_events = self._memory.upkeep.snapshot_sequence
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
        """Open the memory. OPENING_ERRORS."""
        return open_memory(self.value, verify=verify, clock=self._now, think=self._think())

    def _think(self) -> Think | None:
        """Return the language model's reflection, None where the rules are all. ValueError for a bad URL."""
        self._model = language_model(self.value)
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
        models = {"reflection": self._model, "told": self._model_hearing}
        usages = {purpose: model.usage for purpose, model in models.items() if model is not None}
        found = diagnosis(memory, self.value("embedder"), usages, self._trouble)
        if found.values:  # else the figures failed, and what went wrong before is still to be told
            self._trouble = ""
        return replace(found, values={**found.values, "refused": self._refused, "llm": self.value("llm")})

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
                memory.upkeep.compact(self._now() - period)
            if period := self.value("picture_period"):
                memory.upkeep.drop_pictures(self._now() - period)
        except (JournalError, BusyError) as error:
            self._complain(f"the journal was not compacted: {error}")

    def _save(self) -> None:
        """Write a snapshot if something happened since the last."""
        memory = self._settled()
        if memory is None or memory.last_sequence == self._snapshot_events:
            return
        try:
            self._snapshot_events, path = memory.upkeep.snapshot()
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
                memory.configure(settings(self.value, changes))
            except (JournalError, BusyError) as error:
                raise ValueError(str(error)) from error

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


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(MemoryNode, threads=THREADS, pictures=False)


if __name__ == "__main__":
    sys.exit(main())
