# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which processors ROS 2 can be installed on from wheels."""

from __future__ import annotations

import platform

from bootstrap.place import Place
from bootstrap.progress import SetupError

WHEELS_PROCESSOR = "x86_64"


def check_processor(place: Place) -> None:
    """SetupError where there are no ROS wheels for this processor, and no ROS 2 is sourced."""
    processor = platform.machine()
    if place.ros is None and processor != WHEELS_PROCESSOR:
        raise SetupError(
            f"this machine's processor is {processor}, and ROS 2 comes as Python packages for {WHEELS_PROCESSOR} only. "
            "Install ROS 2 Jazzy or Kilted (https://docs.ros.org), source its setup.bash, and run the same command "
            "again. Nothing was installed."
        )
