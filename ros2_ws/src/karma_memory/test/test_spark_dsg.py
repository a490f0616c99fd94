# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Spark-DSG's JSON: ours read by the real library, the library's read by us, and what is not one."""

import contextlib
import copy
import json

import numpy as np
import pytest
from histories import edges, nodes
from hypothesis import given, settings
from hypothesis import strategies as st
from world import HOME, ROADS, SCENE

from karma_memory import Edge, Layer, Relation
from karma_memory.scene_graph import SceneFollower, SceneGraph, SparkDsgError, from_spark_dsg, to_spark_dsg


def graph_of(nodes, edges=(), scene=SCENE):
    graph = SceneGraph(scene)
    for node in sorted(nodes, key=lambda node: node.layer):
        graph.observe(node, 1.0, "e")
    for edge in edges:
        graph.connect(edge)
    return graph


@pytest.fixture
def home():
    return graph_of(HOME, [*ROADS, Edge(Relation.NEAR, "Apple|1", "CounterTop|1", 0.1)])


def symbol(key, index):
    return ord(key) << 56 | index


FOREIGN = {
    "layer_ids": [2, 3, 4, 5],
    "nodes": [
        {"id": symbol("O", 3), "layer": 2, "attributes": {
            "type": "ObjectNodeAttributes", "name": "O(3)", "semantic_label": 7, "position": [1.0, 2.0, 0.5],
            "last_update_time_ns": 2_500_000_000, "world_R_object": {"w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0},
            "bounding_box": {"type": "AABB", "min": [0.5, 1.5, 0.0], "max": [1.5, 2.5, 1.0]}}},
        {"id": symbol("p", 1), "layer": 3, "attributes": {
            "type": "PlaceNodeAttributes", "name": "", "position": [1.0, 1.0, 0.0], "last_update_time_ns": 0}},
        {"id": symbol("p", 2), "layer": 3, "attributes": {
            "type": "PlaceNodeAttributes", "name": "", "position": [4.0, 5.0, 0.0],
            "last_update_time_ns": 4_574_077_336_000_000_000}},
        {"id": symbol("R", 0), "layer": 4, "attributes": {
            "type": "RoomNodeAttributes", "name": "kitchen", "position": [1.0, 1.0, 0.0], "last_update_time_ns": 0}},
        {"id": symbol("a", 0), "layer": 2, "attributes": {
            "type": "AgentNodeAttributes", "position": [0.0, 0.0, 0.0], "last_update_time_ns": 0}},
    ],
    "edges": [
        {"source": symbol("p", 1), "target": symbol("O", 3), "info": {"weighted": False, "weight": 1.0}},
        {"source": symbol("p", 1), "target": symbol("p", 2), "info": {"weighted": False, "weight": 1.0}},
        {"source": symbol("R", 0), "target": symbol("p", 1), "info": {"weighted": False, "weight": 1.0}},
        {"source": symbol("p", 1), "target": symbol("a", 0), "info": {"weighted": False, "weight": 1.0}},
    ],
    "metadata": {"labelspaces": {"_l2p0": [[7, "chair"]]}},
}  # fmt: skip


@settings(deadline=None)
@given(nodes, edges)
def test_what_is_written_and_read_again_is_the_same(nodes, edges):
    graph = graph_of(nodes, edges)
    update = from_spark_dsg(json.loads(json.dumps(to_spark_dsg(graph))))
    assert {node.id: node for node in update.nodes} == {node.id: node for node in graph.nodes()}
    layer_of = {node.id: node.layer for node in graph.nodes()}
    assert {(edge.type, frozenset((edge.source, edge.target)), edge.weight) for edge in update.edges} == {
        (edge.type, frozenset((edge.source, edge.target)), edge.weight)
        for edge in graph.edges()
        if edge.type in (Relation.REACHABLE, Relation.NEAR) and edge.source != edge.target
        if layer_of[edge.source] is layer_of[edge.target]
    } | {
        (edge.type, frozenset((edge.source, edge.target)), edge.weight)
        for edge in graph.edges()
        if edge.type is Relation.PART_OF and edge.source != edge.target
        if layer_of[edge.source] is layer_of[edge.target]
    }
    assert {edge for edge in update.edges if edge.type is Relation.PART_OF} <= set(graph.edges())


def test_layers_and_containment_are_spark_dsgs(home):
    data = to_spark_dsg(home)
    by_id = {node["id"]: node for node in data["nodes"]}
    named = {node["attributes"]["metadata"]["karma"]["id"]: node for node in data["nodes"]}
    assert {name: named[name]["layer"] for name in ("Apple|1", "node_1", "kitchen", "floor")} == {
        "Apple|1": 2, "node_1": 3, "kitchen": 4, "floor": 5,
    }  # fmt: skip
    assert named["Apple|1"]["id"] >> 56 == ord("O")
    contained = {
        (by_id[edge["source"]]["attributes"]["name"], by_id[edge["target"]]["attributes"]["name"])
        for edge in data["edges"]
        if by_id[edge["source"]]["layer"] != by_id[edge["target"]]["layer"]
    }
    assert {("Floor", "kitchen 1"), ("kitchen 1", "node_1"), ("node_2", "Apple")} <= contained
    ways = [edge["info"]["weight"] for edge in data["edges"] if "reachable" in edge["info"]["metadata"]]
    assert sorted(ways) == [2.0, 6.0]


def test_a_graph_that_another_program_wrote_can_be_remembered(store):
    update = from_spark_dsg(FOREIGN, scene="lab", stamp=9.0)
    chair = next(node for node in update.nodes if node.layer is Layer.OBJECT)
    assert (chair.id, chair.category, chair.parent, chair.movable) == ("chair|O3", "chair", "p1", False)
    assert (chair.position, chair.size, chair.last_seen) == ((1.0, 2.0, 0.5), (1.0, 1.0, 1.0), 2.5)
    assert update.edges == (Edge(Relation.REACHABLE, "p1", "p2", 5.0),)  # 3, 4, 5
    assert {node.last_seen for node in update.nodes if node.layer is Layer.AREA} == {0.0}
    with store.memory() as memory:
        assert memory.observe_graph(update, SceneFollower(60.0))
        assert memory.record("long_term:lab/chair|O3").text == "chair, in kitchen, at [1.00, 2.00, 0.50]"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("nodes"), "the file has no 'nodes'"),
        (lambda data: data["nodes"][0].pop("id"), r"nodes\[0\] has no 'id'"),
        (lambda data: data["nodes"][1].update(id=symbol("O", 3)), r"nodes\[1\]: the id .* is taken"),
        (lambda data: data["nodes"][0]["attributes"].update(position=[1.0, "x", 0.0]), r"nodes\[0\]\.attributes"),
        (lambda data: data["nodes"][0]["attributes"].update(position=[1.0, float("nan"), 0.0]), "must be finite"),
        (lambda data: data["edges"][0].update(source=4), r"edges\[0\]: there is no node 4"),
        (lambda data: data["nodes"][0]["attributes"].update(metadata={"karma": {"id": "x"}}), r"nodes\[0\]"),
        (lambda data: data.update(SPARK_DSG_header={"version": {"major": 2}}), r"format 2\.x"),
        (lambda data: data.update(metadata={"labelspaces": {"_l2p0": [7]}}), "pairs"),
    ],
)
def test_what_is_no_scene_graph_is_refused_with_the_place_of_the_fault(change, message):
    data = copy.deepcopy(FOREIGN)
    change(data)
    with pytest.raises(SparkDsgError, match=message):
        from_spark_dsg(data)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.sampled_from(["nodes", "id", "layer"]), part),
)


