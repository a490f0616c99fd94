# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether goals are about what an instruction speaks of, or plainly leaves open.

A model is shown what is remembered and seen, in which anybody may have written anything. So what it answers is held
against the person's own words: a thing, a room and a quality have to be named in them, and what can do harm has to be
asked for by a verb. The other way round, what rules plainly read as a request must not be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.understand import words as en
from planner_node.understand.chunks import chunk
from planner_node.understand.goals import Goal, ObjectRef, Predicate

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
_LASTING: dict[Predicate, str] = {
    Predicate.CLEAN: "clean",
    Predicate.HEAT: "hot",
    Predicate.COOL: "cold",
    Predicate.SLICE: "sliced",
    Predicate.FILL: "filled",
    Predicate.BREAK: "",
    Predicate.SWITCH_OFF: "",
}
"""Predicates that no other one brings about → state of a thing in which the same is asked for."""
_ON_THE_WAY = frozenset({Predicate.GO_TO, Predicate.FIND, Predicate.EXPLORE})
"""Predicates that need no goal where something is done afterwards."""
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

    def __init__(
        self, text: str, spoken_of: Sequence[ObjectRef], lexicon: Lexicon, requested: Sequence[Goal] = ()
    ) -> None:
        """Read it. `requested`: goals that rules read in it; empty where they understand it only in part."""
        chunks, _ = chunk(text, lexicon)
        self._lexicon = lexicon
        self._words = frozenset(_WORD.findall(text.lower()))
        self._senses = frozenset(en.VERBS[c.verb] for c in chunks if c.verb)
        self._requested = [goal for goal in requested if goal.condition is None]
        self._states = frozenset(c.state for c in chunks if c.state).union(
            *(ref.states for goal in requested for ref in _refs(goal))
        )
        before = spoken_of if self._words & _BACK else ()
        nouns = [c.noun for c in chunks if c.noun is not None]
        self._slices = any(noun.sliced for noun in nouns)
        self._nouns = [frozenset(noun.categories) for noun in nouns]
        named = set().union(*self._nouns)
        named |= {category for ref in before for category in ref.categories}
        said = f" {' '.join(_WORD.findall(text.lower()))} "
        named_rooms = {room for words, room in lexicon.rooms.items() if f" {' '.join(words)} " in said}
        self._rooms = frozenset(named_rooms).union(ref.room for ref in before if ref.room)
        self._named = self._with_parts(named)
        self._open = not named or bool(self._words & _OPEN - _BACK) or bool(self._words & {"one", "ones"})

    @property
    def plain(self) -> bool:
        """Whether rules read a request in it."""
        return bool(self._requested)

    def says(self, state: str) -> bool:
        """Whether it speaks of a state."""
        if state == "sliced" and (self._slices or self._words & en.PORTIONS):
            return True
        return state in self._states or bool(_SAID_BY.get(state, frozenset()) & self._senses)

    def said_of(self, ref: ObjectRef) -> ObjectRef:
        """Return a thing as what is named, where it may be that, without the room and the qualities nobody spoke of."""
        if ref.categories and ref.room and ref.room not in self._rooms:
            words = ref.noun.split()
            names = [n for n in range(1, len(words)) if tuple(words[:n]) in self._lexicon.rooms]
            ref = replace(ref, room="", noun=" ".join(words[max(names, default=0) :]))  # "bathroom sink"
        return replace(
            ref,
            categories=tuple(c for c in ref.categories if c in self._named) or ref.categories,
            states=frozenset(state for state in ref.states if self.says(state)),
            colours=tuple(colour for colour in ref.colours if colour in self._words),
        )

    def says_room(self, ref: ObjectRef) -> bool:
        """Whether a place is more than a room that nobody spoke of."""
        return bool(ref.categories) or ref.room in self._rooms

    def covered(self, goals: Iterable[Goal]) -> bool:
        """Whether every thing that it names is in the goals."""
        spoken = _spoken(goals)
        return all(self._with_parts(set(noun)) & spoken for noun in self._nouns)

    def omission(self, goals: Sequence[Goal]) -> str:
        """Return, for the model, what is asked for and in none of the goals; empty when nothing is.

        What is told beside a request, where a thing is now and what a description may mean need not be in them.
        """
        spoken = _spoken(goals)
        for at, wanted in enumerate(self._requested):
            if wanted.predicate in _ON_THE_WAY and at < len(self._requested) - 1:
                continue
            for ref in (wanted.object, wanted.destination):
                if ref is not None and self._plain(ref) and not self._with_parts(set(ref.categories)) & spoken:
                    return f"what is to be done with the {ref.noun} is missing: {wanted}"
            state = _LASTING.get(wanted.predicate)
            if state is not None and not any(
                goal.predicate is wanted.predicate or any(self._is(ref, state) for ref in _refs(goal)) for goal in goals
            ):
                return f"what the instruction asks for is missing: {wanted}"
        return ""

    def _is(self, ref: ObjectRef, state: str) -> bool:
        return state in ref.states or (
            state == "sliced" and not set(self._lexicon.slices.values()).isdisjoint(ref.categories)
        )

    def _plain(self, ref: ObjectRef) -> bool:
        """Whether a thing is named by the words, rather than described or spoken of before."""
        return ref.margin == 1.0 and any(noun.intersection(ref.categories) for noun in self._nouns)

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
        categories = set(ref.categories)
        if not categories:
            return ref.room in self._rooms or (not self._rooms and bool(self._open or self._words & _OPEN_PLACE))
        if categories & self._named or set(_WORD.findall(ref.noun.lower())) <= self._words:
            return True
        if _BIN in categories and self._senses & {"throw", "discard"}:
            return True
        open_place = self._words & _OPEN_PLACE and _BIN not in categories  # what is put away does not go to waste
        if place and (open_place or categories & set(APPLIANCES.get(goal.predicate, ()))):
            return True
        used_for = {use for category in categories for use in self._lexicon.kind(category).uses}
        return bool(used_for & self._words) or (self._open and not place)

    def _with_parts(self, named: set[str]) -> frozenset[str]:
        """Return categories with their slices, and the wholes of slices."""
        slices = self._lexicon.slices
        return frozenset(
            named | {slices[c] for c in named if c in slices} | {w for w, part in slices.items() if part in named}
        )


def _refs(goal: Goal) -> list[ObjectRef]:
    """Return the things and places of a goal."""
    refs = (goal.object, goal.destination, goal.object.place if goal.object is not None else None)
    return [ref for ref in refs if ref is not None]


def _spoken(goals: Iterable[Goal]) -> set[str]:
    """Return the categories that goals are about, and those where they may be done."""
    spoken: set[str] = set()
    for goal in goals:
        spoken.update(APPLIANCES.get(goal.predicate, ()), *(ref.categories for ref in _refs(goal)))
    return spoken
