# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What both memories save against none, taken apart: by what the time goes to, by where, and in other measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from karma_eval.karma.measure import saved
from karma_eval.karma.sequence import Outcome
from karma_eval.karma.spending import Spent, spent

_CAUSES = tuple(field.name for field in fields(Spent) if field.name != "steps")
Pair = tuple[Outcome, Outcome]


def saving(outcomes: Sequence[Outcome], without: Mapping[str, Outcome]) -> dict[str, Any]:
    """Return for one kind what was spent and saved, over the sequences solved with memory; None where there are none.

    `seconds` by what they were spent on, without memory and with it; `rt_steps`: RT in AI2-THOR's steps; `rt_both`: RT
    over those that were solved without memory, too; `rt_rooms`, `rt_homes`: RT in single rooms, in homes of several.
    """
    pairs = [(outcome, without[outcome.task.name]) for outcome in outcomes if outcome.solved]
    figures = {
        "rt_steps": _rate(pairs, lambda outcome: spent([outcome]).steps),
        "rt_both": _rate([pair for pair in pairs if pair[1].solved], _seconds),
        "rt_rooms": _rate([pair for pair in pairs if _in_a_room(pair[0])], _seconds),
        "rt_homes": _rate([pair for pair in pairs if not _in_a_room(pair[0])], _seconds),
    }
    return {
        "n": len(pairs),
        "seconds": {
            name: {cause: round(getattr(of, cause), 1) for cause in _CAUSES}
            for name, of in (("none", spent(b for _, b in pairs)), ("both", spent(a for a, _ in pairs)))
        },
        **{name: None if value is None else round(value, 4) for name, value in figures.items()},
    }


def _rate(pairs: Sequence[Pair], measure: Callable[[Outcome], float]) -> float | None:
    return saved([(measure(with_), measure(without)) for with_, without in pairs])


def _seconds(outcome: Outcome) -> float:
    return outcome.duration


def _in_a_room(outcome: Outcome) -> bool:
    """Whether a sequence takes place in one recorded room; else in a home of several."""
    return outcome.task.floor_plan.startswith("FloorPlan")


def saving_lines(outcomes: Mapping[str, Sequence[Outcome]], without: Mapping[str, Outcome]) -> list[str]:
    """Return the section of the report."""
    lines = [
        "## What both memories save, and of what",
        "",
        "Simulated seconds without memory → with both, over the sequences solved with both. What is handled has to be "
        "handled with memory, too. RT taken apart: in single rooms and in homes of several; in AI2-THOR's steps "
        "(0.25 m, a turn of 90°, a movement of the arm); over the sequences that were solved without memory, too.",
        "",
        "| kind | n | " + " | ".join(_CAUSES) + " | RT in rooms | in homes | in steps | where both solve |",
        "|---|" + "---|" * (len(_CAUSES) + 5),
    ]
    for kind, of in outcomes.items():
        found = saving(of, without)
        seconds = found["seconds"]
        cells = [f"{seconds['none'][cause]:.0f} → {seconds['both'][cause]:.0f}" for cause in _CAUSES]
        names = ("rt_rooms", "rt_homes", "rt_steps", "rt_both")
        cells += ["–" if found[name] is None else f"{found[name]:.2f}" for name in names]
        lines.append(f"| {kind} | {found['n']} | " + " | ".join(cells) + " |")
    return lines
