# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the skills that are the same in every simulator ask of its robot."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from typing import Protocol

from sim_bridge.backend import Outcome, Point, Progress, SeenObject, Target
from sim_bridge.simulation.senses import Looks

Running = Generator[Progress, None, Outcome]
"""A skill: its progress wherever it can be stopped, and what it did."""

Moving = Generator[Progress, None, None]
"""A motion, which can be left at any step."""


class Body(Protocol):
    """A robot in a simulator's scene. Cells are places that it can stand on, by their numbers."""

    @property
    def looks(self) -> Looks:
        """What the running skill has looked at so far."""

    @property
    def holding(self) -> Target:
        """Id and category of what is in the gripper; both empty where that is empty."""

    @property
    def elapsed(self) -> float:
        """Simulated seconds since the running skill began."""

    @property
    def travelled(self) -> float:
        """Metres driven since then."""

    @property
    def half_width(self) -> float:
        """Radians that the camera sees to each side."""

    def begin(self) -> None:
        """Begin a skill: forget what the one before has looked at."""

    def progress(self, step: str, *, look: bool = True) -> Progress:
        """Report where the running skill is."""

    def pass_time(self, seconds: float) -> None:
        """Let time pass."""

    def viewpoints(self, positions: Sequence[Point]) -> Sequence[int]:
        """Return the cells nearest to positions; for none, cells from which all free space is seen."""

    def closest(self, cells: Sequence[int]) -> int:
        """Return the cell that is the shortest way off."""

    def has_way(self, cell: int) -> bool:
        """Whether it can drive to a cell."""

    def drive(self, cell: int, step: str) -> Moving:
        """Drive to a cell; RefusedError where there is no way."""

    def level(self) -> None:
        """Tilt the camera as for driving and looking around."""

    def turn_by(self, angle: float, step: str) -> Moving:
        """Turn on the spot by an angle (radians), at once."""

    def look(self) -> Sequence[str]:
        """Return the ids of what is in view, less what is overlooked, nearest first."""

    def in_view(self, target: Target) -> str:
        """Return the id of what is in view and may be meant by a target; empty for nothing."""

    def matches(self, target: Target) -> Collection[str]:
        """Return the id of every object that a target may mean."""

    def is_receptacle(self, name: str) -> bool:
        """Whether things are put on or in an object."""

    def room_names(self) -> Sequence[str]:
        """Return the names of all rooms."""

    def rooms_meant(self, target: Target) -> tuple[SeenObject, ...]:
        """Return the rooms that a target names, all for one that names nothing, as FindRoom reports them."""

    def described(self, names: Iterable[str]) -> tuple[SeenObject, ...]:
        """Return objects as one who sees them would report them; those that are gone are left out."""

    def described_with_contents(self, name: str) -> tuple[SeenObject, ...]:
        """Return an object and what can be seen on or in it."""
