# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Start KARMA's graph: ros2 launch karma bringup.launch.py backend:=household scene:=home1 llm:=offline.

Others include it with the same arguments; `--show-args` lists them (docs/architecture.md, "From your own launch file").
"""

import os
import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory, get_packages_with_prefixes
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, EmitEvent, LogInfo, OpaqueFunction, SetEnvironmentVariable
from launch.events.process import ProcessExited, ShutdownProcess
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from karma.environment import dds_environment
from karma.graph import ONLY, RESTART_LIMIT, RESTART_S, SETTLED_S, GraphArguments, NodeDescription
from karma.readiness import ready_graph
from karma.tied import tied, tied_environment
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES_TOLD

DESCRIPTIONS = {
    "backend": f"where the skills run: {', '.join(BACKENDS)}",
    "scene": f"a floor plan (FloorPlan1) or a home (home1); empty: {DEFAULT_SCENES_TOLD}",
    "build": "with the backend ai2thor: the executable of a local build; empty: the client's own",
    "llm": "a language model's name, for example qwen2.5:7b, or offline for the rules",
    "llm_url": "URL of the model's server: Ollama, or one of OpenAI's protocol, which ends in /v1",
    "obstacles": "YAML file with obstacles of the household's scene (docs/household.md); empty: none",
    "robot": "with the backend robot: its table, a YAML file or a name that comes with KARMA; empty: the simulated one",
    "dry_run": "with the backend robot: move nothing, and say what would be called; true or false",
    "rviz": "also start rviz2, true or false",
    "view": "also serve the page, true or false (docs/view.md; parameters view.host, view.port)",
    "namespace": "put in front of every name, one per robot",
    "database": "the memory's SQLite file, or postgresql://…; empty: one per robot and scene, below ~/.karma",
    "robots": "namespaces of other robots that share this one's memory, separated by commas",
    "memory": "namespace of the robot whose memory this one uses; empty: its own",
    "only": f"start this part alone: {', '.join(ONLY)} (docs/ros.md); empty: the whole graph",
    "parameters": "others of the nodes: NODE.PARAMETER=VALUE, separated by spaces, quoted as in a shell",
}
SWITCHES = ("rviz", "view", "dry_run")
DESKTOP = ("rviz2", "robot_state_publisher")
"""Packages whose nodes the graph can do without."""
LATE_S = 1
"""After a node's time to end, in which `tied` ends it: what hangs then gets SIGTERM from launch, and SIGKILL later."""


def start_nodes(context: LaunchContext) -> list[Node | LogInfo]:
    """Turn the description of the graph into launch actions; what only shows it is left out where it is missing."""
    values = {name: LaunchConfiguration(name).perform(context) for name in DESCRIPTIONS}
    switches = {name: values.pop(name).lower() for name in SWITCHES}
    for name, value in switches.items():
        if value not in ("true", "false"):
            raise ValueError(f"{name} must be true or false, not {value!r}")
    parameters = tuple(shlex.split(values.pop("parameters")))
    arguments = GraphArguments(
        **{name: value == "true" for name, value in switches.items()}, parameters=parameters, **values
    )
    share = Path(get_package_share_directory("karma"))
    nodes = ready_graph(arguments, share)
    missing = {node.package for node in nodes if node.package in DESKTOP} - get_packages_with_prefixes().keys()
    return [
        *(
            LogInfo(msg=f"{name} is not installed and not started: apt-get install {_debian(name)}")
            for name in sorted(missing)
        ),
        *_actions(node for node in nodes if node.package not in missing),
    ]


class GiveUp:
    """Has a node started no more that dies again and again, as `./karma up` does; the others go on."""

    def __init__(self, name: str, now: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._now = now
        self._started = now()
        self._deaths = 0

    def __call__(self, event: ProcessExited, context: LaunchContext) -> EmitEvent | None:
        """Count an end of the node's process, which launch is about to start again; see launch's `on_exit`."""
        if context.is_shutdown:
            return None
        now = self._now()
        self._deaths = self._deaths + 1 if now - self._started < SETTLED_S else 1
        self._started = now + RESTART_S
        if self._deaths < RESTART_LIMIT:
            return None
        get_logger(self._name).error(
            f"{self._name} ended {self._deaths} times in a row, each time within {SETTLED_S} s of its start, and is "
            "started no more: see above what it said, put that right, and start the launch file again"
        )
        return EmitEvent(event=ShutdownProcess(process_matcher=lambda action: action is event.action))


def _actions(nodes: Iterable[NodeDescription]) -> list[Node]:
    return [
        Node(
            package=node.package,
            executable=node.executable,
            exec_name=node.name,
            prefix=shlex.join(tied([], ending=node.ending)),
            additional_env=tied_environment({}),
            name=node.name,
            namespace=node.namespace,
            parameters=[
                *([str(node.parameter_file)] if node.parameter_file else []),
                *([_typed(node.parameters)] if node.parameters else []),
            ],
            arguments=list(node.arguments),
            ros_arguments=node.enclave,
            remappings=list(node.remappings),
            output="screen",
            respawn=True,
            on_exit=GiveUp(node.name),
            respawn_delay=float(RESTART_S),
            sigterm_timeout=str(node.ending + LATE_S),
            sigkill_timeout=str(LATE_S),
        )
        for node in nodes
    ]


def _debian(package: str) -> str:
    """Return the name of a package of ROS in Ubuntu."""
    return f"ros-{os.environ.get('ROS_DISTRO', 'kilted')}-{package.replace('_', '-')}"


def _typed(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters of which launch takes no text for YAML: a scene called 1, or a robot's URDF."""
    return {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in parameters.items()
    }


def generate_launch_description() -> LaunchDescription:
    """Describe the arguments and the nodes to ros2 launch."""
    defaults = {
        field.name: str(field.default).lower() if field.name in SWITCHES else str(field.default or "")
        for field in fields(GraphArguments)
    }
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=defaults[name], description=text)
                for name, text in DESCRIPTIONS.items()
            ),
            # Images do not fit through Fast DDS's default shared memory.
            *(
                SetEnvironmentVariable(name, value)
                for name, value in dds_environment(os.environ, discovery_range="SUBNET").items()
            ),
            OpaqueFunction(function=start_nodes),
        ]
    )
