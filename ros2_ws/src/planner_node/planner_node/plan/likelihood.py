# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a thing probably is: what memory has seen of such things, over what is generally true of them.

Memory's probabilities are a smoothed relative frequency (karma_memory/scene_graph/habits.py) that rests on N sightings;
the lexicon is the prior under it, worth PRIOR sightings (a Dirichlet prior, as in the levels above it):

    p(place) = (N · p_memory(place) + PRIOR · p_lexicon(place)) / (N + PRIOR)

so that a thing that was never seen anywhere is looked for where such things usually are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from karma_language.vocabulary.lexicon import Kind, Lexicon
from planner_node.skills import Node, Point
from planner_node.understand.expectations import Expectation
from planner_node.world import Belief, World

PRIOR = 1.0
"""Sightings that the lexicon is worth."""
_ANYWHERE = 0.03
"""Weight of furniture of a kind where such things usually are not; of where they most often are: 1."""
_OTHER_ROOM = 0.1
"""Weight of a kind of room where such things usually are not; of the likeliest: 1."""


def probabilities(
    world: World, lexicon: Lexicon, categories: Iterable[str], expected: Expectation | None = None
) -> dict[str, float]:
    """Return how probably one of the categories is on or in each known piece of furniture: 1 in all."""
    furniture = [
        b for b in world if lexicon.can(b.node.category, "hold") and not lexicon.can(b.node.category, "pickup")
    ]
    kinds = [lexicon.kind(category) for category in categories]
    alike = Counter(belief.node.category for belief in furniture)
    usual = _normalised({b.id: _weight(world, b, kinds) / alike[b.node.category] for b in furniture})
    if not expected:
        return usual
    assert expected is not None
    told = {place: p for place, p in expected.places.items() if place in usual}
    left = max(0.0, 1.0 - sum(told.values()))
    others = _normalised({place: p for place, p in usual.items() if place not in told})
    memory = {place: told.get(place, left * others.get(place, 0.0)) for place in usual}
    share = expected.sightings / (expected.sightings + PRIOR)
    return _normalised({place: share * memory[place] + (1.0 - share) * usual[place] for place in usual})


def by_rate(
    places: Iterable[Belief], probability: Mapping[str, float], start: Point | None, work: float
) -> list[Belief]:
    """Return places in the order in which to look at them: always next what promises most for what it costs.

    Of those that promise the same, the one that is given first comes first.

    For independent searches with one outcome, decreasing p / c gives the least expected cost (Stone 1975, "Theory of
    Optimal Search"); c is the straight way in metres plus `work`, metres that looking is worth.
    """
    left, tour = list(places), list[Belief]()
    while left:
        best = max(left, key=lambda b: rate(probability.get(b.id, 0.0), b.node.position, start, work))
        left.remove(best)
        tour.append(best)
        start = best.node.position or start
    return tour


def rate(probability: float, position: Point | None, start: Point | None, work: float) -> float:
    """Return the probability per metre of finding something by going there and looking."""
    way = math.dist(position, start) if position is not None and start is not None else 0.0
    return probability / (way + work)


def seen_from(area: Node, probability: Mapping[str, float], world: World, near: float) -> dict[str, float]:
    """Return the share of `probability` that lies in the open within `near` metres, horizontally, of an area."""
    found = {}
    for place, p in probability.items():
        belief = world.get(place)
        position = belief.node.position if belief is not None else None
        if position is None or area.position is None or world.hides(place):
            continue
        if math.dist(position[:2], area.position[:2]) <= near:
            found[place] = p
    return found


def _weight(world: World, belief: Belief, kinds: Iterable[Kind]) -> float:
    """Return how usual one of some kinds of thing is on or in a piece of furniture."""
    room = world.room_kind(belief.node)
    best = 0.0
    for kind in kinds:
        usual = belief.node.category in kind.places
        weight = 1.0 / (1 + kind.places.index(belief.node.category)) if usual else _ANYWHERE
        if room and kind.rooms:
            weight *= 1.0 / (1 + kind.rooms.index(room)) if room in kind.rooms else _OTHER_ROOM
        best = max(best, weight)
    return best


def _normalised(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()} if total else dict(weights)
