# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Says how far a subcommand is, and how big things are."""

from __future__ import annotations

import sys
import time

SPEAK_PERIOD = 0.2
"""Seconds between two reports of progress on a terminal."""


class Speaker:
    """Says on stderr how far the work is, on a terminal only."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = 0.0

    def __call__(self, done: int, of: int) -> None:
        """Report `done` events of `of`."""
        now = time.monotonic()
        if sys.stderr.isatty() and (now - self._said >= SPEAK_PERIOD or done == of):
            self._said = now
            sys.stderr.write(f"\r{self._what}: {done:,} of {of:,} events" + ("\n" if done == of else ""))
            sys.stderr.flush()


def in_bytes(size: float) -> str:
    """Return a size with three digits and its unit."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"
