# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from raycast import EYE, pose, room, shoot, thing

from karma_perception.pipeline import PerceptionPipeline, PipelineOptions
from karma_perception.places.floor_plan import FREE, FURNITURE, UNKNOWN, WALL, Occupancy, occupancy
from karma_perception.saved_map.file import SavedMap, encode_map, read_map, write_map

WORLD = [*room(0, 0, 5, 3), thing("DiningTable", (4.0, 1.5, 0.4), (0.8, 1.6, 0.8))]


def look_around(pipeline: PerceptionPipeline, world=WORLD, *, at=(1.5, 1.5), scene="test", start=1.0) -> None:
    for i in range(8):
        pipeline.update(shoot(world, pose(at[0] + 0.02 * i, at[1], 45 * i), stamp=start + i, scene=scene))


@pytest.fixture(scope="module")
def explored() -> PerceptionPipeline:
    """A room of 5 m x 3 m with a table, seen from its middle."""
    pipeline = PerceptionPipeline()
    look_around(pipeline)
    return pipeline


def value_at(known: Occupancy, x: float, y: float) -> int:
    """Return what a subscriber reads at a position in metres, map frame."""
    i, j = (int(np.floor((v - o) / known.resolution)) for v, o in zip((x, y), known.origin[:2], strict=True))
    inside = 0 <= i < known.cells.shape[0] and 0 <= j < known.cells.shape[1]
    return int(known.cells[i, j]) if inside else UNKNOWN


def test_walls_are_told_from_the_table_and_from_the_floor(explored):
    known = explored.floor_plan
    assert value_at(known, 2.5, 1.5) == FREE
    assert value_at(known, 3.65, 1.5) == FURNITURE
    walls = [value_at(known, x, 3.02) for x in np.arange(0.25, 4.8, 0.1)]
    assert walls.count(WALL) / len(walls) > 0.9
    assert value_at(known, 6.5, 1.5) == UNKNOWN
    assert known.origin[2] == pytest.approx(0.0, abs=0.02)


def test_only_what_is_known_is_told(explored):
    known = explored.floor_plan
    assert known.cells.size < explored.state().places._current.grid.free.size
    for border in (known.cells[0], known.cells[-1], known.cells[:, 0], known.cells[:, -1]):
        assert (border != UNKNOWN).any()


def test_before_anything_is_known_there_are_no_cells():
    assert PerceptionPipeline().floor_plan.cells.shape == (0, 0)


def test_another_scene_has_a_floor_of_its_own():
    pipeline = PerceptionPipeline()
    look_around(pipeline)
    before = pipeline.floor_plan
    look_around(pipeline, room(20, 20, 24, 23), at=(21.5, 21.5), scene="elsewhere", start=20.0)
    after = pipeline.floor_plan
    assert value_at(after, 2.5, 1.5) == UNKNOWN
    assert value_at(after, 22.8, 21.5) == FREE
    assert max(after.cells.shape) * after.resolution < 6.0
    assert not after.same(before)


def test_a_map_that_was_saved_has_the_floor_that_it_had(explored, tmp_path):
    write_map(encode_map(SavedMap(explored.state(), 1), PipelineOptions()), tmp_path / "map")
    resumed = PerceptionPipeline()
    resumed.resume(read_map(tmp_path / "map", PipelineOptions()).state)
    assert resumed.floor_plan.same(explored.floor_plan)


def test_the_floor_that_the_robot_is_on_is_told():
    pipeline = PerceptionPipeline()
    look_around(pipeline)
    pipeline.update(shoot(room(0, 0, 4, 3, floor=3.0), pose(1.5, 1.5, 0, eye=3.0 + EYE), stamp=20.0))
    assert pipeline.floor_plan.origin[2] == pytest.approx(3.0, abs=0.02)


CELLS = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.sampled_from([UNKNOWN, FREE, FURNITURE, WALL]))
)


@given(
    cells=CELLS,
    first=st.tuples(*[st.integers(-2000, 2000)] * 2),
    resolution=st.sampled_from([0.02, 0.05, 0.1, 0.25]),
    height=st.floats(-5, 50),
)
def test_every_cell_is_found_again_at_its_metres_and_nothing_is_added(cells, first, resolution, height):
    x, y = (k * resolution for k in first)
    grids = {"free": cells == FREE, "blocked": cells > FREE, "walls": cells == WALL}
    known = occupancy(SimpleNamespace(height=height, origin=first, resolution=resolution, **grids))
    for (i, j), value in np.ndenumerate(cells):
        assert value_at(known, x + (i + 0.5) * resolution, y + (j + 0.5) * resolution) == value
    assert np.count_nonzero(known.cells != UNKNOWN) == np.count_nonzero(cells != UNKNOWN)
    if known.cells.size:
        steps = (np.array(known.origin[:2]) - (x, y)) / resolution
        assert steps == pytest.approx(np.round(steps), abs=1e-6)
        assert known.origin[2] == height
