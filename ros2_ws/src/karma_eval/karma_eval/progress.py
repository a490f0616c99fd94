# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How far an evaluation or benchmark is: a bar on a terminal; elsewhere, as in a log, a plain line now and then."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from tqdm import tqdm

LINES_S = 30.0
"""Seconds between two plain lines."""
_LINE = "{desc}: {n_fmt} of {total_fmt} {unit}, {elapsed}, {remaining} left{postfix}"
_ENDLESS = "{desc}: {n_fmt} {unit}, {elapsed}{postfix}"


class _Lines:
    """A stream for tqdm, on which every state of the bar is a line of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write a state as a line; what only moves the cursor, not at all."""
        if line := text.strip():
            self._stream.write(f"{line}\n")

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()


def progress(
    things: Iterable[Any] | None = None, *, total: float | None = None, unit: str, desc: str, unit_scale: bool = False
) -> tqdm[Any]:
    """Return a bar that counts `things`, or what its `update` is told, of `total` if that is known; see tqdm."""
    if sys.stderr.isatty():
        return tqdm(things, total=total, unit=f" {unit}", desc=desc, unit_scale=unit_scale)
    known = total is not None or hasattr(things, "__len__")
    return tqdm(
        things,
        total=total,
        unit=unit,
        desc=desc,
        unit_scale=unit_scale,
        file=_Lines(sys.stderr),
        mininterval=LINES_S,
        maxinterval=2 * LINES_S,
        miniters=1,
        position=0,
        bar_format=_LINE if known else _ENDLESS,
    )
