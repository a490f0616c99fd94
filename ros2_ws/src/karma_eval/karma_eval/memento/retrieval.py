# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's retrieval (appendix E.3): whether what tells the meaning of an instruction is among the first k episodes.

Keys are the acquisition instructions of the scene, queries the utilization instructions. Nothing is fitted: the weights
of the retriever are round numbers, and `sensitivity` shows what half and twice of each find.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karma_eval.memento.task_data import Episode, Memento
from karma_eval.memento.variants import joined_text
from karma_language.told.habits.nouns import LONGEST_NAME, synonyms
from karma_memory.profile.retrieval import EpisodeRetriever, PastEpisode, Weights
from karma_memory.recall.embedder import Embedder

TOP = (1, 3, 5)
USER = "resident"
SEED = 0
FACTORS = (0.5, 1.0, 2.0)
"""Of each weight, in the study of sensitivity."""
TRIPLES = 40
"""Instructions joined of three (appendix E.4.1) that are made for each scene."""


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


def triples(data: Memento) -> list[Question]:
    """Join three instructions of one scene, which need three different memories (appendix E.4.1)."""
    draw = random.Random(SEED)  # noqa: S311 - a sample, no secret
    found = []
    for scene in sorted(data.rooms):
        of_scene = [q for q in questions(data.stages["single"]) if q.scene == scene]
        for _ in range(TRIPLES if len(of_scene) > 3 else 0):
            three = draw.sample(of_scene, 3)
            text = joined_text([question.text for question in three], draw)
            found.append(Question(text, scene, tuple(g for q in three for g in q.gold), "three memories"))
    return found


def in_other_words(question: Question) -> Question:
    """Give every thing and place of a question another name that means the same, where there is one."""
    draw = random.Random(SEED)  # noqa: S311 - as above
    words, at, said = question.text.split(), 0, []
    while at < len(words):
        for length in range(min(LONGEST_NAME, len(words) - at), 0, -1):
            name = " ".join(words[at : at + length])
            others = synonyms(name.rstrip(".,?!'s"))
            if others:
                end = name[len(name.rstrip(".,?!")) :]
                said.append(draw.choice(others) + end)
                at += length
                break
        else:
            said.append(words[at])
            at += 1
    return Question(" ".join(said), question.scene, question.gold, question.kind)


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


def by_kind(answers: Sequence[Answer]) -> dict[str, dict[str, Any]]:
    """Return the figures for each kind of knowledge."""
    kinds = sorted({answer.question.kind for answer in answers})
    return {kind: figures([a for a in answers if a.question.kind == kind]) for kind in kinds}


def by_scene(answers: Sequence[Answer]) -> dict[str, dict[str, Any]]:
    """Return the figures for each scene."""
    scenes = sorted({answer.question.scene for answer in answers})
    return {scene: figures([a for a in answers if a.question.scene == scene]) for scene in scenes}


SIGNALS: Mapping[str, Weights] = {
    "whole texts (the paper's baseline)": Weights(words=0.0, kind=0.0),
    "words": Weights(whole=0.0, kind=0.0),
    "words + whole texts": Weights(kind=0.0),
    "words + whole texts + kind": Weights(),
}
"""What each signal adds."""


def sensitivity() -> dict[str, Weights]:
    """Return the weights that are tried around the default: half and twice of each of them."""
    base = Weights()
    return {
        f"words ×{words:g}, whole ×{whole:g}, kind ×{kind:g}": Weights(
            base.words * words, base.whole * whole, base.kind * kind
        )
        for words in FACTORS
        for whole in FACTORS
        for kind in FACTORS
    }


def study(
    data: Memento,
    embedder: Embedder | None,
    choices: Mapping[str, Weights],
    tick: Callable[[], object] = lambda: None,
) -> dict[str, list[Answer]]:
    """Ask all single-memory questions with each choice of weights."""
    asked = questions(data.stages["single"])
    return {name: ask(data, asked, embedder, weights, tick) for name, weights in choices.items()}


def held_out(answers: Mapping[str, Sequence[Answer]]) -> dict[str, Any]:
    """Return the figures when each scene gets the weights that were best on all other scenes (cross-validation)."""
    first = next(iter(answers.values()))
    chosen: list[Answer] = []
    for scene in sorted({answer.question.scene for answer in first}):

        def loss(name: str, scene: str = scene) -> list[float]:
            others = [a for a in answers[name] if a.question.scene != scene]
            return [figures(others)["missing_at"][str(k)] for k in reversed(TOP)]

        best = min(answers, key=loss)
        chosen += [a for a in answers[best] if a.question.scene == scene]
    return figures(chosen)
