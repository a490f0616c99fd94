# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests by their syntax: what it lets through, and what it must not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.dialogue.threats import harms_somebody
from karma_language.reader import Rules
from karma_language.reading import Deed, Goal, Reading, Request, Told
from karma_language.requests.requests import Grammar
from karma_language.vocabulary import household
from karma_language.vocabulary.descriptions import described

GRAMMAR = Grammar(household(), described(household()).is_word)


def asked(reading: Reading) -> list[Goal]:
    """Return what a reading asks for."""
    return [goal for item in reading.items if isinstance(item, Request) for goal in item.goals]


@pytest.mark.parametrize(
    "text",
    [
        "wash everything that's dirty, other than the pan",  # an exception
        "get one of the spoons out for each of us",  # how many
        "take no more than two cups to the sink",
        "put half a dozen eggs in the bowl",
        "put the plate two shelves down from the bowl",  # a measure is no second thing
        "give the pan a scrub and leave it to dry on the rack",  # a second request
        "put the mug in the sink blorp",  # no word, and no compound noun with the one before it
        "None of the mugs should be washed",  # a negation
        "Put the egg in the fridge, never mind.",
        "put the egg in the fridge, no",
        "goes on the shelf",  # no imperative
        "put both remotes but only one pillow on the sofa",  # "but" that excepts nothing
        "Wash the apple. Leo, shoes off!",  # what is said to somebody else
        "after dinner wash the plate",  # when
        "move just the smaller of the two boxes to the bedroom",
        "put the mug on the left half of the table",
        "put two thirds of the apples in the fridge",
        "would you mind washing the cup or throwing it away",  # which of both
        "could the cup or the plate be brought over to the sink",
    ],
)
def test_no_word_that_restricts_a_request_goes_in_silence(text: str) -> None:
    reading = GRAMMAR.read(text)
    assert reading.unread or not asked(reading), reading


@pytest.mark.parametrize(
    "text",
    [
        "when dad comes home turn the light on",
        "close the curtains whenever the sun shines",
        "when I leave, close the windows",
        "till I'm back keep the fridge closed",
        "turn on the lamp after I've gone to bed",
    ],
)
def test_what_is_to_be_done_at_another_time_says_so(text: str) -> None:
    assert all(goal.at is not None for goal in asked(GRAMMAR.read(text)))


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("light the candle on the table", [Deed.SWITCH_ON]),  # one thing, not two
        ("mum says put it on the bed in the guest room", [Deed.PLACE]),
        ("dad asked you to put the book on the shelf", [Deed.PLACE]),
        ("mum wants you to close the fridge", [Deed.CLOSE]),
        ("it would be nice to close the drawer", [Deed.CLOSE]),
    ],
)
def test_who_wants_it_or_how_it_is_wished_changes_nothing(text: str, deeds: list[Deed]) -> None:
    reading = GRAMMAR.read(text)
    assert [goal.do for goal in asked(reading)] == deeds
    assert not reading.unread


@pytest.mark.parametrize(
    "text",
    [
        "Mum says dinner is at eight.",
        "Dad asked me to close the fridge.",
        "Plates should be in the cupboard.",
        "I cut the bread and put it in the fridge",
        "I'm going to put the mug in the sink",
        "The forks go in the drawer.",
    ],
)
def test_what_is_only_told_is_not_asked_for(text: str) -> None:
    reading = GRAMMAR.read(text)
    assert not asked(reading)
    assert all(isinstance(item, Told) for item in reading.items)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The plates ought to be washed and then put in the cabinet.", "clean plates, place them in cabinet"),
        ("I'd like the pan washed and left on the counter.", "clean pan, place it on counter"),
        ("Would you be so good as to give the spoon a quick rinse?", "clean spoon"),
        ("Bring me the bowl that has a fork in it.", "bring bowl"),
        ("Could the pillow be brought over to the bed?", "place pillow at bed"),
        ("While you hold the candle, switch on the lamp.", "hold candle, switch_on lamp"),
        ("From the fridge, take the tomato and slice it.", "hold tomato, slice it"),
        ("My sister needs the laptop, so carry it to the bedroom.", "place it at bedroom"),
        ("Would you mind opening the curtains?", "open curtains"),
    ],
)
def test_requests_are_read_by_their_syntax(text: str, expected: str) -> None:
    reading = GRAMMAR.read(text)
    found = [
        " ".join(
            (goal.do.value, goal.thing.text if goal.thing else "")
            + ((goal.to.relation.value, goal.to.thing.text) if goal.to is not None else ())
        )
        for goal in asked(reading)
    ]
    assert (", ".join(found), reading.unread) == (expected, ())


