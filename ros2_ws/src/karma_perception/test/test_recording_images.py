# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0

"""Raw and compressed pictures."""

import io
import struct
import zlib

import numpy as np
import pytest

pytest.importorskip("rosbags", reason="rosbags is not installed")
pytest.importorskip("ament_index_python", reason="ROS 2 is not installed")

from bag_writer import compressed, header, image
from PIL import Image

from karma_perception.frames.camera import FrameError, Intrinsics
from karma_perception.recording.images import read_color, read_depth, same_shape, scaled

HEAD = header(1.0, "camera")
COLORS = np.array([[[250, 20, 30], [10, 240, 20]], [[0, 0, 0], [255, 255, 255]]], np.uint8)
METRES = np.array([[0.0, 0.5], [1.234, 7.9]], np.float32)


def encoded(pixels, form):
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, form)
    return data.getvalue()


@pytest.mark.parametrize(
    ("encoding", "pixels"),
    [
        ("rgb8", COLORS),
        ("bgr8", COLORS[:, :, ::-1]),
        ("rgba8", np.dstack([COLORS, np.full((2, 2), 9, np.uint8)])),
        ("bgra8", np.dstack([COLORS[:, :, ::-1], np.full((2, 2), 9, np.uint8)])),
    ],
)
def test_raw_colors(encoding, pixels):
    np.testing.assert_array_equal(read_color(image(HEAD, pixels, encoding)), COLORS)


def test_grey_has_three_equal_channels():
    grey = read_color(image(HEAD, COLORS[:, :, 0], "mono8"))
    assert grey.shape == (2, 2, 3)
    np.testing.assert_array_equal(grey, np.dstack([COLORS[:, :, 0]] * 3))


def test_png_and_jpeg():
    png = compressed(HEAD, "rgb8; png compressed bgr8", encoded(COLORS, "PNG"))
    np.testing.assert_array_equal(read_color(png), COLORS)
    flat = np.full((16, 16, 3), (200, 100, 50), np.uint8)
    jpeg = read_color(compressed(HEAD, "jpeg", encoded(flat, "JPEG")))
    np.testing.assert_allclose(jpeg, flat, atol=4)


def test_depth_in_metres_and_in_units():
    np.testing.assert_array_equal(read_depth(image(HEAD, METRES, "32FC1")), METRES)
    units = np.round(METRES * 5000).astype(np.uint16)
    np.testing.assert_allclose(read_depth(image(HEAD, units, "16UC1"), 0.0002), METRES, atol=2e-4)
    np.testing.assert_allclose(read_depth(image(HEAD, METRES * 1000, "32FC1"), 0.001), METRES, atol=1e-6)


@pytest.mark.parametrize("form", ["16UC1; compressedDepth", "16UC1; compressedDepth png", "16UC1; png compressed "])
def test_compressed_depth_of_millimetres(form):
    png = encoded(np.round(METRES * 1000).astype(np.uint16), "PNG")
    data = (struct.pack("<iff", 0, 0.0, 0.0) if "Depth" in form else b"") + png
    np.testing.assert_allclose(read_depth(compressed(HEAD, form, data)), METRES, atol=6e-4)


def test_compressed_depth_of_quantised_metres():
    # compressed_depth_image_transport with its defaults: depth_max 10 m, depth_quantization 100.
    a = 100.0 * 101.0
    b = 1.0 - a / 10.0
    levels = np.where(METRES > 0, a / np.where(METRES > 0, METRES, 1.0) + b, 0.0)
    data = struct.pack("<iff", 0, a, b) + encoded(levels.astype(np.uint16), "PNG")
    depth = read_depth(compressed(HEAD, "32FC1; compressedDepth png", data))
    assert depth[0, 0] == 0.0
    np.testing.assert_allclose(depth, METRES, rtol=0.01)


@pytest.mark.parametrize(
    ("form", "data", "why"),
    [
        ("16UC1; compressedDepth rvl", struct.pack("<iffII", 0, 0, 0, 2, 2) + b"\x01\x02", "neither JPEG nor PNG"),
        ("16UC1; compressedDepth png", b"\x00", "has 1 bytes"),
        ("16UC1; compressedDepth png", b"\x00" * 12 + encoded(COLORS, "PNG"), "no 16 bits"),
        ("16UC1; png compressed", encoded(np.ones((99, 99), np.uint16), "PNG")[:-40], "damaged"),
    ],
)
def test_garbage_is_refused_with_a_reason(form, data, why):
    with pytest.raises(FrameError, match=why):
        read_depth(compressed(HEAD, form, data), 0.001)


def test_a_picture_that_says_it_is_huge_is_refused():
    data = bytearray(encoded(COLORS, "PNG"))
    data[16:24] = struct.pack(">II", 60_000, 60_000)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    with pytest.raises(FrameError, match=r"damaged|60000x60000"):
        read_color(compressed(HEAD, "png", bytes(data)))


def test_intrinsics_of_half_the_size_see_the_same_corners():
    full = Intrinsics(640, 480, 500.0, 510.0, 320.5, 239.5)
    half = scaled(full, 320, 240)
    assert (half.fx, half.fy) == (250.0, 255.0)
    assert (half.cx + 0.5) / half.fx == pytest.approx((full.cx + 0.5) / full.fx)
    assert same_shape((640, 480), (320, 240))
    assert not same_shape((640, 480), (640, 360))
