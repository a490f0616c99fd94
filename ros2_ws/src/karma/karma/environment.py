# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The environment variables that every process of a graph, and whoever talks to it, needs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

_PROFILES = "FASTDDS_DEFAULT_PROFILES_FILE"
_WITHOUT_PICTURES = "KARMA_FASTDDS_PROFILE_WITHOUT_PICTURES"  # what nodes read: karma_ros.process


def share_folder() -> Path:
    """Return the share folder of this package: config, launch, rviz, urdf."""
    from ament_index_python.packages import get_package_share_directory

    return Path(get_package_share_directory("karma"))


def may_write(folder: Path) -> bool:
    """Whether this user may make files in a folder, which need not be there yet."""
    there = next(place for place in (folder, *folder.absolute().parents) if os.path.exists(place))
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)


def dds_environment(environment: Mapping[str, str], *, discovery_range: str) -> dict[str, str]:
    """Return the variables that let images through the middleware, and discover within the range the user asks for.

    `discovery_range` is meant where the user has set no ROS_AUTOMATIC_DISCOVERY_RANGE. With LOCALHOST, rmw_fastrtps
    adds transports of its own to those of a profile: everything is sent twice, and discovery takes seconds. So the
    profile says what LOCALHOST means. A profile of the user's, or another middleware, is left alone.
    """
    wanted = environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE", discovery_range)
    fast_dds = environment.get("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp").startswith("rmw_fastrtps")
    if not fast_dds or _PROFILES in environment:
        return {"ROS_AUTOMATIC_DISCOVERY_RANGE": wanted}
    local = wanted == "LOCALHOST"
    profiles = share_folder() / "config" / ("fastdds_localhost.xml" if local else "fastdds_network.xml")
    return {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT" if local else wanted,
        _PROFILES: str(profiles),
        _WITHOUT_PICTURES: str(profiles.with_stem(f"{profiles.stem}_udp")),
    }


def prepare_environment() -> None:
    """Set what the user has not set: discovery stays on this host, images fit, rendering needs no display.

    ROS's own logs go to a temporary folder where the home is read-only: without a place for them rclpy does not start.
    And linear algebra stays in its process's thread: perception's products are small, and threads of OpenBLAS that wait
    for each other on a busy robot made them five times slower. Two heaps for all threads of a process, in place of
    one for each, save 70 MB of a graph.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("MALLOC_ARENA_MAX", "2")
    os.environ.update(dds_environment(os.environ, discovery_range="LOCALHOST"))
    if "ROS_HOME" not in os.environ and not may_write(Path("~/.ros/log").expanduser()):
        os.environ.setdefault("ROS_LOG_DIR", f"{tempfile.gettempdir()}/karma-{os.getuid()}/ros")
    if "DISPLAY" not in os.environ:
        os.environ.setdefault("MUJOCO_GL", "egl")
