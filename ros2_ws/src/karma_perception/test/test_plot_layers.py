# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from matplotlib.image import imread
from raycast import pose, room, shoot, thing

from karma_perception.export.plot_layers import plot_layers
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import SceneGraph

LAYERS = {"floor_plan", "areas", "rooms", "objects", "relations"}


@pytest.fixture(scope="module")
def pipeline():
    """A room of 5 m x 3 m with a table and an apple, seen from its middle."""
    world = [*room(0, 0, 5, 3), thing("DiningTable", (4.0, 1.5, 0.4), (0.8, 1.6, 0.8))]
    world.append(thing("Apple", (3.9, 1.5, 0.85), (0.1, 0.1, 0.1), movable=True))
    pipeline = PerceptionPipeline()
    for i in range(8):
        pipeline.update(shoot(world, pose(1.5 + 0.02 * i, 1.5, 45 * i), stamp=1.0 + i))
    return pipeline


def test_the_floor_plan_says_where_the_floor_is_free_where_things_stand_and_which_room_is_where(pipeline):
    graph = pipeline.graph()
    (plan,) = pipeline.floor_plans()
    assert graph.nodes[plan.floor].category == "Floor"

    def cell(x, y):
        return tuple(int(np.floor((v - o) / plan.resolution)) for v, o in zip((x, y), plan.origin, strict=True))

    assert plan.free[cell(2.5, 1.5)]
    assert not plan.free[cell(3.7, 1.5)]
    assert plan.furniture[cell(3.7, 1.5)]
    assert not (plan.free & (plan.furniture | plan.wall)).any()
    assert f"room_{plan.rooms[cell(2.5, 1.5)]}" in graph.nodes
    assert plan.rooms[cell(5.5, 1.5)] == 0


def test_each_layer_is_a_picture_of_its_own(pipeline, tmp_path):
    paths = plot_layers(pipeline.graph(), pipeline.floor_plans(), tmp_path / "home", title="home")
    assert {p.stem for p in paths} == LAYERS
    pictures = [imread(p).tobytes() for p in paths]
    assert len(set(pictures)) == len(LAYERS)


def test_without_a_floor_there_is_nothing_to_draw(tmp_path):
    with pytest.raises(ValueError, match="nothing to draw"):
        plot_layers(SceneGraph(), (), tmp_path)
