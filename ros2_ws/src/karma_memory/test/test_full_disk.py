# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A real file system without room: a small one in memory, or a limit on the size of files where none may be mounted."""

import os
import random
import resource
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from journal_store import KINDS, Store
from survival import Survivor
from world import APPLE, home, outcome, state, told

from karma_memory import Image, JournalError, JournalFullError, Memory, Query
from karma_memory import event_memory as memory_module
from karma_memory.journal import PortableFile, export_journal, import_journal, open_journal

SIZE = 32 * 1024 * 1024
"""Bytes of the small file system; the memory's own files take less than half of it."""


def noise(length, seed):
    """Return a text that no store can make shorter."""
    return random.Random(seed).randbytes(length // 2).hex()


BATCH = [told(f"statement {i} {noise(3500, i)}", float(i), id=f"big{i}") for i in range(500)]
"""About 2 MB in the journal."""


@pytest.fixture
def disk(quick_folder):
    """A file system of SIZE bytes."""
    folder = Path(tempfile.mkdtemp(dir=quick_folder))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0777", "karma-test", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system is not permitted")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(params=KINDS)
def disk_store(request, disk, tmp_path):
    """A store whose journal lies there: a file, or a database's tables. The log of the server lies elsewhere."""
    if request.param == "sqlite":
        yield Store(disk / "memory.sqlite3", disk)
        return
    postgres = request.getfixturevalue("postgres")
    with postgres.on_disk(disk) as location:
        yield Store(location, tmp_path)


