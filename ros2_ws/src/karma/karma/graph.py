# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The one description of KARMA's graph, read by `ros2 launch` (launch/bringup.launch.py) and by `./karma up`.

No ROS is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ParameterValue = bool | int | float | str | list[str]

BACKENDS = ("household", "ai2thor", "habitat", "robot")
AVAILABLE_BACKENDS = ("household",)
MANAGER = "lifecycle_manager"
NAMESPACE = re.compile(r"/?[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*")


class ArgumentError(ValueError):
    """The graph cannot be started with these arguments; the message says which and why."""


@dataclass(frozen=True, kw_only=True)
class GraphArguments:
    """What a user may choose, with the same names in `ros2 launch` and `./karma up`."""

    backend: str = "household"
    """One of BACKENDS."""
    scene: str = "home1"
    """A floor plan (FloorPlan1) or a home (home1)."""
    llm: str = "offline"
    """A model's name in Ollama, for example qwen2.5:7b, or offline for the rules."""
    rviz: bool = False
    namespace: str = ""
    """Put in front of every name; one per robot. Empty: none."""
    database: str = ""
    """The memory's SQLite file. Empty: one per robot (namespace) and scene, below ~/.karma."""

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise ArgumentError(f"unknown backend {self.backend!r}: choose one of {', '.join(BACKENDS)}")
        if self.backend not in AVAILABLE_BACKENDS:
            raise ArgumentError(
                f"the backend {self.backend!r} is not part of this version yet; use {', '.join(AVAILABLE_BACKENDS)}"
            )
        for name in ("scene", "llm"):
            if not getattr(self, name).strip():
                raise ArgumentError(f"{name} must not be empty")
        if self.namespace and not NAMESPACE.fullmatch(self.namespace):
            raise ArgumentError(
                f"{self.namespace!r} is no ROS namespace: letters, digits and _, parts separated by /, as in robot2"
            )


@dataclass(frozen=True, kw_only=True)
class NodeDescription:
    """One process of the graph."""

    name: str
    package: str
    executable: str
    parameter_file: Path | None = None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    """What the arguments set, on top of the file."""
    arguments: tuple[str, ...] = ()
    """Command-line arguments in front of the ROS ones."""
    lifecycle: bool = False
    """Whether the lifecycle manager configures and activates it."""
    namespace: str = ""

    def command_line(self, parameter_files: Sequence[Path]) -> list[str]:
        """Return the command-line arguments that name and parametrise the node, for a start without launch_ros.

        `parameter_files` come after its own file and so prevail: `parameters` are not part of the command line.
        """
        ros = ["-r", f"__node:={self.name}"]
        if self.namespace:
            ros += ["-r", f"__ns:=/{self.namespace.strip('/')}"]
        for file in [*([self.parameter_file] if self.parameter_file else []), *parameter_files]:
            ros += ["--params-file", str(file)]
        return [*self.arguments, "--ros-args", *ros]


def describe_graph(arguments: GraphArguments, share: Path) -> tuple[NodeDescription, ...]:
    """Return the processes of the graph in the order in which they are started and activated.

    `share` is the share folder of the package `karma`, which holds the parameter files.
    """
    config = share / "config"
    planned: tuple[tuple[str, str, str, dict[str, ParameterValue]], ...] = (
        (
            "memory_server",
            "karma_memory",
            "memory_node",
            {"database": arguments.database or _default_database(arguments)},
        ),
        ("sim_bridge", "sim_bridge", "bridge_node", {"backend": arguments.backend, "scene": arguments.scene}),
        ("perception", "karma_perception", "perception_node", {}),
        ("planner", "planner_node", "planner_node", {"llm": arguments.llm}),
    )
    nodes = [
        NodeDescription(
            name=name,
            package=package,
            executable=executable,
            parameter_file=config / f"{name}.yaml",
            parameters=parameters,
            lifecycle=True,
            namespace=arguments.namespace,
        )
        for name, package, executable, parameters in planned
    ]
    nodes.append(
        NodeDescription(
            name=MANAGER,
            package="karma",
            executable="lifecycle_manager",
            parameter_file=config / f"{MANAGER}.yaml",
            parameters={"node_names": [node.name for node in nodes]},
            namespace=arguments.namespace,
        )
    )
    if arguments.rviz:
        nodes.append(
            NodeDescription(
                name="rviz",
                package="rviz2",
                executable="rviz2",
                arguments=("-d", str(share / "rviz" / "karma.rviz")),
                namespace=arguments.namespace,
            )
        )
    return tuple(nodes)


def _default_database(arguments: GraphArguments) -> str:
    """Return where a robot keeps what it remembers of a scene: places of one home mean nothing in another."""
    scene = re.sub(r"[^A-Za-z0-9_.-]", "_", arguments.scene)
    return "/".join(part for part in ("~/.karma", arguments.namespace.strip("/"), f"{scene}.sqlite3") if part)
