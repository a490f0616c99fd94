# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How the subcommands open a journal, and ask what was known."""

from __future__ import annotations

import argparse

from karma_memory.history import History
from karma_memory.journal import Journal, SnapshotStore, open_journal

LOCATION = "the memory server's database: a file, or postgresql://…"


def add_journal(parser: argparse.ArgumentParser, *, made: bool = False) -> None:
    """Let a subcommand take a journal, which may be `made` where there is none."""
    parser.add_argument(
        "journal", metavar="JOURNAL", help=f"{LOCATION}; made where there is none" if made else LOCATION
    )


def existing(location: str) -> Journal:
    """Open a journal that is there: looking at one must not make it, or change it."""
    return open_journal(location, verify=False, read_only=True)  # what is read is checked anyway


def history_of(journal: Journal) -> History:
    """Return the states of the memories, without vectors, which nobody asks for here."""
    return History(journal, SnapshotStore(journal.path, journal.uuid), lambda state: None)
