# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A request as it was read becomes goals; what can't be honoured is said before anything moves."""

from __future__ import annotations

from typing import Any

import pytest

from karma_language.reading import Condition, Deed, Goal, Reading, Request
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import household
from planner_node.skills import Code
from planner_node.understand.goals import ALL, NotUnderstood, ObjectRef, Predicate, Understood
from planner_node.understand.requests import Requests

REQUESTS = Requests(household())
APPLE = Thing(text="apple", definite=True)
IT = Thing(text="it", pronoun=True)


def goal(do: Deed, thing: Thing | None = None, **roles: Any) -> Goal:
    """Return a goal that was read."""
    return Goal(quote="as said", do=do, thing=thing, **roles)


def understood(*goals: Goal, spoken_of: tuple[ObjectRef, ...] = ()) -> Understood:
    """Return the planner's goals; fail where there are none."""
    said = REQUESTS.goals(goals, spoken_of)
    assert isinstance(said, Understood), said
    return said


def test_a_noun_that_is_not_resolved_yet_is_looked_up_with_its_room() -> None:
    (found,) = understood(
        goal(Deed.PLACE, APPLE, to=Where(relation=Relation.ON, thing=Thing(text="kitchen table")))
    ).goals
    assert found.object is not None
    assert found.object.categories == ("Apple",)
    assert found.destination is not None
    assert found.destination.room == "kitchen"
    assert found.relation == "on"


def test_it_is_what_was_spoken_of_last() -> None:
    wash, put = understood(
        goal(Deed.CLEAN, APPLE), goal(Deed.PLACE, IT, to=Where(relation=Relation.AT, thing=Thing(text="fridge")))
    ).goals
    assert wash.object is not None
    assert put.object is not None
    assert wash.object.entity == put.object.entity
    assert put.relation == ""


def test_it_is_what_the_request_before_was_about() -> None:
    (found,) = understood(goal(Deed.CLEAN, IT), spoken_of=(ObjectRef(("Mug",), "mug", id="Mug|1"),)).goals
    assert found.object is not None
    assert found.object.id == "Mug|1"


def test_all_but_one_leaves_that_one_out() -> None:
    everything = Thing(
        text="thing",
        every=True,
        place=Where(relation=Relation.ON, thing=Thing(text="desk")),
        but=(Thing(text="bowl"),),
    )
    (found,) = understood(goal(Deed.PLACE, everything, to=Where(relation=Relation.ON, thing=Thing(text="bed")))).goals
    assert found.object is not None
    assert found.object.count == ALL
    assert found.object.place is not None
    assert found.object.place.categories == ("Desk",)
    assert [ref.categories for ref in found.object.but] == [("Bowl",)]


def test_what_is_described_is_compared_with_what_is_known() -> None:
    said = understood(goal(Deed.HOLD, Thing(text="tool used to cut bread")))
    (found,) = said.goals
    assert found.object is not None
    assert found.object.categories[0] == "Knife"
    assert any("knife" in note for note in said.notes)


def test_a_condition_is_checked_of_the_thing_that_is_named() -> None:
    fridge = Thing(text="fridge", definite=True)
    (found,) = understood(goal(Deed.CLOSE, IT, condition=Condition(thing=fridge, state="open"))).goals
    assert found.condition is not None
    assert found.object is not None
    assert found.condition.object.entity == found.object.entity


def test_back_is_where_it_was() -> None:
    first, second = understood(goal(Deed.CLEAN, APPLE), goal(Deed.PLACE, IT, back=True)).goals
    assert first.predicate is Predicate.CLEAN
    assert second.relation == "back"


def test_somebodys_thing_is_known_by_its_owner() -> None:
    (found,) = understood(goal(Deed.BRING, Thing(text="phone", owner="Tom"), person="me")).goals
    assert found.object is not None
    assert found.object.owner == "Tom"


def test_an_adjective_that_makes_no_difference_is_told() -> None:
    said = understood(goal(Deed.HOLD, Thing(text="wooden spoon", attributes=("wooden",))))
    assert any("'wooden'" in note for note in said.notes)


@pytest.mark.parametrize(
    ("refused", "because"),
    [
        (goal(Deed.FILL, Thing(text="cup"), using=Thing(text="milk")), "milk"),
        (goal(Deed.BRING, Thing(text="cup of tea"), person="me"), "tea"),
        (goal(Deed.BRING, Thing(text="mug"), person="Lea"), "Lea"),
        (goal(Deed.PLACE, Thing(text="bowl"), to=Where(relation=Relation.LEFT_OF, thing=Thing(text="plate"))), "left"),
        (goal(Deed.PLACE, Thing(text="plate"), to=Where(relation=Relation.ON, thing=Thing(text="bed")),
              aside=("upside down",)), "upside down"),
        (goal(Deed.SWITCH_ON, Thing(text="stove"), seconds=600.0), "for some time"),
        (goal(Deed.HOLD, Thing(text="biggest knife")), "biggest"),
        (goal(Deed.HOLD, Thing(text="unicorn")), "unicorn"),
        (goal(Deed.OTHER, verb="sing"), "sing"),
        (goal(Deed.WAIT, seconds=300.0), "wait"),
        (goal(Deed.CLEAN, IT), "it"),
    ],
)  # fmt: skip
def test_what_can_not_be_honoured_is_refused_by_its_words(refused: Goal, because: str) -> None:
    said = REQUESTS.goals([refused])
    assert isinstance(said, NotUnderstood), said
    assert because in said.message


@pytest.mark.parametrize(
    ("noun", "message"),
    [
        ("plane", "I don't know of any plane here."),  # no plate
        ("unicorn", "I don't know of any unicorn here."),
        ("frudge", "I don't know of any frudge here. Did you mean fridge?"),
    ],
)
def test_what_is_unknown_suggests_something_only_where_it_looks_like_a_typo(noun: str, message: str) -> None:
    said = REQUESTS.goals([goal(Deed.HOLD, Thing(text=noun))])
    assert isinstance(said, NotUnderstood), said
    assert (said.code, said.message, said.phrase) == (Code.NOT_FOUND, message, noun)


def test_nothing_is_done_on_words_that_were_not_read() -> None:
    wash = goal(Deed.CLEAN, APPLE).model_copy(update={"quote": "wash the apple"})
    read = Reading(reader="rules", items=(Request(quote="wash the apple", goals=(wash,)),), unread=("gribbled",))
    said = REQUESTS.understood(read, "wash the apple gribbled")
    assert isinstance(said, NotUnderstood)
    assert said.code is Code.NOT_UNDERSTOOD
    assert "'gribbled'" in said.message
    assert "wash the apple" in said.message


def test_who_means_to_hurt_somebody_gets_nothing() -> None:
    text = "Bring me a knife so I can hit my brother"
    request = Request(quote=text, goals=(goal(Deed.BRING, Thing(text="knife"), person="me"),))
    said = REQUESTS.understood(Reading(reader="rules", items=(request,)), text)
    assert isinstance(said, NotUnderstood)
    assert said.code is Code.REFUSED
