# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's policy, a small network, and its training: warm start by cross-entropy, then REINFORCE (section 4.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_memory.facts.policy import State
from karma_memory.facts.traversal import Selection, Traversal

HIDDEN = 20
"""Units of the hidden layer, tanh (appendix A.4)."""
STATE = 3
"""Cosines of a state."""
LEARNING_RATE = 0.001
EPISODES_A_STEP = 10
"""Episodes with something to learn from whose gradients are averaged before the weights move."""
Array = NDArray[np.float64]


class NetworkPolicy:
    """Two layers, tanh between them; two outputs, stop and include (appendix A.4)."""

    def __init__(self, weights: Sequence[Array]) -> None:
        """`weights`: (3, 20), (20,), (20, 2), (2,)."""
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


@dataclass(frozen=True)
class Lesson:
    """A question whose answer is known."""

    traversal: Traversal
    required: Collection[str]
    """Ids of the memories (fact.source) that it needs."""
    quality: Callable[[Selection], float]
    """0..1, how good the answer from a selection is."""


class Adam:
    """Kingma and Ba 2015, with their usual constants."""

    def __init__(self, weights: list[Array]) -> None:
        self._weights = weights
        self._first = [np.zeros_like(w) for w in weights]
        self._second = [np.zeros_like(w) for w in weights]
        self._step = 0

    def step(self, gradients: Sequence[Array]) -> None:
        """Move the weights, in place, against the gradients."""
        self._step += 1
        for w, g, m, v in zip(self._weights, gradients, self._first, self._second, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= LEARNING_RATE * (m / (1 - 0.9**self._step)) / (np.sqrt(v / (1 - 0.999**self._step)) + 1e-8)


def warm_start(
    policy: NetworkPolicy, lessons: Sequence[Lesson], rng: np.random.Generator, *, epochs: int = 30, batch: int = 64
) -> list[float]:
    """Teach the policy which visited memories are required (equation 5); return the loss of each epoch."""
    states, labels = _examples(lessons)
    adam = Adam(policy.weights)
    losses = []
    for _ in range(epochs):
        order = rng.permutation(len(states))
        total = 0.0
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            p = policy.probabilities(states[rows])
            total += float(-np.sum(np.log(np.where(labels[rows] > 0.5, p, 1.0 - p) + 1e-12)))
            adam.step(gradients(policy, states[rows], (p - labels[rows]) / len(rows)))
        losses.append(total / max(1, len(states)))
    return losses


def reinforce(
    policy: NetworkPolicy, lessons: Sequence[Lesson], rng: np.random.Generator, *, episodes: int = 100
) -> list[float]:
    """Improve the policy by the quality of the answers it leads to (equation 6); return the reward of each episode.

    An episode is one question. The reward of the greedy policy on the same question is subtracted, which leaves the
    expected gradient as it is and makes it less noisy (Rennie et al. 2017).
    """
    adam = Adam(policy.weights)
    rewards = []
    waiting: list[list[Array]] = []
    for index in rng.choice(len(lessons), size=episodes):
        lesson = lessons[index]
        sampled = _Sampling(policy, rng)
        reward = lesson.quality(lesson.traversal.run(sampled))
        advantage = reward - lesson.quality(lesson.traversal.run(policy))
        rewards.append(reward)
        if sampled.states and advantage:
            states = np.array(sampled.states)
            actions = np.array(sampled.actions, dtype=np.float64)
            p = policy.probabilities(states)
            waiting.append(gradients(policy, states, advantage * (p - actions)))
        if len(waiting) == EPISODES_A_STEP:
            adam.step([sum(parts) / EPISODES_A_STEP for parts in zip(*waiting, strict=True)])
            waiting.clear()
    return rewards


def gradients(policy: NetworkPolicy, states: Array, errors: Array) -> list[Array]:
    """Return the gradients of a loss with respect to the weights.

    `states`: (n, 3); `errors`: (n,), the derivative with respect to the score of including minus that of stopping.
    """
    w1, b1, w2, _ = policy.weights
    hidden = np.tanh(states @ w1 + b1)
    scores = np.stack([-errors, errors], axis=1)
    back = (scores @ w2.T) * (1.0 - hidden**2)
    return [states.T @ back, back.sum(axis=0), hidden.T @ scores, scores.sum(axis=0)]


def _examples(lessons: Sequence[Lesson]) -> tuple[Array, Array]:
    """Return the states that a perfect policy meets, (n, 3), and whether it includes, (n,)."""
    states: list[State] = []
    labels: list[bool] = []
    for lesson in lessons:
        oracle = _Oracle(lesson)
        lesson.traversal.run(oracle)
        states += oracle.states
        labels += oracle.labels
    return np.array(states, dtype=np.float64), np.array(labels, dtype=np.float64)


class _Oracle:
    """Includes what is required, and notes what it sees. It learns which fact is meant from the traversal."""

    def __init__(self, lesson: Lesson) -> None:
        self.states: list[State] = []
        self.labels: list[bool] = []
        self._lesson = lesson

    def include(self, state: State) -> bool:
        """Whether the memory is required."""
        fact = self._lesson.traversal.visiting
        wanted = fact is not None and fact.source in self._lesson.required
        self.states.append(state)
        self.labels.append(wanted)
        return wanted


class _Sampling:
    """Draws the action from the policy's probabilities."""

    def __init__(self, policy: NetworkPolicy, rng: np.random.Generator) -> None:
        self.states: list[State] = []
        self.actions: list[bool] = []
        self._policy = policy
        self._rng = rng

    def include(self, state: State) -> bool:
        """Draw."""
        action = bool(self._rng.random() < self._policy.probabilities(np.array([state]))[0])
        self.states.append(state)
        self.actions.append(action)
        return action
