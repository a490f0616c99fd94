# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Python's garbage collector, kept away from what is large and stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_kept_away() -> Iterator[None]:
    """Build something large in the body of a with statement, of which the collector of cycles never sees anything.

    It would look at all of it again and again while it grows, which is a third of the time at 100,000 records, and
    later in one go, for 0.3 s in which no other thread can go on. What nothing refers to any more is freed all the
    same; only cycles that are there now are not.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
