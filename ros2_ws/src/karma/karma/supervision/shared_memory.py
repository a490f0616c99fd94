# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Fast DDS's shared memory: what processes that were killed have left of it."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path

FOLDER = Path("/dev/shm")  # noqa: S108 - where Fast DDS puts it
SETTLED_S = 60.0
"""Younger segments are left alone: their owner may be about to lock them."""


def remove_stale_segments(folder: Path = FOLDER) -> int:
    """Remove the segments whose process is gone; return how many bytes that frees.

    A segment holds some 35 MB of memory, and a process that is killed can't give it back. Like `fastdds shm clean`: the
    owner of a segment holds a lock on its `_el` file for as long as it lives.
    """
    freed = 0
    for lock in folder.glob("fastdds_*_el"):
        segment = lock.with_name(lock.name.removesuffix("_el"))
        if segment.name.startswith("fastdds_port"):
            continue
        try:
            if time.time() - lock.stat().st_mtime < SETTLED_S:
                continue
            with lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                freed += segment.stat().st_size if segment.exists() else 0
                segment.unlink(missing_ok=True)
                lock.unlink()
        except OSError:  # it lives, is another user's, or another process has just removed it
            continue
    return freed
