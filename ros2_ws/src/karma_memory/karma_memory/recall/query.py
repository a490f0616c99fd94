# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to the memory, the records that can answer them, and the answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from karma_memory.events import SkillCall
from karma_memory.guideline import Guideline
from karma_memory.scene import Node, Point, check_floats, check_id, check_range, check_text

MAX_LIMIT = 1000
"""Most recollections of one answer."""
MAX_TOKENS = 1_000_000
"""Longest prompt that can be asked for."""


@dataclass(frozen=True)
class Query:
    """One question to every memory; see karma_interfaces/Recall. Malformed ones raise InvalidEventError."""

    text: str
    user: str = ""
    """Personal memories of this user are included; empty: only shared ones."""
    scene: str = ""
    """Objects in this scene only; empty: in any. What is no object, such as what a person told, holds everywhere."""
    kinds: frozenset[str] = frozenset()
    """Restrict to these memories; empty: all but those that guide a planner (working, trajectory, guideline)."""
    room: str = ""
    """Restrict to objects in this room (id, name or category); empty: any."""
    near: Point | None = None
    """Restrict to objects within `radius` of this place."""
    radius: float = math.inf
    """Metres."""
    at: float | None = None
    """As it was known then, seconds; None: now."""
    now: float | None = None
    """The robot's time, seconds: what has ended by itself until then is not known. None: that of the newest event."""
    since: float | None = None
    """Only what was seen, said or begun then or later, seconds."""
    until: float | None = None
    """Only what was seen, said or begun then or earlier, seconds."""
    limit: int = 10
    token_budget: int = 1000

    def __post_init__(self) -> None:
        check_text("query", self.text)
        for name in ("user", "scene", "room"):
            check_id(name, getattr(self, name), empty=True)
        object.__setattr__(self, "kinds", frozenset(check_id("kind", kind) for kind in self.kinds))
        if self.near is not None:
            object.__setattr__(self, "near", check_floats("near", self.near, 3))
        if self.radius != math.inf:
            check_range("radius", self.radius, 0.0, math.inf)
        for name in ("at", "now", "since", "until"):
            if getattr(self, name) is not None:
                check_range(name, getattr(self, name), 0.0, math.inf)
        check_range("limit", self.limit, 1, MAX_LIMIT)
        check_range("token_budget", self.token_budget, 0, MAX_TOKENS)


PARALLEL = ("objects", "object_ids", "place_ids", "object_categories", "object_looks")
"""Fields of Knowledge that are parallel."""


@dataclass(frozen=True)
class Knowledge:
    """What a person told of their things or habits; the tuples are parallel, what the robot handled first."""

    subtype: str
    """object_semantics or user_pattern."""
    name: str
    """What the person calls it: "my usual breakfast"."""
    told: str
    """The words in which it was told."""
    objects: tuple[str, ...] = ()
    """What it is about, as it was told; empty for what was only handled."""
    object_ids: tuple[str, ...] = ()
    """The same in the scene graph; empty where that isn't known."""
    place_ids: tuple[str, ...] = ()
    """What each was put on or in; empty where that isn't known."""
    object_categories: tuple[str, ...] = ()
    """What kind of thing each is; empty where that isn't known."""
    object_looks: tuple[str, ...] = ()
    """What each looks like, in words; empty where the robot did not see that."""


@dataclass(frozen=True)
class Likely:
    """How likely a place is where something may be."""

    probability: float
    """0..1; that of all places together is 1."""
    sightings: float
    """What it rests on: times that such things were seen anywhere; older ones count less."""


@dataclass(frozen=True)
class Task:
    """What was asked for once."""

    instruction: str
    goals: tuple[str, ...] = ()
    """What was understood; see MemoryEvent.goals."""
    succeeded: bool = False
    """Whether it ended well, and nobody said that it was wrong."""


@dataclass(frozen=True)
class Handled:
    """What a robot handled last, or holds; see karma_interfaces/Recollection."""

    robot: str
    calls: tuple[SkillCall, ...]
    """Oldest first: the last skill with each thing, and where that was before, if known."""


@dataclass(frozen=True)
class Record:
    """One thing that a memory holds and that can be an answer."""

    id: str
    kind: str
    text: str
    """One line, for people and prompts; what words are matched against."""
    label: str
    """What is embedded: the bare label of an object (a sentence around it hurts), the text of anything else."""
    source: str
    """Id of the event it rests on."""
    valid_from: float
    valid_until: float | None = None
    user: str = ""
    scene: str = ""
    node: Node | None = None
    rooms: tuple[str, ...] = ()
    """What the room is called in which it is: id, name, category, in lower case."""
    confidence: float = 1.0
    """0..1, that it is so."""
    knowledge: Knowledge | None = None
    """Of a profile: what was told."""
    likely: Likely | None = None
    """Of a place where what was asked for may be."""
    task: Task | None = None
    """Of a past attempt, and of what a user asked for last."""
    handled: Handled | None = None
    """Of kind "working"."""
    guideline: Guideline | None = None
    """Of kind "guideline"."""

    @property
    def observed(self) -> float:
        """When the object was last seen, or when it was said or begun, seconds."""
        return self.valid_from if self.node is None else self.node.last_seen


@dataclass(frozen=True)
class Recollection:
    """One answer; see karma_interfaces/Recollection."""

    record: Record
    score: float
    """0..1; 1 would be first in every ranking."""
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """All answers to a query, best first, and the same as text for a language model."""

    recollections: tuple[Recollection, ...]
    prompt: str
    mentions: frozenset[str] = field(default=frozenset())
    """Object categories that the query names."""
    sequence: int = field(default=0, compare=False)
    """Of the newest event that is taken into account; 0 in an answer of the past."""


def visible(record: Record, query: Query) -> bool:
    """Whether user, scene, place and time of a record fit the query (the room is the scene graph's business)."""
    if record.user and record.user != query.user:
        return False
    if query.scene and record.node is not None and record.scene not in ("", query.scene):
        return False
    if not (query.since or 0.0) <= record.observed <= (math.inf if query.until is None else query.until):
        return False
    if query.near is not None:
        return record.node is not None and math.dist(record.node.position, query.near) <= query.radius
    return True
