# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's memory of instructions: written as events into karma_memory, read back from it."""

from __future__ import annotations

from collections.abc import Sequence

from karma_eval.memento.skills import Call, Run
from karma_eval.memento.task_data import Instruction
from karma_language.instructions import requests
from karma_memory import Memory
from karma_memory.episodic import handled_objects
from karma_memory.events import Code, Event, EventKind, SkillCall, SkillOutcome, SkillTarget
from karma_memory.profile.retrieval import EpisodeRetriever, PastEpisode
from karma_memory.recall.embedder import Embedder
from planner_node.plan.arranging.remembered import Past

ALL = 1000
"""Episodes of one user that are looked through."""
CANDIDATES = 5
"""Past requests that each part of an instruction may refer to."""
CLOSE = 0.5
"""Share of the best score from which on a past request is thought of at all."""
STAY = 0.85
"""Share of the best score from which on a part refers to the same past request as the part before it."""


class RememberedEpisodes:
    """Episodes of one user in a memory."""

    def __init__(self, memory: Memory, embedder: Embedder | None, user: str) -> None:
        self._memory = memory
        self._retriever = EpisodeRetriever(embedder)
        self._user = user
        self._stamp = 0.0

    def remember(self, instruction: Instruction, run: Run) -> None:
        """Write down an instruction, its skills and what became of it."""
        code = Code.EXECUTION_FAILURE if run.trouble else Code.SUCCESS
        episode = instruction.episode
        events = [self._event(EventKind.EPISODE_START, instruction, f"{episode}:start", instruction.text)]
        events += [
            self._event(
                EventKind.SKILL_OUTCOME, instruction, f"{episode}:{index}", call.thought, outcome=_outcome(call)
            )
            for index, call in enumerate(run.calls)
        ]
        events.append(self._event(EventKind.EPISODE_END, instruction, f"{episode}:end", code=code))
        self._memory.remember(events)

    def recall(self, instruction: Instruction) -> list[tuple[str, Sequence[Past]]]:
        """Return the parts of an instruction with the past requests that each may refer to, best first.

        Parts next to each other that refer to the same request are one part.
        """
        past = self._past(instruction)
        parts: list[tuple[str, str, list[Past]]] = []
        for text in requests(instruction.text):
            ranked = self._retriever.retrieve(text, user=self._user, scene=instruction.scene, limit=ALL)
            best = ranked[0].score if ranked else 0.0
            found = [f for f in ranked[:CANDIDATES] if f.score >= CLOSE * best]
            same = next((f for f in ranked if parts and f.episode.id == parts[-1][1]), None)
            if same is not None and same.score >= STAY * best:
                parts[-1] = (f"{parts[-1][0]} {text}", *parts[-1][1:])
            else:
                parts.append((text, found[0].episode.id if found else "", [past[f.episode.id] for f in found]))
        return [(text, likely) for text, _, likely in parts]

    def _past(self, instruction: Instruction) -> dict[str, Past]:
        found: dict[str, Past] = {}
        for episode in self._memory.episodes(self._user, instruction.scene):
            things = handled_objects(episode)
            objects = tuple((thing.category.replace("_", " "), thing.looks) for thing in things)
            found[episode.id] = Past(episode.instruction, objects)
            self._retriever.add(PastEpisode(episode.id, episode.instruction, episode.user, episode.scene))
        return found

    def _event(
        self,
        kind: EventKind,
        instruction: Instruction,
        name: str,
        text: str = "",
        *,
        outcome: SkillOutcome | None = None,
        code: Code = Code.UNSET,
    ) -> Event:
        self._stamp += 1.0
        return Event(
            f"{instruction.scene}:{name}",
            kind,
            self._stamp,
            user=self._user,
            scene=instruction.scene,
            episode=instruction.episode,
            text=text,
            outcome=outcome,
            code=code,
        )


def _outcome(call: Call) -> SkillOutcome:
    target = SkillTarget(call.target, call.target.rpartition("_")[0])
    place = SkillTarget(call.place, call.place.rpartition("_")[0])
    code = Code.SUCCESS if call.result.done else Code.EXECUTION_FAILURE
    return SkillOutcome(SkillCall(call.skill, target, place, call.relation), code, call.result.message)
