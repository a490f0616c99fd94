# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause: direct objects, particles ("up", "off") and prepositional phrases."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk
from planner_node.understand.clauses import PLACES, Clause
from planner_node.understand.goals import ObjectRef
from planner_node.understand.phrases import Discourse, UnknownThing, noun_phrase

AFFORDANCE = {
    "clean": "pickup",
    "heat": "pickup",
    "cool": "pickup",
    "slice": "slice",
    "break": "break",
    "open": "open",
    "close": "open",
    "switch": "toggle",
    "start": "toggle",
    "stop": "toggle",
    "put": "pickup",
    "bring": "pickup",
    "get": "pickup",
    "give": "pickup",
    "throw": "pickup",
    "discard": "pickup",
    "fill": "fill",
    "pour": "fill",
}
"""What a verb asks for → what its object must be good for."""

_SWITCHING = ("switch", "start", "stop")
_ADVERBS = ("up", "down", "away", "off", "out", "back")


@dataclass
class Parts:
    """What a clause is made of, in the order of the text."""

    themes: list[ObjectRef] = field(default_factory=list)
    """Direct objects."""
    particles: list[str] = field(default_factory=list)
    phrases: list[tuple[str, list[ObjectRef]]] = field(default_factory=list)
    """(relation, objects) of the prepositional phrases."""
    to_person: bool = False
    """Whether the speaker is to get it ("me")."""
    dangling: str = ""
    """Relation of a last preposition without an object: "put the egg IN"."""

    def where(self, *relations: str) -> list[tuple[str, ObjectRef]]:
        """Return (relation, place) of the phrases with one of these relations."""
        return [(p, refs[-1]) for p, refs in self.phrases if p in relations and refs]

    def after(self, relation: str) -> list[ObjectRef]:
        """Return the objects of every phrase with this relation."""
        return [ref for p, refs in self.phrases if p == relation for ref in refs]


def read_parts(clause: Clause, discourse: Discourse, lexicon: Lexicon) -> Parts:
    """Read the arguments of a clause and add them to what was spoken of. Raises as `noun_phrase` does."""
    discourse.current = []
    if clause.sense == "explore":
        return Parts()
    parts = _Reader(clause, discourse).read()
    if AFFORDANCE.get(clause.sense) == "pickup":
        parts.themes = [_portable(ref, lexicon) for ref in parts.themes]
    if parts.themes:
        discourse.themes.append(parts.themes)
    discourse.there = next(iter(reversed(parts.where(*PLACES))), discourse.there)
    discourse.places.extend(ref for _, ref in parts.where(*PLACES, "from"))
    discourse.sources.update(ref.entity for _, ref in parts.where("from"))
    return parts


