# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that never outlive the one that started them, or not for long. As a program: what ends one in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

PARENT = "KARMA_PARENT"
"""The variable in which a tied process finds the id of the one that may start it."""

# The kernel's promise holds from the moment it is asked for it: a parent that died before then is looked for by hand.
_SCRIPT = f'[ "$PPID" = "${PARENT}" ] || exit 1; export {PARENT}=$$; exec "$@"'


def tied(command: Sequence[str], *, ending: int = 0) -> list[str]:
    """Return a command that the kernel kills (SIGKILL) when its parent dies, however and whenever that happens.

    With `ending` it gets SIGTERM then, and is killed where it still runs so many seconds later; the same when the
    process that is started gets SIGTERM or SIGINT. It hears of it once, however often that happens, and no Ctrl-C of
    the terminal. The parent must be tied itself, or give it `tied_environment`. An empty command is the beginning of
    any. Needs setpriv, of util-linux.
    """
    if ending:
        own = [sys.executable, "-IS", __file__, str(ending)]
        return [*_blocking(), "setpriv", "--pdeathsig", "TERM", "--", *own, *tied(command)]
    return ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", _SCRIPT, "tied", *command]


@cache
def _blocking() -> tuple[str, ...]:
    """Have SIGINT and SIGTERM wait until they are heard: a Ctrl-C while a process starts is no error of it.

    Only GNU's env can do that; with another one it is.
    """
    command = ("env", "--block-signal=INT,TERM")
    return command if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0 else ()


def tied_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which this process may start tied commands."""
    return {**environment, PARENT: str(os.getpid())}


def started_in(name: str, value: str) -> dict[int, str]:
    """Return the command lines, by process id, of what was started with this variable in its environment, and runs.

    However it was started: in another session, or by what has ended since. What others may not look at is left out.
    """
    mark, found = f"{name}={value}".encode(), {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")  # empty for what has ended
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
        if command and mark in environment:
            found[int(folder.name)] = command
    return found


def _run(ending: int, command: Sequence[str]) -> int:
    """Run a tied command; tell it once to end, and leave it so many seconds then. Return its status, as a shell does.

    That is 0 when it was told before it could hear it: a node that loads its modules dies of it. So does one that has
    only just been forked, of the terminal's Ctrl-C: it has no session of its own yet.
    """
    if os.environ.get(PARENT) != str(os.getppid()):
        return 1
    told = False
    process: subprocess.Popen[bytes] | None = None

    def end(_: int, __: object) -> None:
        nonlocal told
        if not told:  # launch's may be followed by another one, supervisord's by the kernel's
            told = True
            signal.alarm(ending)  # kills this process, and the command with it
            if process is not None:
                process.terminate()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    process = subprocess.Popen(command, env=tied_environment(os.environ), start_new_session=True)
    if told:
        process.terminate()
    status = process.wait()
    if told and -status in (signal.SIGTERM, signal.SIGINT):
        return 0
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(_run(int(sys.argv[1]), sys.argv[2:]))