@given(st.text(max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    GRAMMAR.read(text)


def test_without_a_parser_plain_requests_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karma_language.syntax.segments.parse_words", lambda words: None)
    assert asked(GRAMMAR.read("put the cup in the sink"))
    assert GRAMMAR.read("put the cup sinkwards").unread


@pytest.mark.parametrize("text", ["put me in the microwave", "throw us in the bin", "place me on the shelf"])
def test_who_speaks_is_put_nowhere(text: str) -> None:
    assert {goal.do for goal in asked(GRAMMAR.read(text))} <= {Deed.OTHER}


@pytest.mark.parametrize(
    "text",
    [
        "der Wecker liegt auf dem Bett, stell ihn bitte auf den Schreibtisch",
        "Und mach noch die Stehlampe im Wohnzimmer aus",
        "demain je pars à Lyon avec Paul, on revient dimanche",
    ],
)
def test_what_is_no_english_is_not_kept_as_told(text: str) -> None:
    reading = Rules(GRAMMAR).read(text, 0.0, {})
    assert not reading.items
    assert reading.unread


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        ("With a purple pillow in your arms, go switch on a lamp.", ["hold pillow", "switch_on lamp"]),
        ("Get hold of the pillow and after that switch on the lamp.", ["hold pillow", "switch_on lamp"]),
        ("Wash the cup. After that, put it in the sink.", ["clean cup", "place it"]),
        ("With the knife, cut the bread.", ["slice bread"]),
        ("The lettuce should be washed and go into the fridge.", ["clean lettuce", "place it"]),
        ("The lamp should be off. Go to the kitchen.", ["switch_off lamp"]),
        ("Bring a towel to the bathtub, even if you spill some water.", ["place towel"]),
    ],
)
def test_what_comes_before_a_request_is_done_before_it(text: str, goals: list[str]) -> None:
    read = GRAMMAR.read(text)
    assert not read.unread
    assert [f"{goal.do.value} {goal.thing.text.split()[-1]}" for goal in asked(read) if goal.thing] == goals


def test_what_there_is_somewhere_is_what_it_means() -> None:
    told = [
        item for item in GRAMMAR.read("On the desk there's a phone; put it on the bed.").items if isinstance(item, Told)
    ]
    assert [thing.categories for item in told for thing in item.about] == [("CellPhone",)]


@pytest.mark.parametrize(
    "text",
    [
        "I don't want you to open the fridge.",
        "I told you not to open the fridge.",
        "Try not to break the cup.",
        "I don't think you should open the door.",
        "You opened the fridge.",
        "Somebody put the apple on the table.",
        "You told me to clean the table.",
        "Do not, under any circumstances, open the fridge.",
        "Clean the cup? No way.",
        "Open the fridge if you hear Tom.",
    ],
)
def test_what_is_denied_or_only_told_is_not_done(text: str) -> None:
    read = GRAMMAR.read(text)
    wanted = [item for item in read.items if isinstance(item, Request) and not item.never]
    assert not wanted or read.unread, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fold the laptop shut.", "close laptop"),  # a state behind the verb
        ("snap it shut", "close it"),
        ("Pull the curtains open, would you?", "open curtains"),
        ("put the toilet lid up", "open toilet lid"),
        ("make me a coffee in the mug", "fill mug"),
        ("It ticks too loud put it on a shelf.", "place it on shelf"),  # without a pause
        ("Shut it down again the battery is nearly dead.", "switch_off it"),
        ("The egg ought to be in the fridge before it goes off.", "place egg in fridge"),  # what is due
        ("Now the teddy must sit on the sofa.", "place teddy on sofa"),
        ("I should like the candle on the desk.", "place candle on desk"),
        ("How about closing the fridge?", "close fridge"),
        ("If you would be so good as to open the fridge.", "open fridge"),
        ("Ugh, three nil. Switch the lamp off.", "switch_off lamp"),  # a comment
        ("Ooh, wash it pleeease.", "clean it"),
        ("Put it in the fridge and close it after.", "place it in fridge, close it"),
        ("Need a fork, should be in one of the drawers.", "bring fork"),
        ("Raise both of the blinds.", "open blinds"),
        ("Out with the knife, on the counter.", "place knife on counter"),
        ("Have a rummage for the kettle, and when you find it put it on the table.", "find kettle, place it on table"),
        ("That lamp is in my eyes, could it be off?", "switch_off it"),
        ("Make the curtain of the shower open.", "open shower curtain"),
    ],
)
def test_a_request_needs_no_imperative_of_the_deed(text: str, expected: str) -> None:
    read = GRAMMAR.read(text)
    goals = (
        (goal.do.value, goal.thing.text if goal.thing else "")
        + ((goal.to.relation.value, goal.to.thing.text) if goal.to is not None else ())
        for goal in asked(read)
    )
    assert (", ".join(map(" ".join, goals)), read.unread) == (expected, ())


