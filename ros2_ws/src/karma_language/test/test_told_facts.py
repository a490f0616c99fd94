# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Sentences written by hand; the generator of `./karma eval emg` makes none of them."""

from datetime import datetime, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_language.reading import Telling
from karma_language.told.facts.asking import question
from karma_language.told.facts.extraction import Mention
from karma_language.told.reader import read_told

NOW = datetime(2026, 5, 6, 10, tzinfo=timezone.utc).timestamp()
"""A Wednesday."""


def of_kind(text, kind):
    return [one for one in read_told(text, NOW) if one.kind is kind]


def value(one):
    if one.when is None:
        return "/".join(one.value)
    start = datetime.fromtimestamp(one.when.since if one.when.at is None else one.when.at, timezone.utc)
    return (
        f"{start:--%m-%d}"
        if one.yearly and one.relation == "birthday"
        else f"{start:%Y-%m-%d}"
        if one.when.at is None
        else f"{start:%Y-%m-%d %H:%M}"
    )


def said(text, kind):
    return [("/".join(one.of), one.relation, value(one)) for one in of_kind(text, kind)]


def told(text):
    return said(text, Telling.FACT)


def asked(text):
    found = question(text, NOW)
    return None if found is None else ("/".join([found.subject.base or "me", *found.subject.steps]), found.relation)


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
        ("The eye exam was moved from Friday to next Monday.", [("me/eye exam", "time", "2026-05-11")]),
        ("My aunt moved to Trondheim.", [("me/aunt", "residence", "Trondheim")]),
        ("My sister Anna's boss is called Kim.", [("me", "sister", "Anna"), ("Anna", "boss", "Kim")]),
        ("[my wife Elsa] Her birthday is on 3 May.", [("me", "spouse", "Elsa"), ("Elsa", "birthday", "--05-03")]),
        ("[my teddy] His name is Max.", [("me", "teddy", "Max")]),
        ("We're out of milk, put that on the list.", [("me", "to buy", "milk")]),
        ("I hate olives.", [("me", "dislikes", "olives")]),
        ("I can't stand parsnips.", [("me", "dislikes", "parsnips")]),
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


@pytest.mark.parametrize(
    "text",
    [
        "If I had a dog I'd call it Rex",
        "I wish I had a cat",
        "I could have bought a car",
        "I almost called Kim",
        "My sister might move to Oslo",
        "Maybe my brother is allergic to nuts",
        "I was going to call Kim",
    ],
)
def test_what_is_not_said_to_be_so_is_no_fact(text):
    assert not any(one.kind in (Telling.FACT, Telling.OVER) for one in read_told(text, NOW))


def test_what_ends_by_itself_says_when():
    (claim,) = of_kind("My parents are staying at the Grand Hotel until 9 May.", Telling.FACT)
    assert (claim.relation, claim.value) == ("staying", ("Grand Hotel",))
    assert claim.until.text == "until 9 May"
    assert claim.until.until == datetime(2026, 5, 10, tzinfo=timezone.utc).timestamp()


def test_a_reminder_may_stand_behind_a_comma():
    told = said("Before I forget, remind me to feed the cat, would you.", Telling.FACT)
    assert told == [("me", "to do", "feed the cat")]


def test_a_reminder_may_go_on_from_another():
    assert said("And at nine to water the plants.", Telling.FACT)[0] == ("me", "to do", "water the plants")


def test_what_is_pointed_to_is_not_bought():
    assert said("We're out of milk, put that on the list.", Telling.FACT) == [("me", "to buy", "milk")]


def test_who_turns_an_age_one_day_is_not_of_that_age_yet():
    assert told("Grandpa's turning 80 on the 9th of June.") == [("Grandpa", "birthday", "--06-09")]
    assert told("My niece has turned 6.") == [("me/niece", "age", "6")]


def test_something_that_is_no_longer_so_is_taken_back():
    assert said("My brother no longer plays chess.", Telling.OVER) == [("me/brother", "", "chess")]
    assert said("We no longer need sugar.", Telling.OVER) == [("me", "to buy", "sugar")]
    assert said("The barbecue has been cancelled.", Telling.OVER) == [("me/barbecue", "", "")]


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
    assert told(text) == []
    assert retracted in said(text, Telling.OVER)


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
    text = "My niece's birthday is not on 3 May."
    assert told(text) == []
    assert said(text, Telling.OVER) == [("me/niece", "birthday", "--05-03")]


@pytest.mark.parametrize(
    "text", ["I have not cancelled the meeting.", "My aunt did not sell the boat.", "I did not sleep."]
)
def test_the_denial_of_an_end_ends_nothing(text):
    assert told(text) == said(text, Telling.OVER) == []


def test_what_takes_the_place_of_what_is_said_to():
    claims = of_kind("I have sold the Volvo and bought a Fiat.", Telling.FACT)
    assert [(c.value, c.instead_of) for c in claims] == [(("Fiat",), "Volvo")]


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
    assert all(one.quote in text for one in read_told(text, NOW))
    question(text, NOW)


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
    read_told(" ".join(words), NOW)
    question(" ".join(words) + "?", NOW)


def test_a_mention_is_of_somebody_or_of_something_of_theirs():
    assert Mention("", ("sister",)).of("boss").owner == Mention("", ("sister",))
