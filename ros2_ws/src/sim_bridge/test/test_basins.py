# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from sim_bridge.household.basins import shallow
from sim_bridge.household.model import Box, ObjectSpec


def spec(name: str, low: float, high: float, width: float, parent: str = "", can: str = "receptacle") -> ObjectSpec:
    box = Box((0.0, 0.0, (low + high) / 2), (width, width, high - low))
    return ObjectSpec(name, name.split("|")[0], box, 0.0, "r", frozenset({can}), parent=parent)


def test_a_basin_is_raised_with_what_lies_in_it_to_where_it_can_be_seen() -> None:
    objects = (
        spec("CounterTop|1", 0.90, 0.92, 2.0),
        spec("SinkBasin|1", 0.75, 0.89, 0.4),
        spec("Bowl|1", 0.75, 0.83, 0.2, "SinkBasin|1", "pickupable"),
        spec("Apple|1", 0.77, 0.87, 0.1, "Bowl|1", "pickupable"),
        spec("Mug|1", 0.92, 1.02, 0.1, "CounterTop|1", "pickupable"),
    )
    counter, basin, bowl, apple, mug = shallow(objects)
    # From 1.1 m high and 0.8 m away one looks down 0.18 m over the counter's edge, so 0.018 m on the next 0.08 m.
    assert basin.box.low[2] == pytest.approx(0.92 - 0.018)
    assert basin.box.high[2] == pytest.approx(0.92)
    assert bowl.box.low[2] == pytest.approx(basin.box.low[2])
    assert apple.box.low[2] == pytest.approx(bowl.box.low[2] + 0.02)
    assert (counter, mug) == (objects[0], objects[4])


def test_a_basin_that_is_shallow_already_stays() -> None:
    tub = spec("BathtubBasin|1", 0.0, 0.1, 0.8)
    assert shallow([tub])[0].box.low[2] == pytest.approx(0.0)


def test_what_is_in_a_garbage_can_lies_near_its_top() -> None:
    can, core = shallow(
        [spec("GarbageCan|1", 0.0, 0.5, 0.3), spec("Apple|1", 0.02, 0.1, 0.08, "GarbageCan|1", "pickupable")]
    )
    assert can.box.size[2] == 0.5
    assert core.box.low[2] == pytest.approx(0.45)
