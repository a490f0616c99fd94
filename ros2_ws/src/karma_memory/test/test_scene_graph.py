# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import APPLE, AREAS, BEDROOM, COUNTER, FRIDGE, HOME, ROADS, furniture, thing

from karma_memory import Edge, Layer, Relation
from karma_memory.encoding import dumps
from karma_memory.scene import MAX_COORDINATE
from karma_memory.scene_graph import (
    SceneGraph,
    area_line,
    area_lines,
    contents,
    describe,
    nearest,
    path_between,
    where_is,
)
from karma_memory.scene_graph.graph import KEPT_LOST
from karma_memory.scene_graph.text import describe_in


@pytest.fixture
def graph():
    graph = SceneGraph("home1")
    for node in HOME:
        graph.observe(node, 1.0, "first")
    for road in ROADS:
        graph.connect(road)
    return graph


def moved(node, position, seen, **fields):
    return replace(node, position=position, last_seen=seen, **fields)


def test_containment_goes_from_floor_to_object(graph):
    assert [node.id for node in graph.children("floor")] == ["bedroom", "kitchen"]
    assert [node.id for node in graph.children("node_2")] == ["Apple|1", "CounterTop|1"]
    assert graph.room_of(APPLE).id == "kitchen"


def test_a_change_closes_the_old_belief_and_keeps_it(graph):
    assert graph.observe(moved(APPLE, (0.0, 1.0, 1.2), 9.0, receptacle="Fridge|1", relation="in"), 9.0, "second")
    old, new = graph.history("Apple|1")
    assert (old.node.receptacle, old.valid_from, old.valid_until, old.source) == ("CounterTop|1", 1.0, 9.0, "first")
    assert (new.node.receptacle, new.valid_from, new.valid_until, new.source) == ("Fridge|1", 9.0, None, "second")
    assert contents(graph, "CounterTop|1") == []
    assert [node.id for node in contents(graph, "Fridge|1", "in")] == ["Apple|1"]


def test_seeing_the_same_again_refreshes_the_belief(graph):
    assert not graph.observe(moved(APPLE, (2.01, 1.0, 1.1), 30.0, confidence=0.7), 30.0, "again")
    assert graph.node("Apple|1").last_seen == 30.0
    assert graph.node("Apple|1").confidence == 0.7
    assert len(graph.history("Apple|1")) == 1


def test_small_shifts_add_up_to_a_move(graph):
    for step in range(1, 4):
        graph.observe(moved(APPLE, (2.0 + 0.03 * step, 1.0, 1.1), 1.0 + step), 1.0 + step, f"shift{step}")
    assert len(graph.history("Apple|1")) == 2


def test_an_older_sighting_does_not_undo_a_newer_one_unless_the_clock_was_set_back(graph):
    graph.observe(moved(APPLE, (0.0, 1.0, 1.2), 100.0), 100.0, "skill")
    assert not graph.observe(moved(APPLE, (2.0, 1.0, 1.1), 99.5), 100.4, "late frame")
    assert graph.node("Apple|1").position == (0.0, 1.0, 1.2)
    assert graph.observe(moved(APPLE, (2.0, 1.0, 1.1), 3.0), 3.0, "simulator started again")


def test_what_vanished_is_gone_but_remembered(graph):
    assert graph.vanish("Apple|1", 50.0)
    assert graph.node("Apple|1") is None
    assert contents(graph, "CounterTop|1") == []
    assert [belief.valid_until for belief in graph.lost()] == [50.0]
    assert where_is(graph, "Apple") == []
    (sighting,) = where_is(graph, "Apple", lost=True)
    assert sighting.likelihood == 0.0
    assert not graph.vanish("Apple|1", 51.0)


def test_of_many_that_vanished_the_last_ones_are_remembered(graph):
    assert graph.vanish("Apple|1", 50.0)
    for i in range(KEPT_LOST):
        graph.observe(thing(f"Mug|{i}", receptacle="Tray|1", relation="on"), 60.0 + i, "seen")
        graph.vanish(f"Mug|{i}", 60.0 + i)
    assert [belief.node.id for belief in graph.lost()] == sorted(f"Mug|{i}" for i in range(KEPT_LOST))
    assert graph.history("Apple|1") == []
    assert graph.observe(thing("Mug|0"), 5000.0, "seen again")
    assert len(graph.history("Mug|0")) == 2
    restored = SceneGraph.restore(json.loads(dumps(graph.snapshot())))
    assert list(restored.lost()) == list(graph.lost())
    assert len(list(restored.lost())) == KEPT_LOST - 1


