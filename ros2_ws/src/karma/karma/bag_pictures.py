# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures for a bag: colors as JPEG, as image_transport publishes them, and depth in whole millimetres (REP-118)."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image
from rosbags.typesys.store import Typestore

from karma_perception.frames.camera import FrameError
from karma_perception.frames.sensor_messages import to_depth, to_rgb

IMAGE = "sensor_msgs/msg/Image"
COMPRESSED = "sensor_msgs/msg/CompressedImage"
JPEG_QUALITY = 90
MILLIMETRE = 0.001
MOST = np.iinfo(np.uint16).max
"""Millimetres; what is farther is as if it was not seen."""


def smaller(topic: str, data: bytes, types: Typestore) -> tuple[str, str, bytes]:
    """Return the topic, the type and the bytes in which a serialized sensor_msgs/Image is to be kept.

    Garbage stays as it is, and so does what is neither color nor depth in metres: compressing the bag does for it.
    """
    message: Any = types.deserialize_cdr(data, IMAGE)
    try:
        if message.encoding == "32FC1":
            return topic, IMAGE, bytes(types.serialize_cdr(_in_millimetres(message), IMAGE))
        file = io.BytesIO()
        Image.fromarray(to_rgb(message)).save(file, "JPEG", quality=JPEG_QUALITY)
    except FrameError:
        return topic, IMAGE, data
    jpeg = np.frombuffer(file.getvalue(), np.uint8)
    compressed = types.types[COMPRESSED](header=message.header, format="jpeg", data=jpeg)
    return f"{topic}/compressed", COMPRESSED, bytes(types.serialize_cdr(compressed, COMPRESSED))


def _in_millimetres(message: Any) -> Any:
    depth = np.nan_to_num(to_depth(message) / MILLIMETRE, nan=0.0, posinf=0.0, neginf=0.0)
    whole = np.where((depth < 0) | (depth > MOST), 0, np.rint(depth)).astype("<u2")
    row, data = 2 * whole.shape[1], whole.reshape(-1).view(np.uint8)
    return replace(message, encoding="16UC1", is_bigendian=0, step=row, data=data)
