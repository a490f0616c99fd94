# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Two robots that map one home, each with numbers of its own."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_follower import Subscriber
from world import thing

from karma_memory import Edge, Layer, Node, Relation
from karma_memory.scene_graph import SceneGraph
from karma_memory.scene_graph.shared_places import SharedPlaces

KITCHEN = {"kitchen west": (0.0, 0.0, 0.0), "kitchen east": (1.25, 0.0, 0.0)}
BEDROOM = {"bedroom": (1.25, 3.0, 0.0), "bedroom window": (1.25, 4.25, 0.0)}


def mapped(*rooms, ids="area_{}", room_ids="room_{}", shift=0.0, height=0.0):
    """Return floor, rooms and areas as a robot that finds the rooms in this order calls them."""
    nodes = [Node("floor_0", Layer.FLOOR, "Floor", position=(0.0, 0.0, height))]
    for number, room in enumerate(rooms, start=1):
        room_id = room_ids.format(number)
        nodes.append(Node(room_id, Layer.ROOM, "Room", name=min(room), parent="floor_0"))
        for name, (x, y, z) in room.items():
            area_id = ids.format(sum(node.layer is Layer.AREA for node in nodes) + 1)
            position = (x + shift, y, z + height)
            nodes.append(Node(area_id, Layer.AREA, "Area", name=name, parent=room_id, position=position))
    return nodes


def layout(graph):
    """Return the areas by name, each with the name of its room."""
    return sorted((area.name, graph.node(area.parent).name) for area in graph.nodes(Layer.AREA))


BOTH = [
    ("bedroom", "bedroom"),
    ("bedroom window", "bedroom"),
    ("kitchen east", "kitchen east"),
    ("kitchen west", "kitchen east"),
]


@pytest.fixture
def robots():
    places, graphs = SharedPlaces(), {"home1": SceneGraph("home1")}
    return Subscriber(places, graphs), Subscriber(places, graphs)


def test_the_same_ids_for_different_places_stay_apart(robots):
    one, other = robots
    graph = one.graphs["home1"]
    one.take(1, mapped(KITCHEN), full=True)
    other.take(1, [*mapped(BEDROOM), thing("Mug|1", (1.2, 3.0, 0.8), parent="area_1")], full=True)
    assert layout(graph) == BOTH
    assert graph.room_of(graph.node("Mug|1")).name == "bedroom"
    assert {node.id for node in graph.nodes(Layer.AREA)} == {"area_1", "area_2", "area_1.2", "area_2.2"}
    assert graph.count(Layer.FLOOR) == 1


def test_a_place_that_both_have_seen_is_one(robots):
    one, other = robots
    graph = one.graphs["home1"]
    one.take(1, mapped(KITCHEN, BEDROOM), full=True, edges=[Edge(Relation.REACHABLE, "area_2", "area_3", 3.0)])
    road = Edge(Relation.REACHABLE, "area_2", "area_3", 3.0)  # here between the bedroom's window and the kitchen's west
    other.take(1, mapped(BEDROOM, KITCHEN, shift=0.2), full=True, edges=[road])
    assert layout(graph) == BOTH
    assert (graph.count(Layer.ROOM), graph.count(Layer.AREA)) == (2, 4)
    assert {frozenset((e.source, e.target)) for e in graph.edges()} == {
        frozenset(("area_2", "area_3")),
        frozenset(("area_4", "area_1")),
    }


def test_what_one_robot_removes_stays_while_another_reports_it(robots):
    one, other = robots
    graph = one.graphs["home1"]
    one.take(1, mapped(KITCHEN), full=True)
    other.take(1, mapped(BEDROOM, KITCHEN), full=True)
    assert other.take(2, removed=["area_3", "area_1"]).removed == ("area_1.2",)  # the kitchen's west, the bedroom
    assert [name for name, _ in layout(graph)] == ["bedroom window", "kitchen east", "kitchen west"]
    assert one.take(2, removed=["area_1"]).removed == ("area_1",)
    assert [name for name, _ in layout(graph)] == ["bedroom window", "kitchen east"]


def test_an_area_that_one_of_two_robots_moves_is_two_from_then_on(robots):
    one, other = robots
    graph = one.graphs["home1"]
    one.take(1, mapped({"hall": (0.0, 0.0, 0.0)}), full=True)
    other.take(1, mapped({"hall": (0.1, 0.0, 0.0)}), full=True)
    area = Node("area_1", Layer.AREA, "Area", parent="room_1")
    other.take(2, [replace(area, position=(0.4, 0.0, 0.0))])
    assert graph.count(Layer.AREA) == 1
    other.take(3, [replace(area, position=(0.8, 0.0, 0.0))])
    one.take(2, [replace(area, position=(-0.2, 0.0, 0.0))])
    assert {node.id: node.position[0] for node in graph.nodes(Layer.AREA)} == {"area_1": -0.2, "area_1.2": 0.8}
    assert other.take(4, removed=["area_1"]).removed == ("area_1.2",)


