# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demonstration found, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.markup import escape
from rich.table import Table

from karma_language.answers.plain_words import calls_in_words


@dataclass(frozen=True)
class InstructionReport:
    """One instruction, done with memory, and how much exploring it took without."""

    instruction: str
    success: bool
    code: str
    message: str
    skills: int
    explore_steps: int
    explore_steps_without_memory: int | None
    """None when there was none, or it failed."""
    sim_time_s: float
    recalled: tuple[str, ...]
    seconds: float = 0.0
    """Of real time."""
    llm: Mapping[str, float] = field(default_factory=dict)
    """What the language model was asked for it: calls, tokens_asked, tokens_answered, seconds; empty without one."""


def as_json(reports: list[InstructionReport], **summary: Any) -> dict[str, Any]:
    """Return the report in the form that `./karma demo --json` writes."""
    compared = [r for r in reports if r.explore_steps_without_memory is not None]
    return {
        "instructions": [asdict(report) for report in reports],
        "summary": {
            "instructions": len(reports),
            "succeeded": sum(report.success for report in reports),
            "explore_steps": sum(report.explore_steps for report in compared),
            "explore_steps_without_memory": sum(report.explore_steps_without_memory or 0 for report in compared),
            "sim_time_s": sum(report.sim_time_s for report in reports),
            **summary,
        },
    }


def as_table(reports: list[InstructionReport]) -> Table:
    """Return the report for a terminal."""
    table = Table(title="What the robot was told, and how it went")
    table.add_column("instruction", ratio=3)
    table.add_column("result", ratio=2)
    asked = any(report.llm for report in reports)
    model = ("model [s]", "tokens") if asked else ()
    for heading in ("skills", "explored", "without memory", "time [s]", *model):
        table.add_column(heading, justify="right")
    for report in reports:
        without = report.explore_steps_without_memory
        table.add_row(
            escape(report.instruction),
            "[green]done[/]" if report.success else f"[red]{report.code}[/]",
            str(report.skills),
            str(report.explore_steps),
            "-" if without is None else str(without),
            f"{report.sim_time_s:.0f}",
            *(_use(report.llm) if asked else ()),
        )
        if not report.success:
            table.add_row("", escape(calls_in_words(report.message)), "", "", "", "")
    return table


def _use(llm: Mapping[str, float]) -> tuple[str, str]:
    """Return seconds of the model, and tokens asked and answered."""
    asked, answered = llm.get("tokens_asked", 0.0), llm.get("tokens_answered", 0.0)
    return f"{llm.get('seconds', 0.0):.1f}", f"{asked:.0f} + {answered:.0f}"
