# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a question asks for, by a classifier: for the many wordings that no rule reads.

Things, places, states and times are taken out of a sentence, and put into what its class asks for. The classifier is
multinomial logistic regression on the words that are left (n-grams, hashed) and their meaning (all-MiniLM-L6-v2, where
that is installed). It was trained on vocabulary/question_examples.json: `python -m karma_language.question_classifier`.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from karma_language.noun_phrases import Names, mark
from karma_language.reading import Kind, Question, Relation, Span, Thing, Where
from karma_language.time_expressions import take_time
from karma_language.vocabulary import household
from karma_language.vocabulary.embedder import Embedder, installed
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.word_meanings import begins_with_verb, sense_of, senses_in
from karma_language.words import GENERIC, PLACED, STATES, base_form

LIKELY = 0.5
"""Probability from which what no rule reads asks for something."""
SURE = 0.8
"""Probability from which the classifier counts more than a rule that says otherwise."""
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
_SAMPLES = {
    "object": "mug",
    "objects": "mugs",
    "place": "table",
    "room": "kitchen",
    "state": "dirty",
    "time": "yesterday morning",
}
"""What stands for the placeholders of examples."""
_VOCABULARY = Path(__file__).parent / "vocabulary"
_EXAMPLES, _WEIGHTS = "question_examples.json", "question_classifier.npz"
_KEPT = 1000
"""Ways of asking whose embedding stays at hand."""
_LONGEST = 160
"""Characters of a sentence that is classified."""
_HASHED = 4096
"""Features of words; several share one where their hashes do."""
_MEANING = 384
"""Features of an embedding."""
_WEIGHT_OF_MEANING = 2.5
"""Of an embedding beside words, whose features have length 1."""
_REGULARIZATION = 1e-4
_OF_SIGHT = frozenset((Kind.WHERE, Kind.STATE, Kind.WHICH, Kind.COUNT, Kind.CONTENTS, Kind.EXISTS))
_OF_ALL = frozenset((Kind.WHICH, Kind.COUNT, Kind.CONTENTS, Kind.EXISTS))
_NOT = re.compile(r"\bnot\b|n['’]t\b")
_OF_PLACES = frozenset((Kind.CONTENTS, Kind.CHANGED, Kind.HAPPENED))
_OF_STATES = frozenset((Kind.STATE, Kind.WHICH, Kind.HOW_LONG))
_OF_DEEDS = frozenset((Kind.DID, Kind.HOW_OFTEN, Kind.WHY, Kind.WHO, Kind.WHEN))
_STATE = re.compile(
    rf"\b(?:{'|'.join(sorted({*STATES.values()}))})\b(?! (?:the (?:mug|table|kitchen)|it|there|here|which|what)\b)"
)
"""A state by its name; "on" only where it is no preposition."""
_PLACED = "|".join(sorted(map(re.escape, PLACED), key=len, reverse=True))


@dataclass(frozen=True)
class _Shape:
    """A sentence without what it names."""

    text: str
    """With the same noun in place of all things, all places, all rooms, and one state in place of all."""
    things: tuple[Thing, ...]
    places: tuple[Where, ...]
    state: str
    time: Span | None

    @property
    def features(self) -> Mapping[int, float]:
        """Return the features of its words and of what it names → values."""
        words = ["^", *re.findall(r"[a-z']+", self.text.replace("’", "'")), "$"]
        pairs = (f"{one} {other}" for one, other in itertools.pairwise(words))
        apart = (f"{one} * {other}" for one, other in zip(words, words[2:], strict=False))
        found = {zlib.crc32(gram.encode()) % _HASHED for gram in (*words, *pairs, *apart)}
        value = 3.0 / np.sqrt(len(found))
        named = (
            len(self.things),
            len(self.places),
            bool(self.state),
            self.time is not None,
            *map(bool, (self.things, self.places)),
            1,
        )
        return {**dict.fromkeys(found, value), **{_HASHED + at: 1.5 * float(number) for at, number in enumerate(named)}}


_NAMED = 7
"""Features of what a sentence names."""


