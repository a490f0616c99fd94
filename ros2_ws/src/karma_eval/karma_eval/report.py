# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an evaluation found, on the terminal and as report.md: tables, whether targets are met, and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_WIDTH = 200
"""Columns where no terminal says how many there are."""
_VERDICTS = {True: "yes", False: "NO", None: "not measured"}


class Report:
    """Tables and lines that are printed and written, and more that is only written, in the order in which it comes."""

    def __init__(self, title: str, *about: str) -> None:
        """`about`: paragraphs at the beginning."""
        self._written = [f"# {title}", "", *(line for text in about if text for line in (text, ""))]
        self._printed: list[Any] = []

    def table(self, title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print and write a table; what is in its first column is text, in all others figures."""
        rows = list(rows)
        printed = Table(title=title, padding=0)
        for column in header:
            first = column == header[0]
            printed.add_column(escape(column), justify="left" if first else "right", no_wrap=first)
        for row in rows:
            printed.add_row(*(escape(str(cell)) for cell in row))
        self._printed.append(printed)
        self._written += [*markdown(header, rows), ""]

    def checks(self, found: Mapping[str, bool | None]) -> None:
        """Print and write what is aimed at, and whether it is reached; None: that was not measured."""
        self.say(*(f"{_VERDICTS[holds]}: {what}" for what, holds in found.items()))

    def say(self, *lines: str) -> None:
        """Print lines, and write them as a list."""
        self._printed += map(escape, lines)
        self._written += [*(f"- {line}" for line in lines), ""]

    def add(self, *lines: str) -> None:
        """Write lines of Markdown, without printing them, and end the paragraph."""
        self._written += [*lines, ""]

    def picture(self, file: Path) -> None:
        """Show a picture in what is written, which lies beside it."""
        self.add(f"![{file.stem.replace('_', ' ')}]({file.name})")

    def show(self) -> None:
        """Print what is to be printed."""
        console = Console(highlight=False, width=None if Console().is_terminal else _WIDTH)
        console.print(*self._printed, sep="\n")

    def write(self, folder: Path) -> Path:
        """Write report.md; return it."""
        file = folder / "report.md"
        file.write_text("\n".join(self._written), encoding="utf-8")
        return file


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table; what a list or a person wrote does not break it."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell(part) for part in line) + " |" for line in lines]


def cell(part: object) -> str:
    """Return a text for a cell of a table, or a heading."""
    return " ".join(str(part).split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


@contextmanager
def picture(file: Path, width: float, height: float, rows: int = 1, columns: int = 1, **more: Any) -> Iterator[Any]:
    """Make a picture, inches; give its axes, or the array of them, and save it in the end."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    yield figure.subplots(rows, columns, **more)
    figure.savefig(file, dpi=130)
