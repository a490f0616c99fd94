# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Trying again what was not what the person wanted, otherwise than before (BrainMem's guided retry, section 3.2.3)."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field

from planner_node.readings import Reading, Tried, other_reading, read_as, usual_reading
from planner_node.understand.goals import Goal
from planner_node.vocabulary.lexicon import Lexicon, split_camel
from planner_node.world import World

_KEPT = 50
"""Instructions that can be tried again."""


@dataclass
class _Attempts:
    """What was tried for one instruction, in all its attempts."""

    tried: list[Tried] = field(default_factory=list)
    present: set[str] = field(default_factory=set)
    """Categories of what was seen."""


@dataclass(frozen=True)
class Again:
    """How to try again."""

    goals: tuple[Goal, ...]
    reading: Reading
    note: str
    """What is done otherwise, in a sentence."""


class Retrying:
    """Knows the attempts at the last instructions. Thread-safe."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._attempts: OrderedDict[str, _Attempts] = OrderedDict()
        self._lock = threading.Lock()

    def again(self, retry_of: str, goals: tuple[Goal, ...], world: World) -> Again | None:
        """Return how goals can be understood otherwise than in the attempts so far; None where they can't.

        Of an instruction that is not known (any more), the likeliest reading counts as tried.
        """
        with self._lock:
            attempts = self._attempts.get(retry_of) or _Attempts()
            present = attempts.present | self._possible(world)
            usual = usual_reading(goals, present, self._lexicon)
            reading = other_reading(goals, attempts.tried or [Tried(usual, usual)], present, self._lexicon)
        if reading is None:
            return None
        words = {ref.entity: ref.noun for goal in goals for ref in (goal.object, goal.destination) if ref is not None}
        other = [(words[e], category) for e, category in reading.items() if category != usual[e]]
        note = ", ".join(f"{noun!r} for a {split_camel(category)}" for noun, category in other)
        return Again(read_as(goals, reading), reading, f"This time I took {note}." if note else "")

    def keep(
        self,
        instruction_id: str,
        retry_of: str,
        goals: tuple[Goal, ...],
        reading: Reading,
        meant: Reading,
        world: World,
    ) -> None:
        """Note what an attempt took the words for. `reading`: what they were to mean, empty for the usual."""
        with self._lock:
            attempts = self._attempts.pop(retry_of, None) or _Attempts()
            attempts.present |= {belief.node.category for belief in world}
            usual = usual_reading(goals, attempts.present | self._possible(world), self._lexicon)
            attempts.tried.append(Tried({**usual, **reading}, meant))
            self._attempts[instruction_id] = attempts
            while len(self._attempts) > _KEPT:
                self._attempts.popitem(last=False)

    def _possible(self, world: World) -> set[str]:
        """Return the categories of what was seen and of what there may be in the kinds of room that are known."""
        seen = {belief.node.category for belief in world}
        rooms = {room.category for room in world.rooms.values()}
        if not rooms:  # judged by what is in it
            usual = Counter(room for category in seen for room in self._lexicon.kind(category).rooms[:1])
            rooms = {room for room, _ in usual.most_common(1)}
        return seen | {category for category, kind in self._lexicon.kinds.items() if rooms & set(kind.rooms)}