@contextmanager
def filled(disk, *, left=0):
    """Take all space but `left` bytes, for a while."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        with suppress(OSError):
            while file.write(bytes(4096)) == 4096:
                pass
        file.truncate(file.tell() - left)
    try:
        yield
    finally:
        filler.unlink()


def survived(path, acknowledged):
    Survivor(Store(path, path.parent)).check(acknowledged)


@pytest.mark.parametrize("left", [0, 8192, 200_000, 1_000_000])
def test_in_the_middle_of_a_batch_nothing_is_half_written_recalls_go_on_and_space_mends_it(disk, disk_store, left):
    with disk_store.memory() as memory:
        memory.remember([home(), outcome("PutObject", APPLE)])
        before, known = state(memory), memory.last_sequence
        with filled(disk, left=left):
            for _ in range(3):
                with pytest.raises(JournalFullError, match="free some space and try again"):
                    memory.remember(BATCH)
                assert (state(memory), memory.last_sequence) == (before, known)
                assert memory.recall(Query("apple")).recollections[0].record.node == APPLE
        assert memory.remember(BATCH).sequences[-1] - memory.remember(BATCH).sequences[0] == len(BATCH) - 1
        acknowledged = dict.fromkeys((event.id for event in BATCH), 0)
    Survivor(disk_store).check(acknowledged)


def test_small_events_are_remembered_as_long_as_there_is_room_for_them(disk, disk_store):
    acknowledged = {}

    def remember_many(memory):
        for i in range(1000):
            acknowledged[f"e{i}"] = memory.remember([told(f"statement {i} {noise(1200, i)}", id=f"e{i}")]).sequences[0]

    with disk_store.memory() as memory, filled(disk, left=300_000):
        with pytest.raises(JournalFullError):
            remember_many(memory)
        assert memory.recall(Query("statement 0")).recollections
    assert len(acknowledged) > 10
    Survivor(disk_store).check(acknowledged)


def test_a_snapshot_that_finds_no_room_leaves_the_older_ones_and_no_rest(disk):
    with Memory(disk / "memory.sqlite3", embedder="lexical") as memory:
        memory.remember(BATCH[:100])
        _, first = memory.upkeep.snapshot()
        memory.remember(BATCH[100:200])
        files = sorted(disk.iterdir())
        with filled(disk, left=4096):
            with pytest.raises(JournalError, match="free some space"):
                memory.upkeep.snapshot()
            assert [path for path in sorted(disk.iterdir()) if path.name != "filler"] == files
            assert memory.recall(Query("statement 150")).recollections
        assert first.exists()
        memory.upkeep.snapshot()
        acknowledged = dict.fromkeys((event.id for event in BATCH[:200]), 0)
    survived(disk / "memory.sqlite3", acknowledged)


class AllAlike:
    """A stand-in model, to which everything means the same."""

    name = "all alike"

    def embed(self, texts):
        return np.ones((len(texts), 1), dtype=np.float32)


def test_vectors_that_find_no_room_are_computed_again_later(disk, monkeypatch):
    monkeypatch.setattr(memory_module, "make_embedder", lambda _: (AllAlike(), ""))
    with Memory(disk / "memory.sqlite3") as memory:
        memory.remember([told("a pear for tea", id="t1")])
        with filled(disk):
            assert memory.recall(Query("fruit")).recollections[0].record.id == "told:t1"
        assert memory.recall(Query("apple")).recollections[0].record.id == "told:t1"
    with Memory(disk / "memory.sqlite3") as memory:
        assert memory.recall(Query("fruit")).recollections[0].record.id == "told:t1"


def test_a_memory_can_be_opened_and_asked_when_the_disk_is_full(disk):
    path = disk / "memory.sqlite3"
    with Memory(path, embedder="lexical") as memory:
        memory.remember([home(), told("hello", id="t1")])
        before = state(memory)
    with filled(disk, left=64 * 1024), Memory(path, embedder="lexical") as memory:
        assert state(memory) == before
        assert memory.recall(Query("hello")).recollections


def test_what_is_kept_can_be_taken_elsewhere_and_that_there_is_room_again_is_noticed(disk, tmp_path):
    with Memory(disk / "memory.sqlite3", embedder="lexical") as memory:
        memory.remember([told("hello", id="t1")])
        with filled(disk):
            with pytest.raises(JournalFullError):
                memory.remember(BATCH)
            assert "free some space" in memory.trouble
            assert memory.upkeep.export(tmp_path / "rescued") == memory.last_sequence
            with pytest.raises(JournalFullError):
                memory.flush()
            assert "free some space" in memory.trouble
        memory.flush()
        assert not memory.trouble
    with PortableFile(tmp_path / "rescued") as file:
        file.verify()


def test_an_export_that_finds_no_room_says_so_and_leaves_nothing(disk, tmp_path):
    with open_journal(tmp_path / "journal.sqlite3") as journal:
        journal.append([told("picture", image=Image.of("jpeg", os.urandom(1_000_000)))])
        with filled(disk, left=200_000):
            with pytest.raises(JournalFullError, match="free some space"):
                export_journal(journal, disk / "out", {})
            assert [path.name for path in disk.iterdir()] == ["filler"]
        export_journal(journal, disk / "out", {})


def test_an_import_that_finds_no_room_goes_on_when_there_is_some(disk, disk_store, stores_of, tmp_path):
    with stores_of("sqlite").new().journal() as journal:
        journal.append([*BATCH, *(told(noise(5000, i), id=f"more{i}") for i in range(200))])
        export_journal(journal, tmp_path / "out", {})
        everything = list(journal.read())
    with PortableFile(tmp_path / "out") as file, disk_store.journal() as copy:
        with filled(disk, left=2_500_000), pytest.raises(JournalFullError):
            import_journal(file, copy)
        assert 0 < copy.last_sequence < len(everything)
        import_journal(file, copy)
        assert list(copy.read()) == everything


def test_a_file_that_may_not_grow_refuses_the_batch_and_keeps_the_rest(path):
    """Without the right to mount anything: a limit on the size of files, as a quota is one (RLIMIT_FSIZE)."""
    with Memory(path, embedder="lexical") as memory:
        memory.remember([home(), outcome("PutObject", APPLE)])
        before = state(memory)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, limits[1]))
        try:
            with pytest.raises(JournalError, match="disk I/O error"):
                memory.remember(BATCH)
            assert state(memory) == before
            assert memory.recall(Query("apple")).recollections[0].record.node == APPLE
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        memory.remember(BATCH)
    survived(path, dict.fromkeys((event.id for event in BATCH), 0))
