# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Stands in for an interpreter that has habitat-sim and habitat-lab.

The packages beside this file have just what KARMA's worker uses of magnum, habitat-sim and habitat-lab. They load the
dataset's files and cast rays into them (Open3D), and so show that dataset, frames, protocol and skills fit together.
They don't show that habitat-sim loads or draws anything: no line of it is in them.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

EXECUTABLE = Path(__file__).resolve().parent / "python"
"""What KARMA_HABITAT_PYTHON may name in place of an interpreter that has habitat-sim."""


def write_interpreter(folder: Path, before: str = "") -> Path:
    """Write a program that is `EXECUTABLE` with this Python; `before` is shell code that it runs first."""
    path = folder / "python_with_habitat"
    lines = [
        "#!/bin/sh",
        before,
        f'HABITAT_STAND_IN_PYTHON={shlex.quote(sys.executable)} exec {shlex.quote(str(EXECUTABLE))} "$@"',
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path.chmod(0o755)
    return path
