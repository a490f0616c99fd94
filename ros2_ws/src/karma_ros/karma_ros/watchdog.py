# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ends a process whose main thread hangs, even in a library that never gives other threads their turn.

There is one main thread in a process, and one watchdog.
"""

from __future__ import annotations

import faulthandler
import time

HANGS_S = 60.0
"""A main thread that does not come round for so long hangs; where it is goes to standard error."""
CONFIGURES_S = 3600.0
"""Reading models and maps may take so long: the most that the lifecycle manager allows a transition."""
PAUSE_S = 1.0
"""Between two pats that count: each takes a thread."""

_last: float | None = None
"""When it was patted last; None while it does not watch."""


def pat() -> None:
    """Say that all is well; watch from now on."""
    if _last is None or time.monotonic() - _last >= PAUSE_S:
        _watch(HANGS_S)


def allow(seconds: float) -> None:
    """Let what comes now take longer, where it watches."""
    if _last is not None:
        _watch(seconds)


def rest() -> None:
    """Watch no longer."""
    global _last
    _last = None
    faulthandler.cancel_dump_traceback_later()


def _watch(seconds: float) -> None:
    global _last
    _last = time.monotonic()
    faulthandler.dump_traceback_later(seconds, exit=True)
