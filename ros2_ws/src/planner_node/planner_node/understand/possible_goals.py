# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals against what things are good for: what makes no sense whatever the world is like."""

from __future__ import annotations

from collections.abc import Iterable

from karma_language.answers.speech import a
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.understand.goals import BACK, Goal, ObjectRef, Predicate

_NEEDS: dict[Predicate, tuple[str, str]] = {
    Predicate.PLACE: ("pickup", "be carried"),
    Predicate.HOLD: ("pickup", "be picked up"),
    Predicate.BRING: ("pickup", "be carried"),
    Predicate.CLEAN: ("pickup", "be carried to the sink"),
    Predicate.HEAT: ("pickup", "be carried to the microwave"),
    Predicate.COOL: ("pickup", "be carried to the fridge"),
    Predicate.SLICE: ("slice", "be sliced"),
    Predicate.BREAK: ("break", "be broken"),
    Predicate.FILL: ("fill", "be filled"),
    Predicate.OPEN: ("open", "be opened"),
    Predicate.CLOSE: ("open", "be closed"),
    Predicate.SWITCH_ON: ("toggle", "be switched on"),
    Predicate.SWITCH_OFF: ("toggle", "be switched off"),
    Predicate.THROW: ("pickup", "be thrown"),
}
_DONE_IN = {
    Predicate.HEAT: (("Microwave", "Toaster"), "I heat things in a microwave or a toaster"),
    Predicate.COOL: (("Fridge",), "I cool things in a fridge"),
}


def needed(predicate: Predicate, otherwise: str = "") -> str:
    """Return what the object of a goal must be good for; `otherwise` where that is nothing in particular."""
    return _NEEDS.get(predicate, (otherwise, ""))[0]


def complaint(goal: Goal, lexicon: Lexicon) -> str:
    """Return why a goal makes no sense whatever the world is like, empty when it may."""
    ref = goal.object
    if ref is None:
        return (
            "" if goal.predicate in (Predicate.EXPLORE, Predicate.FOLLOW) else f"{goal.predicate.value} needs an object"
        )
    affordance = needed(goal.predicate)
    if affordance and ref.room and not ref.categories:
        return f"a whole {ref.noun} is too much at once, say which things"
    if affordance and not lexicon.any_can(ref.categories, affordance):
        return f"{a(ref.noun)} can't {_NEEDS[goal.predicate][1]}"
    if "sliced" in ref.states and not lexicon.any_can(ref.categories, "slice"):
        return f"{a(ref.noun)} can't be sliced"
    light = goal.destination if goal.predicate is Predicate.EXAMINE else None
    if light is not None and not lexicon.any_can(ref.categories, "pickup"):
        return f"{a(ref.noun)} can't be carried to the {light.noun}"
    if goal.predicate in _DONE_IN and goal.destination is not None:
        appliances, where = _DONE_IN[goal.predicate]
        if not set(appliances) & set(goal.destination.categories):
            return f"{where}, not with {a(goal.destination.noun)}"
    if goal.predicate is Predicate.PLACE:
        if goal.destination is None:
            if goal.relation == BACK:
                return ""
            return f"it is not said where to put the {ref.noun}"
        place = goal.destination
        if place.categories and goal.relation != "near" and not lexicon.any_can(place.categories, "hold"):
            return f"nothing can be put on or in {a(place.noun)}"
        if place.entity == ref.entity and ref.entity:
            return f"the {ref.noun} can't be put on itself"
    return ""


def colours_ignored(goals: Iterable[Goal], lexicon: Lexicon) -> list[str]:
    """Return, in sentences, which colours asked for make no difference.

    The robot knows the colours that kinds of things usually have, and not that of a single thing.
    """
    refs = [ref for goal in goals for ref in goal.refs if ref.colours]
    notes = [
        f"I can't tell the colours of things: any {ref.noun} would do for the {' '.join(ref.colours)} one."
        for ref in refs
        if not _always_so(ref, lexicon)
    ]
    return list(dict.fromkeys(notes))


def _always_so(ref: ObjectRef, lexicon: Lexicon) -> bool:
    """Whether what is meant has the colours anyway: a tomato is red, and "the red food" chose among kinds by it."""
    usual = [set(lexicon.kind(category).colours) for category in ref.categories]
    if len(usual) > 1:
        return all(colours & set(ref.colours) for colours in usual)
    return all(colours and colours <= set(ref.colours) for colours in usual)
