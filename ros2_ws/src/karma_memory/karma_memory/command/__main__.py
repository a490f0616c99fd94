# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m karma_memory.command: look at a journal, check it, mend it, make it smaller, and carry it elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from karma_memory.command import compacting, copying, looking, scene
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.scene_graph import SparkDsgError
from karma_memory.state.history import PastUnknownError

EPILOG = """exit status: 0 done; 1 it could not be done, stderr says why; 2 wrong arguments; 130 interrupted (Ctrl-C).
A memory server that has a file open may go on while it is only read, and always in PostgreSQL; else stop it first."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; return the exit status."""
    chosen = _parser().parse_args(arguments)
    try:
        chosen.run(chosen)
    except (JournalError, OSError, BusyError, PastUnknownError, SparkDsgError) as error:
        print(f"{chosen.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\n{chosen.command}: interrupted; nothing is half-written, run it again", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m karma_memory.command",
        description=__doc__.partition(": ")[2],
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (looking, copying, compacting, scene):
        module.add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
