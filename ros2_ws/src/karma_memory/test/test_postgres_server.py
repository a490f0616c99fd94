# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server that is stopped, or killed, while memory servers use it."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from journal_store import Databases
from postgres_server import installed_programs, running_server
from survival import Survivor
from waiting import eventually
from world import outcome, thing, told

from karma_memory import JournalConnectionError, JournalError, Query
from karma_memory.journal.compacted import is_stub
from karma_memory.state import history

ROUNDS = 6
WRITERS = 3
DEADLINE = 120.0
"""Seconds after which what should come is missing."""


@pytest.fixture(scope="module")
def server(quick_folder):
    """A server that these tests may kill."""
    with running_server(installed_programs(), quick_folder) as server:
        yield server


@pytest.fixture
def own_store(server, tmp_path):
    return Databases(tmp_path, server).new()


def test_a_server_that_restarts_is_found_again_and_followed_again(server, own_store):
    with own_store.memory() as first, own_store.memory() as second:
        first.remember([told("before", id="before")])
        server.stop()
        with pytest.raises(JournalError):
            first.remember([told("meanwhile", id="meanwhile")])
        assert first.recall(Query("before")).recollections  # asking needs no journal
        server.start()
        first.remember([told("after", id="after")])
        eventually(lambda: second.record("told:after") is not None, DEADLINE)
        assert second.record("told:meanwhile") is None
        assert second.record("told:before") is not None


class Writer(threading.Thread):
    """Remembers event after event; the same again while the server is away, as the error advises."""

    def __init__(self, memory, name):
        super().__init__()
        self.acknowledged = {}
        self.sent = {}
        self.refused = 0
        self.trouble = None
        self.stopped = threading.Event()
        self._memory = memory
        self._prefix = name

    def run(self):
        try:
            number = 0
            while not self.stopped.is_set():
                name = f"{self._prefix}-{number}"
                item = thing(f"Mug|{number % 9}", (float(number), 0.0, 1.0), seen=float(number))
                batch = [
                    told("word " * 50, float(number), id=name),
                    outcome("PutObject", item, id=f"{name}-put", stamp=float(number)),
                ]
                self.sent |= {event.id: event for event in batch}
                try:
                    receipt = self._memory.remember(batch)
                except JournalConnectionError:
                    self.refused += 1
                    time.sleep(0.01)
                else:
                    self.acknowledged |= zip(receipt.ids, receipt.sequences, strict=True)
                    number += 1
        except Exception as error:  # noqa: BLE001 - the test tells
            self.trouble = error


def compact(memory, stopped):
    """Compact the journal up to a moment ago, time and again."""
    while not stopped.is_set():
        with suppress(JournalConnectionError):
            memory.upkeep.compact(memory.units()[-1].time - 20.0 if memory.units() else 0.0)
        stopped.wait(0.02)


@pytest.mark.slow
def test_a_server_killed_under_load_loses_and_doubles_no_acknowledged_event(server, own_store, monkeypatch):
    monkeypatch.setattr(history, "DROPPED_TOGETHER", 10)  # many transactions, for a kill to come between
    rng = random.Random(1)
    sent = {}
    survivor = Survivor(own_store, sent)
    survivor.check({})
    with own_store.memory() as first, own_store.memory() as second:
        writers = [Writer((first, second)[i % 2], f"writer{i}") for i in range(WRITERS)]
        compacting = ThreadPoolExecutor(1).submit(compact, first, writers[0].stopped)
        for writer in writers:
            writer.start()
        try:
            for _ in range(ROUNDS):
                enough = {writer: len(writer.acknowledged) + rng.randrange(2, 60) for writer in writers}
                eventually(
                    lambda enough=enough: all(len(writer.acknowledged) >= enough[writer] for writer in writers),
                    DEADLINE,
                )
                server.kill()
                server.start()
        finally:
            for writer in writers:
                writer.stopped.set()
        for writer in writers:
            writer.join()
        assert [writer.trouble for writer in writers] == [None] * WRITERS
        compacting.result(DEADLINE)
        assert all(writer.refused for writer in writers)
        acknowledged = {event_id: place for writer in writers for event_id, place in writer.acknowledged.items()}
        for memory in (first, second):
            eventually(lambda memory=memory: memory.last_sequence >= max(acknowledged.values()), DEADLINE)
        eventually(lambda: first.last_sequence == second.last_sequence, DEADLINE)
        assert first._state.snapshot() == second._state.snapshot()
    for writer in writers:
        sent |= writer.sent
    assert any(is_stub(row.body) for row in survivor.check(acknowledged))