class QuestionClassifier:
    """Reads questions by their class."""

    def __init__(self, lexicon: Lexicon, embedder: Embedder | None) -> None:
        self._lexicon = lexicon
        self._embedder = embedder
        self._said: dict[str, NDArray[np.float32]] = {}
        """The embeddings of ways of asking."""

    def read(self, text: str, now: float, names: Names | None = None) -> tuple[Question | None, float]:
        """Return what a sentence asks for, and how probable that is; no question for what is none about the home.

        `now`: seconds, when it was said.
        """
        if not any(map(str.isalnum, text)) or len(text) > _LONGEST:
            return None, 1.0
        shape = self._shape(text, now, names, self._learned.idle)
        scores = sum(value * self._learned.weights[at] for at, value in shape.features.items())
        if self._embedder is not None:
            scores = scores + self._vector(shape.text) @ self._learned.weights[-_MEANING:]
        odds = np.exp(scores - np.max(scores))
        best = int(np.argmax(odds))
        asked = _KINDS[self._learned.classes[best]]
        return _filled(asked, shape, text) if asked is not None else None, float(odds[best] / odds.sum())

    def is_request(self, text: str, names: Names | None = None) -> bool:
        """Whether words begin with what the robot is to do: "scrub the pan", and not "scrub brush, which room"."""
        verb = begins_with_verb(text) and senses_in(text.split()[0])
        return bool(verb) and not mark(text, self._lexicon, names).text.startswith("<")

    def is_idle(self, thing: Thing) -> bool:
        """Whether a noun belongs to a way of asking, and to no home."""
        return not _is_known(thing) and thing.last_word in self._learned.idle

    @cached_property
    def _learned(self) -> _Learned:
        with np.load(_VOCABULARY / _WEIGHTS) as data:
            weights = data["weights"].astype(np.float32) * data["scale"]
            return _Learned(weights, tuple(data["classes"].tolist()), frozenset(data["idle"].tolist()))

    def _vector(self, words: str) -> NDArray[np.float32]:
        """Return the embedding of a sentence without what it names: people ask the same of many things."""
        assert self._embedder is not None
        if words not in self._said:
            if len(self._said) >= _KEPT:
                self._said.clear()
            self._said[words] = _WEIGHT_OF_MEANING * self._embedder.embed([words])[0]
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
            room = bool(thing.room and not thing.categories)
            if placed is not None or room:
                relation = PLACED[placed[1]] if placed is not None else Relation.IN
                places.append(Where(relation=relation, thing=thing))
            else:
                things.append(thing)
            noun = "kitchen" if room else "table" if placed is not None else "mugs" if thing.plural else "mug"
            words = words.replace(f"<{number}>", f"the {noun}")
        states = [found[0] for found in _STATE.finditer(words)]
        states += [STATES[word] for thing in things for word in thing.attributes if word in STATES]
        plain = _STATE.sub(_SAMPLES["state"], words).casefold()
        if time is not None:
            plain = f"{plain} yesterday"
        return _Shape(plain, tuple(things), tuple(places), next(iter(states), ""), time)

    def learn(self) -> None:
        """Train on the examples, and write what was learned. Needs scipy and the embedding model; takes a minute."""
        from scipy.optimize import minimize

        assert self._embedder is not None, "the embedding model is not installed; run ./karma setup"
        sentences = [*_examples()]
        classes = sorted({kind for kind, _ in sentences})
        truth = np.array([classes.index(kind) for kind, _ in sentences])
        shapes = [self._shape(said, 0.0, None, frozenset()) for _, said in sentences]
        inputs = np.zeros((len(shapes), _HASHED + _NAMED + _MEANING), dtype=np.float32)
        for row, shape in enumerate(shapes):
            inputs[row, [*shape.features]] = [*shape.features.values()]
            inputs[row, -_MEANING:] = self._vector(shape.text)
        wordly = inputs.copy()
        wordly[:, -_MEANING:] = 0.0  # it must do without the embedder, too
        inputs, truth = np.concatenate((inputs, wordly)), np.concatenate((truth, truth))
        rows = np.arange(len(truth))

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            weights = flat.reshape(inputs.shape[1], len(classes)).astype(np.float32)
            odds = inputs @ weights
            odds = np.exp(odds - odds.max(axis=1, keepdims=True))
            odds /= odds.sum(axis=1, keepdims=True)
            cost = -np.log(odds[rows, truth] + 1e-12).mean() + _REGULARIZATION / 2 * float((weights**2).sum())
            odds[rows, truth] -= 1.0
            slope = inputs.T @ odds / len(truth) + _REGULARIZATION * weights
            return float(cost), slope.ravel().astype(np.float64)

        start = np.zeros(inputs.shape[1] * len(classes))
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
        weights = found.x.reshape(inputs.shape[1], len(classes))
        scale = float(np.abs(weights).max()) / 127.0
        np.savez_compressed(
            _VOCABULARY / _WEIGHTS,
            weights=np.rint(weights / scale).astype(np.int8),
            scale=np.float32(scale),
            classes=np.array(classes),
            idle=np.array(sorted(self._idle_nouns())),
            digest=np.array(digest()),
        )

    def _idle_nouns(self) -> set[str]:
        """Return the nouns that belong to a way of asking, and to no home: "idea" of "any idea where …"."""
        idle = set(GENERIC)
        for kind, sentence in _examples():
            if _KINDS[kind] is not None:
                things = mark(sentence, self._lexicon).things
                idle |= {thing.last_word for thing in things if not (thing.categories or thing.room)}
        return idle


