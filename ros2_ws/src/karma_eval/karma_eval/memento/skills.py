# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the agent calls, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from karma_eval.memento.house import Result, Seen

Rooms = Mapping[str, Sequence[str]]


class Skills(Protocol):
    """What the robot can do in a house; see House."""

    @property
    def rooms(self) -> Rooms:
        """Rooms and their furniture."""

    def seen(self) -> list[Seen]:
        """Return what was seen so far."""

    def explore(self, room: str) -> Result:
        """Look at everything in a room."""

    def describe(self, name: str) -> Result:
        """Say what an object looks like."""

    def navigate(self, target: str) -> Result:
        """Go to a room, furniture or an object."""

    def open(self, furniture: str) -> Result:
        """Open furniture."""

    def pick(self, name: str) -> Result:
        """Take an object."""

    def place(self, name: str, relation: str, furniture: str, beside: str = "") -> Result:
        """Put down what is held."""


@dataclass(frozen=True)
class Call:
    """One skill that was called."""

    skill: str
    target: str
    result: Result
    place: str = ""
    relation: str = ""
    beside: str = ""
    thought: str = ""
    """What it was called for."""


@dataclass
class Run:
    """What became of an instruction."""

    calls: list[Call] = field(default_factory=list)
    objects: dict[str, tuple[str, str]] = field(default_factory=dict)
    """(category, description) of what the request spoke of, by name, in the order of mention."""
    trouble: list[str] = field(default_factory=list)
    """What could not be done, and why."""
