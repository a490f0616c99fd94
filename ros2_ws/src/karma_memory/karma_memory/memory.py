# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory of a robot: one journal, many memories, one question."""

from __future__ import annotations

import logging
import os
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from karma_memory.embedding_worker import EmbeddingWorker
from karma_memory.encoding import encode_event
from karma_memory.events import OWN_KINDS, Event, EventKind
from karma_memory.following import JournalFollower
from karma_memory.group_commit import Batch, GroupCommit
from karma_memory.history import History
from karma_memory.journal import (
    Base,
    CompactedError,
    DuplicateEventError,
    JournalError,
    Progress,
    Snapshot,
    SnapshotStore,
    Transaction,
    export_journal,
    open_journal,
)
from karma_memory.journal.compacted import pack
from karma_memory.latency import Latency
from karma_memory.projection import EditError
from karma_memory.recall.embedder import Vectors, make_embedder
from karma_memory.recall.query import Answer, Query, Record
from karma_memory.scene import InvalidEventError, Layer
from karma_memory.scene_graph.follower import GraphUpdate, SceneFollower
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.scene_graph.graph_state import GraphState
from karma_memory.short_term.memory import settings_to_json
from karma_memory.short_term.policy import PolicySettings
from karma_memory.short_term.unit import MemoryUnit
from karma_memory.state import MemoryState

logger = logging.getLogger(__name__)

EMBEDDED_AT_RECALL = 64
"""Labels without a vector that a recall embeds itself; more are left to the worker (about 2 ms each)."""
MAX_ACCESSES = 4096
"""Uses of short-term memory that wait for the next commit; beyond that the oldest are dropped."""
OBSERVED_INSIDE = 64
"""Events of others that are observed while nobody else can commit; more before that."""
IMAGE_BYTES = 1 << 30
"""Bytes of pictures that are kept."""


