# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_robot import thing

from karma_language.vocabulary import household
from planner_node.ground.names import Grounding
from planner_node.guidance import Guidance
from planner_node.memory import GUIDELINE, Advice, Guideline, Recollection
from planner_node.skills import Node, SkillCall, Target
from planner_node.understand.goals import ALL, Goal, ObjectRef, Predicate
from planner_node.understand.reference import Before
from planner_node.world import World

APPLE = ObjectRef(("Apple",), "apple", entity=1)


@pytest.fixture
def world() -> World:
    world = World(household())
    world.position = (0.0, 0.0, 0.0)
    world.believe(thing("Apple1", (5, 0, 0)), "short_term")
    world.believe(thing("Apple2", (1, 0, 0)), "short_term", "recollection 2")
    world.believe(thing("Apple3", (3, 0, 0), states={"washed": "true"}), "short_term")
    return world


def first(world: World, ref: ObjectRef, index: int = 0) -> str:
    return Grounding(world, household()).candidates(ref, index)[0].id


def test_among_equals_the_nearest_is_meant(world: World) -> None:
    assert first(world, APPLE) == "Apple2"


def test_the_one_in_the_state_asked_for_is_meant(world: World) -> None:
    assert first(world, replace(APPLE, states=frozenset({"clean"}))) == "Apple3"


def test_the_one_where_it_is_said_to_be_is_meant(world: World) -> None:
    world.believe(thing("Fridge1", (9, 9, 0)), "long_term")
    world.believe(thing("Apple1", (9, 9, 0), receptacle="Fridge1", last_seen=2.0), "short_term")
    assert first(world, replace(APPLE, place=ObjectRef(("Fridge",), "fridge"))) == "Apple1"


def test_what_lies_on_a_counter_of_another_room_is_not_there_yet(world: World) -> None:
    world.believe(Node("bathroom/CounterTop1", "CounterTop", position=(9, 9, 0)), "long_term")
    world.believe(thing("Apple1", (9, 9, 0), receptacle="bathroom/CounterTop1", last_seen=2.0), "short_term")
    grounding = Grounding(world, household())
    assert grounding.is_at("Apple1", ObjectRef(("CounterTop",), "counter", room="Bathroom"))
    assert not grounding.is_at("Apple1", ObjectRef(("CounterTop",), "counter", room="Kitchen"))


def test_what_lies_low_and_on_nothing_that_is_known_is_on_the_floor(world: World) -> None:
    world.believe(thing("Box1", (1, 0, 0.2), receptacle="Floor1", relation="on"), "short_term")  # nobody has seen that
    world.believe(thing("Boots1", (2, 0, 0.3)), "short_term")
    world.believe(thing("Book1", (2, 0, 0.4), receptacle="CoffeeTable1", relation="on"), "short_term")
    world.believe(thing("CoffeeTable1", (2, 0, 0.2)), "long_term")
    world.believe(thing("Plate1", (2, 0, 0.9)), "short_term")
    world.believe(thing("Cup1", (2, 0, 0.3), relation="held"), "short_term")
    things, floor = ("Box", "Boots", "Book", "Plate", "Cup"), ObjectRef(("Floor",), "floor")
    grounding = Grounding(world, household())
    there = grounding.candidates(ObjectRef(things, "things", count=ALL, place=floor))
    assert {one.id for one in there} == {"Box1", "Boots1"}
    assert first(world, ObjectRef(("Book", "Boots"), "thing", place=floor)) == "Boots1"


def test_the_floor_of_a_room_is_where_things_lie_in_that_room() -> None:
    world = World(household())
    world.believe(
        Node("bedroom/TeddyBear1", "TeddyBear", position=(1, 0, 0.2), receptacle="bedroom/Floor1"), "short_term"
    )
    world.believe(Node("bedroom", "Bedroom", layer="room"), "long_term")
    world.believe(Node("kitchen", "Kitchen", layer="room"), "long_term")
    grounding = Grounding(world, household())
    assert grounding.is_at("bedroom/TeddyBear1", ObjectRef(("Floor",), "floor", room="bedroom"))
    assert not grounding.is_at("bedroom/TeddyBear1", ObjectRef(("Floor",), "floor", room="kitchen"))


def test_the_clean_red_food_is_the_one_that_was_washed(world: World) -> None:
    world.believe(thing("Tomato1", (9, 0, 0), states={"washed": "true"}), "short_term")
    world.forget("Apple3")
    food = ObjectRef(("Apple", "Tomato"), "food", states=frozenset({"clean"}), entity=2)
    assert first(world, food) == "Tomato1"


def test_what_was_chosen_stays_chosen(world: World) -> None:
    grounding = Grounding(world, household())
    grounding.bind(APPLE, 0, "Apple1")
    assert grounding.candidates(APPLE)[0].id == "Apple1"
    assert [b.id for b in grounding.candidates(APPLE, 1)] == ["Apple2", "Apple3"]


def test_another_one_is_none_that_was_spoken_of(world: World) -> None:
    grounding = Grounding(world, household())
    grounding.bind(APPLE, 0, "Apple2")
    other = replace(APPLE, entity=2, other=True)
    assert "Apple2" not in [b.id for b in grounding.candidates(other)]


def test_another_one_is_none_that_was_dealt_with_before(world: World) -> None:
    calls = tuple(SkillCall("PickupObject", Target(name, "Apple")) for name in ("Apple3", "Apple2"))
    before = Before((Goal(Predicate.HOLD, replace(APPLE, id="Apple2")),), calls)
    grounding, other = Grounding(world, household(), before), replace(APPLE, other=True)
    assert [b.id for b in grounding.candidates(other)] == ["Apple1", "Apple3"]  # 3 was not the last
    assert grounding.candidates(APPLE)[0].id == "Apple2"


