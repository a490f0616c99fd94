# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The written report of `./karma eval memento`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karma_eval.memento.noise import Reference
from karma_eval.memento.retrieval import TOP, Answer, figures
from karma_eval.report import Report, markdown

SINGLE = "single memory"
PAPER = {"embedding": {"3": 13.9, "5": 3.5}, "LLM reranker": {"3": 2.5, "5": 1.5}}
"""Missing rates of table 19, percent."""
TARGETS = {"1": 8.0, "3": 1.5, "5": 0.0}
"""Most that may be missing, percent."""
NOISE_PAPER = {"knowledge_update": 100.0, "node_reference": 75.0}
NOISE_TARGETS = {"knowledge_update": 100.0, "node_reference": 95.0}


def say_retrieval(
    report: Report, answers: Mapping[str, Sequence[Answer]], studies: Mapping[str, Sequence[Answer]]
) -> None:
    """Say what was not found. `answers`: kind of question → answers; `studies`: weights → answers."""
    report.add("## Retrieval", "", "Share of gold memories missing from the top k, percent. No language model.")
    rows = []
    for name, some in answers.items():
        of, least = figures(some), max((len(answer.question.gold) for answer in some), default=1)
        rows.append([name, of["n"], *(f"{of['missing_at'][str(k)]:.2f}" if k >= least else "" for k in TOP)])
    rows.append(["to beat", "", *(f"≤ {TARGETS[str(k)]:g}" for k in TOP)])
    rows += [[f"paper, {name}", 201, "", of["3"], of["5"]] for name, of in PAPER.items()]
    head = ["missing, %", "n", *(f"@{k}" for k in TOP)]
    report.table("MEMENTO: retrieval, no language model", head, rows)
    parts = [[name, len(some), *figures(some)["missing_at"].values()] for name, some in studies.items()]
    report.add("### What each signal adds", "", *markdown(head, parts))
    first = answers[SINGLE]
    worst = sorted((a for a in first if a.ranks[0] > 1), key=lambda a: -a.ranks[0])
    lines = [f"- rank {a.ranks[0]}: {a.question.text}" for a in worst]
    report.add("### Not first", "", *(lines or ["none"]))


def say_noise(report: Report, found: Mapping[str, Sequence[Reference]], scores: Mapping[str, float]) -> None:
    """Say what was taken for something else under noise."""
    report.add("## Profile noise (tables 24–27)")
    rows = [
        [name, len(some), f"{scores[name]:.1f}", f"{NOISE_PAPER[name]:g}", f"≥ {NOISE_TARGETS[name]:g}"]
        for name, some in found.items()
    ]
    report.table("MEMENTO: profile noise, tables 24 and 25", ["right, %", "n", "", "paper", "to beat"], rows)
    wrong = [
        f"- {name}: “{one.modified}” is not taken for “{one.original}”"
        for name, references in found.items()
        for one in references
        if not one.right
    ]
    report.add(*(wrong or ["Everything is taken for what it is."]))
