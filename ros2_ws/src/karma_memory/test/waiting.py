# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for what other threads and processes do."""

import time

DEADLINE = 60.0
"""Seconds after which what should come is missing."""


def eventually(condition, patience=DEADLINE):
    """Wait until a condition holds, `patience` seconds at most."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)
