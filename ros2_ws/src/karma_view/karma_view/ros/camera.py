# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's camera for people: pictures with the names of what is recognised in them."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from karma_perception.frames.camera import FrameError, Label
from karma_perception.frames.sensor_messages import (
    rigid_transform,
    stamp_nanoseconds,
    to_instances,
    to_intrinsics,
    to_labels,
    to_rgb,
    to_seconds,
)
from karma_view.known import CameraView
from karma_view.wording import spoken

logger = logging.getLogger(__name__)

PERIOD_S = 0.2
"""Between two pictures."""
WIDEST = 640
"""Columns of a picture; of larger ones, every second or third pixel is shown."""
MOST_PENDING = 4
"""Stamps whose messages have not all come: on a busy machine those of two views come mixed."""
SMALLEST = 60
"""Pixels of what gets a name."""
MOST_NAMES = 30

_USUAL_FOV = math.radians(60)
"""Of a camera that doesn't tell."""
_VIEW = frozenset({"color", "instances", "labels"})
_COLORS = ((76, 114, 176), (221, 132, 82), (85, 168, 104), (196, 78, 82), (129, 114, 179), (147, 120, 96))


class CameraWatch:
    """Makes pictures of a camera's messages, at most every PERIOD_S.

    The picture, instances and labels of a view are those of one stamp; of a camera without instances, the picture is
    shown as it is. Not for several threads.
    """

    def __init__(self, show: Callable[[CameraView], None]) -> None:
        self._show = show
        self._pending: dict[int, dict[str, Any]] = {}
        self._newest: dict[str, Any] = {}
        self._next = 0.0

    def take(self, kind: str, message: Any) -> None:
        """Take a message: color, instances, labels; info, pose."""
        if kind not in _VIEW:
            self._newest[kind] = message
            return
        stamp = stamp_nanoseconds(message.header.stamp)
        view = self._pending.setdefault(stamp, {})
        view[kind] = message
        if view.keys() < _VIEW:
            if len(self._pending) <= MOST_PENDING:
                return
            stamp = next(iter(self._pending))
        view = self._pending.pop(stamp)
        if "color" not in view or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PERIOD_S
        try:
            self._show(self._picture(view))
        except FrameError as error:
            logger.warning("no picture of the camera: %s", error)

    def _picture(self, view: Mapping[str, Any]) -> CameraView:
        image = to_rgb(view["color"])
        if view.keys() >= _VIEW:
            image = named(image, to_instances(view["instances"]), to_labels(view["labels"]))
        step = math.ceil(image.shape[1] / WIDEST)
        fov = _USUAL_FOV
        if (info := self._newest.get("info")) is not None:
            intrinsics = to_intrinsics(info)
            fov = 2 * math.atan2(intrinsics.height / 2, intrinsics.fy)
        position = wxyz = None
        if (message := self._newest.get("pose")) is not None:
            p, q = message.pose.position, message.pose.orientation
            rigid_transform((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))  # garbage is none
            position, wxyz = (p.x, p.y, p.z), (q.w, q.x, q.y, q.z)
        return CameraView(image[::step, ::step], to_seconds(view["color"].header.stamp), fov, position, wxyz)


def named(image: NDArray[np.uint8], instances: NDArray[np.uint16], labels: Mapping[int, Label]) -> NDArray[np.uint8]:
    """Return a picture (height, width, 3) with a box and the category at what is recognised in it.

    `instances`: (height, width), 0 = background. Things come before furniture, of which each category is told once,
    and large before small; no name is written over another. FrameError where picture and instances are not of one size.
    """
    if image.shape[:2] != instances.shape:
        raise FrameError(f"the picture has {image.shape[:2]} pixels, its instances {instances.shape}")
    found = [(labels[value], box, size) for value, box, size in _boxes(instances) if value in labels]
    found.sort(key=lambda item: (not item[0].movable, -item[2]))
    picture = Image.fromarray(np.ascontiguousarray(image))
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=max(10.0, image.shape[0] / 32))
    written: list[tuple[float, float, float, float]] = []
    told: set[str] = set()
    for label, (left, top, right, bottom), _ in found:
        if len(written) == MOST_NAMES:
            break
        text = spoken(label.category)
        if not label.movable and text in told:
            continue
        color = _COLORS[sum(label.category.encode()) % len(_COLORS)]
        x0, y0, x1, y1 = draw.textbbox((left + 2, top), text, font=font)
        place = (x0 - 2, y0 - 2, x1 + 2, y1 + 2)
        if any(place[0] < b[2] and b[0] < place[2] and place[1] < b[3] and b[1] < place[3] for b in written):
            continue
        written.append(place)
        told.add(text)
        if label.movable:
            draw.rectangle((left, top, right, bottom), outline=color, width=2)
        draw.rectangle(place, fill=color if label.movable else (70, 70, 70))
        draw.text((left + 2, top), text, font=font, fill=(255, 255, 255))
    return np.asarray(picture)


def _boxes(instances: NDArray[np.uint16]) -> list[tuple[int, tuple[int, int, int, int], int]]:
    """Return value, box (left, top, right, bottom) and pixels of each instance that is large enough."""
    rows, columns = np.nonzero(instances)
    values = instances[rows, columns].astype(np.intp)
    pixels = np.bincount(values)
    low, high = np.full((2, len(pixels)), np.iinfo(np.intp).max), np.zeros((2, len(pixels)), np.intp)
    for axis, places in enumerate((columns, rows)):
        np.minimum.at(low[axis], values, places)
        np.maximum.at(high[axis], values, places)
    return [
        (int(v), (int(low[0, v]), int(low[1, v]), int(high[0, v]), int(high[1, v])), int(pixels[v]))
        for v in np.flatnonzero(pixels >= SMALLEST)
    ]
