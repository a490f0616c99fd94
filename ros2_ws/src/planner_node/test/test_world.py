# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_robot import thing

from karma_language.vocabulary import household
from planner_node.skills import Code, Node, Outcome, SkillCall, Target
from planner_node.whereabouts import in_nouns, whereabouts
from planner_node.world import SEEN, World


@pytest.fixture
def world() -> World:
    return World(household())


def done(skill: str, target: str = "", *seen: Node, receptacle: str = "", stamp: float = 1.0) -> Outcome:
    return Outcome(SkillCall(skill, Target(target), Target(receptacle)), Code.SUCCESS, seen=seen, stamp=stamp)


def test_what_is_seen_prevails_over_what_is_remembered(world: World) -> None:
    world.apply(done("Explore", "", thing("Apple1", (1, 0, 0))))
    world.believe(thing("Apple1", (5, 5, 5), last_seen=100.0), "short_term")
    belief = world.get("Apple1")
    assert belief is not None
    assert (belief.source, belief.node.position) == (SEEN, (1, 0, 0))


def test_the_newer_of_two_memories_prevails_and_states_add_up(world: World) -> None:
    world.believe(thing("Mug1", (1, 0, 0), last_seen=5.0, states={"isDirty": "true"}), "long_term")
    world.believe(thing("Mug1", (2, 0, 0), last_seen=9.0, states={"temperature": "Hot"}), "short_term")
    world.believe(thing("Mug1", (3, 0, 0), last_seen=2.0), "episodic")
    belief = world.get("Mug1")
    assert belief is not None
    assert belief.node.position == (2, 0, 0)
    assert belief.node.states == {"isDirty": "true", "temperature": "Hot"}


def test_the_same_object_under_another_id_is_not_two(world: World) -> None:
    world.believe(thing("Apple17", (1.0, 1.0, 1.0)), "long_term")
    world.apply(done("Explore", "", Node("Apple|+01.00", "Apple", position=(1.1, 1.0, 1.0))))
    assert [b.id for b in world.of(["Apple"])] == ["Apple|+01.00"]


def test_picking_up_and_putting_down_moves_the_object(world: World) -> None:
    world.believe(thing("Apple1", receptacle="Table1"), "short_term")
    world.believe(thing("Bowl1", (4, 4, 1)), "short_term")
    world.apply(done("PickupObject", "Apple1"))
    assert world.held == "Apple1"
    world.apply(done("PutObject", receptacle="Bowl1"))
    belief = world.get("Apple1")
    assert belief is not None
    assert world.held == ""
    assert (belief.node.receptacle, belief.node.relation, belief.node.position) == ("Bowl1", "in", (4, 4, 1))
    assert list(world.changed) == ["Apple1"]


def test_water_from_the_tap_washes_what_is_in_the_basin_below(world: World) -> None:
    world.believe(thing("SinkBasin1", (0, 0, 1)), "long_term")
    world.believe(thing("SinkBasin2", (3, 0, 1)), "long_term")
    world.believe(thing("Faucet1", (0.2, 0.2, 1.2)), "long_term")
    world.believe(thing("Apple1", receptacle="SinkBasin1"), "short_term")
    world.believe(thing("Mug1", receptacle="SinkBasin2"), "short_term")
    assert not world.has("Apple1", "clean")
    world.apply(done("ToggleOn", "Faucet1"))
    assert world.has("Apple1", "clean")
    assert not world.has("Mug1", "clean")


def test_a_dish_that_merely_looks_clean_was_not_washed(world: World) -> None:
    world.believe(thing("Mug1", states={"isDirty": "false"}), "short_term")
    assert not world.has("Mug1", "clean")
    world.believe(thing("Mug1", states={"isDirty": "false", "washed": "true"}, last_seen=1.0), "short_term")
    assert world.has("Mug1", "clean")


def test_the_microwave_heats_and_the_fridge_cools(world: World) -> None:
    for name in ("Microwave1", "Fridge1"):
        world.believe(thing(name), "long_term")
    world.believe(thing("Egg1", receptacle="Microwave1"), "short_term")
    world.apply(done("ToggleOn", "Microwave1"))
    assert world.has("Egg1", "hot")
    world.apply(done("PickupObject", "Egg1"))
    world.apply(done("PutObject", receptacle="Fridge1"))
    assert world.has("Egg1", "cold")
    assert not world.has("Egg1", "hot")


def test_what_can_be_cooked_is_cooked_once_it_was_heated(world: World) -> None:
    world.believe(thing("Microwave1"), "long_term")
    world.believe(thing("Potato1", receptacle="Microwave1", states={"isCooked": "false"}), "short_term")
    world.believe(thing("Mug1", receptacle="Microwave1"), "short_term")
    world.apply(done("ToggleOn", "Microwave1"))
    states = [belief.node.states for name in ("Potato1", "Mug1") if (belief := world.get(name)) is not None]
    assert states == [{"isCooked": "true", "temperature": "Hot"}, {"temperature": "Hot"}]


def test_a_washed_knife_is_not_clean_any_more_once_it_has_cut_something(world: World) -> None:
    world.believe(thing("Knife1", states={"washed": "true"}), "short_term")
    world.believe(thing("Potato1"), "short_term")
    world.apply(done("PickupObject", "Knife1"))
    assert world.has("Knife1", "clean")
    world.apply(done("SliceObject", "Potato1", thing("Potato1|PotatoSliced_0")))
    assert not world.has("Knife1", "clean")


