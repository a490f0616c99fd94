# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import itertools
import json
import math
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from world import APPLE, AREAS, BEDROOM, COUNTER, FRIDGE, HOME, ROADS, furniture, thing

from karma_memory import Edge, InvalidEventError, Layer, Node, Relation
from karma_memory.encoding import dumps
from karma_memory.scene import MAX_COORDINATE
from karma_memory.scene_graph import (
    SceneGraph,
    area_line,
    area_lines,
    contents,
    describe,
    likely_places,
    path_between,
    where_is,
)
from karma_memory.scene_graph.graph import KEPT_BELIEFS, KEPT_LOST
from karma_memory.scene_graph.graph_state import GraphState
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


def test_a_wall_is_between_a_thing_and_an_area_that_is_nearer():
    graph = SceneGraph("home1")
    for name, x in (("hall", 0.0), ("study", 4.0)):
        graph.observe(Node(name, Layer.ROOM, "Room", name, position=(x, 0.0, 0.0), size=(4.0, 4.0, 2.5)), 1.0, "rooms")
    graph.observe(Node("a", Layer.AREA, parent="hall", position=(1.5, 0.0, 0.0)), 1.0, "areas")
    graph.observe(Node("b", Layer.AREA, parent="study", position=(5.5, 0.0, 0.0)), 1.0, "areas")
    graph.observe(furniture("Safe|1", (2.5, 0.0, 0.0)), 2.0, "seen")
    assert graph.room_of(graph.node("Safe|1")).id == "study"


def test_a_change_closes_the_old_belief_and_keeps_it(graph):
    assert graph.observe(moved(APPLE, (0.0, 1.0, 1.2), 9.0, receptacle="Fridge|1", relation="in"), 9.0, "second")
    old, new = graph.history("Apple|1")
    assert (old.node.receptacle, old.valid_from, old.valid_until, old.source) == ("CounterTop|1", 1.0, 9.0, "first")
    assert (new.node.receptacle, new.valid_from, new.valid_until, new.source) == ("Fridge|1", 9.0, None, "second")
    assert contents(graph, "CounterTop|1") == []
    assert [node.id for node in contents(graph, "Fridge|1")] == ["Apple|1"]


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
    restored = SceneGraph.restore(GraphState.from_json(json.loads(dumps(graph.snapshot()))))
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
    assert [node.id for node in contents(graph, "CounterTop|1")] == ["Apple|1", "Mug|1"]
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


def test_no_id_is_told_of_what_something_is_on(graph):
    sofa = thing("Sofa|1", (1.0, 0.0, 0.4), receptacle="living_room/Floor|+00.00", relation="on")
    assert describe_in(graph, sofa) == "Sofa, in kitchen 1, at [1.00, 0.00, 0.40]"
    assert describe_in(None, sofa) == "Sofa, at [1.00, 0.00, 0.40]"


def test_support_heights_are_known_once_seen(graph):
    counter = graph.node("CounterTop|1")
    graph.observe(replace(counter, support_heights=(0.9, 0.4), last_seen=9.0), 9.0, "seen")
    assert graph.node("CounterTop|1").support_heights == (0.4, 0.9)
    graph.observe(replace(counter, last_seen=10.0), 10.0, "a skill's outcome, which tells none")
    assert graph.node("CounterTop|1").support_heights == (0.4, 0.9)
    with pytest.raises(InvalidEventError, match="support heights"):
        replace(counter, support_heights=(float("nan"),))


THINGS = ["Apple|1", "Apple|2", "Bowl|1", "Table|1", "Fridge|1"]
PLACES = ["node_1", "node_2", "kitchen", "bedroom"]
SPOTS = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (4.0, 0.0, 0.0)]
relations = st.sampled_from([Relation.ON, Relation.IN])
links = st.sampled_from([Relation.REACHABLE, Relation.NEAR])


