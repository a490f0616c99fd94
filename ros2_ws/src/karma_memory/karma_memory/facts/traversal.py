# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Selecting the memories for a question: top-K memories activate nodes, and a policy walks the graph from there (4.3).

A node that is reached on the way becomes one of the question's entities, and of the question's relations the one that
is still to be followed from there is compared: for "my sister's boss", first "sister", then "boss".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from karma_language.told.facts.extraction import Question
from karma_language.told.facts.relations import by_noun, stem_set
from karma_memory.facts.encoder import Encoder, cosine
from karma_memory.facts.fact import USER_NODE, Fact
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.facts.policy import Policy, State

ACTIVATED = 3
"""Memories that activate nodes: the paper's K (appendix A.5)."""
_LINKED = 0.99
"""Likeness of the question's first relation to one of the user's facts from which it is what the question names."""
MOST_AROUND = 24
"""Memories of one node that are looked at: the kitchen table of a long life is in hundreds."""
MAX_VISITS = 128
"""Memories that are looked at for one question."""


@dataclass
class Selection:
    """The memories for a question."""

    facts: list[Fact] = field(default_factory=list)
    """In the order in which they were included."""
    activated: list[Fact] = field(default_factory=list)
    visits: int = 0


def chain(question: Question) -> list[str]:
    """Return the relations that a question follows, one after the other."""
    steps = [by_noun(step) for step in question.subject.steps]
    return [*steps, question.relation] if question.relation else steps


def memory_text(fact: Fact) -> str:
    """Return what is embedded of a memory: what was said, and its relation."""
    return f"{fact.text} ({fact.relation.lstrip('~')})"


def question_text(text: str, question: Question) -> str:
    """Return what is embedded of a question: its words, and its relations."""
    return f"{text} ({' '.join(relation.lstrip('~') for relation in chain(question))})"


class Retriever:
    """Finds the memories of one graph that are most like a question. Keeps a vector for every fact."""

    def __init__(self, graph: EditableMemoryGraph, encoder: Encoder) -> None:
        self.graph = graph
        self.encoder = encoder
        self._ids: list[str] = []
        self._rows: NDArray[np.float32] = np.zeros((0, 1), np.float32)

    def likeness(self, vector: NDArray[np.float32]) -> dict[str, float]:
        """Return fact id → how like its memory is to a question's vector, the most alike first."""
        facts = self.graph.facts()
        ids = [fact.id for fact in facts]
        if ids != self._ids:
            self._ids = ids
            self._rows = (
                np.stack([self.encoder.encode(memory_text(fact)) for fact in facts]) if facts else self._rows[:0]
            )
        if not facts:
            return {}
        scores = self._rows @ vector
        return {ids[i]: float(scores[i]) for i in np.argsort(-scores, kind="stable").tolist()}


