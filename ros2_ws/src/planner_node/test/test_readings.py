# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Other ways to take the words of an instruction."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from karma_language.vocabulary import household
from planner_node.understand.goals import Goal, ObjectRef, Predicate, Understood
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.other_readings import (
    Tried,
    meanings,
    numbered,
    other_reading,
    read_as,
    readings,
    usual_reading,
)

LEXICON = household()
LAMP = ObjectRef(("DeskLamp", "FloorLamp"), "lamp", entity=1)
SWITCH = (Goal(Predicate.SWITCH_ON, LAMP),)
ROOM = {"DeskLamp", "FloorLamp", "Television", "Sofa", "Book", "RemoteControl"}


def goals(text: str) -> tuple[Goal, ...]:
    understood = OfflineUnderstanding(LEXICON).understand(text)
    assert isinstance(understood, Understood)
    return numbered(understood.goals)


def test_a_noun_means_what_is_there_before_what_is_not_seen_yet() -> None:
    assert [c for c, _ in meanings(LAMP, "toggle", ROOM, LEXICON)][:2] == ["DeskLamp", "FloorLamp"]
    assert [c for c, _ in meanings(LAMP, "toggle", ROOM - {"DeskLamp"}, LEXICON)][:2] == ["FloorLamp", "DeskLamp"]


def test_nothing_is_meant_that_the_goal_can_not_be_about() -> None:
    found = [c for c, _ in meanings(LAMP, "toggle", ROOM, LEXICON)]
    assert "Television" in found
    assert not {"Sofa", "Book"} & set(found)


def test_what_has_one_meaning_that_is_there_comes_to_mean_something_else_last() -> None:
    book = ObjectRef(("Book",), "book", entity=2)
    goal = (Goal(Predicate.HOLD, book), *SWITCH)
    second = list(readings(goal, ROOM, LEXICON))[1]
    assert second == {1: "FloorLamp", 2: "Book"}


def test_what_was_tried_is_not_tried_again_until_there_is_nothing_left() -> None:
    tried: list[Tried] = []
    seen = []
    while (reading := other_reading(SWITCH, tried, ROOM, LEXICON)) is not None:
        seen.append(reading[1])
        tried.append(Tried(reading, reading))
    assert seen[:2] == ["DeskLamp", "FloorLamp"]
    assert len(seen) == len(set(seen))


def test_what_was_not_found_is_not_looked_for_again() -> None:
    place = goals("put the book on the table")
    usual = usual_reading(place, {"Book", "DiningTable", "SideTable"}, LEXICON)
    entity = next(e for e, category in usual.items() if category != "Book")
    tried = [Tried(usual, {e: c for e, c in usual.items() if e != entity})]
    for _ in range(3):
        reading = other_reading(place, tried, {"Book", "DiningTable", "SideTable"}, LEXICON)
        assert reading is not None
        assert reading[entity] != usual[entity]
        tried.append(Tried(reading, reading))


def test_a_reading_is_taken_by_all_references_to_the_same_thing() -> None:
    wash = goals("wash the cup and put it on the table")
    entity = wash[0].object.entity if wash[0].object else 0
    read = read_as(wash, {entity: "Mug"})
    assert {goal.object.categories for goal in read if goal.object} == {("Mug",)}


def test_entities_are_numbered_as_they_are_named() -> None:
    fridge = ObjectRef(("Fridge",), "fridge", entity=9)
    apple = ObjectRef(("Apple",), "apple", entity=4, place=fridge)
    found = numbered((Goal(Predicate.PLACE, apple, replace(fridge, entity=2)), Goal(Predicate.EXPLORE)))
    assert found[0].object == replace(apple, entity=1, place=replace(fridge, entity=2))
    assert found[0].destination is not None
    assert found[0].destination.entity == 3


def test_a_condition_is_about_the_same_things_as_its_goal() -> None:
    (goal,) = goals("If there is an apple in the fridge, put it in the bowl.")
    assert goal.object is not None
    assert goal.condition is not None
    assert goal.condition.object.entity == goal.object.entity


CATEGORIES = st.sets(st.sampled_from(sorted(LEXICON.kinds)), max_size=12)


@given(CATEGORIES, st.sampled_from(["put the bottle on the table", "turn on the lamp", "hold a towel"]))
def test_readings_come_in_order_once_each_and_fit_their_goals(present: set[str], text: str) -> None:
    wanted = goals(text)
    found = list(readings(wanted, present, LEXICON))
    assert len({tuple(sorted(reading.items())) for reading in found}) == len(found)
    if wanted[0].predicate is Predicate.SWITCH_ON:
        assert all(LEXICON.can(reading[1], "toggle") for reading in found)
