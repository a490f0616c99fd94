# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What past instructions that succeeded meant, and what they say of words that may mean several things now.

What comes from memory is data: it adds nothing but goals over the vocabulary that is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from karma_language.vocabulary.lexicon import Lexicon
from karma_language.zone import local_time
from planner_node.memory import Recollection, Task
from planner_node.understand.goals import Goal, ObjectRef, Predicate, Understood, goal_text, with_refs
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.possible_goals import complaint

_GOAL = re.compile(r"(?P<predicate>[a-z_]{1,20})\((?P<inside>[^()]{0,400})\)")
_MEANING = re.compile(r"=[^,()]*")
"""What a noun was taken for, as goal_text writes it."""
_CALENDAR = 1e9
"""Seconds; the clock of a robot that shows less does not tell the day."""
_MOST_GOALS = 3
"""Goals of an instruction whose doubtful words are taken as before. So many that differ in one thing are never as alike
as the memory asks of an attempt in another scene: what is recalled by them took place in this one."""


@dataclass(frozen=True)
class Taken:
    """Goals with what was left open taken as before."""

    goals: tuple[Goal, ...]
    notes: tuple[str, ...] = ()
    used: tuple[Recollection, ...] = ()


class Cases:
    """Reads what past instructions meant."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._rules = OfflineUnderstanding(lexicon)
        """Reads a past instruction again, for what the memory does not keep of its goals."""

    def doubtful(self, goals: Sequence[Goal], recollections: Iterable[Recollection]) -> Taken:
        """Return the goals with what their words leave open taken as in past attempts that were right.

        A past attempt counts where it asked for the same to be done with the same things but for one or more of which
        the words now may mean what they meant then: "the bottle", where the spray bottle went there before. Where past
        attempts differ, none counts.
        """
        found: dict[tuple[int, bool], dict[str, Recollection]] = {}
        for case in recollections:
            if case.task is None or not case.task.succeeded:
                continue
            for slot, category in self._open_in(goals, [self._goal(text, {}) for text in case.task.goals]).items():
                found.setdefault(slot, {}).setdefault(category, case)
        clear = {slot: next(iter(by.items())) for slot, by in found.items() if len(by) == 1}
        read = list(goals)
        notes: dict[str, Recollection] = {}
        for (number, place), (category, case) in clear.items():
            old = read[number]
            ref = old.destination if place else old.object
            assert ref is not None
            rest = tuple(c for c in (*ref.categories, *ref.loosely) if c != category)
            new = replace(ref, categories=(category,), loosely=rest)
            goal = replace(old, destination=new) if place else replace(old, object=new)
            if category == ref.categories[0] or complaint(goal, self._lexicon):
                continue
            read = [_with_same(each, new) for each in (*read[:number], goal, *read[number + 1 :])]
            notes[f"I took {ref.noun!r} for the {self._lexicon.kind(category).noun}: {_as_then(case)}"] = case
        return Taken(tuple(read), tuple(notes), tuple(notes.values()))

    def _open_in(self, goals: Sequence[Goal], past: Sequence[Goal | None]) -> dict[tuple[int, bool], str]:
        """Return what references were taken for in a past attempt; empty where that was another task.

        A reference: the number of its goal, and whether it is the destination.
        """
        if [g.predicate for g in goals] != [g.predicate for g in past if g is not None] or len(past) > _MOST_GOALS:
            return {}
        taken: dict[tuple[int, bool], str] = {}
        same = 0
        for number, (goal, then) in enumerate(zip(goals, past, strict=True)):
            assert then is not None
            for place, ref, old in ((False, goal.object, then.object), (True, goal.destination, then.destination)):
                if ref is None or old is None or ref.id or not ref.categories or not old.categories:
                    if (ref is None) is not (old is None):
                        return {}
                elif old.categories[0] not in (*ref.categories, *ref.loosely):
                    return {}
                else:
                    same += ref.categories[0] == old.categories[0]
                    taken[number, place] = old.categories[0]
        return taken if same else {}

    def goals_of(self, task: Task) -> tuple[Goal, ...]:
        """Return the goals of a past instruction: as its words are read now, if that is what they meant then.

        Else as the memory has them, without states and quantities, which it does not keep.
        """
        again = self._rules.understand(task.instruction)
        if isinstance(again, Understood) and self._are(again.goals, task.goals):
            return again.goals
        return self.written(task)

    def written(self, task: Task) -> tuple[Goal, ...]:
        """Return the goals of a past task as the memory has them; empty where one of them says nothing to us."""
        entities: dict[str, int] = {}
        goals = [self._goal(text, entities) for text in task.goals]
        return tuple(goal for goal in goals if goal is not None) if None not in goals else ()

    def _are(self, goals: Sequence[Goal], texts: Sequence[str]) -> bool:
        """Whether goals are those that were written, in any order, with what the words were taken for then."""
        read = sorted((_MEANING.sub("", goal_text(goal)), number) for number, goal in enumerate(goals))
        written = sorted((_MEANING.sub("", text), number) for number, text in enumerate(texts))
        if [text for text, _ in read] != [text for text, _ in written]:
            return False
        for (_, number), (_, other) in zip(read, written, strict=True):
            refs = [ref for ref in (goals[number].object, goals[number].destination) if ref and ref.categories]
            said = [set(meaning[1:].split("|")) for meaning in _MEANING.findall(texts[other])]
            if len(refs) != len(said) or any(
                not told & {*ref.categories, *ref.loosely} for ref, told in zip(refs, said, strict=True)
            ):
                return False
        return True

    def _goal(self, text: str, entities: dict[str, int]) -> Goal | None:
        """Return a goal that was written by goal_text, None for anything else. `entities`: noun → its number so far."""
        match = _GOAL.fullmatch(text)
        if match is None or match["predicate"] not in {p.value for p in Predicate} - {Predicate.FOLLOW.value}:
            return None
        parts = [part.strip() for part in match["inside"].split(",") if part.strip()]
        relation = parts.pop() if parts and parts[-1] in ("on", "in", "near") else ""
        refs = [self._reference(part, entities.setdefault(part, len(entities) + 1)) for part in parts]
        if len(refs) > 2 or None in refs:
            return None
        first, second = (*refs, None, None)[:2]
        return Goal(Predicate(match["predicate"]), first, second, relation)

    def _reference(self, text: str, entity: int) -> ObjectRef | None:
        """Return a thing of a goal, None for one that the vocabulary does not have."""
        noun, _, said = text.partition("=")
        known = self._lexicon.noun(noun)
        told = tuple(category for category in said.split("|") if category in self._lexicon.kinds)
        categories = told or (known.categories if known else ())
        if not categories:
            return None
        return ObjectRef(categories, noun if known else self._lexicon.kind(categories[0]).noun, entity=entity)


def _with_same(goal: Goal, new: ObjectRef) -> Goal:
    """Return a goal with a new reference in place of that to the same thing."""

    def same(ref: ObjectRef | None) -> ObjectRef | None:
        if ref is None or not ref.entity or ref.entity != new.entity:
            return ref
        return replace(ref, categories=new.categories, loosely=new.loosely)

    return with_refs(goal, same)


def _as_then(case: Recollection) -> str:
    assert case.task is not None
    return f"I did as {_when(case)}, when you asked: “{_quoted(case)}”."


def _quoted(case: Recollection) -> str:
    assert case.task is not None
    text = " ".join(case.task.instruction.split())
    return text if len(text) <= 80 else text[:79] + "…"


def _when(case: Recollection) -> str:
    if case.valid_from < _CALENDAR:
        return "before"
    day = local_time(case.valid_from)
    return f"on {day.day} {day:%B %Y}"