def test_edges_are_between_known_nodes(graph):
    known = list(graph.edges())
    graph.connect(Edge(Relation.REACHABLE, "node_1", "node_9", 2.0))
    graph.connect(Edge(Relation.NEAR, "Sofa|9", "Fridge|1", 1.0))
    assert list(graph.edges()) == known
    graph.observe(thing("Sofa|9"), 2.0, "seen")
    assert [edge for edge in graph.edges() if edge not in known] == [Edge(Relation.NEAR, "Fridge|1", "Sofa|9", 1.0)]


def test_an_object_without_a_parent_belongs_to_its_receptacles_area_or_the_nearest(graph):
    graph.observe(thing("Mug|1", (2.0, 1.0, 1.1), receptacle="Fridge|1", relation="in"), 2.0, "x")
    assert graph.node("Mug|1").parent == "node_1"
    graph.observe(thing("Mug|2", (7.5, 0.0, 1.0)), 2.0, "x")
    assert graph.node("Mug|2").parent == "node_3"


def test_what_is_held_is_on_nothing(graph):
    graph.observe(moved(APPLE, (1.0, 0.0, 1.0), 5.0, receptacle="", relation="held"), 5.0, "pickup")
    assert contents(graph, "CounterTop|1") == []
    assert (
        describe_in(graph, graph.node("Apple|1")) == "Apple is held by the robot, in kitchen 1, at [1.00, 0.00, 1.00]"
    )


def test_edges_say_what_rests_on_what_where_nodes_do_not(graph):
    graph.observe(thing("Mug|1", (2.0, 1.0, 1.1), parent="node_2"), 2.0, "x")
    edge = Edge(Relation.ON, "Mug|1", "CounterTop|1", 0.1)
    assert graph.connected(edge) is None
    graph.connect(edge)
    assert graph.connected(edge) == edge
    assert [node.id for node in contents(graph, "CounterTop|1", "on")] == ["Apple|1", "Mug|1"]
    graph.disconnect(edge)
    assert [node.id for node in contents(graph, "CounterTop|1")] == ["Apple|1"]


def test_the_shortest_way_between_areas(graph):
    nodes, length = path_between(graph, "node_1", "node_3")
    assert [node.id for node in nodes] == ["node_1", "node_2", "node_3"]
    assert length == 8.0  # 2 + 6
    assert path_between(graph, "node_1", "node_1") == ([graph.node("node_1")], 0.0)
    assert path_between(graph, "node_1", "nowhere") is None
    graph.disconnect(ROADS[1])
    assert path_between(graph, "node_1", "node_3") is None


def test_the_nearest_objects_and_areas(graph):
    assert [node.id for node in nearest(graph, (0.0, 1.0, 1.0), limit=2)] == ["Fridge|1", "CounterTop|1"]
    assert [node.id for node in nearest(graph, (5.1, 0.0, 0.0), layer=Layer.AREA)] == ["node_3"]
    assert nearest(graph, (0.0, 0.0, 0.0), category="Sofa") == []


def test_where_is_ranks_by_confidence_then_nearness(graph):
    for number, (x, confidence) in enumerate([(7.0, 0.9), (3.0, 0.9), (1.0, 0.4)]):
        graph.observe(thing(f"Mug|{number}", (x, 0.0, 1.0), confidence=confidence), 2.0, "x")
    found = where_is(graph, "Mug", near=(0.0, 0.0, 1.0))
    assert [item.belief.node.id for item in found] == ["Mug|1", "Mug|0", "Mug|2"]
    assert found[0].distance == 3.0


def test_an_area_in_karmas_form(graph):
    assert area_line(graph, AREAS[1]) == (
        "{name: node_2, type: Area, contains: [Apple, CounterTop], adjacent nodes: [node_1, node_3], "
        "position: [2.00, 0.00, 0.00]}"
    )


