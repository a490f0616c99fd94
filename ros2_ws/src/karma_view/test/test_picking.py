# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from karma_perception.scene_graph import Layer, Node, SceneGraph
from karma_view.scene import layout
from karma_view.scene.picking import picked
from karma_view.scene.viewpoint import corners, fitted

SHELF = Node("shelf", Layer.OBJECT, "ShelvingUnit", "", "", (0, 0, 1), (1, 0.4, 2))
MUG = Node("mug", Layer.OBJECT, "Mug", "", "", (0.2, 0, 1.2), (0.1, 0.1, 0.1), movable=True)
FAR = replace(MUG, id="far", center=(0.2, 3.0, 1.2))


def graph(*nodes: Node) -> SceneGraph:
    return SceneGraph(nodes={node.id: node for node in nodes})


def test_a_thing_in_furniture_is_meant_rather_than_the_furniture() -> None:
    assert picked(graph(SHELF, MUG, FAR), (0.2, -5, 1.2), (0, 1, 0)) == "mug"


def test_a_thing_behind_furniture_is_not_meant() -> None:
    assert picked(graph(SHELF, FAR), (0.2, -5, 1.2), (0, 1, 0)) == "shelf"


def test_what_is_behind_the_eye_or_beside_the_ray_is_not_meant() -> None:
    assert picked(graph(SHELF, MUG), (0, 5, 1), (0, 1, 0)) == ""
    assert picked(graph(SHELF, MUG), (3, -5, 1), (0, 1, 0)) == ""
    assert picked(SceneGraph(), (0, 0, 0), (0, 1, 0)) == ""


def test_boxes_are_turned() -> None:
    board = replace(SHELF, size=(2, 0.1, 2), yaw=math.pi / 4)
    assert picked(graph(board), (0.6, -5, 1), (0, 1, 0)) == "shelf"
    assert picked(graph(board), (0.9, -5, 1), (0, 1, 0)) == ""


@pytest.mark.parametrize("size", [(676, 700), (700, 800), (1280, 800), (1170, 2532), (1640, 2360)])
def test_the_whole_home_is_seen_at_first_in_the_middle_of_what_is_free(size: tuple[float, float]) -> None:
    rooms = [Node(f"{n}", Layer.ROOM, "Room", "", "", (6.0 * n, 2.0 * n, 1.25), (6.0, 4.0, 2.5)) for n in range(4)]
    points, fov, aspect = corners(graph(*rooms)), math.radians(75), size[0] / size[1]
    css = layout.css_size(*size)
    covered = layout.covered(*css, folded=layout.is_small(*css))
    assert any(covered)
    position, target = fitted(points, fov, aspect, covered)
    ahead = (target - position) / np.linalg.norm(target - position)
    assert ahead[2] < -0.5, "from above"
    right = np.cross(ahead, (0, 0, 1))
    right /= np.linalg.norm(right)
    depth = (points - position) @ ahead
    assert (depth > 0).all()
    across = (points - position) @ right / depth / (math.tan(fov / 2) * aspect)
    along = (points - position) @ np.cross(right, ahead) / depth / math.tan(fov / 2)
    taken = []
    for place, middle, free in ((across, -covered[0], 1 - covered[0]), (along, covered[1], 1 - covered[1])):
        assert place.min() > middle - 0.9 * free
        assert place.max() < middle + 0.9 * free
        assert place.min() + place.max() == pytest.approx(2 * middle, abs=0.05)
        taken.append((place.max() - middle) / free)
    assert max(taken) > 0.7, "it is as large as it can be"


def test_nothing_is_seen_before_there_is_a_room() -> None:
    assert not corners(SceneGraph()).size
