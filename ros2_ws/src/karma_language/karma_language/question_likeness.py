# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question asks for, by its likeness to examples: for wordings that the rules don't read.

Things, places, states and times are taken out before sentences are compared (all-MiniLM-L6-v2), and put into what the
example asks for: nearest neighbour, among the examples that name as many things and places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from karma_language.noun_phrases import Names, mark
from karma_language.reading import Kind, Question, Relation, Span, Thing, Where
from karma_language.time_expressions import take_time
from karma_language.vocabulary import household
from karma_language.vocabulary.embedder import Embedder, Vectors, installed
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.shipped_vectors import ship, shipped
from karma_language.word_meanings import begins_with_verb, sense_of, senses_in
from karma_language.words import GENERIC, PLACED, QUESTION_WORDS, STATES, base_form

LIKE = 0.65
"""Cosine to an example from which what no rule reads asks for the same."""
SURE = 0.8
"""Cosine from which likeness counts more than a rule that says otherwise."""
NAMELESS = 0.65
"""The same of what names no thing and no place: "what must I buy?" is like "what must you do?"."""
_KEPT = 1000
"""Ways of asking whose embedding stays at hand."""
_LONGEST = 160
"""Characters of a sentence that is compared."""
_NAME = "question_examples"
"""Of the file of examples, and of the one with their vectors."""
_KINDS: Mapping[str, Question | None] = {
    "where": Question(quote="?", kind=Kind.WHERE),
    "which_room": Question(quote="?", kind=Kind.WHERE),
    "when_last": Question(quote="?", kind=Kind.WHEN, deed="see"),
    "at_time": Question(quote="?", kind=Kind.WHERE),
    "state": Question(quote="?", kind=Kind.STATE),
    "which": Question(quote="?", kind=Kind.WHICH),
    "how_many": Question(quote="?", kind=Kind.COUNT),
    "contents": Question(quote="?", kind=Kind.CONTENTS),
    "exists": Question(quote="?", kind=Kind.EXISTS),
    "changed": Question(quote="?", kind=Kind.CHANGED),
    "did": Question(quote="?", kind=Kind.DID, open=True),
    "how_often": Question(quote="?", kind=Kind.HOW_OFTEN),
    "how_long": Question(quote="?", kind=Kind.HOW_LONG),
    "why": Question(quote="?", kind=Kind.WHY),
    "why_not": Question(quote="?", kind=Kind.WHY, undone=True),
    "who": Question(quote="?", kind=Kind.WHO, deed="move"),
    "who_told": Question(quote="?", kind=Kind.WHO, deed="tell"),
    "who_asked": Question(quote="?", kind=Kind.WHO, deed="ask"),
    "asked": Question(quote="?", kind=Kind.ASKED),
    "undone": Question(quote="?", kind=Kind.ASKED, undone=True),
    "last_asked": Question(quote="?", kind=Kind.ASKED, last=True),
    "failed": Question(quote="?", kind=Kind.WHY, undone=True),
    "told": Question(quote="?", kind=Kind.ABOUT, deed="tell"),
    "about": Question(quote="?", kind=Kind.ABOUT),
    "about_me": Question(quote="?", kind=Kind.ABOUT),
    "happened": Question(quote="?", kind=Kind.HAPPENED),
    "looked": Question(quote="?", kind=Kind.LOOKED),
    "unseen": Question(quote="?", kind=Kind.LOOKED, undone=True),
    "around": Question(quote="?", kind=Kind.CONTENTS),
    "anything": Question(quote="?", kind=Kind.WHICH),
    "rooms": Question(quote="?", kind=Kind.COUNT, thing=Thing(text="rooms", plural=True)),
    "where_room": Question(quote="?", kind=Kind.WHERE),
    "route": Question(quote="?", kind=Kind.ROUTE),
    "size": Question(quote="?", kind=Kind.SIZE),
    "size_room": Question(quote="?", kind=Kind.SIZE),
    "biggest": Question(quote="?", kind=Kind.SIZE),
    "holding": Question(quote="?", kind=Kind.HOLDING),
    "robot": Question(quote="?", kind=Kind.ROBOT),
    "busy": Question(quote="?", kind=Kind.DID, open=True, last=True),
    "able": Question(quote="?", kind=Kind.ABLE),
    "of_people": Question(quote="?", kind=Kind.TOLD),
    "general": None,
    "request": None,
    "statement": None,
}
"""Kind in the file of examples → what its questions ask for; None for what is no question about the home."""
_EXAMPLED = frozenset(question.kind for question in _KINDS.values() if question is not None)
"""What examples ask for."""
_SAMPLES = {
    "object": "mug",
    "objects": "mugs",
    "place": "table",
    "room": "kitchen",
    "state": "dirty",
    "time": "yesterday morning",
}
"""What stands for the placeholders of examples."""
_DECISIVE = (QUESTION_WORDS - {"what", "which", "where", "whether"}) | {
    "not",
    "mine",
    "yours",
    "hers",
    "ours",
    "theirs",
}
"""Words by which a sentence asks for something else than one without them; "which lamp" is "what lamp"."""
_OF_SIGHT = frozenset((Kind.WHERE, Kind.STATE, Kind.WHICH, Kind.COUNT, Kind.CONTENTS, Kind.EXISTS))
_OF_PLACES = frozenset((Kind.CONTENTS, Kind.CHANGED, Kind.HAPPENED))
_OF_STATES = frozenset((Kind.STATE, Kind.WHICH, Kind.HOW_LONG))
_OF_DEEDS = frozenset((Kind.DID, Kind.HOW_OFTEN, Kind.WHY, Kind.WHO, Kind.WHEN))
_THING = "the thing"
_STATE = re.compile(rf"\b(?:{'|'.join(sorted({*STATES.values()}))})\b(?! {_THING}| (?:it|there|here|which|what)\b)")
"""A state by its name; "on" only where it is no preposition."""
_PLACED = "|".join(sorted(map(re.escape, PLACED), key=len, reverse=True))


