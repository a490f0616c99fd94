# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a camera sees, without rendering: rays from the camera to points of each object, against the furniture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_bridge.household.furnishing import Furnishing, furnish
from sim_bridge.household.primitives import extent
from sim_bridge.household.structure import structure
from sim_bridge.household.world import World
from sim_bridge.simulation.categories import CUPBOARDS, TRANSPARENT
from sim_bridge.simulation.senses import RANGE

CAMERA_HEIGHT = 1.1
"""Metres above the floor the robot stands on."""

Mask = NDArray[np.bool_]

_SHRINK = 0.8
_POINTS = np.array(
    [
        (0, 0, 0),
        (1, 0, 0),
        (-1, 0, 0),
        (0, 1, 0),
        (0, -1, 0),
        (0, 0, 1),
        (1, 1, 1),
        (1, -1, 1),
        (-1, 1, 1),
        (-1, -1, 1),
    ],
    dtype=np.float64,
)
"""Points of a box that are looked at: its middle, its sides, its top and the top's corners, drawn in by a fifth."""


@dataclass(frozen=True)
class View:
    """Where a camera is and where it looks; half angles in radians."""

    eye: tuple[float, float, float]
    yaw: float
    pitch: float
    """Radians, positive upwards."""
    half_width: float = math.pi / 4
    half_height: float = math.atan(0.75)


