# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Understanding by cases: what a past instruction meant that succeeded, adapted to one that is not understood.

Case-based reasoning (Aamodt and Plaza 1994): retrieve (the memory's attempts at similar tasks), reuse (the frame of the
words is the same; their nouns are exchanged), revise (what makes no sense is refused; where cases differ, a person is
asked), retain (every episode is remembered anyway). What comes from memory is data: it adds nothing but goals over the
vocabulary that is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from karma_language.dialogue.utterances import needs_context, without_fillers, words_of
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.zone import local_time
from planner_node.memory import Recollection, Task
from planner_node.skills import Code
from planner_node.understand.goals import (
    Goal,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Understanding,
    Understood,
    goal_text,
    with_refs,
)
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.possible_goals import complaint

LEAST = 0.75
"""Likeness of the frames of two instructions, 0..1, from which on one is a case for the other."""
_AS_GOOD = 0.05
"""Difference in likeness that says nothing."""
_LONGEST = 300
"""Characters of an instruction that cases are sought for."""
_FAILED = frozenset({Code.NOT_UNDERSTOOD, Code.UNAVAILABLE, Code.TIMEOUT})
"""Why an instruction was not understood, where a case may help: its words, or no answer of a language model."""
_GOAL = re.compile(r"(?P<predicate>[a-z_]{1,20})\((?P<inside>[^()]{0,400})\)")
_MEANING = re.compile(r"=[^,()]*")
"""What a noun was taken for, as goal_text writes it."""
_CALENDAR = 1e9
"""Seconds; the clock of a robot that shows less does not tell the day."""
_SLOT = "_"
_MOST_GOALS = 3
"""Goals of an instruction whose doubtful words are taken as before. So many that differ in one thing are never as alike
as the memory asks of an attempt in another scene: what is recalled by them took place in this one."""


@dataclass(frozen=True)
class Found:
    """What cases make of an instruction."""

    understanding: Understanding
    used: tuple[Recollection, ...] = ()


@dataclass(frozen=True)
class Taken:
    """Goals with what was left open taken as before."""

    goals: tuple[Goal, ...]
    notes: tuple[str, ...] = ()
    used: tuple[Recollection, ...] = ()


@dataclass(frozen=True)
class _Frame:
    """An instruction with a slot for each noun."""

    words: tuple[str, ...]
    nouns: tuple[str, ...]

    @property
    def begins(self) -> str:
        """The first word: what is to be done."""
        return self.words[0] if self.words else ""


@dataclass(frozen=True)
class _Adapted:
    goals: tuple[Goal, ...]
    likeness: float
    case: Recollection


