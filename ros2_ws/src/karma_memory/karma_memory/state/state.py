# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of all memories after some events, and the answer to a query in that state."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from karma_language.reading import VERSION, Reading
from karma_memory.episodic import EpisodicMemory
from karma_memory.episodic.episodes import instruction, lived_through
from karma_memory.episodic.trajectories import TrajectoryMemory
from karma_memory.events import Event, EventKind
from karma_memory.facts import FactAgent, FactsMemory
from karma_memory.guidelines.memory import GuidelineMemory
from karma_memory.preferences.memory import PreferenceMemory
from karma_memory.privacy.consent import Consents
from karma_memory.privacy.household import Household
from karma_memory.profile.projected import ProfileMemory
from karma_memory.projection import Guiding, Personal, Projection, Understanding
from karma_memory.recall.hearsay import stale_hearsay
from karma_memory.recall.index import HybridIndex, Search
from karma_memory.recall.prompt import compose
from karma_memory.recall.query import Answer, Query, Record
from karma_memory.recall.rank import rank
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.scene_graph.text import area_lines
from karma_memory.short_term.memory import ShortTermMemory
from karma_memory.short_term.policy import PolicySettings
from karma_memory.told.owners import OwnerMemory
from karma_memory.told.prohibitions import RuleMemory
from karma_memory.told.statements import ToldMemory
from karma_memory.working.memory import WorkingMemory

BY_RULES = frozenset({"profile", "preferences", "facts", "guideline", "rule", "owner"})
"""Kinds that rules made, of people's words in journals without readings, and of what failed and then worked: better
rules make another state of the same events."""
WORDS = frozenset({EventKind.TOLD, EventKind.FEEDBACK, EventKind.EPISODE_START})
"""Kinds of events with words of a person; edits have some, too."""
VOCABULARY = "vocabulary"
"""Key of the common vocabulary in a snapshot, beside those of the kinds."""
UNREAD = "unread"
"""Key of the ids of words without a reading."""
HOUSEHOLD = "household"
"""Key of who lives here, where that is known."""
CONSENTS = "consents"
"""Key of what users agreed to, where any did."""


class Unread(NamedTuple):
    """Of words without a reading, what the memories that hold them don't."""

    kind: EventKind
    """Of the event that said them."""
    target: str = ""
    """EDIT: the record that they say otherwise."""


