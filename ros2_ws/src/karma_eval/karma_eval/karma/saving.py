# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What both memories save of the time against none: in single rooms, in homes, and where both solve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karma_eval.karma.measure import saved
from karma_eval.karma.sequence import Outcome
from karma_eval.report import markdown

Pair = tuple[Outcome, Outcome]
NAMES = {"rt_rooms": "RT in rooms", "rt_homes": "in homes", "rt_both": "where both solve"}


def saving(outcomes: Sequence[Outcome], without: Mapping[str, Outcome]) -> dict[str, Any]:
    """Return for one kind what was saved, over the sequences solved with memory; None where there are none.

    `rt_rooms`, `rt_homes`: RT in single rooms, in homes of several; `rt_both`: RT over those that were solved without
    memory, too.
    """
    pairs = [(outcome, without[outcome.task.name]) for outcome in outcomes if outcome.solved]
    figures = {
        "rt_rooms": _rate([pair for pair in pairs if _in_a_room(pair[0])]),
        "rt_homes": _rate([pair for pair in pairs if not _in_a_room(pair[0])]),
        "rt_both": _rate([pair for pair in pairs if pair[1].solved]),
    }
    return {"n": len(pairs), **{name: None if of is None else round(of, 4) for name, of in figures.items()}}


def _rate(pairs: Sequence[Pair]) -> float | None:
    return saved([(with_.duration, without.duration) for with_, without in pairs])


def _in_a_room(outcome: Outcome) -> bool:
    """Whether a sequence takes place in one recorded room; else in a home of several."""
    return outcome.task.floor_plan.startswith("FloorPlan")


def saving_lines(outcomes: Mapping[str, Sequence[Outcome]], without: Mapping[str, Outcome]) -> list[str]:
    """Return the section of the report."""
    rows = []
    for kind, of in outcomes.items():
        found = saving(of, without)
        rows.append([kind, found["n"], *("–" if found[name] is None else f"{found[name]:.2f}" for name in NAMES)])
    return [
        "## What both memories save of the time",
        "",
        "Over the sequences solved with both; in the last column also without memory.",
        "",
        *markdown(["kind", "n", *NAMES.values()], rows),
    ]
