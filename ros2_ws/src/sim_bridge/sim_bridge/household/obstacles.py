# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Obstacles of a scene that no recording has: skills that are refused until the world is in some state.

A YAML file says which (docs/household.md). No skill table and no planner knows of them: a robot has to find out.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import yaml

from sim_bridge.backend import Code, RefusedError
from sim_bridge.household.palette import known_categories
from sim_bridge.household.world import World
from sim_bridge.skills import SKILLS

STATES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("isOpen", "isToggled", "isDirty", "isFilledWithLiquid", "isBroken", "isCooked"), ("true", "false")
    ),
    "temperature": ("RoomTemp", "Hot", "Cold"),
    "fillLiquid": ("water", "coffee", "wine"),
}
"""States that a condition can ask for, and their values."""
CODES = (Code.PRECONDITION_FAILURE, Code.EXECUTION_FAILURE)
"""How a skill can be refused."""


class ObstacleError(ValueError):
    """Obstacles are described wrongly; the message says where and how."""


class Holds(Enum):
    """Of which things a condition speaks."""

    ANY = "any"
    """One of them is in the states."""
    EVERY = "every"
    """All of them are, but for what the skill is about."""
    HELD = "held"
    """One of them is in the gripper, and in the states."""
    EMPTY = "empty"
    """Nothing is on or in any of them."""


@dataclass(frozen=True)
class Condition:
    """Something that has to be so before a skill works."""

    holds: Holds
    thing: str
    """Category or id."""
    states: Mapping[str, str]
    """State → the value that it must have: {"isToggled": "true"}."""

    def met(self, world: World, about: str) -> bool:
        """Whether it is so. `about`: id of what the skill is about."""
        names = [name for name in world if _is(world, name, self.thing)]
        if self.holds is Holds.EMPTY:
            return not any(world.children(name) for name in names)
        if self.holds is Holds.EVERY:
            return all(self._in_states(world, name) for name in names if name != about)
        if self.holds is Holds.HELD:
            names = [name for name in names if name == world.held]
        return any(self._in_states(world, name) for name in names)

    def _in_states(self, world: World, name: str) -> bool:
        now = world.visible_states(name)
        return all(now.get(state) == value for state, value in self.states.items())


@dataclass(frozen=True)
class Obstacle:
    """Skills that are refused on some things until conditions are met."""

    skills: frozenset[str]
    thing: str
    """Category or id of what the skill is about: the receptacle where something is put down; empty: whatever."""
    until: tuple[Condition, ...]
    """All of them."""
    message: str
    """What the robot is told."""
    code: Code = Code.PRECONDITION_FAILURE

    def check(self, world: World, skill: str, about: str) -> None:
        """Refuse a skill on a thing. RefusedError while a condition is not met."""
        if skill not in self.skills or (self.thing and not _is(world, about, self.thing)):
            return
        if not all(condition.met(world, about) for condition in self.until):
            raise RefusedError(self.code, self.message)


def read_obstacles(path: Path) -> tuple[Obstacle, ...]:
    """Read obstacles from a YAML file. ObstacleError for one that is missing, or described wrongly."""
    try:
        data = yaml.load(path.expanduser().read_text(encoding="utf-8"), yaml.CSafeLoader)
    except OSError as error:
        raise ObstacleError(f"can't read the obstacles in {path}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, LookupError, RecursionError) as error:  # 30 February, `!!int ''`
        raise ObstacleError(f"{path} is no YAML: {error}") from error
    entries = data.get("obstacles") if isinstance(data, dict) else None
    if not isinstance(entries, list) or len(data) != 1:
        raise ObstacleError(f"{path} has to hold one list, `obstacles`")
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(_obstacle(entry))
        except ObstacleError as error:
            raise ObstacleError(f"{path}, obstacle {number}: {error}") from error
    return tuple(found)


def _is(world: World, name: str, thing: str) -> bool:
    return thing in (name, world.category(name))


def _obstacle(entry: Any) -> Obstacle:
    fields = _fields(entry, required={"skill", "until", "message"}, optional={"thing", "code"})
    skills = frozenset(_texts("skill", fields["skill"]))
    if unknown := skills - set(SKILLS):
        raise ObstacleError(f"no skill is called {', '.join(sorted(unknown))}: they are {', '.join(SKILLS)}")
    code = str(fields.get("code", CODES[0].name))
    if code not in {known.name for known in CODES}:
        raise ObstacleError(f"code is {code!r}: give {' or '.join(known.name for known in CODES)}")
    until = fields["until"] if isinstance(fields["until"], list) else [fields["until"]]
    if not until:
        raise ObstacleError("until is empty: say what it takes")
    (message,) = _texts("message", fields["message"])
    thing = _thing("thing", fields["thing"]) if "thing" in fields else ""
    return Obstacle(skills, thing, tuple(map(_condition, until)), message, Code[code])


def _condition(entry: Any) -> Condition:
    kinds = {kind.value for kind in Holds}
    fields = _fields(entry, required=set(), optional={*kinds, *STATES})
    holds = [kind for kind in Holds if kind.value in fields]
    if len(holds) != 1:
        raise ObstacleError(f"a condition begins with one of {', '.join(sorted(kinds))}, and this is {entry}")
    states = {}
    for name, value in fields.items():
        if name in STATES:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if text not in STATES[name]:
                raise ObstacleError(f"{name} is {text!r}: give {', '.join(STATES[name])}")
            states[name] = text
    if not states and holds[0] in (Holds.ANY, Holds.EVERY):
        raise ObstacleError(f"{entry} names no state: one of {', '.join(STATES)}")
    if states and holds[0] is Holds.EMPTY:
        raise ObstacleError(f"{entry}: empty takes no states")
    return Condition(holds[0], _thing(holds[0].value, fields[holds[0].value]), states)


def _fields(entry: Any, *, required: set[str], optional: set[str]) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise ObstacleError(f"{entry!r} has no fields: give {', '.join(sorted(required | optional))}")
    if missing := required - set(entry):
        raise ObstacleError(f"{', '.join(sorted(missing))} is missing")
    if unknown := set(entry) - required - optional:
        named = ", ".join(sorted(map(str, unknown)))
        raise ObstacleError(f"{named} is no field: they are {', '.join(sorted(required | optional))}")
    return entry


def _thing(field: str, value: Any) -> str:
    """Return a category of the recordings, or an id, which names its category first: "Safe|-00.35|+00.10|+02.30"."""
    (thing,) = _texts(field, value)
    known = known_categories()
    if "|" not in thing and thing not in known:
        close = difflib.get_close_matches(thing, known, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "give a category such as Drawer, or an id"
        raise ObstacleError(f"{field}: there is no {thing!r}: {hint}")
    return str(thing)


def _texts(field: str, value: Any) -> list[str]:
    """Return one text or, of a skill, several."""
    values = value if isinstance(value, list) and field == "skill" else [value]
    if not values or not all(isinstance(text, str) and text.strip() for text in values):
        raise ObstacleError(f"{field} is {value!r}: give a text")
    return values
