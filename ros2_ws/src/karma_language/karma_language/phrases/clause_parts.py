# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A clause as it was read: its verb, its objects, and where, with what and until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from karma_language.phrases.nouns import Phrase
from karma_language.reading import Deed, Goal
from karma_language.things import Relation, Span, Thing, Where
from karma_language.vocabulary.verbs import Verb

PUT = Verb("put", "put", "base", 0)
SWITCH = Verb("switch", "switch", "base", 0)
BRING = Verb("bring", "bring", "base", 0)
HOLD = Verb("hold", "get", "base", 0)
CAUSES = {
    **{"on": SWITCH, "off": SWITCH},
    **{
        state: Verb(verb, verb, "base", 0)
        for state, verb in {
            **{"open": "open", "closed": "close", "clean": "clean", "full": "fill", "empty": "empty"},
            **{"broken": "break", "sliced": "slice", "cooked": "heat", "hot": "heat", "cold": "cool"},
        }.items()
    },
}
"""State that is wanted → what brings it about; on and off are its particles, too."""


@dataclass
class Place:
    """A prepositional phrase of place."""

    relation: Relation
    phrase: Phrase
    moving: bool = False
    """Whether something goes there by the preposition alone: into, onto, to."""

    @property
    def where(self) -> Where:
        """As the schema has it."""
        return Where(relation=self.relation, thing=self.phrase.thing)


@dataclass
class Clause:
    """A verb and its parts, in the order of the words."""

    verb: Verb
    start: int
    """Index of its first token."""
    end: int = 0
    themes: list[Phrase] = field(default_factory=list)
    """Direct objects."""
    places: list[Place] = field(default_factory=list)
    source: Place | None = None
    sourced: int = 0
    """How many themes had been named when the source was."""
    """Where it is to be taken from."""
    sought: list[Phrase] = field(default_factory=list)
    """What follows "for": "search the kitchen FOR MY KEYS"."""
    particles: list[str] = field(default_factory=list)
    person: str = ""
    using: Thing | None = None
    seconds: float | None = None
    at: Span | None = None
    aside: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    negated: bool = False
    """Whether it is of none: "put NO forks in the drawer"."""
    choice: tuple[str, ...] = ()
    """Objects or places that "or" joins, as said."""
    begun: int = 0
    """Index of the first token of the noun phrases that were read last."""
    last: str = ""
    """Which part was read last: theme or place."""
    onward: bool = False
    """Whether what follows is a step of its own: "wash it AND ON THE SHELF with it"."""

    def brings_along(self, earlier: Goal) -> bool:
        """Whether what it is done with is what an earlier goal puts into or onto its object."""
        if earlier.do is not Deed.PLACE or earlier.to is None or earlier.thing is None or self.using is None:
            return False
        vessel = earlier.to.thing
        carried = any(one.thing.pronoun or one.thing.categories == vessel.categories for one in self.themes)
        return carried and bool(set(self.using.categories) & set(earlier.thing.categories))

    @property
    def objects(self) -> list[Thing | None]:
        """What it is done to; None where the words name nothing."""
        return [one.thing for one in self.themes] or [None]

    @property
    def where(self) -> Where | None:
        """All its places as one."""
        return nested([place.where for place in self.places]) if self.places else None

    def goal(self, do: Deed, thing: Thing | None, to: Where | None = None, **more: object) -> Goal:
        """Return a goal of its verb, still without the words that it rests on."""
        verb = " ".join((self.verb.base, *self.particles))
        return Goal.model_validate({"quote": "", "do": do, "verb": verb, "thing": thing, "to": to, **more})

    def taken(self, thing: Thing | None) -> Thing | None:
        """Return a thing with where it is to be taken from."""
        if self.source is None:
            return thing
        if self.source.phrase.thing.pronoun and self.source.phrase.thing.text in ("there", "here"):
            return thing
        return located(thing or Thing(text="it", pronoun=True), self.source.where)

    def located(self, thing: Thing | None) -> Thing | None:
        """Return a thing that is where the places of the clause say: "the mug ON THE TABLE"."""
        thing, where = self.taken(thing), self.where
        bound = thing is not None and thing.place is not None and any(place.moving for place in self.places)
        return thing if thing is None or where is None or bound else located(thing, where)


def located(thing: Thing, where: Where) -> Thing:
    """Return a thing that is somewhere; of one whose place is told, the room: "what is on the table IN THE KITCHEN"."""
    if thing.place is not None and not where.thing.is_room:
        return thing
    return thing.model_copy(update={"place": where if thing.place is None else nested((thing.place, where))})


def nested(places: Sequence[Where]) -> Where:
    """Return "on the desk in the bedroom" as one place."""
    first, *rest = places
    if not rest:
        return first
    if first.thing.is_room and rest[0].thing.categories:
        within = rest[0].thing.model_copy(update={"room": first.thing.room})  # "in the bathroom on the floor"
        return nested([rest[0].model_copy(update={"thing": within}), *rest[1:]])
    inner = nested(rest)
    room = inner.thing.room if not inner.thing.categories else ""
    more = {"room": room} if room else {"place": inner}
    return first.model_copy(update={"thing": first.thing.model_copy(update=more)})
