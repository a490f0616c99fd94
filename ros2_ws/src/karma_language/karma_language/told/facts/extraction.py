# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a sentence says and a question asks, before it is told to anybody: entities, relations, times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from karma_language.told.facts.moments import Moment
from karma_language.told.facts.relations import by_noun

SPEAKER = ""
"""Base of a mention of the user who speaks, or of the household they speak for."""
_PRONOUNS = ("he", "she", "it", "they")
GAP = "@gap"
"""Base of a mention that stands for what a question asks for."""


@dataclass(frozen=True)
class Mention:
    """Something as a sentence calls it: "my sister's boss" is the speaker's sister's boss."""

    base: str
    """SPEAKER, a pronoun ("she"), a name or a noun phrase, GAP."""
    steps: tuple[str, ...] = ()
    """From there: "sister", "boss"."""
    name: str = ""
    """A name beside it: "my sister Anna"."""
    owner_name: str = ""
    """A name beside what it is of: Anna, of "my sister Anna's boss"."""

    @property
    def pronoun(self) -> bool:
        """Whether it means what was spoken of before."""
        return self.base in _PRONOUNS

    def may_be(self, person: bool, gender: str) -> bool:
        """Whether a pronoun may mean somebody, or something, of a gender: he, she, or "" for unknown."""
        if self.base == "it":
            return not person
        return self.base == "they" or (person and gender in ("", self.base))

    @classmethod
    def of_path(cls, path: Sequence[str]) -> Mention:
        """Return the mention of a path of a Told: ("me", "sister")."""
        base, *steps = path or ("me",)
        return cls(SPEAKER if base == "me" else base, tuple(steps))

    @property
    def owner(self) -> Mention:
        """The same without the last step."""
        return Mention(self.base, self.steps[:-1], self.owner_name)

    def of(self, step: str) -> Mention:
        """Return the mention of something of it."""
        return Mention(self.base, (*self.steps, step))


@dataclass(frozen=True)
class Claim:
    """Something that is said to be so."""

    subject: Mention
    relation: str
    """Of the schema, or as it was said."""
    object: Mention | Moment
    until: Moment | None = None
    """When it ends by itself."""
    replaces: str = ""
    """What it takes the place of, as it was said: "not in York any more"."""


@dataclass(frozen=True)
class Retraction:
    """Something that is said to hold no longer."""

    subject: Mention
    relation: str = ""
    """Empty: whatever relation it was."""
    object: str | Mention | Moment = ""
    """As it was said, in part at least; a mention or a time: that alone. Empty: whatever it was."""


@dataclass(frozen=True)
class Question:
    """What a question asks for: the object of a relation of `subject`, or, `reverse`, who has `object` in it."""

    subject: Mention
    relation: str
    """"" where the last step of the subject is what is asked for ("my sister's boss")."""
    object: str = ""
    reverse: bool = False
    wanted: str = ""
    """"when", "where", "who" or ""."""
    whether: str = ""
    """What "am I allergic to nuts?" asks to be confirmed, "" for any other question."""


_Said = TypeVar("_Said", Claim, Retraction)


def named(claim: _Said) -> _Said:
    """Let "my dog's name is Rex" say the same as "my dog is Rex"."""
    if claim.relation == "name" and claim.subject.steps:
        return replace(claim, subject=claim.subject.owner, relation=by_noun(claim.subject.steps[-1]))
    return claim
