# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from boxes import known

from karma_perception.objects.parts import part_of


def parts(*objects):
    return part_of({o.id: o for o in objects})


DRESSER = known("Dresser|1", (0, 0, 0), (0.5, 1, 0.9), movable=False)
COUNTER = known("CounterTop|1", (2, 0, 0.88), (2.6, 2, 0.92), movable=False)


def test_a_drawer_of_which_only_the_front_is_seen_is_a_part_of_its_dresser():
    front = known("Drawer|1", (0.49, 0.1, 0.5), (0.52, 0.9, 0.7), movable=False)
    assert parts(DRESSER, COUNTER, front) == {"Drawer|1": "Dresser|1"}


def test_a_drawer_below_a_counter_is_a_part_of_it_and_a_cabinet_above_is_not():
    drawer = known("Drawer|1", (2.58, 0.1, 0.6), (2.62, 0.6, 0.85), movable=False)
    hung = known("Cabinet|1", (2.0, 0.1, 1.4), (2.3, 0.6, 2.0), movable=False)
    assert parts(COUNTER, drawer, hung) == {"Drawer|1": "CounterTop|1"}


def test_a_basin_is_a_part_of_the_sink_and_the_sink_of_the_counter():
    sink = known("Sink|1", (2.1, 0.8, 0.7), (2.5, 1.4, 0.9), movable=False)
    basin = known("SinkBasin|1", (2.15, 0.85, 0.75), (2.45, 1.35, 0.89), movable=False)
    assert parts(COUNTER, sink, basin) == {"SinkBasin|1": "Sink|1", "Sink|1": "CounterTop|1"}


def test_burners_and_knobs_are_parts_of_the_stove():
    stove = known("StoveOven|1", (4, 0, 0), (4.6, 0.6, 0.9), movable=False)
    burner = known("StoveBurner|1", (4.1, 0.1, 0.89), (4.3, 0.3, 0.92), movable=False)
    knob = known("StoveKnob|1", (4.6, 0.1, 0.8), (4.63, 0.14, 0.84), movable=False)
    assert parts(stove, burner, knob) == {"StoveBurner|1": "StoveOven|1", "StoveKnob|1": "StoveOven|1"}


def test_of_two_that_it_may_be_in_a_part_belongs_to_the_smaller():
    large = known("ShelvingUnit|2", (-1, -1, 0), (2, 2, 2), movable=False)
    small = known("ShelvingUnit|1", (0, 0, 0), (1, 0.4, 1.8), movable=False)
    shelf = known("Shelf|1", (0.02, 0.02, 0.88), (0.98, 0.38, 0.9), movable=False)
    assert parts(large, small, shelf) == {"Shelf|1": "ShelvingUnit|1"}


def test_a_chair_under_a_table_is_no_part_of_it():
    table = known("DiningTable|1", (0, 0, 0), (2, 2, 0.8), movable=False)
    assert parts(table, known("Chair|1", (0.2, 0.2, 0), (0.7, 0.7, 0.75), movable=False)) == {}
