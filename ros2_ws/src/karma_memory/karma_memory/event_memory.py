# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory of a robot: one journal, many memories, one question."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from karma_memory.browsing.browsing import Browsing
from karma_memory.episodic import Episode
from karma_memory.events import OWN_KINDS, Event, EventKind
from karma_memory.hearing.hearing import Hearing
from karma_memory.hearing.retelling import Retelling
from karma_memory.journal import JournalError, Progress, SnapshotStore, open_journal
from karma_memory.preferences.preference import Preference
from karma_memory.privacy.from_elsewhere import AHEAD, not_after
from karma_memory.projection import EditError
from karma_memory.recall.embedder import Embedder, Vectors, make_embedder
from karma_memory.recall.embedding_worker import EmbeddingWorker
from karma_memory.recall.latency import Latency
from karma_memory.recall.query import Answer, Query, Record
from karma_memory.scene import InvalidEventError, Node, check_text
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.graph_state import GraphState
from karma_memory.short_term.policy import PolicySettings
from karma_memory.short_term.segments import PROTECTED_SHARE
from karma_memory.short_term.unit import MemoryUnit
from karma_memory.state.history import History
from karma_memory.state.live import LiveState, UnknownRecordError, new_id
from karma_memory.state.reflecting import Reflecting, Think
from karma_memory.state.state import MemoryState
from karma_memory.state.upkeep import Upkeep
from karma_memory.stats import Stats
from karma_memory.users.users import Users

if TYPE_CHECKING:
    from karma_language.reading import Question
    from karma_memory.ask.answering import Asked
    from karma_memory.ask.asking import Find

__all__ = ["IMAGE_BYTES", "EventMemory", "Remembered", "Stats", "UnknownRecordError"]

logger = logging.getLogger(__name__)

T = TypeVar("T")
EMBEDDED_AT_RECALL = 64
"""Labels without a vector that a recall embeds itself; more are left to the worker (about 2 ms each)."""
LONGEST_QUESTION = 1000
"""Characters of a question that is answered."""
_OF_AN_INSTRUCTION = (EventKind.EPISODE_START, EventKind.SKILL_OUTCOME, EventKind.EPISODE_END, EventKind.FEEDBACK)
"""What only who gave an instruction adds to it."""
IMAGE_BYTES = 1 << 30
"""Bytes of pictures that are kept."""


