# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of one instruction while it is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from karma_language.reading import Question
from planner_node.check.safety import Guard
from planner_node.ground.told import Resolved
from planner_node.guidance import Guidance
from planner_node.instruction import Instruction, Observer, Stage
from planner_node.memory import TOLD, Recollection
from planner_node.status import Following
from planner_node.understand.goals import Goal, ObjectRef, Understanding
from planner_node.understand.hearing import Heard
from planner_node.understand.other_readings import Reading
from planner_node.understand.reference import Before
from planner_node.world import World


@dataclass(frozen=True)
class Meant:
    """What the words of an instruction mean by what its user told."""

    words: str
    plainly: Understanding
    """What they mean without that."""
    themes: tuple[ObjectRef, ...]
    """What was spoken of before."""
    found: Resolved
    but: frozenset[str] = frozenset()
    """Ids of what was told and is not meant."""


@dataclass
class Run:
    """One instruction."""

    instruction: Instruction
    id: str
    observer: Observer
    world: World
    understood: tuple[Goal, ...] = ()
    """What the words ask for as such."""
    goals: tuple[Goal, ...] = ()
    """What is done: the same as guidelines, preferences and former attempts have it."""
    meant: Meant | None = None
    """What it means by what its user told; None where nothing was asked of that."""
    reading: Reading = field(default_factory=dict)
    """What the words are to mean in this attempt, where it is not the first."""
    guard: Guard = field(init=False)
    """The rules for it, once it is known what is to be done."""
    recollections: dict[str, Recollection] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)
    heard: Heard | None = None
    """What was said; None before it was heard, and for what needs no reading, such as a written plan."""
    asked: tuple[Question, ...] = ()
    """What is to be answered when all is done."""
    names: Mapping[str, tuple[str, ...]] | None = None
    """What things were said to be called, once it was looked for."""
    before: Before = field(default_factory=Before)
    """What was asked for and handled before."""
    guidance: Guidance = field(default_factory=Guidance)
    """What was learned of such instructions."""
    scene: str = ""
    warnings: list[str] = field(default_factory=list)
    answered: list[ObjectRef] = field(default_factory=list)
    """What the answers to questions have found: "it" and "them" mean that from now on."""
    notes: list[str] = field(default_factory=list)
    """What was assumed of the instruction, in sentences."""
    learned: list[str] = field(default_factory=list)
    """What the user's answers say beyond the instruction, as sentences of theirs: whose a thing is."""
    following: Following = field(default_factory=Following)
    """For whoever looks on."""

    _skipped: list[int] = field(default_factory=list)

    def progress(self, stage: Stage, step: str, done: int) -> None:
        """Show what is being done, and the number of skills that are."""
        self.following.progress(stage, step)
        self.observer.progress(stage, step, done)

    def waits(self, why: str, done: int) -> None:
        """Show that nothing is done for now, and why."""
        self.following.waits(why)
        self.observer.waits(why, done)

    def skip(self, number: int, why: str) -> None:
        """Note that there is nothing to do for a goal, and why; "" where nobody needs to be told."""
        self._skipped.append(number)
        self.notes += [why] if why else []

    def done(self, reached: int) -> tuple[Goal, ...]:
        """Return what was done of the first `reached` goals."""
        return tuple(goal for number, goal in enumerate(self.goals[:reached]) if number not in self._skipped)

    @property
    def skipped_goals(self) -> tuple[Goal, ...]:
        """The goals that there was nothing to do for."""
        return tuple(self.goals[number] for number in self._skipped)

    def summary(self, reached: int) -> str:
        """Return in words what was done of the goals when the first `reached` were, and what was not."""
        parts = {"done": self.done(reached), "not done": self.goals[reached:], "nothing to do for": self.skipped_goals}
        said = {part: "; ".join(str(goal) for goal in goals) for part, goals in parts.items()}
        said["done"] = said["done"] or "nothing"
        return " | ".join(f"{part}: {goals}" for part, goals in said.items() if goals)

    @property
    def told(self) -> list[str]:
        """What its user told that came to mind, and holds."""
        return [one.text for one in self.recollections.values() if one.kind == TOLD and not one.valid_until]

    def ground(self, grounds: Mapping[str, Recollection]) -> None:
        """Note the recollections that something was decided by."""
        self.recollections.update(grounds)
        self.used.update(dict.fromkeys(grounds))
        self.following.uses(self.recalled())

    def recalled(self, found_by: Mapping[str, None] = MappingProxyType({})) -> tuple[Recollection, ...]:
        """Return the recollections that were used, in order, with those (ids) by which things were found last."""
        used = {**self.used, **found_by}
        return tuple(self.recollections[i] for i in used if i in self.recollections)

    def was_guided(self, found_by: Mapping[str, None]) -> None:
        """Note what guidance did, and by which recollections (ids) things were found."""
        self.used.update(found_by)
        self.ground(self.guidance.used)
        self.notes += self.guidance.notes

    def without_memory(self, error: Exception) -> str:
        """Note that the memory does not answer; return the warning where it is news."""
        warning = f"I work without memory: {error}"
        if warning in self.warnings:
            return ""
        self.warnings.append(warning)
        return warning
