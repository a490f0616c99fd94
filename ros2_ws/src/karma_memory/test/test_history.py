# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Compaction keeps what is known and what people said, and says since when the past is known."""

import contextlib
import itertools

import pytest
from histories import events_of, histories
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_store import Files
from world import MOVES, SCENE, home, live, move, seen, state, thing, told

from karma_memory import (
    CorruptJournalError,
    DuplicateEventError,
    JournalError,
    NewerSchemaError,
    PastUnknownError,
    PolicySettings,
    Query,
)
from karma_memory.encoding import dumps
from karma_memory.journal import BASE_VERSION, CompactedError, snapshots
from karma_memory.journal import compacted as compacted_module
from karma_memory.journal.compacted import upgraded
from karma_memory.state import history as history_module
from karma_memory.state.history import History
from karma_memory.state.state import MemoryState
from karma_memory.told.statements import Statement


def bodies(store):
    return dict(store.execute("SELECT id, body FROM events"))


@pytest.fixture
def compacted(store):
    """A store whose journal was compacted at 200.5 s, the state then, and the horizon."""
    with store.memory() as memory:
        live(memory)
        lived = state(memory)
        horizon = memory.upkeep.compact(200.5)
        assert state(memory) == lived
    return store, lived, horizon


def without_snapshots(store):
    for file in store.folder.glob("*.snapshot-*"):
        file.unlink()


def test_a_compacted_journal_opens_with_the_state_that_was_lived(compacted):
    store, lived, _ = compacted
    with store.memory() as memory:
        assert state(memory) == lived
        memory.upkeep.snapshot()
    with store.memory() as memory:
        assert state(memory) == lived


def test_a_snapshot_whose_state_cannot_be_taken_over_is_passed_over(store, caplog):
    with store.memory() as memory:
        live(memory)
        lived = state(memory)
        _, path = memory.upkeep.snapshot()
        snapshot = memory._snapshots._read(path)
        snapshot.state["short_term"]["policy"] = {}  # intact as a file
        memory._snapshots.write(snapshot)
    with store.memory() as memory:
        assert state(memory) == lived
    assert "cannot be used (KeyError" in caplog.text


def test_what_nothing_rests_on_loses_its_content_and_keeps_id_and_place(compacted):
    store, _, horizon = compacted
    kept = {event_id for event_id, body in bodies(store).items() if not body.startswith('{"compacted"')}
    assert {"tea", "start", "step", "end"} <= kept  # said, and of an episode
    assert {f"move{i}" for i in range(21, MOVES)} <= kept  # after the horizon
    assert not {f"move{i}" for i in range(1, 20)} & kept
    with store.journal() as journal:
        assert journal.sequence_of("move1") < journal.sequence_of("move20") < horizon
        assert journal.horizon().stamp == 200.0
        assert journal.find("tea").event.text == "ann likes tea"
        with pytest.raises(CompactedError, match=f"up to event {horizon} is known as one state"):
            journal.find("move1")
        with pytest.raises(CompactedError):
            list(journal.read())
        assert {entry.event.id for entry in journal.read(skip_compacted=True)} == kept


def test_the_event_of_a_current_record_keeps_its_content(store):
    with store.memory() as memory:
        live(memory)
        memory.remember([seen(thing("Pan|1", seen=1000.0), stamp=1000.0, id="later")])
        memory.upkeep.compact(900.0)
        sources = {record.source for record in memory._state.index.records.values()}
        kept = {event_id for event_id, body in bodies(store).items() if not body.startswith('{"compacted"')}
        assert sources <= kept


def test_an_event_without_content_is_known_again_by_its_id(compacted):
    store, lived, _ = compacted
    with store.memory() as memory:
        before = memory.last_sequence
        assert memory.remember([move(3)]).sequences == (memory._journal.sequence_of("move3"),)
        with pytest.raises(DuplicateEventError, match="'move3'"):
            memory.remember([told("something else", id="move3")])
        assert memory.last_sequence == before
        assert state(memory) == lived


def test_the_past_is_told_since_the_horizon_and_refused_before_it(compacted):
    store, _, _ = compacted
    without_snapshots(store)
    question = Query("the apple", kinds=frozenset({"long_term"}))
    with store.memory() as memory:
        for at, x in ((200.0, 20.0), (200.5, 20.0), (215.0, 21.0), (1000.0, MOVES - 1.0)):
            (found,) = memory.recall(Query("the apple", kinds=question.kinds, at=at)).recollections[:1]
            assert found.record.node.position[0] == x
        with pytest.raises(PastUnknownError, match=r"since 200\.000 s"):
            memory.recall(Query("the apple", at=199.9))
        with pytest.raises(PastUnknownError):
            memory.scene_graph(SCENE, at=50.0)


def test_a_state_of_the_past_that_was_kept_is_not_told_once_it_is_forgotten(store):
    with store.memory() as memory:
        live(memory)
        assert memory.scene_graph(at=50.0).node("Apple|1").position[0] == 5.0
        memory.upkeep.compact(200.5)
        with pytest.raises(PastUnknownError):
            memory.scene_graph(at=50.0)