def test_relevant_areas_come_first_then_the_nearest(graph):
    lines = area_lines(graph, categories={"Bed"}, near=(2.0, 0.0, 0.0))
    assert [line[7:13] for line in lines] == ["node_3", "node_2", "node_1"]


def test_an_object_in_words():
    node = thing(
        "Mug|1", (1.0, 2.0, 0.5), receptacle="Table|1", relation="on",
        states={"isDirty": "false", "isFilledWithLiquid": "true", "temperature": "Hot", "colour": "red"},
    )  # fmt: skip
    assert describe(node, "DiningTable", "kitchen 1") == (
        "Mug is on the DiningTable, in kitchen 1, colour=red, clean, filled, hot, at [1.00, 2.00, 0.50]"
    )


things = st.sampled_from([f"Thing|{i}" for i in range(5)])
places = st.sampled_from([f"Place|{i}" for i in range(3)])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), things, places, st.sampled_from(["on", "in"])),
        st.tuples(st.just("hold"), things),
        st.tuples(st.just("vanish"), things),
        st.tuples(st.just("doubt"), things),
        st.tuples(st.just("road"), places, places, st.floats(0.1, 9)),
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(steps)
def test_the_graph_agrees_with_a_table_of_where_everything_is(steps):
    graph = SceneGraph("s")
    where = {}
    roads = {}
    log = []
    for number, place in enumerate(f"Place|{i}" for i in range(3)):
        graph.observe(thing(place, (float(number), 0.0, 0.0), movable=False), 0.5, "start")
    for time, (step, *arguments) in enumerate(steps, start=1):
        if step == "road":
            first, second, length = arguments
            graph.connect(Edge(Relation.REACHABLE, first, second, length))
            roads[frozenset((first, second))] = length
        elif step == "vanish":
            assert graph.vanish(arguments[0], float(time)) == (arguments[0] in where)
            where.pop(arguments[0], None)
        elif step == "doubt":
            graph.doubt(arguments[0], 0.5)
        else:
            name = arguments[0]
            held = step == "hold"
            receptacle, relation = ("", "held") if held else arguments[1:]
            position = (9.0, 9.0, 9.0) if held else graph.node(receptacle).position
            fields = {"receptacle": receptacle, "relation": relation}
            began = graph.observe(thing(name, position, seen=float(time), **fields), float(time), f"event{time}")
            assert began == (where.get(name) != (receptacle, relation))
            where[name] = (receptacle, relation)
        log.append(dict(where))
        for place in (f"Place|{i}" for i in range(3)):
            expected = sorted((name, how) for name, (at, how) in where.items() if at == place)
            assert [(node.id, how) for node, how in graph.supported(place)] == expected
    assert {node.id for node in graph.nodes() if node.movable} == set(where)
    assert {frozenset((e.source, e.target)): e.weight for e in graph.edges() if e.type is Relation.REACHABLE} == roads
    for name in {f"Thing|{i}" for i in range(5)}:
        for belief in graph.history(name):
            held_then = [
                i
                for i, then in enumerate(log, start=1)
                if then.get(name) == (belief.node.receptacle, belief.node.relation)
            ]
            assert int(belief.valid_from) in held_then
            assert belief.valid_until is None or belief.valid_until > belief.valid_from
    restored = SceneGraph.restore(json.loads(dumps(graph.snapshot())))
    assert dumps(restored.snapshot()) == dumps(graph.snapshot())
    assert list(restored.edges()) == list(graph.edges())


def test_objects_that_are_as_far_apart_as_can_be_have_an_edge():
    graph = SceneGraph("home1")
    graph.observe(furniture("Table|1", (-MAX_COORDINATE,) * 3), 1.0, "e1")
    graph.observe(thing("Apple|1", (MAX_COORDINATE,) * 3, receptacle="Table|1", relation="on"), 1.0, "e2")
    assert [edge.weight for edge in graph.edges()] == [pytest.approx(12**0.5 * MAX_COORDINATE)]


def test_unknown_nodes_have_nothing(graph):
    assert graph.node("x") is None
    assert contents(graph, "x") == []
    assert graph.history("x") == []
    assert [node.id for node in contents(graph, "kitchen")] == ["node_1", "node_2"]
    assert graph.room_of(BEDROOM) == BEDROOM
    assert graph.room_of(COUNTER).id == "kitchen"
    assert FRIDGE.id in graph
