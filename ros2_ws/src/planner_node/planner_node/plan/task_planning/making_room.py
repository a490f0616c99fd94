# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can be put aside where a receptacle is full."""

from __future__ import annotations

import math
from collections.abc import Collection

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.plan.task_planning.physics import household_physics
from planner_node.world import SEEN, Belief, World

_STEP = 0.05
"""Metres between spots that are tried, and by which a thing may stick out."""


def in_the_way(
    world: World, lexicon: Lexicon, place: str, keep: Collection[str], thing: str, most: int = 3
) -> list[str]:
    """Return the ids of what has to go from a place for a thing to fit there, the largest first: its area in all.

    Only what can be carried, of another kind than the thing, and none of those to `keep`; what is merely remembered to
    be there, where nobody has looked. Sizes are those of boxes, whatever their shape; a thing of unknown size asks for
    as many as `most`. Nothing where more would have to go, or where the thing would not fit all the same.
    """
    there, kind = world.get(place), world.category_of(thing)
    looked = there is not None and there.source == SEEN
    found = [
        belief
        for belief in world
        if belief.node.receptacle == place
        and (not looked or belief.source == SEEN)
        and belief.id not in (*keep, thing)
        and belief.node.category != kind
        and lexicon.can(belief.node.category, "pickup")
    ]
    chosen: list[str] = []
    room, needed = 0.0, _area(world.get(thing)) or math.inf
    for belief in sorted(found, key=_area, reverse=True)[:most]:
        if room >= needed and _fits(world, lexicon, thing, place, chosen):
            break
        chosen.append(belief.id)
        room += _area(belief)
    return chosen if _fits(world, lexicon, thing, place, chosen) else []


def _fits(world: World, lexicon: Lexicon, thing: str, place: str, gone: Collection[str]) -> bool:
    """Whether a thing may find room on a surface once some things are gone; also where nobody can tell.

    By boxes seen from above; what is merely remembered to be there counts where it can't be carried.
    """
    top, held = world.get(place), world.get(thing)
    if top is None or held is None or top.node.position is None or not (_area(top) and _area(held)):
        return True
    if top.node.category not in household_physics().surfaces:  # a pan sticks out over a burner
        return True
    others = [
        (belief.node.position, belief.node.size)
        for belief in world.contents(place)
        if belief.id not in (*gone, thing) and belief.node.position is not None
        if belief.source == SEEN or not lexicon.can(belief.node.category, "pickup")
    ]
    across, along, _ = held.node.size
    return any(
        all(max(abs(at[0] - x) - (size[0] + w) / 2, abs(at[1] - y) - (size[1] + d) / 2) >= 0 for at, size in others)
        for w, d in ((across, along), (along, across))
        for x in _spots(top.node.position[0], top.node.size[0] - w)
        for y in _spots(top.node.position[1], top.node.size[1] - d)
    )


def _spots(middle: float, free: float) -> list[float]:
    """Return where the middle of a thing can be along a side of a place with so much room beside it; metres."""
    if free < 0:
        return [middle] if free >= -_STEP else []
    steps = math.ceil(free / _STEP)
    return [middle + free * (step / steps - 0.5) for step in range(steps + 1)] if steps else [middle]


def _area(belief: Belief | None) -> float:
    """Return what a thing covers, square metres; 0 where that is not known."""
    return belief.node.size[0] * belief.node.size[1] if belief is not None else 0.0
