# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""From where a viewer looks: the whole home until they move themselves; flights to what they ask for."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import ArrayLike, NDArray

from karma_perception.scene_graph import Layer, Node, SceneGraph, Vector
from karma_view.known import Known
from karma_view.scene.layout import covered, css_size

FloatArray = NDArray[np.float64]

SLANTS: Sequence[Vector] = tuple(
    (0.83 * math.sin(turn), -0.83 * math.cos(turn), 1.0) for turn in np.radians(-25 + 30 * np.arange(12))
)
"""Directions from the home to who sees it first, from all around."""
BETTER = 0.85
"""Part of the distance, of the direction before, from which another has to show the home."""
FILL = 0.88
"""Of the width and height of what is free of panels, that the home takes."""
_ROUNDS = 60
"""Of moving back and to the middle, each better than the one before."""
FLIGHT_S = 0.8
FLIGHT_STEPS = 24
NEAREST = 1.6
"""Metres from what is flown to; from what is large, more."""
GROWN = 0.03
"""How much further than when it was shown the home has to reach, on any side, to be shown anew; of its length. With
what `FILL` leaves, all of one that grows less is still free of panels."""
SAME_M = 0.02
"""How far from where it was put a browser's camera may be, by rounding."""
STARTS = (((-5.0, 0.0, 0.0), (0.0, 0.0, 0.0)), ((3.0, 3.0, 3.0), (0.0, 0.0, 0.0)))
"""Positions and look-ats of which viser's page tells by itself, one after the other, when it is opened."""
POSES = 40 * FLIGHT_STEPS
"""Where the camera was put last, that are remembered: slow browsers tell of them late."""


def corners(graph: SceneGraph) -> FloatArray:
    """Return the corners of the lower half of all rooms and where furniture stands, (n, 3), metres.

    Above that, little is drawn. None where there are no rooms.
    """
    rooms = graph.layer(Layer.ROOM)
    furniture = [node.center for node in graph.layer(Layer.OBJECT) if not node.movable and rooms]
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.0)])
    return np.array([*(room.center + sign * room.size for room in rooms for sign in signs), *furniture]).reshape(-1, 3)


def fitted(
    points: FloatArray,
    fov: float,
    aspect: float,
    covered: tuple[float, float] = (0.0, 0.0),
    *,
    slant: Vector = SLANTS[0],
) -> tuple[FloatArray, FloatArray]:
    """Return position and look-at from which all points (n, 3) are seen, from above at a slant, in the middle.

    `fov`: vertical, radians; `aspect`: width / height of the picture; `covered`: shares of its width, from the right,
    and of its height, from below, in which nothing can be seen: the middle is that of the rest. `slant`: the direction
    from there to who looks.
    """
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    back = np.array(slant) / np.linalg.norm(slant)
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
            depth = distance - nearer
            seen = ((points - target) @ axis) / depth
            ends = [seen.argmin(), seen.argmax()]
            target = target + axis * (seen[ends].mean() - middle * half) / (1 / depth[ends]).mean()
            most = max(most, float(np.ptp(seen)) / (2 * half * free * FILL))
        # Not all of the way at once: what is near grows faster than the distance shrinks.
        distance = max(1.0, float(nearer.max()) + 0.1, distance * math.sqrt(most))
    return target + back * distance, target


