# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of the robot: one table, and the check of a call against it.

KARMA's skills (section III of the paper) and MEMENTO's. Preconditions and effects are literals over the parameters.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass

from sim_bridge.backend import Point, Skill, Target

RELATIONS = ("on", "in", "near")
"""Values of `Skill.relation`."""

LONGEST_TEXT = 256
"""Characters of an id or a category."""

MOST_POSITIONS = 10_000

LONGEST_WAIT = 86_400.0
"""Seconds."""

_FARTHEST = 1e4
"""Metres; a position beyond is a mistake."""


class SkillError(ValueError):
    """A call that no robot could carry out: an unknown skill, a missing or malformed argument."""


@dataclass(frozen=True)
class Parameter:
    """An argument of a skill; see karma_interfaces/SkillParameter."""

    name: str
    """Field of `Skill`: target, receptacle, relation, positions, duration."""
    type: str
    """object, receptacle, room, text, points or seconds."""
    required: bool = True
    choices: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class SkillSpec:
    """A row of the skill table; see karma_interfaces/SkillSpec."""

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()
    preconditions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    irreversible: bool = False


def _object(description: str, *, required: bool = True) -> Parameter:
    return Parameter("target", "object", required, description=description)


_RECEPTACLE = Parameter("receptacle", "receptacle", description="where to put it: id or category")
_RELATION = Parameter("relation", "text", required=False, choices=RELATIONS, description="how it is to rest there")
_IN_REACH = ("reachable(target)", "visible(target)")


def _switch(name: str, value: bool) -> SkillSpec:
    word, literal = ("on", "toggled(target)") if value else ("off", "not toggled(target)")
    return SkillSpec(
        name,
        f"Switch the target {word}.",
        (_object("a lamp, a tap, an appliance, a stove's knob"),),
        (*_IN_REACH, "toggleable(target)", "not toggled(target)" if value else "toggled(target)"),
        (literal,),
    )


_TABLE = (
    SkillSpec(
        "Explore",
        "Look around at the positions in order, or over all free space, until the target is seen.",
        (
            _object("what to look for: id or category; nothing: see everything", required=False),
            Parameter("positions", "points", required=False, description="places to look from; none: everywhere"),
        ),
        (),
        ("visible(target)",),
    ),
    SkillSpec(
        "GoToObject",
        "Drive to where the target can be reached and face it.",
        (_object("id or category, with the position where it is remembered unless it is in view"),),
        ("located(target)",),
        ("reachable(target)", "visible(target)"),
    ),
    SkillSpec(
        "PickupObject",
        "Take the target into the gripper.",
        (_object("something that can be carried"),),
        (*_IN_REACH, "pickupable(target)", "handempty()"),
        ("holding(target)", "not handempty()", "not on(target, ?)", "not in(target, ?)"),
    ),
    SkillSpec(
        "PutObject",
        "Put what the gripper holds on or in the receptacle, or near an object.",
        (_RECEPTACLE, _RELATION),
        ("holding(?)", "reachable(receptacle)", "visible(receptacle)", "not closed(receptacle)"),
        ("handempty()", "not holding(?)", "on(?, receptacle)"),
    ),
    SkillSpec(
        "OpenObject",
        "Open the target.",
        (_object("a door, a drawer, a lid"),),
        (*_IN_REACH, "openable(target)", "closed(target)"),
        ("not closed(target)",),
    ),
    SkillSpec(
        "CloseObject",
        "Close the target.",
        (_object("a door, a drawer, a lid"),),
        (*_IN_REACH, "openable(target)", "not closed(target)"),
        ("closed(target)",),
    ),
    _switch("SwitchOn", True),
    _switch("SwitchOff", False),
    _switch("ToggleOn", True),
    _switch("ToggleOff", False),
    SkillSpec(
        "SliceObject",
        "Cut the target with the knife in the gripper; its slices are new objects.",
        (_object("something to eat"),),
        (*_IN_REACH, "sliceable(target)", "holding(Knife)"),
        ("sliced(target)",),
        irreversible=True,
    ),
    SkillSpec(
        "BreakObject",
        "Break the target.",
        (_object("something that can break"),),
        (*_IN_REACH, "breakable(target)"),
        ("broken(target)",),
        irreversible=True,
    ),
    SkillSpec(
        "ThrowObject",
        "Throw what the gripper holds; it lands ahead, and breaks if it can.",
        (),
        ("holding(?)",),
        ("handempty()", "not holding(?)", "on(?, Floor)"),
        irreversible=True,
    ),
    SkillSpec(
        "Navigate",
        "Drive to a room, an object or a position.",
        (Parameter("target", "room", description="name of a room, id or category of an object, or a position"),),
        (),
        ("near(target)",),
    ),
    SkillSpec(
        "Pick",
        "Drive to the target and take it into the gripper.",
        (_object("something that can be carried"),),
        ("located(target)", "pickupable(target)", "handempty()"),
        ("holding(target)", "not handempty()"),
    ),
    SkillSpec(
        "Place",
        "Drive to the receptacle and put down what the gripper holds.",
        (_object("what is held; nothing: whatever it is", required=False), _RECEPTACLE, _RELATION),
        ("holding(target)", "located(receptacle)", "not closed(receptacle)"),
        ("handempty()", "not holding(target)", "on(target, receptacle)"),
    ),
    SkillSpec(
        "Wait",
        "Let time pass.",
        (Parameter("duration", "seconds", description="how long"),),
    ),
    SkillSpec(
        "FindObject",
        "Report the objects of a type that are in view, or everything.",
        (_object("category or id; nothing: everything", required=False),),
    ),
    SkillSpec(
        "FindReceptacle",
        "Report the receptacles of a type that are in view, or all of them.",
        (_object("category or id; nothing: every receptacle", required=False),),
    ),
    SkillSpec(
        "FindRoom",
        "Report where a room is, or every room.",
        (Parameter("target", "room", required=False, description="name or kind; nothing: every room"),),
    ),
    SkillSpec(
        "DescribeObject",
        "Report the state of an object in view.",
        (_object("id or category"),),
        ("visible(target)",),
    ),
)

