# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Trying again what was not what the person wanted, otherwise than before (BrainMem's guided retry, section 3.2.3)."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field

from planner_node.check import complaint
from planner_node.readings import Reading, Tried, numbered, other_reading, read_as, usual_reading
from planner_node.remembering import Remembering
from planner_node.running import Run
from planner_node.skills import Code, Outcome, SkillTable
from planner_node.understand.cases import Cases
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
    failed: Outcome | None = None
    """The skill that the last attempt failed by, where it did."""
    repaired: set[tuple[str, str]] = field(default_factory=set)
    """Skills, with the kinds of thing, of which it was tried out what puts them right."""


@dataclass(frozen=True)
class Again:
    """How to try again."""

    goals: tuple[Goal, ...]
    reading: Reading
    note: str
    """What is done otherwise, in a sentence."""
    failed: Outcome | None = None
    """A skill that failed; what may put it right is to be tried out."""


class Retrying:
    """Knows the attempts at the last instructions. Thread-safe."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._attempts: OrderedDict[str, _Attempts] = OrderedDict()
        self._lock = threading.Lock()

    def again(self, retry_of: str, goals: tuple[Goal, ...], world: World) -> Again | None:
        """Return how goals can be understood otherwise than in the attempts so far; None where they can't.

        Of an instruction that is not known (any more), the likeliest reading counts as tried.
        """
        with self._lock:
            attempts = self._attempts.get(retry_of) or _Attempts()
            failed = attempts.failed
            if (
                failed is not None
                and failed.code is not Code.NOT_FOUND
                and (what := _about(failed)) not in attempts.repaired
            ):
                attempts.repaired.add(what)
                last = attempts.tried[-1].reading
                return Again(read_as(goals, last), last, f"This time I tried what may help with {what[0]}.", failed)
            present = attempts.present | self._possible(world)
            usual = usual_reading(goals, present, self.lexicon)
            reading = other_reading(goals, attempts.tried or [Tried(usual, usual)], present, self.lexicon)
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
        failed: Outcome | None = None,
    ) -> None:
        """Note what an attempt took the words for, and the skill it failed by, if it did.

        `reading`: what the words were to mean, empty for the usual.
        """
        with self._lock:
            attempts = self._attempts.pop(retry_of, None) or _Attempts()
            attempts.present |= {belief.node.category for belief in world}
            usual = usual_reading(goals, attempts.present | self._possible(world), self.lexicon)
            attempts.failed = failed
            attempts.tried.append(Tried({**usual, **reading}, meant))
            self._attempts[instruction_id] = attempts
            while len(self._attempts) > _KEPT:
                self._attempts.popitem(last=False)

    def _possible(self, world: World) -> set[str]:
        """Return the categories of what was seen and of what there may be in the kinds of room that are known."""
        seen = {belief.node.category for belief in world}
        rooms = room_kinds(world, self.lexicon)
        return seen | {category for category, kind in self.lexicon.kinds.items() if rooms & set(kind.rooms)}


def room_kinds(world: World, lexicon: Lexicon) -> set[str]:
    """Return the kinds of room that are known, or else the one that what was seen looks like; empty for nothing."""
    rooms = {room.category for room in world.rooms.values()}
    if not rooms:
        usual = Counter(room for belief in world for room in lexicon.kind(belief.node.category).rooms[:1])
        rooms = {room for room, _ in usual.most_common(1)}
    return rooms


def guide(run: Run, retrying: Retrying, remembering: Remembering, cases: Cases, table: SkillTable) -> bool:
    """Take what was understood as guidelines and cases have it or, where it is tried again, otherwise than before.

    Return whether there is a way to take it.
    """
    run.understood = understood = run.goals = numbered(run.goals)
    run.guidance = remembering.guidance(run, understood)
    if not run.instruction.retry_of:
        read = run.guidance.read(understood, room_kinds(run.world, retrying.lexicon))
        pairs = zip(understood, read, strict=True)
        run.goals = tuple(old if complaint(new, retrying.lexicon) else new for old, new in pairs)
        taken = cases.doubtful(run.goals, remembering.cases(run, run.goals))
        run.goals = taken.goals
        run.notes += taken.notes
        run.ground({case.id: case for case in taken.used})
        return True
    again = retrying.again(run.instruction.retry_of, understood, run.world)
    if again is None:
        return False
    run.goals, run.reading = again.goals, again.reading
    run.notes += [again.note] if again.note else []
    if again.failed is not None:
        run.guidance.try_out(again.failed, table, run.world, retrying.lexicon)
    return True


def _about(failed: Outcome) -> tuple[str, str]:
    """Return a skill and the kind of thing that it failed with."""
    return failed.call.skill, failed.call.subject.category
