# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Why sequences fail, in the three kinds of BrainMem's figure 4, each with a trace that one can read.

- reasoning: an instruction was not understood, or taken for something else than it says.
- perception: something was not found, or was not where the robot believed it to be.
- planning: it was clear what to do, and it was not brought about.
"""

from __future__ import annotations

from dataclasses import dataclass

from karma_eval.karma import naming
from karma_eval.karma.sequence import Outcome, Step
from planner_node.planner import Report
from planner_node.skills import Code

REASONING, PERCEPTION, PLANNING = SORTS = ("reasoning", "perception", "planning")
_NOT_UNDERSTOOD = (Code.NOT_UNDERSTOOD, Code.AMBIGUOUS, Code.INVALID_ARGUMENT, Code.REFUSED)
_SHOWN = 12
"""Skills of an instruction that a trace shows; the last."""


@dataclass(frozen=True)
class Failure:
    """A sequence that failed, and why."""

    outcome: Outcome
    sort: str
    why: str

    def trace(self) -> list[str]:
        """Return what was asked for, what was made of it and what was done, in lines."""
        lines = []
        for step in self.outcome.steps:
            report = step.report
            lines.append(f"> {step.text}")
            lines.append(f"    {report.code.name}{': ' if report.message else ''}{report.message}")
            if report.goals:
                lines.append("    goals: " + "; ".join(map(str, report.goals)))
            skills = [f"{o.call}{'' if o.ok else f' [{o.code.name}: {o.message}]'}" for o in report.outcomes]
            left = len(skills) - _SHOWN
            lines += [f"    … {left} skills before"] if left > 0 else []
            lines += [f"    {skill}" for skill in skills[-_SHOWN:]]
        lines.append("not reached: " + ", ".join(map(str, self.outcome.missing)))
        return lines


def failure(outcome: Outcome) -> Failure:
    """Return why a sequence failed that did: the first instruction that went wrong decides."""
    for step in outcome.steps:
        if step.report.code is not Code.SUCCESS:
            return Failure(outcome, _sort(step.report), f"{step.text!r}: {step.report.message}")
        if not step.report.goals and not step.report.outcomes:
            return Failure(outcome, REASONING, f"{step.text!r} was not taken for a request: {step.report.message}")
    for literal in outcome.missing:
        things = set(naming.categories_of(literal.thing))
        if things and not any(_is_about(step, things) for step in outcome.steps):
            return Failure(outcome, REASONING, f"nothing was done about the {literal.thing}")
    return Failure(outcome, PLANNING, "it was said to be done, and was not")


def _sort(report: Report) -> str:
    if report.code in _NOT_UNDERSTOOD or not (report.outcomes or report.goals):
        return REASONING
    return PERCEPTION if report.code is Code.NOT_FOUND else PLANNING


def _is_about(step: Step, things: set[str]) -> bool:
    """Whether an instruction was understood to be about things of these categories, or something was done to one."""
    meant = {c for goal in step.report.goals if goal.object is not None for c in goal.object.categories}
    touched = {outcome.call.target.category for outcome in step.report.outcomes}
    return bool(things & (meant | touched))
