# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma record`: topics of a running graph as a bag."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from karma.command.checkout import output_folder
from karma.command.client import connected, namespace_option
from karma_eval.command_line import click_errors, make_folder
from karma_ros.interrupts import deferred


@click.command("record")
@click.argument("topics", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path), help="New folder for the bag [default: out/bags/TIME].")
@click.option("--duration", type=click.FloatRange(0.1), help="Seconds [default: until Ctrl-C].")
@click.option("--storage", type=click.Choice(("mcap", "sqlite3")), default="mcap", show_default=True)
@namespace_option()
@click.option("--all", "everything", is_flag=True, help="All topics, and what ./karma replay needs besides.")
@click.option("--raw", is_flag=True, help="Pictures as they come, bit by bit, rather than as JPEG and in millimetres.")
@click.option("--exclude-regex", default="", help='With --all: topics to leave out, such as "camera/".')
def command(
    topics: tuple[str, ...],
    out: Path | None,
    duration: float | None,
    storage: str,
    namespace: str,
    everything: bool,
    exclude_regex: str,
    raw: bool,
) -> int:
    """Record TOPICS of the running graph as a rosbag2 that ./karma map, ros2 bag and Foxglove read.

    Without TOPICS, what perception needs: color, depth, camera_info, instances and their labels, pose, odometry and
    transforms. Names are relative to --namespace. ROS_DOMAIN_ID chooses the domain. Ctrl-C and SIGTERM end it, and the
    bag is complete; after a kill, an MCAP bag can be read but for its last seconds, an SQLite bag cannot.
    Ends with status 1 when nothing came.

    --all is for trials: it records all topics, what the planner asks and is told among them, and when it ends puts the
    memory's journal and the nodes' parameters into the bag's folder. Begin before the first instruction.
    """
    if everything and topics:
        raise click.UsageError("give TOPICS or --all, one of the two")
    if exclude_regex and not everything:
        raise click.UsageError(
            "--exclude-regex leaves topics out of --all: give that, too, or name the TOPICS you want"
        )
    try:
        re.compile(exclude_regex)
    except re.error as error:
        raise click.UsageError(f"--exclude-regex {exclude_regex!r} is no regular expression: {error}") from error
    with deferred():
        from karma.bag_recorder import CAMERA_TOPICS, BagRecorder, RecorderError
        from karma.replay.saving import Saved, save

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    folder = out or output_folder() / "bags" / datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    make_folder(folder.absolute().parent)
    with connected("record", namespace) as client:
        wanted = None if everything else topics or CAMERA_TOPICS
        recorder = BagRecorder(client.node, folder, wanted, storage=storage, exclude=exclude_regex, raw=raw)
        saved = Saved()

        def show() -> None:
            count = recorder.counts.total()
            status.update(f"recording {len(recorder.counts)} topics, {count} messages; Ctrl-C ends it")

        try:
            with click_errors(RecorderError), Status("waiting for topics", console=console) as status:
                recorder.record(duration, show)
        except KeyboardInterrupt:
            console.print("stopped", markup=False)
        if everything:
            with deferred(), Status("the memory's journal", console=console):
                saved = save(client, folder)
    for topic, count in sorted(recorder.counts.items()):
        console.print(f"{count:>7} {topic}", markup=False)
    for topic, reason in recorder.refused.items():
        console.print(f"[yellow]not recorded[/]: {escape(topic)}: {escape(reason)}")
    if topics and recorder.missing:
        console.print(f"[yellow]never published[/]: {escape(', '.join(recorder.missing))}")
    if recorder.lost:
        console.print(f"[yellow]{recorder.lost} messages were lost[/]: the disk is too slow")
    for problem in saved.problems:
        console.print(f"[yellow]not saved[/]: {escape(problem)}")
    for file in saved.files:
        console.print(f"written: {file}", markup=False)
    console.print(f"written: {folder}", markup=False)
    return 0 if recorder.counts else 1
