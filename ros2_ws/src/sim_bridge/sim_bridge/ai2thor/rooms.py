# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The rooms of a scene: one of a floor plan, those of a house by its description."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_KINDS = ("Kitchen", "", "LivingRoom", "Bedroom", "Bathroom")
"""Of the floor plans from 1, 201, 301 and 401 on."""

Corner = tuple[float, float]
"""x, y in metres, map frame."""


@dataclass(frozen=True)
class Room:
    """A room; metres, map frame."""

    name: str
    kind: str
    """Kitchen, LivingRoom, Bedroom or Bathroom; empty where that is not known."""
    outline: tuple[Corner, ...]

    @property
    def low(self) -> Corner:
        """Smallest x and y."""
        return min(x for x, _ in self.outline), min(y for _, y in self.outline)

    @property
    def high(self) -> Corner:
        """Largest x and y."""
        return max(x for x, _ in self.outline), max(y for _, y in self.outline)

    def contains(self, point: Corner) -> bool:
        """Whether a point is in the outline."""
        x, y = point
        inside = False
        for (x0, y0), (x1, y1) in zip(self.outline, (*self.outline[1:], self.outline[0]), strict=True):
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                inside = not inside
        return inside


def room_of_floor_plan(scene: str, bounds: Mapping[str, Any]) -> Room:
    """Return the one room of a floor plan, as large as AI2-THOR's bounds of the scene (sceneBounds)."""
    center, size = bounds["center"], bounds["size"]
    x0, x1 = center["x"] - size["x"] / 2, center["x"] + size["x"] / 2
    y0, y1 = center["z"] - size["z"] / 2, center["z"] + size["z"] / 2
    number = re.fullmatch(r"FloorPlan(\d+)", scene)
    kind = _KINDS[min(int(number[1]) // 100, 4)] if number else ""
    return Room(scene, kind, ((x0, y0), (x1, y0), (x1, y1), (x0, y1)))


def rooms_of_house(house: Mapping[str, Any]) -> tuple[Room, ...]:
    """Return the rooms of a ProcTHOR house; two of a kind are Bedroom and Bedroom2.

    KeyError or TypeError where the description is not as ProcTHOR makes it.
    """
    rooms: list[Room] = []
    for room in house["rooms"]:
        kind = str(room["roomType"])
        count = sum(r.kind == kind for r in rooms)
        outline = tuple((float(c["x"]), float(c["z"])) for c in room["floorPolygon"])
        rooms.append(Room(f"{kind}{count + 1}" if count else kind, kind, outline))
    return tuple(rooms)


def room_at(rooms: Iterable[Room], point: Corner) -> Room:
    """Return the room that a point is in, or else the one whose middle is nearest."""
    rooms = tuple(rooms)

    def away(room: Room) -> float:
        (x0, y0), (x1, y1) = room.low, room.high
        return math.dist(point, ((x0 + x1) / 2, (y0 + y1) / 2))

    return next((r for r in rooms if r.contains(point)), min(rooms, key=away))
