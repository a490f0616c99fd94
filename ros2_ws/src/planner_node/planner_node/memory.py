# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory as the planner knows it: what it answers, and what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from karma_language.reading import Question
from planner_node.skills import Code, Node, Outcome, SkillCall

LONG_TERM = "long_term"
"""Kind of what the scene graph tells."""
PROFILE = "profile"
"""Kind of recollections of what a person told of their things and habits."""
OBJECT_SEMANTICS, USER_PATTERN = "object_semantics", "user_pattern"


@dataclass(frozen=True)
class Knowledge:
    """What a person told of their things or habits; the tuples are parallel, what the robot handled first."""

    subtype: str
    """OBJECT_SEMANTICS or USER_PATTERN."""
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

    def about(self, objects: Sequence[str], *more: Sequence[str]) -> Knowledge:
        """Return it with what it is about; `more`: the four other tuples, which become as long as that."""
        known = len(objects)
        ids, places, categories, looks = (tuple([*column, *[""] * known][:known]) for column in more)
        return Knowledge(self.subtype, self.name, self.told, tuple(objects), ids, places, categories, looks)


TOLD = "told"
"""Kind of what people said, word by word."""
RULE = "rule"
"""Kind of what is forbidden, as what is not to be done: "use the good plates"; that of others has no source."""
OWNER = "owner"
"""Kind of whose things are, to who asks: `knowledge.name` is "me", or a name or noun."""
WORKING, TRAJECTORY, GUIDELINE = "working", "trajectory", "guideline"
"""Kinds of BrainMem's memories: the running episode, past attempts, and what was learned from them."""


class Advice(str, Enum):
    """What a guideline says; see karma_interfaces/Guideline."""

    MEANING = "meaning"
    """The word `word` meant `category`, not `instead_of`."""
    BEFORE = "before"
    """Before `skill` on things of `category`, do `steps`; learned where it failed with `message`."""
    AVOID = "avoid"
    """`skill` with `category` and `receptacle`, or with `object`, fails with `message`; `instead` worked."""
    INSIGHT = "insight"
    """Nothing but a text: the words of a language model, for another one."""


@dataclass(frozen=True)
class Guideline:
    """What was learned of how to do things, and how well it has done since; see karma_interfaces/Guideline."""

    advice: Advice
    text: str = ""
    """One sentence, for people and prompts."""
    word: str = ""
    category: str = ""
    instead_of: str = ""
    skill: str = ""
    steps: tuple[SkillCall, ...] = ()
    """With categories; a target that says nothing is the object of the skill itself."""
    receptacle: str = ""
    object: str = ""
    instead: str = ""
    message: str = ""
    task_types: tuple[str, ...] = ()
    scene: str = ""
    room: str = ""
    confidence: float = 0.0
    successes: int = 0
    uses: int = 0
    utility: float = 0.0


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
    """What was understood; see understand.goals.goal_text."""
    succeeded: bool = False
    """Whether it ended well, and nobody said that it was wrong."""


@dataclass(frozen=True)
class Handled:
    """What a robot handled last, or holds; see karma_interfaces/Recollection."""

    robot: str
    calls: tuple[SkillCall, ...]
    """Oldest first: the last skill with each thing, and where that was before, if known."""


@dataclass(frozen=True)
class Recollection:
    """One thing that the memory remembers; see karma_interfaces/Recollection."""

    kind: str
    id: str
    text: str
    score: float = 0.0
    why: tuple[str, ...] = ()
    source: str = ""
    valid_from: float = 0.0
    valid_until: float = 0.0
    """0: still valid."""
    object: Node | None = None
    knowledge: Knowledge | None = None
    """Of kind PROFILE."""
    guideline: Guideline | None = None
    """Of kind GUIDELINE."""
    likely: Likely | None = None
    """Of a place where what was asked for may be."""
    task: Task | None = None
    """Of kind TRAJECTORY; of kind WORKING, what its user asked for last."""
    handled: Handled | None = None
    """Of kind WORKING."""


@dataclass(frozen=True)
class Recall:
    """The answer to a question: recollections, best first, and the same as text for a language model."""

    recollections: tuple[Recollection, ...] = ()
    prompt: str = ""


@dataclass(frozen=True)
class Answer:
    """The memory's answer to a person's question; see karma_interfaces/Ask."""

    text: str = ""
    """For people; where nothing answers, it says why."""
    known: bool = False
    """Whether the question is answered."""
    look: tuple[str, ...] = ()
    """Categories of the places that would have to be looked at, or into, to know."""
    evidence: tuple[Recollection, ...] = ()
    """What it rests on."""
    picture: Any = None
    """Of the thing that it is about, as the memory's message (sensor_msgs/CompressedImage); None: there is none."""


@dataclass(frozen=True)
class SceneGraph:
    """Long-term memory's picture of the place."""

    scene: str = ""
    nodes: tuple[Node, ...] = ()


class EventKind(str, Enum):
    """Kinds of event the planner reports; the names equal karma_interfaces/MemoryEvent's constants."""

    SKILL_OUTCOME = "SKILL_OUTCOME"
    EPISODE_START = "EPISODE_START"
    EPISODE_END = "EPISODE_END"
    TOLD = "TOLD"
    FEEDBACK = "FEEDBACK"
    READING = "READING"


@dataclass(frozen=True)
class Event:
    """Something that happened, to be remembered. `id` is a UUID, so that sending it twice is harmless."""

    id: str
    kind: EventKind
    stamp: float
    """Seconds, the robot's clock; 0 when nothing has given the planner the time yet."""
    user: str = ""
    scene: str = ""
    episode: str = ""
    text: str = ""
    """READING: the reading as JSON."""
    target: str = ""
    """READING: id of the event whose words were read."""
    nodes: tuple[Node, ...] = ()
    removed: tuple[str, ...] = ()
    """Ids of objects that are no more: what was sliced."""
    outcome: Outcome | None = None
    code: Code = Code.UNSET
    """EPISODE_END: how it ended. FEEDBACK: SUCCESS where it was right, another where it was wrong, if that was said."""
    message: str = ""
    goals: tuple[str, ...] = ()
    """EPISODE_START: what was understood; EPISODE_END: what it was taken for (see understand.goals.goal_text)."""
    retry_of: str = ""
    """EPISODE_START: id of the episode that this one tries again."""
    used: tuple[str, ...] = ()
    """EPISODE_END: ids of the recollections that guided it."""


class MemoryUnavailable(Exception):  # noqa: N818 - a state of the memory, as people say it
    """The memory server does not answer. The planner goes on without it."""


class MemoryRefused(ValueError):  # noqa: N818 - what the memory says of a request
    """The memory does not accept what it was sent; sending it again would not help."""


class MemoryClient(Protocol):
    """What the planner needs of a memory.

    Every method raises MemoryUnavailable within a bounded time, or MemoryRefused.
    """

    def recall(
        self,
        query: str,
        user: str = "",
        scene: str = "",
        limit: int = 0,
        kinds: Sequence[str] = (),
    ) -> Recall:
        """Ask every memory, or those of some kinds, the same; without a query, for what is newest.

        Objects only of this scene, of any where it is empty.
        """

    def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
        """Answer a person's question; `question`: what the words ask for, where that was read."""

    def scene_graph(self) -> SceneGraph:
        """Return the long-term memory's scene graph."""

    def remember(self, events: Sequence[Event]) -> bool:
        """Commit events; return, when they are on disk, whether the last is kept: its user may not agree to that."""
