# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma demo`: the whole stack on the embedded simulator, from an empty memory."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import click
from rich.console import Console

from karma.command.checkout import output_folder
from karma.command.log_folder import graph_in_log_folder
from karma.command.up import parameters_option
from karma.graph import GraphArguments
from karma_eval.command_line import FOLDER, click_errors, json_option, make_folder
from karma_eval.llm import Llm, llm_options
from karma_ros.interrupts import deferred
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES_TOLD

WIDTH = 120
"""Columns of the report where no terminal says how many it has."""


@click.command("demo")
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default="household",
    show_default=True,
    help="robot is the simulated one: the demo moves things behind its back and puts them back, which no real one can.",
)
@click.option(
    "--scene",
    default="",
    help="A home, or a kitchen's floor plan, that has what the script needs.  "
    f"[default: {DEFAULT_SCENES_TOLD}; the simulated robot's is home1]",
)
@click.option("--build", default="", help="With --backend ai2thor: a local build's executable.")
@parameters_option
@llm_options
@click.option("--headless", is_flag=True, help="No window and no live display: plain lines.")
@json_option("Write the report there.")
@click.option("--out", type=FOLDER, help="Folder for pictures and report [default: out/demo].")
def command(
    backend: str,
    scene: str,
    build: str,
    parameters: tuple[str, ...],
    llm: Llm,
    headless: bool,
    json_file: Path | None,
    out: Path | None,
) -> int:
    """Watch the robot explore a home, remember it, and use what it remembers.

    Starts the real graph in a domain of its own, with an empty memory; has the robot explore, then carry out
    instructions while a person moves a thing; then does the same without memory, to compare. Ends with status 0 when
    every instruction succeeded. Without --headless, rviz is opened too where a ROS installation has it.
    """
    began = time.monotonic()
    click.echo("loading KARMA …", err=True)
    with deferred():
        from karma.demo.run import run_demo
        from karma.supervision import running_graph
        from karma_ros.client import GraphError

    folder = (out or output_folder() / "demo").absolute()
    console = Console(
        stderr=True, force_terminal=False if headless else None, width=WIDTH if headless else None, highlight=False
    )
    console.print(f"loaded after {time.monotonic() - began:.1f} s")
    make_folder(folder)
    arguments = GraphArguments(
        backend=backend,
        scene=scene,
        build=build,
        parameters=parameters,
        llm=llm.name,
        llm_url=llm.url,
        rviz=not headless and rviz_can_open(),
    )
    arguments, log_folder = graph_in_log_folder("demo", arguments)
    with click_errors(GraphError), running_graph(arguments, log_folder=log_folder) as graph:
        done = run_demo(graph, arguments, folder=folder, json_file=json_file, console=console)
    return 0 if done else 1


def rviz_can_open() -> bool:
    """Return whether rviz2 is installed and a display is there."""
    return shutil.which("rviz2") is not None and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
