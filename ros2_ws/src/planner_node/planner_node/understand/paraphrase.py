# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals in plain English, so that people can see what was understood: "wash the mug, then put it on the shelf"."""

from __future__ import annotations

from collections.abc import Iterable

from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.terms import plural_of
from planner_node.understand.goals import ALL, BACK, Condition, Goal, ObjectRef, Predicate

_PHRASES = {
    Predicate.PLACE: "put {object} {relation} {destination}",
    Predicate.PUT_DOWN: "put {object} down",
    Predicate.HOLD: "pick up {object}",
    Predicate.BRING: "bring you {object}",
    Predicate.CLEAN: "wash {object}",
    Predicate.HEAT: "heat {object}",
    Predicate.COOL: "cool {object}",
    Predicate.SLICE: "slice {object}",
    Predicate.BREAK: "break {object}",
    Predicate.FILL: "fill {object}",
    Predicate.OPEN: "open {object}",
    Predicate.CLOSE: "close {object}",
    Predicate.SWITCH_ON: "switch {object} on",
    Predicate.SWITCH_OFF: "switch {object} off",
    Predicate.EXAMINE: "look at {object}",
    Predicate.THROW: "throw {object}",
    Predicate.FIND: "find {object}",
    Predicate.GO_TO: "go to {object}",
    Predicate.EXPLORE: "look around",
}
_RELATIONS = {"near": "next to", "in": "in", "on": "on", BACK: "back"}


def paraphrase(goals: Iterable[Goal], lexicon: Lexicon) -> str:
    """Return what the goals ask for as one sentence without a full stop; empty for no goals.

    A thing is called by the name of the likeliest category, whatever the instruction called it.
    """
    said: list[str] = []
    spoken_of = 0
    for goal in goals:
        if goal.call is not None:
            said.append(str(goal.call))
            continue
        repeated = goal.object is not None and goal.object.entity and goal.object.entity == spoken_of
        thing = _called(goal.object, lexicon) if goal.object is not None else ""
        if repeated and goal.object is not None:
            thing = "it" if goal.object.count == 1 else "them"
        place = _called(goal.destination, lexicon) if goal.destination is not None else ""
        relation = _RELATIONS.get(goal.relation, "")
        if goal.destination is not None and not relation:
            relation = lexicon.kind(goal.destination.categories[0]).relation if goal.destination.categories else "in"
        text = _PHRASES.get(goal.predicate, f"{goal.predicate.value} {{object}}")
        text = text.replace("{object}", thing).replace("{relation}", relation).replace("{destination}", place)
        if goal.predicate is Predicate.EXAMINE and goal.relation:
            text = f"look {relation} {thing}"
        elif goal.predicate is Predicate.EXAMINE and place:
            text += f" by the light of {place}"
        elif goal.destination is not None and goal.predicate is not Predicate.PLACE:
            text += f" {relation} {place}"
        if goal.condition is not None:
            text += f" if {_so(goal.condition, lexicon)}"
        said.append(text.rstrip())
        spoken_of = goal.object.entity if goal.object is not None else 0
    return ", then ".join(said)


def _called(ref: ObjectRef, lexicon: Lexicon) -> str:
    """Return a noun phrase for a reference."""
    noun = lexicon.kind(ref.categories[0]).noun if ref.categories else ref.noun
    if ref.categories and noun in ref.noun:
        noun = ref.noun if len(ref.noun.split()) <= 2 else noun
    number = "all" if ref.count == ALL else str(ref.count) if ref.count > 1 else "another" if ref.other else ""
    words = [number or ("your" if ref.mine else "the"), *sorted(ref.states), *ref.colours, noun]
    if number and ref.count != 1:
        words[-1] = plural_of(noun)
    if ref.place is not None:
        words.append(f"from {_called(ref.place, lexicon)}")
    if ref.room and ref.categories:
        words.append(f"in the {ref.room}")
    return " ".join(words)


def _so(condition: Condition, lexicon: Lexicon) -> str:
    """Return a condition as a clause."""
    ref = condition.object
    if condition.state:
        return f"{_called(ref, lexicon)} is {'not ' if condition.negated else ''}{condition.state}"
    noun = lexicon.kind(ref.categories[0]).noun if ref.categories else ref.noun
    at = f" at {_called(ref.place, lexicon)}" if ref.place is not None else ""
    return f"there is {'no' if condition.negated else 'a'} {noun}{at}"
