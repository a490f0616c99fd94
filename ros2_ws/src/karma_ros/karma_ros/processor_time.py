# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How much processor time another process has taken."""

from __future__ import annotations

import os
from pathlib import Path


def processor_s(pid: int) -> float:
    """Return the seconds of processor time that a process has taken. FileNotFoundError where it has ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
