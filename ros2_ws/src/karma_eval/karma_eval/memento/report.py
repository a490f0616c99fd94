# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The written report of `./karma eval memento`, and its plots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from karma_eval.memento.noise import Reference
from karma_eval.memento.retrieval import TOP, Answer

Row = Sequence[object]

PAPER = {"embedding": {"3": 13.9, "5": 3.5}, "LLM reranker": {"3": 2.5, "5": 1.5}}
"""Missing rates of table 19, percent."""
TARGETS = {"1": 8.0, "3": 1.5, "5": 0.0}
"""Most that may be missing, percent."""
NOISE_PAPER = {"knowledge_update": 100.0, "node_reference": 75.0}
NOISE_TARGETS = {"knowledge_update": 100.0, "node_reference": 95.0}


def table(header: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def retrieval_section(
    main: Mapping[str, Mapping[str, Any]], studies: Mapping[str, Mapping[str, Any]], answers: Sequence[Answer]
) -> str:
    """Return the section on retrieval. `main`: name → figures; `studies`: weights → figures."""
    head = ["", "n", *(f"missing @{k}" for k in TOP)]

    def rows(some: Mapping[str, Mapping[str, Any]]) -> list[list[object]]:
        return [[name, of["n"], *(of["missing_at"][str(k)] for k in TOP)] for name, of in some.items()]

    paper = [[f"paper, {name}", 201, "", of["3"], of["5"]] for name, of in PAPER.items()]
    targets = ["to beat", "", *(f"≤ {TARGETS[str(k)]:g}" for k in TOP)]
    worst = sorted((a for a in answers if a.ranks[0] > 1), key=lambda a: -a.ranks[0])
    lines = [f"- rank {a.ranks[0]}: {a.question.text}" for a in worst]
    return "\n\n".join(
        [
            "## Retrieval",
            "Share of gold memories missing from the top k, percent. No language model.",
            table(head, [*rows(main), targets, *paper]),
            "### What each signal adds",
            table(head, rows(studies)),
            "### Not first",
            "\n".join(lines) or "none",
        ]
    )


def noise_section(found: Mapping[str, Sequence[Reference]], scores: Mapping[str, float]) -> str:
    """Return the section on profile noise."""
    rows = [[name, f"{scores[name]:.1f}", NOISE_PAPER[name], NOISE_TARGETS[name], len(found[name])] for name in found]
    wrong = [
        f"- {name}: “{one.modified}” is not taken for “{one.original}”"
        for name, references in found.items()
        for one in references
        if not one.right
    ]
    return "\n\n".join(
        [
            "## Profile noise (tables 24–27)",
            table(["", "right, %", "paper", "to beat", "n"], rows),
            "\n".join(wrong) or "Everything is taken for what it is.",
        ]
    )


def plot_missing(series: Mapping[str, Mapping[str, Any]], file: Path) -> Path:
    """Draw missing rates over k; return the file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for name, of in series.items():
        axes.plot(TOP, [of["missing_at"][str(k)] for k in TOP], "o-", label=name)
    for name, of in PAPER.items():
        axes.plot(TOP[1:], [of[str(k)] for k in TOP[1:]], "s--", label=f"paper, {name}")
    axes.set(xlabel="k", ylabel="gold memories missing, %", xticks=TOP)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(file, dpi=120)
    return file


def bars(names: Sequence[str], series: Mapping[str, Sequence[float]], paper: Mapping[int, float], file: Path) -> Path:
    """Draw success rates, and the paper's (place among the names → rate) as dots; return the file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    width = 0.8 / len(series)
    for index, (name, rates) in enumerate(series.items()):
        places = [place + width * (index - (len(series) - 1) / 2) for place in range(len(names))]
        axes.bar(places, rates, 0.9 * width, label=name)
    axes.plot(list(paper), list(paper.values()), "kD", markersize=5, label="GPT-4o (paper)")
    axes.set(ylabel="success rate, %", ylim=(0, 105))
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.legend(loc="lower left", fontsize=8)
    figure.savefig(file, dpi=120)
    return file


def write_report(folder: Path, sections: Sequence[str]) -> Path:
    """Write report.md; return it."""
    file = folder / "report.md"
    file.write_text("\n\n".join(["# MEMENTO", *sections]) + "\n", encoding="utf-8")
    return file
