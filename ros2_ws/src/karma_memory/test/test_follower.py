# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import pytest
from world import APPLE, AREAS, COUNTER, HOME, KITCHEN, ROADS

from karma_memory import Edge, InvalidEventError, Layer, Node, Relation
from karma_memory.scene_graph import GraphUpdate, SceneFollower, SceneGraph
from karma_memory.scene_graph.follower import GapError
from karma_memory.scene_graph.shared_places import SharedPlaces


class Subscriber:
    """A memory that follows a publisher, as Memory.observe_graph does."""

    def __init__(self, places=None, graphs=None):
        self.follower = SceneFollower(60.0, places)
        self.graphs = {} if graphs is None else graphs

    def take(self, sequence, nodes=(), *, scene="home1", full=False, removed=(), edges=(), stamp=1.0):
        graph = self.graphs.setdefault(scene, SceneGraph(scene))
        update = self.follower.shared(
            GraphUpdate(scene, sequence, stamp, full, tuple(nodes), tuple(removed), tuple(edges)), graph
        )
        news = self.follower.news(update, graph)
        for node in news.nodes:
            graph.observe(node, stamp, "x")
        for node_id in news.removed:
            graph.vanish(node_id, stamp)
        for edge in news.edges:
            graph.connect(edge)
        self.follower.accept(update)
        return news


@pytest.fixture
def subscriber():
    subscriber = Subscriber()
    subscriber.take(1, HOME, full=True, edges=ROADS)
    return subscriber


def test_only_real_changes_are_news(subscriber):
    assert not subscriber.take(2, [replace(APPLE, position=(2.04, 1.0, 1.1), last_seen=2.0)])
    assert not subscriber.take(3, [replace(COUNTER, last_seen=500.0)])
    assert not subscriber.take(4, edges=[replace(ROADS[0], weight=2.05)])
    assert subscriber.take(5, [replace(APPLE, position=(2.06, 1.0, 1.1), last_seen=3.0)]).nodes
    assert subscriber.take(6, [replace(COUNTER, states={"isDirty": "true"}, last_seen=501.0)]).nodes
    assert subscriber.take(7, edges=[replace(ROADS[0], weight=2.5)]).edges


def test_a_movable_object_that_stays_is_remembered_again_after_the_refresh_period(subscriber):
    assert not subscriber.take(2, [replace(APPLE, last_seen=60.9)])
    assert subscriber.take(3, [replace(APPLE, last_seen=61.0)]).nodes


def test_a_missing_update_is_noticed_and_the_full_graph_goes_on_from_there(subscriber):
    with pytest.raises(GapError, match="came after 1"):
        subscriber.take(4)
    news = subscriber.take(5, [*HOME[:-1]], full=True, edges=ROADS)
    assert news.removed == (APPLE.id,)
    assert not subscriber.take(4, [replace(COUNTER, states={"old": "news"})])
    subscriber.take(6, [replace(APPLE, last_seen=9.0)])
    assert APPLE.id in subscriber.graphs["home1"]


def test_a_late_subscriber_needs_the_full_graph():
    with pytest.raises(GapError, match="first update"):
        Subscriber().take(17, [APPLE])


def test_a_publisher_that_starts_again_does_not_make_the_memory_forget(subscriber):
    news = subscriber.take(1, [HOME[0], KITCHEN, AREAS[0]], full=True)
    graph = subscriber.graphs["home1"]
    assert APPLE.id in graph
    assert news.removed == ("node_2",)  # areas of a room are replaced together
    assert "node_3" in graph


def test_scenes_are_followed_one_by_one(subscriber):
    subscriber.take(1, [APPLE], scene="home2")
    assert subscriber.follower.scene == "home2"
    with pytest.raises(GapError):
        subscriber.take(2, [APPLE], scene="home1")
    assert len(subscriber.graphs["home1"]) == len(HOME)


def test_an_object_that_a_skill_moved_is_not_gone_when_its_old_place_is_empty(subscriber):
    graph = subscriber.graphs["home1"]
    graph.observe(
        replace(APPLE, position=(0.0, 1.0, 1.0), receptacle="Fridge|1", relation="in", last_seen=5.0), 5.0, "put"
    )
    assert not subscriber.take(2, removed=[APPLE.id], stamp=6.0)
    assert APPLE.id in graph


def test_what_is_in_something_closed_is_out_of_view_and_not_gone(subscriber):
    graph = subscriber.graphs["home1"]
    fridge = replace(COUNTER, id="Fridge|1", category="Fridge", states={"isOpen": "false"})
    graph.observe(fridge, 2.0, "seen")
    graph.observe(replace(APPLE, receptacle=fridge.id, relation="in", last_seen=2.0), 2.0, "put")
    assert not subscriber.take(2, removed=[APPLE.id], stamp=6.0)
    graph.observe(replace(fridge, states={"isOpen": "true"}), 7.0, "opened")
    assert subscriber.take(3, removed=[APPLE.id], stamp=8.0).removed == (APPLE.id,)


