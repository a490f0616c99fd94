# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma replay`: a recorded trial, decided again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from karma_eval.command_line import FILE, FOLDER, click_errors, json_option, write_json
from karma_ros.interrupts import deferred


@click.command("replay")
@click.argument("bag", type=click.Path(path_type=Path))
@click.option("--instruction", type=click.IntRange(1), help="Only this one, counted from 1 [default: all].")
@click.option("--llm", default="", help="Ask this model in Ollama anew [default: its recorded answers].")
@click.option("--journal", type=FILE, help="The memory's exported journal [default: the one in the bag's folder].")
@click.option("--params", type=FILE, help="Parameters as ros2 param dump writes them [default: those in the folder].")
@click.option("--namespace", help="Of the robot, where the bag has several.")
@click.option("--keep", type=FOLDER, help="New folder for journals and logs of the replay.")
@json_option("Write what was recorded, what was replayed, and the differences there.")
def command(
    bag: Path,
    instruction: int | None,
    llm: str,
    journal: Path | None,
    params: Path | None,
    namespace: str | None,
    keep: Path | None,
    json_file: Path | None,
) -> int:
    """Replay the trial in BAG, recorded with ./karma record --all, to a memory and a planner of this version.

    The memory begins with the journal as it was then; the robot, perception, people and a language model say what they
    said then. Goals, skills, result codes, the recollections that were used, and the memory afterwards are compared.
    Status 0 when all is the same, 1 when something differs or the bag can't be replayed. Nothing moves, and no graph
    that runs is touched: it has a ROS domain of its own.
    """
    with deferred():
        from karma.replay.run import Replayed, replay, room_for
        from karma.replay.trial import TrialError, load_trial
        from karma_memory.journal import JournalError
        from karma_ros.client import GraphError

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    interrupted: KeyboardInterrupt | None = None
    with click_errors(TrialError, JournalError, GraphError, OSError):
        trial = load_trial(bag, journal=journal, parameters=params, namespace=namespace)
        if instruction is not None:
            trial = trial.only(instruction)
        replayed = Replayed(trial)
        with tempfile.TemporaryDirectory(prefix="karma-replay-") as temporary:
            folder = _made(keep) if keep is not None else Path(temporary)
            room_for(trial, folder)
            try:
                with Status("", console=console) as status:
                    replay(
                        trial,
                        folder,
                        replayed,
                        llm=llm,
                        on_progress=lambda what: status.update(f"replaying: {what}"),
                        on_result=lambda instructed, result: _show(console, instructed, result),
                    )
            except KeyboardInterrupt as error:
                interrupted = error
    _conclude(console, replayed)
    write_json(json_file, {"bag": str(bag), "interrupted": interrupted is not None, **replayed.as_values()})
    if interrupted is not None:
        console.print("[yellow]interrupted[/]: the rest was not compared")
        raise interrupted
    return 0 if replayed.same else 1


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise click.ClickException(f"{folder} can't be made: {error.strerror}; name a new folder") from error
    return folder


def _show(console: Console, instructed: Any, result: Any) -> None:
    from karma.replay.comparison import decision, differences

    same = not differences(0, instructed.result, result)
    now = decision(result)
    mark = "[green]same[/]" if same else "[red]differs[/]"
    console.print(f"{mark} {escape(instructed.goal.instruction)}: {now['code']}, {len(now['skills'])} skills")


def _conclude(console: Console, replayed: Any) -> None:
    for note in (*replayed.trial.notes, *replayed.notes):
        console.print(f"[yellow]note[/]: {escape(note)}")
    for number, difference in enumerate(replayed.differences):
        console.print(f"{'[red]first difference[/]' if not number else 'then'}: {escape(str(difference))}")
    if replayed.same:
        console.print(
            f"[green]the same[/]: {len(replayed.results)} instructions, {replayed.events} events in the memory"
        )
