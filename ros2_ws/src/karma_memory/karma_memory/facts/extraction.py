# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a told sentence and a question come to, and who finds that out: entities and relations behind one protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from karma_memory.facts.times import Moment

SPEAKER = ""
"""Base of a mention of the user who speaks, or of the household they speak for."""
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

    @property
    def owner(self) -> Mention:
        """The same without the last step."""
        return Mention(self.base, self.steps[:-1])

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
class Extraction:
    """What a sentence says; nothing for small talk and for what the extraction doesn't understand."""

    claims: tuple[Claim, ...] = ()
    retractions: tuple[Retraction, ...] = ()


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


class Extractor(Protocol):
    """Turns sentences into claims. Never raises for any text; what it doesn't understand says nothing."""

    @property
    def name(self) -> str:
        """Who extracts: "offline", or the model's name."""

    def told(self, text: str, now: float) -> Extraction:
        """Return what a told sentence says. `now`: when it was said, seconds."""

    def asked(self, text: str, now: float) -> Question | None:
        """Return what a question asks for, None where that isn't understood."""
