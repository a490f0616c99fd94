# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can be known before the graph starts: with which arguments a node would only fail, again and again.

No ROS is imported here.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from karma.graph import ArgumentError, GraphArguments, NodeDescription, describe_graph
from karma.node_parameters import declared_parameters
from karma.view.address import AddressError, listen
from sim_bridge.household.scenes import require_scene

SIMULATED_ROBOTS_PACKAGES = ("nav2_msgs", "control_msgs")


def ready_graph(arguments: GraphArguments, share: Path) -> tuple[NodeDescription, ...]:
    """Return `describe_graph` of the arguments.

    ArgumentError, with what to do, also where a node can't work with them on this machine as it is now.
    """
    nodes = describe_graph(arguments, share)
    described = {node.name: node for node in nodes}
    _require_scene(arguments, described)
    if "simulated_robot" in described:
        _require_packages()
    if "view" in described:
        _require_port(described["view"])
    return nodes


def _require_scene(arguments: GraphArguments, nodes: dict[str, NodeDescription]) -> None:
    bridge = nodes["sim_bridge"].parameters
    if arguments.backend == "ai2thor":  # a local build has scenes of its own
        if arguments.scene.endswith(".json") and not Path(str(bridge["scene"])).is_file():
            raise ArgumentError(f"there is no house {bridge['scene']}")
        return
    foreign = any(bridge.get(name) for name in ("habitat_dataset", "habitat_episodes"))
    if (arguments.backend == "robot" and "simulated_robot" not in nodes) or foreign:
        return
    try:
        require_scene(arguments.scene)
    except KeyError as error:
        raise ArgumentError(str(error.args[0])) from error


def _require_packages() -> None:
    missing = [name for name in SIMULATED_ROBOTS_PACKAGES if find_spec(name) is None]
    if missing:
        raise ArgumentError(
            f"the simulated robot needs {' and '.join(missing)}: install "
            + " ".join(f"ros-$ROS_DISTRO-{name.replace('_', '-')}" for name in missing)
            + "; without a ROS installation, ./karma up --backend robot builds what it needs of them"
        )


def _require_port(view: NodeDescription) -> None:
    assert view.parameter_file is not None
    values = {**declared_parameters(view.parameter_file), **view.parameters}
    try:
        listen(str(values["host"]), int(str(values["port"]))).close()
    except AddressError as error:
        raise ArgumentError(f"the page: {error}; view.port is the parameter") from error
