# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a command line needs besides what every command needs. Standard library only."""

from __future__ import annotations

from bootstrap.written_help import written_help


def needs(arguments: list[str]) -> dict[str, bool]:
    """Return the parts of `bootstrap.steps.set_up` that a command needs, by name. A help text needs none."""
    works = written_help(arguments) is None
    command = arguments[0] if arguments else ""
    backend = chosen_backend(arguments)
    tests = works and command == "test"
    return {
        "peers": works and command == "bench",
        "tests": tests,
        "ai2thor": tests or (works and backend == "ai2thor"),
        "robot": tests or (works and backend == "robot"),
    }


def chosen_backend(arguments: list[str]) -> str:
    """Return what comes with --backend on the command line; empty for nothing."""
    for option, value in zip(arguments, [*arguments[1:], ""], strict=False):
        if option == "--backend":
            return value
        if option.startswith("--backend="):
            return option.partition("=")[2]
    return ""
