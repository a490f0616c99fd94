# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes speak to whoever asks over ROS: none of their messages names a command or an option of `./karma`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_lines import ROOT

from karma.command.__main__ import main
from karma.command.terms import TERMS, at_the_terminal
from karma_interfaces.action import ExecuteInstruction

SOURCES = [
    file
    for package in ("planner_node", "karma_memory")
    for file in sorted((ROOT / "ros2_ws" / "src" / package / package).rglob("*.py"))
    if "command" not in file.relative_to(ROOT).parts
]


def options() -> Iterator[str]:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        if command is not None:  # those of bootstrap/ have none
            yield from (opt for parameter in command.params for opt in parameter.opts if opt.startswith("--"))


OF_THE_COMMAND_LINE = re.compile(rf"\./karma\b|(?<!\w)({'|'.join(sorted(set(options())))})\b(?!-)")


def texts(file: Path) -> Iterator[str]:
    """Give the literals of a module but for what only explains it."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    explaining = {id(statement.value) for statement in ast.walk(tree) if isinstance(statement, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explaining:
            yield node.value


@pytest.mark.parametrize("package", ["planner_node", "karma_memory"])
def test_no_message_of_a_node_speaks_of_the_command_line(package: str) -> None:
    found = [(file.name, text) for file in SOURCES if package in file.parts for text in texts(file)]
    assert len(found) > 1000
    assert [one for one in found if OF_THE_COMMAND_LINE.search(one[1])] == []


def test_what_the_command_line_puts_into_its_own_terms_is_what_messages_name() -> None:
    messages = " ".join(text for file in SOURCES for text in texts(file) if " " in text)
    assert [name for name in TERMS if name not in messages] == []
    assert "instruction_id" in ExecuteInstruction.Result.get_fields_and_field_types()
    told = at_the_terminal("Give the instruction_id of its result.")
    assert told == "instruction_id: ./karma do prints it behind --about"
    assert at_the_terminal("It is too far away.") == ""