class Sight:
    """Line of sight in a world. Keeps what it computed for an eye until an object moves."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._furnishing = furnish(world.scene)
        self._open: frozenset[str] | None = None
        self._occluders = np.empty((0, 6))
        self._owners: NDArray[np.str_] = np.empty(0, dtype=np.str_)
        self._version = -1
        self._names: tuple[str, ...] = ()
        self._lows = self._highs = np.empty((0, 3))
        self._enclosing: dict[str, tuple[str, ...]] = {}
        self._hidden: Mask = np.empty(0, dtype=bool)
        self._seen_from: dict[tuple[float, float, float], Mask] = {}

    def visible(self, view: View) -> tuple[str, ...]:
        """Return the ids of what is in view, nearest first."""
        self._refresh()
        clear = self._clear(view.eye)
        rows = np.flatnonzero(clear.any(axis=1))
        if not len(rows):
            return ()
        points = self._points(rows)
        framed = clear[rows] & in_frame(points, view)
        rows = rows[framed.any(axis=1)]
        distance = np.linalg.norm((self._lows[rows] + self._highs[rows]) / 2 - np.array(view.eye), axis=1)
        return tuple(self._names[r] for r in rows[np.argsort(distance, kind="stable")])

    def sees(self, name: str, view: View) -> bool:
        """Whether an object is in view."""
        self._refresh()
        if name not in self._world.specs:
            return False
        clear = self._line(name, np.array([view.eye]))[0]
        return bool((clear & in_frame(self._points_of(name), view)).any())

    def clear_from(self, name: str, eyes: NDArray[np.float64]) -> Mask:
        """Return for each eye (n, 3) whether it would see the object if it looked there."""
        self._refresh()
        return np.asarray(self._line(name, eyes).any(axis=1), dtype=np.bool_)

    def clear_point(self, point: tuple[float, float, float], eyes: NDArray[np.float64]) -> Mask:
        """Return for each eye (n, 3) whether nothing hides a point from it."""
        self._refresh()
        points = np.tile(np.array(point), (len(eyes), 1))
        nothing = np.zeros((1, len(self._owners)), dtype=bool)
        blocked = _hits(eyes, points, self._occluders, nothing, np.zeros((1, 1), dtype=bool))
        seen: Mask = ~blocked & (np.linalg.norm(points - eyes, axis=1) <= RANGE)
        return seen

    def _refresh(self) -> None:
        world = self._world
        if world.version == self._version:
            return
        self._version = world.version
        self._seen_from.clear()
        is_open = frozenset(n for n, s in world.specs.items() if not s.movable and world.is_(n, "isOpen"))
        if is_open != self._open:
            self._open = is_open
            self._occluders, owners = _occluders(world, self._furnishing)
            self._owners = np.array(owners)
        self._names = tuple(n for n, s in world.specs.items() if s.category != "Floor" and not world.is_held(n))
        boxes = [world.boxes[n] for n in self._names]
        self._lows = np.array([b.low for b in boxes])
        self._highs = np.array([b.high for b in boxes])
        self._hidden = np.array([bool(world.closed_around(n)) for n in self._names])

    def _points(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        middle = (self._lows[rows] + self._highs[rows]) / 2
        half = (self._highs[rows] - self._lows[rows]) / 2 * _SHRINK
        return middle[:, None] + half[:, None] * _POINTS

    def _points_of(self, name: str) -> NDArray[np.float64]:
        box = self._world.boxes[name]
        return np.array(box.center) + np.array(box.size) / 2 * _SHRINK * _POINTS

    def _clear(self, eye: tuple[float, float, float]) -> Mask:
        """Return (objects, points): what is seen from `eye` in some direction."""
        known = self._seen_from.get(eye)
        if known is not None:
            return known
        clear = np.zeros((len(self._names), len(_POINTS)), dtype=bool)
        here = np.array(eye)
        away = np.linalg.norm(np.maximum(np.maximum(self._lows - here, here - self._highs), 0.0), axis=1)
        same_storey = np.abs((self._lows[:, 2] + self._highs[:, 2]) / 2 - here[2]) < 2.0
        rows = np.flatnonzero((away <= RANGE) & same_storey & ~self._hidden)
        points = self._points(rows)
        blocked = self._blocked(here, points.reshape(-1, 3), np.repeat(rows, len(_POINTS)))
        clear[rows] = ~blocked.reshape(len(rows), -1)
        clear[rows] &= np.linalg.norm(points - here, axis=2) <= RANGE
        self._seen_from[eye] = clear
        return clear

    def _line(self, name: str, eyes: NDArray[np.float64]) -> Mask:
        """Return (eyes, points): which points of one object are seen from which eye in some direction."""
        points = self._points_of(name)
        if self._world.closed_around(name) or self._world.is_held(name):
            return np.zeros((len(eyes), len(points)), dtype=bool)
        owner = self._owner_rows(name)
        offset = points[None] - eyes[:, None]
        near = (np.linalg.norm(offset, axis=2) <= RANGE) & (np.abs(offset[:, :1, 2]) < 2.0)
        between = self._between(np.concatenate([eyes, points]))
        blocked = _hits(
            np.repeat(eyes, len(points), axis=0),
            np.tile(points, (len(eyes), 1)),
            self._occluders[between],
            owner[None, between],
            np.array([[not self._built_in(name)]]),
        )
        seen: Mask = near & ~blocked.reshape(len(eyes), -1)
        return seen

    def _between(self, points: NDArray[np.float64]) -> Mask:
        """Return (occluders,): which of them reach into the box around some points, and so may be in the way."""
        low, high = self._occluders[:, :3], self._occluders[:, 3:]
        mask: Mask = ((low <= points.max(axis=0)) & (high >= points.min(axis=0))).all(axis=1)
        return mask

    def _owner_rows(self, name: str) -> Mask:
        """Return (occluders,): which of them do not hide the object.

        They belong to furniture or are around it: doors and drawers are built into other furniture, and an open drawer
        is recorded where it is when closed. What is in such furniture counts as a part of it; all of them hide
        everything else that can be carried.
        """
        fixed = self._built_in(name)
        return np.isin(self._owners, [fixed, *self._around(fixed)] if fixed else [])

    def _built_in(self, name: str) -> str:
        """Return the furniture that an object is or, where that can be closed, is in; empty for none."""
        world = self._world
        if not world.specs[name].movable:
            return name
        return next((a for a in world.ancestors(name) if world.category(a) in CUPBOARDS), "")

    def _around(self, name: str) -> tuple[str, ...]:
        """Return the furniture whose recorded box has the middle of another's in its outline."""
        known = self._enclosing.get(name)
        if known is None:
            x, y, _ = self._world.boxes[name].center
            known = tuple(
                other
                for other, spec in self._world.specs.items()
                if not spec.movable
                and spec.box.low[0] <= x <= spec.box.high[0]
                and spec.box.low[1] <= y <= spec.box.high[1]
            )
            if not self._world.specs[name].movable:
                self._enclosing[name] = known
        return known

    def _blocked(self, eye: NDArray[np.float64], points: NDArray[np.float64], rows: NDArray[np.intp]) -> Mask:
        exempt = {r: self._owner_rows(self._names[r]) for r in np.unique(rows).tolist()}
        mask = np.array([exempt[r] for r in rows.tolist()]).reshape(len(rows), len(self._owners))
        low, high = self._occluders[:, :3], self._occluders[:, 3:]
        near = np.linalg.norm(np.maximum(np.maximum(low - eye, eye - high), 0.0), axis=1) <= RANGE
        within = np.array([[not self._built_in(self._names[r])] for r in rows.tolist()], dtype=bool)
        return _hits(eye[None], points, self._occluders[near], mask[:, near], within)


