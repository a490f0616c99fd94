# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which object categories a text names: categories as they are called by the robot, and everyday words for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from karma_language.vocabulary.terms import STOP_WORDS, singular, words

LONGEST_PHRASE = 4
"""Words of the longest name that is looked for."""
NO_HEADS = STOP_WORDS | {"top", "switch", "stand", "control"}
"""Last words of names that mean something else on their own: GarbageCan, CounterTop, LightSwitch, TVStand."""
NAMES_KEPT = 4096
"""Names and questions that need not be taken apart again."""
SLICED = "sliced"
"""Last word of the category of slices ("AppleSliced")."""


@dataclass(frozen=True)
class Mention:
    """A name in a text and what it can mean."""

    phrase: str
    categories: frozenset[str]


class Vocabulary:
    """Names of object categories. Starts with those of a household and learns the robot's own."""

    def __init__(self) -> None:
        self._phrases: dict[tuple[str, ...], set[str]] = {}
        """Full names and synonyms."""
        self._heads: dict[str, set[str]] = {}
        """Last word of a name of several words: "lamp" for DeskLamp and FloorLamp."""
        self._movable: dict[str, bool] = {}
        self._learned: dict[str, bool] = {}
        """What the robot said: category → whether it is movable."""
        table = json.loads(resources.files(__package__).joinpath("categories.json").read_text(encoding="utf-8"))
        for key, movable in (("movable", True), ("fixed", False)):
            for category, synonyms in table[key].items():
                self._add(category, movable)
                for synonym in synonyms:
                    self._phrases.setdefault(_normalised(synonym), set()).add(category)

    def learn(self, category: str, movable: bool) -> None:
        """Add a category. What the robot says about its being movable wins over the table."""
        if category:
            self._learned[category] = movable
            self._add(category, movable)

    def snapshot(self) -> dict[str, bool]:
        """Return what was learned, as JSON."""
        return dict(self._learned)

    def restore(self, state: Mapping[str, bool]) -> None:
        """Take over what was learned."""
        for category, movable in state.items():
            self.learn(category, movable)

    def is_movable(self, category: str) -> bool:
        """Whether objects of a category can be carried; unknown ones are taken to be."""
        return self._movable.get(category, True)

    def mentions(self, text: str) -> list[Mention]:
        """Return the object categories that `text` names, in order, each phrase once; longer names win."""
        tokens = _normalised(text)
        found: dict[str, Mention] = {}
        start = 0
        while start < len(tokens):
            for length in range(min(LONGEST_PHRASE, len(tokens) - start), 0, -1):
                phrase = tokens[start : start + length]
                categories = self._phrases.get(phrase)
                if categories is None and length == 1:
                    categories = self._heads.get(phrase[0])
                if categories:
                    name = " ".join(phrase)
                    found.setdefault(name, Mention(name, frozenset(categories)))
                    start += length
                    break
            else:
                start += 1
        return list(found.values())

    def _add(self, category: str, movable: bool) -> None:
        known = category in self._movable
        self._movable[category] = movable
        if known:
            return
        name = _normalised(category)
        if not name:
            return
        self._phrases.setdefault(name, set()).add(category)
        if len(name) > 1 and name[-1] == SLICED:
            base = name[:-1]
            for phrase in ((SLICED, *base), (*base, "slice"), ("slice", "of", *base), ("piece", "of", *base)):
                self._phrases.setdefault(phrase, set()).add(category)
        elif len(name) > 1 and name[-1] not in NO_HEADS:
            self._heads.setdefault(name[-1], set()).add(category)


@lru_cache(NAMES_KEPT)
def _normalised(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in words(text))
