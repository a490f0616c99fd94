# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where to look for what is nowhere known: areas and closed receptacles, likeliest first (KARMA, figure 8)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from karma_language.vocabulary.lexicon import Kind, Lexicon
from planner_node.plan.likelihood import by_rate, rate, seen_from
from planner_node.skills import Node, Point
from planner_node.world import Belief, World

_NEAR = 2.0
"""Metres within which an area's furniture counts for it."""
_SHOWN = 2.0
"""Metres within which two areas of a room show much the same."""
LOOK = 2.0
"""Metres that looking around at a place is worth: one exploration step."""
PEEK = 3 * LOOK
"""The same for looking into something closed: go there, open, close."""
_GLANCE = 0.01
"""Least probability that something is seen from an area."""


def ordered_areas(
    world: World,
    lexicon: Lexicon,
    categories: Iterable[str],
    room: str = "",
    probability: Mapping[str, float] | None = None,
) -> list[Point]:
    """Return where to look from: areas of likely rooms and with likely furniture first, among equals the nearest.

    An area close to an earlier one shows little that is new and comes last. With `room`, only areas of what is meant by
    that. `probability`: of each piece of furniture, where memory says so; then what promises most for its way is first.
    """
    areas = [area for area in world.areas.values() if area.position is not None]
    if room:
        areas = [area for area in areas if world.is_in(area, room)]
    if probability is not None:
        return [area.position for area in _by_promise(world, areas, probability) if area.position is not None]
    wanted = list(categories)
    groups: dict[float, list[Node]] = {}
    for area in areas:
        groups.setdefault(_likelihood(world, lexicon, area, wanted), []).append(area)
    here = world.position
    first: list[Node] = []
    last: list[Node] = []
    for likelihood in sorted(groups, reverse=True):
        for area in _nearest_first(groups[likelihood], here):
            shown = any(a.parent == area.parent and _distance(a.position, area.position) < _SHOWN for a in first)
            (last if shown else first).append(area)
        here = first[-1].position
    return [area.position for area in (*first, *_nearest_first(last, here)) if area.position is not None]


def _by_promise(world: World, areas: Iterable[Node], probability: Mapping[str, float]) -> list[Node]:
    """Return the areas in the order in which to look from them; what was seen from one counts for no other."""
    left, tour, unseen, here = list(areas), list[Node](), dict(probability), world.position
    while left:
        shown = {area.id: seen_from(area, unseen, world, _NEAR) for area in left}
        promises = {a.id: rate(sum(shown[a.id].values()) + _GLANCE, a.position, here, LOOK) for a in left}
        best = max(left, key=lambda area: promises[area.id])
        left.remove(best)
        tour.append(best)
        unseen = {place: p for place, p in unseen.items() if place not in shown[best.id]}
        here = best.position
    return tour


def worth_opening_before_looking_around(
    world: World, closed: Iterable[Belief], probability: Mapping[str, float], *, seen: float
) -> list[Belief]:
    """Return the closed receptacles that promise more, for what they cost, than looking around does, best first.

    Looking around is one skill that goes on until something is found: its cost is that of the whole tour. `seen`:
    probability that what lies in the open would have been noticed there before.
    """
    tour = _by_promise(world, world.areas.values(), probability)
    ways = zip([world.position, *(area.position for area in tour)], [area.position for area in tour], strict=False)
    cost = sum(_distance(start, end) + LOOK for start, end in ways) or LOOK
    best = (1.0 - seen) * sum(p for place, p in probability.items() if not world.hides(place)) / cost
    found = []
    here = world.position
    for belief in by_rate(closed, probability, here, PEEK):
        if rate(probability.get(belief.id, 0.0), belief.node.position, here, PEEK) <= best:
            break
        found.append(belief)
        here = belief.node.position or here
    return found


def _nearest_first(areas: Iterable[Node], start: Point | None) -> list[Node]:
    """Return the areas in the order of a tour that always goes on to the nearest."""
    left, tour = list(areas), list[Node]()
    while left:
        nearest = min(left, key=lambda area: _distance(area.position, start))
        left.remove(nearest)
        tour.append(nearest)
        start = nearest.position
    return tour


