# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The past as the memory tells it: what happened, a few events at a time, and what was known at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from karma_interfaces.action import ExecuteInstruction
from karma_interfaces.msg import InstructionStatus, MemoryEvent, PlannerState, Recollection, Result
from karma_language.answers.plain_words import calls_in_words
from karma_ros.result_codes import code_name
from karma_view.known import Known
from karma_view.ros.robot import Robot, to_time
from karma_view.text import named, seconds

KINDS = {
    MemoryEvent.OBSERVATION: "seen",
    MemoryEvent.SKILL_OUTCOME: "skill",
    MemoryEvent.EPISODE_START: "instruction",
    MemoryEvent.EPISODE_END: "ended",
    MemoryEvent.TOLD: "told",
    MemoryEvent.FEEDBACK: "feedback",
    MemoryEvent.EDIT: "edited",
}
"""What the kinds of events are called here."""
OF_INSTRUCTIONS = (MemoryEvent.EPISODE_START, MemoryEvent.SKILL_OUTCOME, MemoryEvent.EPISODE_END)
CHUNKS = (50, *[500] * 10)
"""Positions of the journal that are looked at, one after the other, for one page of events."""
USUAL_EVENTS, MOST_EVENTS = 500, 5000
"""Of instructions, that are asked for at first, and if the running one has more; the memory tells no more at once."""
MOST_RECORDS = 1000
"""Recollections that the memory tells at once."""


@dataclass(frozen=True)
class Happened:
    """An event and its place in the journal."""

    position: int
    """Counts from 1; later ones are larger, not each is taken."""
    event: Any
    """karma_interfaces/MemoryEvent, without nodes, edges and picture."""

    @property
    def stamp(self) -> float:
        """When it happened, seconds in the robot's clock."""
        return seconds(self.event.stamp)


@dataclass(frozen=True)
class Span:
    """From where to where the past is known."""

    first: int
    last: int
    """Positions in the journal of the oldest event and the newest."""
    since: float
    until: float
    """Since when it is known what was known, and when the newest event happened, seconds."""


@dataclass(frozen=True)
class Page:
    """Some events, the oldest first."""

    rows: tuple[Happened, ...] = ()
    start: int = 1
    """Nothing that was asked for is left out from this position,"""
    end: int = 0
    """to this one."""


