# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Command lines of ./karma as texts have them, held against the real one without running them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from karma.command.__main__ import DONE_BY_BOOTSTRAP, main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^ {4}(\S.*)$", re.MULTILINE)
"""A line of a code block in Markdown."""
CALL = re.compile(r"(\w+=\S* )*\./karma ")


def understood(arguments: list[str]) -> None:
    """Raise click's error where `./karma` does not take these arguments; files need not be there."""
    if arguments and arguments[0] in DONE_BY_BOOTSTRAP:
        return
    context = click.Context(main, **main.context_settings)  # as click does: commands keep their options of help
    name, command, rest = main.resolve_command(context, arguments)
    assert command is not None, arguments
    assert name is not None
    try:
        command.make_context(name, list(rest), parent=context)
    except click.BadParameter as error:
        if not re.search(r"does not exist|No such file", error.message):
            raise


def in_markdown(text: str) -> Iterator[list[str]]:
    """Give the arguments of every ./karma in the code blocks of a page."""
    for line in BLOCK.findall(text):
        for part in re.split(r" \| | && ", line):
            if CALL.match(part):
                words = shlex.split(part, comments=True)
                yield words[words.index("./karma") + 1 :]
