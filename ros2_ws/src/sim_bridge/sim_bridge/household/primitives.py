# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The primitives that shapes are made of: boxes, cylinders and ellipsoids."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal["box", "cylinder", "ellipsoid"]


@dataclass(frozen=True)
class Primitive:
    """A box, a cylinder (upright, elliptic) or an ellipsoid."""

    kind: Kind
    center: tuple[float, float, float]
    """Metres, map frame."""
    half: tuple[float, float, float]
    """Half extents along its own axes, metres."""
    yaw: float = 0.0
    """Radians about z."""
    tone: float = 1.0
    """Factor on the colour of the object's type."""


def extent(part: Primitive) -> tuple[float, float, float]:
    """Return the half extents of the axis-aligned box around a primitive."""
    (a, b, c), cos, sin = part.half, abs(math.cos(part.yaw)), abs(math.sin(part.yaw))
    return a * cos + b * sin, a * sin + b * cos, c


def halved(size: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return half of each extent."""
    return (size[0] / 2, size[1] / 2, size[2] / 2)
