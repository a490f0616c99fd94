# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What commands have in common: files and folders that the user names, reports in JSON, and errors in words."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., object])
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
"""The type of options and arguments that name a file to be read."""
ANY_FILE = click.Path(dir_okay=False, path_type=Path)
"""Of those that name a file that need not be there."""
FOLDER = click.Path(file_okay=False, path_type=Path)


@contextmanager
def click_errors(*errors: type[Exception]) -> Iterator[None]:
    """Have the command end with what one of these errors says, as a ClickException."""
    try:
        yield
    except errors as error:
        raise click.ClickException(str(error)) from error


def json_option(help_text: str) -> Callable[[Function], Function]:
    """Make the option --json, whose file is known to be writable before the work begins."""
    return click.option("--json", "json_file", type=ANY_FILE, callback=_writable, help=help_text)


def data_option(help_text: str) -> Callable[[Function], Function]:
    """Make the option --data, the folder of a data set."""
    return click.option("--data", required=True, type=FOLDER, help=help_text)


def out_option(default: str) -> Callable[[Function], Function]:
    """Make the option --out, a folder that is there, and can be written to, before the work begins."""
    about = "Folder for reports and pictures."
    return click.option("--out", default=default, show_default=True, type=FOLDER, callback=_folder, help=about)


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to. ClickException when that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(f"{folder} can't be made: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise click.ClickException(f"{folder} can't be written to")


def write_json(path: Path | None, report: Any) -> None:
    """Write a report as a whole or not at all; None: nobody wants it in a file."""
    if path is None:
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    temporary.replace(path)


def _writable(_: click.Context, __: click.Parameter, file: Path | None) -> Path | None:
    if file is not None:
        make_folder(file.absolute().parent)
    return file


def _folder(_: click.Context, __: click.Parameter, folder: Path) -> Path:
    make_folder(folder)
    return folder
