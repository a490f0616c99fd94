# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a simulated robot sees, and what is imperfect about it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import InstanceLabel, Point

RANGE = 5.0
"""Metres within which objects are recognised."""


@dataclass(frozen=True)
class SensorNoise:
    """What makes the camera, and what skills report of what they see, imperfect."""

    depth: float = 0.0
    """Standard deviation of the depth at 1 m, metres; grows with the distance's square, as a stereo camera's does."""
    missed_instances: float = 0.0
    """Probability that a visible instance is absent from one image and its labels."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.depth) and self.depth >= 0):
            raise ValueError(f"depth noise must be a finite number of metres >= 0, not {self.depth}")
        if not 0 <= self.missed_instances <= 1:
            raise ValueError(f"missed_instances is a probability, not {self.missed_instances}")


def noisy_depth(depth: NDArray[np.float32], noise: SensorNoise, chance: np.random.Generator) -> NDArray[np.float32]:
    """Return exact depth, metres, 0 = none, as a sensor with that noise measures it; the same array without noise."""
    if not noise.depth:
        return depth
    spread = np.float32(noise.depth) * depth * depth
    return np.maximum(depth + spread * chance.standard_normal(depth.shape, np.float32), 0)


class NoisyCamera:
    """What is imperfect about the pictures of a camera."""

    def __init__(self, max_depth: float, noise: SensorNoise, seed: int = 0) -> None:
        """`max_depth`: metres beyond which there is no depth; `noise` is put on what the simulator renders."""
        self._max_depth = max_depth
        self._noise = noise
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Start the noise again from `seed`."""
        self._random = np.random.default_rng(seed)

    def measured(self, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return exact depth, which may be changed, as the camera measures it; metres, 0 = none."""
        depth = noisy_depth(depth, self._noise, self._random)
        depth[depth > self._max_depth] = 0
        return depth

    def labelled(
        self, numbers: NDArray[np.integer[Any]], label_of: Callable[[int], InstanceLabel | None]
    ) -> tuple[NDArray[np.uint16], dict[int, InstanceLabel]]:
        """Return an image of instances, less what is overlooked and what has no label, and the labels of its values."""
        seen = np.flatnonzero(np.bincount(numbers.ravel()))
        kept = np.zeros(seen[-1] + 1, np.uint16)
        labels = {}
        for value in seen.tolist():
            label = label_of(value)
            if label is not None and self._random.random() >= self._noise.missed_instances:
                kept[value] = value
                labels[value] = label
        return kept[numbers], labels


class Senses:
    """What is imperfect about what the robot reports to see."""

    def __init__(self, noise: SensorNoise, rng: random.Random) -> None:
        self._noise = noise
        self._random = rng

    def miss(self) -> bool:
        """Whether something in view is overlooked this time."""
        return self._noise.missed_instances > 0 and self._random.random() < self._noise.missed_instances

    def blurred(self, point: Point, eye: Point) -> Point:
        """Return a point as measured from an eye: off along the ray as the depth camera is, within its range."""
        away = math.dist(point, eye)
        if not self._noise.depth or not away:
            return point
        stretch = 1.0 + self._random.gauss(0.0, self._noise.depth * min(away, RANGE) ** 2) / away
        x, y, z = (e + (p - e) * stretch for p, e in zip(point, eye, strict=True))
        return x, y, z


@dataclass
class Looks:
    """What the running skill has looked at so far."""

    seen: dict[str, None] = field(default_factory=dict)
    """Ids, in the order in which they came into view."""
    steps: int = 0
    """Viewpoints looked around from."""

    def begin(self) -> None:
        """Forget what the skill before has looked at."""
        self.seen.clear()
        self.steps = 0