class MemoryState:
    """All kinds of memory and their common index. A function of the events applied, in order. Not thread-safe."""

    def __init__(self, settings: PolicySettings) -> None:
        self.index = HybridIndex()
        self.consents = Consents()
        self.household = Household()
        self.long_term = LongTermMemory(self.index)
        self.short_term = ShortTermMemory(self.index, settings, self.long_term)
        self.episodic = EpisodicMemory(self.index)
        self.working = WorkingMemory(self.long_term)
        self.trajectories = TrajectoryMemory(self.working)
        self.guidelines = GuidelineMemory(self.index, self.trajectories, self.household)
        self.told = ToldMemory(self.index)
        self.profile = ProfileMemory(self.index)
        self.preferences = PreferenceMemory(self.index)
        self.facts = FactsMemory(self.index)
        self.rules = RuleMemory(self.consents, self.household)
        self.owners = OwnerMemory(self.long_term, self.consents, self.household)
        understanding: tuple[Understanding, ...] = (
            self.profile,
            self.preferences,
            self.facts,
            self.rules,
            self.owners,
        )
        self.understanding = {projection.kind: projection for projection in understanding}
        """Memories that are made of readings."""
        self.unread: dict[str, Unread] = {}
        """Words of users that nobody has read, by the ids of the events that said them, oldest first."""
        personal: tuple[Personal, ...] = (self.told, *understanding)
        self.personal = {projection.kind: projection for projection in personal}
        """Memories of what people say of themselves."""
        shared: tuple[Projection, ...] = (self.long_term, self.short_term, self.episodic)
        guiding: tuple[Guiding, ...] = (
            self.working,
            self.trajectories,
            self.guidelines,
            self.rules,
            self.owners,
        )
        self.guiding = {projection.kind: projection for projection in guiding}
        """Memories that guide a planner (BrainMem), each made of what those before it know. They are asked by their
        kinds only: they answer what is to be done, not what is the case."""
        self.projections = {projection.kind: projection for projection in (*shared, *personal, *guiding)}

    def apply(self, event: Event, *, without: Collection[str] = ()) -> None:
        """Let every memory observe an event; `without`: kinds of memory that don't."""
        edited = self.index.records.get(event.target) if event.kind is EventKind.EDIT and not event.message else None
        self.consents.observe(event)
        self.household.observe(event)
        for kind, projection in self.projections.items():
            if kind not in without:
                projection.observe(event)
        if event.user and event.kind in WORDS:
            self.unread[event.id] = Unread(event.kind)
        elif event.kind is EventKind.READING:
            self._hear(event)
        if edited is not None and (edited.kind in self.personal or not event.text):
            self._take_back(edited, event)

    def words(self, event_id: str, episode: str = "") -> Event | None:
        """Return words of a person that hold, as the event that said them; None where they were forgotten.

        `episode`: id of the instruction, where they are or may be one.
        """
        begun = self.episodic.episode(episode) if episode else None
        if begun is not None and begun.source == event_id:
            words: Event | None = instruction(begun)
        elif (words := self.told.words(event_id)) is not None and event_id in self.unread:
            words = replace(words, **self.unread[event_id]._asdict())
        return words

    def sources(self) -> set[str]:
        """Return the ids of the events that current records rest on, and of those with the pictures of things."""
        records = {record.source for record in self.index.records.values()}
        return records | {picture.source for picture in self.long_term.pictures()}

    def search(self, query: Query, vector: NDArray[np.float32] | None) -> Search:
        """Find records by words and, with the query's embedding, by meaning; for a query without a text, all."""
        table = self.index.table
        query = self.permitted(query)
        accepted = table.accepted(query, (query.kinds or self.projections.keys()) - self.guiding.keys())
        accepted &= ~stale_hearsay(table, query, self.time(query))
        for ended in self.facts.ended(query):
            accepted[table.row(ended)] = False
        if query.room:
            in_room = table.in_room(query.room)
            units = np.flatnonzero(accepted & table.among("kind", [self.short_term.kind]))
            for row in units.tolist():  # few; where they are follows the scene graph
                in_room[row] = self.long_term.in_room(table.record(row), query.room)
            accepted &= in_room
        return self.index.search(query.text, vector, accepted, query.limit)

    def answer(self, query: Query, search: Search) -> Answer:
        """Rank what all memories say to a query, best first, and write it as a prompt section."""
        query = self.permitted(query)
        kinds = [
            kind for kind in self.projections if kind in (query.kinds or self.projections.keys() - self.guiding.keys())
        ]
        added = [match for kind in kinds for match in self.projections[kind].recall(query, search)]
        recollections = rank(query, search, added, self.long_term.current_scene)
        return Answer(
            tuple(recollections),
            compose(recollections, self._area_lines(query, search), query.token_budget),
            search.categories,
        )

    def time(self, query: Query) -> float:
        """Return when a query is asked, seconds."""
        return query.now if query.now is not None else self.long_term.newest

    def fact_agent(self, user: str, now: float) -> FactAgent:
        """Return what knows what a user told of themselves, and holds at `now`, seconds; see FactsMemory.agent."""
        return self.facts.agent(user if self.may_use(user) else "", now)

    def snapshot(self) -> dict[str, Any]:
        """Return the state, which stays as it is and of which encoding.dumps makes JSON; see Projection."""
        kinds = {kind: known for kind, projection in self.projections.items() if (known := projection.snapshot())}
        consents = self.consents.snapshot()
        common = {
            VOCABULARY: self.index.vocabulary.snapshot(),
            UNREAD: {name: list(unread) for name, unread in self.unread.items()},
        }
        people = {CONSENTS: consents, HOUSEHOLD: self.household.snapshot()}
        return {**kinds, **common, **{key: known for key, known in people.items() if known}}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state, as JSON; this one must be fresh.

        Where it lacks a personal memory, because there was none of that kind yet, what people said is to be read.
        """
        self.index.vocabulary.restore(state[VOCABULARY])
        self.consents.restore(state.get(CONSENTS, {}))
        self.household.restore(state.get(HOUSEHOLD, ()))
        for kind, projection in self.projections.items():
            if kind in state:
                projection.restore(state[kind])
        lacking = self.understanding.keys() - state.keys()
        said = {event.id: (event.kind,) for event in self._said()} if lacking else {}
        self.unread = {
            name: Unread(EventKind(kind), *target) for name, (kind, *target) in state.get(UNREAD, said).items()
        }
        if not self.guiding.keys() & state.keys():
            for event in lived_through(self.episodic.episodes()):
                for guiding in self.guiding.values():
                    guiding.observe(event)

    def permitted(self, query: Query) -> Query:
        """Return a query as nobody's, where its user does not agree that what is kept of them is used."""
        return query if not query.user or self.may_use(query.user) else replace(query, user="")

    def may_use(self, user: str) -> bool:
        """Whether what a user told of themselves may be used: not when they withdrew their consent."""
        return self.consents.agrees(user, unless_asked=True)

    def _said(self) -> list[Event]:
        """Return what users said and what still holds of it, in order."""
        told = [self.told.words(statement.id) for statement in self.told.statements()]
        said = [*told, *map(instruction, self.episodic.episodes())]
        return sorted((words for words in said if words and words.user), key=lambda words: words.stamp)

    def _hear(self, event: Event) -> None:
        """Let the memories take in a reading, in place of an earlier one of the same words.

        One of words that were forgotten, or of another user's, tells nothing; nor does one of another version, whose
        words are to be read again.
        """
        words, reading = self.words(event.target, event.episode), reading_of(event)
        if words is None or words.user != event.user or reading is None:
            return
        again = words.id not in self.unread
        self.unread.pop(words.id, None)
        for memory in self.understanding.values():
            if not (words.user or memory.of_nobody):
                continue
            if again:
                memory.unhear(words)
            memory.hear(words, reading.told)

    def _take_back(self, edited: Record, event: Event) -> None:
        """Take back what a person said, or let them say it otherwise, in every memory that made something of the words.

        Who changes what one memory made of them leaves what else that one made of the same words.
        """
        self.unread.pop(edited.source, None)
        for kind, memory in self.personal.items():
            for record_id in memory.resting_on(edited.source) if kind != edited.kind else ():
                memory.observe(replace(event, target=record_id, text=""))
        if event.text and edited.user:
            if edited.kind != self.told.kind:
                self.told.say(replace(event, user=edited.user, scene=edited.scene))
            self.unread[event.id] = Unread(event.kind, event.target)

    def _area_lines(self, query: Query, search: Search) -> Iterable[str]:
        """Return the long-term memory of the query's scene (or the current one) in KARMA's form."""
        if query.kinds and self.long_term.kind not in query.kinds:
            return []
        graph = self.long_term.graph(query.scene or self.long_term.current_scene)
        return [] if graph is None else area_lines(graph, categories=search.categories, near=query.near)


def reading_of(event: Event) -> Reading | None:
    """Return the reading in an event, None where it is of another version or no reading at all."""
    try:
        reading = Reading.model_validate_json(event.text)
    except ValidationError:
        return None
    return reading if reading.version == VERSION else None
