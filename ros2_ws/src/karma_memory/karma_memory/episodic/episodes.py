# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Episodes as a projection: an instruction, its skills and its outcome."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from karma_memory.episodic.attempts import judges
from karma_memory.events import Code, Event, EventKind, SkillCall, SkillOutcome, SkillTarget
from karma_memory.projection import Projection
from karma_memory.recall.index import HybridIndex
from karma_memory.recall.query import Record

KIND = "episodic"
KEPT_STEPS = 1000
"""Steps of an episode that stay at hand: the last ones; the journal has all."""
KEPT_TEXT = 500
"""Characters of a thought or an observation that stay at hand; the journal has all."""


@dataclass(frozen=True)
class Step:
    """One step of an episode: what the robot thought, did and was told by the skill (MEMENTO, appendix C.1)."""

    skill: str
    target: str
    """Category or id of what it was about."""
    code: Code
    object: str = ""
    """Id of what it was about."""
    place: str = ""
    """Id or category of the furniture, where the skill has one."""
    thought: str = ""
    """Line of the plan."""
    observation: str = ""
    """The skill's message."""

    @classmethod
    def of(cls, event: Event, outcome: SkillOutcome) -> Step:
        """Return the step that the outcome of a skill makes."""
        target, place = outcome.call.target, outcome.call.receptacle
        about = target.category or target.id
        put = "" if about else next((node.id for node in event.nodes if node.movable and node.receptacle), "")
        return cls(
            outcome.call.skill,
            about,
            outcome.code,
            target.id or put,
            place.id or place.category,
            event.text[:KEPT_TEXT],
            outcome.message[:KEPT_TEXT],
        )


@dataclass(frozen=True)
class Episode:
    """One instruction and what became of it."""

    id: str
    instruction: str
    user: str
    scene: str
    source: str
    """Id of the event that started it."""
    start: float
    """Seconds, the robot's clock."""
    end: float | None = None
    code: Code = Code.UNSET
    """UNSET while it runs."""
    verdict: Code = Code.UNSET
    """What a person said of it."""
    summary: str = ""
    message: str = ""
    """What the robot said at the end: why it failed."""
    steps: tuple[Step, ...] = ()

    @property
    def text(self) -> str:
        """One line for people and prompts."""
        outcome = "not finished" if self.code is Code.UNSET else self.code.name.lower().replace("_", " ")
        if self.code is Code.SUCCESS and self.verdict not in (Code.UNSET, Code.SUCCESS):
            outcome = "not as wanted"
        return f'"{self.instruction}": {outcome}' + (f", {self.summary}" if self.summary else "")

    def to_json(self) -> dict[str, Any]:
        """Return the episode as a JSON object."""
        said = {**vars(self), "code": self.code.name, "steps": [_step_to_json(step) for step in self.steps]}
        verdict = said.pop("verdict")
        if not said["message"]:
            del said["message"]
        return said if verdict is Code.UNSET else {**said, "verdict": verdict.name}