class Cases:
    """Understands instructions as past ones were."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._rules = OfflineUnderstanding(lexicon)
        """Reads a past instruction again, for what the memory does not keep of its goals."""

    def consider(self, text: str, understood: Understanding, recollections: Iterable[Recollection]) -> Found:
        """Return what is understood in the light of past attempts.

        They count where `text` was not understood, and where it was understood as something else to be done than the
        last time that the very same words led to success.
        """
        lost = isinstance(understood, NotUnderstood) and understood.code in _FAILED
        if len(text) > _LONGEST or not (lost or isinstance(understood, Understood)):
            return Found(understood)
        cases = [r for r in recollections if r.task is not None and r.task.succeeded and r.task.goals]
        if isinstance(understood, Understood):
            return self._same_words(text, understood, cases)
        assert isinstance(understood, NotUnderstood)
        adapted = sorted(self._adapted(text, cases), key=lambda found: (-found.likeness, -found.case.valid_from))
        best = [found for found in adapted if found.likeness >= adapted[0].likeness - _AS_GOOD]
        if not best:
            return Found(understood)
        if len({_texts(found.goals) for found in best}) > 1:
            return Found(NotUnderstood(understood.code, f"{understood.message} {_unsure(best)}"))
        return Found(Understood(best[0].goals, (_as_then(best[0].case),)), (best[0].case,))

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

    def _same_words(self, text: str, understood: Understood, cases: Sequence[Recollection]) -> Found:
        """Return what the same words meant the last time, where something else was done then and that was right."""
        said = words_of(text)
        same = [r for r in cases if r.task is not None and words_of(r.task.instruction) == said]
        if not same:
            return Found(understood)
        last = max(same, key=lambda r: r.valid_from)
        goals = self.goals_of(last.task) if last.task is not None else ()
        if not goals or [g.predicate for g in goals] == [g.predicate for g in understood.goals]:
            return Found(understood)
        if any(complaint(goal, self._lexicon) for goal in goals):
            return Found(understood)
        return Found(Understood(goals, (_as_then(last),)), (last,))

    def _adapted(self, text: str, cases: Sequence[Recollection]) -> Iterable[_Adapted]:
        """Yield what each case that is like enough would mean for a text."""
        frame = self._frame(text)
        for case in cases:
            assert case.task is not None
            other = self._frame(case.task.instruction)
            if frame.begins != other.begins or len(frame.nouns) != len(other.nouns):
                continue
            likeness = SequenceMatcher(None, frame.words, other.words, autojunk=False).ratio()
            if likeness < LEAST:
                continue
            exchanged = {old: new for old, new in zip(other.nouns, frame.nouns, strict=True) if old != new}
            goals = tuple(self._exchanged(goal, exchanged) for goal in self.goals_of(case.task))
            if goals and not any(complaint(goal, self._lexicon) for goal in goals):
                yield _Adapted(goals, likeness, case)

    def goals_of(self, task: Task, *, referring: bool = False) -> tuple[Goal, ...]:
        """Return the goals of a past instruction: as its words are read now, if that is what they meant then.

        Else as the memory has them, unless the words told of states or quantities, which it does not keep, or spoke of
        something said before. `referring`: these, too, for what refers to them.
        """
        again = self._rules.understand(task.instruction)
        if isinstance(again, Understood) and self._are(again.goals, task.goals):
            return again.goals
        states = {word for key in self._lexicon.states for word in key}
        unkept = needs_context(task.instruction) or not states.isdisjoint(words_of(task.instruction))
        if unkept and not referring:
            return ()
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

    def _exchanged(self, goal: Goal, nouns: dict[str, str]) -> Goal:
        """Return a goal with its nouns exchanged."""

        def other(ref: ObjectRef | None) -> ObjectRef | None:
            if ref is None:
                return None
            old = ref.noun if ref.noun in nouns else self._old(ref, nouns)
            if not old:
                return replace(ref, place=other(ref.place))
            noun = self._lexicon.noun(nouns[old])
            assert noun is not None
            return replace(
                ref, categories=noun.categories, loosely=noun.loosely, noun=nouns[old], place=other(ref.place)
            )

        return with_refs(goal, other)

    def _old(self, ref: ObjectRef, nouns: dict[str, str]) -> str:
        """Return under what noun of the past instruction a thing was spoken of, where it is exchanged."""
        for old in nouns:
            known = self._lexicon.noun(old)
            if known is not None and set(known.categories) & set(ref.categories):
                return old
        return ""

    def _frame(self, text: str) -> _Frame:
        words = without_fillers(text)
        frame: list[str] = []
        nouns: list[str] = []
        while words:
            length, noun = self._lexicon.noun_beginning(words)
            if noun is not None:
                nouns.append(" ".join(words[:length]))
            frame.append(_SLOT if noun is not None else words[0])
            del words[:length]
        return _Frame(tuple(frame), tuple(nouns))


def _with_same(goal: Goal, new: ObjectRef) -> Goal:
    """Return a goal with a new reference in place of that to the same thing."""

    def same(ref: ObjectRef | None) -> ObjectRef | None:
        if ref is None or not ref.entity or ref.entity != new.entity:
            return ref
        return replace(ref, categories=new.categories, loosely=new.loosely)

    return with_refs(goal, same)


def _texts(goals: Iterable[Goal]) -> tuple[str, ...]:
    return tuple(map(str, goals))


def _as_then(case: Recollection) -> str:
    assert case.task is not None
    return f"I did as {_when(case)}, when you asked: “{_quoted(case)}”."


def _unsure(cases: Sequence[_Adapted]) -> str:
    asked = dict.fromkeys(f"“{_quoted(found.case)}”" for found in cases)
    return f"I am not sure whether it is like {' or like '.join(list(asked)[:3])}."


def _quoted(case: Recollection) -> str:
    assert case.task is not None
    text = " ".join(case.task.instruction.split())
    return text if len(text) <= 80 else text[:79] + "…"


def _when(case: Recollection) -> str:
    if case.valid_from < _CALENDAR:
        return "before"
    day = local_time(case.valid_from)
    return f"on {day.day} {day:%B %Y}"
