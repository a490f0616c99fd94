# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A request together with what was done before: "my cup" and "as usual" become what they meant then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from karma_language.arranging.places import PlaceRef, PlaceWords
from karma_language.arranging.words import content_words, names_group
from karma_language.told.habits.nouns import normal
from planner_node.plan.arranging.grounding import POSSIBLE, Likeness, names_category
from planner_node.plan.arranging.moves import Move, Request, ThingRef, things_of
from planner_node.plan.arranging.once import elsewhere
from planner_node.plan.arranging.requests import read_request

MEANT = 0.45
"""From here on a phrase means a thing of the remembered request."""


@dataclass(frozen=True)
class Past:
    """A request of before that was carried out."""

    instruction: str
    objects: tuple[tuple[str, str], ...]
    """(category in words, description) of what was moved, in the order in which its request first speaks of them."""


@dataclass(frozen=True)
class Known:
    """A thing of a request, and what is known of it from before."""

    thing: ThingRef
    category: str = ""
    description: str = ""
    """What it looked like; empty where it was not met before."""


def recalled_moves(past: Past, places: PlaceWords, likeness: Likeness) -> tuple[Request, dict[ThingRef, list[Known]]]:
    """Read the request of before again, and which objects its things were."""
    request = read_request(past.instruction, places, likeness)
    known: dict[ThingRef, list[Known]] = {}
    left = list(past.objects)

    def take(thing: ThingRef, fitting: list[tuple[str, str]]) -> None:
        taken = fitting if thing.plural else fitting[: thing.count]
        for item in taken:
            left.remove(item)
        known[thing] = [Known(thing, *item) for item in taken]

    things = things_of(request.moves)
    for thing in things:
        take(thing, [item for item in left if _same_noun(thing, item[0])])
    for thing in things:
        if not known[thing]:  # it was called otherwise
            by_name = sorted(left, key=lambda item: -names_category(thing, item[0], likeness))
            take(thing, [item for item in by_name if names_category(thing, item[0], likeness) >= POSSIBLE])
    return request, known


Reading = tuple[Sequence[Move], Mapping[ThingRef, list[Known]], Sequence[PlaceRef]]
"""Moves, what their things are where that is known from before, and places spoken of besides."""


def combine(request: Request, past: Past | None, places: PlaceWords, likeness: Likeness) -> list[Reading]:
    """Return what a request asks for in the light of one remembered request, the likeliest reading first.

    What the request says holds; what it leaves open is as it was before: the things that "my set" means, what they look
    like, and, where it says nothing of places ("as usual"), where they go, in which order, and how they stand. The
    second reading is meant when there are no things as the first speaks of ("set up a calm mood in the bedroom").
    """
    explicit = list(request.moves)
    if past is None:
        return [(explicit, {}, request.topics)]
    before, known = recalled_moves(past, places, likeness)
    usual: Reading = (before.moves, known, (*request.topics, *before.topics))
    meant = {thing: _meant(thing, before, known, likeness) for thing in things_of(explicit)}
    if request.once and (moves := elsewhere(request, before.moves, {t for ones in meant.values() for t in ones})):
        return [(moves, known, request.topics), usual]
    if not explicit:
        return [usual]
    if not any(meant.values()):
        return [(explicit, {}, request.topics), usual]
    if _repeats(explicit, before.moves, meant):
        return [usual]
    resolved = {t: [k for m in ms for k in known[m]] for t, ms in meant.items() if ms}
    return [(explicit, resolved, request.topics), usual]


def _repeats(now: Sequence[Move], before: Sequence[Move], meant: dict[ThingRef, list[ThingRef]]) -> bool:
    """Whether a request asks for the same as the one before: each thing to the same places, nothing besides."""
    if not all(meant.values()):
        return False
    for thing, ones in meant.items():
        last = next((m.to for m in reversed(now) if thing in m.things and m.to is not None), None)
        for one in ones:
            usual = [m.to for m in before if one in m.things and m.to is not None]
            if last is not None and usual and not any(_compatible(last, place) for place in usual):
                return False
    return True


def _compatible(a: PlaceRef, b: PlaceRef) -> bool:
    furniture = not a.furniture or not b.furniture or bool(set(a.furniture) & set(b.furniture))
    rooms = not a.rooms or not b.rooms or bool(set(a.rooms) & set(b.rooms))
    return furniture and rooms


def _meant(thing: ThingRef, before: Request, known: dict[ThingRef, list[Known]], likeness: Likeness) -> list[ThingRef]:
    """Return the things of the request before that a phrase means: one, or all that were told to be such a set."""
    scores: dict[ThingRef, float] = {}
    said = content_words(thing.phrase)
    for one, objects in known.items():
        texts = [one.phrase, *one.told, *(f"{k.category.replace('_', ' ')} {k.description}" for k in objects)]
        naming = max(
            [names_category(thing, one.head, likeness), *(names_category(thing, k.category, likeness) for k in objects)]
        )
        words = max(len(said & content_words(text)) / max(1, len(said)) for text in texts)
        meaning = max(likeness(thing.phrase, text) for text in texts)
        scores[one] = 0.4 * (naming if naming > 0.7 else 0.5 * naming) + 0.3 * words + 0.3 * meaning
    if not scores:
        return []
    best = max(scores.values())
    if best < MEANT and not names_group(thing.phrase):
        return []
    named = [one for one in scores if names_category(thing, one.head, likeness) > 0.7]
    if names_group(thing.head) and not named:
        told = {one: max((_told_of_set(thing, text) for text in one.told), default=0.0) for one in scores}
        top = max(told.values())
        return [one for one in told if told[one] >= top] if top > 0 else list(told)
    return [max(scores, key=lambda one: scores[one])]


def _told_of_set(thing: ThingRef, text: str) -> float:
    said = content_words(thing.phrase)
    return len(said & content_words(text)) / max(1, len(said))


def _same_noun(thing: ThingRef, category: str) -> bool:
    wanted, head = " ".join(normal(category)), " ".join(normal(thing.head))
    return head.endswith(wanted) or wanted.endswith(head)
