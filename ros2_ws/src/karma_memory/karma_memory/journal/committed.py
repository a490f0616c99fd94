# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How many events a journal has committed, noted beside its file: what is left of a file doesn't tell what is not."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from zlib import crc32

LENGTH = 80
"""Bytes of a note; always the same, so that one takes the place of the one before."""


def beside(journal: Path) -> Path:
    """Return the lock file of a journal's file, in which it notes this; two names of one file, by links, have one."""
    return Path(f"{os.path.realpath(journal)}.lock")


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
