# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import viser
from viewing import Viewer

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.known import Known
from karma_view.panels.first_visit import FirstVisit, examples

TABLE = Node("table", Layer.OBJECT, "CoffeeTable", "", "", (1, 0, 1), (1, 1, 1), support_heights=(1.0,))
SINK = replace(TABLE, id="sink", category="Sink")
MUG = Node("mug", Layer.OBJECT, "RedMug", "", "", (1, 0, 1), (0.1, 0.1, 0.1), True, "table", "on")
GRAPH = SceneGraph(nodes={node.id: node for node in (TABLE, SINK, MUG)})


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield Viewer(server)
    server.stop()


def test_examples_are_of_this_home_and_clear() -> None:
    assert examples(GRAPH) == (
        "Where is the red mug?",
        "I prefer the red mug on the sink.",
        "Put the red mug on the sink.",
    )
    shelf, books = replace(TABLE, id="shelf", category="Shelf"), replace(MUG, category="Book", receptacle="shelf")
    library = {**GRAPH.nodes, "shelf": shelf, "b1": replace(books, id="b1"), "b2": replace(books, id="b2")}
    assert examples(replace(GRAPH, nodes=library))[2] == "Put the red mug on the shelf.", "where much is kept"
    other = replace(MUG, id="mug 2")
    assert examples(replace(GRAPH, nodes={**GRAPH.nodes, other.id: other})) == (), "which mug?"
    assert examples(SceneGraph()) == ()


def test_an_example_is_said_by_a_click_and_they_go_when_something_was_said(viewer: Viewer) -> None:
    said: list[str] = []
    visit = FirstVisit(viewer, said.append)  # type: ignore[arg-type]
    visit.update(Known(), said=False)
    assert "Examples from this home come" in viewer.html_sent()[-1]
    visit.update(Known(graph=GRAPH), said=False)
    viewer.press("Where is the red mug?")
    assert said == ["Where is the red mug?"]
    visit.update(Known(graph=GRAPH), said=True)
    assert not visit._folder.visible
    assert not visit._words.visible
