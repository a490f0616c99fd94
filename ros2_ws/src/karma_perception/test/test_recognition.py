# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Every head is told from the shapes of its outputs, and a thing put into them comes out where it was put."""

import numpy as np
import pytest

from karma_perception.detectors.recognition import HeadError, recognise

SIZE = (640, 640)
CELLS = 80 * 80 + 40 * 40 + 20 * 20
BOX = (100.0, 200.0, 180.0, 320.0)
"""Left, top, right, bottom; the centre is (140, 260), the size (80, 120)."""
CENTER_SIZE = (140.0, 260.0, 80.0, 120.0)


def only(found):
    assert len(found) == 1
    return found.boxes[0].tolist(), float(found.scores[0]), int(found.classes[0])


def yolo8(classes=80, extra=0):
    table = np.zeros((1, 4 + classes + extra, CELLS), np.float32)
    table[0, :4, 77] = CENTER_SIZE
    table[0, 4 + 3, 77] = 0.75
    return table


def test_yolo8_has_a_column_for_each_cell():
    head = recognise([yolo8()], SIZE, 80)
    assert (head.name, head.classes) == ("YOLOv8 or YOLO11", 80)
    assert only(head.decode([yolo8()], 0.5)) == (list(BOX), 0.75, 3)
    assert len(head.decode([yolo8()], 0.8)) == 0


def test_yolo8_transposed_needs_the_number_of_labels():
    table = yolo8(classes=5).transpose(0, 2, 1)
    assert only(recognise([table], SIZE, 5).decode([table], 0.5)) == (list(BOX), 0.75, 3)
    with pytest.raises(HeadError, match="not known"):
        recognise([table], SIZE, 0)


def test_masks_of_a_segmentation_network_are_no_classes():
    outputs = [yolo8(extra=32), np.zeros((1, 32, 160, 160), np.float32)]
    head = recognise(outputs, SIZE, 80)
    assert head.classes == 80
    assert only(head.decode(outputs, 0.5)) == (list(BOX), 0.75, 3)


def test_yolo5_weighs_its_classes_with_objectness():
    table = np.zeros((1, 3 * CELLS, 85), np.float32)
    table[0, 500, :5] = (*CENTER_SIZE, 0.8)
    table[0, 500, 5 + 7] = 0.75
    table[0, 501, :5] = (*CENTER_SIZE, 0.1)
    table[0, 501, 5 + 7] = 1.0
    head = recognise([table], SIZE, 0)
    assert (head.name, head.classes) == ("YOLOv5 or YOLOv7", 80)
    box, score, category = only(head.decode([table], 0.5))
    assert (box, category) == (list(BOX), 7)
    assert score == pytest.approx(0.6)


def test_boxes_that_are_finished_are_taken_as_they_are():
    table = np.zeros((1, 300, 6), np.float32)
    table[0, 4] = (*BOX, 0.9, 11)
    assert only(recognise([table], SIZE, 80).decode([table], 0.5)) == (list(BOX), pytest.approx(0.9), 11)


def test_finished_boxes_with_the_number_of_the_picture():
    table = np.array([(0, *BOX, 11, 0.9), (0, *BOX, 2, 0.1)], np.float32)
    head = recognise([np.zeros((0, 7), np.float32)], SIZE, 80)
    assert only(head.decode([table], 0.5)) == (list(BOX), pytest.approx(0.9), 11)
    assert len(head.decode([np.zeros((0, 7), np.float32)], 0.5)) == 0


def test_finished_boxes_in_four_outputs_are_counted_by_the_first():
    boxes = np.zeros((1, 100, 4), np.float32)
    scores, classes = np.full((1, 100), 0.9, np.float32), np.full((1, 100), 4, np.float32)
    boxes[0, 0] = BOX
    outputs = [np.array([[1]], np.float32), boxes, scores, classes]
    assert only(recognise(outputs, SIZE, 80).decode(outputs, 0.5)) == (list(BOX), pytest.approx(0.9), 4)


