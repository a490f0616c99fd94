# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory of a robot, in one file: what to see, tell and ask by names, and all of it by events."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from karma_language.vocabulary.skill_words import where_is
from karma_memory.event_memory import EventMemory
from karma_memory.home_memory import HomeMemory
from karma_memory.recall.query import Answer, Query
from karma_memory.scene import Layer, Node, check_id, check_stamp
from karma_memory.scene_graph.beliefs import Belief
from karma_memory.scene_graph.called import all_called
from karma_memory.scene_graph.graph import SceneGraph
from karma_memory.state.state import MemoryState
from karma_memory.told.terms import seconds

if TYPE_CHECKING:
    from karma_language.reading import Question
    from karma_memory.ask import Asked


class Memory(EventMemory, HomeMemory):
    """Everything a robot remembers, in one file.

    with Memory("home.sqlite3") as memory:
        memory.see("mug", on="kitchen table", room="kitchen", at=(1.0, 2.0, 0.9))
        memory.tell("The blue mug is mine.", user="ann")
        print(memory.ask("where is the mug?", user="ann").text)

    HomeMemory says what there is by names, EventMemory what there is by events.
    """

    def __init__(
        self, location: str | os.PathLike[str], *, scene: str = "", robot: str = "", embedder: str = "auto", **more: Any
    ) -> None:
        """Open the memory at `location`, a file or postgresql://…, or make it.

        `scene`: the home that is meant where a call names none; empty: the one that was seen last, else "home".
        `robot`: who remembers. `embedder`: "auto" (by meaning, where the extra `embeddings` is installed, else by words
        alone), "lexical", "minilm", or a model of sentence-transformers. `more`: see EventMemory, and for the errors;
        ValueError, too, where `location` is no name of a file.
        """
        if str(location).strip() in ("", ":memory:"):
            raise ValueError(f"a memory is a file: give the name of one, such as home.sqlite3, not {location!r}")
        self.home = check_id("scene", scene, empty=True)
        self.robot = check_id("robot", robot, empty=True)
        super().__init__(location, embedder=embedder, **more)

    def ask(
        self,
        words: str,
        *,
        now: float | datetime | None = None,
        user: str = "",
        scene: str = "",
        at: float | datetime | None = None,
        question: Question | None = None,
    ) -> Asked:
        """Answer a person's question; see EventMemory."""
        scene, at, now = scene or self.home, _seconds("at", at), _seconds("now", now)
        return super().ask(words, now=now, user=user, scene=scene, at=at, question=question)

    def recall(self, query: Query | str, *, user: str = "", limit: int | None = None) -> Answer:
        """Ask every memory the same question, or for what has to do with a text; see EventMemory.

        `user`, `limit`: as in the query, and instead of its own. Of things, those of the home that is meant.
        """
        asked = query if isinstance(query, Query) else Query(query)
        limit = asked.limit if limit is None else limit
        return super().recall(replace(asked, scene=asked.scene or self.home, user=user or asked.user, limit=limit))

    def scene_graph(self, scene: str = "", *, at: float | datetime | None = None) -> SceneGraph | None:
        """Return a copy of the graph of a scene; see EventMemory."""
        return super().scene_graph(scene or self.home, at=_seconds("at", at))

    def find_all(self, name: str, scene: str = "", layer: Layer = Layer.OBJECT, *, at: str = "") -> list[Node]:
        """Return all nodes that are called so; see HomeMemory."""
        where = scene or self.home or self.current_scene
        return self.with_state(lambda state: all_called(state.long_term.graph(where), name, layer, at))

    def _gone_at(self, node_id: str, scene: str) -> float:
        """Return when a thing that is not there any more was found gone, seconds; 0.0 where that is not known."""

        def history(state: MemoryState) -> list[Belief]:
            graph = state.long_term.graph(scene)
            return graph.history(node_id) if graph is not None else []

        before = self.with_state(history)
        return (before[-1].valid_until or 0.0) if before else 0.0

    def _is_user(self, name: str) -> bool:
        """Whether something is known of a user of this name."""
        word = name.casefold()
        records = self.with_state(lambda state: [*state.index.records.values()])
        return any(record.user.casefold() == word for record in records)

    def picture(self, thing: str, *, user: str = "") -> bytes | None:
        """Return the newest picture of a thing where it is now, a JPEG or PNG; None where there is none."""
        pictured = self.ask(where_is(thing), user=user).picture
        return self.image(pictured.sha256) if pictured is not None else None


def _seconds(what: str, moment: float | datetime | None) -> float | None:
    return None if moment is None else check_stamp(what, seconds(moment))
