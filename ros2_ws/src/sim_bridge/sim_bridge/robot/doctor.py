# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's table needs of a machine (`sim_bridge.examination`)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from sim_bridge.factory import BackendOptions
from sim_bridge.findings import Finding
from sim_bridge.robot.table import TableError, find_table, read_table


def checks(options: BackendOptions) -> Iterator[Finding]:
    """Look for ROS, the table, and the interfaces that it names."""
    if find_spec("rclpy") is None:
        yield Finding("ROS 2", "missing", "rclpy is not installed: run ./karma setup", essential=True)
        return
    from sim_bridge.robot.ros_interfaces import check_types

    try:
        table = read_table(find_table(options.robot))
        check_types(table)
    except TableError as error:
        yield Finding("robot's table", "missing", str(error), essential=True)
        return
    text = f"{table.robot}: {len(table.skills)} skills; their interfaces are installed, and its requests fit them"
    yield Finding("robot's table", "works", text, essential=True)
