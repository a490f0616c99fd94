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
from dataclasses import replace
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
from sim_bridge.factory import BackendOptions
from sim_bridge.habitat.body import SpotBody
from sim_bridge.habitat.client import HabitatClient, WorkerError
from sim_bridge.habitat.interpreter import find_python
from sim_bridge.habitat.mirror import Mirror
from sim_bridge.habitat.scenes import LoadedHome, open_scene
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.model import Snapshot
from sim_bridge.household.views import intrinsics_for
from sim_bridge.simulation.senses import NoisyCamera, SensorNoise

CAMERAS = ("head", "arm")
"""1.1 m above the floor, tilted as the skills look; the hand's, tilted by the wrist."""


class HabitatBackend(HouseholdBackend):
    """A scene in Habitat, Spot in it, and its skills. See `sim_bridge.backend.Backend`."""

    def __init__(self, options: BackendOptions) -> None:
        """Start Habitat and load a scene.

        KeyError for an unknown scene, BackendUnavailableError when Habitat or the scene can't be had here.
        """
        if options.habitat_camera not in CAMERAS:
            raise ValueError(f"habitat_camera is {options.habitat_camera!r}: choose one of {', '.join(CAMERAS)}")
        self._options = options
        self._mirror: Mirror | None = None
        degrees = round(math.degrees(options.hfov))  # habitat-lab wants whole ones
        camera = intrinsics_for(options.image_width, options.image_height, math.radians(degrees))
        self._view = {
            "camera": options.habitat_camera,
            "width": options.image_width,
            "height": options.image_height,
            "hfov": degrees,
        }
        noise = SensorNoise(options.depth_noise, options.missed_instances)
        python = find_python(options.habitat_python)
        self._folder = tempfile.TemporaryDirectory(prefix="karma_habitat_")
        try:
            self._habitat = HabitatClient(python, Path(self._folder.name))
        except BaseException:
            self._folder.cleanup()
            raise
        try:
            self._home = self._open(options.scene, options.seed)
            self._camera = _Camera(self._habitat, camera, options.max_depth, noise)
            super().__init__(
                self._home.scene,
                renderer=self._camera,
                seed=options.seed,
                failure_probability=options.actuation_failure,
                noise=noise,
                intrinsics=camera,
            )
        except BaseException:
            self.close()
            raise

    def _open(self, scene: str, seed: int) -> LoadedHome:
        folder = Path(self._folder.name)
        return open_scene(scene, self._options, self._habitat, folder, {**self._view, "seed": seed})

    def _embodied(self) -> SpotBody:
        if self._mirror is None:
            self._mirror = Mirror(self.world, self._habitat, self._home.numbers, self._home.forms)
            self._camera.attach(self._mirror)
        else:
            self._mirror.follow(self.world)
        return SpotBody(
            self.world,
            self.grid,
            self._intrinsics,
            self._senses,
            self._fails,
            habitat=self._habitat,
            mirror=self._mirror,
        )

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


class _Camera(NoisyCamera):
    """Habitat's camera as a `Renderer` of snapshots: the objects and the robot are in Habitat already."""

    def __init__(self, habitat: HabitatClient, intrinsics: Intrinsics, max_depth: float, noise: SensorNoise) -> None:
        super().__init__(max_depth, noise)
        self._habitat = habitat
        self._intrinsics = intrinsics
        self._mirror: Mirror | None = None

    def attach(self, mirror: Mirror) -> None:
        """Name what is seen by a scene's objects."""
        self._mirror = mirror

    def render(self, snapshot: Snapshot) -> Observation:
        """Return what the camera sees where it is."""
        if self._mirror is None:
            raise RuntimeError("the camera has no scene yet")
        pictures = self._habitat.render()
        depth = self.measured(np.array(pictures.depth))
        names, states = self._mirror.names(), {o.id: o for o in snapshot.objects}

        def label_of(number: int) -> InstanceLabel | None:
            state = states.get(names.get(number, ""))
            return InstanceLabel(state.id, state.category, state.movable, state.states) if state else None

        instances, labels = self.labelled(pictures.instances, label_of)
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
