# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences written by hand; the generator of `./karma eval emg` makes none of them."""

from datetime import datetime, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_memory.facts.extraction import Mention
from karma_memory.facts.offline import OfflineExtractor
from karma_memory.facts.times import Moment

NOW = datetime(2026, 5, 6, 10, tzinfo=timezone.utc).timestamp()
"""A Wednesday."""
EXTRACTOR = OfflineExtractor()


def path(what):
    if isinstance(what, Moment):
        return what.text
    return "/".join([what.base or "me", *what.steps])


def told(text):
    return [(path(c.subject), c.relation, path(c.object)) for c in EXTRACTOR.told(text, NOW).claims]


def asked(text):
    question = EXTRACTOR.asked(text, NOW)
    return None if question is None else (path(question.subject), question.relation)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My mum's name is Ingrid.", [("me", "mother", "Ingrid")]),
        ("Please remember that our Wi-Fi password is hunter2.", [("me", "wifi password", "hunter2")]),
        ("I'm allergic to cashews and kiwis.", [("me", "allergy", "cashews"), ("me", "allergy", "kiwis")]),
        ("My daughter's teacher is Mr Okafor.", [("me/daughter", "teacher", "Mr Okafor")]),
        ("Tom is my best friend and he works at a zoo.", [("me", "best friend", "Tom"), ("he", "employer", "zoo")]),
        ("We've got a cat called Miso.", [("me", "cat", "Miso")]),
        ("My grandfather was born on 3 March 1941.", [("me/grandfather", "birthday", "1941-03-03")]),
        ("My wife drives a Skoda.", [("me/wife", "car", "Skoda")]),
        ("I have a haircut tomorrow at 16:30.", [("me/haircut", "time", "2026-05-07 16:30")]),
        ("My eye exam has been moved to next Monday at 10:15.", [("me/eye exam", "time", "2026-05-11 10:15")]),
        ("I fly to Lisbon on 12 June.", [("me/trip to lisbon", "time", "2026-06-12")]),
        ("My aunt moved to Trondheim.", [("me/aunt", "residence", "Trondheim")]),
        ("I hate olives.", [("me", "dislikes", "olives")]),
        ("My plumber, Gus, is here.", [("me", "plumber", "Gus")]),
        ("Say hello to Rosa, my niece.", [("me", "niece", "Rosa")]),
        ("Philips has hired my cousin.", [("me/cousin", "employer", "Philips")]),
        ("There is no coffee left.", [("me", "to buy", "coffee")]),
        ("Our son supports Ajax.", [("me/son", "team", "Ajax")]),
        ("My sister is a vegetarian.", [("me/sister", "diet", "vegetarian")]),
        ("I'm 43 years old.", [("me", "age", "43")]),
        ("Don't forget that we need batteries and bread.", [("me", "to buy", "batteries"), ("me", "to buy", "bread")]),
    ],
)  # fmt: skip
def test_plain_sentences_say_what_they_say(text, facts):
    found = told(text)
    for fact in facts:
        assert fact in found


@pytest.mark.parametrize(
    "text",
    [
        "Good morning!",
        "Thanks.",
        "Is it raining?",
        "I slept well.",
        "Turn off the radio.",
        "Hm.",
        "",
        "!!!",
        "What a mess.",
    ],
)
def test_small_talk_says_nothing(text):
    assert told(text) == []


def test_what_ends_by_itself_says_when():
    (claim,) = EXTRACTOR.told("My parents are staying at the Grand Hotel until 9 May.", NOW).claims
    assert (claim.relation, path(claim.object)) == ("staying", "Grand Hotel")
    assert claim.until.text == "2026-05-09"


def test_something_that_is_no_longer_so_is_taken_back():
    retractions = EXTRACTOR.told("My brother no longer plays chess.", NOW).retractions
    assert [(path(r.subject), r.object) for r in retractions] == [("me/brother", "chess")]
    (bought,) = EXTRACTOR.told("We no longer need sugar.", NOW).retractions
    assert (bought.relation, bought.object) == ("to buy", "sugar")
    (cancelled,) = EXTRACTOR.told("The barbecue has been cancelled.", NOW).retractions
    assert path(cancelled.subject) == "me/barbecue"