class Traversal:
    """One question on one graph."""

    def __init__(
        self,
        retriever: Retriever,
        question: Question,
        text: str,
        *,
        k: int = ACTIVATED,
        from_root: bool = False,
        linked: bool = True,
    ) -> None:
        """`from_root`: start everywhere instead of at activated nodes, the paper's ablation (1).

        `linked`: whom the question names ("my sister") is activated, too; without, only the top-K memories are, as
        in the paper.
        """
        self._linked = linked
        self.graph = retriever.graph
        self.question = question
        self.chain = chain(question)
        self._encoder = retriever.encoder
        self._vector = retriever.encoder.encode(question_text(text, question))
        self._named = [
            retriever.encoder.encode(name)
            for name in (question.subject.base, *question.subject.steps, question.object)
            if name
        ]
        self._alike: dict[str, float] = {}
        """Node → how like its name is to what the question names, once that was asked."""
        self._relations: dict[tuple[int | None, str], float] = {}
        """(How far the question was followed, relation) → likeness, once that was asked."""
        self._memories = retriever.likeness(self._vector)
        facts = {fact.id: fact for fact in self.graph.facts()}
        self.activated = list(facts.values()) if from_root else [facts[name] for name in list(self._memories)[:k]]
        self.visiting: Fact | None = None
        """The fact about which the policy is asked."""
        self.known: dict[str, int] = {}
        """The question's entities → how many of its relations have been followed there."""

    def run(self, policy: Policy) -> Selection:
        """Return the memories that the policy includes. Depth first."""
        selection = Selection(activated=list(self.activated))
        self.known = {}
        self._ground()
        seen: set[tuple[str, bool]] = set()
        included: set[str] = set()
        start: list[Fact] = []
        for fact in self.activated:
            start += [fact, *self._around(fact.head), *self._around(fact.tail)]
        for node, followed in list(self.known.items()):
            start += self._around(node)
            if self._linked and node == USER_NODE and self.chain:
                start += [
                    f
                    for f in self.graph.of(node)
                    if relation_likeness(self._encoder, self.chain[followed], f.relation) >= _LINKED
                ]
        stack = start[::-1]
        while stack and selection.visits < MAX_VISITS:
            fact = stack.pop()
            mark = (fact.id, self._depth(fact) is not None)
            if fact.id in included or mark in seen:
                continue
            seen.add(mark)
            selection.visits += 1
            self.visiting = fact
            if not policy.include(self.state(fact)):
                continue
            included.add(fact.id)
            selection.facts.append(fact)
            depth = self._depth(fact)
            reached = fact.head if self.question.reverse else fact.tail
            new = [] if depth is None or depth >= len(self.chain) else self._learn(reached, depth + 1)
            for node in (*new, fact.tail, fact.head):
                stack += [other for other in self._around(node) if other.id not in included][::-1]
        return selection

    def state(self, fact: Fact) -> State:
        """Return how like a memory is to the question as it stands: entity, relation, text."""
        depth = self._depth(fact)
        memory = self._memories[fact.id]
        relation = self._relation(depth, fact.relation)
        if depth is not None:
            return 1.0, relation, memory
        entity = max((self._entity(node) for node in (fact.head, fact.tail) if node != USER_NODE), default=0.0)
        return min(entity, 0.95), relation, memory

    def _relation(self, depth: int | None, told: str) -> float:
        """Return how like a relation is to the one to be followed at `depth`, or to the likest where that is None."""
        if (depth, told) not in self._relations:
            asked = self.chain if depth is None else self.chain[depth : depth + 1]
            alike = [relation_likeness(self._encoder, relation, told) for relation in asked]
            self._relations[depth, told] = max(alike, default=0.0)
        return self._relations[depth, told]

    def _entity(self, node: str) -> float:
        if node not in self._alike:
            name = self._encoder.encode(self.graph.entities.nodes[node].name)
            self._alike[node] = max((cosine(name, named) for named in self._named), default=0.0)
        return self._alike[node]

    def _depth(self, fact: Fact) -> int | None:
        """Return how far the question has been followed at the fact's near end, None where it hasn't come there."""
        return self.known.get(fact.tail if self.question.reverse else fact.head)

    def _ground(self) -> None:
        """Find the question's own entity in the graph."""
        if self.question.reverse:
            node = self.graph.entities.named(self.question.object)
        else:
            node = self.graph.entities.base(self.question.subject)
        if node is not None:
            self._learn(node, 0)

    def _learn(self, node: str, depth: int) -> list[str]:
        """Make a node one of the question's entities, with what is known as something of it."""
        if node in self.known:
            return []
        self.known[node] = depth
        new = [node]
        if depth < len(self.question.subject.steps):
            child = self.graph.entities.owned(node, self.question.subject.steps[depth])
            if child is not None:
                new += self._learn(child, depth + 1)
        return new

    def _around(self, node: str) -> list[Fact]:
        """Return the facts at a node, of a hub the most alike; the root, which is at everything, leads nowhere."""
        if node == USER_NODE:
            return []
        facts = list(self.graph.around(node))
        if len(facts) <= MOST_AROUND:
            return facts
        kept = {fact.id for fact in sorted(facts, key=lambda fact: -self._memories[fact.id])[:MOST_AROUND]}
        return [fact for fact in facts if fact.id in kept]


def relation_likeness(encoder: Encoder, asked: str, told: str) -> float:
    """Return how like two relations are: 1 for the same, else the cosine of their words."""
    if asked == told:
        return 1.0
    a, b = asked.lstrip("~"), told.lstrip("~")
    return 0.99 if _same_words(a, b) else cosine(encoder.encode(a), encoder.encode(b))


@lru_cache(4096)
def _same_words(a: str, b: str) -> bool:
    return stem_set(a) == stem_set(b)
