# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_perception.scene_graph import (
    Delta,
    Edge,
    EdgeType,
    Layer,
    Node,
    SceneGraph,
    Tolerance,
    apply,
    diff,
)

EXACT = Tolerance(length=0.0, angle=0.0, confidence=0.0, age=0.0)

numbers = st.floats(-1e3, 1e3)
vectors = st.tuples(numbers, numbers, numbers)
ids = st.sampled_from(["a", "b", "c", "d", "e"])
nodes = st.builds(
    Node,
    id=ids,
    layer=st.sampled_from(Layer),
    category=st.sampled_from(["Apple", "Mug"]),
    name=st.sampled_from(["apple", "mug"]),
    parent=ids,
    center=vectors,
    size=vectors,
    movable=st.booleans(),
    receptacle=st.sampled_from(["", "a", "b"]),
    relation=st.sampled_from(["", "on", "in", "held"]),
    states=st.dictionaries(st.sampled_from(["isOpen", "isDirty"]), st.sampled_from(["true", "false"])),
    confidence=st.floats(0, 1),
    last_seen=st.floats(0, 1e6),
)
edges = st.builds(Edge, type=st.sampled_from(EdgeType), source=ids, target=ids, weight=st.floats(0, 100))
graphs = st.builds(
    lambda n, e, stamp: SceneGraph("home", stamp, {x.id: x for x in n}, {x.key: x for x in e}),
    st.lists(nodes, max_size=6),
    st.lists(edges, max_size=6),
    st.floats(0, 1e6),
)


@given(graphs, graphs)
def test_applying_the_exact_difference_gives_the_other_graph(a, b):
    assert apply(diff(a, b, EXACT), a) == b


@given(graphs)
def test_a_graph_has_no_difference_to_itself(a):
    assert not diff(a, a, EXACT)


@given(graphs, graphs)
def test_with_tolerance_what_is_told_leaves_nothing_to_tell(a, b):
    assert not diff(apply(diff(a, b), a), b)


def a_node(**changes):
    base = Node("Mug|1", Layer.OBJECT, "Mug", "mug", "area_1", (1.0, 2.0, 3.0), (0.1, 0.1, 0.1), last_seen=10.0)
    return dataclasses.replace(base, **changes)


def graph(*nodes, edges=()):
    return SceneGraph("home", 0.0, {n.id: n for n in nodes}, {e.key: e for e in edges})


@pytest.mark.parametrize(
    "changes",
    [
        {"center": (1.0, 2.0, 3.03)},
        {"size": (0.1, 0.1, 0.13)},
        {"states": {"isDirty": "true"}},
        {"relation": "on"},
        {"receptacle": "Table|1"},
        {"parent": "area_2"},
        {"confidence": 0.8},
        {"last_seen": 16.0},
        {"name": "mug 2"},
    ],
)
def test_a_real_change_is_told(changes):
    assert diff(graph(a_node()), graph(a_node(**changes))).nodes == (a_node(**changes),)


@pytest.mark.parametrize(
    "changes", [{"center": (1.0, 2.0, 3.01)}, {"size": (0.1, 0.1, 0.11)}, {"last_seen": 14.0}, {"confidence": 0.95}]
)
def test_a_wobble_is_not_told(changes):
    assert not diff(graph(a_node()), graph(a_node(**changes)))


def test_how_long_a_mere_sighting_waits_can_be_set():
    assert diff(graph(a_node()), graph(a_node(last_seen=12.0)), Tolerance(age=1.0))


def test_removed_nodes_and_edges_are_named():
    near = Edge(EdgeType.NEAR, "Mug|1", "Cup|1", 0.2)
    delta = diff(graph(a_node(), a_node(id="Cup|1"), edges=[near]), graph(a_node()))
    assert delta == Delta(0.0, removed_nodes=("Cup|1",), removed_edges=(near.key,))


def test_graphs_of_different_scenes_have_no_difference():
    with pytest.raises(ValueError, match="different scenes"):
        diff(SceneGraph("a"), SceneGraph("b"))


def test_a_graph_with_a_missing_parent_receptacle_or_edge_end_is_found_out():
    floor = Node("floor_0", Layer.FLOOR, "Floor", "ground floor", "", (0, 0, 0), (1, 1, 1))
    room = Node("room_1", Layer.ROOM, "Room", "room 1", "floor_0", (0, 0, 0), (1, 1, 1))
    area = Node("area_1", Layer.AREA, "Area", "area 1", "room_1", (0, 0, 0), (1, 1, 1))
    graph(floor, room, area, a_node()).check()
    for broken in (
        graph(a_node()),
        graph(floor, room, area, a_node(parent="room_1")),
        graph(floor, room, area, a_node(receptacle="Table|1")),
        graph(dataclasses.replace(floor, parent="floor_0")),
        graph(floor, edges=[Edge(EdgeType.NEAR, "floor_0", "Mug|1")]),
    ):
        with pytest.raises(ValueError, match=r"Mug|floor|receptacle"):
            broken.check()