def _distance(a: Point | None, b: Point | None) -> float:
    return math.dist(a, b) if a is not None and b is not None else 0.0


def _likelihood(world: World, lexicon: Lexicon, area: Node, categories: list[str]) -> float:
    """Return how likely one of the categories is seen from an area; coarse, so that nearness decides among equals."""
    room = world.room_of(area)
    best = 0.0
    for category in categories:
        kind = lexicon.kind(category)
        value = 0.0
        if room is not None and room.category in kind.rooms:
            value = 3.0 - min(kind.rooms.index(room.category), 2)
        for place in kind.places[:2]:
            for belief in world.of([place]):
                position = belief.node.position
                if position and area.position and math.dist(position[:2], area.position[:2]) <= _NEAR:
                    value += 0.5
                    break
        best = max(best, value)
    return best


def likely_open(world: World, lexicon: Lexicon, categories: Iterable[str], searched: Iterable[str]) -> list[Belief]:
    """Return the open furniture on which an object of the categories usually is, likeliest first, then nearest.

    What lies behind something else is seen from nearby only.
    """
    kinds = [lexicon.kind(c) for c in categories]
    done = set(searched)

    def rank(belief: Belief) -> tuple[int, float]:
        ranks = [k.places.index(belief.node.category) for k in kinds if belief.node.category in k.places]
        return (min(ranks), world.distance(belief.node))

    places = {place for kind in kinds for place in kind.places} - {"Floor"}
    fixed = [b for b in world.of(places) if not lexicon.can(b.node.category, "pickup")]
    return sorted((b for b in fixed if b.id not in done and not world.hides(b.id)), key=rank)


def likely_closed(world: World, lexicon: Lexicon, categories: Iterable[str], searched: Iterable[str]) -> list[Belief]:
    """Return the closed receptacles in which an object of the categories may be, likeliest first, then nearest.

    Those in rooms where such a thing never is come last.
    """
    kinds = [lexicon.kind(c) for c in categories]
    done = set(searched)

    def rank(belief: Belief) -> tuple[bool, int, int, float]:
        ranks = [k.places.index(belief.node.category) for k in kinds if belief.node.category in k.places]
        room = world.room_kind(belief.node)
        rooms = [k.rooms.index(room) for k in kinds if room in k.rooms]
        elsewhere = bool(room) and not any(_fits(room, k) for k in kinds)
        return (elsewhere, min(ranks, default=20), min(rooms, default=20), world.distance(belief.node))

    closed = [b for b in world if b.id not in done and world.hides(b.id) and not lexicon.can(b.node.category, "pickup")]
    return sorted(closed, key=rank)


def is_likely(world: World, lexicon: Lexicon, holder: Belief, categories: Iterable[str]) -> bool:
    """Return whether one of the categories is usually kept in a receptacle of this kind, in a room of this kind."""
    room = world.room_kind(holder.node)
    kinds = [lexicon.kind(c) for c in categories]
    return any(holder.node.category in kind.places and (not room or _fits(room, kind)) for kind in kinds)


def _fits(room: str, kind: Kind) -> bool:
    """Whether things of a kind may be in a kind of room."""
    return not kind.rooms or room in kind.rooms


def is_mapped(world: World, lexicon: Lexicon, categories: Iterable[str], within: float = math.inf) -> bool:
    """Return whether the room where one of the categories most usually is was explored in the last `within` seconds."""
    rooms = {lexicon.kind(c).rooms[0] for c in categories if lexicon.kind(c).rooms}
    areas = [area for area in world.areas.values() if world.clock - area.last_seen <= within]
    return any(not rooms or world.room_kind(area) in rooms for area in areas)


def usually_inside(lexicon: Lexicon, categories: Iterable[str]) -> tuple[str, ...]:
    """Return the closed receptacle that is the likeliest place of all for the categories, if one is."""
    firsts = {lexicon.kind(c).places[0] for c in categories if lexicon.kind(c).places}
    return tuple(c for c in firsts if lexicon.can(c, "open"))
