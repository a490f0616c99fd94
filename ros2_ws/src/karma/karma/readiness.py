# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can be known before the graph starts: with which arguments a node would only fail, again and again.

No ROS is imported here.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from karma.environment import may_write
from karma.graph import ArgumentError, GraphArguments, NodeDescription, describe_graph
from karma_view.access.address import AddressError, listen
from sim_bridge.parameters import require_scene_of

SIMULATED_ROBOTS_PACKAGES = ("nav2_msgs", "control_msgs")


def ready_graph(arguments: GraphArguments, share: Path) -> tuple[NodeDescription, ...]:
    """Return `describe_graph` of the arguments.

    ArgumentError, with what to do, also where a node can't work with them on this machine as it is now.
    """
    nodes = describe_graph(arguments, share)
    described = {node.name: node for node in nodes}
    if "sim_bridge" in described:
        _require_scene(arguments, described)
    if "memory_server" in described:
        _require_folder(str(described["memory_server"].parameters["database"]))
    if "simulated_robot" in described:
        _require_packages()
    if "view" in described:
        _require_port(described["view"])
    return nodes


def _require_scene(arguments: GraphArguments, nodes: dict[str, NodeDescription]) -> None:
    values = nodes["sim_bridge"].all_parameters
    if "simulated_robot" in nodes:
        values |= {"backend": "household", "scene": arguments.scene}
    try:
        require_scene_of(values)
    except ValueError as error:
        raise ArgumentError(str(error)) from error


def _require_folder(database: str) -> None:
    """ArgumentError for a file that can't be made; a database server answers for itself."""
    file = Path(database).expanduser()
    if "://" in database or file.exists():
        return
    folder = next(parent for parent in file.parents if parent.exists())
    if not may_write(folder):
        raise ArgumentError(f"the memory can't be kept in {file}: {folder} can't be written to. Name another database.")


def _require_packages() -> None:
    missing = [name for name in SIMULATED_ROBOTS_PACKAGES if find_spec(name) is None]
    if missing:
        raise ArgumentError(
            f"the simulated robot needs {' and '.join(missing)}: install "
            + " ".join(f"ros-$ROS_DISTRO-{name.replace('_', '-')}" for name in missing)
            + "; without a ROS installation, ./karma up --backend robot builds what it needs of them"
        )


def _require_port(view: NodeDescription) -> None:
    values = view.all_parameters
    try:
        listen(str(values["host"]), int(str(values["port"]))).close()
    except AddressError as error:
        raise ArgumentError(f"the page: {error}; view.port is the parameter") from error
