# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A scene of the household simulator with AI2-THOR's agent in it, in AI2-THOR's coordinates (floor at y = 0)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.ai2thor.coordinates import camera_pose, to_yaw
from sim_bridge.backend import Observation, Point, Pose2D
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.boxes import contains
from sim_bridge.household.model import Box, Scene
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.visibility import View

BODY = 0.9
"""Metres above the floor of what AI2-THOR calls the agent's position."""

CAMERA = BODY + 0.675
"""Metres above the floor."""

FAR = 20.0
"""Metres, the camera's far plane."""

_HAND = 0.6, -0.35
"""Metres ahead of and above the camera's place at which things are held."""


class Stage:
    """What Unity would know."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.setup: dict[str, Any] = {}
        """What Initialize said."""
        self.returned: Any = None
        """Of the last action."""
        self.hand: Point | None = None
        """Where ManipulaTHOR's hand is; None for the default agent."""
        self.shoulder_height = BODY
        """Metres above the floor, of ManipulaTHOR's arm."""
        self._renderer: HouseholdRenderer | None = None
        self._camera: tuple[int, int, float] | None = None
        self._pictured: tuple[Any, dict[str, bytes]] = (None, {})
        self.load("FloorPlan1")

    def load(self, scene: str | Scene) -> None:
        """Begin a scene."""
        self.world_of = HouseholdBackend(scene)
        self.world, self.grid = self.world_of.world, self.world_of.grid
        x, y, _ = self.grid.points[self.world_of.robot.cell].tolist()
        self.x, self.z = x, y
        self.rotation, self.horizon = 0.0, 0.0
        self.hand, self.shoulder_height = None, BODY
        self._follow()

    # The agent

    def stand(self, x: float, z: float, rotation: float, horizon: float) -> None:
        """Put the agent somewhere, with its arm as it is to it."""
        if self.hand is not None:
            angle = math.radians(self.rotation - rotation)
            ahead, left = self.hand[0] - self.x, self.hand[1] - self.z
            cos, sin = math.cos(angle), math.sin(angle)
            self.hand = x + ahead * cos - left * sin, z + ahead * sin + left * cos, self.hand[2]
        self.x, self.z, self.rotation, self.horizon = x, z, rotation % 360.0, horizon
        self._follow()

    def _follow(self) -> None:
        """Let the household's robot be where the agent is."""
        robot = self.world_of.robot
        robot.cell = self.grid.nearest(self.x, self.z, 0)
        robot.yaw, robot.pitch = to_yaw(self.rotation), -math.radians(self.horizon)

    def is_free(self, x: float, z: float) -> bool:
        """Whether the agent fits somewhere: on a reachable position."""
        cell = self.grid.points[self.grid.nearest(x, z, 0)]
        return math.hypot(float(cell[0]) - x, float(cell[1]) - z) < 0.02

    def contains(self, x: float, z: float) -> bool:
        """Whether a point is within the scene's bounds."""
        (x0, z0), (x1, z1) = self.bounds
        return x0 <= x <= x1 and z0 <= z <= z1

    @property
    def bounds(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The corners of the scene's ground floor with the smallest and the largest coordinates."""
        rooms = [r for r in self.world.scene.rooms if r.storey == 0]
        low, high = [[of(getattr(r, c)[a] for r in rooms) for a in (0, 1)] for of, c in ((min, "low"), (max, "high"))]
        return (low[0], low[1]), (high[0], high[1])

    @property
    def has_arm(self) -> bool:
        """Whether the agent is ManipulaTHOR's."""
        return self.setup.get("agentMode") == "arm"

    @property
    def eye(self) -> Point:
        """Where the camera is, map frame."""
        return self.x, self.z, CAMERA

    @property
    def fov(self) -> float:
        """Vertical field of view, degrees."""
        return float(self.setup.get("fieldOfView", 90.0))

    # What it sees

    def visible(self, name: str, view: View | None = None) -> bool:
        """Whether a thing is in view and within the distance that Initialize said, from here or from elsewhere."""
        view = view or self.view(self.x, self.z, self.rotation, self.horizon)
        if self.world.is_held(name):
            return True
        box = self.world.boxes[name]
        if self.world.category(name) == "Floor":
            return view.pitch < -0.3 and contains(Box((*box.center[:2], 0.0), box.size), (*view.eye[:2], 0.0))
        return self._near(box, view) and self.world_of.sight.sees(name, view)

    def all_visible(self) -> set[str]:
        """Return the ids of everything that is visible now."""
        view = self.view(self.x, self.z, self.rotation, self.horizon)
        seen = [n for n in self.world_of.sight.visible(view) if self._near(self.world.boxes[n], view)]
        others = (n for n in self.world if self.world.is_held(n) or self.world.category(n) == "Floor")
        return {*seen, *(n for n in others if self.visible(n, view))}

    def _near(self, box: Box, view: View) -> bool:
        gaps = [max(lo - p, 0.0, p - hi) for p, lo, hi in zip(view.eye[:2], box.low, box.high, strict=False)]
        return math.hypot(*gaps) <= float(self.setup.get("visibilityDistance", 1.5))

    def view(self, x: float, z: float, rotation: float, horizon: float) -> View:
        """Return what the camera would look at from a pose."""
        half = math.radians(self.fov) / 2
        half_width = math.atan(math.tan(half) * self.width / self.height)
        return View((x, z, CAMERA), to_yaw(rotation), -math.radians(horizon), half_width, half)

    def images(self) -> dict[str, bytes]:
        """Return the images that Initialize asked for, from the bottom row up."""
        depth, ids = self.setup.get("renderDepthImage"), self.setup.get("renderInstanceSegmentation")
        shown = (self.world.version, self.world, self.x, self.z, self.rotation, self.horizon, depth, ids, self.width)
        if self._pictured[0] != shown:
            seen = self._render()
            images = {"image": seen.rgb[::-1].tobytes()}
            if depth:
                far = np.where(seen.depth > 0, seen.depth, FAR).astype(np.float32)
                images["image_depth"] = far[::-1].tobytes()
            if ids:
                images["image_ids"] = self._colored(seen)[::-1].tobytes()
            self._pictured = shown, images
        return self._pictured[1]

    def _render(self) -> Observation:
        camera = (self.width, self.height, self.fov)
        if self._renderer is None or self._camera != camera:
            if self._renderer is not None:
                self._renderer.close()
            hfov = 2 * math.atan(math.tan(math.radians(self.fov) / 2) * self.width / self.height)
            self._renderer = HouseholdRenderer(width=self.width, height=self.height, hfov=hfov, max_depth=FAR)
            self._camera = camera
        snapshot = self.world_of.snapshot()
        held = self.held_boxes()
        objects = tuple(replace(o, boxes=(held[o.id],)) if o.id in held else o for o in snapshot.objects)
        robot = Pose2D(self.x, self.z, to_yaw(self.rotation))
        pose = camera_pose(self.eye, robot.yaw, self.horizon)
        return self._renderer.render(replace(snapshot, robot=robot, camera_pose=pose, objects=objects))

    def _colored(self, seen: Observation) -> NDArray[np.uint8]:
        if seen.instances is None:
            raise RuntimeError("the household's renderer drew no instances")
        colors = np.zeros((2**16, 4), np.uint8)
        for value, label in seen.labels.items():
            colors[value, :3] = color_of(self.world, label.id)
        colors[:, 3] = 255
        return colors[seen.instances]

    # What it holds

    def held_boxes(self) -> dict[str, Box]:
        """Return where what is held, and what lies on it, is."""
        world = self.world
        if not world.held:
            return {}
        ahead, above = _HAND
        yaw = to_yaw(self.rotation)
        at = self.hand or (self.x + ahead * math.cos(yaw), self.z + ahead * math.sin(yaw), CAMERA + above)
        old = world.boxes[world.held]
        shift = [a - b for a, b in zip(at, old.center, strict=True)]
        found = {}
        for name in (world.held, *world.contents(world.held)):
            x, y, z = world.boxes[name].center
            found[name] = Box((x + shift[0], y + shift[1], z + shift[2]), world.boxes[name].size)
        return found


def color_of(world: Any, name: str) -> tuple[int, int, int]:
    """Return an object's color in the image of instances: no two have the same, and none is black."""
    number = 37 * (list(world).index(name) + 1)
    return number >> 16 & 255, number >> 8 & 255, number & 255
