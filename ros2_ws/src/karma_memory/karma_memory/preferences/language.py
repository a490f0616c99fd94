# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What needs language: reading a request, asking, and hearing what an answer or correction says.

An implementation is a language model or rules. What it returns is data about the text and is checked by its caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from karma_memory.preferences.preference import Request


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
