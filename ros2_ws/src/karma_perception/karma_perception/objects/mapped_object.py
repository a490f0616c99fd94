# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One object of the map: what it is, the points of its surface, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from karma_perception.frames.camera import FloatArray
from karma_perception.objects.association import Candidate
from karma_perception.objects.voxels import VoxelSet


@dataclass(eq=False)
class MappedObject:
    """One object as it is known now."""

    id: str
    category: str
    movable: bool
    voxels: VoxelSet
    low: FloatArray
    high: FloatArray
    last_seen: float
    """Seconds."""
    confidence: float
    """0..1."""
    identified: bool
    """Whether its id is the source's."""
    states: Mapping[str, str] = field(default_factory=dict)
    held: bool = False
    nearest: float = np.inf
    """Metres; the smallest distance at which it was seen."""
    misses: int = 0
    """Frames in a row that should have shown it and did not."""
    seen_through: bool = False
    """Whether what lies behind it has been seen since it was."""
    stay: str = ""
    """The id that it was given when it was first seen where it is; its id may turn out to be an older one."""
    turned_up: bool = False
    """Whether its place had been seen before from nearer, without it."""
    confirmed: float = 0.0
    """Seconds; when it was last seen from near enough to tell it from another of its class."""
    born: float = 0.0
    """Seconds; when it was first seen, after somebody moved it: first seen where it is now."""
    sightings: int = 1
    """Frames since then that showed enough of it to tell where it is."""
    colors: FloatArray | None = None
    """Histogram of its colours, of sum 1; None when it was never seen in colour."""

    @property
    def center(self) -> FloatArray:
        """(3,) centre of the box, metres, map frame."""
        return (self.low + self.high) / 2

    @property
    def size(self) -> FloatArray:
        """(3,) full extents of the box, metres."""
        return self.high - self.low

    @property
    def volume(self) -> float:
        """Volume of the box, cubic metres."""
        return float(np.prod(self.size))

    def shift_time(self, seconds: float) -> None:
        """Add to its times, because the clock was set; none is before 0."""
        self.last_seen, self.born = max(0.0, self.last_seen + seconds), max(0.0, self.born + seconds)
        self.confirmed = max(0.0, self.confirmed + seconds)

    def candidate(self, *, tested: bool = False) -> Candidate:
        """Return it as something that an observation may belong to."""
        return Candidate(self.category, self.low, self.high, self.colors, tested)
