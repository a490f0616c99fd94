# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""From where a viewer looks: the whole home at first, then wherever they go; flights to what they ask for."""

from __future__ import annotations

import math
import threading
import time

import numpy as np
import viser
from numpy.typing import ArrayLike, NDArray

from karma.view.known import Known
from karma_perception.scene_graph import Layer, Node, SceneGraph, Vector

FloatArray = NDArray[np.float64]

SLANT: Vector = (-0.35, -0.75, 1.0)
"""Direction from the home to who sees it first."""
FILL = 0.88
"""Of the width and height of what is free of panels, that the home takes."""
PANELS_PX = (400.0, 115.0)
"""Width of what covers the picture's right, and height of what covers its lower edge, at first."""
NARROW_PX = 800.0
"""Pictures that are narrower have their panels elsewhere, or can't do without what is below them."""
_ROUNDS = 60
"""Of moving back and to the middle, each better than the one before."""
SETTLED_S = 5.0
"""After which panels no longer take room from a picture that has just been shown."""
FLIGHT_S = 0.8
FLIGHT_STEPS = 24
NEAREST = 1.6
"""Metres from what is flown to; from what is large, more."""


def corners(graph: SceneGraph) -> FloatArray:
    """Return the corners of the lower half of all rooms, (n, 3), metres: above it, little is drawn. None: no rooms."""
    rooms = graph.layer(Layer.ROOM)
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.0)])
    return np.array([room.center + sign * room.size for room in rooms for sign in signs]).reshape(-1, 3)


def fitted(
    points: FloatArray, fov: float, aspect: float, covered: tuple[float, float] = (0.0, 0.0)
) -> tuple[FloatArray, FloatArray]:
    """Return position and look-at from which all points (n, 3) are seen, from above at a slant, in the middle.

    `fov`: vertical, radians; `aspect`: width / height of the picture; `covered`: shares of its width, from the right,
    and of its height, from below, in which nothing can be seen: the middle is that of the rest.
    """
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    back = np.array(SLANT) / np.linalg.norm(SLANT)
    right = np.cross(-back, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, -back)
    tangent = math.tan(fov / 2)
    axes = ((right, tangent * aspect, -covered[0], 1 - covered[0]), (up, tangent, covered[1], 1 - covered[1]))
    nearer = (points - target) @ back
    distance = 4.0 * float(np.linalg.norm(np.ptp(points, axis=0)))
    for _ in range(_ROUNDS):
        most = 0.0
        for axis, half, middle, free in axes:
            seen = ((points - target) @ axis) / (distance - nearer)
            target = target + axis * distance * ((seen.min() + seen.max()) / 2 - middle * half)
            most = max(most, float(np.ptp(seen)) / (2 * half * free * FILL))
        distance = max(1.0, float(nearer.max()) + 0.1, distance * most)
    return target + back * distance, target


class Viewpoint:
    """The camera of one viewer. It shows the home when the first rooms are known, and then moves when asked to."""

    def __init__(self, client: viser.ClientHandle) -> None:
        self._client = client
        self._fitted_to = (0.0, 0.0)
        """Width and height of the picture, pixels."""
        self._settled = math.inf
        """Until when it is fitted to another size, monotonic seconds."""
        self._flights = 0
        self._flying = threading.Lock()

    def update(self, known: Known) -> None:
        """Show the whole home, once, and again only if the page was not complete yet."""
        if time.monotonic() > self._settled or not (points := corners(known.graph)).size:
            return
        camera = self._client.camera
        size = width, height = float(camera.image_width), float(camera.image_height)
        if size == self._fitted_to:
            return
        if not self._fitted_to[0]:
            self._settled = time.monotonic() + SETTLED_S
        self._fitted_to = size
        covered = (PANELS_PX[0] / width, PANELS_PX[1] / height) if width >= NARROW_PX else (0.0, 0.0)
        self._look(*fitted(points, camera.fov, camera.aspect, covered))

    def fly_to(self, node: Node) -> None:
        """Go near a node, smoothly, and look at it; blocks for the time that it takes."""
        camera = self._client.camera
        target = np.array(node.center)
        away = np.array(camera.position) - target
        away[2] = 0.0
        away = away / np.linalg.norm(away) if np.linalg.norm(away) > 1e-6 else np.array([0.0, -1.0, 0.0])
        distance = max(NEAREST, 2.0 * max(node.size))
        self._fly(target + distance * np.array([0.6 * away[0], 0.6 * away[1], 0.8]), target)

    def _fly(self, position: ArrayLike, look_at: ArrayLike) -> None:
        """Go there. A flight that begins ends the one before it."""
        with self._flying:
            self._flights += 1
            flight = self._flights
        camera = self._client.camera
        begin = np.array([camera.position, camera.look_at])
        end = np.array([position, look_at])
        for step in range(1, FLIGHT_STEPS + 1):
            part = step / FLIGHT_STEPS
            with self._flying:
                if flight != self._flights:
                    return
                self._look(*(begin + (end - begin) * (3 - 2 * part) * part**2))
            self._client.flush()
            time.sleep(FLIGHT_S / FLIGHT_STEPS)

    def _look(self, position: FloatArray, look_at: FloatArray) -> None:
        with self._client.atomic():
            self._client.camera.position = position
            self._client.camera.look_at = look_at
