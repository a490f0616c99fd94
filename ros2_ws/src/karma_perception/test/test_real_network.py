# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A real network on real pictures, all the way to an object in the scene graph."""

import dataclasses

import numpy as np
import pytest
from motorcycle import SURFACE, measured_distance, motorcycle_frame

from karma_perception.class_table import read_class_table
from karma_perception.detectors.model import DetectionModel
from karma_perception.detectors.network import NetworkDetector
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import Layer


@pytest.fixture(scope="module")
def model(nanodet_file):
    return DetectionModel(nanodet_file)


@pytest.fixture(scope="module")
def detector(model):
    return NetworkDetector(model, read_class_table())


def test_nanodet_is_recognised_with_coco_labels(model):
    assert model.head.name == "NanoDet"
    assert model.size == (416, 416)
    assert len(model.labels) == 80


def test_mask_covers_the_motorcycle_and_not_what_is_seen_beside_and_through_it(detector):
    frame = motorcycle_frame()
    (found,) = [f for f in detector.find(frame.rgb, frame.depth) if f.name == "motorcycle"]
    mask = np.zeros(frame.depth.shape, dtype=bool)
    left, top, right, bottom = found.box
    mask[top:bottom, left:right] = found.mask
    assert all(mask[row, column] for column, row in SURFACE)
    background = ((240, 130), (380, 100), (600, 190), (430, 430), (120, 380), (650, 210))
    """Column and row: bench, shelf, red box, floor before and behind, carton."""
    assert not any(mask[row, column] for column, row in background)


def test_real_rgbd_frame_becomes_an_object_of_the_right_class_at_the_right_distance(detector):
    frame = motorcycle_frame()
    pipeline = PerceptionPipeline(detector=detector)
    for second in range(3):
        pipeline.update(dataclasses.replace(frame, stamp=1.0 + second))
    objects = pipeline.graph().layer(Layer.OBJECT)
    (motorcycle,) = [o for o in objects if o.category == "Motorcycle"]
    distance = float(np.linalg.norm(np.array(motorcycle.center) - frame.position))
    expected = measured_distance(frame)
    print(f"motorcycle at {distance:.3f} m, measured {expected:.3f} m")
    assert distance == pytest.approx(expected, rel=0.1)
    assert motorcycle.last_seen == 3.0
    assert not motorcycle.movable


@pytest.mark.parametrize(("width", "height"), [(640, 480), (320, 240), (1482, 1000)])
def test_picture_of_any_size_gives_the_same_thing(detector, width, height):
    from PIL import Image

    frame = motorcycle_frame()
    picture = np.asarray(Image.fromarray(frame.rgb).resize((width, height)))
    (box,) = [f.box for f in detector.find(picture) if f.name == "motorcycle"]
    shares = np.array(box) / [width, height, width, height]
    whole = np.array((100, 72, 687, 455)) / [741, 500, 741, 500]
    np.testing.assert_allclose(shares, whole, atol=0.06)


def test_no_motorcycle_is_found_in_a_picture_without_one(detector):
    data = pytest.importorskip("skimage.data", reason="scikit-image, which carries the picture, is not installed")
    names = [f.name for f in detector.find(data.chelsea())]
    assert "cat" in names
    assert "motorcycle" not in names
