# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The end of an instruction: what is left on is switched off, a refused thing put down, and the rest is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner_node.act.loop import Actor
from planner_node.check.safety.guard import Guard
from planner_node.check.safety.rules import At, Decision, Rule
from planner_node.plan.handling import Handling
from planner_node.plan.steps import GoalFailed, Step, Steps, Stopped
from planner_node.skills import Code, SkillCall, Target
from planner_node.understand.goals import Goal, Predicate
from planner_node.understand.paraphrase import paraphrase
from planner_node.whereabouts import whereabouts

_MAY_NOT_MOVE = (Code.CANCELED, Code.UNAVAILABLE, Code.INTERNAL_ERROR)
"""Ends after which the robot stays as it is."""
_ENDS_EARLY = (Code.CANCELED, Code.TIMEOUT, Code.UNAVAILABLE, Code.REFUSED)


def wind_up(code: Code, actor: Actor, guard: Guard, handling: Handling) -> list[str]:
    """Leave everything as the rules want it at the end of an instruction that ended with `code`.

    Returns what a person should hear of, in sentences.
    """
    notes: list[str] = []
    may_move = code not in _MAY_NOT_MOVE
    world = handling.world
    if code is Code.REFUSED and world.held:
        held = world.held
        notes += _perform(actor, handling.empty_hand(), [], "I can't put it down")
        notes += [] if world.held or world.get(held) is None else [whereabouts(held, world, handling.lexicon)]
    if code is Code.REFUSED:
        notes += _perform(actor, handling.close_all(), [], "I left something open")
    for rule, name in guard.left_on(actor.outcomes):
        said = guard.left_on_note(rule, name)
        if rule.decision is not Decision.PUT_RIGHT:
            notes.append(said)
        elif may_move:
            notes += _perform(
                actor, _put_right(handling, guard, rule, name), [said], f"I left the {guard.noun(name)} on"
            )
        else:
            notes.append(f"I left the {guard.noun(name)} on.")
    return [*guard.notes, *notes, *guard.held_notes(At.END)]


def left_behind(code: Code, done: Sequence[Goal], left: Sequence[Goal], actor: Actor, handling: Handling) -> list[str]:
    """Return in sentences what an instruction that was not carried out has done, has left undone, and still holds.

    What was taken or put aside for what could not be done goes back to where it was.

    `done` and `left`: its goals. The only one that is left is not named where the failure itself says so.
    """
    if code is Code.SUCCESS:
        return []
    back = _put_back(code, done, actor, handling)
    before = [*filter(None, (paraphrase(done, handling.lexicon),)), *_for_good(done, actor, handling)]
    said = [f"Done before: {'; '.join(before)}."] if before else []
    if left and (done or len(left) > 1 or code in _ENDS_EARLY):
        said.append(f"Left undone: {paraphrase(left, handling.lexicon)}.")
    if held := handling.world.held:
        said.append(f"I still hold the {handling.noun_of(held)}.")
    return [*said, *back]


def _put_back(code: Code, done: Sequence[Goal], actor: Actor, handling: Handling) -> list[str]:
    """Put what is held in vain, and what made room in vain, back where it was; say so."""
    if code in (*_MAY_NOT_MOVE, *_ENDS_EARLY):
        return []
    world = handling.world
    held = "" if any(goal.predicate in (Predicate.HOLD, Predicate.BRING) for goal in done) else world.held
    names = (held, *reversed(handling.aside))
    return [note for name in names for note in _perform(actor, handling.put_back(name), [], "I can't put it back")]


def _for_good(done: Sequence[Goal], actor: Actor, handling: Handling) -> list[str]:
    """Return in words what was done for good on the way to a goal that was not reached."""
    reached = {goal.call.skill if goal.call is not None else goal.predicate.value for goal in done}
    calls = [outcome.call for outcome in actor.outcomes if outcome.ok and outcome.call.skill in handling.table]
    words = (
        f"{handling.words(call.skill)} the {handling.lexicon.kind(call.subject.category).noun}"
        for call in calls
        if handling.table[call.skill].irreversible and not {call.skill, handling.words(call.skill)} & reached
    )
    return list(dict.fromkeys(words))


def _perform(actor: Actor, steps: Steps[Any], done: list[str], failed: str) -> list[str]:
    """Run steps; return `done`, or in a sentence why that failed."""
    try:
        actor.put_right(steps)
    except (GoalFailed, Stopped) as failure:
        return [f"{failed}: {failure.message}"]
    return done


def _put_right(handling: Handling, guard: Guard, rule: Rule, name: str) -> Steps[None]:
    if rule.skill in ("ToggleOff", "SwitchOff"):
        yield from handling.switch(name, on=False)
        return
    yield from handling.stand_at(name)
    belief = handling.world.get(name)
    call = SkillCall(rule.skill, Target(name, belief.node.category if belief else ""))
    outcome = yield Step(call, f"leave the {guard.noun(name)} safe")
    if not outcome.ok:
        raise GoalFailed(outcome.code, outcome.message)
