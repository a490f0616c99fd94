# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which past episodes tell what an instruction means: retrieval within a scene (MEMENTO, appendices C.1 and E.3).

No language model. Three signals are added: how much of what the instruction says is said in the episode too, word by
word with words of like meaning, rare words counting more; how alike the two texts are as a whole; and whether both
speak of the same kind of personal knowledge.

An instruction that asks for several things needs an episode for each: its requests take turns in the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karma_memory.profile.likeness import Lexicon
from karma_memory.profile.wording import (
    KnowledgeType,
    asked_type,
    content_words,
    request_words,
    requests,
    told_type,
)
from karma_memory.recall.embedder import Embedder

LEAST_WEIGHT = 0.02
"""Of a word that every episode has."""
TOLD_WORD = 0.5
"""Likeness from which a word of the instruction counts as found, in the explanation."""

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """Of the three signals. Half or twice of each finds nearly the same (docs/personal.md)."""

    words: float = 1.0
    whole: float = 1.0
    kind: float = 0.1


@dataclass(frozen=True)
class PastEpisode:
    """An instruction that was carried out, as retrieval needs it."""

    id: str
    instruction: str
    user: str = ""
    scene: str = ""


@dataclass(frozen=True)
class RetrievedEpisode:
    """One past episode that may tell what an instruction means."""

    episode: PastEpisode
    score: float
    """0..1, for the part of the instruction that it serves best."""
    request: str
    """That part; the whole instruction when it asks for one thing."""
    why: tuple[str, ...] = ()


class EpisodeRetriever:
    """Past episodes by what they tell. Not thread-safe; the same episodes and question give the same answer."""

    def __init__(self, embedder: Embedder | None, weights: Weights | None = None) -> None:
        """`embedder`: of words and texts; None: by words of the same stem alone."""
        self._weights = weights or Weights()
        self._lexicon = Lexicon(embedder)
        self._episodes: dict[str, PastEpisode] = {}
        self._words: dict[str, NDArray[np.intp]] = {}
        """Episode id → numbers of its words."""

    def __len__(self) -> int:
        return len(self._episodes)

    def add(self, episode: PastEpisode) -> None:
        """Remember an episode; one of the same id is replaced."""
        self._episodes[episode.id] = episode
        self._words[episode.id] = self._lexicon.numbers(content_words(episode.instruction))

    def discard(self, episode_id: str) -> None:
        """Forget an episode, if it is known."""
        self._episodes.pop(episode_id, None)
        self._words.pop(episode_id, None)

    def retrieve(self, instruction: str, *, user: str = "", scene: str = "", limit: int = 5) -> list[RetrievedEpisode]:
        """Return the episodes of a user in a scene that tell most about an instruction, best first.

        Nothing of another user or another scene is ever among them.
        """
        found = [
            episode
            for episode in self._episodes.values()
            if episode.user == user and episode.scene == scene and len(self._words[episode.id])
        ]
        parts = requests(instruction) or (instruction,)
        if not found or not content_words(instruction):
            return []
        covers = [self._cover(part, found) for part in parts]
        scores = np.array([self._scores(part, found, cover) for part, cover in zip(parts, covers, strict=True)])
        order = combine(scores)
        return [self._explained(found[row], parts, covers, scores[:, row], row) for row in order[:limit]]

    def _cover(self, part: str, found: Sequence[PastEpisode]) -> _Cover:
        """Find the words of a request, and those like them, in every episode."""
        asked = request_words(part)
        columns = np.concatenate([self._words[episode.id] for episode in found])
        starts = np.cumsum([0, *(len(self._words[episode.id]) for episode in found[:-1])])
        vocabulary, places = np.unique(columns, return_inverse=True)
        alike = self._lexicon.likeness(asked, vocabulary)
        matched = np.maximum.reduceat(alike[:, places], starts, axis=1)
        rarity = np.log((len(found) + 1) / (matched.sum(axis=1) + 0.5))
        return _Cover(asked, matched, np.maximum(rarity, LEAST_WEIGHT))

    def _scores(self, part: str, found: Sequence[PastEpisode], cover: _Cover) -> Scores:
        """Return (len(found),) how well each episode serves a request."""
        weights = self._weights
        scores, best = weights.words * cover.share, weights.words + weights.kind
        vector = self._lexicon.vector(part)
        if vector is not None:
            keys = np.array([self._lexicon.vector(episode.instruction) for episode in found])
            scores = scores + weights.whole * np.einsum("ij,j->i", keys, vector)
            best += weights.whole
        told = np.array([_SIGNS[told_type(episode.instruction)] for episode in found])
        return (scores + weights.kind * asked_type(part) * told) / best

    def _explained(
        self, episode: PastEpisode, parts: Sequence[str], covers: Sequence[_Cover], scores: Scores, row: int
    ) -> RetrievedEpisode:
        best = int(np.argmax(scores))
        cover = covers[best]
        order = np.argsort(-cover.rarity * cover.matched[:, row], kind="stable")
        common = [cover.asked[word] for word in order if cover.matched[word, row] >= TOLD_WORD]
        why = [f"says {', '.join(common[:5])}"] if common else []
        kind = told_type(episode.instruction)
        if kind is not None and asked_type(parts[best]) * _SIGNS[kind] > 0:
            why.append(f"both about {kind.value.replace('_', ' ')}")
        return RetrievedEpisode(episode, float(np.clip(scores[best], 0.0, 1.0)), parts[best], tuple(why))


@dataclass(frozen=True)
class _Cover:
    """The words of a request in episodes."""

    asked: tuple[str, ...]
    matched: Scores
    """(words, episodes) likeness of the likest word."""
    rarity: Scores
    """(words,)"""

    @property
    def share(self) -> Scores:
        """(episodes,) how much of the request is there."""
        share: Scores = self.rarity @ self.matched / self.rarity.sum()
        return share


_SIGNS = {KnowledgeType.OBJECT_SEMANTICS: 1.0, KnowledgeType.USER_PATTERN: -1.0, None: 0.0}


def combine(scores: Scores) -> list[int]:
    """Return the columns (episodes) of (requests, episodes) scores, the best first: the requests take turns.

    Each turn, every request gives its best episode that isn't there yet, the surest request first.
    """
    ranked = [list(np.argsort(-row, kind="stable")) for row in scores]
    order: dict[int, None] = {}
    while len(order) < scores.shape[1]:
        best = [next(int(row) for row in ranking if int(row) not in order) for ranking in ranked]
        turn = sorted(range(len(best)), key=lambda request: -scores[request, best[request]])
        order.update((best[request], None) for request in turn)
    return list(order)
