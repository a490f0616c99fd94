# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where things probably are: memory over the lexicon, and the order in which to look."""

from __future__ import annotations

import math

import pytest
from household_robot import DictMemory, HouseholdRobot
from hypothesis import given
from hypothesis import strategies as st
from scripted_robot import thing

from karma_language.vocabulary import household
from planner_node.memory import Likely, Recall, Recollection
from planner_node.plan.likelihood import by_rate, probabilities, rate
from planner_node.plan.search import LOOK, PEEK, worth_opening_before_looking_around
from planner_node.planner import Instruction, Planner
from planner_node.skills import Code, Node
from planner_node.understand.expectations import Expectation, expectation
from planner_node.understand.hearing import Hearing
from planner_node.world import World
from sim_bridge.household.backend import HouseholdBackend

FURNITURE = ("CounterTop1", "Drawer1", "Drawer2", "Fridge1", "Bed1")


@pytest.fixture
def home() -> World:
    world = World(household())
    for x, name in enumerate(FURNITURE):
        world.believe(thing(name, (float(x), 0.0, 1.0)), "long_term")
    world.position = (0.0, 0.0, 0.0)
    return world


@given(st.dictionaries(st.sampled_from(FURNITURE), st.floats(0.0, 0.2)), st.floats(0.0, 50.0))
def test_probabilities_sum_to_one(places, sightings):
    world = World(household())
    for name in FURNITURE:
        world.believe(thing(name), "long_term")
    found = probabilities(world, household(), ["Spoon"], Expectation(places, sightings))
    assert set(found) == set(FURNITURE)
    assert math.isclose(sum(found.values()), 1.0)


def test_without_sightings_the_lexicon_says_where_things_are(home):
    usual = probabilities(home, household(), ["Spoon"])
    assert max(usual, key=usual.get) == "CounterTop1"
    assert usual["Drawer1"] == usual["Drawer2"] > usual["Bed1"]
    assert probabilities(home, household(), ["Spoon"], Expectation({"Bed1": 0.9}, 0.0)) == usual


def test_each_sighting_counts_against_the_lexicon(home):
    # N = 1 sighting over a prior worth one: half memory, half lexicon; N = 3: three quarters.
    usual = probabilities(home, household(), ["Spoon"])["Bed1"]
    for sightings, share in ((1.0, 0.5), (3.0, 0.75)):
        found = probabilities(home, household(), ["Spoon"], Expectation({"Bed1": 0.8}, sightings))
        assert found["Bed1"] == pytest.approx(share * 0.8 + (1 - share) * usual)


def test_a_place_that_is_no_more_says_nothing(home):
    usual = probabilities(home, household(), ["Spoon"])
    assert probabilities(home, household(), ["Spoon"], Expectation({"Sofa1": 0.9}, 3.0)) == pytest.approx(usual)


def test_what_promises_most_for_its_way_is_looked_at_first(home):
    places = [home.get(name) for name in ("Drawer1", "Drawer2", "Bed1")]
    start = (0.0, 0.0, 1.0)
    # Bed1 is 4 m away: 0.5 / (4 + 2) = 0.083 against 0.2 / (1 + 2) = 0.067 and 0.3 / (2 + 2) = 0.075.
    order = by_rate(places, {"Drawer1": 0.2, "Drawer2": 0.3, "Bed1": 0.5}, start, LOOK)
    assert [belief.id for belief in order] == ["Bed1", "Drawer2", "Drawer1"]
    assert rate(0.5, (4.0, 0.0, 1.0), start, LOOK) == pytest.approx(0.5 / 6)


def test_a_drawer_that_promises_more_than_the_rooms_is_opened_first(home):
    for k in range(2):
        home.believe(Node(f"area {k}", "Area", "area", position=(4.0 * k, 0.0, 0.0)), "long_term")
    drawers = [home.get("Drawer1"), home.get("Drawer2")]

    def first(probability: dict[str, float], seen: float = 0.0) -> list[str]:
        return [b.id for b in worth_opening_before_looking_around(home, drawers, probability, seen=seen)]

    assert first({"Drawer1": 0.02, "Drawer2": 0.9, "CounterTop1": 0.08}) == ["Drawer2"]
    assert first({"Drawer1": 0.1, "Drawer2": 0.1, "CounterTop1": 0.8}) == []
    assert first({"Drawer1": 0.1, "Drawer2": 0.2, "CounterTop1": 0.7}, seen=0.99) == ["Drawer2", "Drawer1"]
    assert PEEK > LOOK


def test_an_expectation_is_what_a_recall_says_of_places():
    recall = [
        Recollection("long_term", "1", "", object=thing("Drawer1"), likely=Likely(0.6, 2.5)),
        Recollection("long_term", "2", "", object=thing("Apple1")),
    ]
    assert expectation(recall) == Expectation({"Drawer1": 0.6}, 2.5)
    assert not expectation(recall[1:])


class Knowing(DictMemory):
    """Knows the furniture, and that what is asked for is probably in one place."""

    def __init__(self, furniture: list[Node], place: str) -> None:
        super().__init__(furniture)
        self.place = place
        self.asked: list[str] = []

    def recall(self, query: str, *args: object, **kwargs: object) -> Recall:
        self.asked.append(query)
        if not query.startswith("where is"):
            return Recall()
        return Recall((Recollection("long_term", "p", "", object=self.furniture[self.place], likely=Likely(0.9, 5.0)),))


def looked_into(place_of: str, *, ignore_memory: bool = False) -> tuple[list[str], Knowing]:
    """Have a robot that knows the furniture only bring something; return what it opened."""
    backend = HouseholdBackend("FloorPlan1")
    robot = HouseholdRobot(backend)
    world = backend.world
    (spatula,) = world.of_category("Spatula")
    cabinet = sorted(n for n in world.of_category("Cabinet"))[-1]
    backend.move_object(spatula, cabinet)
    furniture = [
        Node(s.id, s.category, position=s.center, size=s.size, states=dict(s.states))
        for s in backend.ground_truth()
        if not s.movable
    ]
    memory = Knowing(furniture, cabinet if place_of == "right" else sorted(world.of_category("Fridge"))[0])
    planner = Planner(robot, memory, Hearing(household()), household())
    report = planner.run(Instruction("Bring me the spatula.", ignore_memory=ignore_memory))
    if place_of == "right" and not ignore_memory:
        assert report.code is Code.SUCCESS, report.message
        assert report.outcomes[0].call.target.id == cabinet
    return [call.target.id for call in robot.calls if call.skill == "OpenObject"], memory


def test_memory_says_where_to_look_first():
    opened, memory = looked_into("right")
    assert opened == [memory.place]
    assert "where is the spatula?" in memory.asked


def test_where_memory_is_wrong_the_search_goes_on():
    opened, memory = looked_into("wrong")
    assert opened[0] == memory.place
    assert len(opened) > 1


def test_nobody_is_asked_where_memory_is_ignored():
    _, memory = looked_into("right", ignore_memory=True)
    assert not memory.asked
