# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whose a thing is stays with that thing, wherever it is put since; what one told counts for all of the household."""

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
    assert owners(memory) == {"laptop1": "me", "laptop2": "Tom", "mug1": "sister", "phone1": "Tom"}
    mine, toms = ask(memory, "Where is my laptop?"), ask(memory, "Where's Tom's laptop?")
    assert ("dining table" in mine, "desk" in mine) == (True, False)
    assert ("dining table" in toms, "desk" in toms) == (False, True)
    assert ask(memory, "Whose laptop is on the desk?").startswith("Tom's. ")
    assert ask(memory, "Is the laptop on the dining table mine?").startswith("Yes: yours. ")
    assert "dining table" in ask(memory, "Which laptop is mine?")
    assert ask(memory, "Who owns the phone?").startswith("Tom's. ")


def test_a_favourite_is_the_one_at_the_place_that_is_told(memory):
    tell(memory, "My favourite mug is the one on the desk.")
    assert owners(memory) == {"mug2": "me"}
    tell(memory, "My blue laptop is the one on the desk.")  # another may lie there
    assert owners(memory) == {"mug2": "me"}


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


def test_what_one_told_counts_for_all_of_the_household_and_their_words_stay_theirs(memory):
    tell(memory, *TOLD)
    assert owners(memory, "tom") == {"laptop1": "Ann", "laptop2": "me", "mug1": "Ann's sister", "phone1": "me"}
    assert "sofa" in ask(memory, "Where is my laptop?", "tom")
    assert "desk" in ask(memory, "Where is Ann's laptop?", "tom")
    assert ask(memory, "Whose laptop is on the desk?", "tom") == "Ann's. So I was told at 4:00, 8 hours ago."
    assert ask(memory, "Whose laptop is on the sofa?", "tom") == "Yours. So I was told at 4:00, 8 hours ago."
    assert "Ann's sister's" in ask(memory, "Whose mug is on the dining table?", "tom")
    assert "That phone" not in ask(memory, "Whose phone is on the sofa?", "tom")


def test_what_one_told_oneself_counts_more_and_guests_count_for_themselves_alone(memory):
    tell(memory, "The laptop on the desk is mine.")
    tell(memory, "The laptop on the desk is Tom's.", user="tom")
    assert (owners(memory), owners(memory, "tom")) == ({"laptop1": "me"}, {"laptop1": "me"})
    assert owners(memory, "eve") == {"laptop1": "Tom"}
    memory.users.set_household(("ann", "eve"), stamp=NOON - HOUR)
    assert owners(memory, "eve") == {"laptop1": "Ann"}
    assert owners(memory, "tom") == {"laptop1": "me"}


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("The laptop on the desk is Tom's and the one on the sofa is mine.", {"laptop1": "Tom", "laptop2": "me"}),
        ("The laptop on the desk is mine. The phone is Tom's.", {"laptop1": "me", "phone1": "Tom"}),
        ("Both laptops are mine.", {"laptop1": "me", "laptop2": "me"}),
        ("The laptop on the desk is mine. Where is it?", {"laptop1": "me"}),
        ("The phone belongs to McKenzie now.", {"phone1": "McKenzie"}),
        ("The phone was mine.", {}),
        ("That's her phone.", {}),
        ("The phone is today's.", {}),
        ("The phone belongs to nobody.", {}),
    ],
)
def test_each_thing_has_its_own_owner_and_what_names_nobody_has_none(memory, told, known):
    tell(memory, told)
    assert owners(memory) == known


@pytest.mark.parametrize(
    ("then", "known"),
    [
        ("The laptop on the desk is not mine.", {}),
        ("The laptop on the desk isn't mine, it's Tom's.", {"laptop1": "Tom"}),
        ("The laptop on the desk is no longer mine.", {}),
        ("Actually, the laptop on the desk is Tom's.", {"laptop1": "Tom"}),
        ("I was wrong: the laptop on the desk is Tom's now.", {"laptop1": "Tom"}),
    ],
)
def test_what_is_said_otherwise_counts(memory, then, known):
    tell(memory, TOLD[0])
    memory.tell(then, user="ann", stamp=NOON - 7 * HOUR)
    assert owners(memory) == known


def test_what_was_seen_later_is_meant_only_where_it_was_not_seen_before(memory):
    tell(memory, "The bowl on the desk is mine.", "The laptop on the dining table is Tom's.")
    memory.see("bowl", on="desk", id="bowl1", stamp=NOON - 3 * HOUR)
    memory.see("laptop", on="dining table", id="laptop1", stamp=NOON - 3 * HOUR)
    memory.see("bowl", on="sofa", id="bowl1", stamp=NOON - 2 * HOUR)
    memory.see("bowl", on="desk", id="bowl2", stamp=NOON - 2 * HOUR)
    assert owners(memory) == {"bowl1": "me"}


def test_other_facts_of_the_same_person_stay(memory):
    tell(memory, "The phone is Tom's. My brother is called Tom.")
    assert "Tom" in ask(memory, "What is my brother called?")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where's Bob's laptop?", "I know of no laptop that is Bob's."),
        ("Is my laptop on the sofa?", "No, I know of no laptop that is yours."),
        ("Where is my mobile?", "I know of no mobile that is yours."),
    ],
)
def test_what_is_others_is_no_answer(memory, question, answer):
    tell(memory, "The laptops are Tom's.", "The phone is Tom's.")
    assert ask(memory, question).startswith(answer)


def test_a_name_may_be_that_of_a_sister(memory):
    tell(memory, TOLD[2])
    text = ask(memory, "Where is Eva's mug?")
    assert "dining table" in text
    assert "I don't know which of them is Eva's" in text
    tell(memory, "The phone is my mum's.")
    assert ask(memory, "Where is my mother's phone?").startswith("The phone is on the sofa")


@pytest.mark.parametrize(
    "question",
    [
        "Whose turn is it to do the dishes?",
        "Is the laptop at Tom's?",
        "Is the other laptop Tom's?",
        "Are the laptops Tom's?",
        "Whose laptop did I ask you to move?",
    ],
)
def test_no_owner_is_named_to_other_questions(memory, question):
    tell(memory, "The laptop on the sofa is Tom's.", TOLD[2])
    assert not ask(memory, question).startswith(("Tom's.", "Your sister's."))


def test_who_owned_what_was_there_is_asked_of_then(memory):
    tell(memory, *TOLD)
    memory.see("laptop", on="dining table", id="laptop1", stamp=NOON - 2 * HOUR)
    memory.see("laptop", on="desk", id="laptop2", stamp=NOON - 2 * HOUR)
    assert ask(memory, "Whose laptop was on the desk at 6 o'clock?").startswith("Yours.")
    assert ask(memory, "Whose laptop is on the desk?").startswith("Tom's.")


def test_the_last_word_counts_and_what_is_forgotten_is_over(memory):
    first, *_ = tell(memory, *TOLD)
    memory.tell("The laptop on the desk is Eva's.", user="ann", stamp=NOON - 7 * HOUR)
    assert owners(memory)["laptop1"] == "Eva"
    memory.forget([first])
    assert owners(memory)["laptop1"] == "Eva"


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
