# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma doctor`: what is installed, what is missing, what works here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from karma.command.client import namespace_option
from karma.command.confirmation import confirm
from karma.command.up import parameters_option
from karma.graph import SIMULATED_ROBOT
from karma.node_parameters import ParameterError, ParameterValue, read_parameters
from karma_eval.command_line import click_errors, json_option, write_json
from sim_bridge.scenes import BACKENDS, DEFAULT_SCENES_TOLD

if TYPE_CHECKING:
    from sim_bridge.findings import Finding

SUBJECT_WIDTH = 24
WORKS, LACKS, FAILS = "[green]✓[/]", "[yellow]-[/]", "[red]✗[/]"


@click.command("doctor")
@click.option("--backend", type=click.Choice(BACKENDS), help="Examine this one: what it needs, a scene, its camera.")
@click.option("--scene", default="", help=f"The scene to open.  [default: {DEFAULT_SCENES_TOLD}]")
@click.option("--build", default="", help="With --backend ai2thor: a local build's executable.")
@click.option("--robot", default="", help="With --backend robot: its table.  [default: simulated]")
@namespace_option("With --backend robot: the robot's, as given to ./karma up.")
@parameters_option
@click.option("--conformance", is_flag=True, help="Run the conformance suite, too: every skill, on everything at hand.")
@click.option("--yes", is_flag=True, help="Do not ask before a real robot is moved.")
@click.option("--database", default="", help="Examine this memory: a file, or postgresql://…. It stays as it is.")
@json_option("Write the findings there.")
def command(
    backend: str | None,
    scene: str,
    build: str,
    robot: str,
    namespace: str,
    parameters: tuple[str, ...],
    conformance: bool,
    yes: bool,
    database: str,
    json_file: Path | None,
) -> int:
    """Say what is installed, what is missing and what works here.

    With --database: what is in a memory, whether it is whole, how big it will be in a year, and what to do.
    Ends with status 1 when something that KARMA, or the backend, cannot do without is missing or broken, or the memory
    is not there or not whole.
    """
    if database:
        if backend or scene or conformance or build or robot or namespace or parameters:
            raise click.UsageError("--database is examined by itself: leave the other options out, but --json")
        return _memory(database, json_file)
    console = Console(highlight=False)
    if backend is None:
        if scene or conformance or build or robot or namespace or parameters:
            raise click.UsageError("--scene, --build, --robot, --namespace, --set and --conformance need --backend")
        title, examined = "KARMA on this machine", _machine(console)
    else:
        if (robot or namespace) and backend != "robot":
            raise click.UsageError("--robot and --namespace are for --backend robot")
        title = f"The backend {backend} on this machine"
        program = str(Path(build).expanduser().absolute()) if build else ""
        values = _bridge(parameters) | {
            "backend": backend,
            "scene": scene,
            "ai2thor_executable": program,
            "robot": robot or SIMULATED_ROBOT,
        }
        examined = _backend(values, namespace, conformance, yes)
    console.print(title, style="bold")
    findings = []
    for finding in examined:
        # Each as soon as it is known, in columns of the same width.
        line = Table.grid(
            Column(width=1), Column(width=SUBJECT_WIDTH, overflow="fold"), Column(overflow="fold"), padding=(0, 1)
        )
        line.add_row(_mark(finding), escape(finding.subject), escape(finding.text))
        console.print(line)
        findings.append(finding)
    write_json(json_file, [finding.as_dict() for finding in findings])
    return 1 if any(finding.essential and finding.verdict != "works" for finding in findings) else 0


def _memory(database: str, json_file: Path | None) -> int:
    from karma_memory.command.journals import existing
    from karma_memory.command.looking import describe
    from karma_memory.command.progress import Speaker
    from karma_memory.command.survey import survey
    from karma_memory.journal import JournalError

    with click_errors(JournalError), existing(database) as journal:
        found = survey(journal, whole=True, progress=Speaker("checking"))
    for line in (*describe(found), "whole      every event and picture is as it was written", "what to do"):
        click.echo(line)
    for advice in found.advice():
        click.echo(f"  {advice}")
    write_json(json_file, found.as_dict())
    return 0


def _mark(finding: Finding) -> str:
    if finding.verdict == "works":
        return WORKS
    return FAILS if finding.essential or finding.verdict == "broken" else LACKS


def _machine(console: Console) -> Iterable[Finding]:
    from karma.findings import examine

    return examine(on_wait=lambda what: console.print(f"  [dim]trying, which takes some seconds: {what}[/]"))


def _bridge(texts: Sequence[str]) -> dict[str, ParameterValue]:
    """Return the bridge's parameters, with small pictures, and with those that the user set. UsageError for others."""
    from karma.environment import share_folder
    from sim_bridge.parameters import PARAMETERS

    try:
        chosen = read_parameters(texts, share_folder() / "config")
    except ParameterError as error:
        raise click.UsageError(str(error)) from error
    if chosen.keys() - {"sim_bridge"}:
        raise click.UsageError("a backend has only the parameters of sim_bridge, as in --set sim_bridge.seed=7")
    declared = {parameter.name: parameter.default for parameter in PARAMETERS}
    return {**declared, "image_width": 320, "image_height": 240, **chosen.get("sim_bridge", {})}


def _backend(values: Mapping[str, ParameterValue], namespace: str, conformance: bool, yes: bool) -> Iterable[Finding]:
    from sim_bridge.examination import examine, subject_of
    from sim_bridge.parameters import backend_options

    options = backend_options(values, namespace)
    subject = subject_of(options) if conformance else None
    if subject is not None and subject.real and not yes:
        confirm(f"{options.backend} moves a real robot, and handles real things. Is the way clear?")
    of_table = _perception(options.robot) if options.backend == "robot" else ()
    return chain(of_table, examine(options, conformance=conformance))


def _perception(robot: str) -> Iterable[Finding]:
    """Say what is wrong with the parameters of perception in a robot's table, which the graph would not start with."""
    from karma.environment import share_folder
    from karma.robot_parameters import perception_of
    from sim_bridge.findings import Finding
    from sim_bridge.robot.table import TableError, find_table, read_table

    try:
        perception_of(read_table(find_table(robot)), share_folder() / "config")
    except ParameterError as error:
        yield Finding("parameters of perception", "broken", str(error), essential=True)
    except TableError:
        return  # the backend's examination tells it
