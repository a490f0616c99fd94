# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls that share a commit: none is acknowledged before it is on disk, and none suffers from another."""

import contextlib
import threading
import time

import pytest
from world import APPLE, event, outcome, told

from karma_memory import (
    BusyError,
    DuplicateEventError,
    EditError,
    EventKind,
    Image,
    InvalidEventError,
    JournalConnectionError,
    JournalError,
    JournalFullError,
    Query,
    UnknownRecordError,
)
from karma_memory.journal import group_commit

DEADLINE = 60.0
"""Seconds after which what should come is missing."""


class Callers:
    """Calls that queue up in a given order while the memory is writing something else."""

    def __init__(self, memory):
        self.memory = memory
        self.results = {}
        self._threads = []

    @contextlib.contextmanager
    def waiting(self):
        """Let calls wait until the context is left; then for their end."""
        with self.memory._live.write_lock:
            yield
        for thread in self._threads:
            thread.join()

    def call(self, name, function, *args, **fields):
        queue = self.memory._live.commits._queue
        before = len(queue)

        def run():
            try:
                self.results[name] = function(*args, **fields)
            except Exception as error:  # noqa: BLE001 - what a call raises is its result
                self.results[name] = error

        thread = threading.Thread(target=run)
        thread.start()
        self._threads.append(thread)
        end = time.monotonic() + DEADLINE
        while len(queue) == before and thread.is_alive():
            assert time.monotonic() < end
            time.sleep(0.001)

    def remember(self, name, *events):
        self.call(name, self.memory.remember, list(events))


def count_transactions(memory, monkeypatch):
    transaction, begun = memory._journal.transaction, []
    monkeypatch.setattr(memory._journal, "transaction", lambda: begun.append(1) or transaction())
    return begun


def test_calls_that_wait_are_committed_together_in_their_order(memory, monkeypatch):
    callers, begun = Callers(memory), count_transactions(memory, monkeypatch)
    with callers.waiting():
        for name in "abcde":
            callers.remember(name, told(name, id=f"{name}1"), told(name, id=f"{name}2"))
    assert len(begun) == 1
    # 1 is the configuration
    assert [callers.results[name].sequences for name in "abcde"] == [(2, 3), (4, 5), (6, 7), (8, 9), (10, 11)]
    assert [statement.id for statement in memory._state.told.statements()] == [f"{n}{i}" for n in "abcde" for i in "12"]


def test_a_call_that_is_refused_does_not_fail_those_it_shares_the_commit_with(memory):
    memory.remember([told("first", id="taken")])
    callers = Callers(memory)
    with callers.waiting():
        callers.remember("a", told("a", id="a"))
        callers.remember("b", told("b", id="b"), told("another", id="taken"))
        callers.remember("c", told("c", id="c"), told("no bytes", id="c2", image=Image("png", "1" * 64)))
        callers.remember("d", told("d", id="d"))
    assert callers.results["a"].sequences == (3,)
    assert isinstance(callers.results["b"], DuplicateEventError)
    assert isinstance(callers.results["c"], InvalidEventError)
    assert callers.results["d"].sequences == (4,)
    assert memory.record("told:b") is None
    assert memory.record("told:c") is None


def test_a_call_that_the_disk_has_no_room_for_does_not_fail_those_that_fit(memory, monkeypatch):
    transaction = memory._journal.transaction

    @contextlib.contextmanager
    def small():
        with transaction() as begun:
            yield begun
            if begun.last_sequence - begun.before > 5:
                raise JournalFullError("no room")

    monkeypatch.setattr(memory._journal, "transaction", small)
    callers = Callers(memory)
    with callers.waiting():
        callers.remember("a", told("a", id="a"))
        callers.remember("big", *(told("big") for _ in range(10)))
        callers.remember("b", told("b", id="b"))
    assert callers.results["a"].sequences == (2,)
    assert isinstance(callers.results["big"], JournalFullError)
    assert callers.results["b"].sequences == (3,)
    assert memory.last_sequence == 3


def test_when_the_server_is_gone_all_that_wait_are_told_after_one_attempt(memory, monkeypatch):
    attempts = []

    @contextlib.contextmanager
    def gone():
        attempts.append(1)
        raise JournalConnectionError("no connection")
        yield

    with monkeypatch.context() as network:
        network.setattr(memory._journal, "transaction", gone)
        callers = Callers(memory)
        with callers.waiting():
            for name in "abc":
                callers.remember(name, told(name, id=name))
    assert [type(callers.results[name]) for name in "abc"] == [JournalConnectionError] * 3
    assert len(attempts) == 1
    assert memory.remember([told("a", id="a")]).sequences == (2,)


def test_the_same_event_of_two_calls_is_remembered_once_as_it_came_first(store):
    with store.memory() as memory:
        callers = Callers(memory)
        with callers.waiting():
            callers.remember("a", told("hello", 1.0, id="x"))
            callers.remember("b", told("hello", 2.0, id="x"))
        assert callers.results["a"].sequences == callers.results["b"].sequences == (2,)
        assert memory.record("told:x").valid_from == 1.0
    with store.memory() as memory:
        assert memory.record("told:x").valid_from == 1.0