@pytest.mark.parametrize(
    ("odd", "stamp", "since"),
    [("early", 2.0**31 - 10, 300.5), ("late", 0.0, 300.0)],
    ids=["one event of the far future", "one event of long ago"],
)
def test_a_clock_that_was_wrong_neither_stops_compaction_nor_takes_along_what_is_new(store, odd, stamp, since):
    statements = [told(f"statement {i}", 10.0 * i, id=f"t{i}") for i in range(1, 51)]
    statements.insert({"early": 1, "late": 45}[odd], told("wrong", stamp, id="odd"))
    with store.memory() as memory:
        memory.remember(statements)
        horizon = memory.upkeep.compact(300.5)
        assert horizon == memory._journal.sequence_of("t30")
        with pytest.raises(PastUnknownError, match=f"since {since:.3f} s"):
            memory.recall(Query("statement", at=since - 0.1))
        past = {item.record.id for item in memory.recall(Query("statement", at=405.0, limit=100)).recollections}
        assert "told:t40" in past
        assert "told:t41" not in past


def test_the_past_is_told_from_the_newest_snapshot_before_it(store, monkeypatch):
    with store.memory() as memory:
        memory.remember([home()])
        for i in range(1, MOVES):
            memory.remember([move(i)])  # event i + 2
            memory.upkeep.snapshot()
        read, begun = memory._journal.read, []
        monkeypatch.setattr(history_module, "NEAR", 5)
        monkeypatch.setattr(
            memory._journal, "read", lambda after, *rest, **at: begun.append(after) or read(after, *rest, **at)
        )
        for moves, snapshot in ((28, 30), (25, 24), (15, 16), (3, 3), (27, 28)):
            begun.clear()
            assert memory.scene_graph(at=10.0 * moves).node("Apple|1").position[0] == moves
            assert begun[0] == snapshot


def test_a_later_time_takes_only_the_events_in_between(store, monkeypatch):
    with store.memory() as memory:
        live(memory)
        observed, apply = [], MemoryState.apply
        monkeypatch.setattr(MemoryState, "apply", lambda state, item: observed.append(item.id) or apply(state, item))
        assert memory.scene_graph(at=50.0).node("Apple|1").position[0] == 5.0
        observed.clear()
        for moves in (6, 7, 9):
            assert memory.scene_graph(at=10.0 * moves).node("Apple|1").position[0] == moves
        assert [name for name in observed if name.startswith("move")] == ["move6", "move7", "move8", "move9"]


def test_who_knows_of_fewer_events_makes_nobody_observe_one_twice(store, monkeypatch):
    with store.memory() as memory:
        memory.remember([told("tea is green", 1.0, id="a"), told("tea is hot", 2.0, id="b")])
        observed, apply = [], MemoryState.apply
        monkeypatch.setattr(MemoryState, "apply", lambda state, item: observed.append(item.id) or apply(state, item))
        last = memory.last_sequence
        for known in (last, last - 1, last):
            with memory._history.at(5.0, known):
                pass
        assert observed.count("b") == 1


@settings(max_examples=30, deadline=None)
@given(
    histories,
    st.lists(
        st.one_of(
            st.tuples(st.just("remember"), st.integers(1, 10)),
            st.tuples(st.just("ask"), st.integers(0, 29), st.sampled_from([-0.5, 0.0, 0.5])),
            st.tuples(st.just("snapshot")),
            st.tuples(st.just("compact"), st.integers(0, 29)),
        ),
        max_size=20,
    ),
)
def test_going_on_from_what_was_known_gives_what_making_it_anew_does(quick_folder, history, course):
    """Whatever was asked before, however clocks went, and whatever was remembered, stored or dropped meanwhile."""
    events = list(events_of(history))
    to_come = iter(events)

    def told_at(time):
        try:
            with past.at(time, memory.last_sequence) as then:
                question = Query("the apple in the bowl", user="ann", limit=50)
                return dumps(then.snapshot()), then.answer(question, then.search(question, None))
        except PastUnknownError as error:
            return str(error)

    with Files(quick_folder).new("stepped").memory() as memory:
        memory._hearing.close()  # nothing else is committed meanwhile
        for what, *how in [*course, ("remember", len(events)), *(("ask", i, 0.0) for i in range(len(events)))]:
            if what == "remember":
                for item in itertools.islice(to_come, how[0]):
                    memory._live.commit([item], checked=False)
            elif what == "snapshot":
                memory.upkeep.snapshot()
            elif events and what == "compact":
                memory.upkeep.compact(events[how[0] % len(events)].stamp)
            elif events:
                time = events[how[0] % len(events)].stamp + how[1]
                past = memory._history
                stepped = told_at(time)
                past = History(memory._journal, memory._snapshots, lambda state: None)
                assert stepped == told_at(time)


def test_snapshots_of_what_is_forgotten_are_deleted(store):
    with store.memory() as memory:
        memory.remember([told("a secret", 1.0, id="secret")])
        memory.upkeep.snapshot()
        memory.forget(["told:secret"], stamp=2.0)
        live(memory)
        _, newest = memory.upkeep.snapshot()
        memory.upkeep.compact(200.5)
        assert list(store.folder.glob("*.snapshot-*")) == [newest]


