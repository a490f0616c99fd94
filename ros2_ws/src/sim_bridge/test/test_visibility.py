# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import numpy as np
import pytest

from sim_bridge.household.model import Box, ObjectSpec, Room, Scene
from sim_bridge.household.visibility import CAMERA_HEIGHT, Sight, View
from sim_bridge.household.world import World
from sim_bridge.simulation.senses import RANGE

EYE = (0.0, 0.0, CAMERA_HEIGHT)


def thing(name: str, center: tuple[float, float, float], size: float = 0.1, **more: object) -> ObjectSpec:
    return ObjectSpec(name, name.split("|")[0], Box(center, (size,) * 3), 0.0, "r", frozenset({"pickupable"}), **more)


def furniture(name: str, center: tuple[float, float, float], size: tuple[float, float, float], *can: str) -> ObjectSpec:
    states = {"isOpen": False} if "openable" in can else {}
    return ObjectSpec(name, name.split("|")[0], Box(center, size), 0.0, "r", frozenset(can), states)


def sight(*objects: ObjectSpec) -> Sight:
    room = Room("r", "Kitchen", "FloorPlan1", 0, (-8.0, -8.0), (8.0, 8.0))
    return Sight(World(Scene("test", (room,), (), objects, {(0, 0, 0): "r"}, (0, 0, 0))))


def test_what_is_ahead_is_seen_and_what_is_behind_or_far_is_not() -> None:
    eyes = sight(
        thing("Mug|1", (2.0, 0.0, 1.0)), thing("Mug|2", (-2.0, 0.0, 1.0)), thing("Mug|3", (RANGE + 1, 0.0, 1.0))
    )
    assert eyes.visible(View(EYE, 0.0, 0.0)) == ("Mug|1",)
    assert eyes.visible(View(EYE, math.pi, 0.0)) == ("Mug|2",)


def test_the_frame_ends_45_degrees_to_the_side() -> None:
    view = View(EYE, 0.0, 0.0)
    at = [(2 * math.cos(math.radians(a)), 2 * math.sin(math.radians(a)), 1.1) for a in (40.0, 50.0)]
    inside, outside = (sight(thing("Mug|1", p)).sees("Mug|1", view) for p in at)
    assert inside
    assert not outside


def test_looking_down_brings_the_floor_before_the_robot_into_view() -> None:
    eyes = sight(thing("Mug|1", (0.6, 0.0, 0.05)))
    assert not eyes.sees("Mug|1", View(EYE, 0.0, 0.0))
    assert eyes.sees("Mug|1", View(EYE, 0.0, math.radians(-50)))


def test_tall_furniture_hides_what_is_behind_it() -> None:
    fridge = furniture("Fridge|1", (1.0, 0.0, 0.9), (0.6, 0.8, 1.8), "openable", "receptacle")
    assert sight(fridge, thing("Mug|1", (2.0, 0.0, 0.5))).visible(View(EYE, 0.0, 0.0)) == ("Fridge|1",)


def test_a_window_hides_nothing() -> None:
    window = furniture("Window|1", (1.0, 0.0, 1.2), (0.1, 2.0, 2.0))
    assert sight(window, thing("Mug|1", (2.0, 0.0, 1.0))).sees("Mug|1", View(EYE, 0.0, 0.0))


def test_a_closed_fridge_hides_its_contents_and_an_open_one_shows_them() -> None:
    fridge = furniture("Fridge|1", (1.5, 0.0, 0.9), (0.6, 0.8, 1.8), "openable", "receptacle")
    eyes = sight(fridge, thing("Egg|1", (1.5, 0.0, 1.0), parent="Fridge|1"))
    view = View(EYE, 0.0, 0.0)
    assert not eyes.sees("Egg|1", view)
    eyes._world.set_state("Fridge|1", "isOpen", True)
    assert eyes.sees("Egg|1", view)
    assert "Egg|1" in eyes.visible(view)


def test_a_basin_in_a_counter_is_seen_from_above() -> None:
    counter = furniture("CounterTop|1", (1.0, 0.0, 0.91), (0.8, 2.0, 0.02), "receptacle")
    basin = furniture("SinkBasin|1", (1.0, 0.0, 0.88), (0.4, 0.4, 0.05), "receptacle")
    eyes = sight(counter, basin, thing("Mug|1", (1.0, 0.0, 0.91), parent="SinkBasin|1"))
    view = View(EYE, 0.0, math.radians(-15))
    assert eyes.sees("SinkBasin|1", view)
    assert eyes.sees("Mug|1", view)


def test_what_lies_deep_in_a_basin_or_has_sunk_into_furniture_is_hidden() -> None:
    basin = furniture("SinkBasin|1", (1.0, 0.0, 0.80), (0.4, 0.4, 0.2), "receptacle")
    block = furniture("Dresser|1", (1.0, 2.0, 0.5), (0.5, 0.5, 1.0), "receptacle")
    deep, sunk = thing("Fork|1", (0.9, 0.0, 0.71), 0.02, parent="SinkBasin|1"), thing("Pen|1", (1.0, 2.0, 0.9), 0.02)
    assert not sight(basin, deep).clear_from("Fork|1", np.array([EYE]))[0]
    assert not sight(block, sunk).clear_from("Pen|1", np.array([EYE]))[0]


def test_another_storey_is_not_seen() -> None:
    assert not sight(thing("Mug|1", (1.0, 0.0, 4.0))).clear_from("Mug|1", np.array([EYE]))[0]


@pytest.mark.parametrize("yaw", [0.0, 1.0, -2.5])
def test_one_object_is_seen_exactly_when_it_is_among_all_that_are(yaw: float) -> None:
    rng = np.random.default_rng(0)
    spots = rng.uniform((-4, -4, 0.1), (4, 4, 1.9), (40, 3)).tolist()
    blocks = [furniture(f"Dresser|{k}", (x, y, 0.6), (0.5, 0.5, 1.2)) for k, (x, y, _) in enumerate(spots[:10])]
    eyes = sight(*blocks, *(thing(f"Mug|{k}", tuple(p)) for k, p in enumerate(spots)))
    view = View(EYE, yaw, math.radians(-15))
    seen = set(eyes.visible(view))
    assert seen == {n for n in eyes._world if eyes.sees(n, view)}
    assert 0 < len(seen) < 50
