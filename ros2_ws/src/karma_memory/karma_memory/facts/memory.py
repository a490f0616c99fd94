# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Facts as a projection of the journal: one graph for each user, and nothing of one in another's."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karma_language.reading import Telling, Told
from karma_language.told.facts.moments import spoken
from karma_memory.events import Event, EventKind
from karma_memory.facts.answering import FactAnswer
from karma_memory.facts.applications import FactAgent
from karma_memory.facts.edit import Edit
from karma_memory.facts.fact import USER_NODE, Fact, Node
from karma_memory.facts.graph import EditableMemoryGraph
from karma_memory.projection import EditError, Understanding
from karma_memory.recall.index import HybridIndex, Match, Search
from karma_memory.recall.query import Query, Record

KIND = "facts"
_LOG = logging.getLogger(__name__)


class FactsMemory(Understanding):
    """What users told of themselves, edited as they correct it. Words without a user are nobody's and are ignored."""

    kind = KIND

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self._graphs: dict[str, EditableMemoryGraph] = {}
        self._agents: dict[str, FactAgent] = {}
        self._now = 0.0
        """The latest stamp that was observed, seconds."""
        self._answered: tuple[Query, FactAnswer] | None = None
        """The last question, which the state asks more than once."""

    def users(self) -> list[str]:
        """Return the users of whom something is known."""
        return [user for user, graph in self._graphs.items() if graph.facts()]

    def agent(self, user: str, now: float = 0.0) -> FactAgent:
        """Return what answers questions, fills forms and reminds a user; it knows only what that user told.

        What has ended at `now` (seconds) is not known to it. It is to be used at once: the memory goes on.
        """
        graph = self._graphs.get(user)
        if graph is None:
            return FactAgent(EditableMemoryGraph())
        later = graph.later(now)
        if later is not graph:
            return FactAgent(later)
        if user not in self._agents:
            self._agents[user] = FactAgent(graph)
        return self._agents[user]

    def observe(self, event: Event) -> None:
        """Take in edits; what has ended until then goes."""
        self._now = max(self._now, event.stamp)
        self._answered = None
        for user, graph in self._graphs.items():
            if graph.next_expiry() <= self._now:
                self._index_edits(user, graph.expire(self._now))
        if event.kind is EventKind.EDIT:
            kind, _, target = event.target.partition(":")
            for user, graph in self._graphs.items() if kind == KIND else ():
                self._index_edits(user, graph.forget(target, event.stamp))

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in what a user's words tell; see Hearing."""
        if any(one.kind in (Telling.FACT, Telling.OVER) for one in told):
            edits = self._graph(words.user).edit(told, source=words.id, stamp=words.stamp)
            self._index_edits(words.user, edits)

    def unhear(self, words: Event) -> None:
        """Take back what words told: they are read anew."""
        if words.user in self._graphs:
            self._index_edits(words.user, self._graphs[words.user].unlearn(words.id))

    def answer(self, query: Query) -> FactAnswer:
        """Return what the facts of the query's user say to it."""
        if not query.user or not query.text.strip() or query.user not in self._graphs:
            return FactAnswer(())
        if self._answered is None or self._answered[0] is not query:
            self._answered = query, self._ask(query)
        return self._answered[1]

    def _ask(self, query: Query) -> FactAnswer:
        """Ask the user's facts; nothing is known where reading the question fails: the other memories can answer."""
        now = self._time(query)
        try:
            return self.agent(query.user, now).ask(query.text, now)
        except Exception as error:  # noqa: BLE001 - see above
            _LOG.error("a question is not read: %s", _place(error))
            return FactAnswer(())

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Return the memories that answer the query's user, as its policy selects them."""
        found = self.answer(query)
        return [
            Match(record, 1.0, f"answer: {found.said}")
            for record in self.records(query.user, found)
            if search.accept(record)
        ]

    def records(self, user: str, answer: FactAnswer) -> list[Record]:
        """Return the records of the facts that an answer to a user rests on."""
        return [self._record(user, fact) for fact in dict.fromkeys(answer.facts)] if answer.entities else []

    def in_words(self, record: Record) -> str:
        """Return what the fact of a record is, in short: "Sister: Eva"; "" for one that is not known any more."""
        graph = self._graphs.get(record.user)
        fact = graph.fact(record.id.partition(":")[2]) if graph is not None else None
        if graph is None or fact is None:
            return ""
        nodes = graph.entities.nodes
        owner = f"{nodes[fact.head].name}'s " if fact.head != USER_NODE else ""
        value = nodes[fact.tail].name if fact.tail != USER_NODE else record.user
        said = f"{owner}{fact.relation.lstrip('~')}: {spoken(value)}"
        return said[:1].upper() + said[1:]

    def ended(self, query: Query) -> list[str]:
        """Return the ids of the user's records that have ended since the last event."""
        graph = self._graphs.get(query.user)
        return [record_id(fact.id) for fact in graph.ended(self._time(query))] if graph else []

    def check_told(self, text: str, told: Sequence[Told]) -> None:
        """Refuse a text that tells no fact. EditError."""
        if not any(one.kind in (Telling.FACT, Telling.OVER) for one in told):
            raise EditError(f"{text!r} tells no fact; say it like: My sister is called Anna")

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        return [
            record_id(fact.id) for graph in self._graphs.values() for fact in graph.facts() if fact.source == source
        ]

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        users = {
            user: {
                "nodes": list(graph.entities.nodes.values()),
                "facts": graph.facts(),
                "closed": list(graph.closed),
                "spoken_of": list(graph.entities.spoken_of),
                "names": dict(graph.entities.names()),
            }
            for user, graph in self._graphs.items()
        }
        return {"now": self._now, "users": users}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a state."""
        self._now = state["now"]
        for user, kept in state["users"].items():
            graph = self._graph(user)
            graph.entities.restore((Node(**node) for node in kept["nodes"]), kept["names"], kept["spoken_of"])
            graph.restore((Fact(**fact) for fact in kept["facts"]), (Fact(**fact) for fact in kept["closed"]))
            for fact in graph.facts():
                self._index.put(self._record(user, fact))

    def _graph(self, user: str) -> EditableMemoryGraph:
        if user not in self._graphs:
            self._graphs[user] = EditableMemoryGraph()
        return self._graphs[user]

    def _time(self, query: Query) -> float:
        """Return for when something is asked, seconds."""
        return query.at if query.at is not None else max(self._now, query.now or 0.0)

    def _index_edits(self, user: str, edits: Iterable[Edit]) -> None:
        for edit in edits:
            for fact in filter(None, (edit.replaced, edit.fact)):
                if self._graphs[user].fact(fact.id) is None:
                    self._index.discard(record_id(fact.id))
                else:
                    self._index.put(self._record(user, fact))

    def _record(self, user: str, fact: Fact) -> Record:
        return Record(
            id=record_id(fact.id),
            kind=KIND,
            text=fact.text,
            label=fact.text,
            source=fact.source,
            valid_from=fact.valid_from,
            user=user,
        )


def _place(error: Exception) -> str:
    """Say where a rule failed, and nothing of what was said, which the error's message may quote."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"a rule failed with {type(error).__name__} in {last.name}, {last.filename}:{last.lineno}"


def record_id(fact_id: str) -> str:
    """Return the id of the recollection of a fact."""
    return f"{KIND}:{fact_id}"
