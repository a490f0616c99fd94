# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Words for the rooms and furniture of one home, whatever it calls them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from karma_language.arranging.words import BEFORE_PLACES, OTHER, ROOM_LINKS, SORTS, sets_apart
from karma_language.requests.requests import Grammar
from karma_language.told.habits.nouns import normal
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.lexicon import Lexicon, household

_NUMBER = re.compile(r"_\d+$")
_LONGEST = 5
_ONE = frozenset(("a", "an", "another"))
"""Before a single place, though its name ends in s: "a chest of drawers"."""
FLOOR = "floor"
_FURNITURE_TOO = ("toilet", "closet")
NEAR_ENOUGH = 0.5
"""Likeness from which on an unknown word may be a piece of furniture that the home has."""


@dataclass(frozen=True)
class PlaceRef:
    """A place as it is spoken of: kinds of furniture and of rooms that the words may mean."""

    words: str
    furniture: tuple[str, ...] = ()
    """Kinds as the home calls them, likeliest first; "floor" for the floor; empty for a room."""
    rooms: tuple[str, ...] = ()
    """Kinds of rooms; empty where none is named."""
    other: bool = False
    """Whether it is not where the thing is now ("a different table")."""
    several: bool = False
    """Whether it may be one for each thing ("different shelves")."""


def kind(name: str) -> str:
    """Return "chest_of_drawers" for "chest_of_drawers_36"."""
    return _NUMBER.sub("", name)