def test_of_two_edits_of_one_record_the_second_is_told_that_it_is_gone(memory):
    memory.remember([told("tea is in the drawer", id="t1")])
    callers = Callers(memory)
    with callers.waiting():
        callers.call("a", memory.edit, "told:t1", "tea is in the cabinet", stamp=2.0)
        callers.call("b", memory.edit, "told:t1", "tea is in the fridge", stamp=3.0)
        callers.call("c", memory.forget, ["told:t1"], stamp=4.0)
    assert memory.record(callers.results["a"]).text == "tea is in the cabinet"
    assert isinstance(callers.results["b"], UnknownRecordError)
    assert isinstance(callers.results["c"], UnknownRecordError)


def test_an_edit_meets_what_was_remembered_before_it_in_the_queue(memory):
    callers = Callers(memory)
    with callers.waiting():
        callers.remember("a", told("tea is in the drawer", id="t1"))
        callers.call("b", memory.edit, "told:t1", "tea is in the cabinet", stamp=2.0)
    assert memory.record(callers.results["b"]).text == "tea is in the cabinet"


def test_a_record_that_is_edited_twice_in_one_call_refuses_the_call(memory):
    memory.remember([told("tea", id="t1")])
    edits = [event(EventKind.EDIT, 2.0, target="told:t1", text=text) for text in ("coffee", "milk")]
    with pytest.raises(EditError, match="twice"):
        memory.remember(edits)
    assert memory.record("told:t1").text == "tea"


def test_forgetting_by_kind_takes_what_is_still_there(memory):
    memory.remember([told("a", id="a"), told("b", id="b")])
    callers = Callers(memory)
    with callers.waiting():
        callers.call("a", memory.forget, ["told:a"], stamp=2.0)
        callers.call("all", memory.forget, kind="told", stamp=3.0)
    assert callers.results["a"] == 1
    assert memory.stats().records == 0


def test_when_too_many_calls_wait_the_next_is_told_to_try_again(memory, monkeypatch):
    monkeypatch.setattr(group_commit, "MAX_WAITING", 3)
    callers = Callers(memory)
    with callers.waiting():
        for name in "abc":
            callers.remember(name, told(name))
        with pytest.raises(BusyError, match="try again"):
            memory.remember([told("one too many", id="late")])
    assert [callers.results[name].sequences for name in "abc"] == [(2,), (3,), (4,)]
    assert memory.remember([told("one too many", id="late")]).sequences == (5,)


def test_uses_of_short_term_memory_are_committed_though_many_calls_wait(memory, monkeypatch):
    monkeypatch.setattr(group_commit, "MAX_WAITING", 3)
    memory.remember([outcome("PutObject", APPLE)])
    memory.recall(Query("the apple"))
    callers = Callers(memory)
    with callers.waiting():
        for name in "abc":
            callers.remember(name, told(name))
        callers.call("flush", memory.flush)
    assert callers.results["flush"] is None
    assert memory.last_sequence == 6  # settings, outcome, use, a, b, c


def test_an_interrupted_call_leaves_those_that_wait_with_it_to_the_next(memory, monkeypatch):
    commit, interrupted = memory._live.commits._commit, []

    def interrupt_once(batches):
        if not interrupted:
            interrupted.append(len(batches))
            raise KeyboardInterrupt
        commit(batches)

    monkeypatch.setattr(memory._live.commits, "_commit", interrupt_once)
    callers = Callers(memory)

    def interruptible(events):
        try:
            return memory.remember(events)
        except KeyboardInterrupt:
            return "interrupted"

    with callers.waiting():
        for name in "abc":
            callers.call(name, interruptible, [told(name, id=name)])
    assert interrupted == [3]
    assert sorted(map(str, callers.results.values())).count("interrupted") == 1
    acknowledged = [result.ids[0] for result in callers.results.values() if result != "interrupted"]
    assert all(memory.record(f"told:{event_id}") for event_id in acknowledged)


class InterruptedWait(threading.Event):
    """Waits, and is interrupted then, as by Ctrl-C."""

    def wait(self, timeout=None):
        super().wait(timeout)
        raise KeyboardInterrupt


def test_a_caller_that_is_interrupted_when_its_turn_comes_hands_over_to_the_next():
    committed, results, lock = [], {}, threading.Lock()
    commits = group_commit.GroupCommit(lambda batches: committed.extend(batch.events[0].id for batch in batches), lock)
    edit = group_commit.Batch([event(EventKind.EDIT, 1.0, id="b", target="told:x")])  # begins a group of its own
    edit.turn = InterruptedWait()

    def submit(batch):
        try:
            results[batch.events[0].id] = commits.submit(batch)
        except KeyboardInterrupt as error:
            results[batch.events[0].id] = error

    batches = [group_commit.Batch([told("a", id="a")]), edit, group_commit.Batch([told("c", id="c")])]
    threads = [threading.Thread(target=submit, args=(batch,)) for batch in batches]
    with lock:
        for number, thread in enumerate(threads, 1):
            thread.start()
            while len(commits._queue) < number:
                time.sleep(0.001)
    for thread in threads:
        thread.join(DEADLINE)
    assert committed == ["a", "c"]
    assert isinstance(results["b"], KeyboardInterrupt)


def test_calls_that_wait_while_the_memory_is_closed_end_with_an_error(store):
    memory = store.memory()
    callers = Callers(memory)
    with callers.waiting():
        callers.remember("a", told("a"))
        memory._journal.close()
    assert isinstance(callers.results["a"], JournalError)
    memory.close()
