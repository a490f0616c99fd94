# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.panels.find import places_of, result_of
from karma_view.panels.search import found
from karma_view.wording import place_of, spoken, states_of

ROOM = Node("room", Layer.ROOM, "Kitchen", "kitchen 1", "floor", (0, 0, 1), (4, 4, 2))
AREA = Node("area", Layer.AREA, "Area", "", "room", (0, 0, 1), (1, 1, 2))
TABLE = Node("table/1", Layer.OBJECT, "DiningTable", "", "area", (1, 0, 1), (1, 1, 1), support_heights=(1.0,))
MUG = Node(
    "mug/2", Layer.OBJECT, "Mug", "", "area", (1, 0, 1), (0.1, 0.1, 0.1), True, "table/1", "on", {"isDirty": "true"}
)
CUP = replace(MUG, id="mug/1", states={}, receptacle="", relation="held")
MACHINE = replace(TABLE, id="machine", category="CoffeeMachine", states={"isToggled": "true"}, support_heights=())
GRAPH = SceneGraph(nodes={node.id: node for node in (ROOM, AREA, TABLE, MUG, CUP, MACHINE)})


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("mug", ["mug/1", "mug/2"]),
        ("Where is my dirty mug?", ["mug/2", "mug/1"]),
        ("mugs", ["mug/1", "mug/2"]),
        ("CoffeeMachine", ["machine"]),
        ("the coffee machine", ["machine"]),
        ("what is on", ["machine"]),
        ("tables", ["table/1"]),
        ("elephant", []),
        ("", []),
    ],
)
def test_things_are_found_by_what_people_call_them(query: str, ids: list[str]) -> None:
    assert [node.id for node in found(GRAPH, query, 8)] == ids


def test_no_more_are_found_than_asked_for() -> None:
    assert len(found(GRAPH, "mug", 1)) == 1


def test_results_tell_state_and_place() -> None:
    assert result_of(GRAPH, MUG) == "mug (dirty): on the dining table, kitchen 1"
    assert place_of(GRAPH, CUP) == "held by the robot, kitchen 1"
    assert place_of(SceneGraph(), MUG) == ""


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ({"isOpen": "true", "isDirty": "false"}, ("open",)),
        ({"isToggled": "true"}, ("on",)),
        ({"isToggled": "false", "temperature": "RoomTemp"}, ()),
        (
            {"temperature": "Hot", "isFilledWithLiquid": "true", "fillLiquid": "coffee"},
            ("coffee", "filled with liquid", "hot"),
        ),
        ({"isUsedUp": "true"}, ("used up",)),
        ({"<b>": "<script>"}, ("b script",)),
    ],
)
def test_states_are_told_in_words(states: dict[str, str], told: tuple[str, ...]) -> None:
    assert states_of(replace(MUG, states=states)) == told


def test_a_category_is_told_in_words() -> None:
    assert [spoken(name) for name in ("SoapBottle", "TVStand", "mug", "杯")] == ["soap bottle", "tv stand", "mug", "杯"]


def test_places_that_sound_the_same_are_told_apart() -> None:
    graph = replace(GRAPH, nodes=dict(GRAPH.nodes) | {"table/2": replace(TABLE, id="table/2")})
    assert places_of(graph) == {"dining table: kitchen 1": "table/1", "dining table: kitchen 1 (2)": "table/2"}
