# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who decides whether a visited memory is included: the paper's small network, or fixed thresholds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

HIDDEN = 20
"""Units of the hidden layer, tanh (appendix A.4)."""
STATE = 3
"""Cosines of a state: entity, relation, memory (equation 1)."""
TRAINED = "policy.json"
"""The trained weights, in this package; `how` in it says how they came about."""

State = tuple[float, float, float]
"""How like the visited entity, relation and memory are to the question's, each -1..1."""
Array = NDArray[np.float64]


class PolicyError(ValueError):
    """There are no weights for what is asked."""


class Policy(Protocol):
    """Decides about one visited memory."""

    def include(self, state: State) -> bool:
        """Whether to take the memory in and go on from it; otherwise the search stops here."""


@dataclass(frozen=True)
class ThresholdPolicy:
    """Includes what is alike enough on average."""

    least: float

    def include(self, state: State) -> bool:
        """Whether the mean of the cosines reaches the threshold."""
        return sum(state) / STATE >= self.least


class NetworkPolicy:
    """Two layers, tanh between them; two outputs, stop and include (appendix A.4)."""

    def __init__(self, weights: Sequence[Array]) -> None:
        """`weights`: (3, 20), (20,), (20, 2), (2,)."""
        shapes = [np.asarray(w).shape for w in weights]
        if shapes != [(STATE, HIDDEN), (HIDDEN,), (HIDDEN, 2), (2,)]:
            raise PolicyError(f"a policy has weights of the shapes (3, 20), (20,), (20, 2), (2,), not {shapes}")
        self.weights: list[Array] = [np.asarray(w, dtype=np.float64) for w in weights]
        _, _, w2, b2 = self.weights
        self._gain, self._bias = w2[:, 1] - w2[:, 0], float(b2[1] - b2[0])

    @classmethod
    def random(cls, rng: np.random.Generator) -> NetworkPolicy:
        """Return an untrained policy (Glorot's uniform weights)."""

        def layer(inputs: int, outputs: int) -> Array:
            limit = math.sqrt(6.0 / (inputs + outputs))
            return rng.uniform(-limit, limit, (inputs, outputs))

        return cls([layer(STATE, HIDDEN), np.zeros(HIDDEN), layer(HIDDEN, 2), np.zeros(2)])

    def probabilities(self, states: Array) -> Array:
        """Return the probability of including, (n,), for states (n, 3)."""
        w1, b1, w2, b2 = self.weights
        scores = np.tanh(states @ w1 + b1) @ w2 + b2
        probabilities: Array = 1.0 / (1.0 + np.exp(np.clip(scores[:, 0] - scores[:, 1], -60.0, 60.0)))
        return probabilities

    def include(self, state: State) -> bool:
        """Whether including is the more probable action."""
        w1, b1 = self.weights[:2]
        return bool(np.tanh(state @ w1 + b1) @ self._gain + self._bias > 0.0)

    def to_json(self) -> list[Any]:
        """Return the weights as JSON."""
        return [np.round(w, 6).tolist() for w in self.weights]


def trained_policy(encoder: str) -> NetworkPolicy:
    """Return the shipped policy for vectors of an encoder. PolicyError where there is none."""
    table = _trained()
    if encoder not in table["policies"]:
        raise PolicyError(
            f"no policy was trained for {encoder!r}, only for {', '.join(table['policies'])}: {table['how']}"
        )
    return NetworkPolicy([np.array(w) for w in table["policies"][encoder]])


@cache
def _trained() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(resources.files(__package__).joinpath(TRAINED).read_text(encoding="utf-8"))
    return table
