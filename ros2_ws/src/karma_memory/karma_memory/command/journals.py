# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How the subcommands open a journal."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from karma_memory.journal import Journal, JournalError, open_journal
from karma_memory.journal.opening import is_database

GZIP_MAGIC, SQLITE_MAGIC = b"\x1f\x8b", b"SQLite format 3\0"
LOCATION = "the memory server's database: a file, or postgresql://…"


def add_journal(parser: argparse.ArgumentParser, *, made: bool = False) -> None:
    """Let a subcommand take a journal, which may be `made` where there is none."""
    parser.add_argument(
        "journal", metavar="JOURNAL", help=f"{LOCATION}; made where there is none" if made else LOCATION
    )


def existing(location: str) -> Journal:
    """Open a journal that is there: looking at one must not make it, or change it."""
    path = Path(location).expanduser()
    if not is_database(location) and path.exists():
        _check_kind(path)
    return open_journal(location, verify=False, read_only=True)  # what is read is checked anyway


def _check_kind(path: Path) -> None:
    """Refuse what cannot be a journal, and say what it is. JournalError."""
    if not path.is_file():
        raise JournalError(f"{path} is a folder or a device, and no journal; give the file")
    try:
        with path.open("rb") as file:
            start = file.read(len(SQLITE_MAGIC))
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from error
    if start.startswith(GZIP_MAGIC):
        raise JournalError(
            f"{path} is packed, as exported journals are: 'verify' checks it, 'import' makes a journal of it"
        )
    if not start and not Path(f"{path}-wal").exists():
        raise JournalError(f"{path} is empty: nothing is kept in it")
    if start and start != SQLITE_MAGIC:
        raise JournalError(
            f"{path} is no SQLite database, and so no journal; if it was one, its first bytes are damaged: "
            f"python3 -m karma_memory.command salvage {shlex.quote(str(path))} NEW_FILE"
        )
