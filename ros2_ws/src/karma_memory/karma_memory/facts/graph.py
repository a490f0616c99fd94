# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The editable memory graph of one user (EMG-RAG, sections 4.1 and 4.2): insertion, expiry, replacement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, islice

from karma_language.reading import Telling, Told
from karma_language.told.facts.english import gender_of_role
from karma_language.told.facts.extraction import SPEAKER, Mention
from karma_language.told.facts.relations import (
    TO_DO,
    by_noun,
    is_event,
    many_people,
    phrase_key,
    relations,
    role_of,
    subclasses,
    takes_many,
    value_kind,
)
from karma_memory.facts.edit import Edit, Operation
from karma_memory.facts.encoder import Encoder, LexicalEncoder, cosine
from karma_memory.facts.entities import Entities
from karma_memory.facts.fact import USER_NODE, Fact
from karma_memory.facts.moments import end_of, name_of
from karma_memory.facts.objects import called, having
from karma_memory.facts.partitions import PartitionChoice

SAME_RELATION = 0.75
"""Cosine from which two relations that the schema doesn't have are the same."""
_ENDS = ("time", "due", "expiry")
"""Relations whose object is when the whole thing is over."""
_UNSPECIFIC = ("own", "~replaced", "")
"""Relations that say less than the one of the fact they replace."""


