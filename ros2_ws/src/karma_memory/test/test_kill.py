# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random instants under load (rounds through the memory server itself: test_memory_node.py)."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from memory_victim import made
from survival import survivors

from karma_memory import EventKind
from karma_memory.journal import PortableFile, export_journal, import_journal, open_journal

HERE = Path(__file__).resolve().parent
PATHS = 16
ROUNDS = 12
"""Kills of one memory, one after the other: 192 in all."""
MOST_ACKNOWLEDGED = 30
"""Events that are acknowledged before a kill, at most; after none it hits the making of the file, or the replay."""
LONGEST_WAIT = 0.05
"""Seconds until the kill after that, at most."""


@pytest.fixture(scope="module")
def victims():
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    program = [sys.executable, HERE / "memory_victim.py"]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        process.stdin.close()


def killed(victims, path, run, enough, wait):
    """Start a memory, kill it `wait` seconds after `enough` events, return what it acknowledged: id → sequence or 0."""
    victims.stdin.write(f"{path} {run}\n")
    victims.stdin.flush()
    acknowledged = {}

    def said(word):
        """Read up to a line that begins with `word` and return the rest of it."""
        for line in victims.stdout:
            first, number, *event_id = line.split()
            if first == "ack":
                acknowledged[event_id[0]] = int(number)
            if first == word:
                return int(number)
        raise AssertionError("the process that starts memories ended")

    pid = said("pid")
    while len(acknowledged) < enough:
        said("ack")
    time.sleep(wait)
    os.kill(pid, signal.SIGKILL)
    assert said("gone") == -signal.SIGKILL
    return acknowledged


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PATHS))
def test_a_memory_killed_at_random_instants_loses_and_doubles_nothing_and_is_what_a_replay_gives(path, victims, seed):
    rng = random.Random(seed)
    acknowledged: dict[str, int] = {}
    for run in range(ROUNDS):
        acknowledged |= killed(victims, path, run, rng.randint(0, MOST_ACKNOWLEDGED), rng.uniform(0, LONGEST_WAIT))
        stored = survivors(path, acknowledged, capacity=5)
        for event_id in acknowledged:
            assert stored[event_id].kind is EventKind.EDIT or stored[event_id] == made(event_id)


@pytest.fixture(scope="module")
def long_life(tmp_path_factory):
    """A journal and its export."""
    folder = tmp_path_factory.mktemp("long")
    with open_journal(folder / "journal.sqlite3") as journal:
        journal.append([made(f"0-0-{number}") for number in range(4000)])
        export_journal(journal, folder / "exported", {})
        return folder / "journal.sqlite3", folder / "exported", list(journal.read())


def kill_command(*arguments, begun, wait):
    """Run python3 -m karma_memory.journal and kill it `wait` seconds after `begun` is there."""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    program = [sys.executable, "-m", "karma_memory.journal", *map(str, arguments)]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, env=environment) as process:
        while not begun.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(wait)
        process.kill()


@pytest.mark.slow
def test_a_killed_import_leaves_the_first_events_and_goes_on_from_there(path, long_life):
    _, exported, everything = long_life
    rng = random.Random(1)
    for _ in range(6):
        kill_command("import", exported, path, begun=path, wait=rng.uniform(0, 0.15))
        with open_journal(path) as copy:
            assert list(copy.read()) == everything[: copy.last_sequence]
    with PortableFile(exported) as file, open_journal(path) as copy:
        import_journal(file, copy)
        assert list(copy.read()) == everything


@pytest.mark.slow
def test_a_killed_export_leaves_no_file_or_a_complete_one_and_does_not_hinder_the_next(tmp_path, long_life):
    journal, _, everything = long_life
    out = tmp_path / "out"
    rng = random.Random(2)
    for _ in range(6):
        kill_command("export", "--overwrite", journal, out, begun=tmp_path / "out.part", wait=rng.uniform(0, 0.3))
        if out.exists():
            with PortableFile(out) as file:
                assert list(file.entries()) == everything
    with open_journal(journal) as whole:
        export_journal(whole, out, {}, overwrite=True)
    assert list(tmp_path.iterdir()) == [out]