@pytest.mark.parametrize(
    "text",
    [
        "Shoes must stay in the hall.",  # a rule
        "Plates should always go in the cabinet.",
        "Mugs should be washed.",
        "The keys should be in the drawer.",  # a belief
        "I saw Tom put it on the shelf.",
        "Mum made me put it on the shelf.",
    ],
)
def test_what_is_due_in_general_or_only_believed_is_not_done(text: str) -> None:
    assert not asked(GRAMMAR.read(text))


@pytest.mark.parametrize(
    "text",
    [
        "The fridge must never be opened.",
        "Nobody may open the fridge.",
        "Don't ever open the fridge.",
        "Avoid opening the fridge.",
    ],
)
def test_what_is_forbidden_may_be_said_in_other_words(text: str) -> None:
    read = GRAMMAR.read(text)
    forbidden = [goal.do for item in read.items if isinstance(item, Request) and item.never for goal in item.goals]
    assert (forbidden, len(asked(read)), read.unread) == ([Deed.OPEN], 1, ())


def test_what_is_not_meant_is_left_out() -> None:
    (away,) = asked(GRAMMAR.read("bring me the cup that is not on the table"))
    assert away.thing is not None
    assert [one.place.thing.text for one in away.thing.but if one.place] == ["table"]
    (whole,) = asked(GRAMMAR.read("bring me a cup that isn't dirty"))
    assert whole.thing is not None
    assert whole.thing.attributes == ("clean",)
    for text in ("bring me a mug, not the red one", "bring me the book that isn't Tom's", "wash neither cup"):
        read = GRAMMAR.read(text)
        assert read.unread or all(item.never for item in read.items if isinstance(item, Request)), read


@pytest.mark.parametrize(
    "text",
    [
        "turn off all the lights except the one in the bedroom",
        "turn off all lamps but the lamp in the bedroom",
        "put all the plates in the sink except the one in the bedroom",
    ],
)
def test_where_one_is_that_is_left_out_is_not_where_the_others_are(text):
    (goal,) = asked(GRAMMAR.read(text))
    assert goal.thing.place is None
    assert [one.place.thing.room for one in goal.thing.but] == ["bedroom"]


@pytest.mark.parametrize("aside", ["while you're at it", "while you're in there"])
def test_an_aside_before_what_is_joined_takes_nothing_from_it(aside):
    reading = GRAMMAR.read(f"put the bowl on the bed and {aside} the salt")
    assert [one.thing.text for one in asked(reading)] == ["bowl", "salt"]
    assert not reading.unread


@pytest.mark.parametrize(
    ("text", "harms"),
    [
        ("Bring me a knife so I can hit my brother", True),
        ("Get the vase, I want to throw it away", False),
        ("Get the vase, I'm going to hit Tom with it", True),
        ("Bring me ice, my brother hit me", False),
        ("Put the knife away so the kids don't hurt themselves", False),
        ("Put the knife away before it can hurt somebody", False),
        ("Hit the lights", False),
        ("Kill the Roomba", False),
        ("My wife is going to kill me, put the vase on the shelf", False),
        ("put the knife away, the baby could grab it and hurt himself", False),
        ("I don't want Tom to trip and hurt himself, move the box", False),
        ("I'd hate to hurt the cat, put the box away", False),
    ],
)
def test_who_means_to_hurt_somebody_says_so(text, harms):
    assert harms_somebody(text) is harms


