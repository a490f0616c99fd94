# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures as they are kept in a bag, read as `./karma map` reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from karma.bag_pictures import COMPRESSED, IMAGE, smaller
from karma_perception.frames.sensor_messages import to_depth, to_instances, to_rgb
from karma_perception.recording.images import read_color, read_depth

TYPES = get_typestore(Stores.LATEST)
HEIGHT, WIDTH = 24, 32
PADDING = 8
"""Bytes at the end of each row."""


def image(encoding: str, pixels: Any) -> Any:
    rows = pixels.reshape(len(pixels), -1).view(np.uint8)
    padded = np.pad(rows, ((0, 0), (0, PADDING)))
    header = TYPES.types["std_msgs/msg/Header"](
        stamp=TYPES.types["builtin_interfaces/msg/Time"](sec=7, nanosec=8), frame_id="eye"
    )
    return TYPES.types[IMAGE](
        header=header,
        height=pixels.shape[0],
        width=pixels.shape[1],
        encoding=encoding,
        is_bigendian=0,
        step=padded.shape[1],
        data=padded.reshape(-1),
    )


def kept(message: Any) -> tuple[str, str, Any]:
    topic, kind, data = smaller("/camera/x", bytes(TYPES.serialize_cdr(message, IMAGE)), TYPES)
    found: Any = TYPES.deserialize_cdr(data, kind)
    assert (found.header.stamp.sec, found.header.stamp.nanosec, found.header.frame_id) == (7, 8, "eye")
    return topic, kind, found


@pytest.mark.parametrize(("encoding", "channels"), [("rgb8", 3), ("bgr8", 3), ("rgba8", 4), ("mono8", 1)])
def test_colors_are_jpeg_where_image_transport_has_them(encoding: str, channels: int) -> None:
    x, y = np.meshgrid(np.linspace(0, 200, WIDTH), np.linspace(0, 200, HEIGHT))
    pixels = np.stack([x, y, 255 - x, y], axis=-1).astype(np.uint8)[:, :, :channels]
    message = image(encoding, pixels)
    topic, kind, found = kept(message)
    assert (topic, kind, found.format) == ("/camera/x/compressed", COMPRESSED, "jpeg")
    assert np.abs(read_color(found).astype(int) - to_rgb(message)).mean() < 4  # of 255


def test_depth_is_rounded_to_millimetres_and_what_is_no_distance_is_none() -> None:
    metres = np.random.default_rng(1).uniform(0.2, 10.0, (HEIGHT, WIDTH)).astype(np.float32)
    metres[0, :6] = [0.0, np.nan, np.inf, -np.inf, -1.0, 70.0]
    message = image("32FC1", metres)
    topic, kind, found = kept(message)
    assert (topic, kind, found.encoding) == ("/camera/x", IMAGE, "16UC1")
    depth = read_depth(found)
    assert not depth[0, :6].any()
    metres[0, :6] = 0.0
    assert np.abs(depth - metres).max() <= 0.000501
    assert np.array_equal(to_depth(found), depth)


def test_whole_numbers_and_garbage_stay_as_they_are() -> None:
    numbers = np.arange(HEIGHT * WIDTH, dtype=np.uint16).reshape(HEIGHT, WIDTH)
    topic, kind, found = kept(image("16UC1", numbers))
    assert (topic, kind) == ("/camera/x", IMAGE)
    assert np.array_equal(to_instances(found), numbers)
    cut_short = image("rgb8", np.zeros((HEIGHT, WIDTH, 3), np.uint8))
    cut_short.data = cut_short.data[:100]
    topic, kind, found = kept(cut_short)
    assert (topic, kind, len(found.data)) == ("/camera/x", IMAGE, 100)
