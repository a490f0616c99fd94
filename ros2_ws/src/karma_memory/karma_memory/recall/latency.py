# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Percentiles of how long the last requests took."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

KEPT = 1000
"""Requests that the percentiles are over."""


class Latency:
    """Durations of the last requests. Thread-safe."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=KEPT)
        self._lock = threading.Lock()

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the body of a with statement; a body that raises doesn't count."""
        start = time.perf_counter()
        yield
        with self._lock:
            self._seconds.append(time.perf_counter() - start)

    def percentile(self, percent: float) -> float:
        """Return a percentile in milliseconds, 0 before the first request."""
        with self._lock:
            seconds = list(self._seconds)
        return float(np.percentile(seconds, percent)) * 1000 if seconds else 0.0
