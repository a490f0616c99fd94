# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A stream of told sentences over four weeks, and questions at the end of each, with answers computed from it."""

from __future__ import annotations

from dataclasses import dataclass, field

WEEKS = 4


@dataclass(frozen=True)
class Told:
    """A sentence of a user."""

    id: str
    """The memory."""
    user: str
    stamp: float
    text: str


@dataclass(frozen=True)
class Asked:
    """A question, the right answer, and the memories it needs."""

    user: str
    stamp: float
    week: int
    text: str
    answer: frozenset[str]
    """Empty: what was told doesn't say, or doesn't any more."""
    required: frozenset[str]
    optional: frozenset[str]
    """Memories that say how somebody is meant where the fact was told in the question's own words; not scored."""
    kind: str
    asked_stale: bool = False
    """Whether something that was so once is asked for: replaced, expired or taken back."""


@dataclass
class Stream:
    """Everything that is told and asked, in the order of time."""

    told: list[Told] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    edits: dict[int, dict[str, int]] = field(default_factory=dict)
    """Week → how many insertions, replacements, expiries and removals."""
