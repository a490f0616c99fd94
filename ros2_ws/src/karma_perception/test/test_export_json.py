# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_perception.export import GraphFileError, read_json, write_json
from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph

BOX = ((1.0, 2.0, 0.5), (1.0, 0.5, 0.8))
NODES = (
    Node("floor_0", Layer.FLOOR, "Floor", "ground floor", "", *BOX),
    Node("room_1", Layer.ROOM, "Kitchen", "kitchen", "floor_0", *BOX),
    Node("area_1", Layer.AREA, "Area", "area 1", "room_1", *BOX),
    Node("Table|1", Layer.OBJECT, "DiningTable", "dining table", "area_1", *BOX, yaw=0.3),
    Node(
        "Mug|1",
        Layer.OBJECT,
        "Mug",
        'mug "ä"\n',
        "area_1",
        *BOX,
        movable=True,
        receptacle="Table|1",
        relation="on",
        states={"isDirty": "true"},
        confidence=0.7,
        last_seen=12.25,
    ),
)
EDGES = (Edge(EdgeType.ON, "Mug|1", "Table|1", 0.1), Edge(EdgeType.REACHABLE, "area_1", "area_1", 2.0))
GRAPH = SceneGraph("home", 13.5, {n.id: n for n in NODES}, {e.key: e for e in EDGES})


def test_what_is_read_equals_what_was_written(tmp_path):
    assert read_json(write_json(GRAPH, tmp_path / "graph.json")) == GRAPH
    assert [f.name for f in tmp_path.iterdir()] == ["graph.json"]


numbers = st.floats(-1e9, 1e9)
vectors = st.tuples(numbers, numbers, numbers)
floors = st.builds(
    Node,
    id=st.text(min_size=1),
    layer=st.just(Layer.FLOOR),
    category=st.text(),
    name=st.text(),
    parent=st.just(""),
    center=vectors,
    size=vectors,
    states=st.dictionaries(st.text(), st.text()),
    confidence=st.floats(0, 1),
    last_seen=numbers,
    yaw=numbers,
)


@given(nodes=st.lists(floors, max_size=3), stamp=numbers, scene=st.text())
def test_any_node_survives_the_file(tmp_path_factory, nodes, stamp, scene):
    graph = SceneGraph(scene, stamp, {n.id: n for n in nodes})
    assert read_json(write_json(graph, tmp_path_factory.getbasetemp() / "any.json")) == graph


def test_the_file_says_what_people_look_for(tmp_path):
    data = json.loads(write_json(GRAPH, tmp_path / "graph.json").read_text())
    assert (data["format"], data["version"], data["frame"], data["scene"]) == ("karma-scene-graph", 1, "map", "home")
    table = data["nodes"][3]
    assert (table["layer"], table["category"]) == ("object", "DiningTable")
    assert table["box"] == {
        "center": [1.0, 2.0, 0.5],
        "size": [1.0, 0.5, 0.8],
        "yaw": 0.3,
        "volume": pytest.approx(0.4),
    }
    assert data["edges"][0] == {"type": "on", "source": "Mug|1", "target": "Table|1", "weight": 0.1}


def altered(change):
    data = json.loads(json.dumps(DATA))
    change(data)
    return data


@pytest.fixture(autouse=True, scope="module")
def _data(tmp_path_factory):
    global DATA
    DATA = json.loads(write_json(GRAPH, tmp_path_factory.mktemp("good") / "graph.json").read_text())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="other"), "no scene graph of KARMA"),
        (lambda d: d.update(version=2), "version 2, this karma_perception knows 1: update KARMA"),
        (lambda d: d["nodes"][3].update(layer="shelf"), "nodes.3.layer"),
        (lambda d: d["nodes"][3]["box"].update(size=[1, 2]), "nodes.3.box.size"),
        (lambda d: d["nodes"][3]["box"].update(yaw=float("nan")), "nodes.3.box.yaw"),
        (lambda d: d["nodes"][4].update(parent="nowhere"), "needs a parent"),
        (lambda d: d["nodes"].append(d["nodes"][0]), "twice"),
        (lambda d: d.update(more=1), "more"),
        (lambda d: d["edges"][0].update(target="nothing"), "an end of the edge"),
    ],
)
def test_a_foreign_file_is_refused_and_the_place_named(tmp_path, change, message):
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(altered(change)))
    with pytest.raises(GraphFileError, match=message):
        read_json(file)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "[" * 10_000, "\ud800"])
def test_what_is_no_json_object_is_refused(tmp_path, text):
    file = tmp_path / "graph.json"
    file.write_text(text, errors="surrogatepass")
    with pytest.raises(GraphFileError, match=r"graph\.json"):
        read_json(file)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    file = write_json(GRAPH, tmp_path / "graph.json")
    bad = dataclasses.replace(GRAPH, stamp=float("nan"))
    with pytest.raises(ValueError, match="finite"):
        write_json(bad, file)
    assert read_json(file) == GRAPH
    with pytest.raises(OSError, match="nowhere"):
        write_json(GRAPH, tmp_path / "nowhere" / "graph.json")