@dataclass(frozen=True)
class _Shape:
    """A sentence without what it names."""

    text: str
    """With "the thing" in place of nouns, and one state in place of all."""
    things: tuple[Thing, ...]
    places: tuple[Where, ...]
    state: str
    time: Span | None

    @property
    def signature(self) -> tuple[int, int, bool]:
        """Return how many things and places it names, and whether it names a state."""
        return len(self.things), len(self.places), bool(self.state)


class QuestionLikeness:
    """Reads questions by their likeness to examples."""

    def __init__(self, lexicon: Lexicon, embedder: Embedder) -> None:
        self._lexicon = lexicon
        self._embedder = embedder
        self._said: dict[str, NDArray[np.float32]] = {}
        """The embeddings of ways of asking."""

    def read(self, text: str, now: float, names: Names | None = None) -> tuple[Question | None, float, str] | None:
        """Return what the likest example asks for, how like it is (cosine), and its words.

        None where no example names as many things and places; no question where the example is none about the home.
        `now`: seconds, when it was said.
        """
        if not any(map(str.isalnum, text)) or len(text) > _LONGEST:
            return None
        shape = self._shape(text, now, names, self._idle)
        fits = self._naming.get(shape.signature)
        if fits is None:
            return None
        cosines = self._vectors[fits] @ self._vector(shape.text)
        best = int(np.argmax(cosines))
        kind, example = self._sentences[fits[best]]
        asked = _KINDS[kind]
        return _filled(asked, shape, text) if asked is not None else None, float(cosines[best]), example

    def is_request(self, text: str, names: Names | None = None) -> bool:
        """Whether words begin with what the robot is to do: "scrub the pan", and not "scrub brush, which room"."""
        verb = begins_with_verb(text) and senses_in(text.split()[0])
        return bool(verb) and not mark(text, self._lexicon, names).text.startswith("<")

    def is_idle(self, thing: Thing) -> bool:
        """Whether a noun belongs to a way of asking, and to no home."""
        return not _is_known(thing) and thing.last_word in self._idle

    @cached_property
    def examples(self) -> list[str]:
        """Return the examples as they are compared."""
        return [shape.text for shape in self._shapes]

    @cached_property
    def _vectors(self) -> Vectors:
        return shipped(_NAME, self.examples, self._embedder)

    @cached_property
    def _naming(self) -> dict[tuple[int, int, bool], list[int]]:
        """The examples by how many things and places they name."""
        found: dict[tuple[int, int, bool], list[int]] = {}
        for number, shape in enumerate(self._shapes):
            found.setdefault(shape.signature, []).append(number)
        return found

    @cached_property
    def _shapes(self) -> list[_Shape]:
        return [self._shape(said, 0.0, None, frozenset()) for _, said in self._sentences]

    @cached_property
    def _sentences(self) -> list[tuple[str, str]]:
        file = files("karma_language.vocabulary").joinpath(f"{_NAME}.json")
        listed = json.loads(file.read_text(encoding="utf-8"))
        return [
            (kind, re.sub(r"{(\w+)}", lambda found: _SAMPLES[found[1]], said))
            for kind, every in listed.items()
            for said in every
        ]

    @cached_property
    def _idle(self) -> frozenset[str]:
        """Nouns that belong to a way of asking, and to no home: "idea" of "any idea where …"."""
        idle = set(GENERIC)
        for _, sentence in self._sentences:
            unknown = (thing for thing in mark(sentence, self._lexicon).things if not (thing.categories or thing.room))
            idle |= {thing.last_word for thing in unknown}
        return frozenset(idle)

    def _vector(self, words: str) -> NDArray[np.float32]:
        """Return the embedding of a sentence without what it names: people ask the same of many things."""
        if words not in self._said:
            if len(self._said) >= _KEPT:
                self._said.clear()
            self._said[words] = self._embedder.embed([words])[0]
        return self._said[words]

    def _shape(self, text: str, now: float, names: Names | None, idle: frozenset[str]) -> _Shape:
        """Take out what a sentence names; `idle`: nouns that stay."""
        said, time = take_time(text.strip(" ?!."), now)
        form = mark(said, self._lexicon, names)
        words, things, places = form.text, [], []
        for number, thing in enumerate(form.things):
            named = bool(thing.categories or thing.room)
            if thing.pronoun or (not named and (not idle or thing.last_word in idle)):
                words = words.replace(f"<{number}>", thing.text)
                continue
            placed = re.search(rf"\b({_PLACED}) <{number}>", words)
            if placed is not None or (thing.room and not thing.categories):
                relation = PLACED[placed[1]] if placed is not None else Relation.IN
                places.append(Where(relation=relation, thing=thing))
            else:
                things.append(thing)
            words = words.replace(f"<{number}>", _THING)
        states = [found[0] for found in _STATE.finditer(words)]
        states += [STATES[word] for thing in things for word in thing.attributes if word in STATES]
        plain = _STATE.sub(_SAMPLES["state"], words).casefold()
        return _Shape(plain, tuple(things), tuple(places), next(iter(states), ""), time)


