# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user prefers, and what teaches it: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karma_language.told.wishes.choice import Mode, Request, listed


@dataclass(frozen=True)
class Lesson:
    """What one answer or correction teaches (the extracted note of PAHF, section 3.4)."""

    request: Request
    chosen: str
    """The thing or place that the user wants."""
    revises: tuple[str, ...] = ()
    """Ids of the preferences about the same situation: they are confirmed where they say the same, else closed."""


@dataclass(frozen=True)
class Preference:
    """What one user wants in one kind of situation, as long as it holds."""

    id: str
    """Id of the event that taught it."""
    user: str
    mode: Mode
    wordings: tuple[str, ...]
    """How the user put the request, oldest first; of a statement, its condition ("" for always)."""
    chosen: str
    options: tuple[str, ...] = ()
    """What it was chosen from; () where the user just said it."""
    thing: str = ""
    """PUT: what was put there."""
    words: str = ""
    """What the user said that taught it."""
    valid_from: float = 0.0
    """Seconds, the robot's clock."""
    valid_until: float | None = None
    """When the user changed their mind; None while it holds."""
    replaced_by: str = ""
    """Id of the preference that took its place."""
    stated: bool = False
    """Whether the user just said it; it was not learned from an answer to a choice."""
    edits: str = ""
    """Id of the preference that the user said otherwise by it, "" for none."""
    confirmed: int = 0
    """How often the user said the same again, or was content with what was done because of it."""
    confirmed_at: float = 0.0
    """When last, seconds; at first when it was learned."""

    @property
    def rejected(self) -> tuple[str, ...]:
        """What could have been chosen and was not."""
        return tuple(option for option in self.options if option != self.chosen)

    @property
    def text(self) -> str:
        """The note for people and prompts, one line."""
        what = f"the {self.thing} on or in: {self.chosen}" if self.mode is Mode.PUT and self.thing else self.chosen
        other = f", not {listed(self.rejected, 'or')}" if self.rejected else ""
        when = f'asked "{self.wordings[0]}": ' if self.options else f"{self.wordings[0] or 'always'}: "
        return f"{self.user} prefers, {when}{what}{other}"

    @property
    def overturned(self) -> bool:
        """Whether the user came to want something else."""
        return self.valid_until is not None and bool(self.replaced_by)

    @classmethod
    def from_json(cls, item: dict[str, Any]) -> Preference:
        """Return the preference of a JSON object."""
        lists = {name: tuple(item[name]) for name in ("wordings", "options")}
        return cls(**{**item, **lists, "mode": Mode(item["mode"])})
