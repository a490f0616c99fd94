# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import pytest
from raycast import pose, room, shoot, thing

from karma_perception.export.plot import plot_scene_graph
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import SceneGraph


@pytest.fixture(scope="module")
def graph():
    pipeline = PerceptionPipeline()
    world = [
        *room(0, 0, 4, 3),
        thing("Sofa", (1, 0.5, 0.4), (1.8, 0.8, 0.8)),
        thing("Mug", (3, 1, 0.3), (0.2, 0.2, 0.6)),
    ]
    for i in range(8):
        pipeline.update(shoot(world, pose(2, 1.7, 45 * i)))
    return pipeline.graph()


def test_the_graph_becomes_a_picture(graph, tmp_path):
    path = plot_scene_graph(graph, tmp_path / "deep" / "graph.png", highlight=["Mug|1"], title="a room")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 10_000


def test_an_empty_graph_cannot_be_drawn(tmp_path):
    with pytest.raises(ValueError, match="no floor"):
        plot_scene_graph(SceneGraph(), tmp_path / "graph.png")
