# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The household simulator behind the bridge's protocol."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sim_bridge.backend import (
    Intrinsics,
    Observation,
    Outcome,
    SeenObject,
)
from sim_bridge.household.boxes import moved
from sim_bridge.household.interactions import relocate
from sim_bridge.household.model import Box, ObjectState, Renderer, Scene, Snapshot
from sim_bridge.household.navigation import Grid
from sim_bridge.household.obstacles import Obstacle
from sim_bridge.household.placement import refusal
from sim_bridge.household.robot import Robot
from sim_bridge.household.scenes import load_scene
from sim_bridge.household.views import intrinsics_for
from sim_bridge.household.visibility import Sight
from sim_bridge.household.world import World
from sim_bridge.simulation.backend import SimulatedBackend
from sim_bridge.simulation.senses import SensorNoise


class RendererMissingError(RuntimeError):
    """A picture was asked of a simulator that runs without a renderer."""


class HouseholdBackend(SimulatedBackend):
    """A scene, a robot in it, and its skills. See `sim_bridge.backend.Backend`.

    The same seed, scene and calls give the same results.
    """

    robot: Robot

    def __init__(
        self,
        scene: str | Scene,
        *,
        renderer: Renderer | None = None,
        seed: int = 0,
        failure_probability: float = 0.0,
        noise: SensorNoise | None = None,
        intrinsics: Intrinsics | None = None,
        obstacles: Sequence[Obstacle] = (),
    ) -> None:
        """Load a scene by its name, or one of your own (see `sim_bridge.household.poses`).

        `failure_probability` is the chance that a movement of the arm fails without effect (EXECUTION_FAILURE), `noise`
        what makes the reports of skills imperfect, `intrinsics` the camera with which they look (640 x 480 pixels, 90
        degrees wide); pictures are the renderer's. `obstacles` refuse skills.
        """
        super().__init__(seed, failure_probability, noise)
        self._renderer = renderer
        self._intrinsics = intrinsics or intrinsics_for(640, 480, math.pi / 2)
        self._obstacles = obstacles
        self._load(scene if isinstance(scene, Scene) else load_scene(scene))

    def _load(self, loaded: Scene) -> None:
        self._reseed()
        if self._renderer is not None:
            self._renderer.reseed(self._seed)
        self.world = World(loaded)
        self.grid = Grid(loaded)
        self.robot = self._embodied()
        self.robot.obstacles = self._obstacles
        self.sight = self.robot.sight
        self._states: tuple[int, tuple[ObjectState, ...]] = (-1, ())

    def _embodied(self) -> Robot:
        """Return the robot with which the skills work."""
        return Robot(self.world, self.grid, Sight(self.world), self._intrinsics, self._senses, self._fails)

    @property
    def scene(self) -> str:
        """Name of the loaded scene."""
        return self.world.scene.name

    def reset(self, scene: str = "", seed: int | None = None) -> str:
        """Load `scene` (empty: the current one again) as at its start; see `Backend.reset`."""
        loaded = load_scene(scene) if scene else self.world.scene
        if seed is not None:
            self._seed = seed
        self._load(loaded)
        return self.scene

    def observe(self) -> Observation:
        """Render what the camera sees."""
        if self._renderer is None:
            raise RendererMissingError("this simulator runs without pictures: give HouseholdBackend a renderer")
        return self._renderer.render(self.snapshot())

    def _complete(self, outcome: Outcome) -> Outcome:
        held = self._held_boxes()
        return super()._complete(replace(outcome, seen=tuple(_at(s, held) for s in outcome.seen)))

    def ground_truth(self) -> tuple[SeenObject, ...]:
        """Return every object as it really is, for judging only."""
        held = self._held_boxes()
        return tuple(_at(self.world.describe(name), held) for name in self.world)

    def close(self) -> None:
        """Release the renderer."""
        if self._renderer is not None:
            self._renderer.close()

    def snapshot(self) -> Snapshot:
        """Return the world as it is now, for a renderer."""
        world = self.world
        if self._states[0] != world.version:
            self._states = (world.version, tuple(world.object_state(name) for name in world))
        objects = self._states[1]
        held = self._held_boxes()
        if held:
            objects = tuple(replace(o, boxes=(held[o.id],)) if o.id in held else o for o in objects)
        return Snapshot(
            scene=world.scene,
            stamp=self.robot.clock,
            version=world.version,
            robot=self.robot.pose,
            camera_pose=self.robot.camera_pose,
            held=world.held,
            objects=objects,
        )

    def _held_boxes(self) -> dict[str, Box]:
        """Return where the held object and what rests on it are."""
        world = self.world
        if not world.held:
            return {}
        old = world.boxes[world.held]
        box = self.robot.gripped(old)
        shift = [box.center[a] - old.center[a] for a in (0, 1, 2)]
        return {world.held: box} | {n: moved(world.boxes[n], shift) for n in world.contents(world.held)}

    def _relocate(self, name: str, receptacle: str) -> None:
        relocate(self.world, name, receptacle)

    def _furniture_for(self, name: str) -> list[str]:
        return [place for place in super()._furniture_for(name) if not refusal(self.world, name, place)]


def _at(seen: SeenObject, boxes: dict[str, Box]) -> SeenObject:
    return replace(seen, center=boxes[seen.id].center) if seen.id in boxes else seen
