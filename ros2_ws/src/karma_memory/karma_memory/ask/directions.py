# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Where things are, seen from others: under, above, left of, right of, behind, in front of (map frame, metres)."""

from __future__ import annotations

import math

from karma_language.things import Relation
from karma_memory.scene import Node

REACH = 1.5
"""Metres from the middle of one thing to that of another of which people would say that it is left of it."""
_SLACK = 0.05
"""Metres that boxes may overlap."""


def is_so(relation: Relation, thing: Node, place: Node, room: Node | None) -> bool:
    """Whether a thing is so seen from another one.

    Left, right, behind and in front are as seen by somebody in the middle of the room who looks at the place: without
    a room, nothing is.
    """
    if relation in (Relation.UNDER, Relation.ABOVE):
        low, high = (place, thing) if relation is Relation.ABOVE else (thing, place)
        return _overlap(low, high) and low.position[2] + low.size[2] / 2 <= high.position[2] + _SLACK
    if room is None:
        return False
    ahead = (place.position[0] - room.position[0], place.position[1] - room.position[1])
    length = math.hypot(*ahead)
    if not length:
        return False
    x, y = ahead[0] / length, ahead[1] / length
    across = thing.position[0] - place.position[0], thing.position[1] - place.position[1]
    left, behind = x * across[1] - y * across[0], x * across[0] + y * across[1]
    if math.hypot(*across) > REACH + max(place.size[:2]) / 2:
        return False
    sides = {
        Relation.LEFT_OF: left > abs(behind),
        Relation.RIGHT_OF: -left > abs(behind),
        Relation.BEHIND: behind > abs(left),
        Relation.IN_FRONT_OF: -behind > abs(left),
    }
    return sides.get(relation, False)


def _overlap(first: Node, second: Node) -> bool:
    """Whether one thing is over the other."""
    return all(
        abs(first.position[axis] - second.position[axis]) <= (first.size[axis] + second.size[axis]) / 2
        for axis in (0, 1)
    )
