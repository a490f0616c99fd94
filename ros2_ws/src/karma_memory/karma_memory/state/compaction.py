# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Forgets how things came to be known that are known for long, while a memory server runs or while none does."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext

from karma_memory.journal import Base, Journal, Progress, SnapshotStore
from karma_memory.journal.compacted import pack
from karma_memory.journal.transaction import stubs
from karma_memory.state.history import History


def compact(
    journal: Journal,
    snapshots: SnapshotStore,
    history: History,
    before: float,
    last: int,
    needed: Callable[[], Collection[str]],
    *,
    writing: AbstractContextManager[object] = nullcontext(),  # noqa: B008 - it has no state
    progress: Progress | None = None,
) -> int:
    """Make what was known before the time `before` (seconds) the journal's base; return its sequence.

    `last`: the newest event that is observed; `needed` returns the ids of events that current records rest on;
    `writing` is entered whenever the journal is written, and may be entered again. See Upkeep.compact for what stays.
    JournalError; what was done until then stays, and the next call goes on.
    """

    def store(base: Base) -> None:
        packed = pack(base)
        with writing, journal.transaction() as transaction:
            if journal.horizon().sequence < base.horizon.sequence:  # nobody else was quicker
                transaction.set_base(packed)

    sequence = history.compact(before, last, store)
    snapshots.forget(sequence)
    for part in history.droppable(needed()):
        dropped = stubs(part)
        with writing, journal.transaction() as transaction:
            transaction.drop(dropped)
        if progress is not None:
            progress(part[-1].sequence if part else sequence, sequence)
    journal.reclaim()
    return sequence
