# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Trying again what was not what the person wanted, otherwise than before (BrainMem's guided retry, section 3.2.3)."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from karma_language.answers.speech import a
from karma_language.vocabulary.lexicon import Lexicon, split_camel
from planner_node.instruction import Instruction
from planner_node.learn.remembering import Remembering
from planner_node.plan.repairs import about
from planner_node.run import Run
from planner_node.skills import Code, Outcome, SkillTable
from planner_node.understand.cases import Cases
from planner_node.understand.goals import Goal
from planner_node.understand.other_readings import Reading, Tried, numbered, other_reading, read_as, usual_reading
from planner_node.understand.possible_goals import complaint
from planner_node.world import World

_KEPT = 200
"""Instructions that can be tried again."""
_LONGEST_ID = 60
"""Characters of an unknown id that are told back."""


@dataclass
class _Attempts:
    """What was tried for one instruction, in all its attempts."""

    tried: list[Tried] = field(default_factory=list)
    understood: list[tuple[Goal, ...]] = field(default_factory=list)
    """What each of them was understood as."""
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
    """Knows the attempts at the last instructions since the start. Thread-safe."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._users: OrderedDict[str, str] = OrderedDict()
        """Who gave each of the last instructions."""
        self._attempts: dict[str, _Attempts] = {}
        """The attempts at one instruction, under the id of each of them."""
        self._lock = threading.RLock()

    def begin(self, instruction_id: str, instruction: Instruction) -> str:
        """Note who gives an instruction; return why it can't be tried again, "" where it can or is a new one."""
        earlier = instruction.retry_of
        with self._lock:
            if earlier and not self.gave(instruction.user, earlier):
                return f"I can't do that otherwise: {unknown(earlier)} Nothing was done."
            self._users[instruction_id] = instruction.user
            if earlier in self._attempts:
                self._attempts[instruction_id] = self._attempts[earlier]
            while len(self._users) > _KEPT:
                self._attempts.pop(self._users.popitem(last=False)[0], None)
        return ""

    def gave(self, user: str, instruction_id: str) -> bool:
        """Whether this user gave one of the last instructions: what another did is told to nobody."""
        with self._lock:
            return self._users.get(instruction_id) == user

    def again(self, retry_of: str, goals: tuple[Goal, ...], world: World) -> Again | None:
        """Return how goals can be understood otherwise than in the attempts so far; None where they can't.

        Of an instruction that was not carried out, the likeliest reading counts as tried.
        """
        with self._lock:
            known = self._attempts.get(retry_of)
            attempts = known or _Attempts()
            if known is not None and _texts(goals) not in map(_texts, known.understood):
                return Again(goals, {}, "This time I understood it otherwise.")
            failed = attempts.failed
            if (
                failed is not None
                and failed.code is not Code.NOT_FOUND
                and (what := about(failed)) not in attempts.repaired
            ):
                attempts.repaired.add(what)
                last = attempts.tried[-1].reading
                return Again(read_as(goals, last), last, "", failed)
            present = attempts.present | self._possible(world)
            usual = usual_reading(goals, present, self.lexicon)
            alike = [t for t, u in zip(attempts.tried, attempts.understood, strict=True) if _texts(u) == _texts(goals)]
            reading = other_reading(goals, alike or [Tried(usual, usual)], present, self.lexicon)
        if reading is None:
            return None
        words = {ref.entity: ref.noun for goal in goals for ref in goal.refs}
        other = [(words[e], category) for e, category in reading.items() if category != usual[e]]
        note = ", ".join(f"{noun!r} for {a(split_camel(category))}" for noun, category in other)
        return Again(read_as(goals, reading), reading, f"This time I took {note}." if note else "")

    def tried(self, retry_of: str) -> tuple[tuple[Goal, ...], ...] | None:
        """Return what an instruction was understood as in attempts that were wrong, oldest first.

        None where it is not to be understood otherwise: it is not tried again, or it is to be tried out what may help
        where a skill failed.
        """
        if not retry_of:
            return None
        with self._lock:
            attempts = self._attempts.get(retry_of) or _Attempts()
            if attempts.failed is not None and about(attempts.failed) not in attempts.repaired:
                return None
            return tuple({_texts(goals): goals for goals in attempts.understood}.values())

    def not_understood(self, instruction_id: str) -> None:
        """Note an attempt of which nothing was understood: whatever is understood the next time is new."""
        with self._lock:
            self._attempts.setdefault(instruction_id, _Attempts())

    def keep(
        self,
        instruction_id: str,
        goals: tuple[Goal, ...],
        reading: Reading,
        meant: Reading,
        world: World,
        failed: Outcome | None = None,
        put_right: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Note what an attempt took the words for, and the skill it failed by, if it did.

        `reading`: what the words were to mean, empty for the usual. `put_right`: see Guidance.
        """
        with self._lock:
            attempts = self._attempts.setdefault(instruction_id, _Attempts())
            attempts.present |= {belief.node.category for belief in world}
            usual = usual_reading(goals, attempts.present | self._possible(world), self.lexicon)
            attempts.failed = failed
            attempts.repaired.update(put_right)
            attempts.tried.append(Tried({**usual, **reading}, meant))
            attempts.understood.append(goals)

    def _possible(self, world: World) -> set[str]:
        """Return the categories of what was seen and of what there may be in the kinds of room that are known."""
        seen = {belief.node.category for belief in world}
        rooms = room_kinds(world, self.lexicon)
        return seen | {category for category, kind in self.lexicon.kinds.items() if rooms & set(kind.rooms)}


def unknown(instruction_id: str) -> str:
    """Say that a user gave no such instruction."""
    return (
        f"I know of no instruction {instruction_id[:_LONGEST_ID]} of yours. Give the instruction_id of its result, and "
        "the same user."
    )


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
        run.guidance.put_right.add(about(again.failed))
        run.guidance.try_out(again.failed, table, run.world, retrying.lexicon)
    return True


def _texts(goals: tuple[Goal, ...]) -> tuple[str, ...]:
    return tuple(map(str, goals))
