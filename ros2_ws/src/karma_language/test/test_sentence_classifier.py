# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sentence asks for, by a classifier, and the vectors that come with the package."""

import numpy as np
import pytest

from karma_language.questions.questions import read_question
from karma_language.questions.sentence_classifier import KINDS, Act, SentenceClassifier
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
    reader = SentenceClassifier(household(), embedder)
    wrong = [text for text, expected in UNSEEN if KINDS[reader.read(text, 0.0)[0]] != KINDS[expected]]
    assert len(wrong) <= (3 if embedder is not None else 5), wrong


# Nor are these.
SPOKEN = [
    ("the light could do with being off", Act.WANTS),
    ("The egg ought to be in the fridge before it goes off", Act.WANTS),
    ("I was hoping the lamp would be off by now", Act.WANTS),
    ("somebody ought to close the curtains", Act.WANTS),
    ("it ticks too loud put it on a shelf", Act.WANTS),
    ("take the bottle to Grandma", Act.WANTS),
    ("Grandma takes her pills at eight", Act.TELLS),
    ("The children must be in bed at nine on school nights", Act.TELLS),
    ("My sister would like a cat for her birthday", Act.TELLS),
    ("the spare key hangs behind the door", Act.TELLS),
    ("the red mug was a present from Karin, it's for show", Act.TELLS),
    ("no running in the hallway, that's a rule here", Act.TELLS),
    ("cheers, that helps me a lot", Act.CHATS),
    ("hi there!", Act.CHATS),
    ("great job, you clever machine", Act.CHATS),
    ("oops, I'm sorry about that", Act.CHATS),
    ("don't bother, it's alright", Act.CHATS),
    ("Bye bye", Act.CHATS),
    ("who used the oven yesterday?", Act.ASKS),
    ("where'd it stand when you saw it last", Act.ASKS),
    ("thats how many things in the box now", Act.ASKS),
    ("and the candle is really out, yes?", Act.ASKS),
]


@pytest.mark.parametrize("embedder", [installed(), None], ids=["with meaning", "by words alone"])
def test_what_somebody_does_by_speaking_is_told_apart(embedder):
    reader = SentenceClassifier(household(), embedder)
    wrong = [(text, act) for text, act in SPOKEN if reader.hear(text).act is not act]
    assert len(wrong) <= 4, wrong


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
        ("Is the laptop on the coffee table mine?", (Kind.WHO, "")),
        ("Whose laptop is on the coffee table?", (Kind.WHO, "")),
        ("Who put the apple in the fridge?", (Kind.WHO, "")),
        ("Why is the apple in the fridge?", (Kind.WHY, "")),
        ("When did you move the mug?", (Kind.WHEN, "")),
        ("What did Bob ask you to do?", (Kind.DID, "")),
        ("Did Bob put the apple in the fridge?", (Kind.TOLD, "")),
        ("Which floor are you on?", (Kind.ROBOT, "")),
    ],
)
def test_what_turns_a_question_is_not_overlooked(text, expected):
    asked = read_question(text, 0.0)
    assert (asked.kind, asked.state) == expected
