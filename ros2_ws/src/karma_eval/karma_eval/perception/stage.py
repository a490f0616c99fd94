# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A home with a robot's camera in it, and the pipelines that see its pictures through the sensor's noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from karma_eval.perception.perceiver import Perceiver
from karma_eval.perception.truth import VisibleTruth
from karma_perception.frames.camera import Frame, Intrinsics, Label
from sim_bridge.backend import Observation, Outcome, Point, RefusedError, Skill
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.scenes import load_scene
from sim_bridge.simulation.senses import SensorNoise, noisy_depth

NOISE = SensorNoise(depth=0.005, missed_instances=0.02)
"""A stereo camera with a base of 5 cm and a disparity exact to 0.08 pixels errs by 0.005 m at 1 m."""


@dataclass(frozen=True)
class Options:
    """What is done in every scene."""

    seed: int = 1
    noise: SensorNoise = NOISE
    moves: int = 6
    """Things that a person moves, a room."""
    handled: int = 2
    """Things that the robot carries, and that robot and people shut in, each."""
    max_frames: int = 0
    """Frames of an exploration that are used at most, 0: all; for tests."""
    width: int = 640
    height: int = 480


class Stage:
    """A scene with a robot that acts, people who move things, and the pipelines that see what the robot sees."""

    def __init__(
        self,
        scene: str,
        options: Options,
        perceivers: Mapping[str, Perceiver],
        renderer: HouseholdRenderer,
        on_frame: Callable[[], object],
    ) -> None:
        """`on_frame` is called after every frame."""
        self.options, self.perceivers, self.on_frame = options, perceivers, on_frame
        self.backend = HouseholdBackend(load_scene(scene), renderer=renderer, seed=options.seed)
        self.truth = VisibleTruth()
        self.frames = 0
        self._random = np.random.default_rng(options.seed)
        self._last = -1.0
        self._version = -1
        self._places: dict[str, Point] = {}
        self._note_moves()

    def run(self, skill: Skill, most: int = 0) -> Outcome:
        """Let the robot do something, and look at whatever it sees on the way: `most` frames, or all with 0."""
        first = self.frames
        for item in self.backend.run(skill):
            if isinstance(item, Outcome):
                return item
            if item.look and self.backend.robot.clock > self._last and not 0 < most <= self.frames - first:
                self._look()
        raise RuntimeError(f"{skill.name} ended without an outcome")

    def move(self, name: str, places: Iterable[str]) -> bool:
        """Let a person put a thing on or in the first of some places that takes it; return whether any does."""
        for place in places:
            try:
                self.backend.move_object(name, place)
            except RefusedError:
                continue  # too large, or there is no room left: another piece of furniture, then
            return True
        return False

    def visible(self) -> frozenset[str]:
        """Return the objects that have been seen well."""
        return frozenset(name for name, target in self.truth.targets().items() if target.visible)

    def is_surface(self, name: str) -> bool:
        """Whether it is furniture that things can be put on or in, and that shuts nothing in."""
        spec = self.backend.world.specs[name]
        return "receptacle" in spec.affordances and not spec.movable and "openable" not in spec.affordances

    def _look(self) -> None:
        carried = self._note_moves()
        picture = self.backend.observe()
        self._last = picture.stamp
        self.truth.record(picture, carried)
        frame = _frame(_sensed(picture, self.options.noise, self._random), self.backend.scene)
        for perceiver in self.perceivers.values():
            perceiver.perceive(frame)
        self.frames += 1
        self.on_frame()

    def _note_moves(self) -> tuple[str, ...]:
        """Have the truth forget where things were that are elsewhere now, or carried; return what is carried."""
        world = self.backend.world
        carried = (world.held, *world.contents(world.held)) if world.held else ()
        if world.version != self._version:
            self._version = world.version
            places = {name: world.boxes[name].center for name in world if name not in carried}
            self.truth.forget(n for n, place in self._places.items() if places.get(n) != place)
            self._places = places
        return carried


def _sensed(picture: Observation, noise: SensorNoise, chance: np.random.Generator) -> Observation:
    """Return an exact picture as the sensor would give it."""
    depth = noisy_depth(picture.depth, noise, chance)
    kept = {v: label for v, label in picture.labels.items() if chance.random() >= noise.missed_instances}
    assert picture.instances is not None
    table = np.zeros(0x10000, np.uint16)
    table[list(kept)] = list(kept)
    return replace(picture, depth=depth, instances=table[picture.instances], labels=kept)


def _frame(picture: Observation, scene: str) -> Frame:
    k = picture.intrinsics
    return Frame(
        stamp=picture.stamp,
        scene=scene,
        depth=picture.depth,
        intrinsics=Intrinsics(k.width, k.height, k.fx, k.fy, k.cx, k.cy),
        camera_pose=picture.camera_pose,
        rgb=picture.rgb,
        instances=picture.instances,
        labels={v: Label(o.category, o.id, o.score, o.movable, dict(o.states)) for v, o in picture.labels.items()},
        held=picture.held,
    )
