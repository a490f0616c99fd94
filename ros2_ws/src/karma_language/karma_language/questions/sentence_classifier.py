# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody wants with a sentence, and what a question asks for, by a classifier.

It is multinomial logistic regression on the words that are left when what is named is taken out (n-grams, hashed), and
on their meaning (all-MiniLM-L6-v2, where that is installed). karma_eval.ask.train_classifier trains it: a new way of
asking is one more example there.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Mapping
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from karma_language.phrases.nouns import Names
from karma_language.questions.shapes import Shape, shape_of
from karma_language.reading import Kind, Question, Social
from karma_language.things import Thing
from karma_language.vocabulary import household
from karma_language.vocabulary.embedder import Embedder, installed
from karma_language.vocabulary.lexicon import Lexicon

SOCIAL = get_args(Social.model_fields["kind"].annotation)
"""Kinds of small talk."""
KINDS: Mapping[str, Question | None] = {
    "where": Question(quote="?", kind=Kind.WHERE),
    "which_room": Question(quote="?", kind=Kind.WHERE),
    "when_last": Question(quote="?", kind=Kind.WHEN, deed="see"),
    "when_did": Question(quote="?", kind=Kind.WHEN),
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
    "failed": Question(quote="?", kind=Kind.WHY, undone=True, open=True),
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
    "biggest": Question(quote="?", kind=Kind.SIZE, thing=Thing(text="room")),
    "holding": Question(quote="?", kind=Kind.HOLDING),
    "robot": Question(quote="?", kind=Kind.ROBOT),
    "busy": Question(quote="?", kind=Kind.DID, open=True, last=True),
    "able": Question(quote="?", kind=Kind.ABLE),
    "clock": Question(quote="?", kind=Kind.CLOCK),
    "of_people": Question(quote="?", kind=Kind.TOLD),
    "general": None,
    "request": None,
    "statement": None,
    **dict.fromkeys(SOCIAL),
}
"""Kind in the file of examples → what its questions ask for; None for what is no question about the home."""
ELSEWHERE = ("of_people", "general", "request", "statement", *SOCIAL)
"""Kinds of which the robot's own memory of the home answers nothing."""
VOCABULARY = Path(__file__).parent.parent / "vocabulary"
WEIGHTS = "sentence_classifier.npz"
_CLEAR = 0.9
"""Probability by the words alone from which their meaning is not asked for: that takes 4 ms."""
_LIKELY = 0.65
"""Probability from which words are small talk."""
SURE = 0.8
"""Probability from which an act outweighs what the grammar makes of the words."""
_LEAST = 0.35
"""Probability from which a question of a kind that names nothing is taken for one."""
_NAMING_NOTHING = ("clock", "robot", "holding", "busy", "able", "biggest", "rooms")
_KEPT = 1000
"""Ways of asking whose embedding stays at hand."""
HASHED = 4096
"""Features of words; several share one where their hashes do."""
NAMED = 7
"""Features of what a sentence names."""
MEANING = 384
"""Features of an embedding."""
WEIGHT_OF_MEANING = 2.5
"""Of an embedding beside words, whose features have length 3."""


class Act(str, Enum):
    """What somebody does by speaking."""

    ASKS = "asks"
    WANTS = "wants"
    TELLS = "tells"
    CHATS = "chats"


class Utterance(NamedTuple):
    """What an utterance is, as a whole."""

    act: Act
    probability: float
    kind: str
    """The likeliest kind of that act."""

    @property
    def chats(self) -> bool:
        """Whether it is small talk."""
        return self.act is Act.CHATS and self.probability >= _LIKELY

    @property
    def tells(self) -> bool:
        """Whether it surely tells something."""
        return self.act is Act.TELLS and self.probability >= SURE


