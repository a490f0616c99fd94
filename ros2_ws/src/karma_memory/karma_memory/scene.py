# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes and edges of a scene graph as values: what karma_interfaces/SceneNode and SceneEdge say, without ROS."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from sys import intern
from types import MappingProxyType
from typing import Any, TypeVar

Point = tuple[float, float, float]
"""x, y, z in metres, map frame."""

Quaternion = tuple[float, float, float, float]
"""x, y, z, w of a unit quaternion."""

ORIGIN: Point = (0.0, 0.0, 0.0)
UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
NO_STATES: Mapping[str, str] = MappingProxyType({})
"""What a node has where nothing else is said: one value for all, because most nodes have them."""

MAX_ID = 256
"""Longest id, category or name, in characters."""
MAX_TEXT = 16_384
"""Longest free text, in characters."""
MAX_STATES = 64
"""Most states of one node."""
MAX_SUPPORTS = 64
"""Most surfaces of one node that hold things."""
MAX_COORDINATE = 1e6
"""Metres from the origin of the map, and of any extent; what is further away is no measurement."""
MAX_WEIGHT = 1e7
"""Metres; longest edge."""
MAX_STAMP = 2**31 - 1
"""Seconds; the last that builtin_interfaces/Time can say."""


class InvalidEventError(ValueError):
    """An event or a part of it is malformed. The message names the field and what is expected."""


class Layer(IntEnum):
    """Layer of a node; the values equal those of karma_interfaces/SceneNode."""

    FLOOR = 0
    ROOM = 1
    AREA = 2
    OBJECT = 3


class Relation(IntEnum):
    """Type of an edge; the values equal those of karma_interfaces/SceneEdge."""

    REACHABLE = 0
    ON = 1
    IN = 2
    NEAR = 3
    PART_OF = 4


HOLDING_RELATIONS = ("", "on", "in", "held")
"""Values of `Node.relation`."""

SomeEnum = TypeVar("SomeEnum", bound=IntEnum)


@dataclass(frozen=True)
class Node:
    """A floor, room, area or object; see karma_interfaces/SceneNode."""

    id: str
    layer: Layer
    category: str = ""
    name: str = ""
    parent: str = ""
    position: Point = ORIGIN
    """Centre of the box, metres, map frame; exactly the origin where it is not known."""
    orientation: Quaternion = UPRIGHT
    size: Point = ORIGIN
    """Full extents of the box along its own axes, metres."""
    movable: bool = False
    receptacle: str = ""
    relation: str = ""
    """"on" or "in" the receptacle, "held" when in the gripper, else empty."""
    states: Mapping[str, str] = field(default_factory=lambda: NO_STATES, hash=False)
    confidence: float = 1.0
    """0..1, that the object is where the node says."""
    last_seen: float = 0.0
    """Seconds, the robot's clock."""
    support_heights: tuple[float, ...] = ()
    """Heights (z) of the surfaces that hold things, metres, map frame, ascending."""

    def __post_init__(self) -> None:
        check_id("node id", self.id)
        for name in ("category", "name", "parent", "receptacle"):
            if (text := getattr(self, name)) != "":
                object.__setattr__(self, name, intern(check_id(name, text)))  # many nodes share them
        usual: tuple[float, ...]
        for name, usual in (("position", ORIGIN), ("orientation", UPRIGHT), ("size", ORIGIN)):
            if (values := getattr(self, name)) is not usual:
                checked = check_floats(f"{name} of node {self.id!r}", values, len(usual))
                object.__setattr__(self, name, usual if checked == usual else checked)
        if self.size is not ORIGIN and min(self.size) < 0:
            raise InvalidEventError(f"size of node {self.id!r} must not be negative, got {self.size}")
        if self.relation not in HOLDING_RELATIONS:
            raise InvalidEventError(
                f"relation of node {self.id!r} must be one of {HOLDING_RELATIONS}, got {clip(self.relation)!r}"
            )
        object.__setattr__(self, "layer", check_enum("layer", Layer, self.layer))
        if self.support_heights:
            object.__setattr__(self, "support_heights", _check_heights(self.id, self.support_heights))
        if self.states is not NO_STATES:
            states = check_states(self.id, self.states)
            object.__setattr__(self, "states", MappingProxyType(states) if states else NO_STATES)
        object.__setattr__(self, "confidence", check_range("confidence", self.confidence, 0.0, 1.0))
        object.__setattr__(self, "last_seen", check_stamp("last_seen", self.last_seen))

    @property
    def is_placed(self) -> bool:
        """Whether its position is known."""
        return self.position != ORIGIN

    @property
    def label(self) -> str:
        """What the node is called: its category, or its name where it has none."""
        return self.category or self.name or self.id


