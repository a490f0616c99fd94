# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Events: what happened, as immutable values. They mirror karma_interfaces/MemoryEvent, without ROS.

Every value checks itself when it is made and raises InvalidEventError, so that what exists is well formed.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field
from enum import IntEnum

from karma_memory.scene import (
    Edge,
    InvalidEventError,
    Node,
    Point,
    check_enum,
    check_floats,
    check_id,
    check_range,
    check_stamp,
    check_text,
    clip,
)

MAX_NODES = 20_000
"""Most nodes, edges or removed ids of one event."""
MAX_RECORD_ID = 1024
"""Longest id of a recollection, in characters."""
MAX_POSITIONS = 10_000
"""Most positions of one skill call."""
MAX_GOALS = 100
"""Most goals of one instruction."""
MAX_IMAGE_BYTES = 8 * 1024 * 1024
"""Largest picture of one event."""


_WHOLE = ((b"\xff\xd8\xff", b"\xff\xd9"), (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"))
"""How JPEG and PNG begin and end."""


class EventKind(IntEnum):
    """What kind of event; values below 64 equal those of karma_interfaces/MemoryEvent.

    The others are written by the memory itself, so that a replay gives the same state as living through it.
    """

    OBSERVATION = 0
    SKILL_OUTCOME = 1
    EPISODE_START = 2
    EPISODE_END = 3
    TOLD = 4
    FEEDBACK = 5
    EDIT = 6
    READING = 7
    """What the words of the event `target` come to: `text` is the JSON of a karma_language.reading.Reading."""
    ACCESS = 64
    """A recall used the short-term memory units in `accessed`."""
    CONFIGURE = 65
    """Capacity or replacement policy of short-term memory changed; with a user, what may be kept of that user.

    `text` is their JSON."""
    REFLECTION = 66
    """A language model thought about an episode: `text` is the JSON of what it learned, in words of its own."""


OWN_KINDS = (EventKind.ACCESS, EventKind.CONFIGURE, EventKind.REFLECTION)
"""Kinds that only the memory itself makes."""


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
class Image:
    """A compressed picture, known by its content.

    An image that was read back from the journal with its event has no `data`: Journal.image(sha256) gives it.
    """

    format: str
    """"jpeg", "png" or another name of a compression, as in sensor_msgs/CompressedImage."""
    sha256: str
    data: bytes = field(default=b"", compare=False, repr=False)

    def __post_init__(self) -> None:
        check_id("image format", self.format, empty=True)
        if not isinstance(self.sha256, str) or not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise InvalidEventError(f"sha256 of an image must be 64 hex digits, got {clip(self.sha256)!r}")
        if not isinstance(self.data, bytes):
            raise InvalidEventError(f"data of an image must be bytes, got {type(self.data).__name__}")
        if len(self.data) > MAX_IMAGE_BYTES:
            raise InvalidEventError(f"the image has {len(self.data)} bytes; at most {MAX_IMAGE_BYTES} are allowed")
        if self.data and hashlib.sha256(self.data).hexdigest() != self.sha256:
            raise InvalidEventError("the image's sha256 does not fit its data")

    @property
    def is_whole(self) -> bool:
        """Whether its bytes begin and end as those of a JPEG or PNG do."""
        return any(self.data.startswith(begin) and self.data.endswith(end) for begin, end in _WHOLE)

    @classmethod
    def of(cls, format: str, data: bytes) -> Image:  # noqa: A002 - the message's own name
        """Make an image from its bytes."""
        if not data:
            raise InvalidEventError("the image is empty")
        return cls(format, hashlib.sha256(data).hexdigest(), data)


@dataclass(frozen=True)
class SkillTarget:
    """An object or place that a skill acts on; see karma_interfaces/SkillTarget."""

    id: str = ""
    category: str = ""
    position: Point | None = None

    def __post_init__(self) -> None:
        check_id("target id", self.id, empty=True)
        check_id("target category", self.category, empty=True)
        if self.position is not None:
            object.__setattr__(self, "position", check_floats("target position", self.position, 3))


@dataclass(frozen=True)
class SkillCall:
    """One call of a skill; see karma_interfaces/SkillCall."""

    skill: str
    target: SkillTarget = SkillTarget()
    receptacle: SkillTarget = SkillTarget()
    relation: str = ""
    positions: tuple[Point, ...] = ()
    duration: float = 0.0

    def __post_init__(self) -> None:
        check_id("skill", self.skill)
        check_id("relation", self.relation, empty=True)
        positions = check_tuple("positions", self.positions, MAX_POSITIONS)
        object.__setattr__(self, "positions", tuple(check_floats("position", point, 3) for point in positions))
        object.__setattr__(self, "duration", check_range("duration", self.duration, 0.0, math.inf))


@dataclass(frozen=True)
class SkillOutcome:
    """What a skill did; see karma_interfaces/SkillOutcome."""

    call: SkillCall
    code: Code
    message: str = ""
    seen: tuple[Node, ...] = ()
    explore_steps: int = 0
    duration: float = 0.0
    distance: float = 0.0
    stamp: float = 0.0
    position: Point | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", check_enum("result code", Code, self.code))
        check_text("result message", self.message)
        object.__setattr__(self, "seen", check_tuple("seen", self.seen, MAX_NODES, Node))
        if isinstance(self.explore_steps, bool) or not isinstance(self.explore_steps, int) or self.explore_steps < 0:
            raise InvalidEventError(f"explore_steps must be a natural number, got {clip(self.explore_steps)}")
        for name in ("duration", "distance"):
            object.__setattr__(self, name, check_range(name, getattr(self, name), 0.0, math.inf))
        object.__setattr__(self, "stamp", check_stamp("stamp", self.stamp))
        if self.position is not None:
            object.__setattr__(self, "position", check_floats("position", self.position, 3))


@dataclass(frozen=True)
class Event:
    """Something that happened; see karma_interfaces/MemoryEvent."""

    id: str
    """Unique. The same id again is the same event, remembered once."""
    kind: EventKind
    stamp: float
    """Seconds, the robot's clock."""
    robot: str = ""
    user: str = ""
    scene: str = ""
    episode: str = ""
    text: str = ""
    target: str = ""
    """EDIT: id of the recollection that changes. READING: id of the event whose words were read. OBSERVATION: id of
    the one node that the picture shows, as it was then; such an observation tells nothing else."""
    nodes: tuple[Node, ...] = ()
    """OBSERVATION: seen; SKILL_OUTCOME: the objects as they are afterwards."""
    removed: tuple[str, ...] = ()
    """Ids of nodes that are gone."""
    edges: tuple[Edge, ...] = ()
    removed_edges: tuple[Edge, ...] = ()
    outcome: SkillOutcome | None = None
    code: Code = Code.UNSET
    """EPISODE_END: how it ended. FEEDBACK: SUCCESS where it was right, another where it was wrong, if that was said."""
    message: str = ""
    """SKILL_OUTCOME, EPISODE_END: for people. FEEDBACK: the lesson in it (preferences.wire). EDIT: id of the newer
    recollection that says the same, where the memory itself found that out."""
    image: Image | None = None
    accessed: tuple[str, ...] = ()
    """ACCESS: ids of short-term recollections, in the order of use."""
    goals: tuple[str, ...] = ()
    """EPISODE_START: what was understood, EPISODE_END: what it was taken for; see karma_memory.episodic.goals."""
    retry_of: str = ""
    """EPISODE_START: id of the episode that this one tries again."""
    used: tuple[str, ...] = ()
    """EPISODE_END: ids of the recollections that guided it."""

    @property
    def pictured(self) -> Node | None:
        """The node that the picture of this observation shows, as it was then; None where it is no such observation."""
        return self.nodes[0] if self.kind is EventKind.OBSERVATION and self.target else None

    def __post_init__(self) -> None:
        check_id("event id", self.id)
        object.__setattr__(self, "kind", check_enum("event kind", EventKind, self.kind))
        object.__setattr__(self, "stamp", check_stamp("stamp", self.stamp))
        for name in ("robot", "user", "scene", "episode", "retry_of"):
            if (value := getattr(self, name)) != "":
                check_id(name, value)
        check_text("target", self.target, MAX_RECORD_ID)
        for name in ("text", "message"):
            check_text(name, getattr(self, name))
        if self.nodes != ():
            object.__setattr__(self, "nodes", check_nodes("nodes", self.nodes))
        for name in ("edges", "removed_edges"):
            if (edges := getattr(self, name)) != ():
                object.__setattr__(self, name, check_tuple(name, edges, MAX_NODES, Edge))
        if self.removed != ():
            removed = check_tuple("removed", self.removed, MAX_NODES)
            object.__setattr__(self, "removed", tuple(check_id("removed id", item) for item in removed))
        for name, limit in (("accessed", MAX_NODES), ("used", MAX_NODES), ("goals", MAX_GOALS)):
            if (texts := getattr(self, name)) != ():
                items = check_tuple(name, texts, limit)
                object.__setattr__(self, name, tuple(check_text(name, item, MAX_RECORD_ID) for item in items))
        object.__setattr__(self, "code", check_enum("result code", Code, self.code))
        self._check_kind()

    def _check_kind(self) -> None:
        """Refuse what the kind makes senseless: an outcome without its skill, an edit of nothing."""
        if (self.outcome is not None) != (self.kind is EventKind.SKILL_OUTCOME):
            raise InvalidEventError(
                f"exactly the events of kind SKILL_OUTCOME have an outcome; this is {self.kind.name}"
            )
        if self.kind in (EventKind.EPISODE_START, EventKind.EPISODE_END) and not self.episode:
            raise InvalidEventError(f"an event of kind {self.kind.name} needs the id of its episode")
        if self.kind in (EventKind.EPISODE_START, EventKind.TOLD, EventKind.FEEDBACK) and not self.text.strip():
            raise InvalidEventError(f"an event of kind {self.kind.name} needs a text")
        if self.kind is EventKind.OBSERVATION and self.target:
            self._check_pictured()
        if self.kind is EventKind.EDIT and not self.target:
            raise InvalidEventError("an event of kind EDIT needs the id of the recollection that it changes (target)")
        if self.kind is EventKind.READING and not (self.target and self.text):
            raise InvalidEventError("an event of kind READING needs the id of what it reads (target), and a text")

    def _check_pictured(self) -> None:
        """Refuse a picture of something that is no picture, or not of that thing."""
        if [node.id for node in self.nodes] != [self.target] or self.removed or self.edges or self.removed_edges:
            raise InvalidEventError(f"the picture of {clip(self.target)!r} comes with that node, and nothing else")
        if self.image is None or (self.image.data and not self.image.is_whole):
            raise InvalidEventError(f"the picture of {clip(self.target)!r} is missing, or no whole JPEG or PNG")


def check_nodes(what: str, values: object) -> tuple[Node, ...]:
    """Return `values` as a tuple of at most MAX_NODES nodes, each listed once."""
    nodes: tuple[Node, ...] = check_tuple(what, values, MAX_NODES, Node)
    ids = set()
    for node in nodes:
        if node.id in ids:
            raise InvalidEventError(f"{what} lists node {node.id!r} twice")
        ids.add(node.id)
    return nodes


def check_tuple(what: str, values: object, limit: int, kind: type | None = None) -> tuple:  # type: ignore[type-arg]
    """Return `values` as a tuple of at most `limit` items, all of type `kind` where that is given."""
    if not isinstance(values, (tuple, list)):
        raise InvalidEventError(f"{what} must be a sequence, got {type(values).__name__}")
    if len(values) > limit:
        raise InvalidEventError(f"{what} has {len(values)} items; at most {limit} are allowed")
    if kind is not None and not all(isinstance(value, kind) for value in values):
        raise InvalidEventError(f"{what} must hold {kind.__name__} only")
    return tuple(values)
