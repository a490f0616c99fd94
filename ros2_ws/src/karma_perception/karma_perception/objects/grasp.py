# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which object is in the gripper, where the source knows only that something is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from karma_perception.frames.camera import Frame
from karma_perception.objects.instances import ObjectObservation
from karma_perception.objects.mapped_object import MappedObject

_REACH = 1.8
"""Metres from the camera, horizontally, to the nearest point of what a robot may have taken."""

_CLOSE = 0.8
"""Metres from the camera within which what is of the held thing's class is the held thing."""

_PATIENCE = 5.0
"""Seconds after the gripper closed in which it may turn out what it has taken."""


class Grasp:
    """What the gripper holds: what was in reach, and is no longer where it was when the gripper has closed.

    For objects without an identity of the source; where the frame names the held one, nothing needs to be found out.
    """

    def __init__(self) -> None:
        self._closed: float | None = None
        self._name = ""

    def holds(self, frame: Frame, missing: Iterable[MappedObject]) -> str:
        """Return the id of the held object, or "". `missing`: what this frame should show and does not."""
        if not frame.held:
            self._closed, self._name = None, ""
            return ""
        if self._closed is None:
            self._closed = frame.stamp
        if not self._name and frame.stamp - self._closed <= _PATIENCE:
            reachable = [o for o in missing if o.movable and not o.identified and _distance(o, frame) <= _REACH]
            self._name = min(reachable, key=lambda o: (_aside(o, frame), o.id)).id if reachable else ""
        return self._name


def in_gripper(
    held: MappedObject | None, observations: Sequence[ObjectObservation], frame: Frame
) -> ObjectObservation | None:
    """Return the observation that shows the held object: the nearest to the camera of its class, at arm's length.

    Without `held`, when nothing is known of what the gripper holds, of any class that can be carried.
    """
    near = [
        (float(np.linalg.norm((o.low + o.high) / 2 - frame.position)), o)
        for o in observations
        if (o.label.movable if held is None else o.label.category == held.category)
    ]
    distance, found = min(near, key=lambda pair: pair[0], default=(np.inf, None))
    return found if distance <= _CLOSE else None


def _distance(o: MappedObject, frame: Frame) -> float:
    eye = frame.position[:2]
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(o.low[:2] - eye, eye - o.high[:2]))))


def _aside(o: MappedObject, frame: Frame) -> float:
    """Return the angle between the optical axis and the object, as 1 minus its cosine."""
    ray = o.center - frame.position
    return 1.0 - float(ray @ frame.camera_pose[:3, 2]) / max(float(np.linalg.norm(ray)), 1e-6)
