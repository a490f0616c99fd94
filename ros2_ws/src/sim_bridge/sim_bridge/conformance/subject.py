# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a backend declares about itself before it is examined: how it is opened, what it lacks, how exact it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from sim_bridge.backend import Backend, Point, Target
from sim_bridge.skills import SKILLS


class Feature(Enum):
    """What a simulator has and a robot may not; a skill is declared missing by its own name."""

    PICTURES = "observe() reads a camera"
    INSTANCES = "observations say which pixels show which object"
    RECOGNITION = "skills report the objects that they see"
    EXTENTS = "skills report of the objects that they see where all of them is, and what holds them"
    AFFORDANCES = "it knows what can be opened, switched, carried, broken"
    STATES = "it knows what is open and what is on"
    ROOMS = "it knows the rooms by name"
    RESET = "reset() gives the start back; without, the backend is opened anew for each check"
    SCENES = "reset() loads other scenes"
    GROUND_TRUTH = "ground_truth() is complete"


@dataclass(frozen=True)
class Tolerances:
    """How far what is measured may be from what is right."""

    pose: float = 0.02
    """Metres between two readings of one pose."""
    angle: float = math.radians(2.0)
    """Radians, likewise."""
    arrival: float = 0.3
    """Metres between where the robot was sent and where it stops."""
    reach: float = 1.6
    """Metres, horizontally, to the box of something that is in reach."""
    facing: float = math.radians(45.0)
    """Radians between the robot's heading and what it faces."""
    heading: float = math.radians(25.0)
    """Radians between the robot's heading and the way it drives."""
    distance: float = 0.1
    """Metres, and share, by which the distance driven may differ from the way that the poses show."""
    speed: float = 2.0
    """Metres a second that no robot exceeds indoors."""
    slowest: float = 0.1
    """Metres a second that no drive falls below on its whole way."""
    pause: float = 30.0
    """Seconds that a skill takes at most besides driving, and for each step of an exploration; Wait is not meant."""
    clock: float = 0.5
    """Seconds by which a wait may be longer than asked."""
    box: float = 0.1
    """Metres by which a point on an object may lie outside of its box, and its centre where the truth is."""
    pixels: float = 4.0
    """Pixels by which an object's centre may lie outside of the rectangle around its mask."""


@dataclass(frozen=True)
class Props:
    """Categories for each part in the script, the best first; naming none says that there is none.

    A thing must be in view from somewhere as the scene begins.
    """

    portable: tuple[str, ...] = ("Apple", "Tomato", "Potato", "Mug", "Bowl")
    second: tuple[str, ...] = ("Bread", "Potato", "Lettuce", "Plate", "Cup")
    """Another thing that can be carried."""
    surface: tuple[str, ...] = ("CounterTop", "DiningTable", "SideTable")
    """Takes the portable thing, can be neither opened nor carried nor broken."""
    container: tuple[str, ...] = ("Fridge", "Cabinet", "Microwave")
    """Takes the portable thing, is closed as the scene begins."""
    switch: tuple[str, ...] = ("Faucet", "Toaster", "LightSwitch", "FloorLamp")
    knife: tuple[str, ...] = ("Knife", "ButterKnife")
    sliceable: tuple[str, ...] = ("Bread", "Tomato", "Lettuce", "Potato", "Apple")
    breakable: tuple[str, ...] = ("Egg", "Plate", "Mug", "Bowl", "Cup")
    absent: str = "Unicorn"
    """Nothing of this category is in the scene."""


@dataclass(frozen=True)
class Subject:
    """A backend to examine."""

    name: str
    open: Callable[[], Backend]
    """Opens it in the scene, as that is at its start."""
    scene: str
    """A kitchen, or a home with one."""
    other_scene: str = ""
    """Another one that `reset` takes."""
    lacks: Mapping[Feature | str, str] = field(default_factory=dict)
    """Feature or name of a skill → why it has none."""
    tolerances: Tolerances = Tolerances()
    props: Props = Props()
    real: bool = False
    """Whether what it moves is real, so that somebody has to be asked before."""
    known: Callable[[Backend], Mapping[str, Target]] = lambda backend: {}
    """Category → where it is now, id and position; for a backend that can't look everywhere by itself."""
    viewpoints: tuple[Point, ...] = ()
    """Where Explore is told to look from; none for a robot that knows free space itself."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.lacks if isinstance(name, str) and name not in SKILLS]
        if unknown:
            raise ValueError(f"{self.name} declares that it lacks {', '.join(unknown)}: not in the skill table")