class History:
    """Asks the memory about the past. Keeps nothing of it; every call blocks, and raises GraphError."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def span(self, before: Span | None = None) -> Span | None:
        """Return from where to where the past is known; None where nothing has happened. `before`: the last answer."""
        newest = self._robot.events(newest=True, limit=1)
        if not newest.sequences:
            return None
        since = seconds(newest.since)
        if before is not None and before.since == since:
            first = before.first
        else:
            oldest = self._robot.events(since=since, limit=1).sequences
            first = oldest[0] if oldest else newest.sequences[-1]
        return Span(first, newest.sequences[-1], since, seconds(newest.until))

    def at(self, position: int) -> Happened | None:
        """Return the event at a position of the journal or the next one; None after the last."""
        return next(iter(_happened(self._robot.events(after=position - 1, limit=1))), None)

    def until(self, at: float) -> Happened | None:
        """Return the last event until a time, seconds; None where there was none."""
        return next(iter(_happened(self._robot.events(until=at, newest=True, limit=1))), None)

    def before(
        self, position: int, count: int = 1, wanted: Callable[[Any], bool] = lambda event: True, *, first: int = 1
    ) -> Page:
        """Return the last `count` events that are `wanted` before a position, from `first` on.

        Where that would take too long, what has been found: `start` says from where.
        """
        start, found = position, list[Happened]()
        for size in CHUNKS:
            if start <= first or len(found) >= count:
                break
            end, start = start, max(start - size, first)
            chunk = _happened(self._robot.events(after=start - 1, limit=end - start))
            found[:0] = [one for one in chunk if one.position < end and wanted(one.event)]
        if len(found) > count:
            found = found[-count:]
            start = found[0].position
        return Page(tuple(found), start, position - 1)

    def after(self, position: int, count: int = 1, wanted: Callable[[Any], bool] = lambda event: True) -> Page:
        """Return the first `count` events that are `wanted` after a position.

        Where that would take too long, what has been found: `end` says to where.
        """
        end, found = position, list[Happened]()
        for size in CHUNKS:
            response = self._robot.events(after=end, limit=size)
            found += [one for one in _happened(response) if wanted(one.event)]
            end = max(end, response.last_sequence)
            if len(response.sequences) < size or len(found) >= count:
                break
        if len(found) > count:
            found = found[:count]
            end = found[-1].position
        return Page(tuple(found), position + 1, end)

    def known(self, at: float, superseded: Callable[[], bool] = lambda: False) -> Known | None:
        """Return what was known at a time, seconds; None where it is `superseded` before all of it has been asked for.

        The floor plan, the camera's pictures and where the robot stood are not remembered.
        """
        graph = self._robot.graph_at(at)
        if superseded():
            return None
        short_term = self._robot.short_term_at(at)
        if superseded():
            return None
        return Known(stamp=at, graph=graph, short_term=short_term, planner=self.planner(at))

    def planner(self, at: float) -> Any:
        """Return PlannerState as the events up to a time tell it: of the instruction that the last of them belongs to.

        Whether the robot was paused, what waited, and what was planned but not done is not remembered.
        """
        for limit in (USUAL_EVENTS, MOST_EVENTS):
            told = self._robot.events(until=at, newest=True, kinds=OF_INSTRUCTIONS, limit=limit).events
            last = next((event.episode for event in reversed(told) if event.episode), "")
            own = [event for event in told if last and event.episode == last]
            if len(told) < limit or (own and own[0].kind == MemoryEvent.EPISODE_START):
                break
        state = PlannerState(stamp=to_time(at))
        if own:
            status = _status(own)
            status.recalled = self._recollections(own[-1].used, status.user, at)
            state.instruction = [status]
        return state

    def _recollections(self, ids: Sequence[str], user: str, at: float) -> list[Any]:
        """Return recollections by their ids, as they were at a time; with no more than the id where one is gone."""
        if not ids:
            return []
        kinds = sorted({name.partition(":")[0] for name in ids})
        held = self._robot.browse(user=user, kinds=kinds, at=at, limit=MOST_RECORDS).recollections
        known = {record.id: record for record in held}
        return [known.get(name) or Recollection(kind=name.partition(":")[0], id=name) for name in ids]


def _happened(response: Any) -> list[Happened]:
    return [Happened(*pair) for pair in zip(response.sequences, response.events, strict=True)]


def _status(events: Sequence[Any]) -> Any:
    """Return InstructionStatus of an instruction, as its events so far tell it."""
    status = InstructionStatus(id=events[0].episode, stage=ExecuteInstruction.Feedback.ACT)
    for event in events:
        if event.user:
            status.user = event.user
        if event.goals:
            status.goals = list(event.goals)
        if event.kind == MemoryEvent.EPISODE_START:
            status.instruction, status.retry_of, status.began = event.text, event.retry_of, event.stamp
        elif event.kind == MemoryEvent.SKILL_OUTCOME:
            status.done = [*status.done, *event.outcome]
        else:
            status.ended, status.result, status.stage = True, event.result, ExecuteInstruction.Feedback.LEARN
    if not status.ended:
        status.step = words(events[-1]) if events[-1].kind == MemoryEvent.SKILL_OUTCOME else ""
    elif status.result.code == Result.SUCCESS:
        status.goal = len(status.goals)
    return status


def words(event: Any) -> str:
    """Return an event's text as one line for people."""
    text = " ".join(event.text.split())
    if event.kind == MemoryEvent.OBSERVATION:
        return text or "what is in sight"
    if event.kind == MemoryEvent.SKILL_OUTCOME and event.outcome:
        call, result = event.outcome[0].call, event.outcome[0].result
        categories = {one.id: one.category for one in (call.target, call.receptacle) if one.category}
        said = calls_in_words(named(text, categories)) or call.skill
        return f"{said}: {code_name(result)} {named(result.message, categories)}".strip()
    if event.kind == MemoryEvent.EPISODE_END:
        return f"{code_name(event.result)} {calls_in_words(text)}".strip()
    if event.kind == MemoryEvent.EDIT and not text:
        return f"{event.target} is forgotten"
    return text
