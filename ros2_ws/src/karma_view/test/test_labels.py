# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from dataclasses import replace

import pytest

from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph
from karma_view.known import Known, Pose
from karma_view.scene.compare import Change, Difference
from karma_view.scene.labels import MOST, NEAR, Eye, Label, Rank, choose, labels_of

AHEAD = Eye((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), math.radians(60), 1280.0, 800.0)
"""Looks along z, as a camera at rest."""


def label(name: str, rank: Rank, x: float, y: float, z: float, text: str = "mug") -> Label:
    return Label(name, rank, text, (x, y, z))


def ids(labels: list[Label]) -> list[str]:
    return [label.id for label in labels]


def test_of_two_at_one_place_the_thing_is_told_and_not_the_furniture() -> None:
    labels = [label("cabinet", Rank.FURNITURE, 0, 0, 3), label("mug", Rank.THING, 0, 0, 3.1)]
    assert ids(choose(labels, AHEAD)) == ["mug"]
    assert ids(choose([*labels, label("plate", Rank.THING, 1.0, 0, 3)], AHEAD)) == ["plate", "mug"]


def test_what_is_chosen_comes_before_all() -> None:
    labels = [label("mug", Rank.THING, 0, 0, 3), label("cabinet", Rank.CHOSEN, 0, 0, 3)]
    assert ids(choose(labels, AHEAD)) == ["cabinet"]


def test_parts_are_told_only_near() -> None:
    near, far = label("near", Rank.PART, 0, 0, NEAR - 0.1), label("far", Rank.PART, 1, 0, NEAR + 0.1)
    assert ids(choose([near, far], AHEAD)) == ["near"]


@pytest.mark.parametrize("place", [(0, 0, -3), (30, 0, 3), (0, 30, 3)])
def test_nothing_is_written_where_it_is_not_seen(place: tuple[float, float, float]) -> None:
    assert choose([label("mug", Rank.THING, *place)], AHEAD) == []


def test_what_is_written_stays_where_two_are_equal() -> None:
    labels = [label("near", Rank.THING, 0, 0, 3), label("far", Rank.THING, 0, 0, 3.2)]
    assert ids(choose(labels, AHEAD)) == ["near"]
    assert ids(choose(labels, AHEAD, frozenset({"far"}))) == ["far"]


def test_there_are_never_more_than_a_few() -> None:
    labels = [label(f"{x} {y}", Rank.THING, 0.2 * x, 0.1 * y, 6.0, "m") for x in range(-25, 25) for y in range(-25, 25)]
    assert len(choose(labels, AHEAD)) == MOST
    assert len(choose(labels, AHEAD, most=7)) == 7


def test_what_could_be_written() -> None:
    room = Node("room", Layer.ROOM, "Kitchen", "kitchen 1", "floor", (0, 0, 1), (4, 4, 2))
    fridge = Node("fridge", Layer.OBJECT, "Fridge", "", "room", (1, 0, 1), (1, 1, 2), states={"isOpen": "true"})
    drawer = replace(fridge, id="drawer", category="Drawer", states={})
    mug = replace(drawer, id="mug", category="CoffeeMug", movable=True)
    knob = replace(drawer, id="knob", category="StoveKnob", size=(0.05, 0.05, 0.05), center=(2, 0, 1))
    part = Edge(EdgeType.PART_OF, "drawer", "fridge")
    graph = SceneGraph(nodes={n.id: n for n in (room, fridge, drawer, mug, knob)}, edges={part.key: part})
    written = {label.id: (label.rank, label.text, label.position) for label in labels_of(Known(graph=graph))}
    assert written == {
        "room": (Rank.ROOM, "kitchen 1", (0, 0, 1)),
        "fridge": (Rank.FURNITURE, "fridge (open)", (1, 0, 2)),
        "drawer": (Rank.PART, "drawer", (1, 0, 2)),
        "mug": (Rank.THING, "coffee mug", (1, 0, 2)),
        "knob": (Rank.PART, "stove knob", (2, 0, 1.025)),
    }
    assert {label.rank for label in labels_of(Known(graph=graph), "drawer") if label.id == "drawer"} == {Rank.CHOSEN}


def test_what_changed_is_told_once_and_not_over_another() -> None:
    mug = Node("mug", Layer.OBJECT, "Mug", "", "", (0, 0, 3), (0.1, 0.1, 0.1), True)
    gone = replace(mug, id="gone", center=(0, 0, 3.1))
    changes = [Difference(Change.MOVED, mug, mug, ""), Difference(Change.VANISHED, gone, None, "")]
    labels = labels_of(Known(graph=SceneGraph(nodes={"mug": mug})), changes=changes)
    assert [(one.id, one.text) for one in labels] == [("mug", "mug: moved"), ("gone", "mug: gone since then")]
    assert ids(choose(labels, AHEAD)) == ["mug"]


def test_the_robot_tells_what_it_holds() -> None:
    mug = Node("mug", Layer.OBJECT, "CoffeeMug", "", "", (0, 0, 0), (1, 1, 1), True, relation="held")
    known = Known(graph=SceneGraph(nodes={"mug": mug}), pose=Pose((1.0, 2.0, 0.0), 0.0))
    robot = next(label for label in labels_of(known) if label.rank is Rank.ROBOT)
    assert (robot.text, robot.position[:2]) == ("robot, holds coffee mug", (1.0, 2.0))
    assert [label.rank for label in labels_of(Known(graph=known.graph))] == [Rank.THING]