def test_a_robot_removes_only_what_it_reported(robots):
    one, other = robots
    one.take(1, mapped(KITCHEN), full=True)
    other.take(1, [], full=True)
    assert not other.take(2, removed=["area_1", "room_1"])
    assert one.graphs["home1"].count(Layer.AREA) == 2


def test_a_robot_that_begins_anew_finds_its_places_again_and_leaves_the_others_theirs(robots):
    one, other = robots
    graph = one.graphs["home1"]
    one.take(1, [*mapped(KITCHEN, BEDROOM), thing("Pan|1", parent="area_1")], full=True)
    other.take(1, mapped(BEDROOM), full=True)
    before = {area.name: area.id for area in graph.nodes(Layer.AREA)}
    one.take(1, mapped({"bedroom": BEDROOM["bedroom"]}, shift=0.1), full=True)
    assert layout(graph) == BOTH
    assert {area.name: area.id for area in graph.nodes(Layer.AREA)} == before
    assert graph.room_of(graph.node("Pan|1")).name == "kitchen east"


def test_areas_on_the_two_sides_of_a_wall_are_two(robots):
    one, other = robots
    one.take(1, mapped({"hall": (0.0, 0.0, 0.0), "hall 2": (2.0, 0.0, 0.0)}), full=True)
    bath, hall = {"bath": (0.0, 0.4, 0.0)}, {"hall": (0.1, 0.0, 0.0), "hall 2": (2.0, 0.0, 0.0)}
    other.take(1, mapped(bath, hall), full=True)
    graph = one.graphs["home1"]
    assert layout(graph) == [("bath", "bath"), ("hall", "hall"), ("hall 2", "hall")]


def test_floors_are_told_apart_by_their_height(robots):
    one, other = robots
    one.take(1, mapped(KITCHEN), full=True)
    other.take(1, mapped(BEDROOM, height=3.0), full=True)
    graph = one.graphs["home1"]
    assert sorted(node.position[2] for node in graph.nodes(Layer.FLOOR)) == [0.0, 3.0]
    upstairs = next(node for node in graph.nodes(Layer.ROOM) if node.name == "bedroom")
    assert graph.node(upstairs.parent).position[2] == 3.0


def test_scenes_are_apart(robots):
    one, other = robots
    one.take(1, mapped(KITCHEN), full=True)
    other.take(1, mapped(KITCHEN), full=True, scene="home2")
    assert one.take(2, removed=["area_1"]).removed == ("area_1",)
    assert other.graphs["home2"].count(Layer.AREA) == 2


@given(st.permutations(list({**KITCHEN, **BEDROOM}.items())), st.integers(0, 4), st.booleans())
def test_however_the_robots_number_them_each_place_is_one_with_the_right_room(order, seen_by_one, again):
    """The other robot sees all areas, in any order; the first one some of them, in another."""
    places, graphs = SharedPlaces(), {"home1": SceneGraph("home1")}

    def rooms(areas):
        found = [{name: spot for name, spot in areas if name.startswith(kind)} for kind in ("kitchen", "bedroom")]
        return [room for room in found if room]

    one, other = Subscriber(places, graphs), Subscriber(places, graphs)
    one.take(1, mapped(*rooms(order[:seen_by_one])), full=True)
    other.take(1, mapped(*rooms(order)[::-1]), full=True)
    if again:
        one.take(1, mapped(*rooms(order[::-1])), full=True)
    graph = graphs["home1"]
    assert [name for name, _ in layout(graph)] == [name for name, _ in BOTH]
    assert graph.count(Layer.ROOM) == 2 or seen_by_one  # a room of which they saw different parts may be two
    assert all(name.split()[0] == room.split()[0] for name, room in layout(graph))


def test_of_two_places_of_one_object_the_newer_sighting_wins(robots):
    one, other = robots
    graph = one.graphs["home1"]
    here, there = thing("Mug|1", (0.0, 0.0, 1.0)), thing("Mug|1", (8.0, 0.0, 1.0))
    one.take(1, [replace(here, last_seen=500.0)], full=True, stamp=500.0)
    assert not other.take(1, [replace(there, last_seen=300.0)], full=True, stamp=501.0)  # seen long ago, told now
    assert not other.take(2, removed=["Mug|1"], stamp=499.0)  # there it is not; the other has seen it since
    assert graph.node("Mug|1").position == here.position
    assert other.take(3, [replace(there, last_seen=502.0)], stamp=502.0)
    assert one.take(2, [replace(here, last_seen=501.0)], stamp=503.0).nodes == ()
    assert graph.node("Mug|1").position == there.position
