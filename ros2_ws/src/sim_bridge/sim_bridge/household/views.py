# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Camera poses: 4x4 transforms from camera_optical_frame (z forward, x right, y down) to map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Intrinsics, Point
from sim_bridge.household.model import CELL, Box, Cell, Room, Scene
from sim_bridge.household.structure import floor_height

EYE_HEIGHT = 1.1
"""Metres above the floor."""


class NoFreeViewError(RuntimeError):
    """Furniture is too near to every place that a camera could be put."""


def camera_pose(position: Point, yaw: float, pitch: float = 0.0) -> NDArray[np.float64]:
    """Return the pose of a camera that looks along `yaw`, tilted by `pitch` (radians, positive is down)."""
    forward = np.array([math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), -math.sin(pitch)])
    right = np.array([math.sin(yaw), -math.cos(yaw), 0.0])
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = right, np.cross(forward, right), forward, position
    return pose


def intrinsics_for(width: int, height: int, hfov: float) -> Intrinsics:
    """Return the pinhole camera with a horizontal field of view of `hfov` radians and square pixels.

    Pixel (u, v) is centred at (u, v), so that the optical axis meets the image at ((width - 1) / 2, (height - 1) / 2).
    ValueError when an argument is out of range.
    """
    if not (1 <= width <= 4096 and 1 <= height <= 4096):
        raise ValueError(f"an image of {width} x {height} pixels can't be rendered: each side must be 1 to 4096")
    if not 0.01 < hfov < 3.1:
        raise ValueError(f"hfov must be between 0.01 and 3.1 radians, not {hfov}")
    focal = width / 2 / math.tan(hfov / 2)
    return Intrinsics(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)


_CLEARANCE = 0.25
_LEAST_CLEARANCE = 0.05
"""Metres between a camera and the nearest furniture: wanted, and needed."""


def free_view(scene: Scene, room: str = "") -> NDArray[np.float64]:
    """Return a pose at eye height above a free cell, clear of all furniture, that looks across the room.

    The cell is the one with the longest look to the middle of the room's free cells. KeyError for an unknown room;
    NoFreeViewError when furniture is too near everywhere.
    """
    rooms = {r.name: r for r in scene.rooms}
    chosen = rooms[room] if room else scene.rooms[0]
    cells = [c for c in scene.free if c[2] == chosen.storey and _inside(c, chosen)]
    boxes = [b for o in scene.objects if o.room == chosen.name for b in scene.carved.get(o.id, (o.box,))]
    middle = np.mean([c[:2] for c in cells], axis=0) * CELL
    eyes = sorted((_eye(scene, c) for c in cells), key=lambda eye: (-math.dist(eye[:2], middle), eye))
    clear = {eye: min((_outside(box, eye) for box in boxes), default=math.inf) for eye in eyes}
    eye = next((e for e in eyes if clear[e] >= _CLEARANCE), max(eyes, key=clear.__getitem__))
    if clear[eye] < _LEAST_CLEARANCE:
        raise NoFreeViewError(f"furniture is within {_LEAST_CLEARANCE} m of every eye point in {chosen.name}")
    return camera_pose(eye, math.atan2(middle[1] - eye[1], middle[0] - eye[0]), math.radians(20))


def top_view(scene: Scene, storey: int = 0, margin: float = 0.3) -> tuple[NDArray[np.float64], float, float]:
    """Return the pose of a camera that looks straight down from under the ceilings, and what it must show.

    That is width and height in metres. Image right is map x, image up map y. ValueError when there is no such storey.
    """
    rooms = [r for r in scene.rooms if r.storey == storey]
    if not rooms:
        raise ValueError(f"{scene.name} has no storey {storey}")
    low = [min(r.low[a] for r in rooms) - margin for a in (0, 1)]
    high = [max(r.high[a] for r in rooms) + margin for a in (0, 1)]
    pose = np.eye(4)
    pose[:3, :3] = [[1, 0, 0], [0, -1, 0], [0, 0, -1]]
    pose[:3, 3] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, floor_height(scene, storey) + 2.4]
    return pose, high[0] - low[0], high[1] - low[1]


def _inside(cell: Cell, room: Room) -> bool:
    """Whether a cell lies in a room, not in a doorway."""
    return all(room.low[a] < cell[a] * CELL < room.high[a] for a in (0, 1))


def _eye(scene: Scene, cell: Cell) -> Point:
    return (cell[0] * CELL, cell[1] * CELL, floor_height(scene, cell[2]) + EYE_HEIGHT)


def _outside(box: Box, point: Point) -> float:
    """Return the distance from a point to a box, 0 inside."""
    gaps = [max(lo - p, 0.0, p - hi) for p, lo, hi in zip(point, box.low, box.high, strict=True)]
    return math.hypot(*gaps)
