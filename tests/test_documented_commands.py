# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the pages tell people to type is what ./karma takes."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from command_lines import PAGES, ROOT, in_markdown, understood

from karma.graph import GraphArguments
from karma.node_parameters import read_parameters

CONFIG = ROOT / "ros2_ws" / "src" / "karma" / "config"
LAUNCHED = re.compile(r"ros2 launch karma bringup\.launch\.py ([^`#\n]*)")
COMMANDS = [(page.name, arguments) for page in PAGES for arguments in in_markdown(page.read_text(encoding="utf-8"))]
LAUNCHES = [(page.name, line) for page in PAGES for line in LAUNCHED.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "arguments"), COMMANDS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_command_of_a_page_is_understood(page: str, arguments: list[str]) -> None:
    try:
        understood(arguments)
    except click.ClickException as error:
        pytest.fail(f"{page}: ./karma {shlex.join(arguments)}: {error.format_message()}")


@pytest.mark.parametrize(("page", "line"), LAUNCHES)
def test_a_launch_of_a_page_is_one_that_ros2_launch_takes(page: str, line: str) -> None:
    values = {}
    for argument in shlex.split(line):
        if not argument.startswith("--"):
            assert re.fullmatch(r"\w+:=.+", argument), f"{page}: ros2 launch refuses {argument!r} as malformed"
            name, _, value = argument.partition(":=")
            values[name] = value
    parameters = tuple(shlex.split(values.pop("parameters", "")))
    GraphArguments(**values, parameters=parameters)
    read_parameters(parameters, CONFIG)


def test_every_step_towards_a_robot_has_a_command_that_verifies_it() -> None:
    guide = (ROOT / "docs" / "robots.md").read_text(encoding="utf-8").partition("\n## Starting it")[0]
    steps = re.split(r"^\*\*(\d+)\. ", guide, flags=re.MULTILINE)[1:]
    assert steps[::2] == [str(number) for number in range(1, 11)]
    assert all(list(in_markdown(step)) for step in steps[1::2])
