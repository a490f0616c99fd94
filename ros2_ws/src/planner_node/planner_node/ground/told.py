# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What one user told, found by words; and what was asked for when it was told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from karma_language.arranging.clauses import request_in, sentences
from karma_language.arranging.personal import called, meaningful
from planner_node.memory import PROFILE, Knowledge, MemoryClient, Recollection
from planner_node.understand.goals import Goal, ObjectRef, Understanding, Understood
from planner_node.understand.offline import OfflineUnderstanding

Finding = tuple[Recollection, Knowledge]
"""What memory has found, and what it holds."""


@dataclass
class Resolved:
    """An instruction with what it refers to."""

    understanding: Understanding
    used: list[Recollection] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What it was taken to mean, in sentences."""
    habits: dict[str, tuple[Goal, ...]] = field(default_factory=dict)
    """Id of what was told → the goals that were taken from it."""
    things: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Id of what was told → the nouns of the things that are meant by it."""

    def means(self, goal: Goal) -> set[str]:
        """Return the ids of what was told by which a goal, or its thing, is meant."""
        noun = goal.object.noun if goal.object is not None else ""
        habits = {one for one, goals in self.habits.items() if str(goal) in map(str, goals)}
        return habits or {one for one, nouns in self.things.items() if noun in nouns}


@dataclass
class Told:
    """What `user` told of `scene`; `rules` read what is asked for now, and what was asked for then."""

    memory: MemoryClient
    rules: OfflineUnderstanding
    user: str
    scene: str
    spoken_of: tuple[ObjectRef, ...] = ()
    """What the previous instruction was about."""
    but: Collection[str] = ()
    """Ids of what is not meant."""

    def about(self, words: str, limit: int) -> list[Finding]:
        """Return what was told that bears on some words, all where there are none. Raises what the memory does."""
        found = self.memory.recall(words, self.user, self.scene, limit + len(self.but), [PROFILE]).recollections
        known = [(one, one.knowledge) for one in found if one.knowledge is not None and one.id not in self.but]
        return known[:limit]

    def understand(self, text: str) -> Understanding:
        """Return what is asked for, now or then."""
        return self.rules.understand(text, self.spoken_of)

    def goals(self, knowledge: Knowledge) -> tuple[Goal, ...]:
        """Return what was asked for when something was told."""
        asked = [sentence for sentence in sentences(knowledge.told) if request_in(sentence)]
        said = called(telling(knowledge))
        text = " ".join(asked) if asked else f"put {said}" if said else ""
        then = self.understand(text) if text else None
        return then.goals if isinstance(then, Understood) else ()


def telling(knowledge: Knowledge) -> str:
    """Return the sentence that told something, the last that asks for nothing."""
    told = [sentence for sentence in sentences(knowledge.told) if not request_in(sentence)]
    return told[-1] if told else knowledge.told


def words_of(knowledge: Knowledge) -> frozenset[str]:
    """Return all words in which something was told."""
    return meaningful(" ".join([knowledge.name, knowledge.told, *knowledge.objects]))
