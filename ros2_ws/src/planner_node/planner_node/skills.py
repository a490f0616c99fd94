# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot as the planner knows it: the skills it advertises, a call of one, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

Point = tuple[float, float, float]
"""x, y, z in metres, map frame."""


class Code(IntEnum):
    """Result codes; the values equal those of karma_interfaces/Result, which comments them."""

    UNSET = 0
    SUCCESS = 1
    INVALID_ARGUMENT = 2
    NOT_FOUND = 3
    PRECONDITION_FAILURE = 4
    PLANNING_FAILURE = 5
    EXECUTION_FAILURE = 6
    CANCELED = 7
    TIMEOUT = 8
    UNAVAILABLE = 9
    AMBIGUOUS = 10
    NOT_UNDERSTOOD = 11
    REFUSED = 12
    INTERNAL_ERROR = 13


@dataclass(frozen=True)
class Target:
    """An object or place that a skill acts on; see karma_interfaces/SkillTarget."""

    id: str = ""
    category: str = ""
    position: Point | None = None

    def __bool__(self) -> bool:
        """Whether it says anything at all."""
        return bool(self.id or self.category or self.position is not None)

    def __str__(self) -> str:
        return self.id or self.category or (str(self.position) if self.position else "")


@dataclass(frozen=True)
class SkillCall:
    """One call of a skill; see karma_interfaces/SkillCall."""

    skill: str
    target: Target = Target()
    receptacle: Target = Target()
    relation: str = ""
    positions: tuple[Point, ...] = ()
    duration: float = 0.0

    @property
    def subject(self) -> Target:
        """What has to be ready for it: where something is put, else what the skill is about."""
        return self.receptacle or self.target

    def __str__(self) -> str:
        arguments = [str(a) for a in (self.target, self.receptacle) if a]
        if self.relation:
            arguments.append(self.relation)
        if self.positions:
            arguments.append(f"{len(self.positions)} positions")
        return f"{self.skill}({', '.join(arguments)})"


@dataclass(frozen=True)
class SkillParameter:
    """One argument of a skill; `name` is the field of SkillCall it fills."""

    name: str
    type: str = "object"
    required: bool = False
    choices: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class SkillSpec:
    """One row of the skill table that a robot advertises."""

    name: str
    description: str = ""
    parameters: tuple[SkillParameter, ...] = ()
    preconditions: tuple[str, ...] = ()
    """Literals over the parameters: "handempty()", "holding(?)"."""
    effects: tuple[str, ...] = ()
    """Literals over the parameters that hold afterwards: "holding(target)", "not on(target, ?)"."""
    irreversible: bool = False
    """Whether what it does cannot be undone: slice, break, throw."""

    @property
    def needs_hand_empty(self) -> bool:
        """Whether the gripper must hold nothing."""
        return "handempty()" in self.preconditions

    @property
    def needs_hand_full(self) -> bool:
        """Whether the gripper must hold something."""
        return any(literal.startswith("holding(") for literal in self.preconditions)


class SkillTable(Mapping[str, SkillSpec]):
    """The skills of one robot by name."""

    def __init__(self, specs: Sequence[SkillSpec]) -> None:
        self._specs = {spec.name: spec for spec in specs}

    def __getitem__(self, name: str) -> SkillSpec:
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def problems(self, call: SkillCall) -> list[str]:
        """Return what is wrong with the arguments of `call`, empty when nothing is."""
        spec = self._specs.get(call.skill)
        if spec is None:
            return [f"this robot has no skill {call.skill!r}; it has {', '.join(sorted(self._specs)) or 'none'}"]
        found = []
        for parameter in spec.parameters:
            value = getattr(call, parameter.name, None)
            if parameter.required and not value:
                found.append(f"{call.skill} needs {parameter.name} ({parameter.description or parameter.type})")
            if parameter.choices and value and value not in parameter.choices:
                found.append(f"{call.skill}: {parameter.name} {value!r} is none of {', '.join(parameter.choices)}")
        points = [p for p in (call.target.position, call.receptacle.position, *call.positions) if p is not None]
        if not all(math.isfinite(c) for p in points for c in p):
            found.append(f"{call.skill}: a position is not finite")
        if not math.isfinite(call.duration) or call.duration < 0:
            found.append(f"{call.skill}: duration must be a finite number of seconds, not {call.duration}")
        return found


@dataclass(frozen=True)
class Node:
    """One node of the scene graph, or an object as a skill saw it; see karma_interfaces/SceneNode."""

    id: str
    category: str
    layer: str = "object"
    """"floor", "room", "area" or "object"."""
    name: str = ""
    parent: str = ""
    position: Point | None = None
    """Centre of its box, metres, map frame; None when unknown."""
    size: Point = (0.0, 0.0, 0.0)
    """Full extents of the box along the map's axes, metres."""
    movable: bool = False
    receptacle: str = ""
    relation: str = ""
    states: Mapping[str, str] = field(default_factory=dict)
    confidence: float = 1.0
    last_seen: float = 0.0
    """Seconds, the robot's clock."""

    def gap(self, other: Node) -> float:
        """Return how far apart two things' boxes are, seen from above, metres; infinite where either is unknown."""
        if self.position is None or other.position is None:
            return math.inf
        sides = (
            max(0.0, abs(self.position[axis] - other.position[axis]) - (self.size[axis] + other.size[axis]) / 2)
            for axis in (0, 1)
        )
        return math.hypot(*sides)


@dataclass(frozen=True)
class Outcome:
    """What a skill did; see karma_interfaces/SkillOutcome."""

    call: SkillCall
    code: Code
    message: str = ""
    seen: tuple[Node, ...] = ()
    explore_steps: int = 0
    duration: float = 0.0
    """Seconds of simulated or real time."""
    distance: float = 0.0
    """Metres driven."""
    stamp: float = 0.0
    """Seconds, the robot's clock, when the skill ended."""
    position: Point | None = None
    """Of the robot then, metres, map frame; None where that is not known."""
    stopped_by_others: bool = False
    """Whether it was canceled, and not by who had it run."""

    @property
    def ok(self) -> bool:
        """Whether the skill did what it was asked for."""
        return self.code is Code.SUCCESS

    @property
    def reached(self) -> str:
        """Id of what a skill has gone to for its target: maybe another of its kind, and not all that is in view."""
        wanted = self.call.target
        seen = [node.id for node in self.seen if not wanted.category or node.category == wanted.category]
        seen = seen or [node.id for node in self.seen]
        return wanted.id if not seen or wanted.id in seen else seen[0]


class RobotUnavailable(Exception):  # noqa: N818 - a state of the robot, as people say it
    """The robot's bridge does not answer. The message says what to start."""


class Robot(Protocol):
    """What the planner needs of a robot."""

    def skills(self) -> SkillTable:
        """Return the skill table. Raises RobotUnavailable within a bounded time."""

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        """Run one skill to its end, or stop it when `cancelled()` turns true.

        Raises RobotUnavailable when the bridge is or goes away. Never blocks for longer than the skill's time-out.
        """
