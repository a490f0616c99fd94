# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random instants under load (rounds through the memory server's node: test_memory_node.py)."""

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from memory_victim import made
from old_journals import make_oldest, make_version_2, oldest
from survival import Survivor

from karma_memory import EventKind, Image
from karma_memory.journal import PortableFile, export_journal, import_journal
from karma_memory.journal.compacted import is_stub

pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parent
KILLS = int(os.environ.get("KARMA_TEST_KILLS", "96"))
"""Kills of memories under load, on each kind of store; those of the node make it 200 in all."""
ROUNDS = 12
"""Kills of one memory, one after the other."""
MOST_ACKNOWLEDGED = 30
"""Events that are acknowledged before a kill, at most; after none it hits the making of the file, or the replay."""
LONGEST_WAIT = 0.05
"""Seconds until the kill after that, at most."""


class Victims:
    """Processes that are forked off one that has all modules loaded."""

    def __init__(self, process):
        self._process = process

    def run(self, store, task, *, enough=0, wait=None, **needs):
        """Let a process do its task; kill it `wait` seconds after `enough` acknowledgements, or never.

        Return what it acknowledged (id → sequence, or 0), and whether it was killed: it may have been done before.
        """
        order = {"task": task, "location": str(store.location), "folder": str(store.folder), **needs}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        acknowledged = {}

        def said(word):
            """Read up to a line that begins with `word`, or the last one, and return its words."""
            for line in self._process.stdout:
                first, number, *event_id = line.split()
                if first == "ack":
                    acknowledged[event_id[0]] = int(number)
                if first in (word, "gone"):
                    return first, int(number)
            raise AssertionError("the process that starts the others ended")

        _, pid = said("pid")
        last = "", 0
        while last[0] != "gone" and len(acknowledged) < enough:
            last = said("ack")
        if last[0] != "gone":
            if wait is not None:
                time.sleep(wait)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            last = said("gone")
        assert last[1] in (0, -signal.SIGKILL)
        return acknowledged, last[1] != 0

    def duration(self, *args, **needs):
        """Return how long a task takes that is not killed, s."""
        started = time.monotonic()
        assert not self.run(*args, **needs)[1]
        return time.monotonic() - started


@pytest.fixture(scope="module")
def victims():
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    program = [sys.executable, HERE / "memory_victim.py"]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield Victims(process)
        process.stdin.close()


@pytest.mark.parametrize("seed", range(-(-KILLS // ROUNDS)))
def test_a_memory_killed_at_random_instants_loses_and_doubles_nothing_and_is_what_a_replay_gives(store, victims, seed):
    """It remembers, recalls, writes snapshots and compacts its journal, all at the same time."""
    rng = random.Random(seed)
    acknowledged: dict[str, int] = {}
    survivor = Survivor(store)
    for run in range(ROUNDS):
        enough, wait = rng.randint(0, MOST_ACKNOWLEDGED), rng.uniform(0, LONGEST_WAIT)
        news, killed = victims.run(store, "live", enough=enough, wait=wait, run=run)
        assert killed
        acknowledged |= news
        rows = survivor.check(acknowledged, capacity=5)
        for event_id in acknowledged:
            event = survivor.events[event_id]
            assert event.kind is EventKind.EDIT or event == made(event_id)
    assert any(is_stub(row.body) for row in rows)


@pytest.fixture(scope="module")
def many():
    """Events of all kinds, some with pictures."""
    pictures = [Image.of("jpeg", bytes([i]) * 5000) for i in range(8)]
    events = [made(f"0-0-{number}") for number in range(750)]
    return [replace(event, image=pictures[i % 8] if i % 25 == 0 else None) for i, event in enumerate(events)]


@pytest.fixture
def exported(stores, many, tmp_path):
    store = stores.new("source")
    with store.journal() as journal:
        journal.append(many)
        export_journal(journal, tmp_path / "exported", {})
    return store, tmp_path / "exported"


def test_a_killed_import_leaves_the_first_events_and_goes_on_from_there(stores, victims, exported, many):
    file = str(exported[1])
    store, rng, left = stores.new("copy"), random.Random(1), set()
    for parts in (0, 1, 2, 4, 8, 12, 16, 24):  # of thirty
        wait = rng.uniform(0.0, 0.02)  # six more parts at most, however late the kill comes on a busy machine
        told, _ = victims.run(store, "import", enough=parts, wait=wait, source=file, parts=parts + 6)
        store.settle()
        with store.journal() as copy:
            left.add(copy.last_sequence)
            assert copy.last_sequence >= max(told.values(), default=0)
            assert [entry.event for entry in copy.read()] == [bare(event) for event in many[: copy.last_sequence]]
    assert len(left) > 4
    with PortableFile(file) as source, store.journal() as copy:
        import_journal(source, copy)
        assert [entry.event for entry in copy.read()] == list(map(bare, many))
        assert all(copy.image(event.image.sha256) == event.image.data for event in many if event.image)


def bare(event):
    """Return an event as a journal gives it back: its picture without the bytes."""
    return event if event.image is None else replace(event, image=replace(event.image, data=b""))


def test_a_killed_export_leaves_no_file_or_a_complete_one_and_does_not_hinder_the_next(
    stores, victims, exported, tmp_path
):
    source, file = exported
    out = tmp_path / "there" / "out"
    out.parent.mkdir()
    longest, rng = victims.duration(source, "export", out=str(tmp_path / "whole")), random.Random(2)
    for _ in range(8):
        victims.run(source, "export", wait=rng.uniform(0.0, longest), out=str(out))
        assert not out.exists() or out.read_bytes() == file.read_bytes()
    victims.run(source, "export", out=str(out))
    assert list(out.parent.iterdir()) == [out]
    assert out.read_bytes() == file.read_bytes()


def test_a_killed_migration_leaves_the_old_journal_or_the_new_one(stores, victims, many):
    old = stores.new("old")
    make_oldest(old, many)
    rows = old.execute("SELECT * FROM events ORDER BY sequence")

    def old_again():
        """Return a journal of the old version."""
        if not old.is_file:
            with suppress(psycopg.errors.UndefinedColumn):
                make_version_2(old)
            return old
        store = stores.new("copy")
        shutil.copy(old.location, store.location)
        return store

    wait, rng, left = victims.duration(old_again(), "open"), random.Random(3), set()
    for kill in itertools.count():
        if kill >= 14 and len(left) == 2:
            break
        assert kill < 100, left
        store = old_again()
        victims.run(store, "open", wait=rng.uniform(0.8, 1.2) * wait)
        store.settle()
        left.add(store.found_version)
        wait *= 0.8 if store.found_version == store.version else 1.2  # around the instant of the change
        assert store.execute("SELECT * FROM events ORDER BY sequence") == rows
        with store.journal() as journal:
            assert journal.schema_version == store.version
            assert [entry.event for entry in journal.read()] == list(map(bare, many))
            assert journal.append([made("1-0-0"), many[0]]) == [len(many) + 1, 1]
        store.lose_after(len(many))
    assert left == {store.version, oldest(store)}
