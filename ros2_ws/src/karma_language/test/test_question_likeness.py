# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions that are read by their likeness to examples, and the vectors that come with the package."""

import numpy as np
import pytest

from karma_language.question_likeness import QuestionLikeness, liker
from karma_language.questions import read_question
from karma_language.reading import Kind
from karma_language.vocabulary import household
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.embedder import installed
from karma_language.vocabulary.shipped_vectors import shipped


class Counting:
    """The embedder, which counts what it is given."""

    def __init__(self):
        self._model = installed()
        self.embedded = []

    def embed(self, texts):
        self.embedded += texts
        return self._model.embed(texts)

    def knows(self, word):
        return self._model.knows(word)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("descriptions", lambda: described(household()).glosses),
        ("question_examples", lambda: QuestionLikeness(household(), installed()).examples),
    ],
)
def test_vectors_of_all_texts_come_with_the_package(name, texts):
    embedder = Counting()
    found = shipped(name, texts(), embedder)
    assert embedder.embedded == [], f"make {name}.npz anew: see karma_language.vocabulary.shipped_vectors"
    some = slice(None, None, 50)
    cosines = np.sum(found[some] * embedder.embed(texts()[some]), axis=1)
    assert cosines.min() > 0.99


def test_other_texts_are_embedded():
    embedder = Counting()
    assert shipped("question_examples", ["where is the thing"], embedder).shape == (1, 384)
    assert embedder.embedded == ["where is the thing"]


@pytest.mark.parametrize(
    ("text", "kind", "thing"),
    [
        ("You wouldn't happen to know where my mug went, would you?", Kind.WHERE, "mug"),
        ("What number of forks are we talking about here?", Kind.COUNT, "fork"),
        ("Does the fridge have anything in it at the moment?", Kind.CONTENTS, ""),
    ],
)
def test_what_no_rule_reads_is_read_by_likeness(text, kind, thing):
    liked = liker(None, text, 0.0).question
    assert liked is not None
    assert (liked.kind, liked.thing.last_word.rstrip("s") if liked.thing else "") == (kind, thing)


@pytest.mark.parametrize("text", ["", "?!", "bring me the mug", "The weather is lovely.", "word " * 100])
def test_what_asks_for_nothing_is_like_nothing(text):
    assert liker(None, text, 0.0).question is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which lamps are not on?", (Kind.WHICH, "off")),
        ("How many lights are not on?", (Kind.COUNT, "off")),
        ("Isn't the lamp on?", (Kind.STATE, "on")),
        ("What is not in the kitchen?", (Kind.TOLD, "")),
        ("Which mugs are not in the kitchen?", (Kind.TOLD, "")),
        ("Is the laptop on the coffee table mine?", (Kind.TOLD, "")),
        ("Whose laptop is on the coffee table?", (Kind.TOLD, "")),
        ("Who put the apple in the fridge?", (Kind.WHO, "")),
        ("Why is the apple in the fridge?", (Kind.WHY, "")),
        ("When did you move the mug?", (Kind.WHEN, "")),
        ("What did Bob ask you to do?", (Kind.TOLD, "")),
        ("Did Bob put the apple in the fridge?", (Kind.TOLD, "")),
        ("Which floor are you on?", (Kind.ROBOT, "")),
    ],
)
def test_likeness_does_not_overlook_what_turns_a_question(text, expected):
    liked = liker(read_question(text, household(), 0.0), text, 0.0).question
    assert (liked.kind, liked.state) == expected
