# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The editable memory graph of one user (EMG-RAG, sections 4.1 and 4.2): insertion, expiry, replacement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from karma_memory.facts.encoder import Encoder, LexicalEncoder, cosine
from karma_memory.facts.entities import Entities, gender_of_role
from karma_memory.facts.extraction import SPEAKER, Claim, Extraction, Mention, Retraction
from karma_memory.facts.fact import USER_NODE, Fact
from karma_memory.facts.objects import called, having
from karma_memory.facts.partitions import PartitionChoice
from karma_memory.facts.schema import (
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
from karma_memory.facts.times import Moment

SAME_RELATION = 0.75
"""Cosine from which two relations that the schema doesn't have are the same."""
_ENDS = ("time", "due", "expiry")
"""Relations whose object is when the whole thing is over."""
_UNSPECIFIC = ("own", "~replaced", "")
"""Relations that say less than the one of the fact they replace."""


class Operation(Enum):
    """What an edit did."""

    INSERTED = "inserted"
    CONFIRMED = "confirmed"
    REPLACED = "replaced"
    DELETED = "deleted"


@dataclass(frozen=True)
class Edit:
    """One change of the graph."""

    operation: Operation
    fact: Fact
    """The fact that came, was confirmed, or went."""
    replaced: Fact | None = None


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
        self._partitions: dict[str, dict[str, None]] = {name: {} for name in subclasses()}
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

    def of(self, head: str) -> list[Fact]:
        """Return the facts about a node."""
        return [fact for fact in self.around(head) if fact.head == head]

    def partition(self, subclass: str) -> list[Fact]:
        """Return the facts of a subclass."""
        return [self._facts[fact_id] for fact_id in self._partitions[subclass]]

    def edit(self, extraction: Extraction, *, source: str, text: str, stamp: float) -> list[Edit]:
        """Apply what a sentence says. `source`: id of its event; `stamp`: seconds."""
        edits: list[Edit] = []
        spoken: list[str] = []
        for claim in extraction.claims:
            edits += self._claim(claim, source, text, stamp, spoken)
        for retraction in extraction.retractions:
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
        told = [fact for fact in self.of(node) if fact.relation == relation]
        if told:
            return max(told, key=lambda fact: fact.valid_from).tail
        return self.entities.owned(node, step)

    def _claim(self, claim: Claim, source: str, text: str, stamp: float, spoken: list[str]) -> list[Edit]:
        edits: list[Edit] = []
        head = self._node(claim.subject, source, text, stamp, edits)
        if head is None:
            return []
        relation = claim.relation
        if isinstance(claim.object, Moment):
            name = claim.object.yearly if value_kind(relation) == "day" else claim.object.text
            tail: str | None = self.entities.value(name)
        else:
            tail = self._tail(head, relation, claim.object, source, text, stamp, edits)
        if tail is None or tail == head:
            return edits
        new = [head, tail] if self.entities.nodes[tail].person or head != USER_NODE else [tail]
        spoken += new
        self.entities.speak_of(new)
        expires = (
            claim.until.end
            if claim.until
            else claim.object.end
            if isinstance(claim.object, Moment) and relation in _ENDS
            else None
        )
        replaced = called(self.entities, self.of(head), claim.replaces) if claim.replaces else None
        if replaced is not None and (relation in _UNSPECIFIC or replaced.relation == relation):
            relation = replaced.relation
        elif relation == "~replaced":
            return edits
        number = sum(edit.operation is not Operation.DELETED for edit in edits)
        fact = Fact(f"{source}#{self._number(source, number)}", source, head, relation, tail, text, "", stamp, expires)
        edits.append(self._insert(replace(fact, subclass=self._choice.of(fact, self)), replaced))
        return edits

    def _number(self, source: str, least: int) -> int:
        number = least
        while (name := f"{source}#{number}") in self._facts or name in self._closed_ids:
            number += 1
        return number

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
            and self._same(nearest.relation, fact.relation)
        ):
            confirmed = replace(nearest, expires=fact.expires)
            self._facts[nearest.id] = confirmed
            self._next_expiry = None
            return Edit(Operation.CONFIRMED, confirmed)
        if replaced is None and nearest is not None and self._excludes(fact, nearest):
            replaced = nearest
        if replaced is not None and replaced.id in self._facts:
            self._close(replaced, fact.valid_from, fact.id)
            self._put(fact)
            return Edit(Operation.REPLACED, fact, replaced)
        self._put(fact)
        return Edit(Operation.INSERTED, fact)

    def _excludes(self, new: Fact, old: Fact) -> bool:
        """Whether both can't hold: another object of a relation that has one, or likes and dislikes of the same."""
        if new.head != old.head:
            return False
        opposite = relations()[new.relation].opposite if new.relation in relations() else ""
        if opposite and old.relation == opposite:
            return new.tail == old.tail
        return (
            new.tail != old.tail
            and self._same(new.relation, old.relation)
            and not (takes_many(new.relation) or many_people(new.relation))
        )

    def _same(self, a: str, b: str) -> bool:
        if a == b:
            return True
        if a in relations() or b in relations() or a.startswith("~") != b.startswith("~") or role_of(a) or role_of(b):
            return False
        return cosine(self._encoder.encode(a), self._encoder.encode(b)) >= SAME_RELATION

    def _top(self, fact: Fact) -> Fact | None:
        """Return the most similar fact of the partition about the same head: by relation, then by what was said.

        One about another head is no alternative to it, however similar.
        """
        best: tuple[float, str] | None = None
        relation, words = self._encoder.encode(fact.relation), self._encoder.encode(self.entities.nodes[fact.tail].name)
        opposite = relations()[fact.relation].opposite if fact.relation in relations() else ""
        for other in self.of(fact.head):
            if other.subclass != fact.subclass:
                continue
            likeness = (
                1.0
                if other.relation in (fact.relation, opposite)
                else cosine(relation, self._encoder.encode(other.relation))
            )
            same_object = (
                1.0
                if other.tail == fact.tail
                else cosine(words, self._encoder.encode(self.entities.nodes[other.tail].name))
            )
            score = 2.0 * likeness + 0.5 * same_object
            if best is None or score >= best[0]:
                best = (score, other.id)
        return None if best is None else self._facts[best[1]]

    def _retract(self, retraction: Retraction, stamp: float, spoken: list[str], kept: set[str]) -> list[Edit]:
        if not self._editing:
            return []
        subject = retraction.subject
        if retraction.relation or retraction.object or not subject.steps:
            head = self.node_of(subject)
            if head is None:
                return []
            gone = [
                f
                for f in self.of(head)
                if f.id not in kept and (not retraction.relation or f.relation == retraction.relation)
            ]
            if retraction.object:
                gone = having(self.entities, gone, retraction.object, self.node_of)
            elif not retraction.relation:
                gone = [f for f in gone if is_event(self.entities.nodes[head].name)]
        else:
            head = self.node_of(subject)
            gone = (
                [f for f in self.of(head) if f.id not in kept]
                if head is not None and not self.entities.nodes[head].person
                else []
            )
        if head is not None:
            spoken.append(head)
        return self._close_all(gone, stamp)

    def _node(self, mention: Mention, source: str, text: str, stamp: float, edits: list[Edit]) -> str | None:
        """Return the node that a mention means, made where there is none."""
        start = self.entities.base(mention)
        if start is None:
            if mention.base in ("he", "she", "it", "they"):
                return None
            start = self.entities.value(mention.base, person=mention.base[:1].isupper())
        node = start
        for i, step in enumerate(mention.steps):
            last = i == len(mention.steps) - 1
            node = (
                self._named_step(node, step, mention.name, source, text, stamp, edits)
                if last and mention.name
                else self._step(node, step) or self.entities.placeholder(node, step)
            )
        return node

    def _named_step(
        self, owner: str, step: str, name: str, source: str, text: str, stamp: float, edits: list[Edit]
    ) -> str:
        """Return "my sister Anna": a sister called so, a sister without a name, or a new one."""
        known = self.entities.named(name)
        relation = by_noun(step)
        if known is not None and any(f.relation == relation and f.tail == known for f in self.of(owner)):
            return known
        claim = Claim(Mention(SPEAKER), relation, Mention(name))
        tail = self._tail(owner, relation, Mention(name), source, text, stamp, edits)
        if tail is None or tail == owner:
            return self._step(owner, step) or self.entities.placeholder(owner, step)
        fact = Fact(
            f"{source}#{self._number(source, len(edits))}", source, owner, claim.relation, tail, text, "", stamp
        )
        edits.append(self._insert(replace(fact, subclass=self._choice.of(fact, self)), None))
        return tail

    def _tail(
        self, head: str, relation: str, obj: Mention, source: str, text: str, stamp: float, edits: list[Edit]
    ) -> str | None:
        if obj.base == SPEAKER or obj.steps or obj.base in ("he", "she", "it", "they"):
            return self._node(obj, source, text, stamp, edits)
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
        self._next_expiry = None
        self._facts[fact.id] = fact
        self._partitions[fact.subclass][fact.id] = None
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
        self._next_expiry = None
        del self._facts[fact.id]
        del self._partitions[fact.subclass][fact.id]
        for node in {fact.head, fact.tail}:
            del self._at[node][fact.id]
        ended = replace(fact, valid_until=stamp, replaced_by=replaced_by)
        self.closed.append(ended)
        self._closed_ids.add(ended.id)
        return Edit(Operation.DELETED, ended)
