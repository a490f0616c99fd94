# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which processes there are."""

from pathlib import Path


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended: a zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it was gone before, or between opening and reading
        return False
