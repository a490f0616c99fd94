# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma doctor --database`: what is in a memory, and what to do about it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from karma.command.doctor import command
from karma_memory import Event, EventKind, Image
from karma_memory.command.survey import YEAR_S
from karma_memory.journal import open_journal

DAYS = 10


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of ten days, an event a day."""
    file = tmp_path / "home.sqlite3"
    with open_journal(file) as journal:
        journal.append(
            [
                Event(
                    f"e{day}",
                    EventKind.TOLD,
                    1.8e9 + day * 86_400.0,
                    user="ann" if day % 2 else "bob",
                    scene="home1",
                    text="hello",
                    image=Image.of("jpeg", b"picture") if day == 3 else None,
                )
                for day in range(DAYS + 1)
            ]
        )
    return file


def doctor(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], standalone_mode=True)


def test_what_is_in_a_memory_how_it_grows_and_what_to_do_is_said_and_the_file_stays_as_it_is(path: Path) -> None:
    before = path.read_bytes()
    done = doctor("--database", path, "--json", path.parent / "out" / "found.json")
    assert done.exit_code == 0, done.output
    for line in ("events     11", "users      bob (6), ann (5)", "scenes     home1 (11)", "           11 TOLD"):
        assert line in done.output.splitlines()
    assert f"memory backup FILE --database {path}" in done.output
    assert path.read_bytes() == before
    found = json.loads((path.parent / "out" / "found.json").read_text())
    size = path.stat().st_size
    assert (found["size_bytes"], found["pictures"], found["picture_bytes"]) == (size, 1, len(b"picture"))
    in_a_year = 11 * YEAR_S / (DAYS * 86_400.0)
    assert found["year_bytes"] == pytest.approx(size + in_a_year * size / 11)


def test_a_memory_of_less_than_a_day_foresees_no_year(tmp_path: Path) -> None:
    with open_journal(tmp_path / "new.sqlite3") as journal:
        journal.append([Event(f"e{stamp}", EventKind.TOLD, stamp, user="ann", text="hello") for stamp in (1.0, 90.0)])
    done = doctor("--database", tmp_path / "new.sqlite3")
    assert (done.exit_code, "in a year" in done.output) == (0, False)


def change(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("PRAGMA user_version = 99", "schema version 99.*update karma_memory"),
        ("PRAGMA application_id = 7", "no KARMA journal"),
        ("UPDATE events SET body = '{}' WHERE sequence = 4", "event 4 is damaged.*salvage"),
        ("DELETE FROM images", "picture .* is damaged or missing.*salvage"),
    ],
)
def test_a_memory_that_is_newer_foreign_or_damaged_is_told_in_a_sentence(path: Path, statement: str, said: str) -> None:
    change(path, statement)
    done = doctor("--database", path)
    assert done.exit_code == 1
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(done.output)


def test_a_memory_that_another_process_writes_is_read_and_one_that_is_not_there_is_not_made(path: Path) -> None:
    with open_journal(path) as journal:
        assert doctor("--database", path).exit_code == 0
        journal.append([Event("more", EventKind.TOLD, 1.9e9, user="ann", text="hello")])
    done = doctor("--database", path.parent / "nowhere.sqlite3")
    assert (done.exit_code, "does not exist" in done.output) == (1, True)
    assert not (path.parent / "nowhere.sqlite3").exists()


def test_a_memory_is_examined_by_itself(path: Path) -> None:
    done = doctor("--database", path, "--backend", "household")
    assert (done.exit_code, "leave the other options out" in done.output) == (2, True)