def places_in(data, path=()):
    """Every place in a JSON value, as the keys that lead there."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places_in(value, (*path, key))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(places_in(FOREIGN))), junk)
def test_whatever_is_wrong_with_a_file_the_error_says_that_it_is_the_file(place, value):
    whole = {"file": copy.deepcopy(FOREIGN)}
    inner, *outer = reversed(("file", *place))
    holder = whole
    for key in reversed(outer):
        holder = holder[key]
    holder[inner] = value
    with contextlib.suppress(SparkDsgError):
        assert from_spark_dsg(whole["file"]).full


def real_library():
    return pytest.importorskip("spark_dsg", reason="spark_dsg is not installed (pip install spark_dsg)")


def test_the_real_library_loads_what_is_written(home, tmp_path):
    library = real_library()
    (tmp_path / "ours.json").write_text(json.dumps(to_spark_dsg(home)))
    graph = library.DynamicSceneGraph.load(str(tmp_path / "ours.json"))
    assert graph.num_nodes() == len(home)
    rooms = {node.attributes.name: node for node in graph.get_layer(library.DsgLayers.ROOMS).nodes}
    assert set(rooms) == {"kitchen 1", "bedroom 1"}
    places = [graph.get_node(child) for child in rooms["kitchen 1"].children()]
    assert {place.attributes.name for place in places} == {"node_1", "node_2"}
    objects = [graph.get_node(child).attributes for place in places for child in place.children()]
    assert {item.name: item.position.tolist() for item in objects}["Apple"] == [2.0, 1.0, 1.1]
    graph.save(str(tmp_path / "theirs.json"), False)
    update = from_spark_dsg(json.loads((tmp_path / "theirs.json").read_text()))
    again = graph_of(update.nodes, update.edges, update.scene)
    assert {node.id: node for node in again.nodes()} == {node.id: node for node in home.nodes()}
    assert set(again.edges()) == set(home.edges())


def test_what_the_real_library_writes_is_read(tmp_path):
    library = real_library()
    graph = library.DynamicSceneGraph()
    cup = library.ObjectNodeAttributes()
    cup.name, cup.position = "cup", np.array([1.0, 2.0, 3.0])
    cup.bounding_box = library.BoundingBox(np.array([0.5, 0.25, 0.125]), np.array([1.0, 2.0, 3.0]))
    place, room = library.PlaceNodeAttributes(), library.RoomNodeAttributes()
    place.position, room.name = np.array([1.0, 1.0, 0.0]), "kitchen"
    added = []
    for layer, key, attributes in (("OBJECTS", "O", cup), ("PLACES", "p", place), ("ROOMS", "R", room)):
        added.append(library.NodeSymbol(key, 4))
        graph.add_node(getattr(library.DsgLayers, layer), added[-1], attributes)
    graph.insert_edge(added[1], added[0])
    graph.insert_edge(added[2], added[1])
    graph.save(str(tmp_path / "theirs.json"), False)
    update = from_spark_dsg(json.loads((tmp_path / "theirs.json").read_text()))
    found = {node.id: node for node in update.nodes}
    assert set(found) == {"cup|O4", "p4", "R4"}
    assert (found["cup|O4"].position, found["cup|O4"].size) == ((1.0, 2.0, 3.0), (0.5, 0.25, 0.125))
    assert (found["cup|O4"].parent, found["p4"].parent, found["R4"].name) == ("p4", "R4", "kitchen")
    assert found["cup|O4"].movable
