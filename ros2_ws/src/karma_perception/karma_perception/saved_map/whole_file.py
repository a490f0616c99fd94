# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are there complete or not at all, also after a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the name of a file to write beside `path`, with its suffix.

    Once that is on disk it takes the place of `path`; if something fails, it goes and `path` stays as it was. OSError
    where nothing can be written.
    """
    part = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield part
        _to_disk(part)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _to_disk(path.parent)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
