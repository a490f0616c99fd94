# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a detector's file needs and what it finds in a picture, for people: as values, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from karma_perception.detectors.model import DetectionModel
from karma_perception.detectors.network import Found
from karma_perception.markers import category_color

SHOWN = 0.45
"""Opacity of a mask."""


class PictureError(ValueError):
    """A picture or depth that cannot be used; the message says why."""


def describe(model: DetectionModel) -> dict[str, Any]:
    """Return what a model needs and what it was recognised as."""
    height, width = model.size
    normal = model.head.normalization
    return {
        "head": model.head.name,
        "input": {
            "tensors": [str(t) for t in model.inputs],
            "width": width,
            "height": height,
            "channels": normal.order,
            "mean": list(normal.mean),
            "deviation": list(normal.deviation),
        },
        "outputs": [str(t) for t in model.outputs],
        "labels": list(model.labels),
        "provider": model.provider,
    }


def as_values(found: Sequence[Found], depth: NDArray[np.float32] | None) -> list[dict[str, Any]]:
    """Return what was found; with depth also how many pixels show it, and its median distance along the axis, metres.

    The distance is null when no depth was measured there.
    """
    result = []
    for f in found:
        left, top, right, bottom = f.box
        values: dict[str, Any] = {
            "name": f.name,
            "class": f.label.category,
            "score": round(f.label.score, 4),
            "movable": f.label.movable,
            "box": list(f.box),
        }
        if depth is not None:
            inside = depth[top:bottom, left:right][f.mask]
            values["pixels"] = int(f.mask.sum())
            values["distance_m"] = round(float(np.median(inside)), 4) if len(inside) else None
        result.append(values)
    return result


def annotate(rgb: NDArray[np.uint8], found: Sequence[Found]) -> Image.Image:
    """Return the picture with masks, boxes and labels drawn in, the best on top."""
    pixels = rgb.astype(np.float32)
    for f in reversed(found):
        left, top, right, bottom = f.box
        part = pixels[top:bottom, left:right]
        part[f.mask] = (1 - SHOWN) * part[f.mask] + SHOWN * np.array(_color(f), dtype=np.float32)
    picture = Image.fromarray(pixels.astype(np.uint8))
    draw = ImageDraw.Draw(picture)
    for f in reversed(found):
        left, top, right, bottom = f.box
        draw.rectangle((left, top, right - 1, bottom - 1), outline=_color(f), width=2)
        text = f"{f.label.category} {f.label.score:.2f}"
        anchor = (left + 2, max(0, top - 12))
        draw.rectangle(draw.textbbox(anchor, text), fill=_color(f))
        draw.text(anchor, text, fill=(0, 0, 0))
    return picture


def read_picture(file: Path) -> NDArray[np.uint8]:
    """Read a picture as (height, width, 3) red, green, blue; `PictureError` when it is none."""
    try:
        with Image.open(file) as picture:
            return np.asarray(picture.convert("RGB"))
    except (OSError, ValueError, SyntaxError, MemoryError, Image.DecompressionBombError) as error:
        raise PictureError(f"{file} cannot be read as a picture: {error}") from error


def read_depth(file: Path, rgb: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Read a depth image from a NumPy file, (height, width) metres; `PictureError` when it does not fit the picture."""
    try:
        depth = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError, TokenError, MemoryError) as error:
        raise PictureError(f"{file} cannot be read as a NumPy array: {error}") from error
    if not isinstance(depth, np.ndarray) or not np.issubdtype(depth.dtype, np.number) or depth.shape != rgb.shape[:2]:
        found = f"{depth.dtype} {depth.shape}" if isinstance(depth, np.ndarray) else "an archive of arrays"
        raise PictureError(f"{file} holds {found}; expected metres, {rgb.shape[:2]} as in the picture")
    return depth.astype(np.float32)


def _color(f: Found) -> tuple[int, int, int]:
    r, g, b, _ = category_color(f.label.category)
    return (int(255 * r), int(255 * g), int(255 * b))
