# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a run keeps its logs, and for how many runs they are kept."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from karma.command.checkout import output_folder
from karma.environment import share_folder
from karma.graph import GraphArguments

KEPT = 20
"""Runs of each command whose logs are kept."""


def graph_in_log_folder(command: str, arguments: GraphArguments) -> tuple[GraphArguments, Path]:
    """Return arguments whose memory is in a new log folder, and that folder.

    ArgumentError, and no folder, where the graph would only fail (`ready_graph`).
    """
    from karma.readiness import ready_graph

    ready_graph(replace(arguments, database=str(output_folder() / "memory.sqlite3")), share_folder())
    folder = new_log_folder(command)
    return replace(arguments, database=str(folder / "memory.sqlite3")), folder


def new_log_folder(command: str) -> Path:
    """Make out/log/COMMAND-DATE-TIME for one run, and let out/log/COMMAND-latest lead there.

    It is this process's until that ends. Folders of earlier runs of the command go, but for the newest KEPT.
    """
    parent = output_folder() / "log"
    name = f"{command}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = parent / name
    number = 1
    while True:
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            number += 1
            folder = parent / f"{name}-{number}"
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_SH)  # given back by the system when the process ends
    latest = parent / f"{command}-latest"
    latest.unlink(missing_ok=True)
    latest.symlink_to(folder.name)
    _remove_old(parent, command)
    return folder


def _remove_old(parent: Path, command: str) -> None:
    """Remove the folders of earlier runs that nobody uses."""
    named = re.compile(rf"{re.escape(command)}-(\d{{8}}-\d{{6}})(?:-(\d+))?")
    runs = [(found, folder) for folder in parent.iterdir() if (found := named.fullmatch(folder.name))]
    runs.sort(key=lambda run: (run[0][1], int(run[0][2] or 1)), reverse=True)
    for _, folder in runs[KEPT:]:
        try:
            with _unused(folder) as unused:
                if unused:
                    shutil.rmtree(folder)
        except OSError as error:
            click.echo(f"the logs of an earlier run are still in {folder}: {error}", err=True)


@contextmanager
def _unused(folder: Path) -> Iterator[bool]:
    """Whether no run uses a folder, and none will while this lasts."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(descriptor)
