# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""From selected memories to the answer: the question's relations are followed over them, and nothing else is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from karma_language.told.facts.extraction import Question
from karma_language.told.facts.moments import spoken
from karma_language.told.facts.relations import by_noun, is_relation_noun, phrase_key, role_of, stem_set, takes_many
from karma_memory.facts.encoder import Encoder
from karma_memory.facts.fact import USER_NODE, Fact
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.facts.traversal import chain, relation_likeness

LEAST_LIKENESS = 0.6
"""Cosine from which another relation counts as the one asked for."""


@dataclass(frozen=True)
class FactAnswer:
    """What the memories say."""

    entities: tuple[str, ...]
    """Empty: they don't say."""
    facts: tuple[Fact, ...] = ()
    """What the answer rests on, in the order of the question's relations."""

    @property
    def text(self) -> str:
        """The entities as one line."""
        return ", ".join(self.entities)

    @property
    def said(self) -> str:
        """The entities for people: times in words."""
        return ", ".join("you" if entity == USER_NODE else spoken(entity) for entity in self.entities)


def answer(
    graph: EditableMemoryGraph, question: Question, facts: Sequence[Fact], encoder: Encoder, *, newest: bool = True
) -> FactAnswer:
    """Return what `facts` say. `newest=False`: of several values the first in their order, not the latest, wins."""
    if question.reverse:
        return _reverse(graph, question, facts, encoder)
    node = graph.entities.base(question.subject)
    frontier = [node] if node is not None else []
    used: list[Fact] = []
    relations = chain(question)
    if not relations:
        return FactAnswer(())
    for depth, relation in enumerate(relations):
        found = _best([f for f in facts if f.head in frontier], relation, encoder)
        if found and (role_of(relation) or not takes_many(found[0].relation)):
            found = [max(found, key=lambda f: f.valid_from)] if newest else found[:1]
        if found:
            used += found
            frontier = [f.tail for f in found]
        elif depth < len(question.subject.steps):
            owned = [graph.entities.owned(node, question.subject.steps[depth]) for node in frontier]
            frontier = [node for node in owned if node is not None]
        else:
            frontier = []
        if not frontier:
            return FactAnswer((), tuple(used))
    nodes = graph.entities.nodes
    names = [
        nodes[node].name
        for node in frontier
        if not nodes[node].person or phrase_key(nodes[node].name) != phrase_key(nodes[node].label)
    ]
    if question.whether and used and takes_many(used[-1].relation):
        asked = stem_set(question.whether)
        names = [name for name in names if asked & stem_set(name)]
        used = [f for f in used if f.relation != used[-1].relation or nodes[f.tail].name in names]
    return FactAnswer(tuple(dict.fromkeys(names)), tuple(used))


def other_readings(question: Question) -> Iterator[Question]:
    """Yield what a question may mean, too: "the code of my locker" and "my locker code", "where is my passport"."""
    *steps, last = question.subject.steps or ("",)
    noun, _, head = question.relation.rpartition(" ")
    if noun and is_relation_noun(head):
        yield replace(question, subject=question.subject.of(noun), relation=by_noun(head))
    if last and not role_of(last) and is_relation_noun(question.relation):
        yield replace(
            question, subject=replace(question.subject, steps=tuple(steps)), relation=f"{last} {question.relation}"
        )
    if question.relation == "name":
        yield replace(question, relation="nickname")
    if question.relation == "place":
        yield replace(question, relation="staying")


def _best(facts: Sequence[Fact], relation: str, encoder: Encoder) -> list[Fact]:
    """Return the facts whose relation is most like the one asked for, if it is like it at all."""
    rated = [(relation_likeness(encoder, relation, fact.relation), fact) for fact in facts]
    top = max((value for value, _ in rated), default=0.0)
    return [fact for value, fact in rated if value == top] if top >= LEAST_LIKENESS else []


def _reverse(graph: EditableMemoryGraph, question: Question, facts: Sequence[Fact], encoder: Encoder) -> FactAnswer:
    asked = phrase_key(question.object)
    nodes = graph.entities.nodes
    at = [f for f in facts if phrase_key(nodes[f.tail].name) == asked]
    found = _best(at, question.relation, encoder)
    return FactAnswer(tuple(dict.fromkeys(nodes[f.head].name for f in found)), tuple(found))