@dataclass(frozen=True)
class Edge:
    """A relation between two nodes that is not containment; see karma_interfaces/SceneEdge."""

    type: Relation
    source: str
    target: str
    weight: float = 0.0
    """Metres: driving distance for REACHABLE, distance of the centres otherwise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", check_enum("edge type", Relation, self.type))
        check_id("edge source", self.source)
        check_id("edge target", self.target)
        object.__setattr__(self, "weight", check_range("edge weight", self.weight, 0.0, MAX_WEIGHT))


def distance(first: Point, second: Point) -> float:
    """Euclidean distance in metres."""
    return math.dist(first, second)


def clip(text: object, length: int = 80) -> str:
    """Shorten `text` for an error message."""
    string = str(text)
    return string if len(string) <= length else string[: length - 1] + "…"


def check_text(what: str, value: object, limit: int = MAX_TEXT) -> str:
    """Return `value` if it is text that can be stored: at most `limit` characters, no lone surrogates."""
    if not isinstance(value, str):
        raise InvalidEventError(f"{what} must be text, got {type(value).__name__}")
    if len(value) > limit:
        raise InvalidEventError(f"{what} has {len(value)} characters; at most {limit} are allowed")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InvalidEventError(f"{what} is not valid Unicode: {error.reason}") from error
    return value


def check_id(what: str, value: object, *, empty: bool = False) -> str:
    """Return `value` if it can be an id or a name: one line of at most MAX_ID printable characters."""
    if type(value) is str and 0 < len(value) <= MAX_ID and value.isprintable():  # most are: no need to look closer
        return value
    text = check_text(what, value, MAX_ID)
    if not text and not empty:
        raise InvalidEventError(f"{what} must not be empty")
    if not text.isprintable():
        raise InvalidEventError(f"{what} must consist of printable characters, got {clip(ascii(text))}")
    return text


def check_point(what: str, values: object) -> Point:
    """Return three numbers, metres, as a point."""
    x, y, z = check_floats(what, values, 3)
    return x, y, z


def check_floats(what: str, values: object, length: int) -> tuple[float, ...]:
    """Return `length` numbers of at most MAX_COORDINATE as a tuple of floats."""
    if not isinstance(values, (tuple, list)) or len(values) != length:
        raise InvalidEventError(f"{what} must be {length} numbers, got {clip(values)}")
    return tuple([check_range(what, value, -MAX_COORDINATE, MAX_COORDINATE) for value in values])


def check_range(what: str, value: object, low: float, high: float) -> float:
    """Return `value` as a float if it is a finite number in [low, high]."""
    if type(value) is float and low <= value <= high and math.isfinite(value):  # most are: no need to look closer
        return value + 0.0  # -0.0 and 0.0 are equal: one encoding
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidEventError(f"{what} must be a number, got {clip(value)}")
    try:
        number = float(value)
    except OverflowError as error:
        raise InvalidEventError(f"{what} is too large: {clip(value)}") from error
    if not math.isfinite(number):
        raise InvalidEventError(f"{what} must be finite, got {number}")
    if not low <= number <= high:
        raise InvalidEventError(f"{what} must be between {low:.10g} and {high:.10g}, got {number:.10g}")
    return number + 0.0


def check_stamp(what: str, value: object) -> float:
    """Return `value` as a float if it is a time in seconds that a ROS message can say."""
    return check_range(what, value, 0.0, MAX_STAMP)


def check_enum(what: str, kind: type[SomeEnum], value: Any) -> SomeEnum:
    """Return `value` as a member of `kind`."""
    if type(value) is kind:
        return value
    try:
        return kind(value)
    except ValueError as error:
        names = ", ".join(f"{member.value} ({member.name})" for member in kind)
        raise InvalidEventError(f"{what} must be one of {names}; got {clip(value)}") from error


def _check_heights(node: str, heights: tuple[float, ...]) -> tuple[float, ...]:
    if len(heights) > MAX_SUPPORTS:
        raise InvalidEventError(f"node {node!r} has {len(heights)} support heights; at most {MAX_SUPPORTS} are allowed")
    return tuple(sorted(check_floats(f"support heights of node {node!r}", heights, len(heights))))


def check_states(node: str, states: object) -> dict[str, str]:
    """Return the states of a node as a new dict of printable keys and short values."""
    if not isinstance(states, Mapping):
        raise InvalidEventError(f"states of node {node!r} must be a mapping, got {type(states).__name__}")
    if len(states) > MAX_STATES:
        raise InvalidEventError(f"node {node!r} has {len(states)} states; at most {MAX_STATES} are allowed")
    return {check_id("state name", key): check_id("state value", value, empty=True) for key, value in states.items()}
