# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""compact: forget how things came to be known that are known for long."""

from __future__ import annotations

import argparse
from typing import Any

from karma_memory.command.journals import add_journal, existing
from karma_memory.command.moment import WHEN, show_time, to_moment
from karma_memory.command.progress import Speaker, in_bytes
from karma_memory.journal import SnapshotStore, open_journal
from karma_memory.state.compaction import compact
from karma_memory.state.history import history_of


def add_to(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "compact",
        help="make a journal smaller: drop the content of old events that nothing rests on",
        description="Make a journal smaller: of what happened before a time, keep what is known, not how it came to be "
        "known. Questions about an earlier time are refused from then on. What people said, edits, episodes, and what "
        "a current memory rests on stay, and every id stays known. It cannot be undone; export the journal first.",
    )
    add_journal(parser)
    parser.add_argument("before", metavar="BEFORE", type=to_moment, help=WHEN)
    parser.set_defaults(run=_compact)


def _compact(chosen: argparse.Namespace) -> None:
    existing(chosen.journal).close()  # one that is not there is not made
    with open_journal(chosen.journal) as journal:
        size, earlier, last = journal.size_bytes, journal.horizon(), journal.last_sequence
        before = chosen.before.in_journal(journal)
        history = history_of(journal)
        state, _ = history.after(last)
        sequence = compact(
            journal,
            SnapshotStore(journal.path, journal.uuid),
            history,
            before,
            last,
            state.sources,
            progress=Speaker("compacting"),
        )
        horizon = journal.horizon()
        if horizon == earlier:
            since = f"; it was compacted up to event {sequence:,} before" if sequence else ""
            print(f"nothing in {journal.location} is older than {show_time(before)}{since}")
        else:
            print(f"compacted up to event {sequence:,}; the past is known since {show_time(horizon.stamp)}")
        print(f"{in_bytes(size)} before, {in_bytes(journal.size_bytes)} after")