class EpisodicMemory(Projection):
    """Every instruction, successful or not. Those of a user are that user's own."""

    kind = KIND

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self._episodes: dict[str, Episode] = {}
        self._starts: list[tuple[float, str]] = []
        """When each was begun and its id, the first first."""
        self._with: defaultdict[str, set[str]] = defaultdict(set)
        """Id or category of a thing or place → the episodes in which something was done with it."""

    def episode(self, episode_id: str) -> Episode | None:
        """Return an episode, or None when it is unknown or forgotten."""
        return self._episodes.get(episode_id)

    def episodes(self) -> list[Episode]:
        """Return all episodes, with their steps, in the order in which they were begun."""
        return list(self._episodes.values())

    def between(self, since: float, until: float) -> Iterator[Episode]:
        """Yield the episodes that were begun in a stretch of time, the newest first."""
        first, last = bisect_left(self._starts, (since, "")), bisect_right(self._starts, (until, chr(sys.maxunicode)))
        yield from (self._episodes[name] for _, name in reversed(self._starts[first:last]))

    def handling(self, names: Iterable[str], words: str = "") -> list[Episode]:
        """Return the episodes in which something was done with things, the newest first.

        `names`: ids and categories of the things; `words`: what they are called, for those that came to nothing.
        """
        found = {episode for name in names for episode in self._with.get(name, ())}
        for record in self._index.saying(KIND, words) if words else ():
            name = record.id.partition(":")[2]
            if not self._episodes[name].steps or self._episodes[name].code is not Code.SUCCESS:
                found.add(name)
        return sorted((self._episodes[name] for name in found), key=lambda one: (one.start, one.id), reverse=True)

    def observe(self, event: Event) -> None:
        """Take in starts, skills, ends and edits. Events of an episode whose start is unknown are ignored."""
        if event.kind is EventKind.EDIT:
            self._edit(event)
        elif event.kind is EventKind.EPISODE_START:
            if event.episode not in self._episodes:
                self._put(Episode(event.episode, event.text, event.user, event.scene, event.id, event.stamp))
        elif (episode := self._episodes.get(event.episode)) is not None:
            if event.kind is EventKind.SKILL_OUTCOME and event.outcome is not None:
                steps = (*episode.steps, Step.of(event, event.outcome))[-KEPT_STEPS:]
                self._episodes[episode.id] = replace(episode, steps=steps)
                self._note(episode.id, steps[-1:])
            elif event.kind is EventKind.EPISODE_END:
                said = event.text or event.message
                ended = replace(episode, end=event.stamp, code=event.code, summary=said, message=event.message)
                self._put(ended)
            elif event.kind is EventKind.FEEDBACK and judges(event, episode.user):
                self._put(replace(episode, verdict=event.code))

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {"episodes": list(self._episodes.values())}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        for item in state["episodes"]:
            self._put(_from_json(item))

    def _note(self, name: str, steps: Iterable[Step]) -> None:
        """Note with what something was done in an episode."""
        for step in steps:
            for thing in {step.target, step.object, step.place} - {""}:
                self._with[thing].add(name)

    def _put(self, episode: Episode) -> None:
        if episode.id not in self._episodes:
            insort(self._starts, (episode.start, episode.id))
            self._note(episode.id, episode.steps)
        self._episodes[episode.id] = episode
        self._index.put(
            Record(
                id=f"{KIND}:{episode.id}",
                kind=KIND,
                text=episode.text,
                label=episode.instruction,
                source=episode.source,
                valid_from=episode.start,
                user=episode.user,
                scene=episode.scene,
            )
        )

    def _edit(self, event: Event) -> None:
        kind, _, episode_id = event.target.partition(":")
        episode = self._episodes.get(episode_id)
        if kind != KIND or episode is None:
            return
        if event.text:
            self._put(replace(episode, summary=event.text))
        else:
            del self._episodes[episode_id]
            self._starts.remove((episode.start, episode.id))
            for episodes in self._with.values():
                episodes.discard(episode.id)
            self._index.discard(event.target)


def instruction(episode: Episode) -> Event:
    """Return the event that began an episode, as far as its words go."""
    return Event(
        episode.source,
        EventKind.EPISODE_START,
        episode.start,
        user=episode.user,
        scene=episode.scene,
        episode=episode.id,
        text=episode.instruction,
    )


def lived_through(episodes: Iterable[Episode]) -> Iterator[Event]:
    """Yield events that would have made episodes, as far as these tell: for what was not made of the real ones."""
    for episode in sorted(episodes, key=lambda one: one.start):
        begun = instruction(episode)
        yield begun
        for step in episode.steps:
            category = "" if step.target == step.object else step.target
            target, place = SkillTarget(step.object, category), SkillTarget(step.place)
            outcome = SkillOutcome(SkillCall(step.skill, target, place), step.code, step.observation)
            yield replace(begun, kind=EventKind.SKILL_OUTCOME, text="", outcome=outcome)
        if episode.end is not None:
            yield replace(begun, kind=EventKind.EPISODE_END, stamp=episode.end, code=episode.code)


def _step_to_json(step: Step) -> list[str]:
    """Return a step as a list without what is empty at its end; up to version 3 of the state, it had no more than 3."""
    items = [step.skill, step.target, step.code.name, step.object, step.place, step.thought, step.observation]
    return items[: max(3, *(place for place, item in enumerate(items, 1) if item))]


def _from_json(data: dict[str, Any]) -> Episode:
    steps = tuple(Step(skill, target, Code[code], *more) for skill, target, code, *more in data["steps"])
    codes = {"code": Code[data["code"]], "verdict": Code[data.get("verdict", Code.UNSET.name)]}
    return Episode(**{**data, **codes, "steps": steps})