def test_an_object_that_is_gone_from_where_it_was_believed_is_gone(subscriber):
    assert subscriber.take(2, removed=[APPLE.id], stamp=6.0).removed == (APPLE.id,)
    assert not subscriber.take(3, removed=["never seen"])


def test_a_stale_sighting_is_no_news(subscriber):
    graph = subscriber.graphs["home1"]
    graph.observe(replace(APPLE, position=(0.0, 1.0, 1.0), last_seen=5.0), 5.0, "put")
    assert not subscriber.take(2, [replace(APPLE, position=(2.0, 1.0, 1.1), last_seen=4.0)])


def test_removed_edges_are_news_when_they_were_known(subscriber):
    known = subscriber.graphs["home1"]
    unknown = Edge(Relation.NEAR, "Apple|1", "Bed|1")
    update = GraphUpdate("home1", 2, 2.0, removed_edges=(ROADS[0], unknown))
    assert subscriber.follower.news(update, known).removed_edges == (ROADS[0],)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"scene": "a\nb"}, "scene must consist of printable"),
        ({"stamp": -1.0}, "stamp must be between"),
        ({"nodes": (APPLE, APPLE)}, "lists node 'Apple|1' twice"),
        ({"removed": ("",)}, "removed id must not be empty"),
        ({"edges": (APPLE,)}, "must hold Edge only"),
    ],
)
def test_a_malformed_update_is_refused_with_a_reason(fields, message):
    with pytest.raises(InvalidEventError, match=message):
        GraphUpdate(**{"scene": "home1", "sequence": 1, "stamp": 1.0, **fields})


def test_a_surface_that_was_not_known_is_news(subscriber):
    assert subscriber.take(2, [replace(COUNTER, support_heights=(0.9,), last_seen=2.0)]).nodes
    assert not subscriber.take(3, [replace(COUNTER, support_heights=(0.91,), last_seen=3.0)])
    assert not subscriber.take(4, [replace(COUNTER, last_seen=4.0)])
    assert subscriber.take(5, [replace(COUNTER, support_heights=(0.4, 0.91), last_seen=5.0)]).nodes


def test_parts_are_news_once(subscriber):
    part = Edge(Relation.PART_OF, "CounterTop|1", "Fridge|1")
    assert subscriber.take(2, edges=[part]).edges
    assert not subscriber.take(3, edges=[replace(part, weight=1.0)])


def floor_plan(rooms, *, number=1, shift=0.0):
    """Return rooms of 4 m by 2.5 m with eight areas each, numbered in an order of its own: name → x of the middle."""
    nodes = []
    for room, (name, x) in enumerate(rooms.items(), start=number):
        nodes.append(Node(f"room_{room}", Layer.ROOM, name, position=(x, 0.0, 1.2), size=(4.0, 2.5, 2.5)))
        for area in range(8):
            at = (x - 1.5 + area % 4 + shift, area // 4 - 0.5, 0.0)
            name_of = f"area_{room}{area}"
            size = (1.25, 1.25, 0.0)
            nodes.append(Node(name_of, Layer.AREA, "Area", parent=f"room_{room}", position=at, size=size))
    return nodes


HALVES = {"Kitchen": 2.0, "Bedroom": 6.0}


def rooms_of(subscriber):
    graph = subscriber.graphs["home1"]
    return sorted(room.category for room in graph.nodes(Layer.ROOM)), graph.count(Layer.AREA)


def test_a_map_that_is_made_again_takes_the_place_of_the_one_before():
    subscriber = Subscriber()
    subscriber.take(1, floor_plan(HALVES), full=True)
    for start in range(1, 6):
        again = dict(reversed(HALVES.items())) if start % 2 else HALVES
        subscriber.take(1, floor_plan(again, number=10 * start, shift=0.6 * (start % 2)), full=True, stamp=1.0 + start)
        assert rooms_of(subscriber) == (["Bedroom", "Kitchen"], 16), start


def test_what_is_not_mapped_again_stays():
    subscriber = Subscriber()
    subscriber.take(1, floor_plan(HALVES), full=True)
    subscriber.take(1, floor_plan({"Kitchen": 2.0}, number=3, shift=0.3)[:5], full=True, stamp=2.0)
    assert rooms_of(subscriber)[0] == ["Bedroom", "Kitchen"]
    subscriber.take(2, floor_plan({"Kitchen": 2.0}, number=3, shift=0.3)[5:], stamp=3.0)
    assert rooms_of(subscriber) == (["Bedroom", "Kitchen"], 16)


def test_what_another_robot_reports_stays():
    places, graphs = SharedPlaces(), {}
    one, other = Subscriber(places, graphs), Subscriber(places, graphs)
    one.take(1, floor_plan(HALVES), full=True)
    other.take(1, floor_plan(HALVES, number=5), full=True, stamp=2.0)
    assert rooms_of(one) == (["Bedroom", "Kitchen"], 16)
    reported = {node.id for node in graphs["home1"].nodes(Layer.AREA)}
    one.take(1, floor_plan(HALVES, number=8, shift=0.45), full=True, stamp=3.0)
    assert reported <= {node.id for node in graphs["home1"].nodes(Layer.AREA)}
