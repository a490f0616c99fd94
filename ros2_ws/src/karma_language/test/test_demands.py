# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Statements that want something done are not told, and what is told wants nothing."""

import pytest

from karma_language.told import noted, tells
from karma_language.told.demands import demands, states


@pytest.mark.parametrize(
    "text",
    [
        "my book needs to be on the shelf",
        "the light could do with being off",
        "The egg ought to be in the fridge before it goes off",
        "the TV is supposed to be off by now",
        "it would be nice to have the lamp on",
        "I was hoping the lamp would be off",
        "I'd love the window open",
        "somebody ought to close the curtains",
        "If you would be so good as to make up the bed.",
        "How about raising both of the blinds instead",
        "it ticks too loud put it on a shelf",
        "where'd it stand when you saw it last",
        "thats how many things in the box now",
    ],
)
def test_what_is_due_asked_or_wished_is_a_demand(text):
    assert demands(text)
    assert not states(text)


@pytest.mark.parametrize(
    "text",
    [
        "Grandma should take her pills at eight",
        "The children must be in bed at nine",
        "I should see the dentist on Monday",
        "My sister would like a cat",
        "wake up time is 5:45 this week, early shift",
        "the top drawer sticks, you have to lift it a bit",
        "The red mug I got from Karin; it's for show, never for drinking.",
    ],
)
def test_what_holds_of_people_and_things_is_no_demand(text):
    assert states(text)


@pytest.mark.parametrize("text", ["actually please forget the safe code", "Sing me a song, I'm sad", "the red one"])
def test_what_tells_the_robot_to_do_something_states_nothing(text):
    assert not states(text)


def test_words_are_kept_for_what_is_read_from_them_or_because_somebody_says_so():
    assert tells("My sister lives in Oslo", 0.0)
    assert noted("No ball games in the house. House rule.")
    assert not tells("I am so nervous!!", 0.0)
