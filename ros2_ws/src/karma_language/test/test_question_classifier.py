# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sentence asks for, by a classifier, and the vectors that come with the package."""

import numpy as np
import pytest

from karma_language.question_classifier import KINDS, QuestionClassifier
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


def test_vectors_of_the_definitions_come_with_the_package():
    embedder = Counting()
    texts = described(household()).glosses
    found = shipped("descriptions", texts, embedder)
    assert embedder.embedded == [], "make descriptions.npz anew: see karma_language.vocabulary.shipped_vectors"
    some = slice(None, None, 50)
    cosines = np.sum(found[some] * embedder.embed(texts[some]), axis=1)
    assert cosines.min() > 0.99


def test_other_texts_are_embedded():
    embedder = Counting()
    assert shipped("descriptions", ["where is the thing"], embedder).shape == (1, 384)
    assert embedder.embedded == ["where is the thing"]


# None of these is among the examples.
UNSEEN = [
    ("You wouldn't happen to know where my mug went, would you?", "where"),
    ("What number of forks are we talking about here?", "how_many"),
    ("Does the fridge have anything in it at the moment?", "contents"),
    ("For what reason is my laptop not where I left it?", "why"),
    ("Which of us was it that took the scissors?", "who"),
    ("Give me a run-down of what you got through this morning.", "did"),
    ("Would you pass me the salt?", "request"),
    ("My sister's birthday is in May.", "statement"),
    ("How tall is Mount Fuji?", "general"),
    ("Might I ask what you've got between your fingers?", "holding"),
    ("Any chance you caught sight of the stapler this morning?", "at_time"),
    ("Do we still own a corkscrew, by the way?", "exists"),
]


@pytest.mark.parametrize("embedder", [installed(), None], ids=["with meaning", "by words alone"])
def test_nearly_all_other_wordings_are_of_the_same_class(embedder):
    reader = QuestionClassifier(household(), embedder)
    wrong = [text for text, expected in UNSEEN if KINDS[reader.read(text, 0.0)[0]] != KINDS[expected]]
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("text", ["", "?!", "bring me the mug", "The weather is lovely.", "word " * 100])
def test_what_asks_for_nothing_is_no_question(text):
    assert read_question(text, 0.0) is None


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
def test_what_turns_a_question_is_not_overlooked(text, expected):
    asked = read_question(text, 0.0)
    assert (asked.kind, asked.state) == expected
