# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import dataclasses

import numpy as np
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.frames.camera import FrameError
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import EdgeType, Layer, diff

COUNTER = thing("CounterTop", (2.5, 0.4, 0.45), (2.0, 0.7, 0.9))
FRIDGE = thing("Fridge", (4.5, 0.5, 0.9), (0.7, 0.7, 1.8), isOpen="false")
APPLE = thing("Apple", (2.2, 0.5, 0.95), (0.1, 0.1, 0.1), movable=True)
MUG = thing("Mug", (2.6, 0.5, 0.95), (0.1, 0.1, 0.1), movable=True)
WORLD = [*room(0, 0, 5, 3), COUNTER, FRIDGE, APPLE, MUG]


def run(pipeline, world, *, start=0.0, **options):
    for i, yaw in enumerate(range(0, 360, 45)):
        pipeline.update(shoot(world, pose(2.5, 1.7, yaw), stamp=start + 0.1 * i, **options))
    return pipeline.graph()


@pytest.fixture(scope="module")
def kitchen():
    return run(PerceptionPipeline(), WORLD)


def test_the_graph_is_a_hierarchy_of_floor_room_areas_and_objects(kitchen):
    kitchen.check()
    assert [n.id for n in kitchen.layer(Layer.FLOOR)] == ["floor_0"]
    assert [(n.category, n.name) for n in kitchen.layer(Layer.ROOM)] == [("Kitchen", "kitchen")]
    assert len(kitchen.layer(Layer.AREA)) >= 4
    assert {n.id for n in kitchen.layer(Layer.OBJECT)} == {COUNTER.id, FRIDGE.id, APPLE.id, MUG.id}


def test_objects_have_position_size_relation_and_states(kitchen):
    apple = kitchen.nodes[APPLE.id]
    assert np.linalg.norm(np.array(apple.center) - APPLE.center) < 0.04
    assert (apple.receptacle, apple.relation, apple.movable) == (COUNTER.id, "on", True)
    assert kitchen.nodes[FRIDGE.id].states == {"isOpen": "false"}
    assert (EdgeType.ON, APPLE.id, COUNTER.id) in kitchen.edges
    assert (EdgeType.NEAR, APPLE.id, MUG.id) in kitchen.edges


def test_furniture_says_how_high_it_holds_things_and_what_is_built_into_it(kitchen):
    assert kitchen.nodes[COUNTER.id].support_heights == pytest.approx((0.9,), abs=0.03)
    assert kitchen.nodes[APPLE.id].support_heights == ()
    drawer = thing("Drawer", (2.0, 0.74, 0.7), (0.6, 0.04, 0.2))
    graph = run(PerceptionPipeline(), [*WORLD, drawer])
    assert (EdgeType.PART_OF, drawer.id, COUNTER.id) in graph.edges
    assert graph.nodes[drawer.id].receptacle == ""


def test_a_room_that_was_seen_whole_leaves_nothing_to_explore():
    pipeline, bare = PerceptionPipeline(), room(0, 0, 5, 3)
    assert pipeline.frontiers() == ()
    pipeline.update(shoot(bare, pose(2.5, 1.7, 0), stamp=0.0))
    assert pipeline.frontiers()
    run(pipeline, bare, start=0.1)
    assert pipeline.frontiers() == ()
    assert pipeline.stamp == pytest.approx(0.8)


def test_what_is_taken_is_held_and_on_nothing(kitchen):
    pipeline = PerceptionPipeline()
    run(pipeline, WORLD)
    graph = run(pipeline, [s for s in WORLD if s is not APPLE], start=1.0, held=APPLE.id)
    assert (graph.nodes[APPLE.id].relation, graph.nodes[APPLE.id].receptacle) == ("held", "")
    assert (EdgeType.ON, APPLE.id, COUNTER.id) not in graph.edges


def test_looking_again_at_the_same_changes_nothing_worth_telling():
    pipeline = PerceptionPipeline()
    first = run(pipeline, WORLD)
    again = run(pipeline, WORLD, start=1.0)
    told = diff(first, again)
    assert not [n.id for n in told.nodes if n.layer != Layer.OBJECT]
    assert not told.removed_nodes


def test_another_scene_is_a_new_graph():
    pipeline = PerceptionPipeline()
    run(pipeline, WORLD)
    graph = run(pipeline, room(0, 0, 4, 3), scene="other")
    assert graph.scene == "other"
    assert not graph.layer(Layer.OBJECT)
    assert pipeline.epoch == 2


def test_a_scene_put_back_to_its_start_is_a_new_graph():
    pipeline = PerceptionPipeline()
    run(pipeline, WORLD, resets=1)
    pipeline.update(shoot(room(0, 0, 5, 3), pose(2.5, 1.7, 0), stamp=1.0, resets=2))
    assert pipeline.epoch == 2
    assert not pipeline.graph().layer(Layer.OBJECT)


def test_a_clock_set_back_is_a_new_graph_but_a_frame_out_of_order_is_not():
    pipeline = PerceptionPipeline()
    run(pipeline, WORLD, start=100.0)
    pipeline.update(shoot(WORLD, pose(2.5, 1.7, 0), stamp=100.3))
    assert pipeline.epoch == 1
    for stamp in (0.0, 0.1):
        with pytest.raises(FrameError, match="stamp"):
            pipeline.update(shoot(WORLD, pose(2.5, 1.7, 0), stamp=stamp))
    assert pipeline.epoch == 1
    pipeline.update(shoot(WORLD, pose(2.5, 1.7, 0), stamp=0.2))
    assert pipeline.epoch == 2
    assert pipeline.graph().stamp == 0.2


def test_one_stamp_from_the_future_costs_one_frame_and_not_the_map():
    pipeline = PerceptionPipeline()
    run(pipeline, WORLD)
    with pytest.raises(FrameError, match="stamp"):
        pipeline.update(shoot(WORLD, pose(2.5, 1.7, 0), stamp=2e9))
    graph = run(pipeline, WORLD, start=1.0)
    assert pipeline.epoch == 1
    assert graph.stamp == pytest.approx(1.7)
    assert APPLE.id in graph.nodes


def test_a_frame_that_cannot_be_used_changes_nothing(kitchen):
    pipeline = PerceptionPipeline()
    run(pipeline, WORLD)
    bad = dataclasses.replace(shoot(WORLD, pose(2.5, 1.7, 0), scene="other"), instances=None)
    with pytest.raises(FrameError):
        pipeline.update(bad)
    far = shoot(WORLD, pose(900.0, 1.7, 0), stamp=1.0)
    with pytest.raises(ValueError, match="pose"):
        pipeline.update(far)
    assert pipeline.graph().nodes.keys() == kitchen.nodes.keys()
    assert pipeline.epoch == 1


def test_before_the_first_frame_the_graph_is_empty():
    assert not PerceptionPipeline().graph().nodes


def test_noisy_depth_moves_objects_by_centimetres_only():
    random = np.random.default_rng(1)
    pipeline = PerceptionPipeline()
    for i in range(24):
        frame = shoot(WORLD, pose(2.5, 1.7, 45 * i), stamp=0.1 * i)
        noise = 0.005 * frame.depth**2 * random.standard_normal(frame.depth.shape)
        pipeline.update(dataclasses.replace(frame, depth=(frame.depth + noise).astype(np.float32)))
    graph = pipeline.graph()
    for solid in (COUNTER, APPLE, MUG):
        assert np.linalg.norm(np.array(graph.nodes[solid.id].center) - solid.center) < 0.06
    assert graph.nodes[APPLE.id].receptacle == COUNTER.id
