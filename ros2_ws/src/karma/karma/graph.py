# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The one description of KARMA's graph, read by `ros2 launch` (launch/bringup.launch.py) and by `./karma up`.

No ROS is imported here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from karma.node_parameters import ParameterError, ParameterValue, declared_parameters, read_parameters
from karma_ros import MANAGER
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES

if TYPE_CHECKING:
    from karma.robot_parameters import RobotParameters

SIMULATED_ROBOT = "simulated"
"""The table whose robot is started, too."""
MEMORY_NAMES = tuple(
    f"memory/{name}"
    for name in (
        *("remember", "recall", "ask", "forget", "edit", "stats", "snapshot", "export", "get_scene_graph", "events"),
        *("get_user_data", "set_consent", "forget_user"),
        *("choose", "learn_choice", "get_reminders", "fill_form"),
        *("browse", "get_events", "get_short_term", "short_term"),
    )
)
"""What the memory server offers, says and listens to."""
_SHARING_TRANSFORMS = ("simulated_robot", "sim_bridge", "perception", "robot_state_publisher", "rviz")
"""Nodes that publish or hear /tf and /tf_static."""
ENDING_S = 10
"""Seconds that a node has to end in order, unless it is described as one that takes longer."""
RESTART_S = 1
"""After which a node that died is started again."""
RESTART_LIMIT = 5
"""A node that dies this often in a row, each time within SETTLED_S of its start, is given up."""
SETTLED_S = 15
"""Long enough for a node that loads its modules on a busy machine before it finds that it can't run."""
MEMORY = "memory"
"""Of the graph, the memory server and what it needs."""
ONLY = (MEMORY,)
"""Parts of the graph that can be started alone."""
NAMESPACE = re.compile(r"/?[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*")


class ArgumentError(ValueError):
    """The graph cannot be started with these arguments; the message says which and why."""


