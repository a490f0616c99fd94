# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading requests, answers and corrections by rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.told.wishes.offline import OfflineLanguage
from karma_language.told.wishes.phrases import named, says_change, tokens
from karma_language.told.wishes.statements import stated
from karma_memory.preferences import Likeness, Mode, Request
from karma_memory.preferences.preference import Preference

DRINKS = ("mango juice", "oat milk", "hot water with honey", "milk", "rooibos")
PLACES = ("desk", "standing desk", "linen cupboard", "hall table")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("Rooibos, please.", "rooibos"),
        ("No, the oat milk.", "oat milk"),
        ("I'd rather have the hot water with honey.", "hot water with honey"),
        ("I don't want milk, I want mango juice.", "mango juice"),
        ("You brought me milk; I wanted rooibos", "rooibos"),
        ("I used to like rooibos, but now I prefer milk.", "milk"),
        ("Mango juice instead of the milk next time, please.", "mango juice"),
        ("Not the MILK! The Oat Milk.", "oat milk"),
        ("I prefer the elderflower cordial now", "elderflower cordial"),
        ("Thank you, that's exactly right!", ""),
        ("Great.", ""),
        ("Hm, I don't know.", ""),
        ("", ""),
    ],
)
def test_the_drink_that_is_wanted(words: str, wanted: str) -> None:
    assert named(words, DRINKS) == wanted


@pytest.mark.parametrize(
    "words",
    [
        "The milk was sour.",
        "I spilled the milk.",
        "Why did you bring the milk?",
        "You dropped the rooibos!",
        "Whatever.",
    ],
)
def test_what_is_only_told_of_a_drink_is_no_wish(words: str) -> None:
    assert named(words, DRINKS) == ""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("mango juices", "mango juice"),
        ("mango", "mango juice"),
        ("the one with honey", "hot water with honey"),
        ("juice?", "mango juice"),
    ],
)
def test_an_option_need_not_be_named_in_full_where_it_is_the_only_one(words: str, wanted: str) -> None:
    assert named(words, DRINKS) == wanted


@pytest.mark.parametrize(
    ("words", "chosen", "condition"),
    [
        ("No, rooibos when I'm tired", "rooibos", "I'm tired."),
        ("I'd rather have milk in the morning.", "milk", "In the morning."),
        ("If it is cold outside I prefer the hot water with honey", "hot water with honey", "It is cold outside."),
        ("The milk, please.", "milk", ""),
    ],
)
def test_a_wish_may_hold_under_a_condition(words: str, chosen: str, condition: str) -> None:
    request = Request("ada", "Bring me a drink.", Mode.FETCH, options=DRINKS)
    heard = OfflineLanguage(Likeness(None)).heard(request, words)
    assert heard is not None
    assert (heard.chosen, heard.condition) == (chosen, condition)


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=5))
def test_any_words_and_options_are_heard_without_harm(words: str, options: list[str]) -> None:
    chosen = named(words, options)
    assert chosen in options or set(tokens(chosen)) <= set(tokens(words))


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("On the desk, please.", "desk"),
        ("Put it on the standing desk.", "standing desk"),
        ("It belongs in the linen cupboard rather than on the hall table.", "linen cupboard"),
        ("Put it on the window bench instead", "window bench"),
        ("On the corner desk, please", "corner desk"),
    ],
)
def test_the_place_that_is_wanted_is_not_one_that_is_only_part_of_its_name(words: str, wanted: str) -> None:
    assert named(words, PLACES) == wanted


@pytest.mark.parametrize("words", ["Anything but the rooibos.", "anything except rooibos please"])
def test_what_is_not_wanted_is_not_taken_for_what_is(words: str) -> None:
    assert named(words, DRINKS) == ""


def test_words_of_change() -> None:
    assert says_change("I prefer milk now")
    assert says_change("I no longer like rooibos")
    assert not says_change("I wanted the milk")


@pytest.mark.parametrize(
    ("text", "chosen", "condition"),
    [
        ("I prefer tea when I am tired.", "tea", "when I am tired"),
        ("When it rains, I usually like hot chocolate", "hot chocolate", "When it rains"),
        ("My favourite snack is popcorn.", "popcorn", "favourite snack"),
        ("From now on I prefer oat milk over milk", "oat milk", ""),
    ],
)
def test_statements_of_preferences(text: str, chosen: str, condition: str) -> None:
    statement = stated(text)
    assert statement is not None
    assert (statement.value, statement.circumstance) == ((chosen,), condition)


@pytest.mark.parametrize(("mode", "thing"), [(Mode.FETCH, ""), (Mode.PUT, "pan")])
@pytest.mark.parametrize(
    ("wording", "options"),
    [
        ("", ()),
        ("when I am tired", ()),
        ("favourite snack", ()),
        ("Bring it.", ("top shelf", "desk", "hall")),
        ('Bring "it": now.', ("desk", "top shelf")),
    ],
)
def test_a_preference_as_it_is_told_states_what_it_is(
    wording: str, options: tuple[str, ...], mode: Mode, thing: str
) -> None:
    told = Preference("p1", "ada", mode, (wording,), "top shelf", options, thing).text
    statement = stated(told, "ada")
    assert statement is not None
    assert (statement.value, statement.circumstance) == (("top shelf",), wording)
    assert statement.things == ((thing,) if thing else ())
    assert stated(told) is None
    assert stated(told, "bo") is None


@pytest.mark.parametrize("text", ["I like to sleep late.", "The mug is on the desk.", "I like that.", "Thanks!"])
def test_other_statements_state_none(text: str) -> None:
    assert stated(text) is None


def test_requests_to_bring_and_to_put_away() -> None:
    language = OfflineLanguage(Likeness(None))
    fetch = language.read("ada", "I need to store soup. Could you bring me a jar?", ("small jar", "large jar"))
    assert (fetch.mode, fetch.options) == (Mode.FETCH, ("small jar", "large jar"))
    scene = ("rain jacket", "hall closet", "coat rack", "bench")
    put = language.read("ada", "I came home. Would you put this jacket away?", scene)
    assert (put.mode, put.thing, put.options) == (Mode.PUT, "rain jacket", ("hall closet", "coat rack", "bench"))


def test_a_question_names_every_option_once_and_in_order() -> None:
    language = OfflineLanguage(Likeness(None))
    request = Request("ada", "Put it away, please.", Mode.PUT, "jacket", PLACES)
    question = language.question(request, PLACES)
    places = [question.index(f" {place}{end}") for place, end in zip(PLACES, (",", ",", " or", "?"), strict=True)]
    assert places == sorted(places)
    assert "jacket" in question


def test_praise_is_approval_and_objection_is_not() -> None:
    language = OfflineLanguage(Likeness(None))
    assert language.approves("Thank you, that's exactly right!")
    assert not language.approves("That's not right.")
    assert not language.approves("Thanks, but I wanted something else")
    assert not language.approves("Where are you?")
