# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma shell`: the environment of the nodes, for hands."""

from __future__ import annotations

import os
from pathlib import Path

import click

from karma.command.checkout import checkout

WHEELS_GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"


@click.command("shell", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Open a shell in which ROS 2 and KARMA are sourced, in the checkout's workspace if you are in the checkout.

    With ARGUMENTS, run that program instead: ./karma shell python -c 'import rclpy'.
    """
    environment = dict(os.environ)
    # With it set, the Python of another virtual environment with ROS wheels would not find its libraries.
    environment.pop(WHEELS_GUARD, None)
    program = list(arguments)
    if not program:
        program = [environment.get("SHELL") or "/bin/sh"]
        if Path("karma").is_file():  # `ros2 launch karma bringup.launch.py` would take that for the launch file
            os.chdir(checkout() / "ros2_ws")
        click.echo(f"KARMA of {checkout()}, in {Path.cwd()}; leave with exit", err=True)
    try:
        os.execvpe(program[0], program, environment)
    except OSError as error:
        raise click.ClickException(f"cannot start {program[0]}: {error.strerror}") from error
