# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Markers for rviz in the frame map. All that is to be seen is in every message, which takes the last one's away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Pose, Vector3
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

FRAME = "map"
LETTER, ABOVE = 0.12, 0.35
"""Metres: height of letters; between a thing and what is written of it."""
_BALL = 0.18
"""Metres, diameter of what lights a thing."""

Place = tuple[float, float, float]
"""Metres, map frame."""
Color = tuple[float, float, float]
"""Red, green, blue; 0..1."""


@dataclass(frozen=True)
class Shape:
    """One marker: at its only place, or a line through several."""

    namespace: str
    kind: int
    """Marker.type."""
    size: float
    """Metres."""
    color: Color
    where: Sequence[Place]
    text: str = ""


def lit(namespace: str, place: Place, text: str, color: Color) -> Iterator[Shape]:
    """Yield a ball at a thing, and below it what is written of it."""
    x, y, z = place
    yield Shape(namespace, Marker.SPHERE, _BALL, color, (place,))
    yield Shape(f"{namespace}_labels", Marker.TEXT_VIEW_FACING, LETTER, color, ((x, y, z - ABOVE),), text)


def to_message(shapes: Iterable[Shape], stamp: Time, *, lifetime: int = 0) -> MarkerArray:
    """Return what is to be seen from now on; `lifetime`: for so many seconds, 0 for until the next message."""
    header = Header(frame_id=FRAME, stamp=stamp)
    markers = [Marker(header=header, action=Marker.DELETEALL)]
    for number, shape in enumerate(shapes):
        red, green, blue = shape.color
        points = [Point(x=x, y=y, z=z) for x, y, z in shape.where]
        markers.append(
            Marker(
                header=header,
                ns=shape.namespace,
                id=number,
                type=shape.kind,
                action=Marker.ADD,
                pose=Pose(position=points[0] if len(points) == 1 else Point()),
                points=points if len(points) > 1 else [],
                scale=Vector3(x=shape.size, y=shape.size, z=shape.size),
                color=ColorRGBA(r=red, g=green, b=blue, a=0.9),
                lifetime=Duration(sec=lifetime),
                text=shape.text,
            )
        )
    return MarkerArray(markers=markers)
