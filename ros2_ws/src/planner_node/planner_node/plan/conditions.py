# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the condition of a goal holds, by what is seen when its turn comes: "if the fridge is open, close it"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.names import Grounding
from planner_node.plan.steps import GoalFailed
from planner_node.understand.goals import Condition, Goal, ObjectRef
from planner_node.understand.paraphrase import paraphrase
from planner_node.world import World

_OPPOSITE = {"closed": "open", "off": "on", "empty": "filled"}
"""States that are the lack of another."""


def reason_to_skip(
    goal: Goal, world: World, grounding: Grounding, lexicon: Lexicon, look_for: Callable[[ObjectRef], None]
) -> str:
    """Return why there is nothing to do for a goal, in a sentence; empty where its condition holds or it has none.

    `look_for` brings a thing into view. What it raises besides GoalFailed passes through.
    """
    condition = goal.condition
    if condition is None:
        return ""
    wanted = paraphrase([replace(goal, condition=None)], lexicon)
    try:
        look_for(condition.object)
    except GoalFailed:
        if condition.state:
            return f"I did not find the {condition.object.noun}, so I did not {wanted}."
        found = False
    else:
        found = True
    holds = _is_so(condition, world, grounding) if condition.state else found and _is_there(condition, world, grounding)
    if holds != condition.negated:
        return ""
    return f"I did not {wanted}: {_said(condition, lexicon)}."


def _is_there(condition: Condition, world: World, grounding: Grounding) -> bool:
    place = condition.object.place
    candidates = grounding.candidates(condition.object)
    return bool(candidates) and (place is None or any(grounding.is_at(b.id, place) for b in candidates))


def _is_so(condition: Condition, world: World, grounding: Grounding) -> bool:
    candidates = grounding.candidates(condition.object)
    if not candidates:
        return False
    node = candidates[0].id
    if condition.state == "broken":
        return candidates[0].node.states.get("isBroken") == "true"
    if condition.state in _OPPOSITE:
        return not world.has(node, _OPPOSITE[condition.state])
    return world.has(node, condition.state)


def _said(condition: Condition, lexicon: Lexicon) -> str:
    """Return what is the case, though the goal needs the opposite."""
    of = condition.object
    if not condition.state:
        where = lexicon.kind(of.place.categories[0]).relation if of.place is not None and of.place.categories else "at"
        at = f" {where} the {of.place.noun}" if of.place is not None else ""
        return f"there is {'a' if condition.negated else 'no'} {of.noun}{at}"
    return f"the {of.noun} is {'' if condition.negated else 'not '}{condition.state}"