class PlaceWords:
    """Finds places in text."""

    def __init__(self, rooms: Mapping[str, Iterable[str]], lexicon: Lexicon | None = None) -> None:
        """`rooms`: room → its furniture, each named by its kind and a number ("table_4")."""
        self._lexicon = lexicon or household()
        names = [name for furniture in rooms.values() for name in furniture]
        self._rooms = tuple(dict.fromkeys(kind(room) for room in rooms))
        self._furniture = tuple(dict.fromkeys(kind(n) for n in names if not n.startswith("floor_")))
        self.lexicon = self._lexicon.of_home(
            (sort.replace("_", " ") for sort in self._furniture),
            (name for room in self._rooms for name in _room_names(room)[: 1 if room in _FURNITURE_TOO else 3]),
        )
        """The vocabulary with the names of this home's rooms and furniture."""
        self.grammar = Grammar(self.lexicon, described(self._lexicon).is_word)
        self._room = cache(self._room_uncached)
        self._piece = cache(self._piece_uncached)

    def ending(self, phrase: str) -> PlaceRef | None:
        """Return the place that a noun phrase ends with, None for none."""
        tokens = phrase.casefold().split()
        found = (self.find(tokens, at) for at in range(len(tokens)))
        return next((place[0] for place in found if place is not None and place[1] == len(tokens)), None)

    def find(self, tokens: list[str], at: int) -> tuple[PlaceRef, int] | None:
        """Read a place that begins at `at`: "the table in the bedroom", "bedroom chest of drawers", "my office".

        Returns it and the index after it, None where none begins.
        """
        begin = at
        other = False
        while at < len(tokens) and tokens[at] in BEFORE_PLACES:
            other |= tokens[at] in OTHER
            at += 1
        rooms: tuple[str, ...] = ()
        furniture: tuple[str, ...] = ()
        if (found := self._span(tokens, at, self._room)) is not None:
            while found[1] + 1 < len(tokens) and tokens[found[1]] == "/":  # "laundry room/mudroom"
                found = found[0], found[1] + 2
            following = self._piece_at(tokens, found[1])
            whole = self._piece_at(tokens, at)
            if whole is not None and (following is None or whole[1] > following[1]) and whole[1] > found[1]:
                furniture, at = whole  # "bed side table"
            elif following is not None:
                rooms, furniture, at = found[0], *following
            elif not self._only_modifies(tokens[at : found[1]]):
                rooms, at = found
            elif whole is not None:
                furniture, at = whole
        elif (piece := self._piece_at(tokens, at)) is not None:
            furniture, at = piece
        if not (rooms or furniture):
            return None
        several = bool(furniture) and tokens[at - 1].endswith("s") and _ONE.isdisjoint(tokens[begin:at])
        ref = PlaceRef(" ".join(tokens[begin:at]), furniture, rooms, other, several)
        if furniture and not rooms and at + 1 < len(tokens) and tokens[at] in ROOM_LINKS:
            inner = self.find(tokens, at + 1)
            if inner is not None and inner[0].rooms and not inner[0].furniture:
                return replace(ref, rooms=inner[0].rooms, words=" ".join(tokens[begin : inner[1]])), inner[1]
        return ref, at

    def kinds_of(self, room: str) -> tuple[str, ...]:
        """Return this home's names for a kind of room of the vocabulary: "LivingRoom"."""
        return self._room(room)

    def of_room(self, room: str) -> PlaceRef | None:
        """Return a place in rooms of a kind of the vocabulary, None where this home has none."""
        rooms = self.kinds_of(room)
        return PlaceRef(room, (), rooms) if rooms else None

    def guess(self, phrase: str, likeness: Callable[[str, str], float]) -> PlaceRef | None:
        """Return the furniture that a phrase comes nearest to in meaning ("credenza"), None where nothing is near."""
        words = [token for token in phrase.split() if token not in BEFORE_PLACES]
        rooms = next((r for i in range(len(words)) if (r := self._room(" ".join(words[: i + 1])))), ())
        names = " ".join(words)
        near = sorted(((likeness(names, sort.replace("_", " ")), sort) for sort in self._furniture), reverse=True)
        if not words or not near or near[0][0] < NEAR_ENOUGH:
            return None
        return PlaceRef(phrase, (near[0][1],), rooms, sets_apart(phrase.split()))

    def _piece_at(self, tokens: list[str], at: int) -> tuple[tuple[str, ...], int] | None:
        while at < len(tokens) and tokens[at] in SORTS:
            at += 1
        return self._span(tokens, at, self._piece)

    def _span(self, tokens: list[str], at: int, read: object) -> tuple[tuple[str, ...], int] | None:
        for length in range(min(_LONGEST, len(tokens) - at), 0, -1):
            found = read(" ".join(tokens[at : at + length]))  # type: ignore[operator]
            if found:
                return found, at + length
        return None

    def _only_modifies(self, tokens: list[str]) -> bool:
        """Whether the words name a room only before furniture: "dining", "living"."""
        text = " ".join(tokens)
        return not any(text in _room_names(room) for room in self._rooms) and not self._synonyms(text)

    def _room_uncached(self, text: str) -> tuple[str, ...]:
        exact = tuple(r for r in self._rooms if text in (*_room_names(r), _joined(r)))
        return exact or self._synonyms(text)

    def _synonyms(self, text: str) -> tuple[str, ...]:
        same = self._lexicon.room(text)
        if not same:
            return ()
        return tuple(r for r in self._rooms if any(self._lexicon.room(n) == same for n in _room_names(r)))

    def _piece_uncached(self, text: str) -> tuple[str, ...]:
        words = text.replace(" / ", " ")
        if words in ("floor", "ground"):
            return (FLOOR,)
        exact = tuple(f for f in self._furniture if normal(words) == normal(f))
        if exact:
            return exact
        noun = self._lexicon.noun(words)
        if noun is None:
            return ()
        meant: dict[str, None] = {}
        for category in (*noun.categories, *noun.loosely):
            entry = self._lexicon.kind(category)
            for name in (*entry.names, *entry.classes):
                for furniture in self._furniture:
                    if furniture != "unknown" and normal(name) == normal(furniture):
                        meant[furniture] = None
        return tuple(meant)


def _joined(room: str) -> str:
    return room.replace("_", " ").removesuffix("room").strip()


@cache
def _room_names(room: str) -> tuple[str, ...]:
    """Return what the kind of room is called: "living_room": living room; "tv": tv room, tv."""
    words, joined = room.replace("_", " "), _joined(room)
    names = [words, f"{joined} room", f"{joined}room"]
    if joined == "tv":
        names += ["television room", "television"]
    return tuple(dict.fromkeys(names))
