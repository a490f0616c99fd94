# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests that no robot could carry out are refused before it moves."""

from __future__ import annotations

import math

from sim_bridge.backend import Code, Skill, Target, execute
from sim_bridge.conformance.check import NotApplicableError, check, require
from sim_bridge.conformance.trial import Trial, well_formed
from sim_bridge.skills import LONGEST_TEXT, LONGEST_WAIT, SKILLS


def _refused(trial: Trial, skill: Skill, what: str) -> None:
    before = trial.backend.locate().robot
    outcome = execute(trial.backend, skill)
    require(outcome.code == Code.INVALID_ARGUMENT, f"INVALID_ARGUMENT for {what}", outcome)
    require(outcome.message, f"a message about {what}", "none")
    require(trial.backend.locate().robot == before, "the robot not to move", f"{what} moved it")


@check()
def unknown_skill(trial: Trial) -> None:
    """A skill that is not in the table is INVALID_ARGUMENT."""
    for name in ("JuggleObjects", "", "goto_object", "__init__"):
        _refused(trial, Skill(name, Target(category="Apple")), f"the skill {name!r}")


@check()
def missing_arguments(trial: Trial) -> None:
    """A skill without an argument that the table requires is INVALID_ARGUMENT."""
    for spec in SKILLS.values():
        if spec.name in trial.subject.lacks:
            continue
        whole = well_formed(spec.name)
        needed = {p.name for p in spec.parameters if p.required} & {"target", "receptacle"}
        for name in needed:
            given = {other: getattr(whole, other) for other in ("target", "receptacle") if other != name}
            _refused(trial, Skill(spec.name, **given), f"{spec.name} without {name}")


@check()
def numbers_out_of_range(trial: Trial) -> None:
    """Positions and durations that are not finite, negative or absurd are INVALID_ARGUMENT."""
    for value in (math.nan, math.inf, -math.inf, 1e9):
        position = (0.0, value, 0.0)
        _refused(trial, Skill("Navigate", Target(position=position)), f"the position {position}")
        _refused(trial, Skill("GoToObject", Target(category="Apple", position=position)), f"the position {position}")
        _refused(trial, Skill("Explore", positions=((0.0, 0.0, 0.0), position)), f"positions with {position}")
    for duration in (math.nan, math.inf, -1.0, 2 * LONGEST_WAIT):
        _refused(trial, Skill("Wait", duration=duration), f"a wait of {duration} s")


@check()
def malformed_texts(trial: Trial) -> None:
    """Texts that are too long or hold control characters, and relations that there are not, are INVALID_ARGUMENT."""
    for text in ("A" * (LONGEST_TEXT + 1), "App\x00le", "Apple\n"):
        _refused(trial, Skill("GoToObject", Target(category=text)), f"the category {text[:20]!r}")
        _refused(trial, Skill("PickupObject", Target(id=text)), f"the id {text[:20]!r}")
    put = Skill("PutObject", receptacle=Target(category="CounterTop"), relation="beneath")
    _refused(trial, put, "the relation 'beneath'")


@check()
def skills_that_it_lacks(trial: Trial) -> None:
    """A skill that the backend declares to lack is INVALID_ARGUMENT: no trying again will help."""
    lacking = [name for name in trial.subject.lacks if isinstance(name, str)]
    if not lacking:
        raise NotApplicableError("it declares to have every skill of the table")
    for name in lacking:
        _refused(trial, well_formed(name), name)
