# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Make sure that everything KARMA needs is there, then become the command line. Standard library only."""

from __future__ import annotations

import signal

# Ctrl-C while modules are loaded ends the process without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import io
import os
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bootstrap import doctor
from bootstrap.locking import write_locks
from bootstrap.needs import chosen_backend, needs
from bootstrap.place import Place, check_path, find_place, note_ros
from bootstrap.progress import SetupError
from bootstrap.steps import due, set_up
from bootstrap.written_help import written_commands, written_help

HELP = {
    "setup": "usage: ./karma setup [--backend NAME]\n\n"
    "Install and build whatever is missing, also what a backend needs. Every other command does this first, too.",
    "lock": "usage: ./karma lock\n\nResolve requirements/*.in into exact versions, requirements/*.lock.",
}


def main(arguments: list[str]) -> int:
    """Set up, then run the command in place of this process."""
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout.reconfigure(errors="replace")  # for terminals that lack a character of a help text
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _interrupt)
    command = arguments[0] if arguments else ""
    if command in HELP and len(arguments) > 1 and not (command == "setup" and chosen_backend(arguments)):
        print(HELP[command])
        return 0 if arguments[1:] in (["--help"], ["-h"]) else 2
    try:
        place = find_place(ROOT, os.environ)
        if command not in HELP and (status := without_setup(place, arguments)) is not None:
            return status
        check_path(ROOT)
        set_up(place, **needs(arguments))
        note_ros(place, os.environ)
        if command == "setup":
            print(f"KARMA is set up: {place.description}")
            return 0
        if command == "lock":
            write_locks(place)
            return 0
        return run_command(place, arguments)
    except (SetupError, OSError) as error:
        print(f"karma: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as error:
        print("\nkarma: interrupted; the next run goes on from here", file=sys.stderr)
        return 128 + int(*error.args)


def without_setup(place: Place, arguments: list[str]) -> int | None:
    """Answer what needs no set-up, where there is none yet; return the exit status, or None for the command line."""
    text = written_help(arguments)
    known = text is not None or arguments[0] in written_commands()
    if (known and text is None and arguments[0] != "doctor") or not due(place):
        return None
    if text is not None:
        print(text)
        return 0
    if not known:
        print(f"karma: there is no command {arguments[0]!r}; ./karma --help lists them", file=sys.stderr)
        return 2
    for line in doctor.describe(place):
        print(line, flush=True)
    return 1


def _interrupt(number: int, _: object) -> NoReturn:
    raise KeyboardInterrupt(number)


def run_command(place: Place, arguments: list[str]) -> int:
    """Replace this process by the command line of the package `karma`, which is also told of signals that come now."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    python = str(place.python)
    os.execve(python, [python, "-P", "-m", "karma.command", *arguments], place.command_environment(os.environ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
