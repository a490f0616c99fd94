# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is told is told from what is asked, and from what is asked for."""

import pytest

from karma_language.reader import Rules
from karma_language.reading import Told
from karma_language.requests.requests import Grammar
from karma_language.vocabulary import household

GRAMMAR = Grammar(household(), lambda word: True)


@pytest.mark.parametrize(
    "text",
    [
        "and the candle is really out, yes?",
        "mine's still on the sofa I hope?",
        "hopefully the door is locked?",
        "The bread and the tomato as well, it's way too warm in here",
        "Can I serve Tom a tuna sandwich?",
    ],
)
def test_questions_and_requests_are_not_told(text):
    assert not any(isinstance(item, Told) for item in GRAMMAR.read(text).items)


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("I don't suppose you'd nip down to the shop for milk", False),
        ("I don't suppose you'd mind nipping down to the shop", False),
        ("I think you should know that the cup is Tom's", True),
        ("I thought you'd like to know that the cup is Tom's", True),
    ],
)
def test_what_the_robot_would_do_is_not_told(text, tells):
    reading = Rules(GRAMMAR).read(text, 0.0, {})
    assert bool(reading.told) is tells
    assert bool(reading.unread) is not tells


@pytest.mark.parametrize(
    "text",
    [
        "Oskar takes the bus at ten to eight",
        "I have to take my antibiotics every morning at 7:30, so don't let me forget",
        "Anything but coffee in the evening, please.",
        "got a maths test on the 12th",
        "Please call me Joe",
    ],
)
def test_what_happens_and_what_lasts_is_told_whole(text):
    reading = GRAMMAR.read(text)
    assert [type(item) for item in reading.items] == [Told]
    assert reading.unread == ()