@pytest.mark.parametrize(
    ("text", "retracted"),
    [
        ("My cousin does not live in Bergen.", ("me/cousin", "residence", "Bergen")),
        ("My landlord is not called Ivo.", ("me", "landlord", "Ivo")),
        ("My landlord isn't Ivo.", ("me", "landlord", "Ivo")),
        ("Ivo is not my landlord.", ("me", "landlord", "Ivo")),
        ("My uncle doesn't work at Halden Mills.", ("me/uncle", "employer", "Halden Mills")),
        ("I don't like celery.", ("me", "likes", "celery")),
        ("I am not allergic to shellfish.", ("me", "allergy", "shellfish")),
        ("I do not need to buy flour.", ("me", "to buy", "flour")),
        ("Please don't call me Bertie.", ("me", "nickname", "Bertie")),
        ("Our alarm code is not 9090.", ("me", "alarm code", "9090")),
    ],
)
def test_what_is_denied_is_retracted_and_nothing_is_claimed(text, retracted):
    found = EXTRACTOR.told(text, NOW)
    assert found.claims == ()
    assert retracted in [
        (path(r.subject), r.relation, r.object if isinstance(r.object, str) else path(r.object))
        for r in found.retractions
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My cousin does not live in Bergen but in Turku.", ("me/cousin", "residence", "Turku")),
        ("My landlord is not Ivo but Marek.", ("me", "landlord", "Marek")),
        ("I must not forget to buy flour.", ("me", "to buy", "flour")),
        ("I can't eat celery because of an allergy.", ("me", "allergy", "celery")),
    ],
)
def test_not_everything_with_a_denial_is_only_a_denial(text, said):
    assert told(text) == [said]


def test_a_denied_day_is_no_value():
    found = EXTRACTOR.told("My niece's birthday is not on 3 May.", NOW)
    assert found.claims == ()
    assert [(path(r.subject), r.relation, r.object.yearly) for r in found.retractions] == [
        ("me/niece", "birthday", "--05-03")
    ]


@pytest.mark.parametrize(
    "text", ["I have not cancelled the meeting.", "My aunt did not sell the boat.", "I did not sleep."]
)
def test_the_denial_of_an_end_ends_nothing(text):
    found = EXTRACTOR.told(text, NOW)
    assert found.claims == found.retractions == ()


def test_what_takes_the_place_of_what_is_said_to():
    claims = EXTRACTOR.told("I have sold the Volvo and bought a Fiat.", NOW).claims
    assert [(path(c.object), c.replaces) for c in claims] == [("Fiat", "Volvo")]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Where does my aunt live?", ("me/aunt", "residence")),
        ("Do you know what my daughter's teacher is called?", ("me/daughter", "teacher")),
        ("When is my mother's birthday?", ("me/mother", "birthday")),
        ("What's our Wi-Fi password?", ("me", "wifi password")),
        ("How old is my nephew?", ("me/nephew", "age")),
        ("Who is Tom's boss?", ("Tom", "boss")),
        ("What must I buy?", ("me", "to buy")),
        ("What time is our neighbours meeting?", ("me/neighbours meeting", "time")),
        ("What should I buy?", ("me", "to buy")),
        ("Who employs my cousin?", ("me/cousin", "employer")),
        ("What am I allergic to?", ("me", "allergy")),
        ("When do I fly to Lisbon?", ("me/trip to lisbon", "time")),
        ("Which team does our son support?", ("me/son", "team")),
    ],
)
def test_questions_ask_for_a_relation(text, question):
    assert asked(text) == question


def test_a_question_is_not_told():
    assert told("Does my sister live in Oslo?") == []


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=120))
def test_no_text_breaks_it(text):
    EXTRACTOR.told(text, NOW)
    EXTRACTOR.asked(text, NOW)


WORDS = st.sampled_from(
    [
        *(
            "I",
            "my",
            "his",
            "the",
            "a",
            "is",
            "are",
            "was",
            "not",
            "no",
            "to",
            "of",
            "for",
            "and",
            "who",
            "when",
            "where",
        ),
        *(
            "on",
            "in",
            "at",
            "by",
            "'s",
            ",",
            ":",
            "like",
            "has",
            "call",
            "moved",
            "Anna",
            "Bo",
            "sister",
            "boss",
            "name",
        ),
        *(
            "flight",
            "12",
            "May",
            "until",
            "Monday",
            "never",
            "born",
            "because",
            "instead",
            "up",
            "off",
            "@0",
            "@9",
            "@gap",
        ),
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(WORDS, max_size=14))
def test_no_jumble_of_words_breaks_it(words):
    EXTRACTOR.told(" ".join(words), NOW)
    EXTRACTOR.asked(" ".join(words) + "?", NOW)


def test_a_mention_is_of_somebody_or_of_something_of_theirs():
    assert Mention("", ("sister",)).of("boss").owner == Mention("", ("sister",))
