# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Databases whose end is gone, or whose files were damaged below PostgreSQL: refused; what is intact is salvaged."""

import os
import signal
from dataclasses import replace

import pytest
from journal_store import Databases
from postgres_server import installed_programs, running_server
from world import told

from karma_memory import CorruptJournalError, Image, open_journal, salvage
from karma_memory.command import __main__ as command

BLOCK = 8192
PICTURE = Image.of("jpeg", bytes(range(256)) * 40)
EVENTS = [
    told(f"statement {i} " * 20 + os.urandom(2000 * (i % 10 == 0)).hex(), float(i), id=f"e{i}", image=PICTURE)
    for i in range(200)
]
"""Several blocks; every tenth has parts beside the table (TOAST)."""


def ids(events):
    return [event.id for event in events]


def test_events_that_vanished_at_the_end_are_missed(postgres_store, tmp_path, capsys):
    store = postgres_store
    with store.memory() as memory:
        memory.remember(EVENTS)
        store.execute("DELETE FROM events WHERE sequence > 199")
        for _ in range(2):
            with pytest.raises(CorruptJournalError, match="event 200 is damaged or missing: 201 were committed"):
                memory.remember([told("more")])
    before = store.execute("SELECT * FROM events")
    for opened in (store.journal, store.memory, lambda: store.journal(verify=False)):
        with pytest.raises(CorruptJournalError, match="event 200 is damaged or missing"):
            opened()
    assert command.main(["verify", store.location]) == 1
    assert "event 200 is damaged or missing" in capsys.readouterr().err
    report = salvage(store.location, tmp_path / "new.sqlite3")
    assert (report.kept, report.lost) == (199, 2)
    assert store.execute("SELECT * FROM events") == before


def flip(path, server, name):
    """Change a letter of one event's text to what is no UTF-8."""
    data = bytearray(path.read_bytes())
    data[data.index(b"statement 47 ")] = 0xFF
    path.write_bytes(data)


def clear(path, server, name):
    """Clear a block, as some file systems do after a crash: for PostgreSQL it is an empty one."""
    data = bytearray(path.read_bytes())
    data[BLOCK : 2 * BLOCK] = bytes(BLOCK)
    path.write_bytes(data)


def cut(path, server, name):
    """Cut off what comes after the second block."""
    os.truncate(path, 2 * BLOCK)


DAMAGES = {
    "text": ("events", flip),
    "block": ("events", clear),
    "end": ("events", cut),
    "index of numbers": ("events_pkey", clear),
    "index of ids": ("events_id_key", clear),
}


@pytest.fixture(scope="module", params=[(), ("--data-checksums",)], ids=["", "with checksums of pages"])
def damaged(request, tmp_path_factory, quick_folder):
    """By damage: a store that suffered it."""
    with running_server(installed_programs(), quick_folder, *request.param) as server:
        databases = Databases(tmp_path_factory.mktemp("damaged"), server)
        stores = {}
        for number, (damage, (relation, _)) in enumerate(DAMAGES.items()):
            store = databases.new(f"damaged_{number}")
            with store.journal() as journal:
                journal.append(EVENTS)
            stores[damage] = store, server.file(f"damaged_{number}", f"karma_journal.{relation}")
        server.stop(signal.SIGINT)
        for damage, (_, file) in stores.items():
            DAMAGES[damage][1](file, server, damage)
        server.start()
        yield {damage: store for damage, (store, _) in stores.items()}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_was_damaged_below_postgresql_is_refused_and_what_is_intact_is_salvaged(damaged, damage, tmp_path):
    store = damaged[damage]
    for opened in (store.journal, store.memory):
        with pytest.raises(CorruptJournalError, match=r"karma_memory\.command salvage"):
            opened()
    report = salvage(store.location, tmp_path / "new.sqlite3")
    with open_journal(tmp_path / "new.sqlite3") as journal:
        kept = [entry.event for entry in journal.read()]
        assert journal.image(PICTURE.sha256) == PICTURE.data
    known = {event.id: event for event in EVENTS}
    assert all(event == bare(known[event.id]) for event in kept)
    assert ids(kept) == [event_id for event_id in known if event_id in set(ids(kept))]
    assert report.kept == len(kept) == len(EVENTS) - report.lost
    match damage:
        case "text":  # a row, or where pages have checksums all rows of one
            assert 1 <= report.lost <= BLOCK // 200
        case "block":
            assert 1 <= report.lost <= BLOCK // 200
        case "end":
            assert 2 <= report.kept <= 2 * BLOCK // 200
        case _:
            assert report.lost == 0


def bare(event):
    return replace(event, image=replace(event.image, data=b""))
