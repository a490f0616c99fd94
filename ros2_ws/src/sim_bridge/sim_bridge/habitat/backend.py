# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Habitat's Spot behind the bridge's protocol.

The skills are those of the household simulator: what can be done, from where, and what is said when it can't be. Here
Habitat moves the robot and the objects, finds the ways, and shows what is in view.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from sim_bridge.backend import (
    BackendUnavailableError,
    Code,
    InstanceLabel,
    Intrinsics,
    Observation,
    Outcome,
    Progress,
    SeenObject,
    Skill,
)
from sim_bridge.habitat.body import SpotBody
from sim_bridge.habitat.client import HabitatClient, WorkerError
from sim_bridge.habitat.eyes import RenderedSight
from sim_bridge.habitat.interpreter import find_python
from sim_bridge.habitat.mirror import Mirror
from sim_bridge.habitat.scenes import LoadedHome, SceneOptions, open_scene
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.model import Snapshot
from sim_bridge.household.robot import Robot
from sim_bridge.household.views import intrinsics_for
from sim_bridge.household.visibility import Sight
from sim_bridge.simulation.senses import SensorNoise, noisy_depth

CAMERAS = ("head", "arm")


@dataclass(frozen=True)
class HabitatOptions:
    """What is chosen when Habitat is opened; paths may be empty."""

    python: str = ""
    """The interpreter that has habitat-sim; empty: what KARMA_HABITAT_PYTHON names."""
    scenes: SceneOptions = field(default_factory=SceneOptions)
    camera: str = "head"
    """head: 1.1 m above the floor, tilts as the skills look; arm: the hand's, tilted by the wrist."""
    width: int = 640
    """Pixels, likewise the height."""
    height: int = 480
    hfov: float = math.radians(90)
    """Radians; habitat-lab wants whole degrees, so it is rounded to them."""
    max_depth: float = 10.0
    """Metres."""


class HabitatBackend(HouseholdBackend):
    """A scene in Habitat, Spot in it, and its skills. See `sim_bridge.backend.Backend`."""

    def __init__(
        self,
        scene: str,
        options: HabitatOptions | None = None,
        *,
        seed: int = 0,
        failure_probability: float = 0.0,
        noise: SensorNoise | None = None,
    ) -> None:
        """Start Habitat and load a scene.

        KeyError for an unknown scene, BackendUnavailableError when Habitat or the scene can't be had here.
        """
        self._options = options or HabitatOptions()
        if self._options.camera not in CAMERAS:
            raise ValueError(f"habitat_camera is {self._options.camera!r}: choose one of {', '.join(CAMERAS)}")
        self._mirror: Mirror | None = None
        self._hfov = round(math.degrees(self._options.hfov))
        camera = intrinsics_for(self._options.width, self._options.height, math.radians(self._hfov))
        python = find_python(self._options.python)
        self._folder = tempfile.TemporaryDirectory(prefix="karma_habitat_")
        try:
            self._habitat = HabitatClient(python, Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise
        try:
            self._home = self._open(scene, seed)
            self._camera = _Camera(self._habitat, camera, self._options.max_depth, noise or SensorNoise())
            super().__init__(
                self._home.scene,
                renderer=self._camera,
                seed=seed,
                failure_probability=failure_probability,
                noise=noise,
                intrinsics=camera,
            )
        except BaseException:
            self.close()
            raise

    def _open(self, scene: str, seed: int) -> LoadedHome:
        options = self._options
        view = {"camera": options.camera, "width": options.width, "height": options.height, "hfov": self._hfov}
        folder = Path(self._folder.name)
        return open_scene(scene, options.scenes, self._habitat, folder, {**view, "seed": seed})

    def _embodied(self) -> tuple[Sight, Robot]:
        if self._mirror is None:
            self._mirror = Mirror(self.world, self._habitat, self._home.numbers, self._home.forms)
            self._camera.attach(self._mirror)
        else:
            self._mirror.follow(self.world)
        body = SpotBody(self.grid, self._intrinsics, self._habitat, self._mirror)
        return RenderedSight(self.world, self._habitat, self._mirror, self._intrinsics), body

    def reset(self, scene: str = "", seed: int | None = None) -> str:
        """Load `scene` (empty: the current one again) as at its start; see `Backend.reset`.

        The current scene stays loaded: everything in it is put back.
        """
        before = self._home.name
        chosen = self._seed if seed is None else seed
        if scene not in ("", before):
            try:
                self._home = self._open(scene, chosen)
            except BackendUnavailableError:
                self._home = self._open(before, self._seed)
                self._mirror = None
                self._load(self._home.scene)
                raise
            self._mirror = None
        self._seed = chosen
        self._load(self._home.scene)
        return self.scene

    def run(self, skill: Skill) -> Iterator[Progress | Outcome]:
        """Run a skill step by step; see `Backend.run`."""
        try:
            for item in super().run(skill):
                self._sync()
                yield item
        except WorkerError as error:
            yield self._complete(Outcome(Code.UNAVAILABLE, str(error)))

    @property
    def habitat(self) -> HabitatClient:
        """Habitat's process."""
        return self._habitat

    def ground_truth(self) -> tuple[SeenObject, ...]:
        """Return every object where Habitat has it, for judging only."""
        middle = self._sync().truth()
        return tuple(replace(o, center=middle.get(o.id, o.center)) for o in super().ground_truth())

    def _sync(self) -> Mirror:
        if self._mirror is None:
            raise RuntimeError("no scene is loaded")
        self._mirror.sync()
        return self._mirror

    def close(self) -> None:
        """End Habitat."""
        self._habitat.close()
        self._folder.cleanup()


class _Camera:
    """Habitat's camera as a `Renderer` of snapshots: the objects and the robot are in Habitat already."""

    def __init__(self, habitat: HabitatClient, intrinsics: Intrinsics, max_depth: float, noise: SensorNoise) -> None:
        self._habitat = habitat
        self._intrinsics = intrinsics
        self._max_depth = max_depth
        self._noise = noise
        self._mirror: Mirror | None = None
        self.reseed(0)

    def attach(self, mirror: Mirror) -> None:
        """Name what is seen by a scene's objects."""
        self._mirror = mirror

    def reseed(self, seed: int) -> None:
        """Start the noise again from `seed`."""
        self._random = np.random.default_rng(seed)

    def render(self, snapshot: Snapshot) -> Observation:
        """Return what the camera sees where it is."""
        if self._mirror is None:
            raise RuntimeError("the camera has no scene yet")
        pictures = self._habitat.render()
        depth = noisy_depth(np.array(pictures.depth), self._noise, self._random)
        depth[depth > self._max_depth] = 0.0
        names, states = self._mirror.names(), {o.id: o for o in snapshot.objects}
        instances = np.zeros(pictures.instances.shape, np.uint16)
        labels = {}
        for number in np.unique(pictures.instances).tolist():
            state = states.get(names.get(number, ""))
            if state is None or self._random.random() < self._noise.missed_instances:
                continue
            instances[pictures.instances == number] = number
            labels[number] = InstanceLabel(state.id, state.category, state.movable, state.states)
        return Observation(
            stamp=snapshot.stamp,
            rgb=np.array(pictures.color),
            depth=depth,
            intrinsics=self._intrinsics,
            camera_pose=pictures.camera,
            robot=snapshot.robot,
            instances=instances,
            labels=labels,
            held=snapshot.held,
        )

    def close(self) -> None:
        """Nothing is held here: the worker has it."""
