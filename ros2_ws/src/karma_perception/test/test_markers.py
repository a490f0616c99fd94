# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses

from karma_perception.markers import MarkerBook, Shape, category_color
from karma_perception.scene_graph import Edge, EdgeType, Layer, Node, SceneGraph

BOX = ((1.0, 1.0, 0.5), (1.0, 1.0, 1.0))
FLOOR = Node("floor_0", Layer.FLOOR, "Floor", "ground floor", "", *BOX)
ROOM = Node("room_1", Layer.ROOM, "Kitchen", "kitchen", "floor_0", *BOX)
AREA = Node("area_1", Layer.AREA, "Area", "area 1", "room_1", *BOX)
TABLE = Node("Table|1", Layer.OBJECT, "DiningTable", "dining table", "area_1", *BOX)
MUG = Node("Mug|1", Layer.OBJECT, "Mug", "mug", "area_1", *BOX, movable=True, receptacle="Table|1", relation="on")
ON = Edge(EdgeType.ON, "Mug|1", "Table|1", 0.1)


def graph(*nodes, edges=()):
    return SceneGraph("home", 0.0, {n.id: n for n in nodes}, {e.key: e for e in edges})


ALL = graph(FLOOR, ROOM, AREA, TABLE, MUG, edges=[ON])


def test_every_layer_has_namespaces_of_its_own():
    changed, gone = MarkerBook().update(ALL)
    assert {ns for ns, _ in changed} == {
        *("floor_labels", "rooms", "room_labels", "areas", "area_labels", "receptacles"),
        *("objects_furniture", "labels_furniture", "objects_movable", "labels_movable"),
    }
    assert not gone


def test_parts_are_a_layer_of_their_own():
    drawer = dataclasses.replace(TABLE, id="Drawer|1", category="Drawer", name="drawer")
    part = Edge(EdgeType.PART_OF, "Drawer|1", "Table|1", 0.1)
    changed, _ = MarkerBook().update(graph(FLOOR, ROOM, AREA, TABLE, drawer, MUG, edges=[ON, part]))
    lines = {ns: m.points for (ns, _), m in changed.items() if m.shape is Shape.LINES}
    assert lines == {"receptacles": (MUG.center, TABLE.center), "parts": (drawer.center, TABLE.center)}


def test_only_what_changed_is_sent_again_and_under_the_same_id():
    book = MarkerBook()
    first, _ = book.update(ALL)
    assert book.update(ALL) == ({}, [])
    moved = dataclasses.replace(TABLE, center=(2.0, 1.0, 0.5))
    changed, gone = book.update(graph(FLOOR, ROOM, AREA, moved, MUG))
    assert {ns for ns, _ in changed} == {"objects_furniture", "labels_furniture"}
    assert set(changed) < set(first)
    assert [ns for ns, _ in gone] == ["receptacles"]


def test_the_box_of_an_object_is_turned_as_the_object_is():
    changed, _ = MarkerBook().update(graph(FLOOR, ROOM, AREA, dataclasses.replace(TABLE, yaw=0.4)))
    yaws = {ns: m.yaw for (ns, _), m in changed.items()}
    assert yaws["objects_furniture"] == 0.4
    assert yaws["labels_furniture"] == yaws["rooms"] == 0.0


def test_being_seen_again_is_no_change():
    book = MarkerBook()
    book.update(ALL)
    again = dataclasses.replace(MUG, last_seen=99.0, confidence=0.99)
    assert book.update(graph(FLOOR, ROOM, AREA, TABLE, again, edges=[ON])) == ({}, [])


def test_what_vanished_is_deleted_and_its_id_given_to_no_other():
    book = MarkerBook()
    first, _ = book.update(ALL)
    _, gone = book.update(graph(FLOOR, ROOM, AREA, TABLE))
    cup = dataclasses.replace(MUG, id="Cup|1", receptacle="", relation="")
    changed, _ = book.update(graph(FLOOR, ROOM, AREA, TABLE, cup))
    assert {ns for ns, _ in gone} == {"objects_movable", "labels_movable", "receptacles"}
    assert not set(changed) & set(first)


def test_a_latecomer_can_be_shown_everything():
    book = MarkerBook()
    changed, _ = book.update(ALL)
    assert book.shown == changed
    book.clear()
    assert not book.shown


def test_labels_carry_names_and_say_what_is_held():
    changed, _ = MarkerBook().update(graph(FLOOR, ROOM, AREA, dataclasses.replace(MUG, relation="held")))
    texts = {m.text for m in changed.values() if m.shape is Shape.TEXT}
    assert texts == {"ground floor", "kitchen", "area 1", "mug (held)"}


def test_a_class_always_has_the_same_colour():
    assert category_color("Mug") == category_color("Mug")
    assert category_color("Mug") != category_color("Apple")
    assert all(0.0 <= c <= 1.0 for c in category_color("Mug", 0.5))
