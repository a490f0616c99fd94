# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The process's heap."""

from __future__ import annotations

import ctypes


def give_back_heap() -> None:
    """Return to the system what the C library keeps of what was freed: after work that takes much memory for once."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # glibc has it
        trim(0)
