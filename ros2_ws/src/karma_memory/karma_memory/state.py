# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The state of all memories after some events, and the answer to a query in that state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karma_language.evidence import Answered
from karma_language.questions import read_question
from karma_language.reading import Kind
from karma_language.vocabulary import household
from karma_language.wording import Wording
from karma_memory.ask import collect
from karma_memory.episodic import EpisodicMemory
from karma_memory.episodic.episodes import lived_through
from karma_memory.episodic.trajectories import TrajectoryMemory
from karma_memory.events import Event, EventKind
from karma_memory.facts import FactAgent, FactAnswer, FactsMemory
from karma_memory.guidelines.memory import GuidelineMemory
from karma_memory.preferences.memory import PreferenceMemory
from karma_memory.privacy.consent import Consents
from karma_memory.profile.projected import ProfileMemory
from karma_memory.projection import Guiding, Personal, Projection
from karma_memory.recall.index import HybridIndex, Search
from karma_memory.recall.prompt import compose
from karma_memory.recall.query import Answer, Query, Recollection, Record
from karma_memory.recall.rank import rank
from karma_memory.scene_graph.long_term import LongTermMemory
from karma_memory.scene_graph.text import area_lines
from karma_memory.short_term.memory import ShortTermMemory
from karma_memory.short_term.policy import PolicySettings
from karma_memory.told import ToldMemory
from karma_memory.working.memory import WorkingMemory

BY_RULES = frozenset({"profile", "preferences", "facts", "guideline"})
"""Kinds that rules make, of people's words or of what failed and then worked: better rules make another state of the
same events."""
OF_THE_ROBOT = frozenset({Kind.HOLDING, Kind.ROBOT, Kind.ABLE})
"""Questions that the planner answers: how the robot is now."""
VOCABULARY = "vocabulary"
"""Key of the common vocabulary in a snapshot, beside those of the kinds."""
CONSENTS = "consents"
"""Key of what users agreed to, where any did."""


