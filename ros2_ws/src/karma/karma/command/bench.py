# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench`: the benchmarks."""

from __future__ import annotations

import click

from karma.command.bench_ros import command as ros
from karma.command.not_yet import not_yet


@click.group("bench")
def command() -> None:
    """Run the benchmarks."""


@command.command("scenes", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def scenes(arguments: tuple[str, ...]) -> int:
    """How much of every scene the robot can see and reach, by lines of sight and by pictures."""
    from sim_bridge.household.report import main

    return main(["--rendered", *arguments])


@command.command("memory", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def memory(arguments: tuple[str, ...]) -> int:
    """Latencies, restart and size of the memory at 10,000 records, with emem in the same run."""
    from karma_eval.memory.command import command as benchmark

    return int(benchmark.main(arguments, prog_name="./karma bench memory", standalone_mode=False) or 0)


command.add_command(not_yet("cache", "Replacement policies on cache traces."))
command.add_command(not_yet("perception", "Frames per second, precision and recall."))
command.add_command(not_yet("sim", "Rendering and symbolic steps per second."))
command.add_command(ros)
