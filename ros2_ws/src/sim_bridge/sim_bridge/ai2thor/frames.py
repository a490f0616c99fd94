# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an event shows, as an observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.ai2thor.things import Thing
from sim_bridge.backend import InstanceLabel, Intrinsics, Located, Observation
from sim_bridge.simulation.senses import NoisyCamera


def vertical_fov(hfov: float, width: int, height: int) -> float:
    """Return AI2-THOR's field of view, which is vertical and in degrees, of a horizontal one in radians."""
    return math.degrees(2 * math.atan(math.tan(hfov / 2) * height / width))


def intrinsics_of(fov: float, width: int, height: int) -> Intrinsics:
    """Return the camera with a vertical field of view of `fov` degrees and square pixels; pixel (u, v) is at (u, v)."""
    focal = height / 2 / math.tan(math.radians(fov) / 2)
    return Intrinsics(width, height, focal, focal, (width - 1) / 2, (height - 1) / 2)


class Camera(NoisyCamera):
    """Makes observations of events."""

    def observe(
        self, event: Any, located: Located, things: Mapping[str, Thing], *, stamp: float, held: str
    ) -> Observation:
        """Return what an event's frames show; RuntimeError when it has none."""
        if event.frame is None or event.depth_frame is None:
            raise RuntimeError("AI2-THOR runs without pictures: publish_images is off")
        depth = np.array(event.depth_frame, dtype=np.float32)
        depth[~np.isfinite(depth)] = 0
        depth = self.measured(depth)
        instances, labels = self._instances(event, things)
        height, width = depth.shape
        return Observation(
            robot=located.robot,
            camera_pose=located.camera_pose,
            stamp=stamp,
            rgb=np.ascontiguousarray(event.frame, dtype=np.uint8),
            depth=depth,
            intrinsics=intrinsics_of(event.metadata["fov"], width, height),
            instances=instances,
            labels=labels,
            held=held,
        )

    def _instances(
        self, event: Any, things: Mapping[str, Thing]
    ) -> tuple[NDArray[np.uint16], dict[int, InstanceLabel]]:
        """Return the numbers of the objects in the frame of instances; what is no object, such as a wall, has 0."""
        frame = np.asarray(event.instance_segmentation_frame, dtype=np.uint32)
        colors, where = np.unique((frame[..., 0] << 16) | (frame[..., 1] << 8) | frame[..., 2], return_inverse=True)
        owners = {(r << 16) | (g << 8) | b: name for name, (r, g, b) in event.object_id_to_color.items()}
        things_of = [things.get(owners.get(color, "")) for color in colors.tolist()]

        def label_of(number: int) -> InstanceLabel | None:
            thing = things_of[number - 1]
            return InstanceLabel(thing.id, thing.category, thing.pickupable, thing.states) if thing else None

        return self.labelled(where.reshape(frame.shape[:2]) + 1, label_of)