def in_frame(points: NDArray[np.float64], view: View) -> Mask:
    """Whether points (..., 3) are in the camera's frame."""
    d = points - np.array(view.eye)
    cy, sy, cp, sp = math.cos(view.yaw), math.sin(view.yaw), math.cos(view.pitch), math.sin(view.pitch)
    level = d[..., 0] * cy + d[..., 1] * sy
    left = d[..., 1] * cy - d[..., 0] * sy
    forward = level * cp + d[..., 2] * sp
    up = d[..., 2] * cp - level * sp
    wide, high = math.tan(view.half_width), math.tan(view.half_height)
    framed: Mask = (forward > 0.05) & (np.abs(left) <= forward * wide) & (np.abs(up) <= forward * high)
    return framed


def _hits(
    eyes: NDArray[np.float64], points: NDArray[np.float64], boxes: NDArray[np.float64], exempt: Mask, within: Mask
) -> Mask:
    """Whether the segment from each eye (n or 1, 3) to its point (n, 3) passes through a box (m, 6).

    Boxes that contain the eye do not count, nor those exempt (n or 1, m), nor those that contain the point, except
    where `within` (n or 1, 1): furniture overlaps, but what has sunk into it is not seen.
    """
    enter: NDArray[np.float64] | float = -np.inf
    leave: NDArray[np.float64] | float = np.inf
    for axis in (0, 1, 2):
        start = eyes[:, axis, None]
        way = points[:, axis, None] - start
        inverse = 1.0 / np.where(np.abs(way) < 1e-9, 1e-9, way)
        first, second = (boxes[:, axis] - start) * inverse, (boxes[:, axis + 3] - start) * inverse
        enter = np.maximum(enter, np.minimum(first, second))
        leave = np.minimum(leave, np.maximum(first, second))
    hit = (enter > 0.0) & (enter < 1.0) & ((leave < 1.0) | within) & (leave - enter > 1e-6) & ~exempt
    return np.asarray(hit.any(axis=1), dtype=np.bool_)


def _occluders(world: World, furnishing: Furnishing) -> tuple[NDArray[np.float64], list[str]]:
    """Return the boxes (m, 6; low and high) that hide what is behind, and the ids of what they are part of.

    They are what a renderer draws of the furniture and the walls; things that can be carried are too small to count.
    """
    rows: list[tuple[float, ...]] = []
    owners: list[str] = []
    for name, spec in world.specs.items():
        if spec.movable or spec.category in TRANSPARENT:
            continue
        for part in furnishing.shape(world.object_state(name)):
            (x, y, z), (a, b, c) = part.center, extent(part)
            rows.append((x - a, y - b, z - c, x + a, y + b, z + c))
            owners.append(name)
    for wall in structure(world.scene).walls:
        rows.append((*wall.low, *wall.high))
        owners.append("")
    return np.array(rows, dtype=np.float64).reshape(-1, 6), owners
