# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory of a robot: one journal, many memories, one question."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from karma_memory.browsing.browsing import Browsing
from karma_memory.episodic import Episode
from karma_memory.events import Event, EventKind
from karma_memory.hearing.hearing import Hearing
from karma_memory.hearing.retelling import Retelling
from karma_memory.journal import JournalError, SnapshotStore, open_journal
from karma_memory.preferences.preference import Preference
from karma_memory.recall.embedder import Embedder, Vectors, make_embedder
from karma_memory.recall.embedding_worker import EmbeddingWorker
from karma_memory.recall.latency import Latency
from karma_memory.recall.query import Answer, Query, Record
from karma_memory.scene import InvalidEventError, check_text
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.graph_state import GraphState
from karma_memory.short_term.policy import PolicySettings
from karma_memory.short_term.segments import PROTECTED_SHARE
from karma_memory.short_term.unit import MemoryUnit
from karma_memory.state.editing import Editing
from karma_memory.state.history import History
from karma_memory.state.live import LiveState, UnknownRecordError, new_id
from karma_memory.state.recalling import EMBEDDED_AT_RECALL, Recalling
from karma_memory.state.reflecting import Reflecting, Think
from karma_memory.state.state import MemoryState
from karma_memory.state.taking import Remembered, Taking
from karma_memory.state.upkeep import Upkeep
from karma_memory.stats import Stats, stats_of
from karma_memory.users.users import Users

if TYPE_CHECKING:
    from karma_language.reading import Question
    from karma_memory.ask.answering import Asked

__all__ = ["IMAGE_BYTES", "EventMemory", "Remembered", "Stats", "UnknownRecordError"]

logger = logging.getLogger(__name__)

T = TypeVar("T")
LONGEST_QUESTION = 1000
"""Characters of a question that is answered."""
IMAGE_BYTES = 1 << 30
"""Bytes of pictures that are kept."""