class Viewpoint:
    """The camera of one viewer. It shows the home, and more of it as more is known, until they go elsewhere."""

    def __init__(self, client: viser.ClientHandle, *, folded: bool = False) -> None:
        """`folded`: panels are at first, as on a small screen."""
        self._client = client
        self._folded = folded
        self._graph = SceneGraph()
        self._home = corners(self._graph)
        self._size = np.zeros(2)
        """Width and height of the picture, pixels, when the home was shown: panels that are docked change it."""
        self._shown: FloatArray | None = None
        """The least and the greatest corner, (2, 3), of the home as it was shown last; None: it never was."""
        self._slant = SLANTS[0]
        """From which the home is shown; another one only where it shows it much larger."""
        self._elsewhere = False
        """Whether the viewer has gone to where they want to be."""
        self._poses: deque[FloatArray] = deque(maxlen=POSES)
        """Positions and look-ats, (2, 3), to which the camera was put here: others are the viewer's."""
        self._starts = [np.array(start) for start in STARTS]
        """Where a browser that nobody moved may say it is; a slow one even after it said it is where it was put."""
        self._flights = 0
        self._flying = threading.Lock()
        self._follow: threading.Thread | None = None
        client.camera.on_update(self._heard)

    def update(self, known: Known) -> None:
        """Show the whole home when there is some, and again when it or the picture has another size."""
        if known.graph is not self._graph:
            self._graph, self._home = known.graph, corners(known.graph)
        if not self._home.size or self._elsewhere:
            return
        if self._shown is None:
            with self._flying:
                self._starts.append(self._pose())
                self._look(*self._whole())
        elif self._no_longer_fits(self._shown) and not (self._follow is not None and self._follow.is_alive()):
            self._follow = threading.Thread(target=self._fly, args=self._whole(), name="view_follow", daemon=True)
            self._follow.start()

    def show_home(self) -> None:
        """Go to where the whole home is seen, smoothly, and show it as it grows; blocks for the time that it takes."""
        if self._home.size:
            self._elsewhere = False
            self._fly(*self._whole())

    def fly_to(self, node: Node) -> None:
        """Go near a node, smoothly, and look at it; blocks for the time that it takes."""
        self._elsewhere = True
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
        begin = self._pose()
        end = np.array([position, look_at])
        for step in range(1, FLIGHT_STEPS + 1):
            part = step / FLIGHT_STEPS
            with self._flying:
                if flight != self._flights:
                    return
                self._look(*(begin + (end - begin) * (3 - 2 * part) * part**2))
            self._client.flush()
            time.sleep(FLIGHT_S / FLIGHT_STEPS)

    def _whole(self) -> tuple[FloatArray, FloatArray]:
        """Return from where the whole home is seen, and note how large it is."""
        home, camera = self._home, self._client.camera
        self._shown = np.array([home.min(axis=0), home.max(axis=0)])
        self._size = np.array([camera.image_width, camera.image_height], float)
        hidden = covered(*css_size(*self._size), folded=self._folded)
        views = {slant: fitted(home, camera.fov, camera.aspect, hidden, slant=slant) for slant in SLANTS}
        away = {slant: float(np.linalg.norm(position - target)) for slant, (position, target) in views.items()}
        nearest = min(SLANTS, key=lambda slant: away[slant])
        if away[nearest] < BETTER * away[self._slant]:
            self._slant = nearest
        return views[self._slant]

    def _no_longer_fits(self, shown: FloatArray) -> bool:
        camera = self._client.camera
        if not np.array_equal(self._size, (camera.image_width, camera.image_height)):
            return True
        low, high = self._home.min(axis=0), self._home.max(axis=0)
        grown = GROWN * np.ptp(shown, axis=0).max()
        return bool((low < shown[0] - grown).any() or (high > shown[1] + grown).any())

    def _pose(self) -> FloatArray:
        return np.array([self._client.camera.position, self._client.camera.look_at])

    def _look(self, position: FloatArray, look_at: FloatArray) -> None:
        """Put the camera there; the lock is held, so that nobody sees it halfway."""
        self._poses.append(np.array([position, look_at]))
        with self._client.atomic():
            self._client.camera.position = position
            self._client.camera.look_at = look_at

    def _heard(self, camera: viser.CameraHandle) -> None:
        """Leave the camera to the viewer where it isn't where it was put.

        A browser may take the position first and the look-at later, so each is compared by itself.
        """
        with self._flying:
            if not self._poses:
                return
            seen = np.array([camera.position, camera.look_at])
            off = np.abs(np.array([*self._poses, *self._starts]) - seen).max(axis=2)
            if (off.min(axis=0) > SAME_M).any():
                self._elsewhere = True
                self._flights += 1
