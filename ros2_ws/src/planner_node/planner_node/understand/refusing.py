# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What no robot here does, or not as it is said: told before anything moves."""

from __future__ import annotations

from karma_language import reading
from karma_language.dialogue.utterances import particles
from karma_language.reading import Deed
from karma_language.things import Thing
from karma_language.vocabulary.word_meanings import Sort, speaks_of, tells_manner
from planner_node.skills import Code
from planner_node.understand.goals import NotUnderstood
from planner_node.understand.things import Things, Unresolved

WHAT_I_KNOW = (
    "I understand requests to put, bring, get, wash, heat, cool, slice, open, close, switch on or off, fill, break, "
    "throw away, look at and find things; for instance: wash the apple and put it in the bowl."
)
BREWS = ("CoffeeMachine",)
"""What coffee comes from."""
_ON_AND_OFF = frozenset((Deed.SWITCH_ON, Deed.SWITCH_OFF, Deed.OPEN, Deed.CLOSE))


def verb_of(goal: reading.Goal) -> str:
    """Return in words what a goal does."""
    return goal.verb or goal.do.value.replace("_", " ")


def offered(need: reading.Need) -> NotUnderstood:
    """Return what to ask somebody who lacks something."""
    words = [
        f"{(offer.verb or offer.do.value).replace('_', ' ')} "
        f"{'the' if offer.thing.categories else 'you'} {offer.thing.text}"
        for offer in need.offers
        if offer.thing
    ]
    return NotUnderstood(Code.AMBIGUOUS, f"Shall I {' or '.join(words)}?", (*words, "nothing"))


def refuse(goal: reading.Goal, things: Things) -> None:
    """Say what of a goal can't be honoured. Raises Unresolved where doing the rest would be something else."""
    said = verb_of(goal)
    if goal.choice:
        *first, last = goal.choice
        words = f"{' '.join(first)} or {last}"
        raise Unresolved(f"Which do you mean: {' or '.join(goal.choice)}?", words, goal.choice)
    if goal.do is Deed.OTHER and (ways := particles(said)) is not None:
        raise Unresolved(f"Shall I {said} it {' or '.join(ways)}?", "", ways)
    if goal.do is Deed.OTHER:
        raise Unresolved(f"I can't {said}{'' if goal.thing is None else ' things'}. {WHAT_I_KNOW}")
    if goal.do is Deed.WAIT:
        raise Unresolved("I can't wait: I do everything at once. Say it again when it is time.")
    if goal.do is Deed.EMPTY:
        raise Unresolved(f"I can't {said} things: I can fill things with water, and not empty them.")
    if goal.at is not None:
        raise Unresolved(f"I can't do things later ({goal.at.text!r}). Say it again when it is time.")
    if goal.person and goal.person != "me":
        raise Unresolved(f"I don't know where {goal.person} is. I can bring things to you.")
    if goal.seconds is not None and goal.do in _ON_AND_OFF:
        raise Unresolved(f"I can't {said} things for some time only.")
    if goal.seconds is not None:
        things.notes["I can't measure how long that takes."] = None
    for words in goal.manners:
        if not tells_manner(words):
            raise Unresolved(f"I can't heed {words!r}. Say it without, and I will do the rest.", words)
        things.notes[f"I can't do it {words} or otherwise: I do it as I always do."] = None
    if goal.using is not None:
        _tool(goal, goal.using, said, things)


def _tool(goal: reading.Goal, using: Thing, said: str, things: Things) -> None:
    if goal.do is Deed.FILL:
        if not speaks_of(using.text, Sort.WATER) and using.categories != BREWS:
            raise Unresolved(f"I can only fill things with water or coffee, not with {using.text}.")
        return
    if speaks_of(using.text, Sort.HAND):
        return
    refs = things.refs(using)
    if goal.do is Deed.SLICE and set(things.resolver.lexicon.slicers) & set(refs[0].categories):
        return
    if goal.do is Deed.CLEAN:
        things.notes[f"I wash things under the tap, without {using.text}."] = None
        return
    raise Unresolved(f"I can't {said} things with {using.text}.")
