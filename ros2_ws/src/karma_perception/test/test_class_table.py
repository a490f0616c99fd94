# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import pytest

from karma_perception.class_table import STATES, ClassTable, ClassTableError, read_class_table
from karma_perception.detectors.labels import COCO


def test_coco_s_classes_become_the_household_s():
    table = read_class_table()
    assert [table.category(n) for n in ("cup", "couch", "TV", "refrigerator", "motorcycle", "traffic light")] == [
        "Mug",
        "Sofa",
        "Television",
        "Fridge",
        "Motorcycle",
        "TrafficLight",
    ]
    categories = [table.category(n) for n in COCO]
    assert None not in categories


def test_furniture_stays_and_the_rest_can_be_carried_off():
    table = read_class_table()
    assert not any(table.movable(c) for c in ("Sofa", "Fridge", "DiningTable", "Motorcycle", "Toilet"))
    assert all(table.movable(c) for c in ("Mug", "Apple", "Book", "SomethingNew"))


def test_states_are_those_that_a_class_can_have():
    table = read_class_table()
    assert set(table.states_of("Microwave")) == {"opened", "closed", "on", "off"}
    assert set(table.states_of("Mug")) == {"cleaned", "dirty", "filled"}
    assert table.states_of("Sofa") == ()
    assert all(s in STATES for states in table.states.values() for s in states)


def test_table_of_one_s_own_replaces_the_one_built_in(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("names: {Cup: Glass, person: null}\nstatic: [Piano]\nstates: [{of: [filled], classes: [Glass]}]\n")
    table = read_class_table(file)
    assert table.category("cup") == "Glass"
    assert table.category("person") is None
    assert table.category("couch") == "Couch"
    assert not table.movable("Piano")
    assert table.states_of("Glass") == ("filled",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("names: [1]", "names"),
        ("nams: {}", "nams"),
        ("states: [{of: [bewitched], classes: [Mug]}]", "bewitched"),
        ("[", "cannot be read"),
        ("names: 2026-02-30", "cannot be read"),
        ("names: !!int ''", "cannot be read"),
        ("!!python/object/apply:os.system [ls]", "cannot be read"),
    ],
)
def test_table_that_is_wrong_is_refused_with_the_place(tmp_path, content, said):
    (tmp_path / "mine.yaml").write_text(content)
    with pytest.raises(ClassTableError, match=said):
        read_class_table(tmp_path / "mine.yaml")


def test_name_without_a_letter_is_left_out():
    assert ClassTable().category("--") is None