@dataclass(frozen=True, kw_only=True)
class GraphArguments:
    """What a user may choose, with the same names in `ros2 launch` and `./karma up`."""

    backend: str = "household"
    """One of BACKENDS."""
    scene: str = ""
    """A floor plan (FloorPlan1) or a home (home1); with the backend ai2thor, a floor plan or a house file (JSON).

    Empty: the backend's own (`DEFAULT_SCENES`), or the household's where the simulated robot is started in it.
    """
    llm: str = "offline"
    """A language model's name, for example qwen2.5:7b, or offline for the rules."""
    build: str = ""
    """With the backend ai2thor: the executable of a local build. Empty: the client's own."""
    llm_url: str = "http://127.0.0.1:11434"
    """URL of the model's server: Ollama, or one of OpenAI's protocol, which ends in /v1."""
    obstacles: str = ""
    """YAML file with obstacles of the household's scene (docs/household.md). Empty: none."""
    robot: str = ""
    """With the backend robot: its table, the path of a YAML file or the name of one that comes with KARMA.

    Empty: the simulated robot's.
    """
    dry_run: bool = False
    """With the backend robot: move nothing, and say what would be called."""
    rviz: bool = False
    view: bool = False
    """Serve the page (docs/view.md)."""
    namespace: str = ""
    """Put in front of every name; one per robot. Empty: none."""
    database: str = ""
    """The memory's SQLite file. Empty: one per robot (namespace) and scene, below ~/.karma."""
    robots: str = ""
    """Namespaces of other robots that share this graph's memory, separated by commas."""
    memory: str = ""
    """Namespace of the robot whose memory server this one uses. Empty: its own."""
    parameters: tuple[str, ...] = ()
    """NODE.PARAMETER=VALUE, each: other parameters of the nodes, which prevail (`karma.node_parameters`)."""
    only: str = ""
    """One of ONLY: nothing else is started, for who has a robot and a planner (docs/ros.md). Empty: the whole graph."""

    def __post_init__(self) -> None:
        if self.only:
            self._check_alone()
        if self.backend not in BACKENDS:
            raise ArgumentError(f"unknown backend {self.backend!r}: choose one of {', '.join(BACKENDS)}")
        if self.build and self.backend != "ai2thor":
            raise ArgumentError("build is for the backend ai2thor: it names a local build of AI2-THOR")
        for name in ("robot", "dry_run"):
            if getattr(self, name) and self.backend != "robot":
                raise ArgumentError(
                    f"{name} is for the backend robot, and the backend is {self.backend}: add --backend robot "
                    "(backend:=robot)"
                )
        if self.backend == "robot" and not self.robot:
            object.__setattr__(self, "robot", SIMULATED_ROBOT)
        if not self.scene and not self.only:
            home = "household" if self.backend == "robot" and self.robot == SIMULATED_ROBOT else self.backend
            object.__setattr__(self, "scene", DEFAULT_SCENES[home])
        for name in ("scene", "llm", "llm_url"):
            if not getattr(self, name).strip() and not (name == "scene" and self.only):
                raise ArgumentError(f"{name} must not be empty")
        if self.obstacles and not Path(self.obstacles).expanduser().is_file():
            raise ArgumentError(f"there is no file {self.obstacles}, which obstacles names (docs/household.md)")
        others = [name.strip() for name in self.robots.split(",")]
        for namespace in (self.namespace, self.memory, *others):
            if namespace and not NAMESPACE.fullmatch(namespace):
                raise ArgumentError(
                    f"{namespace!r} is no ROS namespace: letters, digits and _, parts separated by /, as in robot2"
                )
        if self.memory and (self.database or self.robots):
            raise ArgumentError(f"the memory is that of {self.memory}: database and robots are for that robot to say")
        if self.memory and self.memory.strip("/") == self.namespace.strip("/"):
            raise ArgumentError(f"{self.memory} is this robot itself; to share another's memory, name that one")

    def _check_alone(self) -> None:
        """ArgumentError for a part that is none, and for arguments of what is not started with it."""
        if self.only not in ONLY:
            raise ArgumentError(f"unknown part {self.only!r}: only takes {', '.join(ONLY)}")
        if self.memory:
            raise ArgumentError(
                f"only {MEMORY} starts a memory, and the one to be used is that of {self.memory}: leave one of them out"
            )
        others = ("backend", "scene", "build", "obstacles", "robot", "dry_run", "rviz", "view")
        for argument in fields(self):
            if argument.name in others and getattr(self, argument.name) != argument.default:
                raise ArgumentError(
                    f"{argument.name} is for nodes that are not started with only {self.only}: leave one of them out"
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
    namespace: str = ""
    remappings: tuple[tuple[str, str], ...] = ()
    """Names as the node says them, and what they are to be."""
    spare: bool = False
    """Whether the graph goes on without it, should it die again and again."""
    ending: int = ENDING_S
    """Seconds that it has to end in order when it is told to; then it is killed."""
    moves_robot: bool = False
    """Whether a robot goes on without it: it ends in order, too, when what started it is killed, and is killed and
    started again when it does not answer."""

    @property
    def all_parameters(self) -> dict[str, ParameterValue]:
        """Those of its file, which is read, and on top of them its own."""
        declared = declared_parameters(self.parameter_file) if self.parameter_file is not None else {}
        return {**declared, **self.parameters}

    @property
    def enclave(self) -> list[str]:
        """The ROS arguments by which the node takes its own keys (docs/security.md); none without security."""
        names = filter(None, (self.namespace.strip("/"), self.name))
        return ["--enclave", f"/{'/'.join(names)}"] if os.environ.get("ROS_SECURITY_ENABLE") == "true" else []

    def command_line(self, parameter_files: Sequence[Path]) -> list[str]:
        """Return the command-line arguments that name and parametrise the node, for a start without launch_ros.

        `parameter_files` come after its own file and so prevail: `parameters` are not part of the command line.
        """
        ros = ["-r", f"__node:={self.name}"]
        if self.namespace:
            ros += ["-r", f"__ns:=/{self.namespace.strip('/')}"]
        for name, other in self.remappings:
            ros += ["-r", f"{name}:={other}"]
        ros += self.enclave
        for file in [*([self.parameter_file] if self.parameter_file else []), *parameter_files]:
            ros += ["--params-file", str(file)]
        if not self.moves_robot:  # which says what it did after whoever logs what it prints has died
            ros.append("--disable-external-lib-logs")  # files that would grow for ever with what is printed anyway
        return [*self.arguments, "--ros-args", *ros]


def describe_graph(arguments: GraphArguments, share: Path) -> tuple[NodeDescription, ...]:
    """Return the processes of the graph in the order in which they are started and activated.

    `share` is the share folder of the package `karma`, which holds the parameter files. ArgumentError where a robot's
    table or a parameter is wrong.
    """
    config = share / "config"
    robot = _robot(arguments, config)
    planned: tuple[tuple[str, str, str, Mapping[str, ParameterValue]], ...] = (
        (
            "memory_server",
            "karma_memory",
            "memory_node",
            {
                "database": arguments.database or _default_database(arguments),
                "robots": arguments.robots,
                "llm": arguments.llm,
                "llm_url": arguments.llm_url,
            },
        ),
        ("sim_bridge", "sim_bridge", "bridge_node", {**_bridge(arguments), **(robot.bridge if robot else {})}),
        ("perception", "karma_perception", "perception_node", robot.perception if robot else {}),
        (
            "planner",
            "planner_node",
            "planner_node",
            {
                "llm": arguments.llm,
                "llm_url": arguments.llm_url,
                # In real time, looking around in a whole home is one skill that takes a while.
                **({"skill_timeout": 1800.0} if robot else {}),
            },
        ),
    )
    shared = arguments.memory.strip("/")
    remappings = tuple((name, f"/{shared}/{name}") for name in MEMORY_NAMES) if shared else ()
    nodes = [
        NodeDescription(
            name=name,
            package=package,
            executable=executable,
            parameter_file=config / f"{name}.yaml",
            parameters=parameters,
            namespace=arguments.namespace,
            remappings=(*remappings, *(robot.topics if robot and name == "perception" else ())),
            # The planner waits for the skill that it stops.
            ending=max(ENDING_S, robot.ending) if robot and name in ("sim_bridge", "planner") else ENDING_S,
            moves_robot=robot is not None and name == "sim_bridge",
        )
        for name, package, executable, parameters in planned
        if not (arguments.memory if name == "memory_server" else arguments.only)
    ]
    nodes.append(manager_of(nodes, config, arguments.namespace))
    if arguments.rviz and arguments.backend == "household":
        nodes.append(
            NodeDescription(
                name="robot_state_publisher",
                package="robot_state_publisher",
                executable="robot_state_publisher",
                parameters={"robot_description": _robot_description(share)},
                namespace=arguments.namespace,
            )
        )
    if robot and arguments.robot == SIMULATED_ROBOT:
        simulated = NodeDescription(
            name="simulated_robot",
            package="sim_bridge",
            executable="simulated_robot",
            parameters={"scene": arguments.scene},
            namespace=arguments.namespace,
        )
        nodes.insert(0, simulated)
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
    if arguments.view:
        nodes.append(
            NodeDescription(
                name="view",
                package="karma_view",
                executable="view",
                parameter_file=config / "view.yaml",
                namespace=arguments.namespace,
                remappings=remappings,
                spare=True,
            )
        )
    # As Nav2 has it: code uses tf2's absolute names, and each simulated robot has a tree of its own in its namespace.
    topics = tuple((f"/{topic}", topic) for topic in ("tf", "tf_static"))
    own = robot.transforms == "tf" if robot else True
    nodes = [
        replace(node, remappings=(*node.remappings, *topics)) if own and node.name in _SHARING_TRANSFORMS else node
        for node in nodes
    ]
    return _with_parameters(nodes, arguments.parameters, config)


def manager_of(nodes: Sequence[NodeDescription], config: Path, namespace: str) -> NodeDescription:
    """Return what configures and activates nodes, in their order. `config`: the folder of the nodes' files."""
    return NodeDescription(
        name=MANAGER,
        package="karma",
        executable="lifecycle_manager",
        parameter_file=config / f"{MANAGER}.yaml",
        parameters={"node_names": [node.name for node in nodes]},
        namespace=namespace,
    )


def _with_parameters(
    nodes: Sequence[NodeDescription], texts: Sequence[str], config: Path
) -> tuple[NodeDescription, ...]:
    """Return the nodes with the parameters that the user set one by one."""
    try:
        chosen = read_parameters(texts, config)
    except ParameterError as error:
        raise ArgumentError(str(error)) from error
    if absent := chosen.keys() - {node.name for node in nodes}:
        raise ArgumentError(f"{', '.join(sorted(absent))} is not started with these arguments: nothing to set there")
    return tuple(replace(node, parameters={**node.parameters, **chosen.get(node.name, {})}) for node in nodes)


def _bridge(arguments: GraphArguments) -> dict[str, ParameterValue]:
    """Return what the arguments set for the bridge."""
    house = arguments.backend == "ai2thor" and arguments.scene.endswith(".json")
    values: dict[str, ParameterValue] = {
        "backend": arguments.backend,
        "scene": _absolute(arguments.scene) if house else arguments.scene,
        "obstacles": _absolute(arguments.obstacles),
        "ai2thor_executable": _absolute(arguments.build),
    }
    python = os.environ.get("KARMA_HABITAT_PYTHON", "")
    if arguments.backend == "habitat" and os.sep in python:
        values["habitat_python"] = _absolute(python)
    return values


def _robot_description(share: Path) -> str:
    """Return the URDF of the simulated robot without the camera's frames, which the bridge publishes."""
    try:
        import xacro
    except ImportError as error:
        raise ArgumentError(f"rviz shows the robot by its xacro file, and xacro can't be imported: {error}") from error
    file = share / "urdf" / "karma_robot.urdf.xacro"
    return str(xacro.process_file(str(file), mappings={"camera": "false"}).toxml())


def _absolute(file: str) -> str:
    """Return the path of a file, which the nodes look for from a folder of their own; "" for none."""
    return str(Path(file).expanduser().absolute()) if file else ""


def _robot(arguments: GraphArguments, config: Path) -> RobotParameters | None:
    """Read the table of a physical robot; None for another backend. ArgumentError where it is missing or wrong."""
    if arguments.backend != "robot":
        return None
    from karma.robot_parameters import robot_parameters
    from sim_bridge.robot.table import TableError

    try:
        return robot_parameters(arguments.robot, arguments.scene, config, dry_run=arguments.dry_run)
    except (TableError, ParameterError) as error:
        raise ArgumentError(str(error)) from error


def _default_database(arguments: GraphArguments) -> str:
    """Return where a robot keeps what it remembers of a scene: places of one home mean nothing in another.

    Of a memory alone, whose events name their scenes, there is one file per robot.
    """
    scene = re.sub(r"[^A-Za-z0-9_.-]", "_", arguments.scene or MEMORY)
    return "/".join(part for part in ("~/.karma", arguments.namespace.strip("/"), f"{scene}.sqlite3") if part)
