# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether there is something to show rviz with."""

from __future__ import annotations

import os
import shutil


def rviz_can_open() -> bool:
    """Return whether rviz2 is installed and a display is there."""
    return shutil.which("rviz2") is not None and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
