# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a run keeps its logs."""

from __future__ import annotations

import time
from pathlib import Path

from karma.command.checkout import checkout


def new_log_folder(command: str) -> Path:
    """Make out/log/COMMAND-DATE-TIME for one run, and let out/log/COMMAND-latest lead there."""
    parent = checkout() / "out" / "log"
    name = f"{command}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = parent / name
    number = 1
    while True:
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            number += 1
            folder = parent / f"{name}-{number}"
    latest = parent / f"{command}-latest"
    latest.unlink(missing_ok=True)
    latest.symlink_to(folder.name)
    return folder
