# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the rules make of whole utterances: which acts, of which words."""

from __future__ import annotations

import pytest

from karma_language.questions.questions import continued, read_question
from karma_language.reader import Rules, after_stop
from karma_language.reading import Item, Kind, Question, Request
from karma_language.requests.requests import household_grammar


def act(item: Item) -> str:
    """Return what an item is, and of a request what is done to what, where."""
    if not isinstance(item, Request):
        return type(item).__name__.lower() if not isinstance(item, Question) else item.kind.value
    return "; ".join(
        " ".join((goal.do.value, *(one.text for one in (goal.thing, goal.to and goal.to.thing) if one is not None)))
        for goal in item.goals
    )


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("Have a look in the fridge and tell me what's in it, would you", ["explore fridge", "contents"]),
        ("Would you look into the fridge and tell me whether there is an apple in it?", ["explore fridge", "exists"]),
        ("Is there one in the fridge? Go and check.", ["exists", "explore fridge"]),
        ("Is the tomato in the microwave? Have a look.", ["explore microwave", "exists"]),
        ("Look on the table and tell me what is there.", ["contents"]),
        ("Stop, that's enough for now.", ["stop"]),
        ("Stop it, you'll break it!", ["stop"]),
        ("Cancel everything and do nothing more.", ["stop"]),
        ("Stop, bring me the mug instead.", ["bring mug"]),
        ("Stop the microwave.", ["switch_off microwave"]),
        ("Hello, I'm Ruth. Lovely to have you with us.", ["social", "told"]),
        ("Good morning. My name is Walter and I will be testing you this week.", ["social", "told"]),
        ("Thanks, I love you!", ["social"]),
        ("Tomorrow is Bob's birthday.", ["told"]),
        ("On Friday is the concert.", ["told"]),
        ("We also need eggs.", ["told"]),
        ("We need two forks.", ["bring forks"]),
        ("Put the pen on the shopping list", ["told"]),
        ("Remind me to take the washing out in half an hour.", ["told"]),
        ("Only I may switch on the stove.", ["told"]),
        ("Please always close the fridge.", ["told"]),
        ("Always be careful and bring me the mug.", ["bring mug"]),
        ("Do not leave the light on in the kitchen.", ["switch_off light"]),
        ("Bring me a coffee.", ["fill mug; bring mug"]),
        ("Bring me something to eat instead.", ["bring something to eat"]),
        ("Bring the mug in the bedroom to the kitchen.", ["place mug kitchen"]),
        ("Is there a pan or a pot on the stove?", ["exists", "exists"]),
        ("Got them. I've thrown the keys on the sofa.", ["told"]),
        ("Oskar has caught a cold, poor thing.", ["told"]),
        ("It would be nice if the lamp were off.", []),
        ("You'll break it.", ["told"]),
        ("Wow, its dark in here.", ["need"]),
        ("No, not there, I'd rather have it back on the sofa.", ["told", "place it sofa"]),
        ("Stop. If the stove is on, turn it off.", ["switch_off it"]),
        ("Stop, then bring me the mug.", ["bring mug"]),
        ("Stop, don't touch the vase.", ["told"]),
        ("Stop, wait.", ["stop"]),
        ("Freeze it and put it in the bowl.", ["cool it; place it bowl"]),
        ("Take the phone and put on the microwave.", ["hold phone; place microwave"]),
        ("Put on the light in the kitchen.", ["switch_on light"]),
        ("Open Ben's dark wardrobe.", ["open dark wardrobe"]),
        ("Thanks, I love it there!", ["social"]),
        ("I have no idea, where is the mug?", ["where"]),
        ("I think the light should be off.", []),
        ("Is the mug in the fridge? Look around.", ["exists", "explore"]),
        ("Chop up the lettuce aswell pls", ["slice lettuce"]),
        ("Mia is allergic to nuts, do keep that in mind.", ["told"]),
        ("Who said I can't have my phone before six?", ["told"]),
        ("Is the apple still on the table? Go and have a look.", ["exists", "explore"]),
        ("I'm allergic to eggs, did mum tell you?", ["told", "told"]),
        ("My phone is gone, where is it?", ["where"]),
        ("Turn off the TV in the bedroom and the one in the living room.", ["switch_off tv; switch_off tv"]),
        ("Put on the desk lamp and the floor lamp.", ["switch_on desk lamp; switch_on floor lamp"]),
        ("Turn out both desk lamps.", ["switch_off desk lamps"]),
        ("At least put the remote on an armchair.", ["place remote armchair"]),
        ("My wife Lucy doesn't want you to touch the wine bottle, so leave it alone, please.", ["told"]),
    ],
)
def test_acts_of_an_utterance(text: str, acts: list[str]) -> None:
    assert [act(item) for item in Rules(household_grammar()).read(text, 1e9, {}).items] == acts


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("stop", ""),
        ("stop. " * 50, ""),
        ("Please stop it now!", ""),
        ("Stop, okay?", ""),
        ("No, stop! That's my mug. Bring me the bowl.", "That's my mug. Bring me the bowl."),
        ("Cancel that and bring me the bowl", "bring me the bowl"),
        ("Stop, but close the fridge first.", "close the fridge first."),
        ("Stop it, will you?", ""),
        ("stop the music", None),
        ("don't stop", None),
        ("", None),
    ],
)
def test_what_is_said_behind_a_stop(text: str, wanted: str | None) -> None:
    assert after_stop(text) == wanted


@pytest.mark.parametrize(
    ("before", "text", "kind", "thing", "place"),
    [
        ("What is on the dresser?", "And on the side table?", Kind.CONTENTS, None, "side table"),
        ("What is in the sink?", "and the fridge?", Kind.CONTENTS, None, "fridge"),
        ("How many books are on the dresser?", "And on the counter?", Kind.COUNT, "books", "counter"),
        ("Is there an egg in the sink?", "And in the fridge?", Kind.EXISTS, "egg", "fridge"),
        ("Where is the laptop?", "and in the kitchen?", Kind.EXISTS, "laptop", "kitchen"),
        ("Where is the laptop?", "and the TV?", Kind.WHERE, "TV", None),
        ("What is in the sink?", "and the book?", Kind.WHERE, "book", None),
    ],
)
def test_a_question_goes_on_with_the_one_before(
    before: str, text: str, kind: Kind, thing: str | None, place: str | None
) -> None:
    first, then = read_question(before, 1e9), read_question(text, 1e9)
    assert first is not None
    assert then is not None
    meant = continued(then, first)
    assert meant.kind is kind
    assert (meant.thing and meant.thing.text) == thing
    assert (meant.place and meant.place.thing.text) == place


def test_a_condition_does_not_bind_what_is_to_be_done_in_any_case() -> None:
    read = household_grammar().read("If the bowl is dirty, wash it, and after that put it on the desk in any case.")
    wash, put = (goal for item in read.items if isinstance(item, Request) for goal in item.goals)
    assert wash.condition is not None
    assert put.condition is None
    read = household_grammar().read("If the stove is off, turn it on, but in any case close the fridge.")
    turn, close = (goal for item in read.items if isinstance(item, Request) for goal in item.goals)
    assert turn.condition is not None
    assert close.condition is None
