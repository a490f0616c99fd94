# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What places are: storeys, rooms, areas and passages; and how free space becomes them."""

from __future__ import annotations

from dataclasses import dataclass, field

from karma_perception.places.grid import GridOptions


@dataclass(frozen=True)
class PlaceOptions:
    """How free space becomes places; metres."""

    grid: GridOptions = field(default_factory=GridOptions)
    area_spacing: float = 1.25
    door_width: float = 1.0
    """Passages narrower than this separate rooms."""
    camera_height: float = 1.1
    """Of the camera above the floor that the robot stands on."""
    min_storey: float = 1.5
    """Floors closer than this in height are one storey."""
    min_area: float = 0.6
    """Square metres; smaller pieces of a lattice square get no node of their own when another is near."""
    min_room: float = 0.5
    """Square metres left of a room after a door's width is taken off it."""
    refresh_area: float = 0.25
    """Square metres that must have changed before rooms and areas are computed anew."""


@dataclass(frozen=True)
class Area:
    """A place where the robot can stand."""

    id: str
    number: int
    storey: int
    room: str
    center: tuple[float, float, float]


@dataclass(frozen=True)
class Room:
    """A region of a storey that doors separate from others."""

    id: str
    number: int
    storey: int
    low: tuple[float, float]
    high: tuple[float, float]


@dataclass(frozen=True)
class Storey:
    """A floor of the building."""

    id: str
    number: int
    height: float
    low: tuple[float, float]
    high: tuple[float, float]


@dataclass(frozen=True)
class Passage:
    """Two areas that one can drive between."""

    a: str
    b: str
    distance: float
