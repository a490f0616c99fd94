# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What memory says of where something is that is not known to be anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from planner_node.memory import Recollection


@dataclass(frozen=True)
class Expectation:
    """What memory says of where a thing is."""

    places: Mapping[str, float] = field(default_factory=dict)
    """Id of a piece of furniture → probability, of the likeliest; what is left to 1 is elsewhere."""
    sightings: float = 0.0

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.places) and self.sightings > 0.0


def expectation(recollections: Iterable[Recollection]) -> Expectation:
    """Return what a recall says of where a thing probably is."""
    likely = [(r.object.id, r.likely) for r in recollections if r.likely is not None and r.object is not None]
    return Expectation(
        {place: found.probability for place, found in likely},
        max((found.sightings for _, found in likely), default=0.0),
    )
