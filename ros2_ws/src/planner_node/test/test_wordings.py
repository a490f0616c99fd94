# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Ways to ask that name no verb of doing, hide it in a frame or talk around it."""

from __future__ import annotations

import pytest

from karma_language.vocabulary import household
from planner_node.skills import Code
from planner_node.understand.frames import without_frames
from planner_node.understand.goals import NotUnderstood, Statement, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.remarks import WithoutRemarks

UNDERSTANDING = WithoutRemarks(OfflineUnderstanding(household()))


def goals(text: str) -> list[str]:
    understood = UNDERSTANDING.understand(text)
    assert isinstance(understood, Understood), understood
    return [str(goal) for goal in understood.goals]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I'd like the vase to stand on the shelf", ["place(vase, shelf, on)"]),
        ("On the table, put a clean plate.", ["place(clean plate, table, on)"]),
        ("No, put the mug in the sink", ["place(mug, sink, in)"]),
        ("No problem, put the mug in the sink", ["place(mug, sink, in)"]),
        ("There is no hurry, put the mug in the sink", ["place(mug, sink, in)"]),
        ("We have to wash the mug", ["clean(mug)"]),
        ("There should be an egg in the fridge, bring it to me", ["bring(egg)"]),
        ("Toss the apple away", ["place(apple, garbage can, in)"]),
        ("Find two forks and put both of them in the sink", ["find(2 forks)", "place(2 forks, sink, in)"]),
        (
            "Cut three slices of bread and put two of them on the plate",
            ["slice(3 sliced slices of bread)", "place(2 sliced slices of bread, plate, on)"],
        ),
        ("After you put the mug in the sink, open the blinds", ["place(mug, sink, in)", "open(blinds)"]),
    ],
)
def test_what_asks_for_it_is_done(text: str, wanted: list[str]) -> None:
    assert goals(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Put the mug where it belongs",
        "Put the mug where it goes",
        "Put the mug where you want",
        "Put the mug where we keep the forks",
    ],
)
def test_a_place_that_is_only_told_of_is_asked(text: str) -> None:
    understood = UNDERSTANDING.understand(text)
    assert isinstance(understood, NotUnderstood)
    assert understood.code is Code.AMBIGUOUS
    assert all(goal.destination is None for goal in understood.goals)


@pytest.mark.parametrize(
    "text",
    [
        "There should be no knives on the counter.",
        "Make sure there are no plates in the sink",
        "Make sure no knives are on the counter",
        "Make sure nobody turns on the lamp",
        "I want there to be no books on the bed",
        "I want no books on the bed",
        "No fork should go in the microwave",
        "No mug should be washed",
        "None of the mugs should be washed",
        "The mug shouldn't be washed",
        "The cup isn't supposed to be on the floor",
        "Nobody should put the mug in the microwave",
        "Put no forks in the drawer",
        "No knives on the counter. Put the cup in the sink",
        "The milk shouldn't be in the cabinet, put it in the fridge",
    ],
)
def test_what_is_denied_is_not_done(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), NotUnderstood)


@pytest.mark.parametrize(
    "text",
    [
        "A vase on the shelf would be terrible",
        "A vase on the shelf would be dangerous",
        "A vase on the shelf would be ugly",
        "The keys must be in the drawer, bring them",
        "My glasses should be on the table. Find them.",
        "The spoon used to be in the drawer",
        "The forks go in the drawer.",
        "The plates should be in the cabinet.",
        "A book on the bed and the lamp on",
        "Mug into the sink please",
    ],
)
def test_where_a_thing_may_be_is_no_request_to_put_it_there(text: str) -> None:
    assert not isinstance(UNDERSTANDING.understand(text), Understood)


@pytest.mark.parametrize(
    "text",
    [
        "I spilled coffee on the book, so leave it on the desk",
        "The milk is in the cabinet, put it in the fridge",
        "Since my keys and my phone are on the bed, put them in the box",
        "Fetch two mugs and put one in the sink and the other in the cabinet",
        "Take the mug and the bowl, and put one of them in the sink",
    ],
)
def test_what_may_be_either_is_not_guessed(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), NotUnderstood)


