# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demonstration found, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.markup import escape
from rich.table import Table

from karma.demo.judge import Fact
from karma_interfaces.msg import Result
from karma_language.answers.plain_words import calls_in_words
from karma_ros.result_codes import code_name


@dataclass(frozen=True)
class Performance:
    """One instruction as it was carried out."""

    text: str
    start: float
    """Seconds since the demo began."""
    result: Any
    """ExecuteInstruction.Result."""
    missing: tuple[Fact, ...] = ()
    """What should be so now, and is not."""
    seconds: float = 0.0
    """Of real time."""
    llm: Mapping[str, float] = field(default_factory=dict)
    """What the language model was asked for it; nothing without one."""

    @property
    def success(self) -> bool:
        """Whether the planner says it is done, and it is."""
        return bool(self.result.result.code == Result.SUCCESS) and not self.missing

    @property
    def code(self) -> str:
        """What the planner says; EXECUTION_FAILURE where it says that it is done, and it is not."""
        said = code_name(self.result.result)
        return "EXECUTION_FAILURE" if said == "SUCCESS" and self.missing else said

    @property
    def message(self) -> str:
        """What the planner says, and where it is wrong."""
        wrong = "; ".join(map(str, self.missing))
        return " ".join(filter(None, [self.result.result.message, f"There should be: {wrong}." if wrong else ""]))


def as_json(played: Sequence[Performance], without: Mapping[str, int], **summary: Any) -> dict[str, Any]:
    """Return the report in the form that `./karma demo --json` writes.

    `without`: explorations without memory, by instruction; of those that succeeded.
    """
    compared = [one for one in played if one.text in without]
    return {
        "instructions": [
            {
                "instruction": one.text,
                "success": one.success,
                "code": one.code,
                "message": one.message,
                "skills": len(one.result.skills),
                "explore_steps": int(one.result.explore_steps),
                "explore_steps_without_memory": without.get(one.text),
                "sim_time_s": round(float(one.result.duration), 2),
                "recalled": [recollection.text for recollection in one.result.recalled],
                "seconds": one.seconds,
                "llm": dict(one.llm),
            }
            for one in played
        ],
        "summary": {
            "instructions": len(played),
            "succeeded": sum(one.success for one in played),
            "explore_steps": sum(int(one.result.explore_steps) for one in compared),
            "explore_steps_without_memory": sum(without[one.text] for one in compared),
            "sim_time_s": sum(round(float(one.result.duration), 2) for one in played),
            **summary,
        },
    }


def as_table(played: Sequence[Performance], without: Mapping[str, int]) -> Table:
    """Return the report for a terminal; see `as_json`."""
    table = Table(title="What the robot was told, and how it went")
    table.add_column("instruction", ratio=3)
    table.add_column("result", ratio=2)
    asked = any(one.llm for one in played)
    model = ("model [s]", "tokens") if asked else ()
    for heading in ("skills", "explored", "without memory", "time [s]", *model):
        table.add_column(heading, justify="right")
    for one in played:
        table.add_row(
            escape(one.text),
            "[green]done[/]" if one.success else f"[red]{one.code}[/]",
            str(len(one.result.skills)),
            str(one.result.explore_steps),
            str(without.get(one.text, "-")),
            f"{one.result.duration:.0f}",
            *(_use(one.llm) if asked else ()),
        )
        if not one.success:
            table.add_row("", escape(calls_in_words(one.message)), "", "", "", "")
    return table


def _use(llm: Mapping[str, float]) -> tuple[str, str]:
    """Return seconds of the model, and tokens asked and answered."""
    asked, answered = llm.get("tokens_asked", 0.0), llm.get("tokens_answered", 0.0)
    return f"{llm.get('seconds', 0.0):.1f}", f"{asked:.0f} + {answered:.0f}"
