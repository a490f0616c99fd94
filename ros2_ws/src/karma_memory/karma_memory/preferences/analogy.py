# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The same choice among other things: which option now is what the chosen one was then.

A preference is a choice among alternatives: who took herbal tea and left espresso means the calming tea when that and
an iced drink are there. Both sets are matched as wholes, so that an option that is like nothing known gets what is
left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karma_language.vocabulary.terms import normalised
from karma_memory.preferences.assignment import assigned
from karma_memory.preferences.likeness import Likeness

SAME = 0.5
"""What an option of the same name is worth beyond the most alike one."""
PAIRINGS_KEPT = 65_536


@dataclass(frozen=True)
class Pairing:
    """Which of the options now goes with which then."""

    pairs: dict[str, str]
    """Option then → option now, both normalised; what has no counterpart is missing."""
    likeness: float
    """0..1, how alike the two sets are."""


class Analogy:
    """Pairs sets of options. Not thread-safe."""

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._known: dict[tuple[tuple[str, ...], tuple[str, ...]], Pairing] = {}

    def pair(self, then: Sequence[str], now: Sequence[str]) -> Pairing:
        """Return the one-to-one pairing of greatest likeness. Their order does not matter, but for equal likeness."""
        key = tuple(map(normalised, then)), tuple(map(normalised, now))
        if key not in self._known:
            if len(self._known) >= PAIRINGS_KEPT:
                self._known.clear()
            self._known[key] = self._pair(*key)
        return self._known[key]

    def transfer(self, chosen: str, then: Sequence[str], now: Sequence[str]) -> str:
        """Return the option now that is what `chosen` was then; ValueError without options."""
        if not now:
            raise ValueError("there is nothing to choose from")
        names = {normalised(option): option for option in now}
        chosen = normalised(chosen)
        if chosen in names:
            return names[chosen]
        counterpart = self.pair(then, now).pairs.get(chosen)
        if counterpart is not None:
            return names[counterpart]
        return max(now, key=lambda option: self._likeness.of(chosen, option))

    def _pair(self, then: tuple[str, ...], now: tuple[str, ...]) -> Pairing:
        if not then or not now:
            return Pairing({}, 0.0)
        alike = self._likeness.matrix(then, now)
        same = np.array([[one == other for other in now] for one in then])
        rows, columns = assigned(alike + SAME * same)
        pairs = {then[row]: now[column] for row, column in zip(rows, columns, strict=True)}
        return Pairing(pairs, float(alike[rows, columns].sum()) / max(len(then), len(now)))
