# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m karma_memory.command."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from world import APPLE, home, outcome, told

from karma_memory import Image, JournalError
from karma_memory.command import __main__ as command
from karma_memory.command.progress import Speaker

HERE = Path(__file__).resolve().parent
PICTURE = Image.of("jpeg", b"\xff\xd8picture")


@pytest.fixture
def life(store):
    """Where a memory that lived is kept."""
    with store.memory() as memory:
        memory.remember([home(), outcome("PutObject", APPLE), told("hello", 1.8e9, id="t1", image=PICTURE)])
        memory.upkeep.snapshot()
    return store


def run(capsys, *arguments):
    status = command.main([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def test_info_says_what_is_in_a_journal(life, capsys):
    status, said, _ = run(capsys, "info", life.location)
    assert status == 0
    for line in (
        f"schema     {life.version}",
        "events     4",
        "from       1.000 s",
        "until      2027-01-15T08:00:00+00:00",  # 1.8e9 seconds after 1970
        "           1 SKILL_OUTCOME",
        f"snapshots  {int(life.is_file)}",  # those of a database lie where its memory server says
    ):
        assert line in said.splitlines()
    assert "1 pictures" in said
    assert life.name in said


def test_a_journal_that_is_not_there_is_not_made(store, tmp_path, capsys):
    for arguments in (("info",), ("verify",), ("export", tmp_path / "out"), ("compact", "1d")):
        status, _, error = run(capsys, arguments[0], store.location, *arguments[1:])
        assert status == 1
        assert "does not exist" in error or "holds no journal" in error
    assert [*tmp_path.iterdir(), *store.folder.iterdir()] == []
    with pytest.raises(JournalError):
        store.journal(read_only=True)


def test_verify_checks_events_and_pictures(life, capsys):
    assert run(capsys, "verify", life.location) == (0, "4 events, all intact\n", "")
    life.execute("DELETE FROM images")
    status, _, error = run(capsys, "verify", life.location)
    assert status == 1
    assert "is damaged or missing" in error
    life.execute("UPDATE events SET stamp = 7 WHERE sequence = 2")
    assert "event 2 is damaged" in run(capsys, "verify", life.location)[2]


def test_verify_finds_content_that_is_missing_after_the_horizon(life, capsys):
    with life.memory() as memory:
        memory.remember([home(stamp=20.0 + i) for i in range(5)])
        memory.upkeep.compact(1e10)
    assert run(capsys, "verify", life.location)[0] == 0
    life.execute("DELETE FROM base")
    status, _, error = run(capsys, "verify", life.location)
    assert (status, "the content of event" in error) == (1, True)


def test_what_is_exported_can_be_verified_and_imported_again(life, stores, tmp_path, capsys):
    out, copy = tmp_path / "out.jsonl.gz", stores.new("copy")
    status, said, error = run(capsys, "export", life.location, out)
    assert (status, said.startswith("4 events exported"), error) == (0, True, "")
    status, said, _ = run(capsys, "verify", out)
    assert (status, said) == (0, "4 events, all intact; replaying them gives the state in the file\n")
    assert run(capsys, "import", out, copy.location) == (0, f"4 events added to {copy.name}, 0 were there\n", "")
    assert run(capsys, "import", out, copy.location) == (0, f"0 events added to {copy.name}, 4 were there\n", "")
    with life.memory() as memory:
        memory.upkeep.export(tmp_path / "lived")
    assert (tmp_path / "lived").read_bytes() == out.read_bytes()
    assert run(capsys, "export", life.location, out)[0] == 1
    assert run(capsys, "export", "--overwrite", life.location, out)[0] == 0


def test_the_number_of_events_is_asked_once_not_for_each(life, capsys, monkeypatch):
    asked = []
    with life.memory() as memory:
        memory.remember([told("more", 10.0 + i) for i in range(50)])
        kind = type(memory._journal)
    last_sequence = kind.last_sequence.fget
    monkeypatch.setattr(kind, "last_sequence", property(lambda self: asked.append(1) or last_sequence(self)))
    for arguments in (
        ("info", life.location),
        ("verify", life.location),
        ("export", life.location, life.folder / "out"),
    ):
        assert run(capsys, *arguments)[0] == 0
    assert len(asked) < 20


def test_a_damaged_export_is_refused_and_no_journal_made(life, tmp_path, capsys):
    run(capsys, "export", life.location, tmp_path / "out")
    (tmp_path / "out").write_bytes((tmp_path / "out").read_bytes()[:-20])
    for arguments in (("verify", tmp_path / "out"), ("import", tmp_path / "out", tmp_path / "copy")):
        status, _, error = run(capsys, *arguments)
        assert status == 1
        assert "cut short" in error
    assert not (tmp_path / "copy").exists()


def test_an_interrupted_export_says_so_and_leaves_nothing(life, tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Speaker, "__call__", interrupted)
    status, _, error = run(capsys, "export", life.location, tmp_path / "out")
    assert status == 130
    assert "interrupted" in error
    assert not list(tmp_path.glob("out*"))


def test_progress_is_shown_on_a_terminal_only(life, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "\rwriting: 4 of 4 events\n" in run(capsys, "export", life.location, tmp_path / "out")[2]


def test_the_name_of_before_works_and_says_the_new_one():
    program = [sys.executable, "-m", "karma_memory.journal", "--help"]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert "salvage" in done.stdout
    assert "karma_memory.command" in done.stderr


def test_every_subcommand_explains_itself(capsys):
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    program = [sys.executable, "-m", "karma_memory.command"]
    general = subprocess.run([*program, "--help"], env=environment, capture_output=True, text=True, check=True).stdout
    for name in ("info", "verify", "salvage", "export", "import", "compact", "scene"):
        assert f"\n    {name} " in general
        with pytest.raises(SystemExit, match="0"):
            command.main([name, "--help"])
        assert capsys.readouterr().out.startswith(f"usage: python3 -m karma_memory.command {name} ")
    with pytest.raises(SystemExit, match="2"):
        command.main(["salvage"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name,room\n", "no SQLite database"),
        (b"\x1f\x8b\x08\x00", "is packed, as exported journals are"),
        (b"", "is empty"),
    ],
)
def test_what_is_no_journal_is_told_and_left_as_it_is(tmp_path, capsys, content, said):
    path = tmp_path / "notes"
    path.write_bytes(content)
    status, _, error = run(capsys, "info", path)
    assert (status, said in error) == (1, True), error
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_bytes() == content
    assert "is a folder" in run(capsys, "info", tmp_path)[2]
