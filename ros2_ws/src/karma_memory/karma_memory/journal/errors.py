# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a journal. Every message says what to do."""

from pathlib import Path


class JournalError(RuntimeError):
    """The journal could not do what was asked; nothing was changed."""


class JournalFullError(JournalError):
    """The disk is full, or the file may not grow."""


class JournalLockedError(JournalError):
    """Another process has the journal open for writing."""


class CorruptJournalError(JournalError):
    """The file is damaged. It is left as it is; `salvage` copies what is intact to a new file."""

    def __init__(self, path: Path, trouble: str) -> None:
        super().__init__(
            f"{trouble}; {path} is left as it is. Copy what is intact to a new file with "
            f"'python3 -m karma_memory.journal salvage {path} NEW_FILE', and start with that one"
        )


class NewerSchemaError(JournalError):
    """The file was written by a newer version of karma_memory."""


class DuplicateEventError(JournalError, ValueError):
    """An event id was used before for a different event."""
