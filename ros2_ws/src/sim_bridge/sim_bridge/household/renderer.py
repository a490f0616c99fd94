# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household's camera: RGB, metric depth and instances of a snapshot, rendered headless by MuJoCo's OpenGL renderer.

Nothing here is simulated by physics, so no MuJoCo model of the scene is compiled: the objects' primitives are written
straight into MuJoCo's abstract scene, and only those that changed are written again. Two passes draw a frame, one for
colour and depth, one with flat instance numbers.
"""

from __future__ import annotations

import math
import threading
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import InstanceLabel, Intrinsics, Observation
from sim_bridge.household.furnishing import Furnishing, furnish
from sim_bridge.household.gl import import_mujoco
from sim_bridge.household.model import ObjectState, Scene, Snapshot
from sim_bridge.household.palette import CEILING, STEP, WALL, Color, color_of
from sim_bridge.household.primitives import Primitive, halved
from sim_bridge.household.structure import structure
from sim_bridge.household.views import intrinsics_for
from sim_bridge.simulation.senses import NoisyCamera, SensorNoise

_NEAR, _FAR = 0.03, 60.0
_STRUCTURE = 0xFFFF
"""Instance number of walls and the like while drawing; 0 in the result."""
_MAX_INSTANCES = _STRUCTURE - 1
_MAX_GEOMS = 16000


class HouseholdRenderer(NoisyCamera):
    """Renders snapshots.

    Holds an OpenGL context, which belongs to the thread that made it: use and close a renderer on that thread only.
    """

    def __init__(
        self,
        *,
        width: int = 320,
        height: int = 240,
        hfov: float = math.radians(90),
        max_depth: float = 10.0,
        noise: SensorNoise | None = None,
    ) -> None:
        """Open a camera of `width` x `height` pixels that sees `hfov` radians across and up to `max_depth` metres far.

        RenderingUnavailableError when this machine has no headless OpenGL.
        """
        self.intrinsics: Intrinsics = intrinsics_for(width, height, hfov)
        if not 0 < max_depth <= _FAR:
            raise ValueError(f"max_depth must be above 0 and at most {_FAR} m, not {max_depth}")
        super().__init__(max_depth, noise or SensorNoise())
        self._thread = threading.get_ident()
        self._mj: Any = import_mujoco()
        self._canvas = _Canvas(self._mj, width, height)
        self._free = weakref.finalize(self, self._canvas.close)
        self._stage = _Stage(self._mj)

    def render(self, snapshot: Snapshot, camera_pose: NDArray[np.float64] | None = None) -> Observation:
        """Render what the robot's camera sees, or a camera at `camera_pose` ((4, 4), camera_optical_frame to map).

        The robot is not drawn.
        """
        self._check_open()
        pose = np.asarray(snapshot.camera_pose if camera_pose is None else camera_pose, dtype=np.float64)
        if pose.shape != (4, 4) or not np.isfinite(pose).all():
            raise ValueError(f"a camera pose is a finite 4 x 4 transform, not {pose!r}")
        self._stage.show(snapshot)
        k = self.intrinsics
        view = _View(k.width / 2 / k.fx, k.height / 2 / k.fy)
        rgb, depth, numbers = self._canvas.draw(self._stage, pose, view)
        depth = self.measured(depth)
        instances, labels = self.labelled(numbers, self._stage.label)
        return Observation(
            stamp=snapshot.stamp,
            rgb=rgb,
            depth=depth,
            intrinsics=self.intrinsics,
            camera_pose=pose,
            robot=snapshot.robot,
            instances=instances,
            labels=labels,
            held=snapshot.held,
        )

    def close(self) -> None:
        """Release the OpenGL context; harmless when it is released already."""
        self._check_thread()
        self._free()

    def _check_open(self) -> None:
        self._check_thread()
        if not self._free.alive:
            raise RuntimeError("this renderer is closed: its OpenGL context is gone; make another one")

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise RuntimeError(
                "a renderer belongs to the thread that made it: its OpenGL context is current there only"
            )


@dataclass(frozen=True)
class _View:
    """What a camera shows at 1 m distance, metres."""

    half_width: float
    half_height: float


class _Canvas:
    """An OpenGL context with an image to draw on."""

    def __init__(self, mj: Any, width: int, height: int) -> None:
        self._mj = mj
        self._gl = mj.GLContext(width, height)
        self._gl.make_current()
        self._context = mj.MjrContext(_empty_model(mj, width, height), mj.mjtFontScale.mjFONTSCALE_50)
        mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mj.mjtDepthMap.mjDEPTH_ZEROFAR
        self._rect = mj.MjrRect(0, 0, width, height)
        self._color = np.empty((height, width, 3), np.uint8)
        self._depth = np.empty((height, width), np.float32)

    def draw(
        self, stage: _Stage, pose: NDArray[np.float64], view: _View
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.uint16]]:
        """Return RGB, depth (metres along the optical axis, 0 where nothing is) and instance numbers."""
        mj, scene = self._mj, stage.scene
        self._gl.make_current()
        stage.aim(pose, view)
        scene.flags[mj.mjtRndFlag.mjRND_SEGMENT] = 0
        scene.flags[mj.mjtRndFlag.mjRND_IDCOLOR] = 0
        mj.mjr_render(self._rect, scene, self._context)
        mj.mjr_readPixels(self._color, self._depth, self._rect, self._context)
        rgb = self._color[::-1].copy()
        reversed_depth = self._depth[::-1]
        depth = (_NEAR * _FAR) / (reversed_depth * (_FAR - _NEAR) + _NEAR)
        depth[reversed_depth <= 0] = 0
        scene.flags[mj.mjtRndFlag.mjRND_SEGMENT] = 1
        scene.flags[mj.mjtRndFlag.mjRND_IDCOLOR] = 1
        mj.mjr_render(self._rect, scene, self._context)
        mj.mjr_readPixels(self._color, None, self._rect, self._context)
        flipped = self._color[::-1]
        numbers = np.left_shift(flipped[..., 1], 8, dtype=np.uint16) | flipped[..., 0]
        return rgb, depth, numbers

    def close(self) -> None:
        """Free the context."""
        self._context.free()
        self._gl.free()


def _empty_model(mj: Any, width: int, height: int) -> Any:
    """Return a model that only sets how large the image and how fine the curved primitives are."""
    return mj.MjModel.from_xml_string(
        f'<mujoco><visual><global offwidth="{width}" offheight="{height}"/>'
        '<quality shadowsize="0" offsamples="0" numslices="20" numstacks="10" numquads="1"/>'
        "</visual><worldbody/></mujoco>"
    )


class _Stage:
    """MuJoCo's abstract scene, kept equal to the last snapshot."""

    def __init__(self, mj: Any) -> None:
        self._mj = mj
        self._kinds = {
            "box": mj.mjtGeom.mjGEOM_BOX,
            "cylinder": mj.mjtGeom.mjGEOM_CYLINDER,
            "ellipsoid": mj.mjtGeom.mjGEOM_ELLIPSOID,
        }
        self.scene = mj.MjvScene(_empty_model(mj, 1, 1), maxgeom=_MAX_GEOMS)
        self.scene.flags[:] = 0
        self._geoms = self.scene.geoms
        self._lights()
        self._home: Scene | None = None
        self._furnishing: Furnishing | None = None
        self._standing: list[ObjectState] | None = None
        self._fixed = 0
        self._numbers: dict[str, int] = {}
        self._shown: dict[int, ObjectState] = {}
        self._held_at = 0

    def label(self, number: int) -> InstanceLabel | None:
        """Return what is drawn with a number, None for the structure and the void."""
        state = self._shown.get(number)
        return InstanceLabel(state.id, state.category, state.movable, state.states) if state else None

    def show(self, snapshot: Snapshot) -> None:
        """Make the scene show a snapshot."""
        if snapshot.scene is not self._home:
            self._build(snapshot.scene)
        standing = [o for o in snapshot.objects if not o.held]
        if standing != self._standing:  # quick: states that stay are the same objects
            self._furnish(standing)
        index = self._held_at
        for state in snapshot.objects:
            if state.held:
                index = self._draw(index, state)
        self.scene.ngeom = index

    def aim(self, pose: NDArray[np.float64], view: _View) -> None:
        """Put the camera at a pose."""
        for camera in self.scene.camera:
            camera.pos, camera.forward, camera.up = pose[:3, 3], pose[:3, 2], -pose[:3, 1]
            camera.frustum_near, camera.frustum_far = _NEAR, _FAR
            camera.frustum_center, camera.frustum_width = 0.0, _NEAR * view.half_width
            camera.frustum_bottom, camera.frustum_top = -_NEAR * view.half_height, _NEAR * view.half_height
        self.scene.lights[0].pos, self.scene.lights[0].dir = pose[:3, 3], pose[:3, 2]

    def _lights(self) -> None:
        """Set a lamp at the camera and one from above at a slant, so that faces differ."""
        self.scene.nlight = 2
        for light, direction, diffuse in zip(
            self.scene.lights, ((1, 0, 0), (0.35, 0.5, -0.8)), (0.4, 0.25), strict=False
        ):
            light.type = self._mj.mjtLightType.mjLIGHT_DIRECTIONAL
            light.dir, light.pos = np.array(direction), np.zeros(3)
            light.ambient, light.diffuse, light.specular = np.full(3, 0.26), np.full(3, diffuse), np.zeros(3)
            light.attenuation, light.cutoff, light.castshadow = np.array([1.0, 0.0, 0.0]), 180, 0

    def _build(self, scene: Scene) -> None:
        self._home, self._standing, self._fixed, self._numbers = scene, None, 0, {}
        self._furnishing = furnish(scene)
        around = structure(scene)
        for boxes, color in ((around.walls, WALL), (around.steps, STEP), (around.ceilings, CEILING)):
            for box in boxes:
                self._put(self._fixed, Primitive("box", box.center, halved(box.size)), color, _STRUCTURE)
                self._fixed += 1

    def _furnish(self, standing: list[ObjectState]) -> None:
        index, self._shown = self._fixed, {}
        for state in standing:
            index = self._draw(index, state)
        self._held_at, self._standing = index, standing

    def _draw(self, index: int, state: ObjectState) -> int:
        if not state.visible:
            return index
        if self._furnishing is None:
            raise RuntimeError("the stage has no scene yet")
        number = self._numbers.setdefault(state.id, len(self._numbers) + 1)
        if number > _MAX_INSTANCES:
            raise RuntimeError(f"more than {_MAX_INSTANCES} objects: their numbers do not fit into a 16-bit image")
        self._shown[number] = state
        color = color_of(state.category)
        for part in self._furnishing.shape(state):
            self._put(index, part, color, number)
            index += 1
        return index

    def _put(self, index: int, part: Primitive, color: Color, number: int) -> None:
        if index >= _MAX_GEOMS:
            raise RuntimeError(f"the scene needs more than {_MAX_GEOMS} primitives")
        geom = self._geoms[index]
        c, s = math.cos(part.yaw), math.sin(part.yaw)
        turn = np.array([c, -s, 0, s, c, 0, 0, 0, 1], dtype=np.float64)
        rgba = np.array([*(min(1.0, part.tone * v) for v in color), 1.0], dtype=np.float32)
        size = np.array(part.half)
        self._mj.mjv_initGeom(geom, self._kinds[part.kind], size, np.array(part.center), turn, rgba)
        geom.size = size  # cylinders may be elliptic
        geom.segid = number - 1  # drawn as segid + 1
        geom.category = self._mj.mjtCatBit.mjCAT_STATIC
        geom.specular = geom.shininess = geom.reflectance = 0.0
