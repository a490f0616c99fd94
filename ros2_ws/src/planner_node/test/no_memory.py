# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A memory that knows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from karma_language.reading import Question
from planner_node.memory import Answer, Event, Recall, SceneGraph


@dataclass
class NoMemory:
    """A robot without memory: knows nothing, keeps what it is told for whoever looks."""

    events: list[Event] = field(default_factory=list)

    def recall(self, query: str, user: str = "", scene: str = "", limit: int = 0, kinds: Sequence[str] = ()) -> Recall:
        return Recall()

    def ask(self, words: str, user: str = "", scene: str = "", question: Question | None = None) -> Answer:
        return Answer()

    def scene_graph(self) -> SceneGraph:
        return SceneGraph()

    def remember(self, events: Sequence[Event]) -> bool:
        self.events.extend(events)
        return True
