# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Things and places that are spoken of, to objects that were seen and furniture of the home."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from karma_language.arranging.places import FLOOR, PlaceRef, kind
from karma_language.arranging.words import content_words, undetermined
from karma_language.told.habits.nouns import normal
from karma_language.vocabulary.lexicon import household
from planner_node.plan.arranging.moves import ThingRef

Likeness = Callable[[str, str], float]
"""How alike two texts are in meaning, about 0 to 1."""

EXACT = 0.95
"""From here on a phrase names a category by its own name."""
NAMED = 0.75
"""From here on a phrase names a category."""
POSSIBLE = 0.35
"""From here on it may name one, if there is nothing likelier."""
ALIKE = 0.9
"""Likeness of names for the same sort of thing: "mousepad" and "mouse pad"."""
SURE = 0.8
"""From here on what an object looks like is what was told of it."""


@dataclass(frozen=True)
class Candidate:
    """An object that was seen and may be meant."""

    name: str
    category: str
    description: str
    furniture: str
    room: str


def names_category(thing: ThingRef, category: str, likeness: Likeness) -> float:
    """Return how well a phrase names a category, 0..1: by its noun, a word of it, another word for it, or meaning."""
    wanted, said = normal(category), normal(thing.head)
    if not said:
        return 0.0
    if said[-len(wanted) :] == wanted:
        return 1.0
    if set(wanted) <= set(said):
        return 0.95 if said[-1] not in wanted else 1.0
    if set(wanted) <= {*normal(thing.phrase)}:
        return 0.8
    if said[-1] == wanted[-1] or (len(said) == 1 and said[0] in wanted):
        return 0.85
    if _synonyms(" ".join(said)) & _synonyms(" ".join(wanted)):
        return 0.8
    if _synonyms(said[-1]) & _synonyms(" ".join(wanted)):
        return NAMED
    meaning = likeness(" ".join(said), " ".join(wanted))
    return 0.8 if meaning >= ALIKE else 0.7 * max(0.0, meaning)


def looks_like(texts: Iterable[str], description: str, likeness: Likeness) -> float:
    """Return how well what was told of a thing fits what an object looks like, 0..1; the best of the texts counts."""
    seen = content_words(description)
    best = 0.0
    for text in texts:
        told = content_words(text)
        if not told or not seen:
            continue
        common = len(told & seen)
        overlap = common / len(seen) if common else 0.0
        back = common / len(told)
        words = 2 * overlap * back / (overlap + back) if common else 0.0
        best = max(best, 0.35 * max(overlap, words) + 0.25 * words + 0.4 * max(0.0, likeness(text, description)))
    return best


def furniture_for(
    ref: PlaceRef, rooms: Mapping[str, Sequence[str]], preferred: Sequence[str] = (), exclude: Iterable[str] = ()
) -> list[str]:
    """Return the furniture (or floors) that a place may be, best first.

    `preferred`: rooms to look in first when the reference names none, best first; `exclude`: where the things are now,
    which does not count for "another table", unless there is no other.
    """
    wanted = ref.furniture or (FLOOR,)
    inside = [room for room in rooms if not ref.rooms or kind(room) in ref.rooms]
    inside.sort(key=lambda room: preferred.index(room) if room in preferred else len(preferred))
    found: list[str] = []
    for sort in wanted:
        found += [
            name
            for room in inside
            for name in rooms[room]
            if (name.startswith("floor_") if sort == FLOOR else kind(name) == sort)
        ]
        if found:
            break
    if ref.other:
        now = set(exclude)
        found = [name for name in found if name not in now] or found
    return found


def usual_rooms(ref: PlaceRef, rooms: Iterable[str]) -> list[str]:
    """Return the rooms where furniture of this name usually is: of a "dining table" kitchen, then living room."""
    lexicon = household()
    noun = lexicon.noun(undetermined(ref.words))
    if noun is None or " " not in undetermined(ref.words):
        return []
    usual = lexicon.kind(noun.categories[0]).rooms
    return [r for u in usual for r in rooms if lexicon.room(kind(r).replace("_", " ")) == u]


def _synonyms(words: str) -> set[str]:
    noun = household().noun(words)
    return {*noun.categories, *noun.loosely} if noun is not None else set()
