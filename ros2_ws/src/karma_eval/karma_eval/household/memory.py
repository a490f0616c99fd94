# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The real memory in this process as the planner's (see planner_node.memory.MemoryClient).

It does what the memory server and the planner's client do between them, without ROS: the same journal, the same
question, the same answers. Single kinds of memory can be switched off, to find out what each is worth.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from karma_eval.household import conversions
from karma_language.reading import Question
from karma_memory import (
    BusyError,
    DuplicateEventError,
    EditError,
    InvalidEventError,
    JournalError,
    Memory,
    PastUnknownError,
    Query,
    UnknownRecordError,
)
from planner_node.memory import Answer, Event, MemoryRefused, MemoryUnavailable, Recall, SceneGraph

LONG_TERM, SHORT_TERM = "long_term", "short_term"
"""Kinds of memory that KARMA has."""
LIMIT, TOKENS = 10, 1000
"""Recollections of one answer, and tokens of its prompt, where the planner does not say."""
_REFUSED = (InvalidEventError, EditError, DuplicateEventError, PastUnknownError, UnknownRecordError)
_UNAVAILABLE = (JournalError, BusyError)


class HouseholdMemory:
    """A memory as one planner sees it. Give several planners one each, over the same `memory`."""

    def __init__(
        self,
        memory: Memory,
        *,
        scene: str,
        now: Callable[[], float],
        without: Collection[str] = (),
    ) -> None:
        """`scene`: where the robot is; `now`: its time, seconds; `without`: kinds of memory that say nothing."""
        self.memory = memory
        self.scene = scene
        self.without = frozenset(without)
        self._now = now
        self.recalled: list[Recall] = []
        """Every answer that was given."""

    @property
    def _general(self) -> frozenset[str]:
        """Kinds that answer a question that is not for certain ones."""
        return self.memory.with_state(lambda state: frozenset(state.projections) - state.guiding.keys()) - self.without

    def recall(
        self,
        query: str,
        user: str = "",
        scene: str = "",
        limit: int = 0,
        kinds: Sequence[str] = (),
    ) -> Recall:
        """Ask the kinds of memory that are not switched off; see MemoryClient."""
        asked = frozenset(kinds) & all_kinds(self.memory) - self.without if kinds else self._general
        if not asked:
            return Recall()
        whole = Query(
            query,
            user=user,
            scene=scene,
            kinds=asked,
            now=self._now(),
            limit=limit or LIMIT,
            token_budget=TOKENS,
        )
        with _named():
            answer = self.memory.recall(whole)
        recall = Recall(tuple(map(conversions.recollection_from, answer.recollections)), answer.prompt)
        self.recalled.append(recall)
        return recall

    def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
        """Have the memory answer a question; one of which kinds are switched off knows nothing."""
        if self.without:
            return Answer()
        with _named():
            asked = self.memory.ask(words, user=user, scene=scene, now=self._now(), question=question)
        evidence = tuple(map(conversions.recollection_from, asked.evidence))
        return Answer(asked.answered.text, asked.answered.known, asked.answered.look, evidence)

    def scene_graph(self) -> SceneGraph:
        """Return what long-term memory knows of the scene: nothing where it is switched off."""
        if LONG_TERM in self.without:
            return SceneGraph(self.scene)
        with _named():
            graph = self.memory.scene_graph(self.scene)
        return SceneGraph(self.scene) if graph is None else conversions.graph_from(graph)

    def remember(self, events: Sequence[Event]) -> bool:
        """Commit events; return whether the last is kept."""
        with _named():
            sequences = self.memory.remember(
                [conversions.event_to(event, scene=self.scene, now=self._now()) for event in events]
            ).sequences
        return not sequences or bool(sequences[-1])


def all_kinds(memory: Memory) -> frozenset[str]:
    """Return the kinds of memory that there are."""
    return memory.with_state(lambda state: frozenset(state.projections))


@contextlib.contextmanager
def opened(embedder: str = "auto") -> Iterator[Memory]:
    """Open a memory whose journal lies in a temporary folder, which goes with it.

    `embedder`: see karma_memory.recall.embedder.make_embedder.
    """
    with (
        tempfile.TemporaryDirectory(prefix="karma-memory-") as folder,
        Memory(Path(folder) / "memory.sqlite3", embedder=embedder) as memory,
    ):
        yield memory


@contextlib.contextmanager
def _named() -> Iterator[None]:
    """Give the memory's errors the names by which the planner knows them."""
    try:
        yield
    except _REFUSED as error:
        raise MemoryRefused(str(error)) from error
    except _UNAVAILABLE as error:
        raise MemoryUnavailable(str(error)) from error