class _Reader:
    """Goes through the arguments of one clause."""

    def __init__(self, clause: Clause, discourse: Discourse) -> None:
        self._sense = clause.sense
        self._args = clause.args
        self._joins = clause.joins
        self._discourse = discourse
        self._parts = Parts()
        self._relation = ""
        """Of the preposition that was read last and still waits for its objects."""
        self._at = 0

    def read(self) -> Parts:
        """Read everything."""
        while self._at < len(self._args):
            if not (self._small_word() or self._preposition()):
                self._objects()
        if self._relation in PLACES and not self._parts.phrases:
            self._parts.dangling = self._relation
        if self._joins:
            self._there()
        return self._parts

    def _there(self) -> None:
        """Let it go where the last thing went, if nothing else is said of where."""
        there, furniture = self._discourse.there, self._discourse.furniture()
        if there is None and furniture is not None:
            there = ("to", furniture)  # "open the fridge and put it THERE"
        if there is not None and self._sense in ("put", "bring") and not self._parts.where(*PLACES):
            self._parts.phrases.append((there[0], [there[1]]))

    def _following(self) -> Chunk | None:
        return self._args[self._at + 1] if self._at + 1 < len(self._args) else None

    def _small_word(self) -> bool:
        """Read a particle, "me", or a word without meaning of its own."""
        c, following = self._args[self._at], self._following()
        word = c.word
        if self._sense in _SWITCHING and word in ("on", "off"):
            self._parts.particles.append(word)
        elif word == "there" and (self._at == 0 or self._args[self._at - 1].word != "over"):
            self._there()
        elif word in ("both", "all") and self._at and self._args[self._at - 1].word in ("them", "these", "those"):
            pass  # "put them BOTH on the table"
        elif word in ("me", "us", "myself"):
            self._parts.to_person = True
            self._relation = ""
        elif word in ("off", "out") and self._parts.themes and following is not None and following.small:
            self._relation = "from"  # "take the cup off the table"
        elif word in _ADVERBS and not (word == "back" and following is not None and following.preposition == "of"):
            self._parts.particles.append(word)
        elif not (c.conjunction or (word in en.IGNORED and not c.preposition)):
            return False
        self._at += 1
        return True

    def _preposition(self) -> bool:
        c, following = self._args[self._at], self._following()
        if not c.preposition:
            return False
        contents = bool(self._parts.phrases) and self._parts.phrases[-1][0] == "with"
        if (
            c.preposition in ("in", "on", "near")
            and contents
            and following is not None
            and following.word in ("it", "them")
        ):
            self._at += 2  # "a mug with a spoon IN IT"
            return True
        part = c.preposition == "of" and not self._parts.phrases and bool(self._parts.themes)
        self._relation = "from" if part else c.preposition  # "the drawer of the desk"
        if c.word in ("at", "over", "against") and self._parts.where("on", "in", "to"):
            self._relation = "near"  # "on the bench at the end of the hallway", "in the cupboard over the sink"
        self._at += 1
        return True

    def _objects(self) -> None:
        """Read a noun phrase, if one begins here, and put it where it belongs."""
        self._discourse.needed = self._useful()
        try:
            read = noun_phrase(self._args, self._at, self._discourse, self._wanted())
        except UnknownThing:
            if self._relation not in ("near", "under", "behind", "with", "for") or not self._parts.where(
                "on", "in", "to"
            ):
                raise
            rest = range(self._at, len(self._args))
            self._at = next((i for i in rest if self._args[i].preposition), len(self._args))
            return  # a landmark that is not needed: "on the shelf in front of the radio"
        if read is None:
            self._at += 1
            return
        refs, self._at = read
        phrases = self._parts.phrases
        continues = phrases and phrases[-1][0] in PLACES and self._args[self._at - 1].noun is not None
        if self._relation == "" and continues:
            phrases[-1][1].extend(refs)
        elif self._relation == "" or (
            self._relation == "to" and self._sense in ("look", "go") and not self._parts.themes
        ):
            self._parts.themes.extend(refs)
            self._discourse.current = self._parts.themes
        else:
            phrases.append((self._relation, refs))
        if not (self._at < len(self._args) and self._args[self._at].conjunction):
            self._relation = ""

    def _useful(self) -> str:
        """Return what the next object must be good for, if it is described rather than named."""
        if not self._relation:
            return AFFORDANCE.get(self._sense, "pickup" if self._sense == "look" else "")
        if self._sense in ("look", "get") and self._relation in ("under", "with", "near", "in"):
            return "toggle" if self._relation != "with" else ""
        return "hold" if self._relation in ("on", "in", "to") and self._sense in ("put", "bring", "get") else ""

    def _wanted(self) -> str:
        """Return what the next object must be good for, to choose among the meanings of its name."""
        if not self._relation:
            return AFFORDANCE.get(self._sense, "").replace("pickup", "")
        placed = self._relation in PLACES and self._relation != "near"  # "next to IT" is said of anything
        return "hold" if placed and self._sense in ("put", "bring", "get") else ""


def _portable(ref: ObjectRef, lexicon: Lexicon) -> ObjectRef:
    """Return the reference without the meanings that can't be carried, unless none can."""
    fitting = tuple(c for c in ref.categories if lexicon.can(c, "pickup"))
    return replace(ref, categories=fitting) if fitting else ref
