# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a journal. Every message says what to do."""

import shlex
from pathlib import Path


class JournalError(RuntimeError):
    """The journal could not do what was asked; nothing was changed."""


class JournalConnectionError(JournalError):
    """The database server cannot be reached, or the connection broke; the next call connects anew.

    Whether events that were being committed at that moment are in the journal is then not known: remember them again,
    with the same ids, and each is there once.
    """


class JournalFullError(JournalError):
    """The disk is full, or the file may not grow."""


class JournalLockedError(JournalError):
    """Another process has the journal open for writing."""


class CorruptJournalError(JournalError):
    """The journal is damaged. It is left as it is; `salvage` copies what is intact to a new file."""

    def __init__(self, location: str | Path, trouble: str) -> None:
        command = f"python3 -m karma_memory.command salvage {shlex.quote(str(location))} NEW_FILE"
        advice = f"Copy what is intact to a new file with '{command}', and start with that one"
        if "://" in str(location):
            advice += ", or 'export' it and 'import' that into a new database; or restore this one from a backup"
        super().__init__(f"{trouble}; {location} is left as it is. {advice}")


class CompactedError(JournalError):
    """The content of an event was dropped when the journal was compacted."""


class NewerSchemaError(JournalError):
    """The file was written by a newer version of karma_memory."""


class DuplicateEventError(JournalError, ValueError):
    """An event id was used before for a different event."""
