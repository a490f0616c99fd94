# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded accesses: a name and the keys in the order of their uses."""

from __future__ import annotations

import gzip
import lzma
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PHASE = "*"
"""Line of a LIRS trace that marks a phase; it is no access."""
GZIP, XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"
KNOWN_CAPACITIES = {"gli": 1000, "loop": 512, "multi1": 1000, "web07": 512}
"""Where the hit rates of others are known."""
DEFAULT_CAPACITY = 512


class TraceError(Exception):
    """A file that can't be read as a trace, and why."""


@dataclass(frozen=True)
class Trace:
    """Recorded accesses."""

    name: str
    keys: tuple[str, ...]

    @property
    def capacity(self) -> int:
        """The capacity at which this trace is measured where nobody says otherwise."""
        return KNOWN_CAPACITIES.get(self.name, DEFAULT_CAPACITY)


def read_trace(file: Path) -> Trace:
    """Read a trace: compressed with xz cache2k's (32-bit big-endian keys), otherwise text, one key a line.

    Text may be compressed with gzip; lines with "*" (LIRS) and empty ones are skipped. TraceError where that fails.
    """
    try:
        content = file.read_bytes()
        binary = content.startswith(XZ)
        if binary:
            content = lzma.decompress(content)
        elif content.startswith(GZIP):
            content = gzip.decompress(content)
        keys = _numbers(content) if binary else _lines(content)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise TraceError(f"{file} can't be read: {getattr(error, 'strerror', None) or error}") from error
    except ValueError as error:
        raise TraceError(f"{file} is no trace: {error}") from error
    if not keys:
        raise TraceError(f"{file} is no trace: there is no access in it")
    return Trace(file.name.split(".")[0], keys)


def find_traces(folder: Path) -> list[Path]:
    """Return the traces below a folder, by name."""
    return sorted(path for pattern in ("*.trace", "*.trace.gz", "*.trace.xz") for path in folder.rglob(pattern))


def _numbers(content: bytes) -> tuple[str, ...]:
    if len(content) % 4:
        raise ValueError(f"{len(content)} bytes are no whole number of 32-bit keys")
    return tuple(map(str, np.frombuffer(content, dtype=">i4").tolist()))


def _lines(content: bytes) -> tuple[str, ...]:
    if b"\x00" in content:
        raise ValueError("it is binary; cache2k's traces are expected compressed with xz")
    lines = (line.strip() for line in content.decode("utf-8").splitlines())
    return tuple(line for line in lines if line and line != PHASE)
