# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The journal: every event, committed to disk before it is acknowledged. All memories are projections of it."""

from karma_memory.journal.compacted import BASE_VERSION, FOLLOWS_LFU, Base, Horizon
from karma_memory.journal.errors import (
    CompactedError,
    CorruptJournalError,
    DuplicateEventError,
    JournalConnectionError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    NewerSchemaError,
)
from karma_memory.journal.opening import open_journal
from karma_memory.journal.portable import Imported, Progress, export_journal, import_journal
from karma_memory.journal.portable_file import PortableFile, PortableFileError
from karma_memory.journal.salvage import SalvageReport, salvage
from karma_memory.journal.snapshots import Snapshot, SnapshotStore
from karma_memory.journal.store import Journal
from karma_memory.journal.transaction import Entry, Transaction

__all__ = [
    "BASE_VERSION",
    "FOLLOWS_LFU",
    "Base",
    "CompactedError",
    "CorruptJournalError",
    "DuplicateEventError",
    "Entry",
    "Horizon",
    "Imported",
    "Journal",
    "JournalConnectionError",
    "JournalError",
    "JournalFullError",
    "JournalLockedError",
    "NewerSchemaError",
    "PortableFile",
    "PortableFileError",
    "Progress",
    "SalvageReport",
    "Snapshot",
    "SnapshotStore",
    "Transaction",
    "export_journal",
    "import_journal",
    "open_journal",
    "salvage",
]
