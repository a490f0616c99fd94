# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Going round in circles: the same few skills again and again, after which the world is as it was."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from planner_node.skills import Outcome
from planner_node.world import World

LONGEST = 4
"""Skills of the longest circle that is noticed."""


class Circles:
    """Looks for circles of two to four skills. One skill that fails again and again is counted by the actor."""

    def __init__(self, rounds: int) -> None:
        """Begin with nothing; `rounds`: times that a circle is gone round before it is one."""
        self._rounds = rounds
        self._last: deque[Hashable] = deque(maxlen=rounds * LONGEST)

    def closed_by(self, outcome: Outcome, world: World) -> int:
        """Take in an outcome, already applied to the world; return the length of the circle it ends, or 0."""
        self._last.append((outcome.call, outcome.code, as_it_is(world)))
        steps = list(self._last)
        for length in range(2, LONGEST + 1):
            tail = steps[-length * self._rounds :]
            one = tail[:length]
            if len(tail) == length * self._rounds and len(set(one)) > 1 and tail == one * self._rounds:
                self._last.clear()
                return length
        return 0


def as_it_is(world: World) -> int:
    """Return a number that is another one when something was moved, changed, found or lost."""
    things = {(b.id, b.node.receptacle, b.node.relation, *sorted(b.node.states.items())) for b in world}
    return hash((world.held, frozenset(things)))
