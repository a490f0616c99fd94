# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Living through a stream with several memories, and scoring their answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

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


@dataclass
class Tally:
    """Counts of one method in one week."""

    questions: int = 0
    right: int = 0
    selected: int = 0
    selected_required: int = 0
    required: int = 0
    gone: int = 0
    gone_right: int = 0
    seconds: list[float] = field(default_factory=list)
    """By the clock, of each question."""
    processor: float = 0.0
    """Seconds of processor time."""
    by_kind: dict[str, list[int]] = field(default_factory=dict)
    by_hops: dict[int, list[int]] = field(default_factory=dict)
    wrong: list[tuple[Asked, FactAnswer]] = field(default_factory=list)

    def add(self, asked: Asked, found: FactAnswer, selected: Sequence[Fact], seconds: float, processor: float) -> None:
        """Score one answer."""
        right = spelled(found.entities) == spelled(asked.answer)
        self.questions += 1
        self.right += right
        self.seconds.append(seconds)
        self.processor += processor
        self.by_kind.setdefault(asked.kind, []).append(right)
        if asked.required:
            memories = {fact.source for fact in selected} - asked.optional
            self.selected += len(memories)
            self.selected_required += len(memories & asked.required)
            self.required += len(asked.required)
            self.by_hops.setdefault(min(3, len(asked.required)), []).append(right)
        else:
            self.gone += asked.asked_stale
            self.gone_right += asked.asked_stale and right
        if not right:
            self.wrong.append((asked, found))

    @property
    def exact_match(self) -> float:
        """Percent of questions answered with exactly the right entities."""
        return 100.0 * self.right / max(1, self.questions)

    @property
    def precision(self) -> float:
        """Percent of selected memories that the questions need."""
        return 100.0 * self.selected_required / max(1, self.selected)

    @property
    def recall(self) -> float:
        """Percent of needed memories that are selected."""
        return 100.0 * self.selected_required / max(1, self.required)

    @property
    def milliseconds(self) -> float:
        """Median time of a question, by the clock."""
        return 1000.0 * median(self.seconds or [0.0])

    @property
    def processor_milliseconds(self) -> float:
        """Mean processor time of a question."""
        return 1000.0 * self.processor / max(1, self.questions)


def spelled(entities: Iterable[str]) -> frozenset[str]:
    """Return entities as they are compared: one spelling, no articles."""
    return frozenset(phrase_key(entity) for entity in entities)


def summed(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of several tallies."""
    total = Tally()
    for tally in tallies:
        for name in (
            "questions",
            "right",
            "selected",
            "selected_required",
            "required",
            "gone",
            "gone_right",
            "seconds",
            "processor",
        ):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
        for own, others in ((total.by_kind, tally.by_kind), (total.by_hops, tally.by_hops)):
            for key, values in others.items():
                own.setdefault(key, []).extend(values)  # type: ignore[arg-type]
        total.wrong += tally.wrong
    return total


class Lives:
    """The graphs of all users of a stream, with edits and without, at one moment."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._next = 0
        self.graphs: dict[tuple[str, bool], EditableMemoryGraph] = {}
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
        for graph in self.graphs.values():
            graph.expire(stamp)

    def _graph(self, user: str, editing: bool, encoder: Encoder) -> EditableMemoryGraph:
        if (user, editing) not in self.graphs:
            self.graphs[user, editing] = EditableMemoryGraph(editing=editing)
            self.retrievers[user, editing] = Retriever(self.graphs[user, editing], encoder)
        return self.graphs[user, editing]


def measure(
    stream: Stream,
    encoder: Encoder,
    methods: Sequence[Method],
    progress: Callable[[int], object] | None = None,
) -> dict[str, dict[int, Tally]]:
    """Return a tally for each method and week. Times leave the embedding of the question out: it is done before."""
    lives = Lives(stream)
    tallies: dict[str, dict[int, Tally]] = {method.name: {} for method in methods}
    for asked in stream.asked:
        lives.until(asked.stamp, encoder)
        question = read_question(asked.text, asked.stamp)
        for method in methods:
            retriever = lives.retrievers[asked.user, method.editing]
            _select(method, retriever, question, asked.text)
            began, used = time.perf_counter(), time.thread_time()
            question = read_question(asked.text, asked.stamp)
            facts = _select(method, retriever, question, asked.text)
            found = (
                FactAnswer(())
                if question is None
                else answer(retriever.graph, question, facts, encoder, newest=method.newest)
            )
            seconds, used = time.perf_counter() - began, time.thread_time() - used
            tallies[method.name].setdefault(asked.week, Tally()).add(asked, found, facts, seconds, used)
        if progress is not None:
            progress(1)
    return tallies


def _select(method: Method, retriever: Retriever, question: Question | None, text: str) -> list[Fact]:
    if question is None:
        return []
    traversal = Traversal(retriever, question, text, k=method.k, from_root=method.from_root, linked=method.linked)
    return traversal.activated if method.policy is None else traversal.run(method.policy).facts