class _Learned(NamedTuple):
    """What was learned from the examples."""

    weights: NDArray[np.float32]
    """(features, classes): of words, of what is named, of meaning."""
    classes: tuple[str, ...]
    idle: frozenset[str]


def digest() -> str:
    """Return the digest of the examples: whether they are those that were learned from."""
    return hashlib.sha256(files("karma_language.vocabulary").joinpath(_EXAMPLES).read_bytes()).hexdigest()


def _examples() -> Iterator[tuple[str, str]]:
    """Yield class and sentence."""
    listed = json.loads(files("karma_language.vocabulary").joinpath(_EXAMPLES).read_text(encoding="utf-8"))
    for kind, every in listed.items():
        for said in every:
            yield kind, re.sub(r"{(\w+)}", lambda found: _SAMPLES[found[1]], said)


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


class Classified(NamedTuple):
    """What is asked for, with the classifier taken into account."""

    question: Question | None
    sure: bool = False
    """Whether it counts more than words that a person told, which may answer by chance."""


def classified(read: Question | None, text: str, now: float, *, names: Names | None = None) -> Classified:
    """Return what is asked for by its class, where that is surer than what rules read of the same words."""
    reader = classifier()
    if read is None and reader.is_request(text, names):
        return Classified(read)
    asked, probability = reader.read(text, now, names)
    if asked is None or probability < LIKELY:
        return Classified(read)
    sure = probability >= SURE
    if asked.kind is Kind.TOLD:  # "whose mug is on the table?" asks for no mug: their words need not name it
        seen = read is not None and (read.kind is Kind.TOLD or read.kind in _OF_SIGHT)
        return Classified(asked.model_copy(update={"thing": None}) if seen and sure else read)
    if asked.kind in _OF_ALL and _NOT.search(text):
        return Classified(read)  # "what is not in the kitchen?"
    if read is None or read.kind is Kind.TOLD:
        return Classified(asked, sure and (_is_known(asked.thing) or asked.place is not None))
    empty = read.thing is not None and reader.is_idle(read.thing)
    known = asked.thing is not None and not _is_known(read.thing)
    if asked.kind is not read.kind:
        clause = read.time is not None and bool(read.time.lead)
        if clause or read.besides is not None or (read.state and asked.kind not in _OF_STATES):
            return Classified(read)  # what examples don't have
        return Classified(asked if sure or known or empty else read)
    better: dict[str, object] = {"thing": asked.thing} if known or empty else {}
    if not read.state and asked.state:
        better["state"] = asked.state
    if read.place is None and sure:
        better["place"] = asked.place
    if not sense_of(read.deed) and (asked.deed or sure):
        better["deed"] = asked.deed
    better["undone"] = read.undone or asked.undone
    return Classified(read.model_copy(update=better))


def _is_known(thing: Thing | None) -> bool:
    """Whether the vocabulary has a thing, or what was spoken of is meant."""
    return thing is not None and bool(thing.categories or thing.room or thing.pronoun)


@cache
def classifier() -> QuestionClassifier:
    """Return the classifier of the process."""
    return QuestionClassifier(household(), installed())


if __name__ == "__main__":
    classifier().learn()
