# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

pytest.importorskip("onnx", reason="onnx is not installed; it writes the test's networks")

from onnx import TensorProto
from tiny_network import CELL, REACH, write_constant, write_red_detector

from karma_perception.detectors.labels import COCO, LabelError
from karma_perception.detectors.model import DetectionModel, ModelError

NAMES = "{0: 'thing', 1: 'red thing'}"
YOLO8 = np.zeros((1, 84, 8 * 8 + 4 * 4 + 2 * 2), np.float32)
"""The output for an input of 64 x 64."""


def picture(height=240, width=320):
    """Return a grey picture with a red square of one cell, and the cell's box."""
    rgb = np.full((height, width, 3), 90, np.uint8)
    rgb[96:112, 160:176] = (255, 0, 0)
    return rgb, (160 - CELL, 96 - CELL, 176 + CELL, 112 + CELL)


@pytest.mark.parametrize("options", [{}, {"channels_last": True}, {"half": True}])
def test_picture_reaches_the_network_in_its_own_layout(tmp_path, options):
    model = DetectionModel(write_red_detector(tmp_path / "m.onnx", names=NAMES, **options))
    rgb, box = picture()
    found = model.look(rgb, 0.5)
    assert len(found) == 1
    np.testing.assert_allclose(found.boxes[0], box, atol=0.01)
    assert found.scores[0] == pytest.approx(1.0, abs=0.01)
    assert model.labels[found.classes[0]] == "red thing"
    assert REACH == 3


def test_boxes_come_back_in_pixels_of_the_picture(tmp_path):
    model = DetectionModel(write_red_detector(tmp_path / "m.onnx", names=NAMES))
    rgb, box = picture()
    twice = rgb.repeat(2, axis=0).repeat(2, axis=1)
    np.testing.assert_allclose(model.look(twice, 0.5).boxes[0], 2 * np.array(box), atol=0.01)


def test_side_that_the_model_leaves_open_is_chosen(tmp_path):
    model = DetectionModel(write_red_detector(tmp_path / "m.onnx", size=(640, 640), dynamic=True, names=NAMES))
    assert model.size == (640, 640)


def test_labels_come_from_the_file_then_the_model_then_coco(tmp_path):
    model = write_red_detector(tmp_path / "m.onnx", names=NAMES)
    (tmp_path / "labels.txt").write_text("a\nb\n")
    assert DetectionModel(model, tmp_path / "labels.txt").labels == ("a", "b")
    assert DetectionModel(model).labels == ("thing", "red thing")
    assert DetectionModel(write_constant(tmp_path / "coco.onnx", {"o": YOLO8})).labels == COCO
    with pytest.raises(LabelError, match=r"2 classes.*give a label file"):
        DetectionModel(write_red_detector(tmp_path / "bare.onnx"))


def test_number_of_labels_that_does_not_fit_is_refused(tmp_path):
    (tmp_path / "labels.txt").write_text("a\nb\nc\n")
    with pytest.raises(ModelError, match=r"m\.onnx.*2 classes.*3 labels"):
        DetectionModel(write_red_detector(tmp_path / "m.onnx"), tmp_path / "labels.txt")


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ((1, 4, 64, 64), TensorProto.FLOAT),
        ((4, 3, 64, 64), TensorProto.FLOAT),
        ((1, 3, 64, 64), TensorProto.INT64),
        ((1, 3, 64), TensorProto.FLOAT),
        ((1, 3, 8, 8), TensorProto.FLOAT),
    ],
)
def test_inputs_that_take_no_picture_are_refused_with_what_was_found(tmp_path, shape, kind):
    file = write_constant(tmp_path / "m.onnx", {"o": YOLO8}, shape, kind)
    with pytest.raises(ModelError, match=r"m\.onnx.*expected"):
        DetectionModel(file)


def test_outputs_that_no_head_has_are_refused_with_what_was_found(tmp_path):
    file = write_constant(tmp_path / "m.onnx", {"o": np.zeros((1, 1000), np.float32)})
    with pytest.raises(ModelError, match=r"\(1, 1000\).*expected one of"):
        DetectionModel(file)


def test_file_that_is_no_model_or_is_not_there_is_refused(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="expected an ONNX model"):
        DetectionModel(tmp_path / "m.onnx")
    with pytest.raises(ModelError, match="no model file"):
        DetectionModel(tmp_path / "other.onnx")


def test_garbage_among_the_boxes_is_left_out(tmp_path):
    table = np.zeros((1, 6, 6), np.float32)
    table[0] = [
        (1, 1, 30, 30, 0.9, 2),
        (np.nan, 1, 30, 30, 0.9, 2),
        (1, 1, 30, np.inf, 0.9, 2),
        (30, 30, 1, 1, 0.9, 2),
        (1, 1, 30, 30, 0.9, 80),
        (1, 1, 30, 30, np.nan, 2),
    ]
    model = DetectionModel(write_constant(tmp_path / "m.onnx", {"o": table}))
    found = model.look(np.zeros((64, 64, 3), np.uint8), 0.5)
    np.testing.assert_allclose(found.boxes, [(1, 1, 30, 30), (1, 1, 30, 64)])


def test_a_name_that_is_no_text_is_refused(tmp_path):
    file = write_constant(tmp_path / "m.onnx", {"found": YOLO8}, shape=(1, 3, 64, 64))
    file.write_bytes(file.read_bytes().replace(b"found", b"f\x80und"))
    with pytest.raises(ModelError, match=r"m\.onnx"):
        DetectionModel(file)