def test_the_state_at_the_horizon_is_packed_before_anybody_has_to_wait(store, monkeypatch):
    def noted(statement):
        waiting.append(memory._live.write_lock.locked())
        return vars(statement)

    with store.memory() as memory:
        live(memory)
        waiting = []
        monkeypatch.setattr(Statement, "to_json", noted, raising=False)
        memory.upkeep.compact(200.5)
        assert waiting == [False]


def test_compacting_again_moves_the_horizon_forward_only(compacted):
    store, lived, horizon = compacted
    with store.memory() as memory:
        assert memory.upkeep.compact(100.0) == horizon
        assert memory.upkeep.compact(250.5) > horizon
        assert state(memory) == lived
        with pytest.raises(PastUnknownError, match=r"since 250\.000 s"):
            memory.scene_graph(at=205.0)
    with store.memory() as memory:
        assert state(memory) == lived


def test_the_newest_event_always_keeps_its_content(store):
    with store.memory() as memory:
        live(memory)
        lived, last = state(memory), memory.last_sequence
        assert memory.upkeep.compact(1e9) == last - 1
        sequence, _ = memory.upkeep.snapshot()
        assert sequence == last
    with store.memory() as memory:
        assert state(memory) == lived


def test_a_compaction_that_is_cut_short_loses_nothing_and_the_next_one_goes_on(store, monkeypatch):
    with store.memory() as memory:
        live(memory)
        lived = state(memory)
        transaction, begun = memory._journal.transaction, []

        @contextlib.contextmanager
        def once():
            begun.append(1)
            if len(begun) > 1:
                raise JournalError("no room")
            with transaction() as open_one:
                yield open_one

        with monkeypatch.context() as disk:
            disk.setattr(memory._journal, "transaction", once)
            with pytest.raises(JournalError, match="no room"):
                memory.upkeep.compact(200.5)
    with store.memory() as memory:
        assert state(memory) == lived
        memory.upkeep.compact(200.5)
        assert bodies(store)["move1"].startswith('{"compacted"')
        assert state(memory) == lived


def test_a_compacted_journal_outlives_a_change_of_the_snapshots(compacted, monkeypatch):
    store, lived, _ = compacted
    monkeypatch.setattr(snapshots, "VERSION", snapshots.VERSION + 1)
    with store.memory() as memory:
        assert state(memory) == lived


def test_a_base_of_a_newer_version_is_refused_with_what_to_do(compacted, monkeypatch):
    store, _, horizon = compacted
    without_snapshots(store)
    monkeypatch.setattr(compacted_module, "BASE_VERSION", BASE_VERSION - 1)
    with pytest.raises(NewerSchemaError, match=f"event {horizon}, .* has version {BASE_VERSION}, .*update karma"):
        store.memory()


def test_a_base_from_before_the_first_version_is_refused_with_what_to_do():
    with pytest.raises(JournalError, match=r"event 7, .* has version 1, .*with the karma_memory that wrote it"):
        upgraded({}, 1, 7)


def test_a_damaged_base_is_found_at_the_start(compacted):
    store, _, horizon = compacted
    store.execute("UPDATE base SET stamp = stamp - 1")
    with pytest.raises(CorruptJournalError, match=f"the state at event {horizon} is damaged"):
        store.journal()


def test_content_that_is_missing_after_the_horizon_is_found_at_the_start(compacted):
    store, _, _ = compacted
    store.execute("DELETE FROM base")
    with pytest.raises(CorruptJournalError, match="content of event"):
        store.journal()


def test_no_moment_shows_a_new_sequence_with_the_state_before_it(file_store, monkeypatch):
    """When another server compacted what this one had not observed, which then takes over a state."""
    with file_store.memory() as memory:
        live(memory)
        lived, last, clock = state(memory), memory.last_sequence, memory._live.clock
        taken = memory._live
        taken.applied, taken.clock, taken.state = 1, 0.0, MemoryState(PolicySettings())
        shown = []
        after, read = taken._history.after, taken._journal.read

        def looked_at(until):
            shown.append((taken.applied, taken.clock, dumps(taken.state.snapshot())))
            return after(until)

        def compacted(*arguments, **fields):
            monkeypatch.setattr(taken._journal, "read", read)
            raise CompactedError("by another server")

        class Watched:
            def __enter__(self):
                shown.append((taken.applied, taken.clock, dumps(taken.state.snapshot())))

            def __exit__(self, *_):
                shown.append((taken.applied, taken.clock, dumps(taken.state.snapshot())))

        monkeypatch.setattr(taken._journal, "read", compacted)
        monkeypatch.setattr(taken._history, "after", looked_at)
        lock, taken.lock = taken.lock, Watched()
        taken._catch_up(last)
        taken.lock = lock
        assert shown == [(1, 0.0, shown[0][2])] * 2 + [(last, clock, lived)]