def _filled(example: Question, shape: _Shape, text: str) -> Question:
    """Return what an example asks for, of what a sentence names."""
    things, places = [*shape.things], [*shape.places]
    if example.kind is Kind.CONTENTS and not places and things:
        places.append(Where(relation=Relation.IN, thing=things.pop(0)))
    if example.kind not in _OF_PLACES and not things and places:
        things.append(places.pop(0).thing)
    deeds = [base for word in shape.text.split() if sense_of(base := base_form(word))]
    deed = deeds[-1] if deeds and example.kind in _OF_DEEDS and example.deed not in ("see", "tell", "ask") else ""
    return example.model_copy(
        update={
            "quote": text,
            "thing": next(iter(things), example.thing),
            "place": next(iter(places), None),
            "state": shape.state if example.kind in _OF_STATES else "",
            "open": example.open and not things,
            "deed": deed or example.deed,
            "time": shape.time,
        }
    )


class Liked(NamedTuple):
    """What is asked for, with the likeness to examples taken into account."""

    question: Question | None
    sure: bool = False
    """Whether it counts more than words that a person told, which may answer by chance."""


def liker(read: Question | None, text: str, now: float, *, names: Names | None = None) -> Liked:
    """Return what is asked for by likeness, where that is surer than what rules read of the same words."""
    reader = _likeness()
    if reader is None or (read is None and reader.is_request(text, names)):
        return Liked(read)
    found = reader.read(text, now, names)
    if found is None:
        return Liked(read)
    liked, cosine, example = found
    if liked is None or not _decisive(text) <= _decisive(example):
        return Liked(read)
    if liked.kind is Kind.TOLD:  # "whose mug is on the table?" asks for no mug: their words need not name it
        seen = read is not None and (read.kind is Kind.TOLD or read.kind in _OF_SIGHT)
        return Liked(_KINDS["of_people"] if seen and cosine >= SURE else read)
    if read is None or read.kind is Kind.TOLD:
        named = _is_known(liked.thing) or liked.place is not None
        least = LIKE if named else NAMELESS
        return Liked(liked, named and cosine >= SURE) if cosine >= least else Liked(read)
    empty = read.thing is not None and reader.is_idle(read.thing)
    known = liked.thing is not None and not _is_known(read.thing)
    if liked.kind is not read.kind:
        clause = read.time is not None and bool(read.time.lead)
        alone = read.kind is Kind.COUNT or read.kind not in _EXAMPLED or read.besides is not None
        alone = alone or (read.kind is Kind.WHEN and read.deed != "see")
        if clause or alone or (read.state and liked.kind not in _OF_STATES):
            return Liked(read)  # what examples don't have
        return Liked(liked if cosine >= SURE or ((known or empty) and cosine >= LIKE) else read)
    if cosine < LIKE:
        return Liked(read)
    better: dict[str, object] = {"thing": liked.thing} if known or empty else {}
    if not read.state and liked.state:
        better["state"] = liked.state
    if read.place is None and cosine >= SURE:
        better["place"] = liked.place
    if not sense_of(read.deed) and (liked.deed or cosine >= SURE):
        better["deed"] = liked.deed
    better["undone"] = read.undone or liked.undone
    return Liked(read.model_copy(update=better))


def _decisive(text: str) -> frozenset[str]:
    plain = text.casefold().replace("n't", " not").replace("n’t", " not")
    return _DECISIVE.intersection(re.findall(r"[a-z]+", plain))


def _is_known(thing: Thing | None) -> bool:
    """Whether the vocabulary has a thing, or what was spoken of is meant."""
    return thing is not None and bool(thing.categories or thing.room or thing.pronoun)


@cache
def _likeness() -> QuestionLikeness | None:
    """Return the reader by likeness of the process; None without an embedder."""
    embedder = installed()
    return QuestionLikeness(household(), embedder) if embedder is not None else None


if __name__ == "__main__":
    reader = _likeness()
    assert reader is not None, "the embedding model is not installed; run ./karma setup"
    ship(_NAME, reader.examples)
