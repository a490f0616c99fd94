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
_APPLIANCES = {
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
        named = {category for noun in nouns for category in (*noun.categories, *noun.loosely)}
        if self._words & _BACK:
            named |= {category for ref in spoken_of for category in (*ref.categories, *ref.loosely)}
        self._rooms = frozenset(c.room for c in chunks if c.room)
        self._named = self._with_parts(named)
        self._open = not named or bool(self._words & _OPEN - _BACK) or bool(self._words & {"one", "ones"})

    def complaint(self, goals: Iterable[Goal]) -> str:
        """Return, for the model, which goal was not asked for; empty when all were."""
        return next(filter(None, map(self._unasked, goals)), "")

    def _unasked(self, goal: Goal) -> str:
        senses = _ASKED_BY.get(goal.predicate)
        if senses is not None and not (senses & self._senses or _ASKED_AS.get(goal.predicate) in self._states):
            return f"the instruction does not ask to {goal.predicate.value.replace('_', ' ')} anything"
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
        if place and (self._words & _OPEN_PLACE or categories & set(_APPLIANCES.get(goal.predicate, ()))):
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
