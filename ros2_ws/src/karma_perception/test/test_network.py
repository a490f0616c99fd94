# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A network's boxes on a ray caster's frames, up to objects in the scene graph."""

import dataclasses

import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed; it writes the test's networks")

from raycast import pose, room, shoot, thing
from tiny_network import write_constant, write_red_detector

from karma_perception.class_table import ClassTable, read_class_table
from karma_perception.detectors.model import DetectionModel
from karma_perception.detectors.network import NetworkDetector
from karma_perception.frames.camera import FrameError
from karma_perception.pipeline import PerceptionPipeline
from karma_perception.scene_graph import Layer

BALL = thing("Ball", (2.6, 1.5, 0.15), (0.25, 0.25, 0.3), movable=True)
WORLD = [*room(0, 0, 5, 3), BALL]


def bare(frame):
    """Return the frame as a camera without a simulator gives it."""
    return dataclasses.replace(frame, instances=None, labels={})


def red_detector(folder, table=None):
    file = write_red_detector(folder / "red.onnx", names="{0: 'thing', 1: 'sports ball'}")
    return NetworkDetector(DetectionModel(file), table or read_class_table())


def finished(folder, *rows):
    """Return a detector that always finds the same boxes: (left, top, right, bottom, score, class of COCO)."""
    file = write_constant(folder / "m.onnx", {"o": np.array([rows], np.float32)}, shape=(1, 3, 240, 320))
    return NetworkDetector(DetectionModel(file), read_class_table())


def test_boxes_become_objects_at_their_place_with_the_household_s_class(tmp_path):
    pipeline = PerceptionPipeline(detector=red_detector(tmp_path))
    for i, yaw in enumerate((-8, 0, 8)):
        pipeline.update(bare(shoot(WORLD, pose(1.0, 1.5, yaw), stamp=1.0 + i)))
    (ball,) = pipeline.graph().layer(Layer.OBJECT)
    assert (ball.id, ball.category, ball.movable) == ("BasketBall_1", "BasketBall", True)
    assert np.linalg.norm(np.array(ball.center) - BALL.center) < 0.15
    assert pipeline.detector_milliseconds > 0


def test_classes_without_a_place_in_the_household_are_left_out(tmp_path):
    detector = red_detector(tmp_path, ClassTable(names={"sports ball": None}))
    assert not detector.detect(bare(shoot(WORLD, pose(1.0, 1.5, 0)))).instances


def test_small_thing_before_a_large_one_has_its_pixels(tmp_path):
    detector = finished(tmp_path, (60, 60, 260, 200, 0.95, 60), (140, 120, 180, 160, 0.5, 41))
    frame = shoot(room(0, 0, 5, 3), pose(1.0, 1.5, 0, pitch_deg=0))
    found = detector.detect(bare(frame))
    values = {label.category: value for value, label in found.instances.items()}
    assert set(values) == {"DiningTable", "Mug"}
    assert np.all(found.mask[121:159, 141:179] == values["Mug"])
    assert found.boxes[values["Mug"]] == (140, 120, 180, 160)
    assert not found.identified


def test_box_around_a_half_of_a_thing_is_not_a_second_thing(tmp_path):
    table = thing("Table", (3.0, 1.5, 0.75), (0.6, 1.6, 1.5))
    frame = bare(shoot([*room(0, 0, 5, 3), table], pose(1.0, 1.5, 0, pitch_deg=0)))
    whole, half = (88, 80, 232, 206, 0.9, 60), (88, 80, 165, 206, 0.6, 60)
    found = finished(tmp_path, whole, half).detect(frame)
    assert [(label.category, found.boxes[v]) for v, label in found.instances.items()] == [("DiningTable", whole[:4])]


def test_thing_behind_another_of_its_class_is_a_second_thing(tmp_path):
    near = [thing("Post", (2.0, y, 0.7), (0.1, 0.3, 1.4), name=f"post{y}") for y in (1.1, 1.9)]
    far = thing("Far", (3.5, 1.5, 0.9), (0.2, 0.5, 1.4))
    frame = shoot([*room(0, 0, 5, 3), *near, far], pose(0.6, 1.5, 0, pitch_deg=0))
    rows, columns = np.nonzero(
        frame.instances == next(v for v, label in frame.labels.items() if label.category == "Far")
    )
    inner = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1, 0.6, 56)
    found = finished(tmp_path, (95, 84, 225, 240, 0.9, 56), inner).detect(bare(frame))
    assert len(found.instances) == 2


def test_thing_without_depth_is_not_placed(tmp_path):
    frame = bare(shoot(WORLD, pose(1.0, 1.5, 0)))
    found = finished(tmp_path, (60, 60, 260, 200, 0.9, 41)).detect(
        dataclasses.replace(frame, depth=np.zeros_like(frame.depth))
    )
    assert not found.instances
    assert not found.mask.any()


def test_frame_without_color_is_refused(tmp_path):
    frame = dataclasses.replace(bare(shoot(WORLD, pose(1.0, 1.5, 0))), rgb=None)
    with pytest.raises(FrameError, match="no color image"):
        red_detector(tmp_path).detect(frame)