class EditableMemoryGraph:
    """Root, types, subclasses (partitions), and the facts below them. Deterministic; not thread-safe."""

    def __init__(self, encoder: Encoder | None = None, *, editing: bool = True) -> None:
        """Make an empty graph. `encoder`: for edits; `editing=False` only ever inserts, for comparison."""
        self.entities = Entities()
        self.closed: list[Fact] = []
        """Facts that held once, in the order in which they ended."""
        self._closed_ids: set[str] = set()
        self._facts: dict[str, Fact] = {}
        self._at: dict[str, dict[str, None]] = {}
        """Node → ids of the facts that it is in."""
        self._about: dict[str, dict[str, dict[str, None]]] = {}
        """Head → relation → ids of the facts."""
        self._partitions: dict[str, dict[str, None]] = {name: {} for name in subclasses()}
        self._alike: dict[tuple[str, str], float] = {}
        """Two relations → their likeness."""
        self._changes = dict.fromkeys(subclasses(), 0)
        """Subclass → how often its partition has changed."""
        self._encoder = encoder or LexicalEncoder()
        self._editing = editing
        self._next_expiry: float | None = None
        """None: to be found out."""
        self._choice = PartitionChoice(self._encoder)

    def facts(self) -> list[Fact]:
        """Return the facts that hold, in the order in which they came."""
        return list(self._facts.values())

    def fact(self, fact_id: str) -> Fact | None:
        """Return a fact that holds."""
        return self._facts.get(fact_id)

    def around(self, node_id: str) -> Iterator[Fact]:
        """Yield the facts that a node is in, as head or tail."""
        return (self._facts[fact_id] for fact_id in self._at.get(node_id, ()))

    def of(self, head: str, *only: str) -> list[Fact]:
        """Return the facts about a node, or those of the relations `only`, one after the other."""
        if not only:
            return [fact for fact in self.around(head) if fact.head == head]
        about = self._about.get(head, {})
        return [self._facts[fact_id] for relation in only for fact_id in about.get(relation, ())]

    def latest(self, subclass: str, most: int) -> list[Fact]:
        """Return the latest facts of a subclass, oldest first."""
        return [self._facts[fact_id] for fact_id in islice(reversed(self._partitions[subclass]), most)][::-1]

    def changes(self, subclass: str) -> int:
        """Return how often the facts of a subclass have changed."""
        return self._changes[subclass]

    def edit(self, told: Iterable[Told], *, source: str, stamp: float) -> list[Edit]:
        """Apply what somebody said. `source`: id of the event that said it; `stamp`: when, seconds."""
        told = list(told)
        edits: list[Edit] = []
        spoken: list[str] = []
        for claim in told:
            if claim.kind is Telling.FACT:
                edits += self._claim(claim, source, stamp, spoken)
        for retraction in told:
            if retraction.kind is Telling.OVER:
                edits += self._retract(retraction, stamp, spoken, {edit.fact.id for edit in edits})
        self.entities.speak_of(spoken)  # the first subject is the most likely one to go on with
        return edits

    def expire(self, now: float) -> list[Edit]:
        """Delete what has ended by itself until `now`; with its time, everything about an event."""
        return [self._close(fact, min(now, fact.expires or now)) for fact in self.ended(now)]

    def ended(self, now: float) -> list[Fact]:
        """Return the facts that have ended by themselves at `now`, seconds."""
        if not self._editing or now < self.next_expiry():
            return []
        gone: dict[str, Fact] = {}
        for fact in self._facts.values():
            if fact.expires is not None and fact.expires <= now:
                gone[fact.id] = fact
                if fact.relation in _ENDS:
                    gone |= {other.id: other for other in self.of(fact.head)}
        return list(gone.values())

    def next_expiry(self) -> float:
        """Return when the next fact ends by itself, seconds; infinity when none does."""
        if self._next_expiry is None:
            ends = (fact.expires for fact in self._facts.values() if fact.expires is not None)
            self._next_expiry = min(ends, default=math.inf)
        return self._next_expiry

    def later(self, now: float) -> EditableMemoryGraph:
        """Return the graph as it is at `now`, seconds, when nothing more is told: itself where nothing ends until then.

        The other one is to be read only: it shares the entities.
        """
        gone = {fact.id for fact in self.ended(now)}
        if not gone:
            return self
        graph = EditableMemoryGraph(self._encoder, editing=self._editing)
        graph.entities = self.entities
        graph.restore((fact for fact in self._facts.values() if fact.id not in gone), ())
        return graph

    def forget(self, fact_id: str, stamp: float) -> list[Edit]:
        """End a fact by hand."""
        fact = self._facts.get(fact_id)
        return [] if fact is None else self._close_all([fact], stamp)

    def unlearn(self, source: str) -> list[Edit]:
        """Take back what an event told, because its words were read anew: what that had ended holds again."""
        gone = {fact.id for fact in (*self._facts.values(), *self.closed) if fact.source == source}
        edits = [self._close(self._facts[name], self._facts[name].valid_from) for name in gone if name in self._facts]
        for fact in [fact for fact in self.closed if fact.replaced_by in gone and fact.source != source]:
            self.closed.remove(fact)
            self._closed_ids.discard(fact.id)
            held = replace(fact, valid_until=None, replaced_by="")
            self._put(held)
            edits.append(Edit(Operation.INSERTED, held))
        return edits

    def restore(self, facts: Iterable[Fact], closed: Iterable[Fact]) -> None:
        """Take over facts; their nodes are there already."""
        for fact in facts:
            self._put(fact)
        self.closed = list(closed)
        self._closed_ids = {fact.id for fact in self.closed}

    def node_of(self, mention: Mention) -> str | None:
        """Return the node that a mention means, None where the graph has none. Changes nothing."""
        node = self.entities.base(mention)
        for step in mention.steps:
            if node is None:
                return None
            node = self._step(node, step)
        return node

    def _step(self, node: str, step: str) -> str | None:
        relation = by_noun(step)
        told = self.of(node, relation)
        if told:
            return max(told, key=lambda fact: fact.valid_from).tail
        return self.entities.owned(node, step)

    def _claim(self, claim: Told, source: str, stamp: float, spoken: list[str]) -> list[Edit]:
        head = self._node(Mention.of_path(claim.of))
        if head is None:
            return []
        relation = claim.relation
        if claim.when is not None:
            name = name_of(claim.when, yearly=claim.yearly and value_kind(relation) == "day")
            tail = self.entities.value(name) if name else None
        else:
            tail = self._tail(head, relation, Mention.of_path(claim.value)) if claim.value else None
        if tail is None or tail == head:
            return []
        new = [head, tail] if self.entities.nodes[tail].person or head != USER_NODE else [tail]
        spoken += new
        self.entities.speak_of(new)
        expires = end_of(claim.until) or (end_of(claim.when) if relation in _ENDS else None)
        replaced = called(self.entities, self.of(head), claim.instead_of) if claim.instead_of else None
        if replaced is not None and (relation in _UNSPECIFIC or replaced.relation == relation):
            relation = replaced.relation
        elif relation == "~replaced":
            return []
        fact = Fact(self._free_id(source), source, head, relation, tail, claim.quote, "", stamp, expires)
        return [self._insert(replace(fact, subclass=self._choice.of(fact, self)), replaced)]

    def _free_id(self, source: str) -> str:
        return next(
            name
            for number in count()
            if (name := f"{source}#{number}") not in self._facts and name not in self._closed_ids
        )

    def _insert(self, fact: Fact, replaced: Fact | None) -> Edit:
        """Partition first, then the most similar fact in it; what to do is decided by comparing relations."""
        if not self._editing:
            self._put(fact)
            return Edit(Operation.INSERTED, fact)
        nearest = self._top(fact)
        if (
            nearest is not None
            and nearest.head == fact.head
            and nearest.tail == fact.tail
            and self._likeness(nearest.relation, fact.relation)
        ):
            confirmed = replace(nearest, expires=fact.expires)
            self._facts[nearest.id] = confirmed
            self._next_expiry = None
            return Edit(Operation.CONFIRMED, confirmed)
        if replaced is None and nearest is not None and self._excludes(fact, nearest):
            replaced = nearest
        if replaced is not None and replaced.id in self._facts:
            if replaced.valid_from > fact.valid_from:  # of words that were read late: they were overtaken
                return self._overtaken(fact, replaced)
            self._close(replaced, fact.valid_from, fact.id)
            self._put(fact)
            return Edit(Operation.REPLACED, fact, replaced)
        self._put(fact)
        return Edit(Operation.INSERTED, fact)

    def _overtaken(self, fact: Fact, newer: Fact) -> Edit:
        """Keep a fact as one that held until a newer one took its place."""
        ended = replace(fact, valid_until=newer.valid_from, replaced_by=newer.id)
        self.closed.append(ended)
        self._closed_ids.add(ended.id)
        return Edit(Operation.DELETED, ended)

    def _excludes(self, new: Fact, old: Fact) -> bool:
        """Whether both can't hold: another object of a relation that has one, or likes and dislikes of the same."""
        if new.head != old.head:
            return False
        opposite = relations()[new.relation].opposite if new.relation in relations() else ""
        if opposite and old.relation == opposite:
            return new.tail == old.tail
        return (
            new.tail != old.tail
            and bool(self._likeness(new.relation, old.relation))
            and not (takes_many(new.relation) or many_people(new.relation))
        )

    def _likeness(self, a: str, b: str) -> float:
        """Return how like two relations are, 0 where they are not the same one in other words."""
        if a == b:
            return 1.0
        if (a, b) not in self._alike:
            listed = a in relations() or b in relations() or role_of(a) or role_of(b)
            other = listed or a.startswith("~") != b.startswith("~")
            alike = 0.0 if other else cosine(self._encoder.encode(a), self._encoder.encode(b))
            self._alike[a, b] = alike if alike >= SAME_RELATION else 0.0
        return self._alike[a, b]

    def _top(self, fact: Fact) -> Fact | None:
        """Return the most similar fact of the partition about the same head: by relation, then by what was said.

        One about another head is no alternative to it, however similar, nor is one of another relation. Of a relation
        that many hold of, only one of the same object is.
        """
        best: tuple[float, str] | None = None
        words = self._encoder.encode(self.entities.nodes[fact.tail].name)
        opposite = relations()[fact.relation].opposite if fact.relation in relations() else ""
        many = takes_many(fact.relation)
        for relation, ids in self._about.get(fact.head, {}).items():
            likeness = 1.0 if relation == opposite else self._likeness(fact.relation, relation)
            if not likeness:
                continue
            for other in map(self._facts.__getitem__, ids):
                if other.subclass != fact.subclass or (many and other.tail != fact.tail):
                    continue
                same_object = (
                    1.0
                    if other.tail == fact.tail
                    else cosine(words, self._encoder.encode(self.entities.nodes[other.tail].name))
                )
                score = 2.0 * likeness + 0.5 * same_object
                if best is None or score >= best[0]:
                    best = (score, other.id)
        return None if best is None else self._facts[best[1]]

    def _retract(self, gone: Told, stamp: float, spoken: list[str], kept: set[str]) -> list[Edit]:
        """End what a retraction means of the facts that were told before it."""
        if not self._editing:
            return []
        subject = Mention.of_path(gone.of)
        head = self.node_of(subject)
        if head is None:
            return []
        facts = [f for f in self.of(head) if f.id not in kept and f.valid_from <= stamp]
        has_object = bool(gone.value or gone.when)
        if gone.relation or has_object or not subject.steps:
            if gone.relation:
                facts = [f for f in facts if f.relation == gone.relation]
            if has_object:
                facts = having(self.entities, facts, gone, self.node_of)
            elif not gone.relation and not is_event(self.entities.nodes[head].name):
                facts = []
        elif self.entities.nodes[head].person:
            facts = []
        spoken.append(head)
        return self._close_all(facts, stamp)

    def _node(self, mention: Mention) -> str | None:
        """Return the node that a mention means, made where there is none; None for a pronoun that means nothing."""
        node = self.entities.base(mention)
        if node is None:
            if mention.pronoun:
                return None
            node = self.entities.value(mention.base, person=mention.base[:1].isupper())
        for step in mention.steps:
            node = self._step(node, step) or self.entities.placeholder(node, step)
        return node

    def _tail(self, head: str, relation: str, obj: Mention) -> str | None:
        if obj.base == SPEAKER or obj.steps or obj.pronoun:
            return self._node(obj)
        person = role_of(relation) is not None
        waiting = self.entities.owned(head, relation) if person or not takes_many(relation) else None
        if (
            waiting is not None
            and phrase_key(self.entities.nodes[waiting].name).endswith(phrase_key(relation))
            and self.entities.named(obj.base) is None
        ):
            self.entities.bind(waiting, obj.base)
            return waiting
        return self.entities.value(obj.base, person=person, gender=gender_of_role(relation) if person else "")

    def _put(self, fact: Fact) -> None:
        if fact.expires is not None:
            self._next_expiry = None
        self._facts[fact.id] = fact
        self._partitions[fact.subclass][fact.id] = None
        self._changes[fact.subclass] += 1
        self._about.setdefault(fact.head, {}).setdefault(fact.relation, {})[fact.id] = None
        for node in (fact.head, fact.tail):
            self._at.setdefault(node, {})[fact.id] = None

    def _close_all(self, facts: Iterable[Fact], stamp: float) -> list[Edit]:
        """End facts; with what somebody has to do, everything about it."""
        gone = {fact.id: fact for fact in facts}
        for fact in list(gone.values()):
            if fact.relation == TO_DO:
                gone |= {other.id: other for other in self.of(fact.tail)}
        return [self._close(fact, stamp) for fact in gone.values()]

    def _close(self, fact: Fact, stamp: float, replaced_by: str = "") -> Edit:
        if fact.expires is not None:
            self._next_expiry = None
        del self._facts[fact.id]
        del self._partitions[fact.subclass][fact.id]
        self._changes[fact.subclass] += 1
        ids = self._about[fact.head][fact.relation]
        del ids[fact.id]
        if not ids:
            del self._about[fact.head][fact.relation]
        for node in {fact.head, fact.tail}:
            del self._at[node][fact.id]
        ended = replace(fact, valid_until=stamp, replaced_by=replaced_by)
        self.closed.append(ended)
        self._closed_ids.add(ended.id)
        return Edit(Operation.DELETED, ended)