@dataclass(frozen=True)
class Remembered:
    """Receipt of `EventMemory.remember`: the events are on disk."""

    ids: tuple[str, ...]
    sequences: tuple[int, ...]
    """0 for an event that is not kept, because its user doesn't agree."""


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
        self._upkeep = Upkeep(self._journal, self._snapshots, self._history, self._live)
        self._clock = clock
        self._remember_latency, self._recall_latency = Latency(), Latency()
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
        for event in events:
            if event.kind in OWN_KINDS:
                raise InvalidEventError(f"events of kind {event.kind.name} are made by the memory itself")
        ids = tuple(event.id for event in events)
        with self._remember_latency.measured():
            self._check_whose(events)
            kept = self.users.kept(self._hearing.framed(self._attributed([self._timely(one) for one in events])))
            events = [event for event in kept if event is not None]
            known = {event.id for event in events if self._journal.sequence_of(event.id) is not None}
            heard = self._hearing.heard(events, known)
            corrections = self._hearing.corrections(events, known)
            committed = dict(zip((event.id for event in heard), self._live.commit(heard), strict=True))
            if corrections:
                self._live.commit(corrections, checked=False)
        if self._retelling.note([*heard, *corrections]):
            self._wake_worker()
        if self._reflecting is not None:
            self._reflecting.note(event for event in kept if event is not None)
        sequences = tuple(0 if event is None else committed[event.id] for event in kept)
        return Remembered(ids, sequences)

    def _timely(self, event: Event) -> Event:
        """Return an event as of now where it comes from the future; the same one again is as it was at first."""
        if self._clock is None or event.stamp <= (now := self._clock()) + AHEAD:
            return event
        known = self._journal.find(event.id)
        return not_after(event, now if known is None else known.event.stamp)

    def _check_whose(self, events: Sequence[Event]) -> None:
        """Refuse what somebody else than who gave an instruction adds to it. InvalidEventError."""
        named = [event for event in events if event.user and event.episode and event.kind in _OF_AN_INSTRUCTION]
        with self._live.lock:
            begun = {event.episode: self._state.episodic.episode(event.episode) for event in named}
        for event in named:
            whose = begun[event.episode]
            others = whose is not None and whose.user not in ("", event.user)
            if others and self._journal.sequence_of(event.id) is None:
                raise InvalidEventError(f"event {event.id!r} goes on of an instruction that another user gave")

    def _attributed(self, events: Sequence[Event]) -> list[Event]:
        """Return events; a picture of what is handled for somebody now belongs to that instruction.

        InvalidEventError for the picture of something that isn't known.
        """
        seen = {(event.scene, node.id) for event in events if event.pictured is None for node in event.nodes}
        return [event if event.pictured is None else self._of_whom(event, event.pictured, seen) for event in events]

    def _of_whom(self, event: Event, node: Node, seen: Container[tuple[str, str]]) -> Event:
        with self._live.lock:
            graph = self._state.long_term.graph(event.scene)
            known = graph is not None and graph.history(node.id)
            running = self._state.working.running(event.robot)
        if not known and (event.scene, node.id) not in seen and self._journal.sequence_of(event.id) is None:
            raise InvalidEventError(f"nothing is known of {node.id!r} in {event.scene!r}: its picture is not kept")
        if event.user or event.episode or running is None or node.id not in running.handled:
            return event
        return replace(event, user=running.user, episode=running.episode)

    def observe_graph(self, update: GraphUpdate, follower: SceneFollower, *, robot: str = "") -> bool:
        """Remember as observations what a scene-graph update says that isn't known; return whether there was any.

        GapError when an update before it is missing: get the full graph then.
        """
        with self._live.lock:
            known = self._state.long_term.graph(update.scene) or SceneGraph(update.scene)
            update = follower.shared(update, known)
            news = follower.news(update, known)
        if news:
            event = Event(
                new_id(),
                EventKind.OBSERVATION,
                update.stamp,
                robot=robot,
                scene=update.scene,
                nodes=news.nodes,
                removed=news.removed,
                edges=news.edges,
                removed_edges=news.removed_edges,
            )
            self.remember([event])
        follower.accept(update)
        return bool(news)

    def recall(self, query: Query) -> Answer:
        """Ask every memory the same question. BusyError when others ask about the past, and so does this one."""
        with self._recall_latency.measured():
            worker = self._require_worker()
            vector = worker.query_vector(query.text)
            if (at := query.at) is not None:
                with self._live.lock:
                    query = self._state.permitted(query)  # who withdrew their consent did so for the past, too
                with self._history.at(at, self._live.applied) as past:
                    return past.answer(query, past.search(query, vector))
            if vector is not None:
                self._embed_missing()
            with self._live.lock:
                search = self._state.search(query, vector)
                short_term = self._state.short_term
                access = short_term.look_up(search) if not query.kinds or short_term.kind in query.kinds else None
                answer = replace(self._state.answer(query, search), sequence=self._live.applied)
            if access is not None and access.hits:
                self._live.note_access(access.hits)
            return answer

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
        from karma_memory.ask.asking import Asking  # what reads English, 0.2 s: with the first question

        query = Query(words, user=user, scene=scene, at=at, now=time.time() if now is None else now)
        return Asking(self._in_state, self._search).ask(query, question)

    def _search(self, query: Query) -> Find:
        """Return what searches the words of people for a query, by meaning, too."""
        vector = self._require_worker().query_vector(query.text)
        if vector is not None:
            self._embed_missing()  # what was told a moment ago is found by its meaning, too
        return lambda state: state.search(query, vector)

    def _embed_missing(self) -> None:
        """Make the vectors that the worker has not come to yet."""
        with self._live.lock:
            missing = self._state.index.semantic.missing[-EMBEDDED_AT_RECALL:]  # what is new is asked for
        self._require_worker().embed_now(missing)

    def _in_state(self, query: Query, answer: Callable[[Query, MemoryState], Asked]) -> Asked:
        """Have a query answered in the state that it asks, now or as it was."""
        if (at := query.at) is not None:
            with self._live.lock:
                query = self._state.permitted(query)
            with self._history.at(at, self._live.applied) as past:
                return answer(query, past)
        with self._live.lock:
            return replace(answer(query, self._state), sequence=self._live.applied)

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
        if not text.strip():
            raise EditError("the new text is empty; use forget to make the memory forget a record")
        user = user or self._live.owner(record_id)
        stamp = time.time() if stamp is None else stamp
        event = Event(new_id(), EventKind.EDIT, stamp, user=user, target=record_id, text=text)
        if not any(self.remember([event]).sequences):
            raise EditError(f"{user!r} does not agree that what they say is kept")
        with self._live.lock:
            memory = self._state.personal.get(record_id.partition(":")[0])
            successors = memory.resting_on(event.id) if memory else []
            return successors[0] if successors else record_id

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
        if (ids and (kind or object_id or everything)) or (everything and (kind or user or object_id)):
            raise EditError("ids, all, and kind, user or object are three ways to say what to forget; use one")
        if not ids and not (kind or user or object_id or everything):
            raise EditError("nothing selects what to forget; give ids, kind, user or object, or set all")
        ids = [ids] if isinstance(ids, str) else ids
        with self._live.lock:
            for record_id in ids:
                self._live.owned(record_id, user)
            chosen = list(ids) or [
                record.id for record in self._state.index.records.values() if _selected(record, kind, user, object_id)
            ]
        stamp = time.time() if stamp is None else stamp
        events = [
            Event(new_id(), EventKind.EDIT, stamp, user=user or self._live.owner(record_id), target=record_id)
            for record_id in dict.fromkeys(chosen)
        ]
        if events:
            self._live.commit(events, checked=bool(ids))
        return len(events)

    def configure(self, settings: PolicySettings) -> None:
        """Change policy or sizes of short-term memory. Units beyond the new capacity go; the others stay."""
        if settings != self.settings:
            self._live.commit([self._live.configuration(settings)])

    def snapshot(self) -> tuple[int, Path]:
        """Write the state of all memories to a file, so that the next start is fast; return its sequence and path.

        JournalError when the disk doesn't take it; nothing is lost then.
        """
        return self._upkeep.snapshot()

    @property
    def snapshot_sequence(self) -> int:
        """The sequence of the newest event in a snapshot, 0 without one: a start applies what came later."""
        return self._snapshots.newest

    def compact(self, before: float) -> int:
        """Forget the past before the time `before` (seconds): keep what is known, not how it came to be known.

        The state of all memories then is stored in the journal, and events up to there lose their content unless a
        current record or memory unit rests on them, somebody said them, or they belong to an episode. Ids stay known.
        Questions about an earlier time are refused from then on. Remembering waits only for small parts of it, but for
        an SQLite file that an older version made, which is written anew, once. Return the sequence of the last event
        before the horizon. JournalError; what was done until then stays, and the next call goes on.
        """
        return self._upkeep.compact(before)

    def drop_pictures(self, before: float) -> int:
        """Forget the pictures that nothing named since the time `before` (seconds); what they showed stays known.

        Return how many. JournalError.
        """
        return self._upkeep.drop_pictures(before)

    def export(
        self, destination: str | os.PathLike[str], *, overwrite: bool = False, progress: Progress | None = None
    ) -> int:
        """Write the journal and the state of all memories to one portable file; return the number of events.

        Remembering goes on meanwhile; what comes later is not in the file. See export_journal for the errors.
        """
        return self._upkeep.export(destination, overwrite=overwrite, progress=progress)

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
        worker = self._require_worker()
        journal_bytes = self._journal.size_bytes
        with self._live.lock:
            short_term = self._state.short_term
            counters = short_term.counters
            return Stats(
                events=self._live.applied,
                journal_bytes=journal_bytes,
                policy=short_term.settings.policy,
                capacity=short_term.settings.capacity,
                occupancy=short_term.occupancy,
                lookups=counters.lookups,
                hits=counters.hits,
                hit_rate=counters.hit_rate,
                evictions=counters.evictions,
                nodes=self._state.long_term.counts(),
                records=len(self._state.index.records),
                embedder=worker.name,
                remark=worker.remark or self._embedder_remark,
                waiting_for_embedding=len(self._missing_labels()) if worker.active else 0,
                remember_p50=self._remember_latency.percentile(50),
                remember_p99=self._remember_latency.percentile(99),
                recall_p50=self._recall_latency.percentile(50),
                recall_p99=self._recall_latency.percentile(99),
            )

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _state(self) -> MemoryState:
        return self._live.state

    def _observed(self) -> None:
        self._wake_worker()
        self._hearing.wake()

    def _wake_worker(self) -> None:
        if (worker := self._worker) is not None:
            worker.wake()

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


def _selected(record: Record, kind: str, user: str, object_id: str) -> bool:
    return (
        (not kind or record.kind == kind)
        and (not user or record.user == user)
        and (not object_id or (record.node is not None and record.node.id == object_id))
    )
