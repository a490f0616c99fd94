# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory of a running graph, asked over ROS, with the same calls as one in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from karma_interfaces.msg import Result
from karma_interfaces.srv import Ask, Forget, GetSceneGraph, Recall, Remember
from karma_language.answers.evidence import Answered
from karma_language.reading import Question
from karma_language.vocabulary.skill_words import where_is
from karma_memory import answer_conversions, conversions
from karma_memory.ask import Asked
from karma_memory.event_memory import Remembered
from karma_memory.events import Event
from karma_memory.home_memory import HomeMemory
from karma_memory.journal import JournalError
from karma_memory.journal.group_commit import BusyError
from karma_memory.recall.query import Answer, Query
from karma_memory.scene import InvalidEventError
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.state.live import UnknownRecordError
from karma_ros.client import GraphClient, GraphError

TIMEOUT_S = 60.0
"""How long the memory may take: it may have to look into its past."""
FOUND_S = 3.0
"""In which it has to be there."""


class GraphMemory(HomeMemory):
    """The memory server of a graph. Thread-safe; JournalError where it can't be reached."""

    def __init__(self, client: GraphClient) -> None:
        """`client`: of the graph; its owner closes it."""
        self._client = client

    def remember(self, events: Sequence[Event]) -> Remembered:
        """Commit events, all or none; see EventMemory."""
        request = Remember.Request(events=[conversions.from_event(event) for event in events])
        kept = self._call(Remember, "remember", request)
        return Remembered(tuple(kept.ids), tuple(kept.sequences))

    def ask(
        self, words: str, *, user: str = "", scene: str = "", at: float | None = None, question: Question | None = None
    ) -> Asked:
        """Answer a person's question; see EventMemory."""
        said = self._ask(words, user, scene, at, question)
        age = said.age if said.age >= 0.0 else None
        return Asked(Answered(said.answer, said.known, age), answer_conversions.to_recollections(said.evidence))

    def recall(self, query: Query) -> Answer:
        """Ask every memory the same question; see EventMemory."""
        request = answer_conversions.from_query(replace(query, scene=query.scene or self.home))
        found = self._call(Recall, "recall", request)
        return Answer(answer_conversions.to_recollections(found.recollections), found.prompt)

    def forget(self, ids: Sequence[str] = (), *, user: str = "") -> int:
        """Close the validity of records and return how many."""
        return int(
            self._call(
                Forget, "forget", Forget.Request(ids=[ids] if isinstance(ids, str) else list(ids), user=user)
            ).forgotten
        )

    def scene_graph(self, scene: str = "") -> SceneGraph | None:
        """Return the graph of a scene, None where it is not known."""
        try:
            told = self._call(GetSceneGraph, "get_scene_graph", GetSceneGraph.Request(scene=scene or self.home)).graph
        except UnknownRecordError:
            return None
        update = conversions.to_update(told)
        graph = SceneGraph(update.scene)
        for node in update.nodes:
            graph.observe(node, node.last_seen, "")
        for edge in update.edges:
            graph.connect(edge)
        return graph

    def picture(self, thing: str, *, user: str = "") -> bytes | None:
        """Return the newest picture of a thing where it is now, a JPEG or PNG; None where there is none."""
        pictures = self._ask(where_is(thing), user).picture
        return bytes(pictures[0].data) if pictures else None

    @property
    def current_scene(self) -> str:
        """Scene of the newest observation."""
        graph = self.scene_graph()
        return graph.scene if graph is not None else ""

    def _ask(
        self, words: str, user: str, scene: str = "", at: float | None = None, question: Question | None = None
    ) -> Any:
        reading = question.model_dump_json() if question is not None else ""
        then = conversions.from_seconds(at)
        request = Ask.Request(question=words, reading=reading, user=user, scene=scene or self.home, at=then)
        return self._call(Ask, "ask", request, Result.NOT_FOUND)

    def _call(self, service: Any, name: str, request: Any, *fine: int) -> Any:
        """Return an answer of the memory; `fine`: codes that are no errors, beside SUCCESS."""
        try:
            answer = self._client.call(service, f"memory/{name}", request, timeout=TIMEOUT_S, grace=FOUND_S)
        except GraphError as error:
            raise JournalError(str(error)) from error
        code, message = answer.result.code, answer.result.message
        if code in (Result.SUCCESS, *fine):
            return answer
        if code == Result.NOT_FOUND:
            raise UnknownRecordError(message)
        if code == Result.INVALID_ARGUMENT:
            raise InvalidEventError(message)
        raise BusyError(message) if code == Result.UNAVAILABLE else JournalError(message)
