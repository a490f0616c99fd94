# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Things described by what they are, do or look like; other ways to ask; what is said beside a request."""

from __future__ import annotations

import pytest

from karma_language.vocabulary import embedder, household
from karma_language.vocabulary.descriptions import Descriptions
from planner_node.skills import Code
from planner_node.understand.goals import NotUnderstood, ObjectRef, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.paraphrase import paraphrase
from planner_node.understand.remarks import answered

OFFLINE = OfflineUnderstanding(household())
needs_embedder = pytest.mark.skipif(embedder.installed() is None, reason="the embedding model is not installed")


def refs(text: str) -> list[tuple[ObjectRef | None, ObjectRef | None]]:
    understood = OFFLINE.understand(text)
    assert isinstance(understood, Understood), understood
    return [(goal.object, goal.destination) for goal in understood.goals]


def goals(text: str) -> list[str]:
    understood = OFFLINE.understand(text)
    assert isinstance(understood, Understood), understood
    return [str(goal) for goal in understood.goals]


def first(ref: ObjectRef | None) -> str:
    assert ref is not None
    return ref.categories[0]


@needs_embedder
@pytest.mark.parametrize(
    ("text", "thing", "place"),
    [
        ("Put the item worn on the wrist in the place where valuables are locked.", "Watch", "Safe"),
        ("Move the thing that wakes people up to the furniture you sleep on.", "AlarmClock", "Bed"),
        ("Place a sharp kitchen utensil in the basin where dishes are washed.", "Knife", "SinkBasin"),
        ("Place the plush animal on the long soft furniture for several people.", "TeddyBear", "Sofa"),
        ("Set the device used for calling people on the surface where meals are prepared.", "CellPhone", "CounterTop"),
        ("Put a leafy green vegetable in the appliance that keeps food cold.", "Lettuce", "Fridge"),
        ("Lay the bottles with green pumps on the shelf.", "SoapBottle", "Shelf"),
    ],
)
def test_descriptions_mean_what_they_describe(text: str, thing: str, place: str) -> None:
    ((theme, destination),) = refs(text)
    assert (first(theme), first(destination)) == (thing, place)


@needs_embedder
def test_likelier_meanings_come_first_and_the_margin_says_how_sure_that_is() -> None:
    pen = OFFLINE.reference("something to write with")
    potato = OFFLINE.reference("the starchy vegetable")
    apple = OFFLINE.reference("the apple")
    assert pen is not None
    assert potato is not None
    assert apple is not None
    assert pen.categories[0] == "Pen"
    assert "Pencil" in pen.categories + pen.loosely
    assert 0 <= pen.margin < potato.margin < apple.margin == 1.0


@needs_embedder
def test_what_is_not_sure_is_asked_and_the_answer_takes_its_place() -> None:
    text = "Put the household helper item on the shelf."
    asked = OFFLINE.understand(text)
    assert isinstance(asked, NotUnderstood)
    assert (asked.code, asked.phrase) == (Code.AMBIGUOUS, "household helper item")
    assert "sponge" in asked.choices
    assert goals(answered(text, "the sponge", OFFLINE.grammar.read(text), asked.phrase)) == ["place(sponge, shelf, on)"]


def test_nothing_is_taken_for_what_nobody_described() -> None:
    for text in ("bring me the unicorn", "wash the flux capacitor", "put the antigravity thruster on the table"):
        assert isinstance(OFFLINE.understand(text), NotUnderstood), text