class SentenceClassifier:
    """Says what somebody wants with a sentence."""

    def __init__(self, lexicon: Lexicon, embedder: Embedder | None) -> None:
        self._lexicon = lexicon
        self._embedder = embedder
        self._said: dict[str, NDArray[np.float32]] = {}
        """The embeddings of ways of asking."""

    def read(
        self, text: str, now: float, names: Names | None = None, *, clauses: bool = True
    ) -> tuple[str, float, Shape]:
        """Return the class of a sentence, how probable it is that it asks of the home, or not, and what it names.

        `now`: seconds, when it was said; `names`: what things of this home are called besides → categories;
        `clauses`: see shape_of.
        """
        shape = shape_of(text, now, self._lexicon, names, self._learned.idle, clauses=clauses)
        odds = self._probabilities(shape)
        of_home = self._learned.of_home
        asks = float(odds[of_home].sum())
        best = int(np.where(of_home == (asks >= 0.5), odds, -1.0).argmax())
        kind = self._learned.classes[best]
        if kind in _NAMING_NOTHING and odds[best] < _LEAST:
            kind = "of_people"  # a few words that mean anything
        return kind, max(asks, 1.0 - asks), shape

    def hear(self, text: str, names: Names | None = None) -> Utterance:
        """Return what a whole utterance is: a question, a request, something told or small talk."""
        odds = self._probabilities(shape_of(text, 0.0, self._lexicon, names, self._learned.idle))
        classes = self._learned.classes
        shares = {act: float(sum(odds[at] for at, kind in enumerate(classes) if act_of(kind) is act)) for act in Act}
        act = max(shares, key=lambda one: shares[one])
        kind = max((at for at, kind in enumerate(classes) if act_of(kind) is act), key=lambda at: odds[at])
        return Utterance(act, shares[act], classes[kind])

    def _probabilities(self, shape: Shape) -> NDArray[np.float32]:
        """Return how probable each class is."""
        weights = self._learned.weights
        odds = _odds(sum(value * weights[at] for at, value in features(shape).items()))
        if self._embedder is not None and odds.max() < _CLEAR:
            odds = _odds(np.log(odds + 1e-12) + self._vector(shape.text) @ weights[-MEANING:])
        return odds

    @cached_property
    def _learned(self) -> _Learned:
        with np.load(VOCABULARY / WEIGHTS) as data:
            weights = data["weights"].astype(np.float32) * data["scale"]
            classes = tuple(data["classes"].tolist())
            of_home = np.array([kind not in ELSEWHERE for kind in classes])
            return _Learned(weights, classes, of_home, frozenset(data["idle"].tolist()))

    def _vector(self, words: str) -> NDArray[np.float32]:
        """Return the embedding of a sentence without what it names: people ask the same of many things."""
        assert self._embedder is not None
        if words not in self._said:
            if len(self._said) >= _KEPT:
                self._said.clear()
            self._said[words] = WEIGHT_OF_MEANING * self._embedder.embed([words])[0]
        return self._said[words]


class _Learned(NamedTuple):
    """What was learned from the examples."""

    weights: NDArray[np.float32]
    """(features, classes): of words, of what is named, of meaning."""
    classes: tuple[str, ...]
    of_home: NDArray[np.bool_]
    """Whether each class is of questions that the robot's memory of the home answers."""
    idle: frozenset[str]
    """Nouns that belong to a way of asking, and to no home."""


def _odds(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    odds = np.exp(scores - scores.max())
    probabilities: NDArray[np.float32] = odds / odds.sum()
    return probabilities


def features(shape: Shape) -> Mapping[int, float]:
    """Return the features of a sentence's words and of what it names → values."""
    words = ["^", *re.findall(r"[a-z']+|\?", shape.text), "$"]
    pairs = (f"{one} {other}" for one, other in itertools.pairwise(words))
    apart = (f"{one} * {other}" for one, other in zip(words, words[2:], strict=False))
    found = {zlib.crc32(gram.encode()) % HASHED for gram in (*words, *pairs, *apart)}
    things, places = len(shape.things) + len(shape.heads), len(shape.places) + len(shape.rooms)
    named = (things, places, bool(shape.states), shape.time is not None, things > 0, places > 0, True)
    return {
        **dict.fromkeys(found, 3.0 / np.sqrt(len(found))),
        **{HASHED + at: 1.5 * float(number) for at, number in enumerate(named)},
    }


def act_of(kind: str) -> Act:
    """Return what somebody does with a sentence of a kind."""
    return {"request": Act.WANTS, "statement": Act.TELLS}.get(kind, Act.CHATS if kind in SOCIAL else Act.ASKS)


@cache
def classifier() -> SentenceClassifier:
    """Return the classifier of the process."""
    return SentenceClassifier(household(), installed())