@pytest.mark.parametrize(
    "text",
    [
        "The apple on the table is rotten; toss it",
        "Toss the apple",
        "Fork into the microwave, and turn on the microwave",
        "Fork in the drawer, then wash the mug",
        "After you have put the mug away, open the blinds",
    ],
)
def test_no_part_is_dropped_or_guessed_but_asked(text: str) -> None:
    understood = UNDERSTANDING.understand(text)
    assert isinstance(understood, NotUnderstood)
    assert understood.code is Code.AMBIGUOUS


@pytest.mark.parametrize(
    "text",
    [
        "She put the knife in the drawer and turned off the light",
        "We put the bread in the fridge",
        "I'll put the mug in the sink",
        "I'm going to put the mug in the sink",
        "I will wash the cup",
        "John put the mug in the sink",
        "My wife will wash the mug",
        "He should put the mug in the sink",
        "I cut the bread and put it in the fridge",
        "The bowl left alone",
    ],
)
def test_what_somebody_does_is_not_asked_for(text: str) -> None:
    assert not isinstance(UNDERSTANDING.understand(text), Understood)


@pytest.mark.parametrize(
    "text",
    ["Tell me whether the fridge is closed.", "I wonder whether the fridge is closed.", "Let me know if it is on."],
)
def test_a_question_is_no_fact(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), NotUnderstood)


@pytest.mark.parametrize(
    "text", ["My keys belong in the drawer.", "the keys are on the table", "The keys always go in the drawer."]
)
def test_what_is_only_told_is_no_request(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), Statement)


def test_where_a_thing_must_not_be_is_no_request() -> None:
    assert isinstance(UNDERSTANDING.understand("The spoon must not go in the drawer"), NotUnderstood)


def test_without_a_subject_the_robot_is_to_go() -> None:
    assert goals("take the apple and go to the fridge") == ["bring(apple)", "go_to(fridge)"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Chuck the apple in the bin", ["place(apple, bin, in)"]),
        ("can u pop a pillow onto the sofa, pls", ["place(pillow, sofa, on)"]),
        ("lift the box onto the bed", ["place(box, bed, on)"]),
        ("Take a look at the vase under the lamp", ["examine(vase, lamp)"]),
        ("Give the mug a good rinse and put it on the shelf", ["clean(mug)", "place(mug, shelf, on)"]),
        ("The fork needs a wash, put it in the drawer then", ["clean(fork)", "place(fork, drawer, in)"]),
        ("The fork needs washing.", ["clean(fork)"]),
        ("I want the bread to be sliced and then left on the counter", ["slice(bread)", "place(bread, counter, on)"]),
        ("after rinsing the spoon put it in the drawer", ["clean(spoon)", "place(spoon, drawer, in)"]),
        (
            "Find two credit cards and put them both on the table",
            ["find(2 credit cards)", "place(2 credit cards, table, on)"],
        ),
        ("take the vase, stand by the lamp and turn it on", ["bring(vase)", "go_to(lamp)", "switch_on(lamp)"]),
        (
            "Bring a knife over to the bread, cut the bread, put the knife on the table",
            ["hold(knife)", "slice(bread)", "place(knife, table, on)"],
        ),
    ],
)
def test_what_is_done_has_many_words(text: str, wanted: list[str]) -> None:
    assert goals(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Heat the egg and put it on the table when it's done", ["heat(egg)", "place(egg, table, on)"]),
        ("Cool the tomato until it's cold, then put it on the plate", ["cool(tomato)", "place(tomato, plate, on)"]),
        ("Put the egg in the fridge, which is standing beside the shelf.", ["place(egg, fridge, in)"]),
        ("Put the pepper in the cabinet over the sink", ["place(pepper, cabinet, in)"]),
        ("Put the vase on the round table with chairs around it", ["place(vase, table, on)"]),
        ("If you have a minute, wash the cup", ["clean(cup)"]),
        ("Turn left and walk to the fridge, then open it.", ["go_to(fridge)", "open(fridge)"]),
    ],
)
def test_what_changes_nothing_is_left_out(text: str, wanted: list[str]) -> None:
    assert goals(text) == wanted