class EventMemory:
    """Everything a robot remembers, in one journal.

    `remember` commits events to the journal and then lets every memory observe them; what the memories know is a
    function of the journal. Several processes may have the same journal in PostgreSQL open: each observes the others'
    events, in the journal's order. Thread-safe: recalls don't wait for commits, commits wait for each other only. Use
    it as a context manager, or `close()` it; a process that is killed loses nothing that was acknowledged.
    """

    def __init__(
        self,
        location: str | os.PathLike[str],
        *,
        folder: str | os.PathLike[str] | None = None,
        capacity: int = 10,
        policy: str = "w_tinylfu_adaptive",
        window: float = 0.9,
        protected: float = PROTECTED_SHARE,
        embedder: str = "auto",
        image_bytes: int = IMAGE_BYTES,
        verify: bool = True,
        assume_consent: bool = True,
        think: Think | None = None,
        household: Collection[str] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Open the memory at `location`, or make it, and bring every memory to the state of the journal.

        `location`, `folder`, `verify`: see open_journal; `capacity`, `policy`, `window`, `protected`: see
        PolicySettings; `embedder`: see make_embedder; `image_bytes`: pictures are kept up to that many bytes together;
        `assume_consent`: see Users; `think`: a language model's reflection on episodes, beside the one by rules;
        `household`: who lives here, None: as it is known; what others say and do counts for nobody but themselves, and
        where nobody is named, everybody's does; `clock`: the robot's, seconds: nothing is taken to be after it.
        ValueError for bad settings, EmbedderError for a model that can't be used, JournalError.
        """
        settings = PolicySettings(policy, capacity, window, protected)
        model, self._embedder_remark = make_embedder(embedder)
        self._journal = open_journal(location, verify=verify, folder=folder)
        try:
            self._journal.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._journal.close()
            raise JournalError(f"cannot make the folder of {self._journal.path}: {error}; give another") from error
        self._snapshots = SnapshotStore(self._journal.path, self._journal.uuid)
        self._history = History(self._journal, self._snapshots, self._add_vectors)
        self._live = LiveState(self._journal, self._history, image_bytes, self._observed)
        self.users = Users(self._journal, self._live, assume_consent=assume_consent)
        """Their consent, and what is kept of them."""
        self.browsing = Browsing(self._journal, self._history, self._live)
        """What it shows to people who look on."""
        self.upkeep = Upkeep(self._journal, self._snapshots, self._history, self._live)
        """Snapshots, one portable file, and how much of the past is kept."""
        self._editing = Editing(self._live, self.remember)
        self._taking = Taking(self._journal, self._live, clock)
        self._remember_latency = Latency()
        self._recalling = Recalling(self._live, self._history, self._require_worker)
        self._worker: EmbeddingWorker | None = None
        self._retelling = Retelling(self._live, lambda: self.embedder)
        self._hearing = Hearing(self._live)
        self._reflecting: Reflecting | None = None
        try:
            self._worker = EmbeddingWorker(  # which loads the model meanwhile
                model, Path(f"{self._journal.path}.vectors"), self._missing_labels, self._deliver, self._retelling.merge
            )
            self._live.load(settings)
            self._worker.wake()
            self.configure(settings)
            if household is not None:
                self.users.set_household(household, self._live.clock)
            self._live.follow()
            self._hearing.wake()
            self._reflecting = Reflecting(self._live, think) if think is not None else None
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        """Where the journal is, for people."""
        return self._journal.location

    @property
    def path(self) -> Path:
        """The database file; for PostgreSQL, the name that the local files begin with."""
        return self._journal.path

    @property
    def last_sequence(self) -> int:
        """Sequence of the newest event that is observed; the number of events."""
        return self._live.applied

    @property
    def embedder(self) -> Embedder:
        """The model of meaning for what is asked: nothing of that gets on disk. It raises EmbedderError, too."""
        return self._require_worker()

    @property
    def scenes(self) -> list[str]:
        """Scenes that the long-term memory knows."""
        with self._live.lock:
            return self._state.long_term.scenes

    @property
    def current_scene(self) -> str:
        """Scene of the newest observation."""
        with self._live.lock:
            return self._state.long_term.current_scene

    @property
    def settings(self) -> PolicySettings:
        """Settings of short-term memory in force."""
        with self._live.lock:
            return self._state.short_term.settings

    @property
    def trouble(self) -> str:
        """Why nothing is remembered now, or not what other processes commit to its journal; empty when all is."""
        return self._live.trouble

    def remember(self, events: Sequence[Event]) -> Remembered:
        """Commit events, all or none, and let every memory observe them. When it returns, they are on disk.

        An event whose id is in the journal already is not remembered twice. DuplicateEventError when an id stands for
        something else; InvalidEventError for a kind that only the memory itself makes; EditError or UnknownRecordError
        for an edit that makes no sense; BusyError when too many calls wait; JournalError when the disk doesn't take
        them. Of an event of a user who doesn't agree, only what it says of the world is kept: see Users.kept.
        """
        if not isinstance(events, Collection) or not all(isinstance(event, Event) for event in events):
            raise InvalidEventError(
                "remember takes a list of events, such as [Event(…)]; tell takes words, and see things"
            )
        ids = tuple(event.id for event in events)
        with self._remember_latency.measured():
            kept = self.users.kept(self._hearing.framed(self._taking.taken(events)))
            events = [event for event in kept if event is not None]
            known = {event.id for event in events if self._journal.sequence_of(event.id) is not None}
            heard = self._hearing.heard(events, known)
            corrections = self._hearing.corrections(events, known)
            committed = dict(zip((event.id for event in heard), self._live.commit(heard), strict=True))
            if corrections:
                self._live.commit(corrections, checked=False)
        if self._retelling.note([*heard, *corrections]):
            self._observed()
        if self._reflecting is not None:
            self._reflecting.note(event for event in kept if event is not None)
        sequences = tuple(0 if event is None else committed[event.id] for event in kept)
        return Remembered(ids, sequences)

    def observe_graph(self, update: GraphUpdate, follower: SceneFollower, *, robot: str = "") -> bool:
        """Remember as observations what a scene-graph update says that isn't known; return whether there was any.

        GapError when an update before it is missing: get the full graph then.
        """
        with self._live.lock:
            known = self._state.long_term.graph(update.scene) or SceneGraph(update.scene)
            update = follower.shared(update, known)
            news = follower.news(update, known)
        if news:
            seen = Event(new_id(), EventKind.OBSERVATION, update.stamp, robot=robot, scene=update.scene, **vars(news))
            self.remember([seen])
        follower.accept(update)
        return bool(news)

    def recall(self, query: Query) -> Answer:
        """Ask every memory the same question. BusyError when others ask about the past, and so does this one."""
        return self._recalling.recall(query)

    def ask(
        self,
        words: str,
        *,
        now: float | None = None,
        user: str = "",
        scene: str = "",
        at: float | None = None,
        question: Question | None = None,
    ) -> Asked:
        """Answer a person's question, in English, with what the answer rests on.

        `now`: seconds, when it is asked, None for this machine's clock; `user`: who asks; `scene`: the home that is
        asked about, "" for where the robot is; `at`: as it was known then, seconds; `question`: what the words ask for,
        where that was read: then they may be of any language. InvalidEventError for malformed ones; BusyError as in
        `recall`.
        """
        check_text("question", words, LONGEST_QUESTION)
        if not words.strip():
            raise InvalidEventError("the question is empty; ask something, such as: Where are my keys?")
        asked = Query(words, user=user, scene=scene, at=at, now=time.time() if now is None else now)
        return self._recalling.ask(asked, question)

    def with_state(self, ask: Callable[[MemoryState], T]) -> T:
        """Return what `ask` reads of the state, which stays as it is meanwhile."""
        with self._live.lock:
            return ask(self._state)

    def edit(self, record_id: str, text: str, *, user: str = "", stamp: float | None = None) -> str:
        """Replace what a record says and return the id of the record that says it now; `text` must not be empty.

        `stamp`: seconds, None for this machine's clock.

        UnknownRecordError; EditError when that kind of memory can't be edited, the record is another user's, or the
        user doesn't agree that what they say is kept.
        """
        return self._editing.edit(record_id, text, user, time.time() if stamp is None else stamp)

    def forget(
        self,
        ids: Sequence[str] = (),
        *,
        kind: str = "",
        user: str = "",
        object_id: str = "",
        everything: bool = False,
        stamp: float | None = None,
    ) -> int:
        """Close the validity of records and return how many.

        Of those with `ids`, of those that `kind`, `user` and `object_id` together select, or of all. The journal keeps
        what happened. `user` selects that user's own records; with `ids`, it says who asks. `stamp`: seconds, None
        for this machine's clock. UnknownRecordError for an unknown id; EditError when nothing is selected, when it is
        selected in two ways, or for another user's record.
        """
        ids = [ids] if isinstance(ids, str) else ids
        stamp = time.time() if stamp is None else stamp
        return self._editing.forget(ids, kind, user, object_id, everything, stamp)

    def configure(self, settings: PolicySettings) -> None:
        """Change policy or sizes of short-term memory. Units beyond the new capacity go; the others stay."""
        if settings != self.settings:
            self._live.commit([self._live.configuration(settings)])

    def flush(self) -> None:
        """Commit which short-term units were used lately; `remember` does so too."""
        self._live.flush()

    def scene_graph(self, scene: str = "", *, at: float | None = None) -> SceneGraph | None:
        """Return a copy of the graph of a scene (empty: the current one), now or as known at `at`; None if unknown.

        BusyError when others ask about the past, and so does this one.
        """
        if at is None:
            with self._live.lock:
                state = _graph_state(self._state, scene)
        else:
            with self._history.at(at, self._live.applied) as past:
                state = _graph_state(past, scene)
        return None if state is None else SceneGraph.restore(state)

    def preferences_of(self, user: str) -> list[Preference]:
        """Return all that a user ever preferred; nothing of who doesn't agree that it is used."""
        with self._live.lock:
            return self._state.preferences.history(user) if self._state.may_use(user) else []

    def event(self, event_id: str) -> Event | None:
        """Return the event with this id; None where there is none. CompactedError when its content was dropped."""
        entry = self._journal.find(event_id)
        return None if entry is None else entry.event

    def units(self) -> list[MemoryUnit]:
        """Return the units of short-term memory, first to go first."""
        with self._live.lock:
            return self._state.short_term.units()

    def record(self, record_id: str) -> Record | None:
        """Return a current record, or None."""
        return self._live.record(record_id)

    def episodes(self, user: str, scene: str) -> list[Episode]:
        """Return the episodes of one user within one scene, with their steps, in the order in which they began."""
        with self._live.lock:
            episodes = self._state.episodic.episodes()
        return [episode for episode in episodes if (episode.user, episode.scene) == (user, scene)]

    def image(self, sha256: str) -> bytes | None:
        """Return the bytes of a remembered picture, None where they were dropped (see `image_bytes`)."""
        return self._journal.image(sha256)

    def stats(self) -> Stats:
        """Return state and health."""
        latencies = (self._remember_latency, self._recalling.latency)
        return stats_of(self._journal, self._live, self._require_worker(), latencies, self._embedder_remark)

    def close(self) -> None:
        """Commit what is pending, close the files, and keep nothing of what they tell.

        May be called again; other calls then raise JournalError.
        """
        with self._live.write_lock:
            worker, self._worker = self._worker, None
        if self._reflecting is not None:
            self._reflecting.close()
        self._hearing.close()
        try:
            if worker is not None:
                worker.close()
                self.flush()
        except JournalError as error:
            logger.warning("the last uses of short-term memory are not in the journal: %s", error)
        finally:
            self._live.close()
            self._history.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _state(self) -> MemoryState:
        return self._live.state

    def _observed(self) -> None:
        if (worker := self._worker) is not None:
            worker.wake()
        self._hearing.wake()

    def _add_vectors(self, state: MemoryState) -> None:
        missing = state.index.semantic.missing
        state.index.add_vectors(*self._require_worker().vectors(missing, computed=EMBEDDED_AT_RECALL))

    def _missing_labels(self) -> list[str]:
        with self._live.lock:
            return self._state.index.semantic.missing

    def _deliver(self, labels: Sequence[str], vectors: Vectors) -> None:
        with self._live.lock:
            self._state.index.add_vectors(labels, np.asarray(vectors))

    def _require_worker(self) -> EmbeddingWorker:
        if self._worker is None:
            raise JournalError(f"the memory {self.location} is closed")
        return self._worker


def _graph_state(state: MemoryState, scene: str) -> GraphState | None:
    graph = state.long_term.graph(scene or state.long_term.current_scene)
    return None if graph is None else graph.snapshot()
