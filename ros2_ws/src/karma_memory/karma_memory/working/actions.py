# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions as a memory of attempts knows them: a skill and kinds of things, whatever the robot calls its skills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from karma_language.vocabulary.terms import words
from karma_memory.events import SkillCall, SkillTarget

NAMES_KEPT = 1024
"""Names of skills that need not be taken apart again."""
_TAKING = ("pick", "take", "grasp", "grab")
_LETTING_GO = ("put", "place", "drop", "throw", "release")
_LOOKING = ("explore", "go", "goto", "navigate", "move", "find", "describe", "look", "wait")
_WITHOUT_PLACE = ("explore", "find", "describe", "look", "wait")


class Effect(Enum):
    """What a skill does to the world, by the first word of its name (KARMA's skills, MEMENTO's, EB-ALFRED's)."""

    TAKES = auto()
    LETS_GO = auto()
    LOOKS = auto()
    """Nothing: the robot goes somewhere or looks."""
    CHANGES = auto()
    """The state of a thing."""


@lru_cache(NAMES_KEPT)
def effect_of(skill: str) -> Effect:
    """Return what a skill does."""
    first = next(iter(words(skill)), "")
    for effect, verbs in ((Effect.TAKES, _TAKING), (Effect.LETS_GO, _LETTING_GO)):
        if first.startswith(verbs):
            return effect
    return Effect.LOOKS if first in _LOOKING else Effect.CHANGES


@lru_cache(NAMES_KEPT)
def goes_there(skill: str) -> bool:
    """Whether the robot is at what the skill is about when it has succeeded."""
    return next(iter(words(skill)), "") not in _WITHOUT_PLACE


@lru_cache(NAMES_KEPT)
def toggles(skill: str) -> tuple[str, bool] | None:
    """Return what a skill switches and to what: ("open", False) for CloseObject, ("on", True) for ToggleOn."""
    said = set(words(skill))
    if said & {"open", "close"}:
        return "open", "open" in said
    return ("on", "on" in said) if said & {"on", "off"} else None


@dataclass(frozen=True)
class Action:
    """A call of a skill with the kinds of things that it is about."""

    skill: str
    category: str = ""
    """Of the target; of what is held, where the skill lets go of it."""
    object: str = ""
    """Id of the target."""
    receptacle: str = ""
    """Category of the destination."""
    place: str = ""
    """Id of the destination."""
    relation: str = ""

    @classmethod
    def of(cls, call: SkillCall, category_of: Callable[[SkillTarget], str], held: tuple[str, str]) -> Action:
        """Return the action of a call. `held`: id and category of what the robot held before."""
        target, category = call.target.id, category_of(call.target)
        if effect_of(call.skill) is Effect.LETS_GO and not (target or category):
            target, category = held
        return cls(call.skill, category, target, category_of(call.receptacle), call.receptacle.id, call.relation)

    @property
    def effect(self) -> Effect:
        """What it does."""
        return effect_of(self.skill)

    @property
    def subject(self) -> str:
        """Category of what has to be ready for it: the destination where something is let go of, else the target."""
        return self.receptacle or self.category if self.effect is Effect.LETS_GO else self.category

    @property
    def subject_id(self) -> str:
        """Id of the same."""
        return self.place or self.object if self.effect is Effect.LETS_GO else self.object

    @property
    def kind(self) -> tuple[str, str, str]:
        """What makes two actions the same, whichever thing of a kind they are about."""
        return (self.skill, self.category, self.receptacle)

    @property
    def call(self) -> SkillCall:
        """The same as a call, of kinds of things."""
        return SkillCall(self.skill, SkillTarget("", self.category), SkillTarget("", self.receptacle), self.relation)

    @property
    def text(self) -> str:
        """For people and prompts."""
        where = f" {self.relation or 'in/on'} {self.receptacle}" if self.receptacle else ""
        return f"{self.skill} {self.category}".strip() + where

    def to_json(self) -> list[str]:
        """Return the action as a list without what is empty at its end."""
        items = list(vars(self).values())
        return items[: max(place for place, item in enumerate(items, 1) if item)]
