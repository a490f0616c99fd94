# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What can be put aside where a receptacle is full."""

from __future__ import annotations

import math
from collections.abc import Collection

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.world import SEEN, Belief, World


def in_the_way(world: World, lexicon: Lexicon, place: str, keep: Collection[str], thing: str) -> list[str]:
    """Return the ids of what has to go from a place for a thing to fit there, the largest first: its area in all.

    Only what can be carried, of another kind than the thing, and none of those to `keep`; what is merely remembered to
    be there, where nobody has looked. Sizes are those of boxes, whatever their shape; a thing of unknown size asks for
    all.
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
    for belief in sorted(found, key=_area, reverse=True):
        if room >= needed:
            break
        chosen.append(belief.id)
        room += _area(belief)
    return chosen


def _area(belief: Belief | None) -> float:
    """Return what a thing covers, square metres; 0 where that is not known."""
    return belief.node.size[0] * belief.node.size[1] if belief is not None else 0.0
