# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the robot: its body where it stands, and its camera with the picture that it takes."""

from __future__ import annotations

import math
import time
from typing import Any

import viser

from karma_view.known import CameraView, Known, Pose

PICTURE_PERIOD_S = 0.5
"""Between two pictures in the 3D view; the panel has them all."""
PICTURE_STEP = 3
"""Of its pixels, one is shown."""
FRUSTUM = 0.15
"""Metres: as small as can be made out, for it hides what is behind it."""

_WHITE, _GREY, _BLACK = (235, 235, 240), (115, 120, 128), (26, 26, 31)


def camera_root(now: str) -> str:
    """Return the node that the camera is drawn below in a drawing of the home, `now`.

    It is not the layer itself: a viewer who compares is not shown it, whatever layers they have chosen.
    """
    return f"{now}/camera/live"


class RobotDrawing:
    """The robot below a node of viser's scene that is there; an update sends what has changed."""

    def __init__(self, scene: viser.SceneApi, root: str, camera: str) -> None:
        """`root`: name of the node, such as /now/robot; `camera`: of one that is made here, see camera_root."""
        self._scene = scene
        self._camera_root = camera
        scene.add_frame(camera, show_axes=False)
        self._body = scene.add_frame(f"{root}/body", show_axes=False, visible=False)
        # As urdf/karma_robot.urdf.xacro has it.
        for name, radius, height, z, color in (("base", 0.2, 0.3, 0.15, _WHITE), ("column", 0.05, 0.74, 0.67, _GREY)):
            scene.add_cylinder(
                f"{root}/body/{name}", radius, height, color=color, position=(0, 0, z), cast_shadow=False
            )
        for name, size, at, color in (
            ("head", (0.12, 0.18, 0.10), (0.0, 0.0, 1.1), _WHITE),
            ("gripper", (0.12, 0.06, 0.04), (0.16, 0.0, 0.32), _BLACK),
        ):
            scene.add_box(f"{root}/body/{name}", color=color, dimensions=size, position=at, cast_shadow=False)
        self._frustum: Any = None
        self._pose: Pose | None = None
        self._camera: CameraView | None = None
        self._next = 0.0

    def update(self, known: Known) -> None:
        """Draw the robot as it is known."""
        if known.pose is not self._pose:
            self._place(known.pose)
        if known.camera is not self._camera:
            self._see(known.camera)

    def _place(self, pose: Pose | None) -> None:
        self._pose = pose
        if pose is not None:
            self._body.position = pose.position
            self._body.wxyz = (math.cos(pose.yaw / 2), 0.0, 0.0, math.sin(pose.yaw / 2))
        self._body.visible = pose is not None

    def _see(self, camera: CameraView | None) -> None:
        if camera is None or camera.position is None or camera.wxyz is None:
            self._camera = camera
            if self._frustum is not None:
                self._frustum.visible = False
            return
        if self._frustum is not None:
            self._frustum.position, self._frustum.wxyz, self._frustum.visible = camera.position, camera.wxyz, True
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PICTURE_PERIOD_S
        self._camera = camera
        picture = camera.image[::PICTURE_STEP, ::PICTURE_STEP]
        if self._frustum is None:
            self._frustum = self._scene.add_camera_frustum(
                f"{self._camera_root}/frustum",
                camera.fov,
                picture.shape[1] / picture.shape[0],
                scale=FRUSTUM,
                color=_GREY,
                image=picture,
                format="jpeg",
                jpeg_quality=60,
                position=camera.position,
                wxyz=camera.wxyz,
                cast_shadow=False,
            )
        else:
            self._frustum.image = picture
