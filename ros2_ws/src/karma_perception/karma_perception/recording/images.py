# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a recording, raw or compressed, as arrays."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import FrameError, Intrinsics
from karma_perception.frames.sensor_messages import MAX_PIXELS, to_depth, to_rgb

RAW = "sensor_msgs/msg/Image"
COMPRESSED = "sensor_msgs/msg/CompressedImage"

_INTEGER = 0.001
"""Metres of one unit of integer depth, unless the user says otherwise (REP-118)."""

_DEPTH_HEADER = struct.Struct("<iff")
"""What compressed_depth_image_transport puts in front: the format, and the two parameters of quantised metres."""


def read_color(message: Any) -> NDArray[np.uint8]:
    """Return a picture as (height, width, 3) red, green, blue; `FrameError` when it is garbage."""
    if not _compressed(message):
        return to_rgb(message)
    picture: NDArray[np.uint8] = np.array(_decoded(message, bytes(message.data)).convert("RGB"))
    return picture


def read_depth(message: Any, unit: float | None = None) -> NDArray[np.float32]:
    """Return depth as (height, width) metres, 0 = none; `unit`: metres that one stands for, as in the options.

    `FrameError` when it is garbage, or compressed in a way that is not known (RVL).
    """
    if not _compressed(message):
        metres = to_depth(message, _INTEGER if unit is None else unit)
        return metres if unit is None or message.encoding != "32FC1" else metres * np.float32(unit)
    data = bytes(message.data)
    if "compressedDepth" not in message.format:
        return _levels(message, data).astype(np.float32) * np.float32(_INTEGER if unit is None else unit)
    if len(data) <= _DEPTH_HEADER.size:
        raise FrameError(f"the compressed depth image has {len(data)} bytes")
    _, a, b = _DEPTH_HEADER.unpack_from(data)
    levels = _levels(message, data[_DEPTH_HEADER.size :])
    if not message.format.startswith("32FC1"):
        return levels.astype(np.float32) * np.float32(_INTEGER if unit is None else unit)
    # Quantised as a / metres + b, and 0 where there is none.
    metres = np.zeros(levels.shape, np.float32)
    known = levels > max(b, 0.0)
    metres[known] = a / (levels[known].astype(np.float64) - b)
    return metres * np.float32(1.0 if unit is None else unit)


def resized(picture: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Return a color picture in another size."""
    from PIL import Image

    result: NDArray[np.uint8] = np.array(Image.fromarray(picture).resize((width, height), Image.Resampling.BILINEAR))
    return result


def same_shape(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two sizes, width and height, have the same sides' ratio, to 1 %: one may be the other, scaled."""
    return abs(a[0] * b[1] - a[1] * b[0]) <= 0.01 * a[0] * b[1]


def scaled(k: Intrinsics, width: int, height: int) -> Intrinsics:
    """Return the intrinsics of the same camera with pictures of another size."""
    x, y = width / k.width, height / k.height
    return Intrinsics(width, height, k.fx * x, k.fy * y, (k.cx + 0.5) * x - 0.5, (k.cy + 0.5) * y - 0.5)


def _compressed(message: Any) -> bool:
    return hasattr(message, "format")


def _levels(message: Any, data: bytes) -> NDArray[np.uint16]:
    picture = _decoded(message, data)
    if not picture.mode.startswith("I"):
        raise FrameError(
            f"the compressed depth image ({message.format[:48]!r}) has no 16 bits, but mode {picture.mode}"
        )
    return np.array(picture).astype(np.uint16)


def _decoded(message: Any, data: bytes) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        picture = Image.open(io.BytesIO(data), formats=("JPEG", "PNG"))
        if picture.width * picture.height > MAX_PIXELS:
            raise FrameError(f"the compressed image has {picture.width}x{picture.height} pixels")
        picture.load()
    except UnidentifiedImageError as error:
        raise FrameError(f"the compressed image ({message.format[:48]!r}) is neither JPEG nor PNG") from error
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise FrameError(f"the compressed image ({message.format[:48]!r}) is damaged: {error}") from error
    return picture
