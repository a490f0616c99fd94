# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which guidelines matter to a task: the best two by type of task and category of object (BrainMem, section 3.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from karma_language.told.habits.nouns import normal
from karma_language.vocabulary.terms import STOP_WORDS
from karma_memory.episodic.goals import GoalText, Thing, goals_in, without_goals
from karma_memory.guideline import Advice, Guideline
from karma_memory.recall.index import Match, Search
from karma_memory.recall.query import Query, Record, visible

TOP = 2
"""Guidelines for each goal, each word that stands with one, and the words of the instruction; as many insights."""
LEAST_CONFIDENCE = 1 / 3
"""Of a guideline that is advised: one that mostly failed is not."""
LEAST_SHARED = 0.5
"""Of what an instruction speaks of, in an insight that is told: one word in common says little."""
BY_KIND, BY_OTHER_KIND, BY_DESTINATION = 1.0, 0.8, 0.6
"""How much it matters that a guideline is about the kind of thing, another kind that is not ruled out, the kind of
destination."""
OTHER_TASK = 0.9
"""What a guideline from another type of task counts."""
ELSEWHERE = 0.9
"""What a word's meaning that was learned in another scene counts."""
RELEVANCE_SHARE = 0.8
"""Of the score; the rest is the utility."""


class Known(NamedTuple):
    """A guideline as a record, and what it says."""

    record: Record
    guideline: Guideline


def best_for(
    known: Sequence[tuple[Record, Guideline]], query: Query, search: Search, room_kinds: Collection[str]
) -> Iterator[Match]:
    """Yield the guidelines that matter to a query with goals ("place(Apple, Fridge, in)") or words only.

    `room_kinds`: of the query's scene, where they are known. Without a text: all that the user may know.
    """
    open_to = [
        Known(with_figures(record, guideline), guideline) for record, guideline in known if visible(record, query)
    ]
    if not query.text.strip():
        for record, guideline in open_to:
            yield Match(record, guideline.utility, f"utility {guideline.utility:.2f}")
        return
    sure = [item for item in open_to if item.guideline.confidence >= LEAST_CONFIDENCE or not item.guideline.uses]
    here = [_in_scene(item, query.scene) for item in sure if _holds(item.guideline, query.scene, room_kinds)]
    goals: list[GoalText] = goals_in(query.text)
    said = [_padded(without_goals(query.text))]
    said += [_padded(thing.noun) for goal in goals for thing in goal.things if thing.noun]
    if not goals:
        goals = [GoalText("", tuple(Thing("", (name,)) for name in sorted(search.categories)))]
    ratings = [{item.record.id: _by_word(item.guideline, text, query.scene) for item in here} for text in said]
    ratings += [{item.record.id: _by_goal(item.guideline, goal) for item in here} for goal in goals]
    asked = _content(said[0])
    ratings.append({item.record.id: _by_text(item.guideline, asked) for item in here})
    chosen: dict[str, Match] = {}
    for rating in ratings:
        for record, guideline in sorted(here, key=partial(_order, rating))[:TOP]:
            relevance = rating[record.id]
            score = RELEVANCE_SHARE * relevance + (1.0 - RELEVANCE_SHARE) * guideline.utility
            if relevance > 0.0 and (record.id not in chosen or chosen[record.id].named < score):
                why = f"relevance {relevance:.2f}, utility {guideline.utility:.2f}"
                chosen[record.id] = Match(record, score, why)
    yield from chosen.values()


def with_figures(record: Record, guideline: Guideline) -> Record:
    """Return the record of a guideline with all that it says."""
    return replace(record, guideline=guideline, confidence=guideline.confidence)


def _holds(guideline: Guideline, scene: str, room_kinds: Collection[str]) -> bool:
    """Whether a guideline may hold in a scene. What a word means is carried over to rooms of the same kind."""
    if guideline.advice is Advice.MEANING:
        return not guideline.room or not room_kinds or guideline.room in room_kinds
    return guideline.scene in ("", scene) or not scene


def _in_scene(item: Known, scene: str) -> Known:
    """Return a guideline as it holds in a scene: one that is carried over there is not limited to where it is from."""
    if not scene or item.guideline.scene in ("", scene):
        return item
    guideline = replace(item.guideline, scene="", utility=ELSEWHERE * item.guideline.utility)
    return Known(with_figures(item.record, guideline), guideline)


def _order(rating: Mapping[str, float], item: Known) -> tuple[float, float, str]:
    return -rating[item.record.id], -item.guideline.utility, item.record.id


def _by_word(guideline: Guideline, said: str, scene: str) -> float:
    if guideline.advice is not Advice.MEANING or _padded(guideline.word) not in said:
        return 0.0
    return BY_KIND if guideline.scene == scene else ELSEWHERE


def _by_text(guideline: Guideline, said: frozenset[str]) -> float:
    """Return how much of what an instruction speaks of an insight speaks of, too; 0 where it is too little."""
    if guideline.advice is not Advice.INSIGHT or not said:
        return 0.0
    shared = len(said & _content(_padded(guideline.text))) / len(said)
    return shared if shared >= LEAST_SHARED else 0.0


def _padded(text: str) -> str:
    return f" {' '.join(normal(text))} "


def _content(text: str) -> frozenset[str]:
    return frozenset(text.split()) - STOP_WORDS


def _by_goal(guideline: Guideline, goal: GoalText) -> float:
    """Return how much a guideline matters to a goal, or to a call of a skill that is written as one."""
    if guideline.advice in (Advice.MEANING, Advice.INSIGHT):
        return 0.0
    same_task = goal.predicate in guideline.task_types or goal.predicate == guideline.skill
    possible = {name for thing in goal.things for name in thing.categories}
    anywhere = guideline.advice is Advice.AVOID and len(goal.things) == 1  # it is left open where to
    if guideline.category in goal.categories and (anywhere or guideline.receptacle in ("", *goal.categories)):
        relevance = BY_KIND
    elif guideline.category in possible and guideline.receptacle in ("", *possible):
        relevance = BY_OTHER_KIND
    elif possible & {guideline.category, guideline.receptacle}:
        relevance = BY_DESTINATION
    else:
        relevance = 0.0
    return relevance * (1.0 if same_task or not goal.predicate else OTHER_TASK)
