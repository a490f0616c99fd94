# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What every backend (household simulator, AI2-THOR, Habitat, a robot) offers to the bridge node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sim_bridge.skills import SkillSpec

Point = tuple[float, float, float]
"""x, y, z in metres, map frame."""


class Code(IntEnum):
    """Result codes; the values equal those of karma_interfaces/Result, which comments them."""

    SUCCESS = 1
    INVALID_ARGUMENT = 2
    NOT_FOUND = 3
    PRECONDITION_FAILURE = 4
    EXECUTION_FAILURE = 6
    CANCELED = 7
    TIMEOUT = 8
    UNAVAILABLE = 9
    INTERNAL_ERROR = 13


class BackendUnavailableError(RuntimeError):
    """A backend or a scene can't be opened here; the message says why and what to do."""


class RefusedError(Exception):
    """What is asked is not possible now; the message says why and what to do."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Pose2D:
    """Pose of the robot's base: x, y in metres, yaw in radians, map frame; z is the height of its floor in metres."""

    x: float
    y: float
    yaw: float
    z: float = 0.0


@dataclass(frozen=True)
class Target:
    """An object or place that a skill acts on; see karma_interfaces/SkillTarget."""

    id: str = ""
    category: str = ""
    position: Point | None = None


@dataclass(frozen=True)
class Skill:
    """One call of a skill; see karma_interfaces/SkillCall."""

    name: str
    target: Target = Target()
    receptacle: Target = Target()
    relation: str = ""
    positions: tuple[Point, ...] = ()
    duration: float = 0.0


@dataclass(frozen=True)
class SeenObject:
    """An object as the robot sees it now."""

    id: str
    category: str
    center: Point
    """Centre of the axis-aligned box, metres, map frame."""
    size: tuple[float, float, float]
    """Full extents of the box, metres."""
    movable: bool
    states: Mapping[str, str] = field(default_factory=dict)
    """What can be seen of its state, e.g. {"isOpen": "true"}."""
    receptacle: str = ""
    relation: str = ""
    """"on" or "in" the receptacle, "held" when in the gripper, else empty."""


@dataclass(frozen=True)
class Outcome:
    """What a skill did; see karma_interfaces/SkillOutcome."""

    code: Code
    message: str = ""
    seen: tuple[SeenObject, ...] = ()
    explore_steps: int = 0
    duration: float = 0.0
    """Simulated seconds."""
    distance: float = 0.0
    """Metres driven."""


@dataclass(frozen=True)
class Located:
    """Where the robot and its camera are at one instant."""

    robot: Pose2D
    camera_pose: NDArray[np.float64]
    """(4, 4) transform from camera_optical_frame (z forward, x right, y down) to map."""


@dataclass(frozen=True)
class Intrinsics:
    """Pinhole camera without distortion; pixels."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float


@dataclass(frozen=True)
class InstanceLabel:
    """What one value of the instance image stands for."""

    id: str
    category: str
    movable: bool
    states: Mapping[str, str] = field(default_factory=dict)
    score: float = 1.0


@dataclass(frozen=True)
class Observation(Located):
    """What the sensors show at one instant."""

    stamp: float
    """Seconds, the backend's clock."""
    rgb: NDArray[np.uint8]
    """(height, width, 3)."""
    depth: NDArray[np.float32]
    """(height, width), metres along the optical axis, 0 = none."""
    intrinsics: Intrinsics
    instances: NDArray[np.uint16] | None = None
    """(height, width), 0 = background."""
    labels: Mapping[int, InstanceLabel] = field(default_factory=dict)
    """Value in `instances` → label, for the values that occur."""
    held: str = ""
    """Id of the object in the gripper."""


@dataclass(frozen=True)
class Progress:
    """State of a running skill, given out wherever it can be stopped and where sensors are worth reading."""

    elapsed: float
    """Simulated seconds since the skill began."""
    step: str
    robot: Pose2D
    look: bool = True
    """Whether the view changed, so that a new observation is worth taking."""


class Backend(Protocol):
    """A simulator or a robot.

    Not thread-safe: one caller at a time.
    """

    @property
    def scene(self) -> str:
        """Name of the loaded scene."""

    @property
    def skills(self) -> Mapping[str, SkillSpec]:
        """The rows of the skill table that can be run here, by name."""

    def reset(self, scene: str = "", seed: int | None = None) -> str:
        """Load `scene` (empty: the current one again) as at its start; return its name.

        KeyError for an unknown one, BackendUnavailableError for one that can't be loaded here; the old one stays then.
        """

    def locate(self) -> Located:
        """Return where the robot and its camera are, without reading the camera."""

    def observe(self) -> Observation:
        """Read the sensors."""

    def run(self, skill: Skill) -> Iterator[Progress | Outcome]:
        """Run a skill step by step: any number of `Progress`, then exactly one `Outcome`.

        Closing the iterator stops the skill at that point; `so_far` tells then what it did. Never raises for a bad
        request: that is an `Outcome` too.
        """

    def so_far(self) -> Outcome:
        """Return what the skill that was stopped did until then, with the code CANCELED and no message.

        Where it is not known that it stopped: TIMEOUT, with the reason.
        """

    def ground_truth(self) -> tuple[SeenObject, ...]:
        """Return every object as it really is, for judging only."""

    def close(self) -> None:
        """Release what is held."""


def execute(backend: Backend, skill: Skill, on_progress: Callable[[Progress], None] | None = None) -> Outcome:
    """Run a skill to its end and return the outcome."""
    for item in backend.run(skill):
        if isinstance(item, Outcome):
            return item
        if on_progress is not None:
            on_progress(item)
    raise RuntimeError(f"the backend ended {skill.name} without an outcome")
