# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast the household is: frames of its camera, and steps of skills without pictures."""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass

import numpy as np

from sim_bridge.backend import Code, Skill, Target, execute
from sim_bridge.household.backend import HouseholdBackend
from sim_bridge.household.renderer import HouseholdRenderer
from sim_bridge.household.views import camera_pose

FRAMES_WANTED = {(640, 480): 25.0, (320, 240): 50.0}
"""Width and height → frames a second of RGB, depth and instances, at least."""
STEPS_WANTED = 5000.0
"""Steps a second, at least."""


@dataclass(frozen=True)
class Frames:
    """One scene at one size."""

    scene: str
    width: int
    height: int
    frames: int
    fps: float
    """Frames a second of wall time while the camera turns and drives."""
    cpu_ms: float
    """Processor time of a frame, milliseconds: what a busy machine does not change."""
    median_ms: float
    worst_ms: float


def measure_frames(scene_name: str, width: int, height: int, frames: int) -> Frames:
    """Render a full turn from the start of a scene and return the speed."""
    backend = HouseholdBackend(scene_name)
    snapshot, eye = backend.snapshot(), backend.robot.eye
    renderer = HouseholdRenderer(width=width, height=height)
    try:
        renderer.render(snapshot)
        times = []
        cpu = time.process_time()
        for i in range(frames):
            begin = time.perf_counter()
            renderer.render(snapshot, camera_pose(eye, i * math.tau / frames, math.radians(20)))
            times.append(time.perf_counter() - begin)
        cpu = time.process_time() - cpu
    finally:
        renderer.close()
    return Frames(
        scene_name,
        width,
        height,
        frames,
        fps=frames / sum(times),
        cpu_ms=1e3 * cpu / frames,
        median_ms=1e3 * statistics.median(times),
        worst_ms=1e3 * max(times),
    )


@dataclass(frozen=True)
class Steps:
    """What the simulator does in a second without pictures."""

    scene: str
    skills: int
    steps: int
    """Places at which a skill could have been stopped: motions and arm movements."""
    seconds: float

    @property
    def steps_per_second(self) -> float:
        """Steps a second."""
        return self.steps / self.seconds


def measure_steps(name: str, skills: int) -> Steps:
    """Fetch and put away one thing after the other, and count."""
    backend = HouseholdBackend(name)
    world = backend.world
    rng = np.random.default_rng(0)
    things = [n for n, s in world.specs.items() if s.movable and not world.closed_around(n)]
    places = [n for n, s in world.specs.items() if "receptacle" in s.affordances and not s.movable]
    steps = 0

    def count(_: object) -> None:
        nonlocal steps
        steps += 1

    done = 0
    began = time.perf_counter()
    while done < skills:
        thing, place = (str(rng.choice(names)) for names in (things, places))
        target, goal = (Target(n, position=world.boxes[n].center) for n in (thing, place))
        if execute(backend, Skill("Pick", target), count).code == Code.SUCCESS:
            execute(backend, Skill("Place", receptacle=goal), count)
            if world.held:
                execute(backend, Skill("ThrowObject"), count)
        done += 2
    return Steps(name, done, steps, time.perf_counter() - began)