class UnknownRecordError(KeyError):
    """No memory has a record of this id now."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Remembered:
    """Receipt of `Memory.remember`: the events are on disk."""

    ids: tuple[str, ...]
    sequences: tuple[int, ...]


@dataclass(frozen=True)
class Stats:
    """State and health; see karma_interfaces/MemoryStats. Latencies in milliseconds."""

    events: int
    journal_bytes: int
    policy: str
    capacity: int
    occupancy: int
    lookups: int
    hits: int
    hit_rate: float
    evictions: int
    nodes: dict[Layer, int]
    records: int
    embedder: str
    remark: str
    """What an operator should know, for instance why recall goes by words alone; empty when all is well."""
    waiting_for_embedding: int
    remember_p50: float
    remember_p99: float
    recall_p50: float
    recall_p99: float


class Memory:
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
        embedder: str = "auto",
        image_bytes: int = IMAGE_BYTES,
        verify: bool = True,
    ) -> None:
        """Open the memory at `location`, or make it, and bring every memory to the state of the journal.

        `location`, `folder`, `verify`: see open_journal; `capacity`, `policy`, `window`: see PolicySettings;
        `embedder`: see make_embedder; `image_bytes`: pictures are kept up to that many bytes together. ValueError for
        bad settings, EmbedderError for a model that can't be used, JournalError.
        """
        settings = PolicySettings(policy, capacity, window)
        model, self._embedder_remark = make_embedder(embedder)
        self._journal = open_journal(location, verify=verify, folder=folder)
        try:
            self._journal.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._journal.close()
            raise JournalError(f"cannot make the folder of {self._journal.path}: {error}; give another") from error
        self._snapshots = SnapshotStore(self._journal.path, self._journal.uuid)
        self._write_lock = threading.Lock()
        """Held from before a commit until its events are observed: they are observed in the journal's order."""
        self._commits = GroupCommit(self._commit_group, self._write_lock)
        self._image_bytes = image_bytes
        self._applied = 0
        """Sequence of the newest event that every memory has observed."""
        self._state_lock = threading.RLock()
        self._clock = 0.0
        """Stamp of the newest event, for those that the memory writes itself."""
        self._accesses: deque[Event] = deque(maxlen=MAX_ACCESSES)
        self._history = History(self._journal, self._snapshots, self._add_vectors)
        self._snapshot_lock = threading.Lock()
        self._remember_latency, self._recall_latency = Latency(), Latency()
        self._worker: EmbeddingWorker | None = None
        self._follower: JournalFollower | None = None
        try:
            self._begin(settings)
            self._state = self._load(self._journal.last_sequence)
            self._worker = EmbeddingWorker(
                model, Path(f"{self._journal.path}.vectors"), self._missing_labels, self._deliver
            )
            self._worker.wake()
            self.configure(settings)
            self._bound_images()
            if self._journal.shared:
                self._follower = JournalFollower(self._journal, lambda: self._applied, self._follow)
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
        return self._applied

    @property
    def scenes(self) -> list[str]:
        """Scenes that the long-term memory knows."""
        with self._state_lock:
            return self._state.long_term.scenes

    @property
    def current_scene(self) -> str:
        """Scene of the newest observation."""
        with self._state_lock:
            return self._state.long_term.current_scene

    @property
    def settings(self) -> PolicySettings:
        """Settings of short-term memory in force."""
        with self._state_lock:
            return self._state.short_term.settings

    @property
    def trouble(self) -> str:
        """Why the memory doesn't know what other processes commit to its journal; empty when it does."""
        return self._follower.trouble if self._follower else ""

    def remember(self, events: Sequence[Event]) -> Remembered:
        """Commit events, all or none, and let every memory observe them. When it returns, they are on disk.

        An event whose id is in the journal already is not remembered twice. DuplicateEventError when an id stands for
        something else; InvalidEventError for a kind that only the memory itself makes; EditError or UnknownRecordError
        for an edit that makes no sense; BusyError when too many calls wait; JournalError when the disk doesn't take
        them.
        """
        for event in events:
            if event.kind in OWN_KINDS:
                raise InvalidEventError(f"events of kind {event.kind.name} are made by the memory itself")
        with self._remember_latency.measured():
            sequences = self._commits.submit(Batch(tuple(events)))
        return Remembered(tuple(event.id for event in events), tuple(sequences))

    def observe_graph(self, update: GraphUpdate, follower: SceneFollower, *, robot: str = "") -> bool:
        """Remember as observations what a scene-graph update says that isn't known; return whether there was any.

        GapError when an update before it is missing: get the full graph then.
        """
        with self._state_lock:
            known = self._state.long_term.graph(update.scene) or SceneGraph(update.scene)
            news = follower.news(update, known)
        if news:
            event = Event(
                _new_id(),
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
            if query.at is not None:
                with self._history.at(query.at, self._applied) as past:
                    search = past.search(query, vector)
                    return past.answer(query, search)
            with self._state_lock:
                missing = self._state.index.semantic.missing[:EMBEDDED_AT_RECALL] if vector is not None else []
            worker.embed(missing)
            with self._state_lock:
                search = self._state.search(query, vector)
                access = self._state.short_term.look_up(search) if _asks_short_term(query) else None
                answer = self._state.answer(query, search)
            if access is not None and access.hits:
                self._accesses.append(Event(_new_id(), EventKind.ACCESS, self._clock, accessed=access.hits))
            return answer

    def edit(self, record_id: str, text: str, *, user: str = "", stamp: float) -> str:
        """Replace what a record says and return the id of the record that says it now; `text` must not be empty.

        UnknownRecordError; EditError when that kind of memory can't be edited or the record is another user's.
        """
        if not text.strip():
            raise EditError("the new text is empty; use forget to make the memory forget a record")
        event = Event(_new_id(), EventKind.EDIT, stamp, user=user, target=record_id, text=text)
        self.remember([event])
        successor = f"{record_id.partition(':')[0]}:{event.id}"
        with self._state_lock:
            return successor if successor in self._state.index.records else record_id

    def forget(
        self,
        ids: Sequence[str] = (),
        *,
        kind: str = "",
        user: str = "",
        object_id: str = "",
        everything: bool = False,
        stamp: float,
    ) -> int:
        """Close the validity of records and return how many.

        Of those with `ids`, of those that `kind`, `user` and `object_id` together select, or of all. The journal keeps
        what happened. `user` selects that user's own records; with `ids`, it says who asks. UnknownRecordError for an
        unknown id; EditError when nothing is selected, when it is selected in two ways, or for another user's record.
        """
        if (ids and (kind or object_id or everything)) or (everything and (kind or user or object_id)):
            raise EditError("ids, all, and kind, user or object are three ways to say what to forget; use one")
        if not ids and not (kind or user or object_id or everything):
            raise EditError("nothing selects what to forget; give ids, kind, user or object, or set all")
        with self._state_lock:
            for record_id in ids:
                self._owned(record_id, user)
            chosen = list(ids) or [
                record.id for record in self._state.index.records.values() if _selected(record, kind, user, object_id)
            ]
        events = [
            Event(_new_id(), EventKind.EDIT, stamp, user=user, target=record_id) for record_id in dict.fromkeys(chosen)
        ]
        if events:
            self._commits.submit(Batch(events, checked=bool(ids)))
        return len(events)

    def configure(self, settings: PolicySettings) -> None:
        """Change policy or sizes of short-term memory. Units beyond the new capacity go; the others stay."""
        if settings != self.settings:
            self._commits.submit(Batch([self._configuration(settings)]))

    def snapshot(self) -> tuple[int, Path]:
        """Write the state of all memories to a file, so that the next start is fast; return its sequence and path.

        JournalError when the disk doesn't take it; nothing is lost then.
        """
        with self._snapshot_lock:
            sequence, state = self._state_now()
            entry = next(self._journal.read(sequence - 1, sequence))
            try:
                return sequence, self._snapshots.write(Snapshot(sequence, entry.event.id, state))
            except OSError as error:
                raise JournalError(f"cannot write a snapshot beside {self.path}: {error}; free some space") from error

    def compact(self, before: float) -> int:
        """Forget the past before the time `before` (seconds): keep what is known, not how it came to be known.

        The state of all memories then is stored in the journal, and events up to there lose their content unless a
        current record or memory unit rests on them, somebody said them, or they belong to an episode. Ids stay known.
        Questions about an earlier time are refused from then on. Remembering waits only for parts of it, the longest of
        which is to write an SQLite file anew once a quarter of it isn't needed. Return the sequence of the last event
        before the horizon. JournalError; what was done until then stays, and the next call goes on.
        """

        def store(base: Base) -> None:
            packed = pack(base)
            with self._write_lock, self._journal.transaction() as transaction:
                if self._journal.horizon().sequence < base.horizon.sequence:  # nobody else was quicker
                    transaction.set_base(packed)

        with self._snapshot_lock:
            sequence = self._history.compact(before, self._applied, store)
            self._snapshots.forget(sequence)
            with self._state_lock:
                needed = {record.source for record in self._state.index.records.values()}
            for part in self._history.droppable(needed):
                with self._write_lock, self._journal.transaction() as transaction:
                    transaction.drop(part)
            self._journal.reclaim()
        return sequence

    def export(
        self, destination: str | os.PathLike[str], *, overwrite: bool = False, progress: Progress | None = None
    ) -> int:
        """Write the journal and the state of all memories to one portable file; return the number of events.

        Remembering goes on meanwhile; what comes later is not in the file. See export_journal for the errors.
        """
        sequence, state = self._state_now()
        return export_journal(self._journal, destination, state, until=sequence, overwrite=overwrite, progress=progress)

    def flush(self) -> None:
        """Commit which short-term units were used lately; `remember` does so too."""
        if self._accesses:
            self._commits.submit(Batch([]))

    def scene_graph(self, scene: str = "", *, at: float | None = None) -> SceneGraph | None:
        """Return a copy of the graph of a scene (empty: the current one), now or as known at `at`; None if unknown.

        BusyError when others ask about the past, and so does this one.
        """
        if at is None:
            with self._state_lock:
                state = _graph_state(self._state, scene)
        else:
            with self._history.at(at, self._applied) as past:
                state = _graph_state(past, scene)
        return None if state is None else SceneGraph.restore(state)

    def units(self) -> list[MemoryUnit]:
        """Return the units of short-term memory, first to go first."""
        with self._state_lock:
            return self._state.short_term.units()

    def record(self, record_id: str) -> Record | None:
        """Return a current record, or None."""
        with self._state_lock:
            return self._state.index.records.get(record_id)

    def image(self, sha256: str) -> bytes | None:
        """Return the bytes of a remembered picture, None where they were dropped (see `image_bytes`)."""
        return self._journal.image(sha256)

    def stats(self) -> Stats:
        """Return state and health."""
        worker = self._require_worker()
        journal_bytes = self._journal.size_bytes
        with self._state_lock:
            short_term = self._state.short_term
            counters = short_term.counters
            return Stats(
                events=self._applied,
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
        """Commit what is pending and close the files. May be called again; other calls then raise JournalError."""
        with self._write_lock:
            worker, self._worker = self._worker, None
        try:
            if worker is not None:
                worker.close()
                self.flush()
        except JournalError as error:
            logger.warning("the last uses of short-term memory are not in the journal: %s", error)
        finally:
            if self._follower is not None:
                self._follower.stop()
            self._journal.close()
            if self._follower is not None:
                self._follower.join()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _commit_group(self, batches: Sequence[Batch]) -> None:
        """Commit pending accesses and `batches`, and observe what is new. With the write lock; see GroupCommit."""
        accesses = [self._accesses.popleft() for _ in range(len(self._accesses))]
        try:
            with self._caught_up() as transaction:
                used = transaction.add(accesses, [encode_event(event) for event in accesses])
                new = dict(zip(used, accesses, strict=True))
                for batch in batches:
                    try:
                        if batch.checked:
                            self._check_edits(batch.events)
                        batch.sequences = transaction.add(batch.events, batch.bodies)
                    except (EditError, UnknownRecordError, DuplicateEventError, InvalidEventError) as error:
                        batch.error = error
                        continue
                    for sequence, event in zip(batch.sequences, batch.events, strict=True):
                        new.setdefault(sequence, event)  # the same event again is as it was at first
                if any(event.image is not None for event in new.values()):
                    transaction.bound_images(self._image_bytes, self._images)
        except BaseException:
            self._accesses.extendleft(reversed(accesses))
            raise
        with self._state_lock:
            for sequence, event in sorted(new.items()):
                if sequence > self._applied:
                    self._observe(sequence, event)
        if self._worker is not None:
            self._worker.wake()

    @contextmanager
    def _caught_up(self) -> Iterator[Transaction]:
        """Begin to append, after all that others committed was observed: the most of it while they can commit, too."""
        while True:
            with self._journal.transaction() as transaction:
                before = transaction.before
                if before - self._applied <= OBSERVED_INSIDE:
                    self._catch_up(before)
                    yield transaction
                    return
            self._catch_up(before)

    def _bound_images(self) -> None:
        """Keep no more pictures than there may be now."""
        with self._write_lock, self._journal.transaction() as transaction:
            transaction.bound_images(self._image_bytes, self._images)

    def _images(self) -> set[str]:
        """Return the pictures that memory units refer to."""
        with self._state_lock:
            return {unit.image.sha256 for unit in self._state.short_term.units() if unit.image is not None}

    def _follow(self) -> None:
        """Observe what other processes have committed."""
        with self._write_lock:
            self._catch_up(self._journal.last_sequence)
            if self._worker is not None:
                self._worker.wake()

    def _catch_up(self, until: int) -> None:
        """Observe the events up to the sequence `until` that others committed, in order. With the write lock."""
        if until < self._applied:
            raise JournalError(
                f"{self._journal.location} ends with event {until}, but event {self._applied} was there before: it was "
                "put back to an older state. Start this memory server again"
            )
        if until == self._applied:
            return
        try:
            for entry in self._journal.read(self._applied, until):
                with self._state_lock:
                    self._observe(entry.sequence, entry.event)
        except CompactedError:  # by another process, while this one was away
            state = self._load(until)
            with self._state_lock:
                self._state = state

    def _observe(self, sequence: int, event: Event) -> None:
        self._state.apply(event)
        self._clock = event.stamp
        self._applied = sequence

    def _begin(self, settings: PolicySettings) -> None:
        """Let an empty journal begin with the settings: several servers that begin it do so once."""
        if self._journal.last_sequence == 0:
            event = self._configuration(settings)
            with self._journal.transaction() as transaction:
                if transaction.last_sequence == 0:
                    transaction.add([event], [encode_event(event)])

    def _configuration(self, settings: PolicySettings) -> Event:
        return Event(_new_id(), EventKind.CONFIGURE, self._clock, text=settings_to_json(settings))

    def _state_now(self) -> tuple[int, dict[str, Any]]:
        """Return the sequence of the newest event and the state after it; see MemoryState.snapshot."""
        self.flush()
        with self._write_lock, self._state_lock:
            return self._applied, self._state.snapshot()

    def _load(self, last: int) -> MemoryState:
        """Return the state after the event `last`."""
        started = time.perf_counter()
        state, after = self._history.after(last)
        newest = next(self._journal.read(max(0, last - 1), last), None)
        self._clock = newest.event.stamp if newest else 0.0
        self._applied = last
        state.short_term.counters = type(state.short_term.counters)()
        logger.info(
            "%d events in %s, %d of them from a stored state, loaded in %.2f s",
            last,
            self._journal.location,
            after,
            time.perf_counter() - started,
        )
        return state

    def _add_vectors(self, state: MemoryState) -> None:
        missing = state.index.semantic.missing
        state.index.add_vectors(*self._require_worker().vectors(missing, computed=EMBEDDED_AT_RECALL))

    def _check_edits(self, events: Sequence[Event]) -> None:
        """Refuse an edit that its memory can't make now, and one of a record that another one of `events` edits."""
        targets = set()
        for event in events:
            if event.kind is not EventKind.EDIT or self._journal.sequence_of(event.id) is not None:
                continue
            if event.target in targets:
                raise EditError(f"record {event.target!r} is edited twice in one call; edit what the first edit made")
            targets.add(event.target)
            with self._state_lock:
                record = self._owned(event.target, event.user)
                self._state.projections[record.kind].check_edit(record.id, event.text)

    def _owned(self, record_id: str, user: str) -> Record:
        """Return a record; refuse one that belongs to another user (nobody in particular may touch all)."""
        record = self.record(record_id)
        if record is None:
            raise UnknownRecordError(f"no memory has a record {record_id!r} now")
        if record.user and user and record.user != user:
            raise EditError(f"record {record_id!r} belongs to {record.user!r}; {user!r} can't change it")
        return record

    def _missing_labels(self) -> list[str]:
        with self._state_lock:
            return self._state.index.semantic.missing

    def _deliver(self, labels: Sequence[str], vectors: Vectors) -> None:
        with self._state_lock:
            self._state.index.add_vectors(labels, np.asarray(vectors))

    def _require_worker(self) -> EmbeddingWorker:
        if self._worker is None:
            raise JournalError(f"the memory {self.location} is closed")
        return self._worker


def _graph_state(state: MemoryState, scene: str) -> GraphState | None:
    graph = state.long_term.graph(scene or state.long_term.current_scene)
    return None if graph is None else graph.snapshot()


def _asks_short_term(query: Query) -> bool:
    return not query.kinds or "short_term" in query.kinds


def _selected(record: Record, kind: str, user: str, object_id: str) -> bool:
    return (
        (not kind or record.kind == kind)
        and (not user or record.user == user)
        and (not object_id or (record.node is not None and record.node.id == object_id))
    )


def _new_id() -> str:
    return str(uuid.uuid4())