def learned(**fields: str) -> Guidance:
    known = Guideline(Advice.AVOID, "I know.", category="Apple", skill="PutObject", confidence=1.0, **fields)
    return Guidance([Recollection(GUIDELINE, "g", "", guideline=known)])


def test_of_places_what_took_such_a_thing_comes_first_and_what_did_not_last(world: World) -> None:
    for number in (1, 2, 3):
        world.believe(thing(f"Drawer{number}", (number, 0, 0)), "long_term")
    drawer = ObjectRef(("Drawer",), "drawer", entity=2)
    guidance = learned(object="Drawer1", instead="Drawer3")
    grounding = Grounding(world, household(), guidance=guidance)
    assert [b.id for b in grounding.candidates(drawer)] == ["Drawer1", "Drawer2", "Drawer3"]
    grounding.goal = Goal(Predicate.PLACE, APPLE, drawer)
    assert [b.id for b in grounding.candidates(drawer)] == ["Drawer3", "Drawer2", "Drawer1"]
    assert list(guidance.used) == ["g"]
    grounding.goal = Goal(Predicate.PLACE, ObjectRef(("Fork",), "fork"), drawer)
    assert grounding.candidates(drawer)[0].id == "Drawer1"


def test_of_kinds_of_places_that_a_word_means_the_one_that_took_it_comes_first(world: World) -> None:
    world.believe(thing("Shelf1", (1, 0, 0)), "long_term")
    world.believe(thing("Cabinet1", (9, 0, 0)), "long_term")
    either = ObjectRef(("Shelf", "Cabinet"), "cupboard", entity=2)
    shelf = replace(either, categories=("Shelf",))
    guidance = learned(receptacle="Shelf", instead="Cabinet")
    grounding = Grounding(world, household(), guidance=guidance)
    grounding.goal = Goal(Predicate.PLACE, APPLE, either)
    assert grounding.candidates(either)[0].id == "Cabinet1"
    named = learned(receptacle="Shelf", instead="Cabinet")
    grounding = Grounding(world, household(), guidance=named)
    grounding.goal = Goal(Predicate.PLACE, APPLE, shelf)
    assert grounding.candidates(shelf)[0].id == "Shelf1"  # it was named: that is done, and what is known is said
    assert (list(named.used), named.notes) == ([], ["I know."])


def test_an_id_in_the_instruction_is_decisive(world: World) -> None:
    assert first(world, replace(APPLE, id="Apple1")) == "Apple1"


def test_a_place_that_is_named_by_its_id_is_no_other_of_its_kind(world: World) -> None:
    world.believe(thing("Plate1"), "short_term")
    world.believe(thing("Plate2"), "short_term")
    world.believe(thing("Bread1", receptacle="Plate2", relation="on"), "short_term")
    grounding, plate = Grounding(world, household()), ObjectRef(("Plate",), "plate", entity=2)
    assert grounding.is_at("Bread1", plate)
    assert grounding.is_at("Bread1", replace(plate, id="Plate2"))
    assert not grounding.is_at("Bread1", replace(plate, id="Plate1"))


def test_a_choice_that_rests_on_a_recollection_is_reported(world: World) -> None:
    grounding = Grounding(world, household())
    grounding.bind(APPLE, 0, "Apple2")
    assert list(grounding.used) == ["recollection 2"]


def test_slices_stand_for_what_was_sliced(world: World) -> None:
    grounding = Grounding(world, household())
    grounding.bind(APPLE, 0, "Apple1")
    grounding.replace("Apple1", ["Apple1|AppleSliced_0", "Apple1|AppleSliced_1"])
    assert grounding.bound(APPLE) == "Apple1|AppleSliced_0"


def test_where_a_described_thing_is_said_to_be_beats_what_is_likelier(world: World) -> None:
    world.believe(thing("Sofa1", (9, 9, 0)), "long_term")
    world.believe(thing("Newspaper1", (9, 9, 0), receptacle="Sofa1"), "short_term")
    world.believe(thing("Book1", (1, 1, 0)), "short_term")
    on_sofa = ObjectRef(("Sofa",), "sofa", entity=3)
    described = ObjectRef(("Book",), "something to read", ("Newspaper",), entity=2, margin=0.1, place=on_sofa)
    assert first(world, described) == "Newspaper1"
    assert first(world, replace(described, place=None)) == "Book1"
    assert first(world, replace(described, margin=1.0)) == "Book1"  # named: a book it is
    world.believe(thing("Book2", (9, 9, 0), receptacle="Sofa1"), "short_term")
    assert first(world, described) == "Book2"


def test_of_what_only_its_state_tells_apart_the_first_choice_is_meant_all_the_way(world: World) -> None:
    cold = {"temperature": "Cold"}
    world.believe(thing("Egg1", (5, 0, 0), states=cold), "long_term")
    world.believe(thing("Tomato1", (3, 0, 0), states=cold), "long_term")
    grounding = Grounding(world, household())
    food = ObjectRef(("Egg", "Tomato"), "food", states=frozenset({"cold"}), entity=4)
    assert grounding.candidates(food)[0].id == "Tomato1"
    world.position = (5.0, 0.0, 0.0)  # the way leads past the egg
    assert grounding.candidates(food)[0].id == "Tomato1"
    assert first(world, food) == "Egg1"  # in the next instruction
