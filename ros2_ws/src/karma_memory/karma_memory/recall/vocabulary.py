# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which object categories a text names: categories as they are called by the robot, and everyday words for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources

from karma_memory.recall.lexical import STOP_WORDS, words

LONGEST_PHRASE = 4
"""Words of the longest name that is looked for."""
NO_HEADS = STOP_WORDS | {"top", "switch", "stand", "control"}
"""Last words of names that mean something else on their own: GarbageCan, CounterTop, LightSwitch, TVStand."""
SLICED = "sliced"
"""Last word of the category of slices ("AppleSliced")."""

_IRREGULAR = {"knives": "knife", "loaves": "loaf", "shelves": "shelf", "leaves": "leaf", "halves": "half"}


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
        self._known: set[str] = set()
        table = json.loads(resources.files(__package__).joinpath("household.json").read_text(encoding="utf-8"))
        for key, movable in (("movable", True), ("fixed", False)):
            for category, synonyms in table[key].items():
                self.learn(category, movable)
                for synonym in synonyms:
                    self._phrases.setdefault(_normalised(synonym), set()).add(category)

    def learn(self, category: str, movable: bool) -> None:
        """Add a category. What the robot says about its being movable wins over the table."""
        if not category:
            return
        self._movable[category] = movable
        if category in self._known:
            return
        self._known.add(category)
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


def singular(word: str) -> str:
    """Return an English noun in the singular; other words may change too, but always in the same way."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "atoes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _normalised(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in words(text))
