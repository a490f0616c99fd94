# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's policy and its training (EMG-RAG, section 4.3)."""

from datetime import datetime, timezone

import numpy as np
import pytest

from karma_eval.emg.network import Lesson, NetworkPolicy, gradients, reinforce, warm_start
from karma_language.told.facts.asking import question
from karma_language.told.reader import read_told
from karma_memory.facts.encoder import LexicalEncoder
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.facts.traversal import Retriever, Traversal

NOW = datetime(2026, 5, 6, 10, tzinfo=timezone.utc).timestamp()
LIFE = (
    "My sister is called Ada.",
    "Ada works as a welder.",
    "Ada's boss is Mr Singh.",
    "Mr Singh lives in Cork.",
    "My brother is called Ben.",
    "Ben works as a judge.",
    "I live in Graz.",
)


@pytest.fixture
def graph():
    made = EditableMemoryGraph()
    for number, text in enumerate(LIFE):
        made.edit(read_told(text, NOW), source=f"m{number}", stamp=NOW + number)
    return made


def traversal(graph, text):
    return Traversal(Retriever(graph, LexicalEncoder()), question(text, NOW), text)


def test_the_network_is_the_papers():
    """Appendix A.4: a state of three, 20 tanh units, two outputs."""
    policy = NetworkPolicy.random(np.random.default_rng(0))
    assert [w.shape for w in policy.weights] == [(3, 20), (20,), (20, 2), (2,)]


def test_gradients_are_those_of_the_loss():
    rng = np.random.default_rng(1)
    policy = NetworkPolicy.random(rng)
    states, labels = rng.uniform(-1, 1, (7, 3)), rng.integers(0, 2, 7).astype(float)

    def loss():
        p = policy.probabilities(states)
        return float(-np.sum(np.log(np.where(labels > 0.5, p, 1 - p))))

    found = gradients(policy, states, policy.probabilities(states) - labels)
    for weights, gradient in zip(policy.weights, found, strict=True):
        index = tuple(rng.integers(0, n) for n in weights.shape)
        weights[index] += 1e-6
        above = loss()
        weights[index] -= 2e-6
        below = loss()
        weights[index] += 1e-6
        assert gradient[index] == pytest.approx((above - below) / 2e-6, rel=1e-3, abs=1e-6)


def test_training_learns_which_memories_are_required(graph):
    """Warm start alone, then REINFORCE from there and from nothing, on questions about the same life."""
    lessons = []
    for text, required in (
        ("Where does my sister's boss live?", {"m0", "m2", "m3"}),
        ("What does my brother do for a living?", {"m4", "m5"}),
        ("What does my sister do for a living?", {"m0", "m1"}),
        ("Where do I live?", {"m6"}),
    ):
        quality = lambda selection, required=required: float({f.source for f in selection.facts} == required)  # noqa: E731
        lessons.append(Lesson(traversal(graph, text), required, quality))

    def score(policy):
        return sum(lesson.quality(lesson.traversal.run(policy)) for lesson in lessons) / len(lessons)

    rng = np.random.default_rng(3)
    policy = NetworkPolicy.random(rng)
    losses = warm_start(policy, lessons, rng, epochs=400)
    assert losses[-1] < 0.5 * losses[0]
    warmed = score(policy)
    assert warmed >= 0.75
    rewards = reinforce(policy, lessons, rng, episodes=200)
    assert len(rewards) == 200
    assert score(policy) >= warmed
