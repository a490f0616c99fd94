# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Several memory servers on one PostgreSQL: nothing is lost, and all observe one order."""

import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from waiting import DEADLINE, eventually
from world import SCENE, home, live, outcome, seen, state, thing, told

from karma_memory import (
    EventKind,
    PastUnknownError,
    Query,
    UnknownRecordError,
)
from karma_memory.encoding import encode_event
from karma_memory.journal import following
from karma_memory.journal.postgres import PostgresJournal
from karma_memory.state import live as live_module
from karma_memory.state.live import LiveState

HERE = Path(__file__).resolve().parent


@pytest.fixture
def store(postgres_store):
    return postgres_store


def away(memory, monkeypatch):
    """Let a memory observe what others remember only when it is told to."""
    monkeypatch.setattr(memory._live._follower, "_catch_up", lambda: time.sleep(0.01))


def test_writers_that_append_at_the_same_time_get_one_order_without_gaps(store):
    with store.journal() as first, store.journal() as second:
        taken = {}

        def work(name, journal):
            taken[name] = [journal.append([told("x", id=f"{name}{i}"), told("y", id=f"{name}{i}b")]) for i in range(50)]

        threads = [threading.Thread(target=work, args=item) for item in (("a", first), ("b", second), ("c", first))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pairs = [pair for pairs in taken.values() for pair in pairs]
        assert all(right == left + 1 for left, right in pairs)
        assert sorted(number for pair in pairs for number in pair) == list(range(1, 301))
        assert [entry.event for entry in first.read()] == [entry.event for entry in second.read()]


def test_an_event_that_another_server_has_remembered_keeps_its_sequence(store):
    with store.journal() as first, store.journal() as second:
        assert first.append([told("hello", id="a", stamp=1.0)]) == [1]
        assert second.append([told("hello", id="a", stamp=2.0), told("new", id="b")]) == [1, 2]


def test_a_reader_never_sees_a_later_event_before_an_earlier_one(store):
    with store.journal() as first, store.journal() as second:
        begun, looked, slow_event = threading.Event(), threading.Event(), told("slow", id="slow")

        def append_slowly():
            with first.transaction() as transaction:
                transaction.add([slow_event], [encode_event(slow_event)])
                begun.set()
                assert looked.wait(DEADLINE)
                time.sleep(0.2)  # for the other to get there

        slow = threading.Thread(target=append_slowly)
        slow.start()
        assert begun.wait(DEADLINE)
        assert second.last_sequence == 0
        looked.set()
        assert second.append([told("quick", id="quick")]) == [2]  # waited for the other
        slow.join()
        assert [entry.event.id for entry in second.read()] == ["slow", "quick"]


def test_two_servers_that_start_on_an_empty_database_make_one_journal(store):
    made = []
    threads = [threading.Thread(target=lambda: made.append(store.memory())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({memory._journal.uuid for memory in made}) == 1
    assert {memory.last_sequence for memory in made} == {1}
    for memory in made:
        memory.close()


def test_whatever_goes_wrong_in_following_other_servers_is_told_and_tried_again(store, monkeypatch):
    monkeypatch.setattr(following, "PERIOD", 0.01)
    with store.memory() as first, store.memory() as second:
        with monkeypatch.context() as patch:
            patch.setattr(second._journal, "wait", lambda after, timeout: 1 / 0)
            eventually(lambda: "ZeroDivisionError" in second.trouble)
        first.remember([told("hello", id="a")])
        eventually(lambda: second.record("told:a") is not None and not second.trouble)


def test_a_server_that_is_far_behind_lets_the_others_commit_while_it_catches_up(store, monkeypatch):
    monkeypatch.setattr(live_module, "OBSERVED_INSIDE", 5)
    monkeypatch.setattr(LiveState, "_follow", lambda self: time.sleep(0.01))  # as if it had been away
    with store.memory() as first, store.memory() as second:
        first.remember([told("x", id=f"t{i}") for i in range(20)])
        observe = second._live._observe

        def commit_meanwhile(sequence, event):
            if event.id == "t10":
                first.remember([told("meanwhile", id="meanwhile")])
            observe(sequence, event)

        monkeypatch.setattr(second._live, "_observe", commit_meanwhile)
        assert second.remember([told("own", id="own")]).sequences == (23,)
        assert second.record("told:meanwhile") is not None


def test_servers_that_share_a_folder_write_their_snapshots_one_after_the_other(store, caplog):
    with store.memory() as first, store.memory() as second:
        first.remember([told(f"statement {i} " * 100, id=f"t{i}") for i in range(200)])
        eventually(lambda: second.last_sequence == first.last_sequence)
        written = []
        writers = [
            threading.Thread(target=lambda memory=memory: written.extend(memory.upkeep.snapshot() for _ in range(10)))
            for memory in (first, second)
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert len(written) == 20
        lived = state(first)
    with store.memory() as memory:
        assert state(memory) == lived
    assert "cannot be used" not in caplog.text


def test_every_server_observes_what_the_others_remember(store):
    with store.memory() as first, store.memory() as second:
        first.remember([home(), told("the keys are in the bowl", id="t1")])
        eventually(lambda: second.record("told:t1") is not None)
        assert second.scene_graph().node("Apple|1") is not None
        second.edit("told:t1", "the keys are on the hook", stamp=5.0)
        eventually(lambda: first.record("told:t1") is None)
        second.recall(Query("the apple"))
        second.flush()
        first.flush()
        assert state(first) == state(second)
        assert first.last_sequence == second.last_sequence


def test_a_server_that_appends_observes_first_what_the_others_appended_before(store, monkeypatch):
    with store.memory() as first, store.memory() as second:
        away(second, monkeypatch)
        first.remember([told("tea is in the drawer", id="t1", user="ann")])
        receipt = second.remember([told("coffee too", id="t2")])
        assert receipt.sequences == (4,)  # behind the configuration, the words and their reading
        assert [statement.id for statement in second._state.told.statements()] == ["t1", "t2"]


def test_an_edit_is_checked_against_what_other_servers_did_before_it(store, monkeypatch):
    with store.memory() as first, store.memory() as second:
        first.remember([told("tea is in the drawer", id="t1")])
        eventually(lambda: second.record("told:t1") is not None)
        away(second, monkeypatch)
        first.edit("told:t1", "tea is in the cabinet", stamp=2.0)
        with pytest.raises(UnknownRecordError):
            second.edit("told:t1", "tea is gone", stamp=3.0)
        assert second.last_sequence == first.last_sequence


def test_a_server_that_was_away_while_the_journal_was_compacted_goes_on_from_its_base(store, monkeypatch):
    with store.memory() as first, store.memory() as second:
        away(second, monkeypatch)
        for i in range(1, 20):
            first.remember([seen(thing("Apple|1", (float(i), 0.0, 1.0), seen=float(i)), stamp=float(i))])
        first.upkeep.compact(15.0)
        second.remember([told("back again", 30.0, id="t1")])
        first.remember([told("so am I", 31.0, id="t2")])
        second.flush()
        second.remember([told("good", 32.0)])
        eventually(lambda: first.last_sequence == second.last_sequence)
        assert state(first) == state(second)


def used(i, **fields):
    mug = thing("Mug|1", (float(i), 0.0, 1.0), seen=float(i))
    return outcome("PutObject", mug, stamp=float(i), id=f"used{i}", **fields)


def test_what_was_compacted_beyond_where_a_server_meant_to_catch_up_is_observed_once(store, monkeypatch):
    with store.memory() as first, store.memory() as second:
        away(second, monkeypatch)
        first.remember([used(i, episode="" if i < 5 else "e1") for i in range(1, 20)])  # those of episodes stay
        first.upkeep.compact(15.0)
        with second._live.write_lock:
            second._live._catch_up(4)  # the newest event when it looked
        second.flush()
        second.remember([told("good", 32.0)])
        eventually(lambda: first.last_sequence == second.last_sequence)
        assert state(first) == state(second)


def test_a_question_about_the_past_that_is_forgotten_meanwhile_is_refused(store, monkeypatch):
    with store.memory() as first, store.memory() as second:
        first.remember([used(i) for i in range(1, 20)])
        eventually(lambda: first.last_sequence == second.last_sequence)
        sequence_at = second._journal.sequence_at

        def forgotten_then(*arguments):
            found = sequence_at(*arguments)
            first.upkeep.compact(15.0)
            return found

        monkeypatch.setattr(second._journal, "sequence_at", forgotten_then)
        with pytest.raises(PastUnknownError, match=r"since 15\.000 s"):
            second.scene_graph(SCENE, at=5.0)
        assert second.scene_graph(SCENE, at=17.0).node("Mug|1").position[0] == 17.0


def test_a_server_that_is_behind_tells_the_past_from_what_another_one_has_compacted(store, monkeypatch):
    with store.memory() as first, store.memory() as second:
        away(second, monkeypatch)
        first.remember([used(i) for i in range(1, 20)])
        first.upkeep.compact(15.0)
        assert second.scene_graph(SCENE, at=15.0).node("Mug|1").position[0] == 15.0
        with pytest.raises(PastUnknownError):
            second.scene_graph(SCENE, at=14.0)
        assert second.upkeep.snapshot()[0] == 1  # of its own state


def test_a_server_that_starts_while_another_one_compacts_step_by_step_has_the_same_state(store, monkeypatch):
    with store.memory() as first:
        first.remember([used(i) for i in range(1, 20)])
        read, steps = PostgresJournal.read, [5.0, 10.0, 15.0]

        def compacted_then(journal, *arguments, **fields):
            if journal is not first._journal and steps:
                first.upkeep.compact(steps.pop(0))
            return read(journal, *arguments, **fields)

        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(PostgresJournal, "read", compacted_then)
            with store.memory() as second:
                assert state(first) == state(second)
        assert not steps


def test_of_two_servers_that_compact_the_later_horizon_stays(store):
    with store.memory() as first, store.memory() as second:
        first.remember([seen(thing("Apple|1", seen=float(i)), stamp=float(i)) for i in range(1, 20)])
        eventually(lambda: second.last_sequence == first.last_sequence)
        later = second.upkeep.compact(15.0)
        assert first.upkeep.compact(10.0) == later
    with store.memory() as memory:
        assert memory.scene_graph().node("Apple|1").last_seen == 19.0


def test_a_journal_that_another_server_compacts_while_it_is_checked_is_not_taken_for_damaged(store, monkeypatch):
    with store.memory() as first, store.journal(verify=False) as journal:
        live(first)
        horizon, asked = journal.horizon, []

        def compacted_then():
            before = horizon()
            if not asked:
                asked.append(first.upkeep.compact(200.5))
            return before

        monkeypatch.setattr(journal, "horizon", compacted_then)
        journal.verify()
        assert asked[0] > 0


@pytest.mark.slow
def test_two_processes_that_write_ten_thousand_events_each_lose_none_and_agree_on_one_order(store):
    count = 10_000
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    command = [sys.executable, HERE / "memory_writer.py", store.location, store.folder, str(count)]
    writers = [
        subprocess.Popen(
            [*command, name, other], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
        )
        for name, other in (("a", "b"), ("b", "a"))
    ]
    assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * 2
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    digests = [writer.communicate()[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert digests[0] == digests[1]  # one order, one state
    with store.journal() as journal:
        told_ids = [entry.event.id for entry in journal.read() if entry.event.kind is EventKind.TOLD]
        assert journal.last_sequence == 2 * count + 1
    for name in "ab":
        assert [event_id for event_id in told_ids if event_id[0] == name] == [f"{name}{i}" for i in range(count)]
    switches = sum(left[0] != right[0] for left, right in itertools.pairwise(told_ids))
    assert switches > 10  # they wrote at the same time
