# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where something most likely is. Numbers are calculated by hand from the formula in habits.py."""

import pytest
from world import AREAS, furniture, thing

from karma_memory.scene_graph import SceneGraph, likely_places
from karma_memory.scene_graph.habits import HALF_LIFE


def graph_of(scene, *nodes):
    graph = SceneGraph(scene)
    for node in nodes:
        graph.observe(node, 1.0, "first")
    return graph


def on(node_id, holder, seen=1.0, **fields):
    return thing(node_id, receptacle=holder, relation="on", seen=seen, **fields)


@pytest.fixture
def home():
    """A table and a shelf with a book on it."""
    return graph_of("home", furniture("Table|1"), furniture("Shelf|1"), on("Book|1", "Shelf|1"))


def probabilities(graph, categories, **fields):
    return {place.node.id: place.probability for place in likely_places(graph, categories, **fields)}


def test_one_sighting_against_the_habits_of_other_things(home):
    home.observe(on("Mug|1", "Table|1", seen=10.0), 10.0, "seen")
    home.vanish("Mug|1", 10.0)
    # p0: table 1/3, shelf 2/3. The last sighting of what is gone counts 1/2:
    # p1(table) = (1/2 + 1/3) / (3/2) = 5/9, p2(table) = (1/2 + 5/9) / (3/2) = 19/27.
    assert probabilities(home, {"Mug"}) == pytest.approx({"Table|1": 19 / 27, "Shelf|1": 8 / 27})
    first = likely_places(home, {"Mug"})[0]
    assert (first.times, first.evidence.source, first.evidence.valid_until) == (1, "seen", 10.0)


def test_what_was_never_seen_anywhere_is_where_things_are(home):
    home.observe(on("Pen|1", "Table|1"), 1.0, "x")
    home.observe(on("Pen|2", "Table|1"), 1.0, "x")
    assert probabilities(home, {"Umbrella"}) == pytest.approx({"Table|1": 3 / 5, "Shelf|1": 2 / 5})


def test_what_was_never_seen_here_is_on_the_furniture_that_it_is_on_elsewhere(home):
    other = graph_of("other", furniture("Table|7"), on("Umbrella|1", "Table|7"))
    # p0: table 1/3; one sighting on a table: p1(table) = (1 + 1/3) / 2
    assert probabilities(home, {"Umbrella"}, others=[other]) == pytest.approx({"Table|1": 2 / 3, "Shelf|1": 1 / 3})


def test_what_another_scene_told_before_is_not_told_again_once_it_changed(home):
    other = graph_of("other", furniture("Table|7"), furniture("Shelf|7"), on("Umbrella|1", "Table|7"))
    assert probabilities(home, {"Umbrella"}, others=[other])["Table|1"] == pytest.approx(2 / 3)
    other.observe(on("Umbrella|1", "Shelf|7", seen=1.0), 1.0, "moved")
    # a table and a shelf, each once, over p0 = 1/3 and 2/3: p1(table) = (1 + 1/3) / 3
    assert probabilities(home, {"Umbrella"}, others=[other])["Table|1"] == pytest.approx(4 / 9)


def test_a_sighting_counts_half_after_the_half_life(home):
    for name, holder, until in (("Mug|1", "Table|1", 10.0), ("Mug|2", "Shelf|1", 10.0 + HALF_LIFE)):
        home.observe(on(name, holder, seen=until), until, "seen")
    newest = 10.0 + HALF_LIFE
    # both are believed: the one on the table was seen a half-life ago; p0: table 2/5, as 1 and 2 things are there
    p1 = (0.5 + 2 / 5) / 2.5
    assert probabilities(home, {"Mug"})["Table|1"] == pytest.approx((0.5 + p1) / 2.5)
    home.doubt("Mug|2", 0.5)  # counts half as well
    p1 = (0.5 + 2 / 5) / 2.0
    assert probabilities(home, {"Mug"})["Table|1"] == pytest.approx((0.5 + p1) / 2.0)
    assert home.node("Mug|2").last_seen == newest


def test_what_lay_on_nothing_was_in_its_area_and_what_was_held_nowhere():
    graph = graph_of("home", furniture("Table|1"))
    assert likely_places(graph, {"Ball"}) == []
    graph.observe(AREAS[0], 1.0, "x")
    graph.observe(thing("Ball|1", parent=AREAS[0].id), 2.0, "x")
    assert probabilities(graph, {"Ball"}) == {AREAS[0].id: 1.0}
    graph.observe(thing("Cup|1", parent=AREAS[0].id, relation="held"), 2.0, "x")
    assert likely_places(graph, {"Cup"}) == []


def test_in_a_home_where_nothing_is_known_to_lie_anywhere_others_tell_what_things_lie_on():
    home = graph_of("home", furniture("Table|1"), furniture("Window|1"))
    other = graph_of("other", furniture("Table|7"), on("Umbrella|1", "Table|7"))
    assert probabilities(home, {"Ball"}, others=[other]) == {"Table|1": 1.0}
    assert probabilities(home, {"Ball"}) == {}
