# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was told is tied to the things that the robot handled for it."""

import json

import pytest
from heard import live
from hypothesis import given, settings
from hypothesis import strategies as st

from karma_memory import Code, Event, EventKind, SkillCall, SkillOutcome, SkillTarget
from karma_memory.encoding import dumps
from karma_memory.profile.graph import INSTANCE, NodeType
from karma_memory.profile.projected import ProfileMemory
from karma_memory.recall.index import HybridIndex
from karma_memory.scene import Layer, Node

BREAKFAST = "Put the blue mug on the coffee table and the bread on the plate. That's my usual breakfast."
CUP = "Put the cup in the cabinet. It is my favorite cup."


class Home:
    """Writes down what happens, and lives through it."""

    def __init__(self):
        self.events = []
        self.memory = ProfileMemory(HybridIndex())

    def happen(self, kind, episode, user, text="", **details):
        number = len(self.events) + 1
        details = {"scene": "flat", "user": user, "episode": episode, "text": text, **details}
        self.events.append(Event(f"e{number}", kind, float(number), **details))
        live(self.memory, self.events[-1])

    def ask(self, episode, text, user="ada"):
        self.happen(EventKind.EPISODE_START, episode, user, text)

    def tell(self, text, user="ada", kind=EventKind.TOLD, episode="told"):
        self.happen(kind, episode, user, text)

    def move(self, episode, thing, place, user="ada", code=Code.SUCCESS):
        self.skill(episode, SkillCall("PickupObject", SkillTarget(thing)), node(thing, relation="held"), user, code)
        call = SkillCall("PutObject", receptacle=SkillTarget(place, category(place)))
        self.skill(episode, call, node(thing, receptacle=place, relation="on"), user, code)

    def skill(self, episode, call, seen, user="ada", code=Code.SUCCESS):
        self.happen(EventKind.SKILL_OUTCOME, episode, user, outcome=SkillOutcome(call, code), nodes=(seen,))

    def known(self, name, memory=None):
        records = (memory or self.memory)._index.records.values()
        (found,) = [record.knowledge for record in records if record.knowledge.name == name]
        return found

    def restored(self):
        again = ProfileMemory(HybridIndex())
        again.restore(json.loads(dumps(self.memory.snapshot())))
        return again


def category(name):
    return name.partition("|")[0]


def node(name, **fields):
    return Node(name, Layer.OBJECT, category(name), **fields)


def test_a_thing_that_means_something_is_the_one_that_was_put_away():
    home = Home()
    home.ask("one", CUP)
    home.move("one", "Cup|7", "Cabinet|2")
    found = home.known("my favorite cup")
    assert (found.objects, found.object_ids, found.place_ids) == (("cup",), ("Cup|7",), ("Cabinet|2",))
    assert found.told == CUP
    (one,) = home.memory.profiles.graph.of_user("ada", NodeType.OBJECT)
    assert (one.name, one.instance, one.granularity) == ("cup", "Cup|7", INSTANCE)


def test_of_a_habit_all_that_was_put_somewhere_and_spoken_of_belongs_to_it_in_order():
    home = Home()
    home.ask("one", BREAKFAST)
    home.move("one", "Fork|1", "Drawer|1")  # was in the way
    home.move("one", "Mug|1", "CoffeeTable|1")
    home.move("one", "Bread|1", "Plate|1")
    found = home.known("my usual breakfast")
    assert found.subtype == "user_pattern"
    assert found.object_ids == ("Mug|1", "Bread|1")
    assert found.place_ids == ("CoffeeTable|1", "Plate|1")


def test_the_last_place_counts_and_what_failed_does_not():
    home = Home()
    home.ask("one", "Wash the apple and put it in the bowl. This is my afternoon snack.")
    home.move("one", "Apple|2", "SinkBasin|1", code=Code.EXECUTION_FAILURE)
    home.move("one", "Apple|1", "SinkBasin|1")
    home.move("one", "Apple|1", "Bowl|1")
    found = home.known("my afternoon snack")
    assert (found.object_ids, found.place_ids) == (("Apple|1",), ("Bowl|1",))


