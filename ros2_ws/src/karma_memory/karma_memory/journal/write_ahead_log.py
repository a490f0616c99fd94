# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""SQLite's write-ahead log, looked at before SQLite does (https://sqlite.org/fileformat2.html, section 4).

SQLite takes the first frame whose checksum doesn't fit for the end of the log, and silently drops what follows: right
for a transaction that a power cut tore, wrong for a bit that flipped later, in the midst of acknowledged events.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEADER = struct.Struct(">8I")
"""Magic, version, page size, checkpoint, two salts, two checksums."""
FRAME = struct.Struct(">6I")
"""Page, pages of the database after the transaction (0 within one), two salts, two checksums."""
MAGIC = {0x377F0682: "<u4", 0x377F0683: ">u4"}
"""How a log begins, and the byte order of its checksums."""
MODULUS = 2**32

Checksum = tuple[int, int]
Words = NDArray[np.uint32]


@dataclass(frozen=True)
class Frame:
    """A page as a transaction left it."""

    page: int
    commits: bool
    """Whether it is the last of its transaction."""
    salts: tuple[int, int]
    checksum: Checksum
    summed: bytes
    """What is summed up: the first eight bytes of the frame's header, and the page."""

    @property
    def content(self) -> bytes:
        """The page."""
        return self.summed[8:]


def frames(log: bytes, page_size: int) -> Iterator[Frame]:
    """Yield the complete frames of a log, good and bad, in the order in which they lie in the file."""
    for start in range(HEADER.size, len(log) - FRAME.size - page_size + 1, FRAME.size + page_size):
        page, size, salt1, salt2, sum1, sum2 = FRAME.unpack_from(log, start)
        body = start + FRAME.size
        yield Frame(page, size > 0, (salt1, salt2), (sum1, sum2), log[start : start + 8] + log[body : body + page_size])


def damage(path: Path) -> str:
    """Return what is wrong with the log at `path`, or "" where it is intact or torn at its end at most.

    A commit that a later frame builds on was on disk before that frame was written. So a frame that doesn't fit, before
    such a commit, was not torn: it was changed afterwards. The last transaction of all cannot be told from a torn one.
    """
    log = path.read_bytes() if path.exists() else b""
    if len(log) <= HEADER.size or not any(log[: HEADER.size]):
        return ""
    magic, _, page_size, _, salt1, salt2, *own = HEADER.unpack_from(log)
    order = MAGIC.get(magic, "<u4")
    if magic not in MAGIC or _sum((0, 0), log[: HEADER.size - 8], order) != tuple(own):
        return "the beginning of its write-ahead log is damaged"
    last: Checksum = (own[0], own[1])
    wrong = 0
    committed = False
    for number, frame in enumerate(frames(log, page_size), 1):
        fits = frame.salts == (salt1, salt2) and _sum(last, frame.summed, order) == frame.checksum
        if not fits and not wrong:
            wrong = number
        elif fits and wrong and committed:
            return f"frame {wrong} of its write-ahead log is damaged, and events after it were committed"
        last, committed = frame.checksum, frame.commits and frame.salts == (salt1, salt2)
    return ""


def _sum(before: Checksum, data: bytes, order: str) -> Checksum:
    """Return the running checksum after `data`: for each pair of words x, y: a += x + b, b += y + a."""
    words = np.frombuffer(data, dtype=order).astype(np.uint32)
    of_before, of_words = _weights(len(words) // 2)
    start = np.array(before, dtype=np.uint64) % MODULUS
    sums = (of_words * words).sum(axis=1, dtype=np.uint32).astype(np.uint64)
    carried = [sum(int(w) * int(s) for w, s in zip(row, start, strict=True)) for row in of_before]
    return (carried[0] + int(sums[0])) % MODULUS, (carried[1] + int(sums[1])) % MODULUS


@lru_cache(4)
def _weights(pairs: int) -> tuple[list[list[int]], Words]:
    """Return with what weight the checksum before and each word enter the two sums.

    One pair does (a, b) → (a + b + x, a + 2b + x + y): the weights of a word are powers of that matrix, mod 2³².
    """
    power = [[1, 0], [0, 1]]
    weights = np.zeros((2, 2 * pairs), dtype=np.uint32)
    for pair in reversed(range(pairs)):
        for row in range(2):
            weights[row, 2 * pair] = (power[row][0] + power[row][1]) % MODULUS
            weights[row, 2 * pair + 1] = power[row][1]
        power = [[(a + b) % MODULUS, (a + 2 * b) % MODULUS] for a, b in power]
    return power, weights
