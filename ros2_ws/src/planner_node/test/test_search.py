# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from scripted_robot import thing

from karma_language.vocabulary import household
from planner_node.plan.search import likely_closed, likely_open, ordered_areas, usually_inside
from planner_node.skills import Node
from planner_node.world import World


@pytest.fixture
def home() -> World:
    """A bedroom at x < 0 and a kitchen at x > 0, two areas in each."""
    world = World(household())
    for name, category, x in (("kitchen", "Kitchen", 5.0), ("bedroom", "Bedroom", -5.0)):
        world.believe(Node(name, category, "room", position=(x, 0, 1), size=(8, 8, 2.5)), "long_term")
        for k in (1, 4):
            position = (k * x / 5, 0.0, 0.0)
            world.believe(Node(f"{name} {k}", "Area", "area", parent=name, position=position), "long_term")
    world.position = (-5.0, 0.0, 0.0)
    return world


def test_likely_rooms_are_searched_first_whatever_is_near(home: World) -> None:
    assert [x > 0 for x, _, _ in ordered_areas(home, household(), ["Apple"])] == [True, True, False, False]
    assert [x > 0 for x, _, _ in ordered_areas(home, household(), ["AlarmClock"])] == [False, False, True, True]


def test_areas_with_likely_furniture_come_first_within_a_room(home: World) -> None:
    home.believe(thing("CounterTop1", (4.2, 0.5, 1.0)), "long_term")
    assert ordered_areas(home, household(), ["Apple"])[0] == (4.0, 0.0, 0.0)


def test_an_area_beside_another_one_is_looked_from_last(home: World) -> None:
    for k, x in enumerate((1.5, 3.5)):
        home.believe(Node(f"kitchen more {k}", "Area", "area", parent="kitchen", position=(x, 0.0, 0.0)), "long_term")
    order = [x for x, _, _ in ordered_areas(home, household(), ["Apple"])]
    assert order == [1.0, 3.5, -1.0, -4.0, 1.5, 4.0]


def test_a_room_that_was_named_is_the_only_one_searched(home: World) -> None:
    assert [x for x, _, _ in ordered_areas(home, household(), ["Apple"], "Bedroom")] == [-4.0, -1.0]


def test_without_areas_there_is_nowhere_to_begin() -> None:
    assert ordered_areas(World(household()), household(), ["Apple"]) == []


def test_closed_receptacles_are_ordered_by_how_likely_they_hold_it(home: World) -> None:
    for name, x in (("Drawer1", -4.0), ("Cabinet1", 1.0), ("Fridge1", 8.0), ("Box1", 2.0)):
        home.believe(thing(name, (x, 0, 1)), "long_term")
    home.believe(thing("Cabinet2", (1, 0, 1), states={"isOpen": "true"}), "long_term")
    names = [b.id for b in likely_closed(home, household(), ["Egg"], [])]
    assert names[0] == "Fridge1"
    assert names[-1] == "Drawer1"  # in the bedroom, where no eggs are
    assert "Cabinet2" not in names
    assert "Box1" not in names  # what can be carried is not looked into
    assert "Fridge1" not in [b.id for b in likely_closed(home, household(), ["Egg"], ["Fridge1"])]


def test_open_furniture_is_looked_at_closely_likeliest_first(home: World) -> None:
    for name, x in (("SinkBasin1", 1.0), ("CounterTop1", 8.0), ("CounterTop2", 2.0), ("Bed1", -4.0), ("Fridge1", 3.0)):
        home.believe(thing(name, (x, 0, 1)), "long_term")
    names = [b.id for b in likely_open(home, household(), ["Apple"], ["CounterTop1"])]
    assert names == ["CounterTop2", "SinkBasin1"]


def test_eggs_are_usually_in_the_fridge_and_apples_in_the_open() -> None:
    assert usually_inside(household(), ["Egg"]) == ("Fridge",)
    assert usually_inside(household(), ["Apple"]) == ()
