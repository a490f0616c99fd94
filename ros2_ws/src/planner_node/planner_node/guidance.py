# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Guidelines applied (BrainMem, sections 3.2.3 and 3.3): what words mean, what to do first, what to avoid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.memory import GUIDELINE, Advice, Guideline, Recollection
from planner_node.plan.repairs import REPAIRABLE, empties_hand, fits, repairs
from planner_node.skills import Node, Outcome, SkillCall, SkillTable, Target
from planner_node.understand.goals import Goal, ObjectRef, Predicate, placed, with_refs
from planner_node.world import World

_SURE = 0.5
"""Confidence from which a guideline is followed: it did well at least as often as not."""

MOST_TRIES = 6
"""Calls that are tried out in one instruction."""


class Guidance:
    """The guidelines that concern one instruction. What is followed is noted in `used`."""

    def __init__(
        self,
        recollections: Iterable[Recollection] = (),
        ask: Callable[[str], Iterable[Recollection]] = lambda query: (),
    ) -> None:
        """Keep the guidelines among the recollections that are worth following.

        `ask`: what was learned of a call that no goal speaks of, "OpenObject(Safe)".
        """
        self._known: list[tuple[Recollection, Guideline]] = []
        self._ask = ask
        self._asked: set[str] = set()
        self._repairs: Callable[[Outcome], Iterator[SkillCall]] = lambda failed: iter(())
        self._failed: SkillCall | None = None
        """What failed the last time, where what may put it right may be tried out."""
        self.tried: set[SkillCall] = set()
        """Calls that are not to be tried out any more."""
        self.put_right: set[tuple[str, str]] = set()
        """Skills, with the kinds of thing, of which it was tried out what puts them right."""
        self._tries = 0
        self.used: dict[str, Recollection] = {}
        """What was followed, by id."""
        self.notes: list[str] = []
        """What was followed, in sentences."""
        self._learn(recollections)

    def _learn(self, recollections: Iterable[Recollection]) -> None:
        """Add what is worth following; the most useful comes first."""
        known = {recollection.id for recollection, _ in self._known}
        for one in recollections:
            if one.kind == GUIDELINE and one.guideline is not None and one.id not in known:
                self._known += [(one, one.guideline)] if one.guideline.confidence >= _SURE else []
        self._known.sort(key=lambda item: (not item[1].room, -item[1].confidence, -item[1].utility))

    def read(self, goals: Sequence[Goal], rooms: Collection[str] = ()) -> tuple[Goal, ...]:
        """Return the goals with the nouns taken for what they were found to mean in such rooms.

        `rooms`: the kinds of room that there are, empty where that is not known.
        """

        def read(ref: ObjectRef | None) -> ObjectRef | None:
            return None if ref is None else self._read(replace(ref, place=read(ref.place)), rooms)

        return tuple(with_refs(goal, read) for goal in goals)

    def before(self, call: SkillCall, table: SkillTable, world: World, lexicon: Lexicon) -> Iterator[SkillCall]:
        """Yield what is to be done before a skill is called, as far as it is not so already.

        What is done to another kind of thing is done to the nearest that is known, or has no id where none is.
        """
        category = call.subject.category
        query = f"{call.skill}({category})"
        if category and query not in self._asked:
            self._asked.add(query)
            self._learn(self._ask(query))
        for recollection, known in self._of(Advice.BEFORE):
            if (known.skill, known.category) != (call.skill, category):
                continue
            skills = [table[step.skill] for step in known.steps if step.skill in table and call.skill in table]
            if any(empties_hand(skill, table[call.skill]) for skill in skills):
                continue
            for step in known.steps:
                filled = _filled(step, call.subject, table, world, lexicon)
                if filled is not None:
                    self._follow(recollection, known)
                    yield filled

    def standing(self, goal: Goal | None, node: Node) -> tuple[int, str]:
        """Return how a thing did for such a goal, and the id of what says so: -1 well, 1 badly, 0 nobody knows.

        Badly did a kind of place that did not take such a thing, and a thing or place with which a skill failed where
        another one, which did well, worked.
        """
        things, places = (_meant(goal.object), _meant(goal.destination)) if goal is not None else ((), ())
        for recollection, known in self._of(Advice.AVOID):
            if known.category not in things:
                continue
            of_kind = known.receptacle and node.category in places
            if node.id == known.object or (of_kind and node.category == known.receptacle):
                return 1, recollection.id
            if known.instead in (node.id, node.category if of_kind else ""):
                return -1, recollection.id
        return 0, ""

    def follow(self, recollection_id: str, *, in_vain: bool) -> None:
        """Note that a guideline made a difference; `in_vain`: that nothing else does, so that it can but be told."""
        for recollection, known in self._known:
            if recollection.id == recollection_id and in_vain and known.text not in self.notes:
                self.notes.append(known.text)
            elif recollection.id == recollection_id and not in_vain:
                self._follow(recollection, known)

    def places(self, goals: Sequence[Goal], lexicon: Lexicon) -> tuple[Goal, ...]:
        """Return the goals with a place where it was left open: one that took such a thing where another did not."""
        found: list[Goal] = []
        for goal in goals:
            if goal.predicate is Predicate.PLACE and goal.destination is None:
                for recollection, known in self._of(Advice.AVOID):
                    if known.receptacle and known.instead in lexicon.kinds and known.category in _meant(goal.object):
                        self._follow(recollection, known)
                        place = ObjectRef((known.instead,), lexicon.kind(known.instead).noun)
                        goal = placed(goal, place, [*goals, *found], lexicon.kind(known.instead).relation)
                        break
            found.append(goal)
        return tuple(found)

    def try_out(self, failed: Outcome, table: SkillTable, world: World, lexicon: Lexicon) -> None:
        """Allow to try out what may put right a skill that failed, should it fail with such a thing again.

        Everything is tried once, and what is likeliest as things stand then.
        """

        def like(outcome: Outcome) -> Iterator[SkillCall]:
            while self.is_to_put_right(outcome) and self._tries < MOST_TRIES:
                left = (call for call in repairs(outcome, table, world, lexicon) if call not in self.tried)
                call = next(left, None)
                if call is None:
                    return
                self._tries += 1
                self.tried.add(call)
                yield call

        self._repairs, self._failed = like, failed.call

    def is_to_put_right(self, failed: Outcome) -> bool:
        """Whether a skill failed as the last time, and what may put it right may be tried out."""
        before, now = self._failed, failed.call
        same = before is not None and (before.skill, before.subject.category) == (now.skill, now.subject.category)
        return same and failed.code in REPAIRABLE

    def repairs(self, failed: Outcome) -> Iterator[SkillCall]:
        """Yield what may be tried before a call that failed is called again."""
        return self._repairs(failed)

    def _of(self, advice: Advice) -> Iterator[tuple[Recollection, Guideline]]:
        return ((recollection, known) for recollection, known in self._known if known.advice is advice)

    def _read(self, ref: ObjectRef, rooms: Collection[str]) -> ObjectRef:
        """Return a reference with what its noun was found to mean first.

        What names one thing, or says where it is, stays as it is.
        """
        if ref.id or ref.place is not None or not ref.categories:
            return ref
        for recollection, known in self._of(Advice.MEANING):
            elsewhere = known.room and rooms and known.room not in rooms
            if known.word != ref.noun or elsewhere:
                continue
            if known.category == ref.categories[0] and len(ref.categories) == 1:
                return ref
            self._follow(recollection, known)
            rest = tuple(c for c in ref.categories if c != known.category)
            return replace(ref, categories=(known.category,), loosely=(*rest, *ref.loosely))
        return ref

    def _follow(self, recollection: Recollection, known: Guideline) -> None:
        if recollection.id not in self.used:
            self.used[recollection.id] = recollection
            self.notes.append(known.text or recollection.text)


def _meant(ref: ObjectRef | None) -> tuple[str, ...]:
    return (*ref.categories, *ref.loosely) if ref is not None else ()


def _filled(step: SkillCall, subject: Target, table: SkillTable, world: World, lexicon: Lexicon) -> SkillCall | None:
    """Return a step of a guideline for a thing, None where that is so already or can't be done.

    A step that names nothing is about the thing itself; one that names a kind is about another thing.
    """
    if step.skill not in table:
        return None
    if not step.subject:
        return replace(step, target=subject) if fits(table[step.skill], subject, world, lexicon) else None
    if step.receptacle:
        held = world.get(world.held)
        return step if held is not None and held.node.category == step.target.category else None
    others = [b for b in world.of([step.target.category]) if b.id != subject.id]
    suited = [b for b in others if fits(table[step.skill], Target(b.id, b.node.category), world, lexicon)]
    if others and not suited:
        return None
    nearest = min(suited, key=lambda b: world.distance(b.node), default=None)
    return replace(step, target=Target(nearest.id, nearest.node.category)) if nearest is not None else step
