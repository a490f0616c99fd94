# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose a thing is stays with that thing, wherever it is put since, and with who told it."""

import pytest

from karma_memory import Query

HOUR = 3600.0
NOON = 1_778_068_800.0


def furnish(memory):
    for place, room in (("desk", "bedroom"), ("sofa", "living room"), ("dining table", "kitchen")):
        memory.see(place, room=room, stamp=NOON - 10 * HOUR)
    for name, thing, place in (
        ("laptop1", "laptop", "desk"),
        ("laptop2", "laptop", "sofa"),
        ("mug1", "mug", "dining table"),
        ("mug2", "mug", "desk"),
        ("phone1", "phone", "sofa"),
    ):
        memory.see(thing, on=place, id=name, stamp=NOON - 9 * HOUR)


def tell(memory, *told, user="ann"):
    return [memory.tell(text, user=user, stamp=NOON - 8 * HOUR) for text in told]


def ask(memory, question, user="ann"):
    return memory.ask(question, user=user, now=NOON).text


def owners(memory, user="ann"):
    """Return what a planner gets to know: thing → owner."""
    found = memory.recall(Query("", user=user, kinds=frozenset({"owner"}))).recollections
    about = [one.record.knowledge for one in found]
    return {name: one.name for one in about for name in one.object_ids}


@pytest.fixture
def memory(store):
    with store.memory() as memory:
        furnish(memory)
        yield memory


TOLD = (
    "The laptop on the desk is mine.",
    "The laptop on the sofa is Tom's.",
    "The mug on the dining table belongs to my sister.",
    "That phone is Tom's.",
)


def test_it_is_found_where_it_is_now(memory):
    tell(memory, *TOLD)
    for name, thing, place in (("laptop1", "laptop", "dining table"), ("laptop2", "laptop", "desk")):
        memory.see(thing, on=place, id=name, stamp=NOON - HOUR)
    assert owners(memory) == {"laptop1": "me", "laptop2": "tom", "mug1": "sister", "phone1": "tom"}
    mine, toms = ask(memory, "Where is my laptop?"), ask(memory, "Where's Tom's laptop?")
    assert ("dining table" in mine, "desk" in mine) == (True, False)
    assert ("dining table" in toms, "desk" in toms) == (False, True)
    assert ask(memory, "Whose laptop is on the desk?").startswith("Tom's. ")
    assert ask(memory, "Is the laptop on the dining table mine?").startswith("Yours. ")
    assert "dining table" in ask(memory, "Which laptop is mine?")
    assert ask(memory, "Who owns the phone?").startswith("Tom's. ")


def test_nobody_elses_is_mine_where_nobody_told(memory):
    tell(memory, *TOLD)
    assert "desk" in ask(memory, "Where is my mug?")
    assert ask(memory, "Where is my phone?").startswith("I know of no phone that is yours. You told me")
    assert not ask(memory, "Whose mug is on the desk?").startswith(("Yours", "Your sister's"))


@pytest.mark.parametrize("told", ["The laptop in the bedroom is mine.", "[the laptops] Mine is the one on the desk."])
def test_it_is_said_in_many_ways(memory, told):
    tell(memory, told)
    assert owners(memory) == {"laptop1": "me"}


@pytest.mark.parametrize("told", ["The laptop is mine.", "The blue mug is mine.", "Is the laptop on the desk mine?"])
def test_what_may_be_another_is_nobodys(memory, told):
    tell(memory, told)
    assert owners(memory) == {}


def test_the_only_one_is_meant_until_there_is_another(memory):
    tell(memory, "The blue phone is mine.")
    assert owners(memory) == {"phone1": "me"}
    memory.see("phone", on="desk", id="phone2", stamp=NOON - HOUR)
    assert owners(memory) == {}


def test_it_stays_with_who_told_it(memory):
    tell(memory, *TOLD)
    assert owners(memory, "tom") == {}
    tell(memory, "The laptop on the desk is Tom's.", user="tom")
    assert owners(memory, "tom") == {"laptop1": "me"}
    assert owners(memory)["laptop1"] == "me"


def test_the_last_word_counts_and_what_is_forgotten_is_over(memory):
    first, *_ = tell(memory, *TOLD)
    memory.tell("The laptop on the desk is Eva's.", user="ann", stamp=NOON - 7 * HOUR)
    assert owners(memory)["laptop1"] == "eva"
    memory.forget([first])
    assert owners(memory)["laptop1"] == "eva"


def test_it_is_known_of_nobody_in_particular_who_lives_alone(memory):
    (words,) = tell(memory, TOLD[0], user="")
    assert owners(memory, "") == {"laptop1": "me"}
    memory.forget([words])
    assert owners(memory, "") == {}


def test_it_is_kept(store):
    with store.memory() as memory:
        furnish(memory)
        words = tell(memory, *TOLD)
        memory.upkeep.snapshot()
        known = owners(memory)
    with store.memory() as memory:
        assert owners(memory) == known
        memory.see("laptop", on="sofa", id="laptop1", stamp=NOON - HOUR)
        assert "sofa" in ask(memory, "Where is my laptop?")
        memory.forget(words)
        assert owners(memory) == {}
    with store.memory() as memory:
        assert owners(memory) == {}
