# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether goals are about what an instruction speaks of, or plainly leaves open.

A model is shown what is remembered and seen, in which anybody may have written anything. So what it answers is held
against the person's own words: a thing has to be named in them, and what can do harm has to be asked for by a verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planner_node.understand import words as en
from planner_node.understand.chunks import chunk
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.vocabulary.lexicon import Lexicon

_ASKED_BY: dict[Predicate, frozenset[str]] = {
    Predicate.THROW: frozenset({"throw", "discard"}),
    Predicate.BREAK: frozenset({"break"}),
    Predicate.SLICE: frozenset({"slice"}),
    Predicate.HEAT: frozenset({"heat"}),
    Predicate.FILL: frozenset({"fill", "pour"}),
    Predicate.SWITCH_ON: frozenset({"switch", "start", "use", "look", "heat"}),
}
"""Predicates that are never left open → senses of verbs (english.yaml) that ask for them."""
_ASKED_AS = {Predicate.SLICE: "sliced", Predicate.HEAT: "hot", Predicate.FILL: "filled"}
"""State in which a thing is asked for, by which the goal is, too: "a hot potato"."""
_SAID_BY: dict[str, frozenset[str]] = {
    "clean": frozenset({"clean"}),
    "hot": frozenset({"heat"}),
    "cold": frozenset({"cool"}),
    "sliced": frozenset({"slice"}),
    "filled": frozenset({"fill", "pour"}),
    "open": frozenset({"open"}),
}
"""States → senses of verbs that speak of them, too."""
APPLIANCES = {
    Predicate.HEAT: ("Microwave", "Toaster", "StoveBurner", "Pan", "Pot"),
    Predicate.COOL: ("Fridge",),
    Predicate.EXAMINE: ("DeskLamp", "FloorLamp"),
    Predicate.FILL: ("Sink", "SinkBasin", "Faucet"),
    Predicate.CLEAN: ("Sink", "SinkBasin", "Faucet"),
}
"""Where a thing is done that need not be said."""
_OPEN = en.GENERIC | {"everything", "one", "ones", "whatever", "it", "them", "that", "those"}
"""Words that name no thing and mean one."""
_BACK = frozenset({"it", "them", "that", "those", "this", "these", "one", "ones"})
"""Words that may mean what was spoken of before."""
_OPEN_PLACE = frozenset({"away", "back", "where", "wherever", "somewhere", "place", "usual", "belong", "belongs", "up"})
_BIN = "GarbageCan"
_WORD = re.compile(r"[a-z]+")


class Asked:
    """What an instruction speaks of."""

    def __init__(self, text: str, spoken_of: Sequence[ObjectRef], lexicon: Lexicon) -> None:
        chunks, _ = chunk(text, lexicon)
        self._lexicon = lexicon
        self._words = frozenset(_WORD.findall(text.lower()))
        self._senses = frozenset(en.VERBS[c.verb] for c in chunks if c.verb)
        self._states = frozenset(c.state for c in chunks if c.state)
        nouns = [c.noun for c in chunks if c.noun is not None]
        self._slices = any(noun.sliced for noun in nouns)
        self._nouns = [frozenset((*noun.categories, *noun.loosely)) for noun in nouns]
        named = set().union(*self._nouns)
        if self._words & _BACK:
            named |= {category for ref in spoken_of for category in (*ref.categories, *ref.loosely)}
        self._rooms = frozenset(c.room for c in chunks if c.room)
        self._named = self._with_parts(named)
        self._open = not named or bool(self._words & _OPEN - _BACK) or bool(self._words & {"one", "ones"})

    def says(self, state: str) -> bool:
        """Whether it speaks of a state."""
        if state == "sliced" and self._slices:
            return True
        return state in self._states or bool(_SAID_BY.get(state, frozenset()) & self._senses)

    def covered(self, goals: Iterable[Goal]) -> bool:
        """Whether every thing that it names is in the goals."""
        spoken = set()
        for goal in goals:
            refs = [goal.object, goal.destination, goal.object.place if goal.object is not None else None]
            spoken |= {category for ref in refs if ref is not None for category in (*ref.categories, *ref.loosely)}
            spoken |= {*APPLIANCES.get(goal.predicate, ())}
        return all(self._with_parts(set(noun)) & spoken for noun in self._nouns)

    def complaint(self, goals: Iterable[Goal]) -> str:
        """Return, for the model, which goal was not asked for; empty when all were."""
        return next(filter(None, (self.unbidden(goal) or self.beside(goal) for goal in goals)), "")

    def unbidden(self, goal: Goal) -> str:
        """Return that nothing asks for what a goal does to its things, where that has to be asked for."""
        senses = _ASKED_BY.get(goal.predicate)
        if senses is not None and not (senses & self._senses or _ASKED_AS.get(goal.predicate) in self._states):
            return f"the instruction does not ask to {goal.predicate.value.replace('_', ' ')} anything"
        return ""

    def beside(self, goal: Goal) -> str:
        """Return which thing of a goal the instruction does not speak of."""
        for ref, place in ((goal.object, False), (goal.destination, True)):
            if ref is not None and not self._speaks_of(ref, goal, place=place):
                return f"the instruction speaks of no {ref.noun}; name only what it names"
            if ref is not None and ref.place is not None and not self._speaks_of(ref.place, goal, place=True):
                return f"the instruction speaks of no {ref.place.noun}; name only what it names"
        return ""

    def _speaks_of(self, ref: ObjectRef, goal: Goal, *, place: bool) -> bool:
        categories = {*ref.categories, *ref.loosely}
        if not categories:
            return ref.room in self._rooms or not self._rooms
        if categories & self._named or set(_WORD.findall(ref.noun.lower())) <= self._words:
            return True
        if place and (self._words & _OPEN_PLACE or categories & set(APPLIANCES.get(goal.predicate, ()))):
            return True
        if _BIN in categories and self._senses & {"throw", "discard"}:
            return True
        used_for = {use for category in categories for use in self._lexicon.kind(category).uses}
        return bool(used_for & self._words) or (self._open and not place)

    def _with_parts(self, named: set[str]) -> frozenset[str]:
        """Return categories with their slices, and the wholes of slices."""
        slices = self._lexicon.slices
        return frozenset(
            named | {slices[c] for c in named if c in slices} | {w for w, part in slices.items() if part in named}
        )
