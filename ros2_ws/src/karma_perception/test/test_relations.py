# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from boxes import known

from karma_perception.objects.relations import Placement, near_pairs, place_objects


def place(*objects, floors=()):
    return place_objects({o.id: o for o in objects}, floors=floors)


TABLE = known("DiningTable|1", (0, 0, 0), (1, 1, 0.8), movable=False)


def test_what_stands_on_a_table_is_on_it():
    mug = known("Mug|1", (0.4, 0.4, 0.81), (0.5, 0.5, 0.9))
    assert place(TABLE, mug) == {"Mug|1": Placement("DiningTable|1", "on"), "DiningTable|1": Placement()}


def test_what_hovers_above_or_lies_below_is_not_on_it():
    above = known("Mug|1", (0.4, 0.4, 1.2), (0.5, 0.5, 1.3))
    below = known("Mug|2", (0.4, 0.4, 0.0), (0.5, 0.5, 0.1))
    shelf = known("Shelf|1", (0, 0, 0.7), (1, 1, 0.72), movable=False)
    assert place(shelf, above, below) == dict.fromkeys(("Mug|1", "Mug|2", "Shelf|1"), Placement())


def test_what_stands_beside_is_not_on_it():
    assert place(TABLE, known("Mug|1", (1.3, 0.4, 0.8), (1.4, 0.5, 0.9)))["Mug|1"] == Placement()


def test_the_innermost_of_nested_containers_holds():
    bowl = known("Bowl|1", (0.3, 0.3, 0.8), (0.6, 0.6, 0.9))
    egg = known("Egg|1", (0.42, 0.42, 0.82), (0.48, 0.48, 0.88))
    found = place(TABLE, bowl, egg)
    assert found["Egg|1"] == Placement("Bowl|1", "in")
    assert found["Bowl|1"] == Placement("DiningTable|1", "on")


def test_what_is_inside_a_fridge_is_in_it_open_or_closed():
    egg = known("Egg|1", (0.4, 0.4, 1.0), (0.5, 0.5, 1.1))
    for state in ("true", "false"):
        fridge = known("Fridge|1", (0, 0, 0), (0.8, 0.8, 1.8), movable=False, isOpen=state)
        assert place(fridge, egg)["Egg|1"] == Placement("Fridge|1", "in")


def test_what_is_on_top_of_a_closed_fridge_is_on_it():
    fridge = known("Fridge|1", (0, 0, 0), (0.8, 0.8, 1.8), movable=False, isOpen="false")
    bread = known("Bread|1", (0.3, 0.3, 1.8), (0.5, 0.4, 1.9))
    assert place(fridge, bread)["Bread|1"] == Placement("Fridge|1", "on")


def test_a_pillow_lies_on_the_mattress_and_not_on_the_headboard():
    bed = known("Bed|1", (0, 0, 0), (2, 1.5, 1.0), movable=False, top=0.5)
    pillow = known("Pillow|1", (1.4, 0.5, 0.6), (1.8, 1.0, 0.75))
    assert place(bed, pillow)["Pillow|1"] == Placement("Bed|1", "on")


def test_of_surfaces_at_one_height_the_smaller_piece_of_furniture_holds():
    unit = known("ShelvingUnit|1", (0, 0, 0), (1, 0.4, 1.8), movable=False, top=0.9)
    shelf = known("Shelf|1", (0, 0, 0.88), (1, 0.4, 0.9), movable=False)
    vase = known("Vase|1", (0.4, 0.1, 0.9), (0.5, 0.2, 1.1))
    assert place(unit, shelf, vase)["Vase|1"] == Placement("Shelf|1", "on")


def test_a_towel_hangs_on_its_holder():
    holder = known("TowelHolder|1", (0, 0, 1.3), (0.6, 0.1, 1.35), movable=False)
    towel = known("Towel|1", (0.1, 0.05, 0.8), (0.5, 0.12, 1.34))
    assert place(holder, towel)["Towel|1"] == Placement("TowelHolder|1", "on")


def test_what_the_gripper_holds_is_held_and_nothing_else():
    mug = known("Mug|1", (0.4, 0.4, 0.81), (0.5, 0.5, 0.9), held=True)
    assert place(TABLE, mug)["Mug|1"] == Placement("", "held")


def test_receptacles_form_no_cycle():
    a = known("Box|1", (0, 0, 0), (0.4, 0.4, 0.4))
    b = known("Box|2", (0, 0, 0), (0.4, 0.4, 0.4))
    found = place(a, b)
    assert [p.receptacle for p in found.values()].count("") >= 1


def test_near_are_movable_objects_with_a_small_gap():
    a = known("Mug|1", (0, 0, 0), (0.1, 0.1, 0.1))
    b = known("Cup|1", (0.3, 0, 0), (0.4, 0.1, 0.1))
    c = known("Fork|1", (2, 0, 0), (2.1, 0.1, 0.1))
    pairs = near_pairs({o.id: o for o in (a, b, c, TABLE)})
    assert pairs == [("Cup|1", "Mug|1", pytest.approx(0.3))]


def test_an_empty_map_has_no_relations():
    assert place_objects({}) == {}
    assert near_pairs({}) == []


def test_what_is_built_in_and_what_hangs_on_a_wall_has_no_receptacle():
    cabinet = known("Cabinet|1", (0, 0, 1.0), (1, 0.4, 1.6), movable=False)
    microwave = known("Microwave|1", (0, 0, 0.5), (1, 1, 1.0), movable=False)
    mirror = known("Mirror|1", (0.2, 0.1, 0.81), (0.8, 0.15, 1.5), movable=False)
    found = place(microwave, cabinet, TABLE, mirror)
    assert found["Cabinet|1"] == found["Mirror|1"] == Placement()


def test_furniture_that_stands_on_the_floor_is_not_on_what_stands_over_it():
    chair = known("Chair|1", (0.2, 0.2, 0.0), (0.6, 0.6, 0.7), movable=False)
    assert place(TABLE, chair)["Chair|1"] == Placement()


def test_a_lamp_is_on_its_table_and_no_furniture_on_what_can_be_carried():
    lamp = known("DeskLamp|1", (0.4, 0.4, 0.8), (0.6, 0.6, 1.2), movable=False)
    assert place(TABLE, lamp)["DeskLamp|1"] == Placement("DiningTable|1", "on")
    box = known("Box|1", (3, 0, 0), (4, 1, 0.5))
    assert place(box, known("Toaster|1", (3.2, 0.2, 0.1), (3.5, 0.5, 0.3), movable=False))["Toaster|1"] == Placement()


def test_what_leans_against_furniture_but_stands_on_the_floor_is_not_on_it():
    bat = known("BaseballBat|1", (1.02, 0.2, 0.0), (1.1, 0.3, 0.9))
    assert place(TABLE, bat, floors=[0.0])["BaseballBat|1"] == Placement()


def test_nothing_rests_on_a_knob():
    knob = known("StoveKnob|1", (0, 0, 0.85), (1.0, 1.0, 0.9), movable=False)
    pot = known("Pot|1", (0.4, 0.4, 0.9), (0.6, 0.6, 1.0))
    assert place(knob, pot)["Pot|1"] == Placement()
