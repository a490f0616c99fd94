# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Help texts for a machine on which nothing is set up yet, as the command line itself printed them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).with_name("help.txt")
PROMPT = "$ ./karma "
"""In the file, in front of the command line whose output follows."""
OPTIONS = ("-h", "--help")
RUNS_ANOTHER = ("shell",)
"""Commands whose arguments belong to another program, help or not."""


def written_help(arguments: Sequence[str]) -> str | None:
    """Return what the command line answers where it is asked for help or its version; None where it isn't."""
    written = _written()
    if not arguments or arguments[0] in (*OPTIONS, "--version"):
        return written["--version" if arguments[:1] == ["--version"] else "--help"]
    length = 0
    while length < len(arguments) and " ".join([*arguments[: length + 1], "--help"]) in written:
        length += 1
    command, rest = arguments[:length], list(arguments[length:])
    options = rest[:1] if " ".join(command) in RUNS_ANOTHER else rest[: rest.index("--")] if "--" in rest else rest
    if not command or not any(option in options for option in OPTIONS):
        return None
    return written[" ".join([*command, "--help"])]


def written_commands() -> set[str]:
    """Return the names of the commands."""
    return {line.split()[0] for line in _written()}


def _written() -> dict[str, str]:
    """Return output by command line."""
    parts = FILE.read_text(encoding="utf-8").split(PROMPT)[1:]
    return {line: output.strip() for line, _, output in (part.partition("\n") for part in parts)}
