# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The four phases (section 4.2) and their figures: success rate, feedback frequency, cumulative error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from karma_eval.pahf.agent import ABLATIONS, Ablation, Agent, acted
from karma_eval.pahf.person import Person, is_right
from karma_eval.pahf.scenarios import Scenario, users
from karma_memory.preferences import Likeness

LEARNING = ("phase1", "phase3")
ITERATIONS = 3
"""Of a learning phase."""


@dataclass(frozen=True)
class Outcome:
    """How one task went."""

    scenario: Scenario
    right: bool
    asked: bool
    corrected: bool
    choice: tuple[str, str]
    why: str


@dataclass
class PhaseResult:
    """A phase: its iterations, of one outcome a scenario."""

    iterations: list[list[Outcome]] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Return the figures over all iterations, and of each; percentages, and scenarios as `n`."""
        rows = [_figures(outcomes) for outcomes in self.iterations]
        errors = [100.0 - row["sr"] for row in rows]
        for count, row in enumerate(rows, 1):
            row["acpe"] = fmean(errors[:count])
        return {
            "n": sum(len(outcomes) for outcomes in self.iterations),
            "sr": fmean(row["sr"] for row in rows),
            "ff": fmean(row["ff"] for row in rows),
            "acpe": rows[-1]["acpe"],
            "iterations": rows,
        }


def run(
    phases: Mapping[str, Sequence[Scenario]],
    likeness: Likeness,
    *,
    seed: int,
    progress: Callable[[int], object],
    ablations: Sequence[Ablation] = ABLATIONS,
) -> dict[str, dict[str, PhaseResult]]:
    """Return ablation → phase → result. `progress` is told the number of tasks done."""
    results: dict[str, dict[str, PhaseResult]] = {}
    for ablation in ablations:
        agent, person = Agent(likeness, ablation), Person(seed)
        results[ablation.name] = {}
        for phase, scenarios in phases.items():
            result = results[ablation.name][phase] = PhaseResult()
            learning = phase in LEARNING
            for _ in range(ITERATIONS if learning else 1):
                result.iterations.append([])
                for scenario in scenarios:
                    result.iterations[-1].append(play(agent, person, scenario, ablation, learning=learning))
                    progress(1)
    return results


def play(agent: Agent, person: Person, scenario: Scenario, ablation: Ablation, *, learning: bool) -> Outcome:
    """Let the agent carry out one instruction; in a learning phase the person answers and judges in words."""
    intent = scenario.intent
    turn = agent.begin(scenario.instruction, learning=learning)
    asked = bool(turn.question)
    if asked:
        agent.answer(turn, person.answer(intent))
    choice = acted(turn)
    right = is_right(intent, *choice)
    if learning and ablation.listens:
        agent.feedback(turn, person.react(intent, *choice))
    corrected = learning and ablation.listens and not right
    return Outcome(scenario, right, asked, corrected, choice, turn.decision.why)


def _figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return success rate and feedback frequency, and the standard error of the former over users."""
    names = users([outcome.scenario for outcome in outcomes])
    of_user = {name: [o.right for o in outcomes if o.scenario.instruction.user == name] for name in names}
    rates = [100.0 * fmean(rights) for rights in of_user.values()]
    return {
        "sr": 100.0 * fmean(o.right for o in outcomes),
        "ff": 100.0 * fmean(o.asked or o.corrected for o in outcomes),
        "asked": 100.0 * fmean(o.asked for o in outcomes),
        "corrected": 100.0 * fmean(o.corrected for o in outcomes),
        "sr_se": stdev(rates) / sqrt(len(rates)) if len(rates) > 1 else 0.0,
    }
