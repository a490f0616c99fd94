# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""PAHF with other names for users and things. What places are called stays: that a drawer is a place is general."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from karma_eval.pahf.scenarios import Intent, Scenario
from karma_eval.renaming import Renaming

_TO = re.compile(r"\bto (\w+)")
"""What a thing is for: "something to drink" goes on saying so."""


def renaming(phases: Mapping[str, Sequence[Scenario]], seed: int, *, invented: bool = False) -> Renaming:
    """Return new names for the things of the data, for the noun of each; what it is like stays ("iced tea")."""
    scenarios = [scenario for some in phases.values() for scenario in some]
    things = {name for s in scenarios if not s.intent.place for name in s.instruction.scene}
    things |= {s.intent.thing for s in scenarios}
    places = {name for s in scenarios if s.intent.place for name in s.instruction.scene if name != s.intent.thing}
    for_what = {word for s in scenarios for word in _TO.findall(s.instruction.task.lower())}
    nouns = {noun(name) for name in things}
    return Renaming(nouns, seed, kept=places | for_what, invented=invented)


def renamed(phases: Mapping[str, Sequence[Scenario]], new: Renaming) -> dict[str, list[Scenario]]:
    """Return the same scenarios with other names."""
    return {phase: [_scenario(scenario, new) for scenario in scenarios] for phase, scenarios in phases.items()}


def noun(name: str) -> str:
    """Return the noun of a name, what comes before "with", "of" and the like: "soup" for "tomato soup with basil"."""
    words = re.split(r" (?:with|of|from|for|in|on|and|without|at) ", name)[0].split()
    return words[-1]


def _scenario(scenario: Scenario, new: Renaming) -> Scenario:
    told, intent = scenario.instruction, scenario.intent
    return Scenario(
        replace(told, user=new.id(told.user), task=new.text(told.task), scene=tuple(map(new.text, told.scene))),
        Intent(new.text(intent.thing), new.text(intent.place)),
    )
