# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Why tasks fail, in the classes of BrainMem's figure 4: perception, reasoning, planning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from karma_eval.eb_alfred.life import STEPS
from karma_eval.eb_alfred.measure import Done

PERCEPTION, REASONING, PLANNING = "perception", "reasoning", "planning"
KINDS = {
    "not found": PERCEPTION,
    "not understood": REASONING,
    "taken for something else": REASONING,
    "ended too early": REASONING,
    "out of steps": PLANNING,
    "going round in circles": PLANNING,
    "invalid action": PLANNING,
    "no way found": PLANNING,
}
"""Kind of error → class."""


def kind(done: Done) -> str:
    """Return the kind of error that a failed task ended with."""
    if not done.goals:
        return "not understood"
    if done.code == "SUCCESS":
        nothing = not any(met for _, met in done.conditions)
        return "taken for something else" if nothing or len(done.conditions) < 2 else "ended too early"
    if done.code == "TIMEOUT" or done.env_steps >= STEPS:
        return "out of steps"
    if "round in circles" in done.message:
        return "going round in circles"
    if done.code == "NOT_FOUND":
        return "not found"
    if done.code == "PLANNING_FAILURE":
        return "no way found"
    return "invalid action"


def errors(done: Iterable[Done]) -> Counter[str]:
    """Count the kinds of error of what failed."""
    return Counter(kind(one) for one in done if not one.success)


def trace(done: Done) -> list[str]:
    """Return what happened, as lines of Markdown."""
    goal = ", ".join(f"{'met' if met else '**not met**'}: {name}" for name, met in done.conditions)
    lines = [f"**{done.split}/{done.number}, {done.floor_plan}: “{done.instruction}”** — {kind(done)}", ""]
    lines.append(f"- understood: {'; '.join(done.goals) or 'nothing'}")
    lines += [f"- recalled: {text}" for text in done.recalled[:5]]
    lines += [f"- {number}. {skill}" for number, skill in enumerate(done.skills, 1)]
    return [*lines, f"- ended with {done.code}: {done.message or 'done'}", f"- {goal}", ""]