class MemoryState:
    """All kinds of memory and their common index. A function of the events applied, in order. Not thread-safe."""

    def __init__(self, settings: PolicySettings) -> None:
        self.index = HybridIndex()
        self.consents = Consents()
        self.long_term = LongTermMemory(self.index)
        self.short_term = ShortTermMemory(self.index, settings, self.long_term)
        self.episodic = EpisodicMemory(self.index)
        self.working = WorkingMemory(self.long_term)
        self.trajectories = TrajectoryMemory(self.working)
        self.guidelines = GuidelineMemory(self.index, self.trajectories)
        self.told = ToldMemory(self.index)
        self.profile = ProfileMemory(self.index)
        self.preferences = PreferenceMemory(self.index)
        self.facts = FactsMemory(self.index)
        personal: tuple[Personal, ...] = (self.told, self.profile, self.preferences, self.facts)
        self.personal = {projection.kind: projection for projection in personal}
        """Memories of what people say of themselves."""
        shared: tuple[Projection, ...] = (self.long_term, self.short_term, self.episodic)
        guiding: tuple[Guiding, ...] = (self.working, self.trajectories, self.guidelines)
        self.guiding = {projection.kind: projection for projection in guiding}
        """Memories that guide a planner (BrainMem), each made of what those before it know. They are asked by their
        kinds only: they answer what is to be done, not what is the case."""
        self.projections = {projection.kind: projection for projection in (*shared, *personal, *guiding)}

    def apply(self, event: Event) -> None:
        """Let every memory observe an event."""
        edited = self.index.records.get(event.target) if event.kind is EventKind.EDIT and not event.message else None
        self.consents.observe(event)
        for projection in self.projections.values():
            projection.observe(event)
        if edited is not None and edited.user and (edited.kind in self.personal or not event.text):
            self._take_back(edited, event)

    def sources(self) -> set[str]:
        """Return the ids of the events that current records rest on."""
        return {record.source for record in self.index.records.values()}

    def search(self, query: Query, vector: NDArray[np.float32] | None) -> Search:
        """Find records by words and, with the query's embedding, by meaning; for a query without a text, all."""
        table = self.index.table
        query = self.permitted(query)
        accepted = table.accepted(query, (query.kinds or self.projections.keys()) - self.guiding.keys())
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
        said = self.facts.answer(query) if self.facts.kind in kinds else FactAnswer(())
        evidence = self.facts.records(query.user, said)
        answer = said.said
        everything = {self.long_term.kind, self.episodic.kind} <= {*kinds}
        if everything and (asked := self._asked(query, told=bool(answer))) is not None:
            answer = asked.text
            known = asked.records if asked.known else ()
            evidence = [record for name in known if (record := self.index.records.get(name)) is not None]
        return Answer(
            tuple(recollections),
            compose(recollections, self._area_lines(query, search), query.token_budget),
            search.categories,
            answer,
            tuple(Recollection(record, 1.0, ("answers",)) for record in evidence),
            bool(query.user and kinds == [self.facts.kind] and not said.entities) and self.facts.tells(query.text),
        )

    def _asked(self, query: Query, *, told: bool) -> Answered | None:
        """Return the answer to a question about the home and its past, None for what is none.

        `told`: whether what a person told answers it. It stands beside what was seen where that says where a thing is.
        """
        now = query.now if query.now is not None else self.long_term.newest
        question = read_question(query.text, household(), now)
        if question is None or question.kind in OF_THE_ROBOT:
            return None
        if any(thing.floor for thing in (question.thing, question.place and question.place.thing) if thing):
            return None  # the scene graph's floors have no names that people use
        evidence = collect(question, self, scene=query.scene, user=query.user, now=now)
        over = {f"{self.told.kind}:{self.index.records[ended].source}" for ended in self.facts.ended(query)}
        if evidence.quoted and evidence.said[0].record in over:
            return None
        if question.kind is Kind.TOLD and evidence.gap is not None:
            return None
        if told and not (question.kind is Kind.WHERE and evidence.sightings):
            return None
        if (
            question.kind is Kind.WHERE
            and evidence.gap is not None
            and not (question.thing and question.thing.categories)
        ):
            return None  # the words of a person for something that no robot sees: "where does my sister live?"
        return Wording(household()).answer(question, evidence)

    def fact_agent(self, user: str, now: float) -> FactAgent:
        """Return what knows what a user told of themselves, and holds at `now`, seconds; see FactsMemory.agent."""
        return self.facts.agent(user if self.may_use(user) else "", now)

    def snapshot(self) -> dict[str, Any]:
        """Return the state, which stays as it is and of which encoding.dumps makes JSON; see Projection."""
        kinds = {kind: projection.snapshot() for kind, projection in self.projections.items()}
        consents = self.consents.snapshot()
        return {**kinds, VOCABULARY: self.index.vocabulary.snapshot(), **({CONSENTS: consents} if consents else {})}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state, as JSON; this one must be fresh.

        A personal memory that it doesn't have, because there was none of that kind yet, is made of what people said.
        """
        self.index.vocabulary.restore(state[VOCABULARY])
        self.consents.restore(state.get(CONSENTS, {}))
        for kind, projection in self.projections.items():
            if kind in state:
                projection.restore(state[kind])
        if missing := [memory for kind, memory in self.personal.items() if kind not in state]:
            for event in self._said():
                for memory in missing:
                    memory.observe(event)
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
        """Return what people said and what still holds of it, in order."""
        told = [
            Event(s.id, EventKind.TOLD, s.valid_from, user=s.user, scene=s.scene, text=s.text)
            for s in self.told.statements()
            if s.valid_until is None
        ]
        begun = [
            Event(
                e.source, EventKind.EPISODE_START, e.start, user=e.user, scene=e.scene, episode=e.id, text=e.instruction
            )
            for e in self.episodic.episodes()
        ]
        return sorted([*told, *begun], key=lambda event: event.stamp)

    def _take_back(self, edited: Record, event: Event) -> None:
        """Take back what a person said, or let them say it otherwise, in every memory that made something of the words.

        Who changes what one memory made of them leaves what else that one made of the same words.
        """
        others = [memory for kind, memory in self.personal.items() if kind != edited.kind]
        for memory in others:
            for record_id in memory.resting_on(edited.source):
                memory.observe(replace(event, target=record_id, text=""))
        if event.text:
            said = Event(event.id, EventKind.TOLD, event.stamp, user=edited.user, scene=edited.scene, text=event.text)
            for memory in others:
                memory.observe(said)

    def _area_lines(self, query: Query, search: Search) -> Iterable[str]:
        """Return the long-term memory of the query's scene (or the current one) in KARMA's form."""
        if query.kinds and self.long_term.kind not in query.kinds:
            return []
        graph = self.long_term.graph(query.scene or self.long_term.current_scene)
        return [] if graph is None else area_lines(graph, categories=search.categories, near=query.near)
