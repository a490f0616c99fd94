# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import viser

from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph
from karma_view.scene.home import HomeDrawing, layer_of, parts_of, room_colors

ROOMS = 20


def room(number: int) -> Node:
    return Node(f"room/{number}", Layer.ROOM, "Kitchen", f"kitchen {number}", "floor", (5.0 * number, 0, 1), (4, 4, 2))


def thing(number: int, **more: Any) -> Node:
    center = (5.0 * (number % ROOMS), 0.001 * number, 0.5)
    fields: dict[str, Any] = {"category": "Mug", "movable": True, "parent": f"area/{number % ROOMS}"}
    fields |= {"center": center, "size": (0.1, 0.1, 0.1)} | more
    return Node(f"Mug/{number}", Layer.OBJECT, name="", **fields)


def home(objects: int) -> SceneGraph:
    areas = [
        Node(f"area/{n}", Layer.AREA, "Area", "", f"room/{n}", room(n).center, (1.0, 1.0, 2.0)) for n in range(ROOMS)
    ]
    nodes = [Node("floor", Layer.FLOOR, "Floor", "", "", (0, 0, 0), (1, 1, 1)), *map(room, range(ROOMS)), *areas]
    nodes += [thing(n, movable=n % 2 == 0) if n >= 2 * ROOMS else thing(n) for n in range(objects)]
    return SceneGraph("home", 1.0, {node.id: node for node in nodes})


def but(graph: SceneGraph, *nodes: Node) -> SceneGraph:
    return replace(graph, nodes=dict(graph.nodes) | {node.id: node for node in nodes})


@pytest.fixture
def server() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()


@pytest.fixture
def sent(server: viser.ViserServer, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    messages: list[Any] = []
    queue = server.scene._queue_scene_message

    def noted(message: Any) -> None:
        messages.append(message)
        queue(message)

    monkeypatch.setattr(server.scene, "_queue_scene_message", noted)
    return messages


def test_what_is_the_same_is_not_sent_again(server: viser.ViserServer, sent: list[Any]) -> None:
    drawing, graph = HomeDrawing(server.scene, "/now"), home(60)
    drawing.update(graph)
    assert sent
    sent.clear()
    seen_again = [
        replace(node, last_seen=9.0, confidence=0.5, states={"isDirty": "true"}) for node in graph.nodes.values()
    ]
    drawing.update(replace(graph, stamp=9.0, nodes={node.id: node for node in seen_again}))
    assert sent == []


def test_a_thing_that_was_moved_costs_the_places_of_its_room_alone(server: viser.ViserServer, sent: list[Any]) -> None:
    drawing, graph = HomeDrawing(server.scene, "/now"), home(400)
    drawing.update(graph)
    sent.clear()
    drawing.update(but(graph, replace(graph.nodes["Mug/40"], center=(0.0, 1.0, 0.9))))
    assert [list(message.updates) for message in sent] == [["batched_positions"]]
    assert len(next(iter(sent[0].updates.values()))) == len(range(0, 400, ROOMS))


def test_five_thousand_objects_are_few_nodes(server: viser.ViserServer, sent: list[Any]) -> None:
    drawing = HomeDrawing(server.scene, "/now")
    sent.clear()
    drawing.update(home(5000))
    created = [message for message in sent if hasattr(message, "props")]
    batches = [message for message in created if hasattr(message.props, "batched_positions")]
    assert sum(len(message.props.batched_positions) for message in batches) == 5000 + ROOMS
    assert len(created) <= 5 * ROOMS


def test_what_has_gone_is_taken_away(server: viser.ViserServer) -> None:
    drawing, graph = HomeDrawing(server.scene, "/now"), home(60)
    drawing.update(graph)
    drawing.update(SceneGraph("home", 2.0))
    left = [name for name in server.scene._handle_from_node_name if name.count("/") > 2 and name.startswith("/now/")]
    assert not any(name.rsplit("/", 1)[1].isdigit() for name in left)


def test_rooms_are_told_apart_by_colour_where_there_are_several() -> None:
    several = room_colors(SceneGraph(nodes={f"room/{n}": room(n) for n in range(ROOMS)}))
    assert len(set(several.values())) == ROOMS
    (red, green, blue) = room_colors(SceneGraph(nodes={"room/0": room(0)}))["room/0"]
    assert max(red, green, blue) - min(red, green, blue) < 50, "a single one is neutral"


def test_furniture_has_edges_that_turn_with_it_and_the_colour_of_its_category(server: viser.ViserServer) -> None:
    turned: dict[str, Any] = {"movable": False, "category": "Table", "yaw": math.pi / 2, "size": (2.0, 1.0, 1.0)}
    table, other = thing(0, **turned), thing(ROOMS, **turned)
    HomeDrawing(server.scene, "/now").update(but(home(0), table, other))
    handles: dict[str, Any] = dict(server.scene._handle_from_node_name)
    drawn = [handle for name, handle in handles.items() if name.startswith("/now/furniture/")]
    (edges,) = (handle for handle in drawn if hasattr(handle, "points"))
    assert len(edges.points) == 2 * 12
    assert np.ptp(edges.points[:12].reshape(-1, 3), axis=0) == pytest.approx([1.0, 2.0, 1.0])
    (boxes,) = (handle for handle in drawn if hasattr(handle, "batched_colors"))
    assert len({tuple(color) for color in boxes.batched_colors}) == 1


def test_a_part_is_no_furniture() -> None:
    graph = SceneGraph(
        edges={(EdgeType.PART_OF, "Drawer/1", "Dresser/1"): Edge(EdgeType.PART_OF, "Drawer/1", "Dresser/1")}
    )
    drawer = Node("Drawer/1", Layer.OBJECT, "Drawer", "", "", (0, 0, 0), (1, 1, 1))
    assert layer_of(drawer, parts_of(graph)) == "parts"
    assert layer_of(drawer, frozenset()) == "furniture"
    assert layer_of(replace(drawer, movable=True), frozenset()) == "things"