def test_a_group_is_all_of_its_things():
    home = Home()
    home.ask("one", "Put the teddy bear and the ball on the shelf. They are my favorite toys.")
    home.move("one", "TeddyBear|1", "Shelf|1")
    home.move("one", "BasketBall|1", "Shelf|1")
    assert home.known("my favorite toys").object_ids == ("TeddyBear|1", "BasketBall|1")


@pytest.mark.parametrize("kind", [EventKind.TOLD, EventKind.FEEDBACK])
def test_said_afterwards_it_is_said_of_what_was_done_before(kind):
    home = Home()
    home.ask("one", "Put the vase on the shelf.")
    home.move("one", "Vase|3", "Shelf|1")
    home.tell("It's a gift from my grandma.", kind=kind, episode="one" if kind is EventKind.FEEDBACK else "two")
    found = home.known("a gift from my grandma")
    assert (found.object_ids, found.told) == (("Vase|3",), "Put the vase on the shelf. It's a gift from my grandma.")


def test_what_another_person_had_done_is_not_meant():
    home = Home()
    home.ask("one", "Put the vase on the shelf.", user="bob")
    home.move("one", "Vase|3", "Shelf|1", user="bob")
    home.tell("It's a gift from my grandma.", user="ada")
    assert home.known("a gift from my grandma").object_ids == ("",)
    home.ask("two", CUP)
    home.move("two", "Cup|1", "Cabinet|1", user="bob")  # somebody else's word for it
    home.move("three", "Cup|2", "Cabinet|1")  # of another instruction
    assert home.known("my favorite cup").object_ids == ("",)


def test_a_thing_that_is_told_of_later_is_the_known_one():
    home = Home()
    home.ask("one", BREAKFAST)
    home.move("one", "Mug|1", "CoffeeTable|1")
    home.tell("The blue mug is mine.")
    assert home.known("my mug").object_ids == ("Mug|1",)
    home.tell("My favorite book is the red one.")
    assert (home.known("my favorite book").objects, home.known("my favorite book").object_ids) == (("red book",), ("",))


def test_two_things_of_the_same_name_are_two():
    home = Home()
    home.ask("one", CUP)
    home.move("one", "Cup|7", "Cabinet|2")
    home.ask("two", "Put the cup on the desk. It was a present from my aunt.")
    home.move("two", "Cup|8", "Desk|1")
    assert home.known("my favorite cup").object_ids == ("Cup|7",)
    assert home.known("a present from my aunt").object_ids == ("Cup|8",)


def test_forgetting_the_instruction_forgets_what_it_was_about():
    home = Home()
    home.ask("one", "Put the vase on the shelf.")
    home.move("one", "Vase|3", "Shelf|1")
    home.happen(EventKind.EDIT, "", "ada", target="episodic:one", scene="")
    assert "ase" not in dumps(home.memory.snapshot())


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_restored_anywhere_it_goes_on_as_if_lived_through(data):
    home = Home()
    for number in range(data.draw(st.integers(1, 4))):
        user, text = data.draw(st.sampled_from(("ada", "bob"))), data.draw(st.sampled_from((BREAKFAST, CUP)))
        home.ask(f"t{number}", text, user)
        for _ in range(data.draw(st.integers(0, 3))):
            thing = data.draw(st.sampled_from(("Mug|1", "Mug|2", "Cup|1", "Cup|2", "Bread|1")))
            home.move(f"t{number}", thing, data.draw(st.sampled_from(("CoffeeTable|1", "Plate|1", "Cabinet|1"))), user)
        if data.draw(st.booleans()):
            home.tell("It is my lucky mug.", user)
    at = data.draw(st.integers(0, len(home.events)))
    before = Home()
    for event in home.events[:at]:
        live(before.memory, event)
    again = before.restored()
    for event in home.events[at:]:
        live(again, event)
    assert dumps(again.snapshot()) == dumps(home.memory.snapshot())
    assert dict(again._index.records) == dict(home.memory._index.records)


def test_a_remark_that_is_told_as_well_stays_tied_to_what_its_instruction_did():
    home = Home()
    home.ask("one", "Put the cup in the cabinet. My favorite cup is blue.")
    home.tell("My favorite cup is blue.", episode="one")
    home.move("one", "Cup|3", "Cabinet|1")
    (known,) = [record.knowledge for record in home.memory._index.records.values()]
    assert known.object_ids == ("Cup|3",)
    assert known.told == "Put the cup in the cabinet. My favorite cup is blue."
