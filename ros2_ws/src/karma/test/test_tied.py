# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that end with the one that started them, whenever it is killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from process_table import runs

from karma.tied import _blocking, tied, tied_environment

SCRIPT = """
import os, subprocess, sys, time
from karma.tied import _blocking, tied, tied_environment
process = subprocess.Popen(tied(sys.argv[2:], ending=int(sys.argv[1])), env=tied_environment(os.environ))
print(process.pid, flush=True)
time.sleep(600)
"""

SLOW = """#!{python} -IS
import os, sys, time
deadline = time.monotonic() + 60
while not os.path.exists({dead!r}) and time.monotonic() < deadline:
    time.sleep(0.02)
os.execv({setpriv!r}, sys.argv)
"""


@pytest.fixture
def dead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """On a machine so busy that the parent dies before the kernel has been asked for anything: once this file is there.

    Where it is not told in time, the kernel is asked all the same.
    """
    slow, dead = tmp_path / "setpriv", tmp_path / "dead"
    slow.write_text(SLOW.format(python=sys.executable, dead=str(dead), setpriv=shutil.which("setpriv")))
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return dead


ENDINGS = (0, 60)
"""Killed at once, and ended in order."""


def started(command: str, ending: int) -> tuple[subprocess.Popen[str], int]:
    """Start a parent that starts a command of the shell; return it and the id of what it has started."""
    words = [sys.executable, "-c", SCRIPT, str(ending), "/bin/sh", "-c", command]
    parent = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def kill(parent: subprocess.Popen[str]) -> None:
    parent.kill()
    parent.wait()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_ends_with_its_parent(tmp_path: Path, ending: int) -> None:
    marker = tmp_path / "started"
    parent, pid = started(f"touch {marker}; exec sleep 600", ending)
    until(marker.exists, "it did not start")
    kill(parent)
    until(lambda: not runs(pid), f"{pid} outlived its parent")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_whose_parent_died_at_once_does_not_start(tmp_path: Path, dead: Path, ending: int) -> None:
    marker = tmp_path / "started"
    parent, pid = started(f"touch {marker}; exec sleep 600", ending)
    kill(parent)
    dead.touch()
    until(lambda: not runs(pid), f"{pid} outlived its parent")
    assert not marker.exists()


NODE = """
trap 'echo told >> {file}; {act}' TERM
echo $$ > {file}
while :; do sleep 0.05; done
"""
"""What it does when it is told to end; before, it writes down its process id."""


def told(file: Path) -> int:
    """Return how often a node was told to end."""
    return file.read_text().count("told")


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_has_to_end_in_order_is_told_so_when_its_parent_is_killed(tmp_path: Path, ending: int) -> None:
    file = tmp_path / "said"
    parent, pid = started(NODE.format(file=file, act=f"sleep 0.2; echo done >> {file}; exit"), ending)
    until(lambda: file.exists() and bool(file.read_text().strip()), "it did not start")
    kill(parent)
    until(lambda: not runs(pid) and not runs(int(file.read_text().split()[0])), "it outlived its parent")
    assert file.read_text().split()[1:] == (["told", "done"] if ending else [])


def test_what_hangs_where_it_has_to_end_in_order_is_killed_in_time(tmp_path: Path) -> None:
    file = tmp_path / "said"
    parent, pid = started(NODE.format(file=file, act=":"), 2)
    until(lambda: file.exists() and bool(file.read_text().strip()), "it did not start")
    began = time.monotonic()
    kill(parent)
    until(lambda: told(file) > 0, "it was not told")
    until(lambda: not runs(pid) and not runs(int(file.read_text().split()[0])), "it outlived its parent")
    assert time.monotonic() - began > 1.0, "it had no time"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_has_to_end_in_order_hears_of_two_signals_once_and_has_its_time(tmp_path: Path, number: int) -> None:
    """Launch sends SIGTERM after the SIGINT of Ctrl-C, and a bridge takes a second signal for the wish to end it."""
    file = tmp_path / "said"
    parent, pid = started(NODE.format(file=file, act=f"sleep 0.5; echo done >> {file}; exit 0"), 60)
    until(lambda: file.exists() and bool(file.read_text().strip()), "it did not start")
    for sent in (number, signal.SIGTERM, signal.SIGINT):
        os.kill(pid, sent)
        until(lambda: told(file) > 0, "it was not told")
    until(lambda: not runs(pid), "it did not end")
    assert file.read_text().split()[1:] == ["told", "done"]
    kill(parent)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("kill -INT $PPID; sleep 600", 0),
        ("kill -INT $PPID; kill -INT $$", 0),
        ("exit 7", 7),
        ("kill -KILL $$", 128 + signal.SIGKILL),
    ],
    ids=["dies of what it was told", "dies of Ctrl-C", "ends by itself", "is killed"],
)
def test_the_status_is_that_of_the_command_but_0_for_one_that_could_not_hear_yet(command: str, status: int) -> None:
    words = tied(["/bin/sh", "-c", command], ending=60)
    assert subprocess.run(words, env=tied_environment(os.environ), check=False).returncode == status


@pytest.mark.skipif(not _blocking(), reason="needs GNU's env")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_told_to_end_while_it_starts_ends_without_an_error(dead: Path, number: int) -> None:
    words, python = tied(["/bin/sleep", "600"], ending=60), os.fsencode(sys.executable)
    with subprocess.Popen(words, env=tied_environment(os.environ)) as process:
        until(lambda: Path(f"/proc/{process.pid}/cmdline").read_bytes().startswith(python), "nothing started")
        process.send_signal(number)
        dead.touch()
    assert process.returncode == 0


def test_ctrl_c_of_the_terminal_reaches_what_leaves_a_node_its_time_and_not_the_node(tmp_path: Path) -> None:
    file = tmp_path / "said"
    parent, pid = started(NODE.format(file=file, act="exit"), 60)
    until(lambda: file.exists() and bool(file.read_text().strip()), "it did not start")
    assert os.getpgid(int(file.read_text())) != os.getpgid(pid)
    kill(parent)


def test_what_ends_in_order_already_is_not_told_again_when_its_parent_is_killed(tmp_path: Path) -> None:
    """A bridge takes a second signal for the wish to end it at once."""
    file = tmp_path / "said"
    parent, pid = started(NODE.format(file=file, act=":"), 2)
    until(lambda: file.exists() and bool(file.read_text().strip()), "it did not start")
    os.kill(pid, signal.SIGTERM)
    until(lambda: told(file) > 0, "it was not told")
    kill(parent)
    until(lambda: not runs(pid), "it outlived its parent")
    assert told(file) == 1