@pytest.mark.parametrize(
    "text", ["Keep the mug on the shelf until it's cold", "Put the cup on the table once it is cold"]
)
def test_what_would_have_to_be_waited_for_is_still_refused(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), NotUnderstood)


def test_that_nothing_is_waited_for_is_told() -> None:
    understood = UNDERSTANDING.understand(
        "Put the egg in the fridge, wait for a minute, take it out and put it on the table"
    )
    assert isinstance(understood, Understood)
    assert understood.notes == ("I don't wait between one thing and the next.",)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Put the thing that I pay with on the desk", "place(thing that i pay with, desk, on)"),
        ("Bring me something to call my brother with", "bring(something to call my brother with)"),
    ],
)
def test_a_thing_may_be_named_by_what_is_done_with_it(text: str, wanted: str) -> None:
    assert goals(text) == [wanted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Honestly, my phone is on the bed, put it on the desk.", ["place(phone, desk, on)"]),
        ("My cup is dirty, wash it.", ["clean(cup)"]),
        ("The lamp is on, turn it off", ["switch_off(lamp)"]),
        ("The vase lives on the shelf above the desk, put it there", ["place(vase, shelf, on)"]),
        ("Hi robot. I always nap on the sofa, so can u put the pillow there thx", ["place(pillow, sofa, on)"]),
        ("Mum wants her tea hot, so heat the mug", ["heat(mug)"]),
        ("Don't bother with the plates, just put the cup in the sink.", ["place(cup, sink, in)"]),
        (
            "Take the bowl out of the sink. Then put the fork into it.",
            ["bring(bowl from sink)", "place(fork, bowl, in)"],
        ),
        ("Lay the book on the bed and put the pen next to it", ["place(book, bed, on)", "place(pen, book, near)"]),
        (
            "Put the fork in the mug. Put it, with the fork in it, on the table",
            ["place(fork, mug, in)", "place(mug, table, on)"],
        ),
    ],
)
def test_what_is_told_before_says_what_it_and_there_are(text: str, wanted: list[str]) -> None:
    assert goals(text) == wanted


def test_what_is_neither_request_nor_remark_is_told_to_be_none() -> None:
    understood = UNDERSTANDING.understand("Such a day and dinner everywhere. Put the cup in the sink")
    assert isinstance(understood, Understood)
    assert [str(goal) for goal in understood.goals] == ["place(cup, sink, in)"]


@pytest.mark.parametrize(
    "text", ["Polish the table, then put the cup in the sink", "If it rains, put the cup in the sink"]
)
def test_no_request_and_no_condition_is_taken_for_chatter(text: str) -> None:
    assert isinstance(UNDERSTANDING.understand(text), NotUnderstood)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I'd be grateful if you washed the cup", "please wash the cup"),
        ("It would be nice if you could open the fridge", "please open the fridge"),
        ("It'd be great if the statue could be moved to the dresser", "the statue should be moved to the dresser"),
        ("I was wondering whether you could put it away", "please put it away"),
        ("Would it be possible to wash the cup?", "please wash the cup?"),
        ("What I'd like is for the mug to be in the sink", "I want the mug to be in the sink"),
        ("turn on the lamp with the book in your hand", "turn on the lamp holding the book"),
        ("Walk to the left, take the cup, turn around and wash it", "take the cup, wash it"),
        ("turn right and open the fridge", "open the fridge"),
        ("I'd be happy if it rained", "I'd be happy if it rained"),
        ("turn the lamp on and go to the left of the bed", "turn the lamp on and go to the left of the bed"),
    ],
)
def test_frames_are_left_out(text: str, plain: str) -> None:
    assert without_frames(text) == plain


def test_a_text_of_remarks_only_asks_for_nothing() -> None:
    assert not isinstance(UNDERSTANDING.understand("Nice. You don't have to please me."), Understood)