SKILLS: dict[str, SkillSpec] = {spec.name: spec for spec in _TABLE}
"""The skill table by name, in the order of the documentation."""


def validate(skill: Skill) -> None:
    """Raise SkillError unless the call is well formed: a known skill, all it needs, finite numbers, sane lengths."""
    spec = SKILLS.get(skill.name)
    if spec is None:
        raise SkillError(f"no skill {_quote(skill.name)}: {_suggestion(skill.name)}")
    _check_target("target", skill.target)
    _check_target("receptacle", skill.receptacle)
    _check_points(skill.positions)
    if not math.isfinite(skill.duration) or not 0.0 <= skill.duration <= LONGEST_WAIT:
        raise SkillError(f"duration is {skill.duration}: give seconds from 0 to {LONGEST_WAIT:.0f}")
    if skill.relation not in ("", *RELATIONS):
        raise SkillError(f"relation is {_quote(skill.relation)}: give one of {', '.join(RELATIONS)}, or none")
    for parameter in spec.parameters:
        if parameter.required and _missing(skill, parameter.name):
            raise SkillError(f"{skill.name} needs {parameter.name}: {parameter.description}")


def _missing(skill: Skill, name: str) -> bool:
    value = getattr(skill, name)
    if isinstance(value, Target):
        return not value.id and not value.category and value.position is None
    return not value and not isinstance(value, float)


def _check_target(name: str, target: Target) -> None:
    for text, what in ((target.id, "id"), (target.category, "category")):
        if len(text) > LONGEST_TEXT:
            raise SkillError(f"the {what} of {name} has {len(text)} characters: at most {LONGEST_TEXT}")
        if any(ord(c) < 32 for c in text):
            raise SkillError(f"the {what} of {name} contains control characters")
    if target.position is not None:
        _check_point(f"the position of {name}", target.position)


def _check_points(points: Iterable[Point]) -> None:
    points = tuple(points)
    if len(points) > MOST_POSITIONS:
        raise SkillError(f"{len(points)} positions: at most {MOST_POSITIONS}")
    for i, point in enumerate(points):
        _check_point(f"position {i}", point)


def _check_point(what: str, point: Point) -> None:
    if len(point) != 3 or not all(math.isfinite(v) and abs(v) <= _FARTHEST for v in point):
        raise SkillError(f"{what} is {point}: give three finite numbers, metres in the map frame")


def _suggestion(name: str) -> str:
    lower = {n.casefold(): n for n in SKILLS}
    close = [lower[c] for c in difflib.get_close_matches(name[:LONGEST_TEXT].casefold(), lower, n=3)]
    return f"did you mean {' or '.join(close)}?" if close else f"the skills are {', '.join(SKILLS)}"


def _quote(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