def distribution(distance, bins):
    """Return logits whose mean is a distance in strides: all of it in the two bins beside it."""
    logits = np.full(bins, -50.0)
    low = min(int(distance), bins - 2)
    logits[low : low + 2] = np.log(np.maximum((1 - (distance - low), distance - low), 1e-9))
    return logits


def nanodet(bins, offset, logit=False):
    """Return scores and distances of three strides for a 416x416 input, with one thing at stride 16, cell (9, 13)."""
    outputs = []
    for stride in (8, 16, 32):
        n = (416 // stride) ** 2
        outputs.append(np.full((1, n, 80), -9.0 if logit else 0.01, np.float32))
        outputs.append(np.full((1, n, 4 * bins), -0.5, np.float32))
    row = 13 * 26 + 9
    outputs[2][0, row, 33] = 2.0 if logit else 0.88
    x, y = (9 + offset) * 16, (13 + offset) * 16
    sides = (x - BOX[0], y - BOX[1], BOX[2] - x, BOX[3] - y)
    outputs[3][0, row] = np.concatenate([distribution(s / 16, bins) for s in sides])
    return outputs


@pytest.mark.parametrize("bins", [8, 11])
@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (0, 2, 4, 1, 3, 5), (4, 5, 2, 0, 3, 1)])
def test_nanodet_is_decoded_in_any_order_of_its_outputs(bins, order):
    outputs = [nanodet(bins, 0.5)[i] for i in order]
    head = recognise(outputs, (416, 416), 0)
    assert (head.name, head.classes) == ("NanoDet", 80)
    box, score, category = only(head.decode(outputs, 0.5))
    np.testing.assert_allclose(box, BOX, atol=0.1)
    assert (score, category) == (pytest.approx(0.88), 33)


def test_nanodet_without_a_sigmoid_gets_one():
    outputs = nanodet(8, 0.5, logit=True)
    _, score, _ = only(recognise(outputs, (416, 416), 80).decode(outputs, 0.5))
    assert score == pytest.approx(1 / (1 + np.exp(-2.0)))


def test_nanodet_plus_has_all_in_one_output_and_predicts_at_the_corners_of_cells():
    parts = nanodet(8, 0.0)
    rows = [np.concatenate([parts[2 * i][0], parts[2 * i + 1][0]], axis=1) for i in range(3)]
    last = np.concatenate([np.full((49, 80), 0.01), np.full((49, 32), -0.5)], axis=1)
    outputs = [np.concatenate([*rows, last])[None].astype(np.float32)]
    assert outputs[0].shape == (1, 3598, 112), "the shape that NanoDet-Plus-m 416 is exported with"
    head = recognise(outputs, (416, 416), 0)
    assert head.name == "NanoDet-Plus"
    box, score, category = only(head.decode(outputs, 0.5))
    np.testing.assert_allclose(box, BOX, atol=0.1)
    assert (score, category) == (pytest.approx(0.88), 33)


@pytest.mark.parametrize(
    "shapes",
    [[(1, 1000)], [(1, 100, 4), (1, 100, 91)], [(1, 256, 20, 20)], [(1, 84, 8399)], [(2, 84, 8400)], [()], []],
)
def test_other_outputs_are_refused_with_what_was_found_and_what_is_expected(shapes):
    with pytest.raises(HeadError, match="expected one of") as refused:
        recognise([np.zeros(s, np.float32) for s in shapes], SIZE, 80)
    for shape in shapes:
        assert str(shape) in str(refused.value)


def test_yolox_is_named_and_told_how_to_export():
    with pytest.raises(HeadError, match=r"YOLOX.*decoding"):
        recognise([np.zeros((1, CELLS, 85), np.float32)], SIZE, 80)


def test_labels_of_another_model_are_noticed():
    with pytest.raises(HeadError, match=r"80 classes.*20 labels"):
        recognise([yolo8()], SIZE, 20)