@pytest.mark.parametrize(
    "text",
    [
        "put all the mugs except the red mug in the sink",
        "put all the books but my book in the sink",
        "put all the fruit except the apple in the sink",
    ],
)
def test_where_things_go_is_not_where_one_is_that_is_left_out(text):
    (goal,) = asked(GRAMMAR.read(text))
    assert goal.to.thing.text == "sink"
    assert goal.thing.but[0].place is None


@pytest.mark.parametrize(("text", "place"), [("clear it", True), ("clear it off the desk", False)])
def test_what_is_cleared_is_what_is_on_it(text, place):
    (goal,) = asked(GRAMMAR.read(text))
    assert (goal.thing.text == "everything") is place


@pytest.mark.parametrize(
    "text",
    [
        "put the pillow, the one in the bedroom, on the sofa",
        "put the pillow on the sofa, the one from the bedroom",
    ],
)
def test_the_one_somewhere_is_the_one_that_was_just_named(text):
    (goal,) = asked(GRAMMAR.read(text))
    assert (goal.thing.text, goal.thing.place.thing.room, goal.to.thing.text) == ("pillow", "bedroom", "sofa")


def test_a_place_told_more_exactly_is_no_request():
    assert not asked(GRAMMAR.read("Grandma's pills are in the bathroom cabinet, top shelf"))


@pytest.mark.parametrize(
    "text",
    ["Morning! Wash the pan and put it on the stove.", "Wash the pan and after put it on the stove."],
)
def test_a_greeting_and_what_says_only_when_take_nothing_from_a_request(text):
    reading = GRAMMAR.read(text)
    assert [one.do for one in asked(reading)] == [Deed.CLEAN, Deed.PLACE]
    assert not reading.unread


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("bring the mug from the sink and the book from the bed to the sofa", ["sink", "bed"]),
        ("take the pillow from the sofa to the bed and the book from the bed to the sofa", ["sofa", "bed"]),
        ("put the mug on the table and the apple from the fridge", ["", "fridge"]),
        ("get the apple and the bread from the fridge", ["fridge", "fridge"]),
    ],
)
def test_each_thing_is_taken_from_where_it_is_said_to_be(text: str, taken: list[str]) -> None:
    things = [goal.thing for goal in asked(GRAMMAR.read(text))]
    assert [thing.place.thing.text if thing and thing.place else "" for thing in things] == taken


@pytest.mark.parametrize("text", ["After I leave, turn off the lamp", "After I have eaten, wash the plate"])
def test_what_comes_after_something_to_come_is_for_later(text: str) -> None:
    assert [goal.at is not None for goal in asked(GRAMMAR.read(text))] == [True]


def test_what_comes_after_something_past_is_for_now() -> None:
    assert [goal.at for goal in asked(GRAMMAR.read("After we had dinner, wash the plate"))] == [None]


def test_what_a_remark_calls_it_stays_what_it_is() -> None:
    told = GRAMMAR.read("I need it for the salad. Put the mug in the sink.").told
    assert all(thing.text != "salad" for item in told for thing in item.about)
    told = GRAMMAR.read("It is fine to put the cups on the stool").told
    assert [thing.text for item in told for thing in item.about][:1] == ["cups"]


@pytest.mark.parametrize(
    ("remark", "washed"),
    [
        ("I need it for the lettuce.", "it"),
        ("It is for the lettuce.", "it"),
        ("My aunt gave me the lettuce.", "lettuce"),
    ],
)
def test_a_remark_between_two_requests_says_what_it_is_where_it_does_not_say_it_itself(
    remark: str, washed: str
) -> None:
    goals = asked(GRAMMAR.read(f"Put the tomato on the counter. {remark} Wash it."))
    assert [goal.thing.text for goal in goals if goal.thing] == ["tomato", washed]
