# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Frames of a world of boxes, computed analytically: one ray for each pixel, the nearest box wins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from karma_perception.frames.camera import Frame, Intrinsics, Label

INTRINSICS = Intrinsics(width=320, height=240, fx=160.0, fy=160.0, cx=159.5, cy=119.5)
"""90 degrees across."""

EYE = 1.1
"""Metres above the floor."""


@dataclass(frozen=True)
class Solid:
    """A box in the map frame; without an id it is part of the building."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    category: str = ""
    id: str = ""
    movable: bool = False
    states: dict[str, str] = field(default_factory=dict)

    @property
    def center(self) -> NDArray[np.float64]:
        return (np.array(self.low) + np.array(self.high)) / 2


def thing(
    category: str,
    center: Sequence[float],
    size: Sequence[float],
    *,
    movable: bool = False,
    name: str = "",
    **states: str,
) -> Solid:
    """Make an object from the centre of its box and its full extents."""
    low, high = (tuple(c + s * e / 2 for c, e in zip(center, size, strict=True)) for s in (-1, 1))
    return Solid(low, high, category, name or f"{category}|1", movable, states)


def room(x0: float, y0: float, x1: float, y1: float, *, floor: float = 0.0, door: str = "") -> list[Solid]:
    """Make floor and walls of a room, inner faces at the given coordinates; `door`: "east" leaves 0.8 m open there."""
    t, top = 0.1, floor + 2.5
    solids = [
        Solid((x0 - t, y0 - t, floor - 0.1), (x1 + t, y1 + t, floor)),
        Solid((x0 - t, y0 - t, floor), (x0, y1 + t, top)),
        Solid((x0 - t, y0 - t, floor), (x1 + t, y0, top)),
        Solid((x0 - t, y1, floor), (x1 + t, y1 + t, top)),
    ]
    if door == "east":
        middle = (y0 + y1) / 2
        solids += [
            Solid((x1, y0, floor), (x1 + t, middle - 0.4, top)),
            Solid((x1, middle + 0.4, floor), (x1 + t, y1, top)),
            Solid((x1, middle - 0.4, floor + 2.05), (x1 + t, middle + 0.4, top)),
        ]
    else:
        solids.append(Solid((x1, y0 - t, floor), (x1 + t, y1 + t, top)))
    return solids


def pose(x: float, y: float, yaw_deg: float, *, pitch_deg: float = 25.0, eye: float = EYE) -> NDArray[np.float64]:
    """Return the pose of a camera at (x, y, eye) that looks along yaw and down by pitch."""
    yaw, pitch = math.radians(yaw_deg), math.radians(pitch_deg)
    forward = np.array([math.cos(yaw) * math.cos(pitch), math.sin(yaw) * math.cos(pitch), -math.sin(pitch)])
    right = np.array([math.sin(yaw), -math.cos(yaw), 0.0])
    result = np.eye(4)
    result[:3, 0], result[:3, 1], result[:3, 2], result[:3, 3] = right, np.cross(forward, right), forward, (x, y, eye)
    return result


def shoot(
    world: Sequence[Solid],
    camera_pose: NDArray[np.float64],
    *,
    stamp: float = 0.0,
    scene: str = "test",
    held: str = "",
    resets: int = 0,
    identified: bool = True,
    missed: Sequence[str] = (),
    intrinsics: Intrinsics = INTRINSICS,
) -> Frame:
    """Render the world; `missed` ids are drawn but not labelled; without `identified` the labels carry no ids."""
    k = intrinsics
    u, v = np.meshgrid(np.arange(k.width), np.arange(k.height))
    x, y = ((u - k.cx) / k.fx).ravel(), ((v - k.cy) / k.fy).ravel()
    origin, r = camera_pose[:3, 3], camera_pose[:3, :3]
    inverse = []
    for axis in range(3):
        direction = x * r[axis, 0] + y * r[axis, 1] + r[axis, 2]
        inverse.append(1.0 / np.where(np.abs(direction) < 1e-12, 1e-12, direction))
    best = np.full(x.shape, np.inf)
    hit = np.zeros(x.shape, np.uint16)
    labels: dict[int, Label] = {}
    for value, solid in enumerate(world, start=1):
        enter, leave = np.zeros(x.shape), np.full(x.shape, np.inf)
        for axis in range(3):
            near = (solid.low[axis] - origin[axis]) * inverse[axis]
            far = (solid.high[axis] - origin[axis]) * inverse[axis]
            np.maximum(enter, np.minimum(near, far), out=enter)
            np.minimum(leave, np.maximum(near, far), out=leave)
        nearer = (enter <= leave) & (enter > 0) & (enter < best)
        best[nearer] = enter[nearer]
        labelled = bool(solid.id) and solid.id not in missed
        hit[nearer] = value if labelled else 0
        if labelled:
            name = solid.id if identified else ""
            labels[value] = Label(solid.category, name, movable=solid.movable, states=solid.states)
    depth = np.where(np.isfinite(best), best, 0.0).astype(np.float32).reshape(u.shape)
    instances = hit.reshape(u.shape)
    present = set(np.unique(instances).tolist())
    rgb = np.zeros((*u.shape, 3), np.uint8)
    rgb[instances > 0] = (200, 40, 40)
    return Frame(
        stamp=stamp,
        scene=scene,
        depth=depth,
        intrinsics=k,
        camera_pose=camera_pose,
        rgb=rgb,
        instances=instances,
        labels={value: label for value, label in labels.items() if value in present},
        held=held,
        resets=resets,
    )
