# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from karma_perception.detectors.letterbox import GREY, letterbox


def test_image_is_centred_and_keeps_its_shape():
    rgb = np.zeros((480, 640, 3), np.uint8)
    fitted, placed = letterbox(rgb, (416, 416))
    assert fitted.shape == (416, 416, 3)
    assert (placed.left, placed.top) == (0, 52)
    assert np.all(fitted[:52] == GREY)
    assert np.all(fitted[364:] == GREY)
    assert not fitted[52:364].any()


@pytest.mark.parametrize(("image", "size"), [((480, 640), (416, 416)), ((100, 50), (640, 320)), ((37, 91), (64, 64))])
def test_box_comes_back_to_where_it_was(image, size):
    height, width = image
    rgb = np.zeros((height, width, 3), np.uint8)
    left, top, right, bottom = width // 5, height // 4, width // 2, height * 3 // 4
    rgb[top:bottom, left:right] = 255
    fitted, placed = letterbox(rgb, size)
    rows, columns = np.nonzero(fitted[:, :, 0] > 185)
    box = np.array([[columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]], np.float32)
    np.testing.assert_allclose(placed.to_image(box)[0], (left, top, right, bottom), atol=1.5 / placed.scale)


def test_boxes_are_cut_off_at_the_image_s_borders():
    _, placed = letterbox(np.zeros((480, 640, 3), np.uint8), (640, 640))
    box = np.array([[-10, 0, 700, 640]], np.float32)
    np.testing.assert_allclose(placed.to_image(box), [[0, 0, 640, 480]])
