# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The launch file's content. With launch installed it is loaded as it is; elsewhere with stand-ins that record."""

import importlib.util
import logging
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("ament_index_python")

from karma.environment import dds_environment, share_folder
from karma.graph import RESTART_LIMIT, RESTART_S, SETTLED_S, ArgumentError, GraphArguments, describe_graph
from karma_ros.process import PROFILE_WITHOUT_PICTURES

FILE = Path(__file__).parents[1] / "launch" / "bringup.launch.py"


@dataclass
class Recorded:
    """A launch entity: what it was made with."""

    positional: tuple[Any, ...]
    keywords: dict[str, Any]


@dataclass
class Context:
    configurations: dict[str, str] = field(default_factory=dict)
    is_shutdown: bool = False


class Configuration:
    def __init__(self, name: str) -> None:
        self.name = name

    def perform(self, context: Context) -> str:
        return context.configurations[self.name]


@pytest.fixture
def launch_file(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    def entity(name: str) -> type:
        return type(name, (Recorded,), {"__init__": lambda self, *a, **k: Recorded.__init__(self, a, k)})

    contents: dict[str, dict[str, Any]] = {
        "launch": {"LaunchContext": Context, "LaunchDescription": entity("LaunchDescription")},
        "launch.actions": {
            name: entity(name)
            for name in ("DeclareLaunchArgument", "EmitEvent", "LogInfo", "OpaqueFunction", "SetEnvironmentVariable")
        },
        "launch.events": {},
        "launch.events.process": {"ProcessExited": entity("ProcessExited"), "ShutdownProcess": entity("Shutdown")},
        "launch.logging": {"get_logger": logging.getLogger},
        "launch.substitutions": {
            "LaunchConfiguration": Configuration,
        },
        "launch_ros": {},
        "launch_ros.actions": {"Node": entity("Node")},
        "launch_ros.parameter_descriptions": {"ParameterValue": lambda value, value_type: value_type(value)},
    }
    for name, content in contents.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    specification = importlib.util.spec_from_file_location("bringup_launch", FILE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def defaults(launch_file: ModuleType) -> dict[str, str]:
    (entities,) = launch_file.generate_launch_description().positional
    declared = [entity for entity in entities if type(entity).__name__ == "DeclareLaunchArgument"]
    return {entity.positional[0]: entity.keywords["default_value"] for entity in declared}


def test_arguments_of_the_architecture_are_declared_with_a_description(launch_file: ModuleType) -> None:
    assert defaults(launch_file) == {
        "backend": "household",
        "scene": "",
        "llm": "offline",
        "llm_url": "http://127.0.0.1:11434",
        "obstacles": "",
        "build": "",
        "robot": "",
        "dry_run": "false",
        "rviz": "false",
        "view": "false",
        "namespace": "",
        "database": "",
        "robots": "",
        "memory": "",
        "only": "",
        "parameters": "",
    }


def test_what_only_shows_the_graph_is_left_out_where_it_is_not_installed(
    launch_file: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = Context(defaults(launch_file) | {"rviz": "true"})
    there = {"karma": "/", "rviz2": "/"}
    monkeypatch.setattr(launch_file, "get_packages_with_prefixes", lambda: there)
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    told, *nodes = launch_file.start_nodes(chosen)
    assert "robot_state_publisher is not installed" in told.keywords["msg"]
    assert "apt-get install ros-jazzy-robot-state-publisher" in told.keywords["msg"]
    assert {"rviz", "planner"} <= {node.keywords["name"] for node in nodes}
    assert "robot_state_publisher" not in {node.keywords["name"] for node in nodes}


def test_nodes_are_those_of_the_one_description(launch_file: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_file, "get_packages_with_prefixes", lambda: dict.fromkeys(launch_file.DESKTOP, "/"))
    chosen = {"scene": "FloorPlan201", "namespace": "robot2", "memory": "robot1"}
    parameters = "sim_bridge.habitat_camera=arm 'planner.safety_rules=/my rules.yaml'"
    given = Context(defaults(launch_file) | chosen | {"rviz": "true", "view": "true", "parameters": parameters})
    nodes = launch_file.start_nodes(given)
    apart = ("sim_bridge.habitat_camera=arm", "planner.safety_rules=/my rules.yaml")
    arguments = GraphArguments(rviz=True, view=True, parameters=apart, **chosen)
    described = describe_graph(arguments, share_folder())
    assert [node.keywords["name"] for node in nodes] == [node.name for node in described]
    for node, description in zip(nodes, described, strict=True):
        assert node.keywords["package"] == description.package
        assert node.keywords["executable"] == description.executable
        assert node.keywords["namespace"] == "robot2"
        assert node.keywords["remappings"] == list(description.remappings)
        files = [item for item in node.keywords["parameters"] if isinstance(item, str)]
        assert files == ([str(description.parameter_file)] if description.parameter_file else [])
        values = [item for item in node.keywords["parameters"] if isinstance(item, dict)]
        assert values == ([dict(description.parameters)] if description.parameters else [])
        assert f" {description.ending} setpriv " in node.keywords["prefix"], "what leaves it the time it has to end"
        assert float(node.keywords["sigterm_timeout"]) > description.ending, "launch doesn't end it before"


def test_the_memory_is_launched_alone(launch_file: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_file, "get_packages_with_prefixes", dict)
    nodes = launch_file.start_nodes(Context(defaults(launch_file) | {"only": "memory"}))
    assert [node.keywords["name"] for node in nodes] == ["memory_server", "lifecycle_manager"]


def test_a_node_that_dies_again_and_again_is_started_no_more(
    launch_file: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    now = 0.0
    give_up = launch_file.GiveUp("planner", now=lambda: now)
    exited = SimpleNamespace(action=object())
    context = Context()

    def dies_after(seconds: float) -> Any:
        nonlocal now
        now += seconds
        return give_up(exited, context)

    quick, settled = 1.0 + RESTART_S, SETTLED_S + RESTART_S + 1.0
    assert not any(dies_after(quick) for _ in range(RESTART_LIMIT - 1))
    assert not dies_after(settled), "it had worked"
    assert not any(dies_after(quick) for _ in range(RESTART_LIMIT - 2))
    assert caplog.records == []
    given_up = dies_after(quick)
    assert given_up.keywords["event"].keywords["process_matcher"](exited.action)
    assert not given_up.keywords["event"].keywords["process_matcher"](object()), "the others go on"
    assert "planner ended 5 times in a row" in caplog.text


def test_what_ends_with_the_launch_is_not_counted(launch_file: ModuleType) -> None:
    give_up = launch_file.GiveUp("planner", now=lambda: 0.0)
    assert not any(give_up(SimpleNamespace(action=None), Context(is_shutdown=True)) for _ in range(3 * RESTART_LIMIT))


def test_parameter_files_of_the_nodes_are_installed(launch_file: ModuleType) -> None:
    for node in launch_file.start_nodes(Context(defaults(launch_file))):
        for item in node.keywords["parameters"]:
            assert not isinstance(item, str) or Path(item).is_file()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rviz", "maybe"),
        ("backend", "holodeck"),
        ("scene", "nowhere"),
        ("namespace", "no good"),
        ("obstacles", "/no/file"),
        ("parameters", "nobody.x=1"),
    ],
)
def test_bad_argument_ends_the_launch_with_a_clear_error(launch_file: ModuleType, name: str, value: str) -> None:
    with pytest.raises((ArgumentError, ValueError), match=value.partition(".")[0]):
        launch_file.start_nodes(Context(defaults(launch_file) | {name: value}))


def test_a_robots_table_that_is_not_there_ends_the_launch_with_a_clear_error(launch_file: ModuleType) -> None:
    with pytest.raises(ArgumentError, match="there is no robot table 'nope'"):
        launch_file.start_nodes(Context(defaults(launch_file) | {"backend": "robot", "robot": "nope"}))


def test_images_fit_and_the_user_decides_how_far_discovery_goes() -> None:
    here = dds_environment({}, discovery_range="LOCALHOST")
    assert here["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SYSTEM_DEFAULT"  # the profile says what local means
    assert Path(here["FASTDDS_DEFAULT_PROFILES_FILE"]).name == "fastdds_localhost.xml"
    far = dds_environment({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, discovery_range="LOCALHOST")
    assert far["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"
    assert Path(far["FASTDDS_DEFAULT_PROFILES_FILE"]).name == "fastdds_network.xml"
    for name in ("FASTDDS_DEFAULT_PROFILES_FILE", PROFILE_WITHOUT_PICTURES):
        assert all(Path(found[name]).is_file() for found in (here, far))
        assert ("SHM" in Path(here[name]).read_text(encoding="utf-8")) == (name != PROFILE_WITHOUT_PICTURES)
    assert dds_environment(here, discovery_range="LOCALHOST") == {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT"}


def test_other_middleware_and_profiles_of_the_user_are_left_alone() -> None:
    for mine in ({"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"}, {"FASTDDS_DEFAULT_PROFILES_FILE": "mine.xml"}):
        assert dds_environment(mine, discovery_range="LOCALHOST") == {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
