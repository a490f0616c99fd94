# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A choice that a request leaves open: what is asked, and what an answer or a correction says.

An implementation is a language model or rules. What it returns is data about the text and is checked by its caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Mode(str, Enum):
    """What is chosen."""

    FETCH = "fetch"
    """Which thing to bring."""
    PUT = "put"
    """Where to put a thing."""


@dataclass(frozen=True)
class Request:
    """An instruction that leaves a choice to what its user prefers."""

    user: str
    text: str
    """The user's words."""
    mode: Mode
    thing: str = ""
    """PUT: what is put somewhere."""
    options: tuple[str, ...] = ()
    """What can be chosen: things (FETCH) or places (PUT)."""


@dataclass(frozen=True)
class Heard:
    """What an answer or correction says."""

    chosen: str
    """One of the options as it is called there, or another name."""
    changed: bool = False
    """The words say that it used to be otherwise (the drift detector of PAHF)."""
    condition: str = ""
    """When this is so, as a sentence: "tea when I'm tired" says "I'm tired." """


class Language(Protocol):
    """The steps of PAHF (section 3.4, appendix D) that a language model takes there."""

    def read(self, user: str, text: str, scene: Sequence[str]) -> Request:
        """Return what a request leaves open. `scene`: names of the things and places that are there."""

    def question(self, request: Request, options: Sequence[str]) -> str:
        """Return one question that favours none of the options."""

    def approves(self, words: str) -> bool:
        """Whether words in which nothing is heard say that all is well."""

    def heard(self, request: Request, words: str) -> Heard | None:
        """Return what the user's words say about the choice; None where they say nothing of it, such as thanks."""


class Likeness(Protocol):
    """Says how alike texts are."""

    def of(self, one: str, other: str) -> float:
        """Return 0 (nothing in common) .. 1 (the same)."""


def listed(names: Sequence[str], conjunction: str) -> str:
    """Return "a, b or c"."""
    return f" {conjunction} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
