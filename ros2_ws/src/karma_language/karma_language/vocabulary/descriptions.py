# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions to categories: "the tool that bread is cut with", by comparing meanings (descriptions.yaml)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np

from karma_language.vocabulary import embedder
from karma_language.vocabulary.embedder import Embedder, Vectors
from karma_language.vocabulary.lexicon import Lexicon, household
from karma_language.vocabulary.shipped_vectors import ship, shipped

_CLASS_BONUS = 0.15
"""Added to what belongs to the class that the description names: "the CUTLERY used for soup"."""
_WORDS_BONUS = 0.15
"""Added where every word of the description is also a word of what is known of the category."""
_KEPT = 1000
"""Phrases whose scores are kept."""
_NAME = "descriptions"
"""Of the file of glosses, and of the one with their vectors."""
_WORD = re.compile(r"[a-z]+")
_SMALL = frozenset(
    [
        *(
            "a",
            "an",
            "and",
            "any",
            "are",
            "as",
            "at",
            "be",
            "by",
            "can",
            "for",
            "from",
            "in",
            "is",
            "it",
            "of",
            "on",
            "one",
        ),
        *("or", "that", "the", "to", "which", "with", "you", "used", "using"),
        *("item", "items", "object", "objects", "something", "stuff", "thing", "things", "tool", "tools"),
    ]
)
"""Words that tell nothing of what a thing is."""


@dataclass(frozen=True)
class Meaning:
    """A category that a description may mean."""

    category: str
    score: float
    """How well it fits, up to 1 (a little more where the class fits too)."""


class Descriptions:
    """Ranks categories by how well they fit a description. Without an embedder, by the words in common."""

    def __init__(self, lexicon: Lexicon, glosses: Mapping[str, Sequence[str]], embedder: Embedder | None) -> None:
        """`glosses`: category → short definitions. Categories without any are compared by their names."""
        self._lexicon = lexicon
        self._glosses = [
            (category, gloss)
            for category, kind in lexicon.kinds.items()
            if not kind.whole
            for gloss in (*glosses.get(category, ()), kind.noun)
        ]
        self._known: dict[str, set[str]] = {}
        for category, gloss in self._glosses:
            words = " ".join([gloss, *lexicon.kind(category).uses, *lexicon.kind(category).colours])
            self._known.setdefault(category, set()).update(_stems(words))
        self._words = frozenset(word for _, gloss in self._glosses for word in _WORD.findall(gloss.lower()))
        self._stems = frozenset(map(stem, self._words))
        self._embedder = embedder
        self._vectors: Vectors | None = None
        self._ranked: dict[str, dict[str, float]] = {}

    @property
    def glosses(self) -> list[str]:
        """Return the definitions of all categories."""
        return [gloss for _, gloss in self._glosses]

    def rank(
        self, phrases: Iterable[str], affordance: str = "", among: Collection[str] = (), never: Collection[str] = ()
    ) -> list[Meaning]:
        """Return the categories that phrases for one thing may mean, on average, best first.

        `affordance`: what it must be good for. `among`: the class it is said to be of, preferred but not required.
        `never`: categories that the phrases speak of without meaning them.
        """
        said = [self._scored(phrase) for phrase in phrases]
        scores = {category: sum(one[category] for one in said) / len(said) for category in said[0]}
        found = [
            Meaning(category, score + (_CLASS_BONUS if category in among else 0.0))
            for category, score in scores.items()
            if category not in never and (not affordance or self._lexicon.can(category, affordance))
        ]
        return sorted(found, key=lambda meaning: -meaning.score)

    def speaks_of(self, word: str) -> bool:
        """Whether a definition has a word: what none has is the name of something else, and describes nothing."""
        return stem(word) in self._stems

    def is_word(self, word: str) -> bool:
        """Whether a word is English, as far as that is known, rather than a slip of the pen."""
        return word in self._words or (self._embedder is not None and self._embedder.knows(word))

    def _scored(self, phrase: str) -> dict[str, float]:
        if (known := self._ranked.get(phrase)) is None:
            if len(self._ranked) >= _KEPT:
                self._ranked.clear()
            known = self._ranked[phrase] = self._scores(phrase)
        return known

    def _scores(self, phrase: str) -> dict[str, float]:
        if self._embedder is None:
            alike = [_in_common(_stems(phrase), _stems(gloss)) for _, gloss in self._glosses]
        else:
            if self._vectors is None:
                self._vectors = shipped(_NAME, self.glosses, self._embedder)
            alike = [float(score) for score in self._vectors @ np.asarray(self._embedder.embed([phrase])[0])]
        best: dict[str, float] = {}
        for (category, _), score in zip(self._glosses, alike, strict=True):
            best[category] = max(score, best.get(category, 0.0))
        said = _stems(phrase)
        return {
            category: score + _WORDS_BONUS * _in_common(said, self._known[category]) for category, score in best.items()
        }


@lru_cache(8)
def described(lexicon: Lexicon) -> Descriptions:
    """Return the descriptions of the categories of a vocabulary; the same for all who ask."""
    return Descriptions(lexicon, _household_glosses(), _embedder())


@cache
def _embedder() -> Embedder | None:
    return embedder.installed()


@cache
def _household_glosses() -> Mapping[str, Sequence[str]]:
    import yaml  # as in lexicon.py

    text = files("karma_language.vocabulary").joinpath(f"{_NAME}.yaml").read_text(encoding="utf-8")
    glosses: Mapping[str, Sequence[str]] = yaml.load(text, yaml.CSafeLoader)
    return glosses


def _in_common(said: set[str], known: set[str]) -> float:
    """Return the share of what is said that is known."""
    return len(said & known) / max(len(said), 1)


def _stems(phrase: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(phrase.lower()) if word not in _SMALL}


def stem(word: str) -> str:
    """Return a word without its ending: "cutting" and "cuts" are "cut"."""
    for ending in ("ing", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


if __name__ == "__main__":
    ship(_NAME, described(household()).glosses)
