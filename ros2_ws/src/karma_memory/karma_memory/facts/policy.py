# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who decides whether a visited memory is included: a fixed threshold, or in the evaluation the paper's network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

LEAST = 0.675
"""Of 0.3 to 0.9 the one that does best on the training stream of `karma_eval.emg.train`: as well as the network."""

State = tuple[float, float, float]
"""How like the visited entity, relation and memory are to the question's, each -1..1 (equation 1)."""


class Policy(Protocol):
    """Decides about one visited memory."""

    def include(self, state: State) -> bool:
        """Whether to take the memory in and go on from it; otherwise the search stops here."""


@dataclass(frozen=True)
class ThresholdPolicy:
    """Includes what is alike enough on average."""

    least: float = LEAST

    def include(self, state: State) -> bool:
        """Whether the mean of the cosines reaches the threshold."""
        return sum(state) / len(state) >= self.least
