# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How many events a journal has committed, noted beside its file: what is left of a file doesn't tell what is not."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO
from zlib import crc32

from karma_memory.journal.errors import JournalError, JournalLockedError

LENGTH = 80
"""Bytes of a note; always the same, so that one takes the place of the one before."""


def beside(journal: Path) -> Path:
    """Return the lock file of a journal's file, in which it notes this; two names of one file, by links, have one."""
    return Path(f"{os.path.realpath(journal)}.lock")


def take_lock(journal: Path) -> IO[bytes]:
    """Lock the file beside a journal's. The system gives the lock back when the process ends, however it ends.

    JournalLockedError where another process has it, JournalError.
    """
    path = beside(journal)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        file = open(descriptor, "r+b", buffering=0)  # noqa: SIM115 - held until it is closed
    except OSError as error:
        raise JournalError(f"cannot write {path}: {error}; give another path") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise JournalLockedError(
            f"another process has {journal} open; stop it, or give this memory server another database"
        ) from error
    return file


def note(file: int, journal: str, count: int) -> None:
    """Write to the open `file` that the journal with this uuid has committed `count` events.

    Call it after the commit. Nothing is synced: a killed process leaves the note, a power cut an older one, or none, so
    that it never says too much. One that can't be written leaves the one before.
    """
    said = f"{journal} {count}"
    with suppress(OSError):
        os.pwrite(file, f"{said} {crc32(said.encode())}".ljust(LENGTH - 1).encode() + b"\n", 0)


def noted(path: Path, journal: str = "") -> int:
    """Return how many events the note at `path` says were committed, at least; 0 where there is none.

    `journal`: the uuid that it must be about, "" for any.
    """
    try:
        with open(path, "rb") as file:
            words = file.read(LENGTH).decode("ascii", "replace").split()
    except FileNotFoundError:
        return 0
    match words:
        case [identity, count, checksum] if checksum == str(crc32(f"{identity} {count}".encode())):
            return int(count) if journal in ("", identity) else 0
    return 0
