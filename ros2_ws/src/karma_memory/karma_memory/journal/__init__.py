# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The journal: every event, committed to disk before it is acknowledged. All memories are projections of it."""

from karma_memory.journal.errors import (
    CorruptJournalError,
    DuplicateEventError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    NewerSchemaError,
)
from karma_memory.journal.salvage import SalvageReport, salvage
from karma_memory.journal.snapshots import Snapshot, SnapshotStore
from karma_memory.journal.store import Entry, Journal

__all__ = [
    "CorruptJournalError",
    "DuplicateEventError",
    "Entry",
    "Journal",
    "JournalError",
    "JournalFullError",
    "JournalLockedError",
    "NewerSchemaError",
    "SalvageReport",
    "Snapshot",
    "SnapshotStore",
    "salvage",
]
