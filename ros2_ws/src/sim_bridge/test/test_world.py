# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from sim_bridge.household.model import Box, ObjectSpec, Room, Scene
from sim_bridge.household.world import World


def spec(name: str, *can: str, parent: str = "", controls: tuple[str, ...] = (), **states: bool) -> ObjectSpec:
    box = Box((0.0, 0.0, 1.0), (0.1, 0.1, 0.1))
    return ObjectSpec(name, name.split("|")[0], box, 0.0, "r", frozenset(can), states, parent, controls)


@pytest.fixture
def world() -> World:
    objects = (
        spec("Cabinet|1", "openable", "receptacle", isOpen=False),
        spec("Box|1", "openable", "receptacle", "pickupable", parent="Cabinet|1", isOpen=False),
        spec("Plate|1", "receptacle", "pickupable", parent="Box|1"),
        spec("Apple|1", "pickupable", parent="Plate|1"),
        spec("StoveKnob|1", "toggleable", controls=("StoveBurner|1",), isToggled=True),
        spec("StoveBurner|1", "receptacle"),
    )
    room = Room("r", "Kitchen", "FloorPlan1", 0, (-1.0, -1.0), (1.0, 1.0))
    return World(Scene("test", (room,), (), objects, {(0, 0, 0): "r"}, (0, 0, 0)))


def test_contents_and_ancestors_go_all_the_way(world: World) -> None:
    assert world.contents("Cabinet|1") == ("Box|1", "Plate|1", "Apple|1")
    assert list(world.ancestors("Apple|1")) == ["Plate|1", "Box|1", "Cabinet|1"]


def test_the_outermost_closed_receptacle_is_the_one_to_open_first(world: World) -> None:
    assert world.closed_around("Apple|1") == "Cabinet|1"
    world.set_state("Cabinet|1", "isOpen", True)
    assert world.closed_around("Apple|1") == "Box|1"
    world.set_state("Box|1", "isOpen", True)
    assert world.closed_around("Apple|1") == ""


def test_what_is_held_takes_along_what_rests_on_it(world: World) -> None:
    world.hold("Plate|1")
    assert world.is_held("Apple|1")
    assert world.children("Box|1") == ()
    with pytest.raises(ValueError, match="already holds"):
        world.hold("Box|1")
    world.place("Plate|1", "StoveBurner|1", Box((2.0, 3.0, 1.5), (0.1, 0.1, 0.1)))
    assert world.held == ""
    assert world.boxes["Apple|1"].center == pytest.approx((2.0, 3.0, 1.5))


def test_nothing_is_put_into_itself(world: World) -> None:
    with pytest.raises(ValueError, match="into itself"):
        world.place("Box|1", "Plate|1", world.boxes["Plate|1"])


def test_what_a_thing_held_is_left_where_it_was_when_the_thing_is_gone(world: World) -> None:
    world.remove("Plate|1")
    assert world.parents["Apple|1"] == "Box|1"
    assert "Apple|1" in world.children("Box|1")
    assert "Plate|1" in world.gone


def test_every_change_raises_the_version(world: World) -> None:
    versions = [world.version]
    for change in (
        lambda: world.set_state("Cabinet|1", "isOpen", True),
        lambda: world.hold("Apple|1"),
        lambda: world.set_temperature("Apple|1", "Hot"),
        lambda: world.fill("Plate|1", "water"),
        lambda: world.remove("Plate|1"),
    ):
        change()
        versions.append(world.version)
    assert versions == sorted(set(versions))


def test_a_burner_is_as_its_knob_is(world: World) -> None:
    assert world.visible_states("StoveBurner|1")["isToggled"] == "true"


def test_only_states_that_apply_are_reported(world: World) -> None:
    assert world.visible_states("Cabinet|1") == {"isOpen": "false"}
    assert world.visible_states("Apple|1") == {"temperature": "RoomTemp"}


def test_categories_are_found_whatever_their_case(world: World) -> None:
    assert list(world.of_category("apple")) == ["Apple|1"]
