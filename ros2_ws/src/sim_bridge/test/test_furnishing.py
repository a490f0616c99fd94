# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a scene's beginning tells about shapes, and what one then sees in pictures of recorded rooms."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.furnishing import furnish
from sim_bridge.household.gl import RenderingUnavailableError
from sim_bridge.household.model import Box, ObjectSpec, ObjectState, Room, Scene
from sim_bridge.household.recorded import RecordingsMissingError
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.views import camera_pose

ROOM = Room("room", "Kitchen", "FloorPlan1", 0, (-4, -4), (4, 4))


def spec(name: str, center: tuple[float, float, float], size: tuple[float, float, float], **more: object) -> ObjectSpec:
    affordances = frozenset(("pickupable",)) if more.pop("movable", False) else frozenset()
    return ObjectSpec(name, name.partition("|")[0], Box(center, size), 0.0, "room", affordances, **more)  # type: ignore[arg-type]


def scene(*objects: ObjectSpec, free: tuple[tuple[int, int], ...] = ((0, 0),)) -> Scene:
    return Scene("room", (ROOM,), (), objects, {(i, j, 0): "room" for i, j in free}, (0, 0, 0))


def test_things_rest_at_the_lowest_of_the_usual_heights() -> None:
    sofa = spec("Sofa|1", (0, 0, 0.45), (1, 2, 0.9))
    pillows = [
        spec(f"Pillow|{i}", (0, 0, z + 0.05), (0.3, 0.3, 0.1), movable=True, parent="Sofa|1")
        for i, z in enumerate((0.44, 0.42, 0.46, 0.9))
    ]
    assert furnish(scene(sofa, *pillows)).rests["Sofa|1"] == pytest.approx(0.42)


@pytest.mark.parametrize(
    ("cell", "yaw"), [((8, 0), 0.0), ((0, 8), math.pi / 2), ((-8, 0), math.pi), ((0, -8), -math.pi / 2)]
)
def test_a_cabinet_opens_towards_free_floor(cell: tuple[int, int], yaw: float) -> None:
    cabinet = spec("Cabinet|1", (0, 0, 0.4), (3.0, 3.0, 0.8))
    front = furnish(scene(cabinet, free=(cell,))).fronts["Cabinet|1"]
    assert math.remainder(front - yaw, math.tau) == pytest.approx(0.0)


def test_a_fridge_opens_where_it_was_recorded_to_face() -> None:
    fridge = spec("Fridge|1", (0, 0, 0.9), (0.7, 0.9, 1.8))
    assert "Fridge|1" not in furnish(scene(fridge)).fronts


def test_a_counter_is_open_above_the_basin_that_is_recorded_below_its_slab() -> None:
    counter, basin = (
        spec("CounterTop|1", (0, 0, 0.91), (2, 0.6, 0.02)),
        spec("SinkBasin|1", (0, 0, 0.82), (0.4, 0.4, 0.14)),
    )
    hole = furnish(scene(counter, basin)).holes["CounterTop|1"][0]
    assert hole.low == basin.box.low
    assert hole.high[2] > 0.92


def test_shapes_are_made_again_only_when_something_changed() -> None:
    furnishing = furnish(scene())
    closed = ObjectState("Box|1", "Box", (Box((0, 0, 0), (1, 1, 1)),), 0.0, {"isOpen": "false"}, True, False, True)
    opened = ObjectState("Box|1", "Box", (Box((0, 0, 0), (1, 1, 1)),), 0.0, {"isOpen": "true"}, True, False, True)
    first = furnishing.shape(closed)
    assert furnishing.shape(closed) is first
    assert furnishing.shape(opened) != first
    assert furnishing.shape(closed) == first


@pytest.fixture(scope="module")
def camera() -> Iterator[HouseholdRenderer]:
    try:
        renderer = HouseholdRenderer(width=320, height=240)
    except RenderingUnavailableError as error:
        pytest.skip(str(error))
    yield renderer
    renderer.close()


@pytest.mark.parametrize("name", ["FloorPlan5", "FloorPlan21", "FloorPlan202", "FloorPlan316", "FloorPlan415"])
def test_nearly_everything_that_lies_about_is_seen_from_above_and_aside(camera: HouseholdRenderer, name: str) -> None:
    try:
        picture = HouseholdBackend(name).snapshot()
    except RecordingsMissingError as error:
        pytest.skip(str(error))
    things = [o for o in picture.objects if o.movable and o.visible]
    unseen = {thing.id for thing in things}
    for thing in things:
        center = np.array(thing.boxes[0].center)
        for turn in range(8):
            way = np.array([math.cos(turn * math.pi / 4), math.sin(turn * math.pi / 4), 1.0]) * 0.45
            pose = camera_pose(tuple(center + way), turn * math.pi / 4 + math.pi, math.pi / 4)
            if thing.id in {label.id for label in camera.render(picture, pose).labels.values()}:
                unseen.remove(thing.id)
                break
    assert len(unseen) <= 0.05 * len(things), unseen
