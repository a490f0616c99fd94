# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Living through a stream with several memories, and scoring their answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from karma_eval.emg.stream import Asked, Stream
from karma_language.told.facts.asking import question as read_question
from karma_language.told.facts.extraction import Question
from karma_language.told.facts.relations import phrase_key
from karma_language.told.reader import read_told
from karma_memory.facts.answering import FactAnswer, answer
from karma_memory.facts.encoder import Encoder
from karma_memory.facts.fact import Fact
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.facts.policy import Policy
from karma_memory.facts.traversal import ACTIVATED, Retriever, Traversal

Key = TypeVar("Key", int, str)


@dataclass(frozen=True)
class Method:
    """A way to select memories and answer."""

    name: str
    policy: Policy | None = None
    """None: the top `k` memories as they are."""
    k: int = ACTIVATED
    editing: bool = True
    newest: bool = True
    """Whether of several values that were told the latest is answered."""
    from_root: bool = False
    linked: bool = True


@dataclass(frozen=True)
class Scored:
    """One answer."""

    asked: Asked
    right: bool
    selected: frozenset[str]
    """The memories that were selected; those that are not scored left out."""
    seconds: float
    """By the clock."""
    processor: float
    """Seconds of processor time."""

    @classmethod
    def of(cls, asked: Asked, found: FactAnswer, selected: Sequence[Fact], seconds: float, processor: float) -> Scored:
        """Score an answer: right are exactly the right entities."""
        memories = frozenset(fact.source for fact in selected) - asked.optional if asked.required else frozenset()
        return cls(asked, spelled(found.entities) == spelled(asked.answer), memories, seconds, processor)


class Tally(list[Scored]):
    """Answers of one method, and their figures."""

    @property
    def exact_match(self) -> float:
        """Percent of questions answered with exactly the right entities."""
        return percent(sum(one.right for one in self), len(self))

    @property
    def precision(self) -> float:
        """Percent of selected memories that the questions need."""
        return percent(self._selected_required, sum(len(one.selected) for one in self))

    @property
    def recall(self) -> float:
        """Percent of needed memories that are selected."""
        return percent(self._selected_required, sum(len(one.asked.required) for one in self))

    @property
    def _selected_required(self) -> int:
        return sum(len(one.selected & one.asked.required) for one in self)

    @property
    def milliseconds(self) -> float:
        """Median time of a question, by the clock."""
        return 1000.0 * median([one.seconds for one in self] or [0.0])

    @property
    def processor_milliseconds(self) -> float:
        """Mean processor time of a question."""
        return 1000.0 * sum(one.processor for one in self) / max(1, len(self))

    def by(self, key: Callable[[Asked], Key | None]) -> dict[Key, Tally]:
        """Return the answers to each sort of questions, in order; of None, none."""
        found: dict[Key, Tally] = {}
        for one in self:
            if (sort := key(one.asked)) is not None:
                found.setdefault(sort, Tally()).append(one)
        return dict(sorted(found.items()))


def percent(part: int, whole: int) -> float:
    """Return a share, 0 to 100; of nothing, 0."""
    return 100.0 * part / max(1, whole)


def spelled(entities: Iterable[str]) -> frozenset[str]:
    """Return entities as they are compared: one spelling, no articles."""
    return frozenset(phrase_key(entity) for entity in entities)


class Lives:
    """The graphs of all users of a stream, with edits and without, at one moment."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._next = 0
        self.retrievers: dict[tuple[str, bool], Retriever] = {}

    def until(self, stamp: float, encoder: Encoder) -> None:
        """Tell everything that was said until then."""
        told = self._stream.told
        while self._next < len(told) and told[self._next].stamp <= stamp:
            event = told[self._next]
            self._next += 1
            said = read_told(event.text, event.stamp)
            for editing in (True, False):
                graph = self._graph(event.user, editing, encoder)
                graph.expire(event.stamp)
                graph.edit(said, source=event.id, stamp=event.stamp)
        for retriever in self.retrievers.values():
            retriever.graph.expire(stamp)

    def _graph(self, user: str, editing: bool, encoder: Encoder) -> EditableMemoryGraph:
        if (user, editing) not in self.retrievers:
            self.retrievers[user, editing] = Retriever(EditableMemoryGraph(editing=editing), encoder)
        return self.retrievers[user, editing].graph


def measure(
    stream: Stream, encoder: Encoder, methods: Sequence[Method], progress: Callable[[int], object] = lambda done: None
) -> dict[str, Tally]:
    """Return a tally for each method. Times leave the embedding of the question out: it is done before."""
    lives = Lives(stream)
    tallies = {method.name: Tally() for method in methods}
    for asked in stream.asked:
        lives.until(asked.stamp, encoder)
        question = read_question(asked.text, asked.stamp)
        for method in methods:
            retriever = lives.retrievers[asked.user, method.editing]
            _select(method, retriever, question, asked.text)
            began, used = time.perf_counter(), time.thread_time()
            question = read_question(asked.text, asked.stamp)
            facts = _select(method, retriever, question, asked.text)
            found = FactAnswer(())
            if question is not None:
                found = answer(retriever.graph, question, facts, encoder, newest=method.newest)
            seconds, used = time.perf_counter() - began, time.thread_time() - used
            tallies[method.name].append(Scored.of(asked, found, facts, seconds, used))
        progress(1)
    return tallies


def _select(method: Method, retriever: Retriever, question: Question | None, text: str) -> list[Fact]:
    if question is None:
        return []
    traversal = Traversal(retriever, question, text, k=method.k, from_root=method.from_root, linked=method.linked)
    return traversal.activated if method.policy is None else traversal.run(method.policy).facts
