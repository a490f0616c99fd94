# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma`: one module per subcommand, imported when it is used."""

from __future__ import annotations

import sys

import click

from karma.command.lazy import LazyGroup
from karma.environment import prepare_environment
from karma_ros.interrupts import Terminated, raise_on_signals

SUMMARIES = {
    "setup": "Install and build whatever is missing (every command does this first).",
    "doctor": "Say what is installed, what is missing and what works here.",
    "demo": "Watch the robot explore a home, remember, plan and act.",
    "up": "Start the graph and keep it running until Ctrl-C.",
    "do": "Have the running graph carry out an instruction.",
    "ask": "Ask what the robot knows: where things are, what changed, what it did.",
    "mcp": "Serve the memory to agents, by the Model Context Protocol.",
    "health": "Say whether every node of the running graph is active.",
    "activate": "Activate nodes again that were taken down by hand.",
    "skills": "Show the skills that a robot can have; read and write plans of skill calls.",
    "pause": "Have the robot stop after the running skill and wait.",
    "resume": "Have a paused robot go on.",
    "stop": "Stop the robot: cancel its skill and every instruction.",
    "feedback": "Tell the running graph what you think of what it did.",
    "detector": "Say whether a model file will do as a detector, and what it sees.",
    "map": "Build a scene graph from a recorded bag.",
    "record": "Record the camera of a running graph or robot, or a whole trial, as a bag.",
    "replay": "Decide a recorded trial again, and say what differs.",
    "export": "Write the map as JSON, PLY and for Spark-DSG, or a scene for Habitat.",
    "memory": "Show, ask, export or erase what the robot keeps of a person.",
    "secure": "Write keys for the nodes of the running graph, and what each may do (SROS2).",
    "view": "Show a page in the browser: the home, the robot, its memory and plans, live.",
    "test": "Run the linters and every test.",
    "eval": "Run the protocols of the papers.",
    "bench": "Run the benchmarks.",
    "shell": "Open a shell in which ROS 2 and KARMA are sourced.",
    "lock": "Resolve requirements/*.in into exact versions (for maintainers).",
}
DONE_BY_BOOTSTRAP = ("setup", "lock")
TRIGGERS = ("pause", "resume", "activate")
MODULES = {
    name: f"karma.command.triggered:{name}" if name in TRIGGERS else f"karma.command.{name}"
    for name in SUMMARIES
    if name not in DONE_BY_BOOTSTRAP
}


@click.command(
    cls=LazyGroup,
    modules=MODULES,
    summaries=SUMMARIES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="karma", message="karma %(version)s")
def main() -> None:
    """KARMA: memory for household robots, on ROS 2."""


def run() -> None:
    """Run the command line; Ctrl-C ends it with status 130, SIGTERM and a lost terminal with 143."""
    prepare_environment()
    try:
        raise_on_signals()
        status = main.main(prog_name="./karma", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        terminated = isinstance(error.__cause__ or error, Terminated)  # click wraps what ends it
        click.echo("terminated" if terminated else "interrupted", err=True)
        sys.exit(143 if terminated else 130)
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    run()
