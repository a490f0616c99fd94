# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from karma_memory.scene_graph.containment import Containment


def test_an_item_has_one_holder_the_last_that_was_said():
    containment = Containment()
    containment.put("cup", "table", "on")
    containment.put("cup", "sink", "in")
    assert dict(containment.items("table")) == {}
    assert dict(containment.items("sink")) == {"cup": "in"}
    assert [(holder, dict(items)) for holder, items in containment.holding()] == [("sink", {"cup": "in"})]


def test_what_is_taken_away_keeps_what_it_holds():
    containment = Containment()
    containment.put("tray", "table")
    containment.put("cup", "tray")
    containment.remove("tray")
    containment.remove("tray")
    assert containment.within(["table"]) == set()
    assert containment.within(["tray"]) == {"cup"}


def test_everything_within_is_found_once_though_things_hold_each_other():
    containment = Containment()
    containment.put("b", "a")
    containment.put("c", "b")
    containment.put("a", "c")  # a robot may say so
    containment.put("x", "c")
    assert containment.within(["a"]) == {"a", "b", "c", "x"}
