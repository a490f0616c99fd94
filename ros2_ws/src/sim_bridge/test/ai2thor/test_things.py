# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Real metadata of AI2-THOR, as the package `procthor` carries it, read by the adapter's eyes."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from sim_bridge.ai2thor.things import described, ground_of, holder_of, shut_around, things_in
from sim_bridge.household.recorded import RecordingsMissingError, recording


@pytest.fixture(scope="module")
def kitchen() -> list[dict[str, Any]]:
    try:
        recording("FloorPlan1")
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    folder = importlib.util.find_spec("procthor").submodule_search_locations[0]
    return json.loads(Path(folder, "databases/ai2thor-object-metadata.json").read_text())["kitchens"][0]


def test_a_kitchen_is_read_as_the_household_reads_its_recording(kitchen: list[dict[str, Any]]) -> None:
    things = things_in(kitchen, ground_of(kitchen))
    burners = {name for spec in recording("FloorPlan1").objects for name in spec.controls}
    for spec in recording("FloorPlan1").objects:
        thing = things[spec.id]
        seen = described(thing, things)
        assert seen.category == spec.category
        assert seen.center == pytest.approx(spec.box.center, abs=1e-4)
        assert seen.size == pytest.approx(spec.box.size, abs=0.0101)  # the household thickens planes
        assert seen.movable == spec.movable
        flags = {name: value for name, value in seen.states.items() if value in ("true", "false")}
        expected = {**({"isToggled": False} if spec.id in burners else {}), **spec.states}
        assert flags == {name: str(value).lower() for name, value in expected.items()}
        assert seen.receptacle == spec.parent, spec.id


def test_what_is_in_a_closed_cupboard_is_shut_in(kitchen: list[dict[str, Any]]) -> None:
    things = things_in(kitchen, ground_of(kitchen))
    shut = {t.category for t in things.values() if (around := shut_around(t, things)) and around.category == "Fridge"}
    assert shut
    apple = next(t for t in things.values() if t.category == "Apple")
    assert shut_around(apple, things) is None
    assert holder_of(apple, things).category == "CounterTop"


def test_what_is_held_has_no_box_and_no_receptacle(kitchen: list[dict[str, Any]]) -> None:
    objects = [dict(o) for o in kitchen]
    apple = next(o for o in objects if o["objectType"] == "Apple")
    apple.update(isPickedUp=True, axisAlignedBoundingBox=None)
    things = things_in(objects, 0.0)
    seen = described(things[apple["objectId"]], things)
    assert (seen.relation, seen.receptacle, seen.size) == ("held", "", (0.0, 0.0, 0.0))