class GraphMachine(RuleBasedStateMachine):
    """The scene graph against plain dicts: what is believed, since when, and what was before."""

    def __init__(self):
        super().__init__()
        self.graph = SceneGraph("home")
        self.parts = {}  # part -> whole
        self.clock = 100.0
        self.now = {}  # id -> node
        self.since = {}  # id -> (time, source)
        self.ended = {}  # id -> [(node, from, until, source)]
        self.links = {Relation.REACHABLE: {}, Relation.NEAR: {}}  # relation -> {ends: metres}
        self.lines = {}  # what the graph says of each node, kept up to date through take_changed

    def nearest_area(self, position):
        areas = [node for node in self.now.values() if node.layer is Layer.AREA]
        return min(areas, key=lambda area: (math.dist(area.position, position), area.id), default=None)

    def end(self, node_id):
        self.ended.setdefault(node_id, []).append((self.now.pop(node_id), *self.since[node_id], self.clock))

    def observe(self, node):
        self.clock += 1.0
        source = f"event at {self.clock}"
        node = replace(node, last_seen=self.clock)
        began = self.graph.observe(node, self.clock, source)
        known = self.now.get(node.id)
        if node.layer is Layer.OBJECT and not node.parent:
            holder, area = self.now.get(node.receptacle), self.nearest_area(node.position)
            if holder is not None and holder.parent:
                parent = holder.parent
            elif known is not None and known.parent and known.position == node.position:
                parent = known.parent
            else:
                parent = area.id if area else ""
            node = replace(node, parent=parent)
        aspects = ["position", "category", "name", "relation", "receptacle", "states"]
        aspects += [] if node.layer is Layer.OBJECT else ["parent"]
        same = known is not None and all(getattr(known, name) == getattr(node, name) for name in aspects)
        assert began == (not same)
        if known is not None and not same:
            self.end(node.id)
        if not same:
            self.since[node.id] = (self.clock, source)
        self.now[node.id] = node

    @rule(
        node_id=st.sampled_from(THINGS), category=st.sampled_from(["", "", "Box"]), position=st.sampled_from(SPOTS),
        holder=st.sampled_from(["", *THINGS]), relation=st.sampled_from(["", "on", "in"]),
        parent=st.sampled_from(["", *PLACES]), states=st.sampled_from([{}, {"isOpen": "true"}]),
        confidence=st.sampled_from([0.5, 1.0]),
    )  # fmt: skip
    def see(self, node_id, category, position, holder, relation, parent, states, confidence):
        node = Node(
            node_id, Layer.OBJECT, category or node_id.split("|")[0], position=position, receptacle=holder,
            relation=relation if holder else "", parent=parent, states=states, confidence=confidence,
        )  # fmt: skip
        self.observe(node)

    @rule(node_id=st.sampled_from(THINGS))
    def hold(self, node_id):
        self.observe(thing(node_id, (1.0, 0.0, 1.0), relation="held", movable=False))

    @rule(node_id=st.sampled_from(PLACES), name=st.sampled_from(["", "x"]), position=st.sampled_from(SPOTS),
          parent=st.sampled_from(["", "kitchen", "bedroom"]))  # fmt: skip
    def map(self, node_id, name, position, parent):
        layer = Layer.AREA if node_id.startswith("node") else Layer.ROOM
        self.observe(Node(node_id, layer, "Place", name=name, position=position, parent=parent))

    @rule(node_id=st.sampled_from(THINGS))
    def old_news(self, node_id):
        known = self.now.get(node_id)
        if known is not None:
            late = replace(known, position=(9.0, 9.0, 9.0), last_seen=known.last_seen - 0.5)
            assert not self.graph.observe(late, self.clock, "late")

    @rule(node_id=st.sampled_from(THINGS + PLACES))
    def vanish(self, node_id):
        self.clock += 1.0
        assert self.graph.vanish(node_id, self.clock) == (node_id in self.now)
        if node_id in self.now:
            self.end(node_id)
            self.parts.pop(node_id, None)
            for ends in self.links.values():
                for pair in [pair for pair in ends if node_id in pair]:
                    del ends[pair]

    @rule(node_id=st.sampled_from(THINGS + PLACES))
    def doubt(self, node_id):
        assert self.graph.doubt(node_id, 0.5) == (node_id in self.now)
        if node_id in self.now:
            self.now[node_id] = replace(self.now[node_id], confidence=self.now[node_id].confidence * 0.5)

    @rule(relation=links, ends=st.lists(st.sampled_from(THINGS + PLACES), min_size=2, max_size=2, unique=True),
          metres=st.sampled_from([1.0, 2.5]))  # fmt: skip
    def connect(self, relation, ends, metres):
        self.graph.connect(Edge(relation, *ends, metres))
        self.links[relation][frozenset(ends)] = metres

    @rule(relation=links, ends=st.lists(st.sampled_from(THINGS + PLACES), min_size=2, max_size=2, unique=True))
    def disconnect(self, relation, ends):
        self.graph.disconnect(Edge(relation, *ends))
        self.links[relation].pop(frozenset(ends), None)

    @rule(part=st.sampled_from(THINGS), whole=st.sampled_from(THINGS))
    def build_in(self, part, whole):
        self.graph.connect(Edge(Relation.PART_OF, part, whole))
        self.parts[part] = whole

    @rule(part=st.sampled_from(THINGS), whole=st.sampled_from(THINGS))
    def take_out(self, part, whole):
        self.graph.disconnect(Edge(Relation.PART_OF, part, whole))
        if self.parts.get(part) == whole:
            del self.parts[part]

    @invariant()
    def knows_the_parts(self):
        edges = {(e.source, e.target) for e in self.graph.edges() if e.type is Relation.PART_OF}
        assert edges == {(part, whole) for part, whole in self.parts.items() if {part, whole} <= self.now.keys()}
        for whole in THINGS:
            known = sorted(part for part, of in self.parts.items() if of == whole and part in self.now)
            assert [node.id for node in self.graph.parts(whole)] == known
        for part in THINGS:
            edge = Edge(Relation.PART_OF, part, "Table|1")
            assert (self.graph.connected(edge) is not None) == (self.parts.get(part) == "Table|1")

    @rule(relation=relations, item=st.sampled_from(THINGS), holder=st.sampled_from(THINGS))
    def rest(self, relation, item, holder):
        self.graph.connect(Edge(relation, item, holder))
        known = self.now.get(item)
        if known is not None and not known.relation:
            self.now[item] = replace(known, receptacle=holder, relation=relation.name.lower())

    @rule(relation=relations, item=st.sampled_from(THINGS), holder=st.sampled_from(THINGS))
    def lift(self, relation, item, holder):
        self.graph.disconnect(Edge(relation, item, holder))
        known = self.now.get(item)
        if known is not None and known.receptacle == holder:
            self.now[item] = replace(known, receptacle="", relation="")

    @rule()
    def restart(self):
        before, places = dumps(self.graph.snapshot()), likely_places(self.graph, {"Apple"})
        self.graph = SceneGraph.restore(GraphState.from_json(json.loads(before)))
        assert dumps(self.graph.snapshot()) == before
        assert likely_places(self.graph, {"Apple"}) == places

    @invariant()
    def knows_how_likely_each_place_is(self):
        places = likely_places(self.graph, {"Apple", "Box"})
        assert not places or sum(place.probability for place in places) == pytest.approx(1.0)
        assert all(place.node == self.now[place.node.id] and place.probability > 0 for place in places)

    @invariant()
    def believes_what_the_table_says(self):
        assert {node.id: node for node in self.graph.nodes()} == self.now
        for layer in Layer:
            assert self.graph.count(layer) == sum(node.layer is layer for node in self.now.values())
            assert {node.id for node in self.graph.nodes(layer)} == {
                node.id for node in self.now.values() if node.layer is layer
            }
        for category in ("Apple", "Box"):
            assert [node.id for node in self.graph.of_category(category)] == sorted(
                node.id for node in self.now.values() if node.category == category
            )

    @invariant()
    def remembers_what_was_before(self):
        for node_id in THINGS + PLACES:
            history = [
                (belief.node, belief.valid_from, belief.source, belief.valid_until)
                for belief in self.graph.history(node_id)
            ]
            expected = list(self.ended.get(node_id, []))[-KEPT_BELIEFS:]
            if node_id in self.now:
                expected.append((self.now[node_id], *self.since[node_id], None))
            assert history == expected
        assert [belief.node.id for belief in self.graph.lost()] == sorted(set(self.ended) - set(self.now))

    @invariant()
    def contains_and_supports_what_the_nodes_say(self):
        for place in THINGS + PLACES:
            nodes = sorted(self.now.values(), key=lambda node: node.id)
            assert self.graph.children(place) == [node for node in nodes if node.parent == place]
            assert self.graph.supported(place) == [
                (node, node.relation or "on") for node in nodes if node.receptacle == place and node.relation != "held"
            ]

    @invariant()
    def links_what_was_connected(self):
        for relation, links in self.links.items():
            found = {frozenset((e.source, e.target)): e.weight for e in self.graph.edges() if e.type is relation}
            assert found == {pair: metres for pair, metres in links.items() if pair <= set(self.now)}

    @invariant()
    def says_what_changed(self):
        def line(node_id):
            node = self.graph.node(node_id)
            return node and (node, describe_in(self.graph, node), self.graph.room_of(node))

        for node_id in self.graph.take_changed():
            self.lines[node_id] = line(node_id)
        for node_id in THINGS:
            known, said = line(node_id), self.lines.get(node_id)
            assert (known and known[:2]) == (said and said[:2])
            assert (known and known[2] and known[2].id) == (said and said[2] and said[2].id)

    @invariant()
    def finds_the_shortest_way(self):
        known = sorted(self.now)
        metres = {(a, b): 0.0 if a == b else math.inf for a in known for b in known}
        for ends, length in self.links[Relation.REACHABLE].items():
            if ends <= set(known):
                a, b = ends
                metres[a, b] = metres[b, a] = length
        for via, a, b in itertools.product(known, repeat=3):  # Floyd and Warshall
            metres[a, b] = min(metres[a, b], metres[a, via] + metres[via, b])
        way = path_between(self.graph, "node_1", "node_2")
        assert (way[1] if way else math.inf) == metres.get(("node_1", "node_2"), math.inf)
        if way:
            assert way == path_between(SceneGraph.restore(self.graph.snapshot()), "node_1", "node_2")
            steps = itertools.pairwise(node.id for node in way[0])
            assert sum(self.links[Relation.REACHABLE][frozenset(step)] for step in steps) == way[1]


GraphMachine.TestCase.settings = settings(max_examples=120, stateful_step_count=50, deadline=None)
TestGraph = GraphMachine.TestCase


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
