# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a scene consists of, before anything happens in it. Metres, radians, map frame (z up)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim_bridge.backend import Observation, Pose2D

CELL = 0.25
"""Metres; the grid of recorded reachable positions. Cell (i, j) is centred at (i * CELL, j * CELL)."""

WALL_HEIGHT = 2.5
"""Metres."""

Cell = tuple[int, int, int]
"""Grid indices along x and y, and the storey (0 = ground floor)."""


@dataclass(frozen=True)
class Box:
    """An axis-aligned box: centre and full extents."""

    center: tuple[float, float, float]
    size: tuple[float, float, float]

    @property
    def low(self) -> tuple[float, float, float]:
        """Corner with the smallest coordinates."""
        (x, y, z), (a, b, c) = self.center, self.size
        return (x - a / 2, y - b / 2, z - c / 2)

    @property
    def high(self) -> tuple[float, float, float]:
        """Corner with the largest coordinates."""
        (x, y, z), (a, b, c) = self.center, self.size
        return (x + a / 2, y + b / 2, z + c / 2)


@dataclass(frozen=True)
class ObjectSpec:
    """An object as a scene begins."""

    id: str
    category: str
    box: Box
    yaw: float
    room: str
    affordances: frozenset[str]
    """AI2-THOR's flags that are true: pickupable, openable, toggleable, sliceable, breakable, receptacle, ..."""
    states: Mapping[str, bool] = field(default_factory=dict)
    """AI2-THOR's states: isOpen, isToggled, isDirty, isFilledWithLiquid, isBroken, isSliced, isCooked, isUsedUp."""
    parent: str = ""
    """Id of the receptacle that holds it."""
    controls: tuple[str, ...] = ()
    """Ids of the objects it switches: a stove knob's burners."""
    temperature: str = "RoomTemp"
    """RoomTemp, Hot or Cold."""
    fill_liquid: str = ""
    """What it is filled with: water, coffee or wine; empty when it is not filled."""

    @property
    def movable(self) -> bool:
        """Whether it can be carried."""
        return "pickupable" in self.affordances


@dataclass(frozen=True)
class Room:
    """A recorded floor plan at its place in the scene."""

    name: str
    kind: str
    """Kitchen, LivingRoom, Bedroom or Bathroom."""
    floor_plan: str
    storey: int
    low: tuple[float, float]
    """Inner faces of the walls: smallest x, y."""
    high: tuple[float, float]
    """Inner faces of the walls: largest x, y."""


@dataclass(frozen=True)
class Doorway:
    """A passage through the walls between two rooms of a storey, or the foot and head of a staircase."""

    rooms: tuple[str, str]
    cells: tuple[Cell, ...]
    """Free cells of the passage, from the first room to the second; in the walls between and on stairs."""
    stairs: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """One room, or a home of several. Compared by identity: it is a key of caches."""

    name: str
    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...]
    objects: tuple[ObjectSpec, ...]
    free: Mapping[Cell, str]
    """Cell the robot's base can stand in → name of its room; passages included (under the nearer room)."""
    start: Cell
    storey_height: float = 3.0
    """Metres from one storey's floor to the next."""
    carved: Mapping[str, tuple[Box, ...]] = field(default_factory=dict)
    """Furniture whose recorded box covers cells that are free: object id → the boxes that remain of it."""


@dataclass(frozen=True)
class ObjectState:
    """An object as it is now, for a renderer."""

    id: str
    category: str
    boxes: tuple[Box, ...]
    """What it fills: one box, or several for furniture that was carved. A held object's is where the gripper has it."""
    yaw: float
    """Radians, map frame; the boxes are axis-aligned all the same."""
    states: Mapping[str, str]
    """What applies to it, as in `SeenObject.states`: {"isOpen": "true", "temperature": "Hot"}."""
    visible: bool
    """False when a closed receptacle hides it, so that it must not be drawn."""
    held: bool
    movable: bool


@dataclass(frozen=True)
class Snapshot:
    """The whole world at one instant, for a renderer."""

    scene: Scene
    stamp: float
    """Simulated seconds."""
    version: int
    """Grows with every change of an object; equal versions of one scene have equal `objects`, except that a held object
    moves with the robot."""
    robot: Pose2D
    camera_pose: NDArray[np.float64]
    """(4, 4) transform from camera_optical_frame (z forward, x right, y down) to map."""
    held: str
    """Id of the object in the gripper, or empty."""
    objects: tuple[ObjectState, ...]
    """Those of the scene in its order, less those that are gone (sliced), then those that were made (slices)."""


class Renderer(Protocol):
    """Turns snapshots into sensor readings."""

    def render(self, snapshot: Snapshot) -> Observation:
        """Render what the camera sees in `snapshot`."""

    def reseed(self, seed: int) -> None:
        """Start whatever is random about the readings again from `seed`."""

    def close(self) -> None:
        """Release what is held."""
