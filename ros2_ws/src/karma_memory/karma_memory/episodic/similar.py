# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Past attempts for a task: Q = {room, task type, object} (BrainMem, section 3.3), as prompt text (appendix C.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from karma_language.vocabulary.terms import STOP_WORDS, words
from karma_memory.episodic.attempts import Attempt
from karma_memory.episodic.goals import categories, goals_in, task_types, without_goals
from karma_memory.recall.index import Match, Search
from karma_memory.recall.query import Handled, Query, Record, Task

KIND = "trajectory"
LEAST = 0.4
"""Likeness, 0..1, from which on an attempt is of use."""
EXACTNESS = 1e-9
"""What rounding may take from a likeness."""
ELSEWHERE = 0.5
"""What an attempt in another scene counts against one in this scene."""
GOALS, TYPES, THINGS = 0.4, 0.3, 0.3
"""Weights of equal goals, equal types of task, equal kinds of things."""
SAME_ROOM = 0.05
"""What taking place in the room that is asked for adds."""
WAYS = 2
"""Ways that worked that are told; BrainMem's top 2."""
LONGEST_WAY = 40
"""Steps of a way that are told."""


@dataclass(frozen=True)
class Wanted:
    """What a query speaks of."""

    goals: frozenset[tuple[str, ...]]
    types: frozenset[str]
    """Types of task."""
    things: frozenset[str]
    """Categories."""
    said: frozenset[str]
    """Words that tell something."""
    scene: str

    @classmethod
    def of(cls, query: Query, search: Search, scene: str) -> Wanted:
        """Return it; without goals in the text, the things are those that it names."""
        goals = goals_in(query.text)
        things = frozenset(categories(goals)) or search.categories
        return cls(
            frozenset(goal.key for goal in goals),
            frozenset(task_types(goals)),
            things,
            _content(without_goals(query.text)),
            scene,
        )

    def likeness(self, attempt: Attempt) -> float:
        """Return how alike a past task is, 0..1."""
        known = attempt.parsed
        if known and self.goals:
            alike = (
                GOALS * _jaccard(self.goals, attempt.keys)
                + TYPES * _jaccard(self.types, attempt.types)
                + THINGS * _jaccard(self.things, attempt.things)
            )
        else:
            words_alike = _jaccard(self.said, _content(attempt.instruction))  # may be the same said of other things
            alike = max(words_alike, (words_alike + _jaccard(self.things, attempt.things)) / 2.0)
        return alike if self.scene in ("", attempt.scene) else ELSEWHERE * alike


class Ranked(NamedTuple):
    """An attempt and how alike its task is."""

    likeness: float
    attempt: Attempt


def similar_attempts(
    attempts: Sequence[Attempt],
    query: Query,
    search: Search,
    scene: str,
) -> Iterator[Match]:
    """Yield the best ways that worked for tasks like the one that `query` speaks of.

    Without a text: the newest, whether they worked or not.
    """
    own = [attempt for attempt in attempts if attempt.way and _visible(attempt, query)]
    if not query.text.strip():
        for age, attempt in enumerate(reversed(own[-query.limit :])):
            text = _worked(attempt, 1) if attempt.succeeded else summary(attempt)
            yield Match(record_of(attempt, text), 1.0 / (2 + age), "newest")
        return
    wanted = Wanted.of(query, search, scene)
    found = (Ranked(wanted.likeness(attempt), attempt) for attempt in own if attempt.succeeded)
    ranked = [_in_room(item, query.room) for item in found if item.likeness >= LEAST - EXACTNESS]
    ranked.sort(key=lambda item: (-item.likeness, len(item.attempt.way), -item.attempt.start, item.attempt.id))
    ways: dict[tuple[str, ...], list[Ranked]] = {}
    for item in ranked:
        ways.setdefault(item.attempt.way, []).append(item)
    for best, *others in list(ways.values())[:WAYS]:
        record = record_of(best.attempt, _worked(best.attempt, 1 + len(others)))
        yield Match(record, best.likeness, f"task alike by {best.likeness:.2f}")


def record_of(attempt: Attempt, text: str) -> Record:
    """Return an attempt as a recollection."""
    return Record(
        id=f"{KIND}:{attempt.id}",
        kind=KIND,
        text=text,
        label=attempt.task,
        source=attempt.source,
        valid_from=attempt.start,
        user=attempt.user,
        scene=attempt.scene,
        handled=Handled("", tuple(step.action.call for step in attempt.straight[:LONGEST_WAY])),
        task=Task(attempt.instruction, attempt.meant or attempt.goals, attempt.succeeded is True),
    )


def summary(attempt: Attempt) -> str:
    """Return what an attempt did, on one line."""
    known = {True: "worked", False: "failed", None: "not finished"}[attempt.succeeded]
    return f"{attempt.task}, {known}: {_path_text(attempt) or 'nothing done'}"


def _visible(attempt: Attempt, query: Query) -> bool:
    """Whether a query may and does ask for an attempt; see recall.query.visible."""
    since, until = query.since or 0.0, math.inf if query.until is None else query.until
    return attempt.user == query.user and since <= attempt.start <= until and query.near is None


def _in_room(item: Ranked, room: str) -> Ranked:
    if not room:
        return item
    rooms = {name.casefold() for step in item.attempt.steps for name in (step.room, step.after.room)}
    return Ranked(item.likeness + SAME_ROOM, item.attempt) if room.casefold() in rooms else item


def _path_text(attempt: Attempt) -> str:
    return "; ".join(attempt.way[:LONGEST_WAY])


def _worked(attempt: Attempt, times: int) -> str:
    often = f", {times} times" if times > 1 else ""
    return f"Worked before{_place(attempt)}{often}, {attempt.task}: {_path_text(attempt)}"


def _place(attempt: Attempt) -> str:
    return f" ({attempt.room})" if attempt.room else ""


def _content(text: str) -> frozenset[str]:
    return frozenset(words(text)) - STOP_WORDS


def _jaccard(one: frozenset[object], other: frozenset[object]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
