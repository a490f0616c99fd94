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

from karma_language.instructions import requests
from karma_language.told.habits.wording import (
    KnowledgeType,
    asked_type,
    content_words,
    request_words,
    told_type,
)
from karma_memory.profile.likeness import Lexicon
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
    said: tuple[str, ...] = ()
    """Words of that part that the episode says, too, or words like them; those that tell most first."""
    why: tuple[str, ...] = ()


class EpisodeRetriever:
    """Past episodes by what they tell. Not thread-safe; the same episodes and question give the same answer."""

    def __init__(self, embedder: Embedder | None, weights: Weights | None = None) -> None:
        """`embedder`: of words and texts; None: by words of the same stem alone."""
        self._weights = weights or Weights()
        self._lexicon = Lexicon(embedder)
        self._episodes: dict[str, dict[str, PastEpisode]] = {}
        """User → their episodes by id."""
        self._users: dict[str, str] = {}
        """Episode id → user."""
        self._shelves: dict[str, dict[str, _Shelf]] = {}
        """User → scene → what can be asked for there; made when it is first asked for."""

    def __len__(self) -> int:
        return len(self._users)

    def add(self, episode: PastEpisode) -> None:
        """Remember an episode; one of the same id is replaced."""
        if self._users.get(episode.id, episode.user) != episode.user:
            self.discard(episode.id)
        self._users[episode.id] = episode.user
        self._episodes.setdefault(episode.user, {})[episode.id] = episode
        self._shelves.pop(episode.user, None)

    def discard(self, episode_id: str) -> None:
        """Forget an episode, if it is known."""
        user = self._users.pop(episode_id, None)
        if user is not None:
            del self._episodes[user][episode_id]
            if not self._episodes[user]:
                del self._episodes[user]
            self._shelves.pop(user, None)

    def retrieve(self, instruction: str, *, user: str = "", scene: str = "", limit: int = 5) -> list[RetrievedEpisode]:
        """Return the episodes of a user in a scene, or in none in particular, that tell most about an instruction.

        Best first. Nothing of another user or another scene is ever among them.
        """
        shelf = self._shelf(user, scene)
        parts = requests(instruction) or (instruction,)
        if shelf is None or not content_words(instruction):
            return []
        covers = [self._cover(part, shelf) for part in parts]
        scores = np.array([self._scores(part, shelf, cover) for part, cover in zip(parts, covers, strict=True)])
        order = combine(scores, limit)
        return [self._explained(shelf.episodes[row], parts, covers, scores[:, row], row) for row in order]

    def _shelf(self, user: str, scene: str) -> _Shelf | None:
        """Return what a user's episodes in a scene say; None where they say nothing."""
        known = self._episodes.get(user, {}).values()
        scene = scene if any(one.scene == scene for one in known) else ""
        shelves = self._shelves.setdefault(user, {}) if known else {}
        if scene not in shelves:
            here = [one for one in known if one.scene in ("", scene)]
            found = [(one, words) for one in here if (words := content_words(one.instruction))]
            if not found:
                return None
            lengths = [len(words) for _, words in found]
            vocabulary, places = np.unique(
                self._lexicon.numbers(word for _, words in found for word in words), return_inverse=True
            )
            vectors = [self._lexicon.vector(one.instruction) for one, _ in found]
            shelves[scene] = _Shelf(
                tuple(one for one, _ in found),
                vocabulary,
                places,
                np.cumsum([0, *lengths[:-1]]),
                np.array([_SIGNS[told_type(one.instruction)] for one, _ in found]),
                None if vectors[0] is None else np.array(vectors),
            )
        return shelves[scene]

    def _cover(self, part: str, shelf: _Shelf) -> _Cover:
        """Find the words of a request, and those like them, in every episode."""
        asked = request_words(part)
        alike = self._lexicon.likeness(asked, shelf.vocabulary)
        matched = np.maximum.reduceat(alike[:, shelf.places], shelf.starts, axis=1)
        rarity = np.log((len(shelf.episodes) + 1) / (matched.sum(axis=1) + 0.5))
        return _Cover(asked, matched, np.maximum(rarity, LEAST_WEIGHT))

    def _scores(self, part: str, shelf: _Shelf, cover: _Cover) -> Scores:
        """Return (episodes,) how well each episode serves a request."""
        weights = self._weights
        scores, best = weights.words * cover.share, weights.words + weights.kind
        vector = self._lexicon.vector(part)
        if vector is not None and shelf.vectors is not None:
            scores = scores + weights.whole * np.einsum("ij,j->i", shelf.vectors, vector)
            best += weights.whole
        return (scores + weights.kind * asked_type(part) * shelf.told) / (best or 1.0)

    def _explained(
        self, episode: PastEpisode, parts: Sequence[str], covers: Sequence[_Cover], scores: Scores, row: int
    ) -> RetrievedEpisode:
        best = int(np.argmax(scores))
        cover = covers[best]
        order = np.argsort(-cover.rarity * cover.matched[:, row], kind="stable")
        common = tuple(cover.asked[word] for word in order if cover.matched[word, row] >= TOLD_WORD)
        why = [f"says {', '.join(common[:5])}"] if common else []
        kind = told_type(episode.instruction)
        if kind is not None and asked_type(parts[best]) * _SIGNS[kind] > 0:
            why.append(f"both about {kind.value.replace('_', ' ')}")
        return RetrievedEpisode(episode, float(np.clip(scores[best], 0.0, 1.0)), parts[best], common, tuple(why))


@dataclass(frozen=True)
class _Shelf:
    """The episodes of one user in one scene, as arrays."""

    episodes: tuple[PastEpisode, ...]
    vocabulary: NDArray[np.intp]
    """(words,) numbers of the words that they say."""
    places: NDArray[np.intp]
    """The words of all episodes, one episode after the other, as indices into `vocabulary`."""
    starts: NDArray[np.intp]
    """(episodes,) where each begins in `places`."""
    told: Scores
    """(episodes,) which kind of knowledge each tells, as in _SIGNS."""
    vectors: NDArray[np.float32] | None
    """(episodes, dimensions) of whole texts; None without an embedder."""


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


def combine(scores: Scores, limit: int) -> list[int]:
    """Return the first columns (episodes) of (requests, episodes) scores, the best first: the requests take turns.

    Each turn, every request gives its best episode that isn't there yet, the surest request first.
    """
    rankings = [iter(np.argsort(-row, kind="stable").tolist()) for row in scores]
    order: dict[int, None] = {}
    while len(order) < min(limit, scores.shape[1]):
        best = [next((row for row in ranking if row not in order), -1) for ranking in rankings]
        turn = sorted((n for n, row in enumerate(best) if row >= 0), key=lambda n: -scores[n, best[n]])
        order.update((best[request], None) for request in turn)
    return list(order)[:limit]
