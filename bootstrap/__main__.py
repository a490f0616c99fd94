# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Make sure that everything KARMA needs is there, then become the command line. Standard library only."""

from __future__ import annotations

import signal

# Ctrl-C while modules are loaded ends the process without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bootstrap.locking import write_locks
from bootstrap.place import Place, find_place
from bootstrap.progress import SetupError
from bootstrap.steps import set_up

HELP = {
    "setup": "usage: ./karma setup\n\nInstall and build whatever is missing. Every other command does this first, too.",
    "lock": "usage: ./karma lock\n\nResolve requirements/*.in into exact versions, requirements/*.lock.",
}


def main(arguments: list[str]) -> int:
    """Set up, then run the command in place of this process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    command = arguments[0] if arguments else ""
    if command in HELP and len(arguments) > 1:
        print(HELP[command])
        return 0 if arguments[1:] in (["--help"], ["-h"]) else 2
    try:
        place = find_place(ROOT, os.environ)
        robot = command == "test" or bool({"robot", "--backend=robot"} & set(arguments[1:]))
        set_up(place, peers=command == "bench", tests=command == "test", robot=robot)
        if command == "setup":
            print(f"KARMA is set up: {place.description}")
            return 0
        if command == "lock":
            write_locks(place)
            return 0
    except (SetupError, OSError) as error:
        print(f"karma: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nkarma: interrupted; the next run goes on from here", file=sys.stderr)
        return 130
    return run_command(place, arguments)


def run_command(place: Place, arguments: list[str]) -> int:
    """Replace this process by the command line of the package `karma`, which is also told of signals that come now."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    python = str(place.python)
    os.execve(python, [python, "-m", "karma.command", *arguments], place.command_environment(os.environ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
