# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Training the paper's policy.

Warm start and REINFORCE on a stream that shares no seed, no wording and no name with the one that is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from karma_eval.emg.living import make_stream
from karma_eval.emg.measure import Lives, spelled
from karma_eval.emg.network import Lesson, NetworkPolicy, reinforce, warm_start
from karma_eval.emg.people import people
from karma_eval.emg.stream import Asked, Stream
from karma_eval.emg.wordings import wordings
from karma_language.told.facts.asking import question as read_question
from karma_language.told.facts.extraction import Question
from karma_memory.facts.answering import answer
from karma_memory.facts.encoder import Encoder
from karma_memory.facts.policy import Policy
from karma_memory.facts.traversal import Retriever, Selection, Traversal

SEED = 20
USERS = 30
EPISODES = 1000
"""Questions for the policy gradient; the paper's 100 change too little where the warm start is good already."""
CHECKED = 250
"""Episodes after which the policy is tried on the training stream; the best is kept."""
UNNEEDED = 0.05
"""What a memory that isn't needed takes off the quality of an answer: it costs a language model attention."""


def lessons(stream: Stream, encoder: Encoder) -> list[Lesson]:
    """Return the questions that have an answer, each with the graph as it is when it is asked.

    Lessons of one user share a graph, so that they are good until the next week only: the last week's are returned.
    """
    lives = Lives(stream)
    last = max(asked.week for asked in stream.asked)
    found = []
    for asked in stream.asked:
        lives.until(asked.stamp, encoder)
        question = read_question(asked.text, asked.stamp)
        if question is not None and asked.required and asked.week == last:
            retriever = lives.retrievers[asked.user, True]
            found.append(
                Lesson(
                    Traversal(retriever, question, asked.text),
                    asked.required | asked.optional,
                    quality(retriever, question, asked, encoder),
                )
            )
    return found


def quality(retriever: Retriever, question: Question, asked: Asked, encoder: Encoder) -> Callable[[Selection], float]:
    """Return how good a selection is: 1 for the right entities, less a little for what isn't needed."""

    def measured(selection: Selection) -> float:
        right = spelled(answer(retriever.graph, question, selection.facts, encoder).entities) == spelled(asked.answer)
        unneeded = {fact.source for fact in selection.facts} - asked.required - asked.optional
        return float(right) - UNNEEDED * len(unneeded)

    return measured


def train(taught: list[Lesson], *, warm: bool = True, episodes: int = EPISODES) -> NetworkPolicy:
    """Return a policy: warm start unless `warm` is False, then REINFORCE."""
    rng = np.random.default_rng(SEED)
    policy = NetworkPolicy.random(rng)
    if warm:
        warm_start(policy, taught, rng)
    best = (mean_quality(policy, taught), policy.to_json())
    for _ in range(episodes // CHECKED):
        reinforce(policy, taught, rng, episodes=CHECKED)
        best = max(best, (mean_quality(policy, taught), policy.to_json()), key=lambda found: found[0])
    return NetworkPolicy([np.array(weights) for weights in best[1]])


def mean_quality(policy: Policy, taught: list[Lesson]) -> float:
    """Return how good the answers of a policy are on average."""
    return sum(lesson.quality(lesson.traversal.run(policy)) for lesson in taught) / len(taught)


def training_stream() -> Stream:
    """Return the stream to train with."""
    return make_stream(SEED, people("training"), wordings("training"), users=USERS)
