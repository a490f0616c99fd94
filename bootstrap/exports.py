# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Repair of the CMake exports in the ROS wheels: paths of the machine that built them are baked in."""

from __future__ import annotations

import re
from pathlib import Path

PYTHON_INCLUDE = re.compile(r"/opt/python/cp\d+-cp\d+/include/python3\.\d+")
NUMPY_INCLUDE = re.compile(r"/opt/python/cp\d+-cp\d+/lib/python3\.\d+/site-packages/numpy/_core/include")


def repair_exports(prefix: Path, *, python_include: str, numpy_include: str) -> int:
    """Point the exports below `prefix` at this machine's headers; return how many files changed. Idempotent."""
    changed = 0
    for file in prefix.glob("share/*/cmake/*.cmake"):
        before = file.read_text(encoding="utf-8")
        after = PYTHON_INCLUDE.sub(lambda _: python_include, before)
        after = NUMPY_INCLUDE.sub(lambda _: numpy_include, after)
        if after != before:
            file.write_text(after, encoding="utf-8")
            changed += 1
    return changed
