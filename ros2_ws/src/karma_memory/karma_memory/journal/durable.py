# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are there complete or not at all, and names that outlive a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write beside `path`. Once it is on disk it takes the place of `path`; if that fails, it goes."""
    part = path.with_name(path.name + ".part")
    try:
        with open(part, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names of new files durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_database(path: Path, *more: str) -> None:
    """Delete an SQLite file with what SQLite puts beside it, and what else has its name and one of these endings."""
    for ending in ("", "-wal", "-shm", "-journal", *more):
        Path(f"{path}{ending}").unlink(missing_ok=True)
