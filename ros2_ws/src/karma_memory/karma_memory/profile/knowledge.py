# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Personal knowledge as an instruction tells it, before it is in the graph (MEMENTO, algorithm 1, steps 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from karma_memory.profile.commands import Move
from karma_memory.profile.wording import KnowledgeType

SUBTYPES = {
    KnowledgeType.OBJECT_SEMANTICS: ("ownership", "preference", "history", "group"),
    KnowledgeType.USER_PATTERN: ("routine", "preference"),
}
"""Tables 5 and 6."""


@dataclass(frozen=True)
class Knowledge:
    """One piece of personal knowledge."""

    type: KnowledgeType
    subtype: str
    """One of SUBTYPES of its type."""
    alias: str
    """What the person calls it: "my favorite cup", "afternoon tea"."""
    description: str
    """The sentence that told it."""
    told: bool = True
    """Whether it was told; False: an instruction only speaks of it."""


@dataclass(frozen=True)
class Thing:
    """A thing that knowledge is about."""

    name: str
    description: str = ""
    """What it looks like, as it was told; empty where nothing was."""

    @property
    def text(self) -> str:
        """Name and looks in one phrase."""
        return f"{self.name} which is {self.description}" if self.description else self.name


@dataclass(frozen=True)
class Elements:
    """What a piece of knowledge consists of."""

    things: tuple[Thing, ...] = ()
    moves: tuple[Move, ...] = ()
    """In order; of user patterns only."""


@dataclass(frozen=True)
class Candidate:
    """A knowledge node that may be the one that is spoken of."""

    node: str
    type: KnowledgeType
    alias: str
    description: str
    things: tuple[str, ...]
    places: tuple[str, ...]
    likeness: float
    """0..1, of what it is called."""


class KnowledgeSteps(Protocol):
    """The steps of algorithms 1 and 2 that the paper gives to a language model.

    A profile that is rebuilt from the journal needs steps that always answer the same.
    """

    @property
    def name(self) -> str:
        """What takes the steps: "offline" or the model."""

    def extract_knowledge(self, instruction: str) -> Sequence[Knowledge]:
        """Return what an instruction tells or asks for."""

    def extract_elements(self, instruction: str, knowledge: Knowledge) -> Elements:
        """Return what a piece of knowledge consists of, in that instruction."""

    def decide(self, knowledge: Knowledge, elements: Elements, candidates: Sequence[Candidate]) -> str:
        """Return the id of the candidate that `knowledge` updates; empty: it is to be added."""

    def reformulate(self, person: str, candidate: Candidate, moves: Sequence[str]) -> str:
        """Say in a sentence or two what a piece of knowledge means, for a planner's prompt."""
