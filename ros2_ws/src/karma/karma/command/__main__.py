# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma`: one module per subcommand, imported when it is used."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from karma.environment import prepare_environment
from karma.interrupts import Terminated, deferred, raise_on_signals

SUMMARIES = {
    "setup": "Install and build whatever is missing (every command does this first).",
    "doctor": "Say what is installed, what is missing and what works here.",
    "demo": "Watch the robot explore a home, remember, plan and act.",
    "up": "Start the graph and keep it running until Ctrl-C.",
    "do": "Have the running graph carry out an instruction.",
    "view": "Look into the robot's memory.",
    "test": "Run the linters and every test.",
    "eval": "Run the protocols of the papers.",
    "bench": "Run the benchmarks.",
    "shell": "Open a shell in which ROS 2 and KARMA are sourced.",
    "lock": "Resolve requirements/*.in into exact versions (for maintainers).",
}
DONE_BY_BOOTSTRAP = ("setup", "lock")


class CommandGroup(click.Group):
    """A group that knows its commands by name, so that --help and start-up import none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which a newcomer needs them."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in SUMMARIES or cmd_name in DONE_BY_BOOTSTRAP:
            return None
        with deferred():
            command = import_module(f"karma.command.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


@click.command(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
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