def test_words_do_where_there_is_no_embedder() -> None:
    by_words = Descriptions(household(), {"Spoon": ["utensil for eating soup"], "Fork": ["utensil with potato"]}, None)
    assert by_words.rank(["used for soup"], "pickup")[0].category == "Spoon"
    assert not by_words.is_word("soop")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Although the cupboard is nearly full, put the bowl in it.", ["place(bowl, cupboard, in)"]),
        ("As you tidy the sofa, place the two remotes on it.", ["place(2 remotes, sofa, on)"]),
        ("After sorting the mail, put the newspaper on the armchair.", ["place(newspaper, armchair, on)"]),
        ("Rather than the shelf, put the vase on the desk, making the room nicer.", ["place(vase, desk, on)"]),
        ("Put the vase on the desk instead of the shelf.", ["place(vase, desk, on)"]),
        ("Carry the laptop to the bed to free up the table.", ["place(laptop, bed)"]),
        (
            "Wash the fork and put it in the drawer so that it is ready for dinner.",
            ["clean(fork)", "place(fork, drawer, in)"],
        ),
        ("While keeping hold of the pillow, turn on the floor lamp.", ["hold(pillow)", "switch_on(floor lamp)"]),
        ("Find a free spot on the dresser for the statue.", ["place(statue, dresser, on)"]),
        ("Choose a place on the shelf to put the candle.", ["place(candle, shelf, on)"]),
        (
            "The mug in the sink should be washed and put on the counter.",
            ["clean(mug from sink)", "place(mug, counter, on)"],
        ),
        ("The potato needs to be heated and placed on the table.", ["heat(potato)", "place(potato, table, on)"]),
        ("I'd like the tomato sliced and put in the bowl.", ["slice(tomato)", "place(tomato, bowl, in)"]),
        ("Make sure that the plates are on the dining table.", ["place(all plates, dining table, on)"]),
        ("Make the egg cold and put it in the bowl.", ["cool(egg)", "place(egg, bowl, in)"]),
        ("Put the mug that is on the desk in the sink.", ["place(mug from desk, sink, in)"]),
        ("Bring me the cup lying in the sink.", ["bring(cup from sink)"]),
        ("Use the knife to slice the bread.", ["slice(bread)"]),
    ],
)
def test_other_ways_to_ask(text: str, wanted: list[str]) -> None:
    assert [goal.replace("i'd", "") for goal in goals(text)] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("If the fridge is open, close it.", ["close(fridge) if open(fridge)"]),
        ("Switch the desk lamp on unless it is on.", ["switch_on(desk lamp) if not on(desk lamp)"]),
        (
            "Close the drawer if it isn't closed, then go to the sofa.",
            ["close(drawer) if not closed(drawer)", "go_to(sofa)"],
        ),
        ("If there is an apple on the desk, bring it to me.", ["bring(apple from desk) if there(apple from desk)"]),
        ("If you see a tomato, put it in the fridge.", ["place(tomato, fridge, in) if there(tomato)"]),
        (
            "If the lamp isn't on, turn it on. Otherwise pick up the book.",
            ["switch_on(lamp) if not on(lamp)", "hold(book) if on(lamp)"],
        ),
        ("Wash the cup, and if the fridge is open, close the fridge.", ["clean(cup)", "close(fridge) if open(fridge)"]),
        ("If you can, wash the mug.", ["clean(mug)"]),
        ("When you are done, close the fridge.", ["close(fridge)"]),
    ],
)
def test_conditions_belong_to_what_they_stand_with(text: str, wanted: list[str]) -> None:
    assert goals(text) == wanted


def test_goals_are_told_in_plain_english() -> None:
    understood = OFFLINE.understand("Wash the mug and put it on the shelf. If the fridge is open, close it.")
    assert isinstance(understood, Understood)
    assert paraphrase(understood.goals, household()) == (
        "wash the mug, then put it on the shelf, then close the fridge if the fridge is open"
    )
    light = OFFLINE.understand("Look at my book by the desk lamp in the bedroom")
    assert isinstance(light, Understood)
    assert paraphrase(light.goals, household()) == "look at your book by the light of the desk lamp in the bedroom"
    assert paraphrase((), household()) == ""


@pytest.mark.parametrize("verb", ["should be", "must be", "shall be", "ought to be", "needs to be", "has to be"])
def test_a_description_ends_where_it_is_said_what_to_do_with_it(verb: str) -> None:
    assert goals(f"The thing that rings {verb} washed.") == ["clean(thing that rings)"]
    assert goals(f"The cutlery used for soup {verb} put on the shelf.") == ["place(cutlery used for soup, shelf, on)"]


@pytest.mark.parametrize("told", ["goes on the shelf", "belongs on the shelf"])
def test_a_description_ends_where_it_is_said_where_the_thing_is_to_be(told: str) -> None:
    assert goals(f"The thing that rings {told}, put it there.") == ["place(thing that rings, shelf, on)"]
