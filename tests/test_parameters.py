# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameter files and the tables from which the nodes declare their parameters."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from karma.node_parameters import FILES
from karma_ros.parameters import checked

CONFIG = Path(__file__).resolve().parents[1] / "ros2_ws" / "src" / "karma" / "config"
TABLES = {
    "memory_server": "karma_memory.parameters",
    "perception": "karma_perception.parameters",
    "planner": "planner_node.parameters",
    "sim_bridge": "sim_bridge.parameters",
    "view": "karma_view.parameters",
}
FROM_ARGUMENTS = {
    "memory_server": {"database", "robots", "llm", "llm_url"},
    "perception": set(),
    "planner": {"llm", "llm_url"},
    "sim_bridge": {"backend", "scene", "obstacles", "ai2thor_executable", "robot", "dry_run"},
    "view": set(),
}


def in_file(node: str) -> dict[str, Any]:
    content = yaml.safe_load((CONFIG / f"{node}.yaml").read_text())
    assert set(content) == {"/**"}, "a wildcard, so that the file holds in every namespace"
    return content["/**"]["ros__parameters"]


@pytest.mark.parametrize("node", TABLES)
def test_file_names_every_parameter_that_the_arguments_do_not_set(node: str) -> None:
    declared = {parameter.name for parameter in import_module(TABLES[node]).PARAMETERS}
    assert FROM_ARGUMENTS[node] <= declared
    assert set(in_file(node)) == declared - FROM_ARGUMENTS[node]


@pytest.mark.parametrize("node", TABLES)
def test_values_have_the_declared_type_and_range(node: str) -> None:
    declared = {parameter.name: parameter for parameter in import_module(TABLES[node]).PARAMETERS}
    for name, value in in_file(node).items():
        parameter = declared[name]
        assert type(checked(parameter, value)) is type(value), name


def test_parameters_that_name_files_are_there() -> None:
    for name in FILES:
        node, _, parameter = name.partition(".")
        assert in_file(node)[parameter] == "", name
