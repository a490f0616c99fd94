# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's retrieval (appendix E.3): whether what tells the meaning of an instruction is among the first k episodes.

Keys are the acquisition instructions of the scene, queries the utilization instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karma_eval.memento.task_data import USER, Episode, Memento
from karma_memory.profile.retrieval import EpisodeRetriever, PastEpisode, Weights
from karma_memory.recall.embedder import Embedder

TOP = (1, 3, 5)


@dataclass(frozen=True)
class Question:
    """An instruction, and the episodes that it needs."""

    text: str
    scene: str
    gold: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Answer:
    """What was retrieved for a question."""

    question: Question
    found: tuple[str, ...]
    """Episodes, best first."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """Rank of each gold episode, from 1; one more than the number of found ones where it is not among them."""
        return tuple(
            self.found.index(gold) + 1 if gold in self.found else len(self.found) + 1 for gold in self.question.gold
        )


def questions(episodes: Sequence[Episode]) -> list[Question]:
    """Return the questions of a utilization stage."""
    return [Question(e.instruction.text, e.instruction.scene, e.truth.gold, e.truth.kind) for e in episodes]


def ask(
    data: Memento,
    asked: Sequence[Question],
    embedder: Embedder | None,
    weights: Weights | None = None,
    tick: Callable[[], object] = lambda: None,
) -> list[Answer]:
    """Retrieve for every question within its scene."""
    retriever = EpisodeRetriever(embedder, weights)
    for episode in data.stages["acquisition"]:
        told = episode.instruction
        retriever.add(PastEpisode(told.episode, told.text, USER, told.scene))
    answers = []
    for question in asked:
        found = retriever.retrieve(question.text, user=USER, scene=question.scene, limit=max(TOP))
        answers.append(Answer(question, tuple(one.episode.id for one in found)))
        tick()
    return answers


def figures(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return how many questions there are and the share of their gold episodes missing from the top k, percent."""
    ranks = [rank for answer in answers for rank in answer.ranks]
    missing = {str(k): round(100.0 * sum(rank > k for rank in ranks) / max(1, len(ranks)), 2) for k in TOP}
    return {"n": len(answers), "missing_at": missing}


def by(answers: Sequence[Answer], sort: Callable[[Question], str]) -> dict[str, dict[str, Any]]:
    """Return the figures for each sort of questions."""
    sorts = sorted({sort(answer.question) for answer in answers})
    return {name: figures([a for a in answers if sort(a.question) == name]) for name in sorts}


SIGNALS: Mapping[str, Weights] = {
    "whole texts (the paper's baseline)": Weights(words=0.0, kind=0.0),
    "words": Weights(whole=0.0, kind=0.0),
    "words + whole texts": Weights(kind=0.0),
    "words + whole texts + kind": Weights(),
}
"""What each signal adds."""


def study(data: Memento, embedder: Embedder | None, tick: Callable[[], object]) -> dict[str, list[Answer]]:
    """Ask all single-memory questions with each choice of `SIGNALS`."""
    asked = questions(data.stages["single"])
    return {name: ask(data, asked, embedder, weights, tick) for name, weights in SIGNALS.items()}
