# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which guidelines matter to a task: the best two by type of task and category of object (BrainMem, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from karma_memory.episodic.goals import GoalText, goals_in, words_in
from karma_memory.guidelines.guideline import Advice, Guideline
from karma_memory.recall.index import Match, Search
from karma_memory.recall.lexical import words
from karma_memory.recall.query import Query, Record, visible
from karma_memory.recall.vocabulary import singular

TOP = 2
"""Guidelines for each goal, and for each noun."""
LEAST_CONFIDENCE = 1 / 3
"""Of a guideline that is advised: one that mostly failed is not."""
BY_KIND, BY_DESTINATION, BY_TASK = 1.0, 0.6, 0.3
"""How much it matters that a guideline is about the kind of thing, the kind of destination, the type of task."""
ELSEWHERE = 0.9
"""What a word's meaning that was learned in another scene counts."""
RELEVANCE_SHARE = 0.8
"""Of the score; the rest is the utility."""


def best_for(known: Sequence[tuple[Record, Guideline]], query: Query, search: Search) -> Iterator[Match]:
    """Yield the guidelines that matter to a query with goals ("place(Apple, Fridge, in)") or words only.

    Without a text: all that the user may know.
    """
    open_to = [
        (replace(record, guideline=guideline, confidence=guideline.confidence), guideline)
        for record, guideline in known
        if visible(record, query)
    ]
    if not query.text.strip():
        yield from (
            Match(record, guideline.utility, f"utility {guideline.utility:.2f}") for record, guideline in open_to
        )
        return
    sure = [item for item in open_to if item[1].confidence >= LEAST_CONFIDENCE and _here(item[1], query)]
    goals: list[GoalText] = goals_in(query.text) or [GoalText("", tuple(sorted(search.categories)))]
    nouns = list(words_in(goals)) or [query.text]
    ratings = [{record.id: _by_word(guideline, _plain(noun)) for record, guideline in sure} for noun in nouns]
    ratings += [{record.id: _by_goal(guideline, goal) for record, guideline in sure} for goal in goals]
    chosen: dict[str, Match] = {}
    for rating in ratings:
        ranked = sorted(sure, key=partial(_order, rating))
        for record, guideline in ranked[:TOP]:
            relevance = rating[record.id] * (ELSEWHERE if guideline.scene not in ("", query.scene) else 1.0)
            score = RELEVANCE_SHARE * relevance + (1.0 - RELEVANCE_SHARE) * guideline.utility
            if relevance > 0.0 and (record.id not in chosen or chosen[record.id].named < score):
                why = f"relevance {relevance:.2f}, utility {guideline.utility:.2f}"
                chosen[record.id] = Match(record, score, why)
    yield from chosen.values()


def _order(rating: dict[str, float], item: tuple[Record, Guideline]) -> tuple[float, float, str]:
    record, guideline = item
    return -rating[record.id], -guideline.utility, record.id


def _here(guideline: Guideline, query: Query) -> bool:
    """Whether a guideline holds in the scene of a query; what a word means is carried over, with its scene said."""
    return guideline.advice is Advice.MEANING or guideline.scene in ("", query.scene) or not query.scene


def _by_word(guideline: Guideline, said: str) -> float:
    if guideline.advice is not Advice.MEANING:
        return 0.0
    return BY_KIND if f" {_plain(guideline.word)} " in f" {said} " else 0.0


def _plain(text: str) -> str:
    return " ".join(singular(word) for word in words(text))


def _by_goal(guideline: Guideline, goal: GoalText) -> float:
    """Return how much a guideline matters to a goal, or to a call of a skill that is written as one."""
    same_task = goal.predicate in guideline.task_types or goal.predicate == guideline.skill
    if guideline.advice is Advice.INSIGHT:
        return BY_TASK if same_task else 0.0
    if guideline.advice is Advice.MEANING:
        return 0.0
    if guideline.category in goal.categories:
        both = not guideline.receptacle or guideline.receptacle in goal.categories
        relevance = BY_KIND if both else BY_DESTINATION
    else:
        relevance = BY_DESTINATION if guideline.receptacle in goal.categories and guideline.receptacle else 0.0
    return relevance * (1.0 if same_task or not goal.predicate else 0.9)
