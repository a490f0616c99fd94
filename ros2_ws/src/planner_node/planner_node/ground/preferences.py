# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user prefers, as the planner asks it of the memory and tells it to the memory (PAHF)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from planner_node.memory import Recollection


@dataclass(frozen=True)
class Question:
    """A choice that an instruction leaves to what its user prefers."""

    user: str
    text: str
    """The instruction."""
    options: tuple[str, ...]
    """Names of what there is to choose from."""
    thing: str = ""
    """What is put somewhere, where a place is chosen; "" where a thing is."""


@dataclass(frozen=True)
class Advice:
    """What the memory says to a choice; see karma_interfaces/Choose."""

    option: str = ""
    sure: bool = False
    question: str = ""
    candidates: tuple[str, ...] = ()
    because: str = ""
    recollections: tuple[Recollection, ...] = ()


@dataclass(frozen=True)
class Words:
    """What a user said about a choice."""

    id: str
    """UUID: the same words sent twice teach once."""
    text: str
    answering: bool = False
    """They answer the question; else they were said afterwards."""
    others: bool = False
    """They may be about another choice of the instruction."""
    acted_on: str = ""
    """Id of the recollection that decided."""
    instruction_id: str = ""


@dataclass(frozen=True)
class Learned:
    """What became of a user's words; see karma_interfaces/LearnChoice."""

    option: str = ""
    """What they want, an option or another name; "" where they don't say."""
    kept: bool = False
    """The memory has them: they say what is wanted, or that all is well."""
    record: str = ""
    """Id of the recollection that knows it."""
    remark: str = ""
    """Why nothing is kept, where nothing may be."""


class Preferences(Protocol):
    """The memory of preferences. Both methods raise MemoryUnavailable within a bounded time, or MemoryRefused."""

    def choose(self, question: Question) -> Advice:
        """Ask what the user would choose."""

    def learn(self, question: Question, words: Words) -> Learned:
        """Let the memory learn what the user's words teach; it is on disk when this returns."""