def test_slices_take_the_place_of_the_whole_and_stay_clean(world: World) -> None:
    world.believe(thing("Tomato1", states={"washed": "true"}), "short_term")
    world.apply(done("SliceObject", "Tomato1", Node("Tomato1|TomatoSliced_0", "TomatoSliced", position=(1, 1, 1))))
    assert world.get("Tomato1") is None
    assert world.has("Tomato1|TomatoSliced_0", "sliced")
    assert world.has("Tomato1|TomatoSliced_0", "clean")
    assert list(world.gone) == ["Tomato1"]


def test_a_failed_skill_changes_nothing_but_shows_what_was_seen(world: World) -> None:
    world.believe(thing("Fridge1"), "long_term")
    call = SkillCall("OpenObject", Target("Fridge1"))
    world.apply(Outcome(call, Code.EXECUTION_FAILURE, seen=(thing("Egg1"),)))
    assert world.is_open("Fridge1") is None
    assert world.get("Egg1") is not None


def test_a_closed_receptacle_hides_until_it_is_opened(world: World) -> None:
    world.believe(thing("Fridge1"), "long_term")
    world.believe(thing("Egg1", receptacle="Fridge1"), "short_term")
    assert world.closed_around("Egg1") == "Fridge1"
    world.apply(done("OpenObject", "Fridge1"))
    assert world.closed_around("Egg1") == ""


def test_of_doors_around_one_another_the_outermost_closed_one_is_in_the_way(world: World) -> None:
    for node in (thing("Cabinet1"), thing("Box1", receptacle="Cabinet1"), thing("Cup1", receptacle="Box1")):
        world.believe(node, "short_term")
    world.believe(thing("Pen1", receptacle="Cup1"), "short_term")
    assert list(world.around("Pen1")) == ["Cup1", "Box1", "Cabinet1"]
    assert world.closed_around("Pen1") == "Cabinet1"
    world.apply(done("OpenObject", "Cabinet1"))
    assert world.closed_around("Pen1") == "Box1"


def test_a_cycle_of_receptacles_ends(world: World) -> None:
    world.believe(thing("Bowl1", receptacle="Cup1"), "short_term")
    world.believe(thing("Cup1", receptacle="Bowl1"), "short_term")
    assert world.closed_around("Bowl1") == ""


@pytest.mark.parametrize(
    ("node", "sentence"),
    [
        (
            thing("Mug1", receptacle="CounterTop1", relation="on"),
            "The mug is on the counter, in the living room.",
        ),
        (thing("Mug1", (9, 9, 1), receptacle="Fridge1", relation="in"), "The mug is in the fridge."),
        (thing("Mug1", (9, 9, 1)), "The mug is at (9.0, 9.0) m on the map."),
        (Node("Mug1", "Mug"), "I found the mug."),
    ],
)
def test_where_something_is_is_said_as_far_as_it_is_known(world: World, node: Node, sentence: str) -> None:
    world.believe(Node("room", "LivingRoom", "room", position=(0, 0, 1), size=(4, 4, 2.5)), "long_term")
    for other in (thing("CounterTop1"), thing("Fridge1"), node):
        world.believe(other, "long_term")
    assert whereabouts("Mug1", world, household()) == sentence
    world.held = "Mug1"
    assert whereabouts("Mug1", world, household()) == "I hold the mug."


def test_the_room_of_an_object_follows_its_area_its_id_or_its_place(world: World) -> None:
    world.believe(Node("kitchen", "Kitchen", "room", position=(0, 0, 1), size=(4, 4, 2.5)), "long_term")
    world.believe(Node("a1", "Area", "area", parent="kitchen", position=(9, 9, 0)), "long_term")
    for node in (
        Node("Apple1", "Apple", parent="a1", position=(50, 50, 1)),
        Node("kitchen/Apple|1", "Apple", position=(50, 50, 1)),
        Node("Apple2", "Apple", position=(1, 1, 1)),
    ):
        room = world.room_of(node)
        assert room is not None, node
        assert room.id == "kitchen"
    assert world.room_of(Node("Apple3", "Apple", position=(50, 50, 1))) is None


def test_what_people_read_has_nouns_and_no_ids() -> None:
    known = World(household())
    for kind, name in (("Mug1", "Mug|1|2"), ("Mug2", "Mug|1|22"), ("SideTable1", "SideTable|+00.1|-3")):
        known.believe(replace(thing(kind), id=name), SEEN)
    told = "no spot for Mug|1|22 on SideTable|+00.1|-3: Mug|1|2 is there, Mug|1|222 is not known"
    said = "no spot for the mug on the side table: the mug is there, Mug|1|222 is not known"
    assert in_nouns(told, known, household()) == said
    assert in_nouns(told, World(household()), household()) == told


@pytest.mark.parametrize(
    ("rooms", "said", "meant"),
    [
        (("bedroom", "guest_room"), "guest room", ["guest_room"]),
        (("bedroom", "guest_room"), "spare room", ["guest_room"]),
        (("bedroom", "guest_room"), "bedroom", ["bedroom"]),
        (("bedroom_1", "bedroom_2", "guest_room"), "bed room", ["bedroom_1", "bedroom_2"]),
        (("bedroom",), "guest room", ["bedroom"]),
        (("bedroom", "kitchen"), "lounge", []),
    ],
)
def test_a_room_is_meant_by_its_name_or_else_by_its_kind(rooms: tuple[str, ...], said: str, meant: list[str]) -> None:
    world = World(household())
    for name in rooms:
        world.believe(Node(name, "Kitchen" if name == "kitchen" else "Bedroom", "room", name), "scene graph")
    pillows = [Node(f"{name}/Pillow|1", "Pillow", parent=name) for name in rooms]
    assert [room.id for room in world.rooms_called(said)] == meant
    assert [pillow.parent for pillow in pillows if world.is_in(pillow, said)] == meant
