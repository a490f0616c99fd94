# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One step of a running episode: action, feedback, agent state, location, time (BrainMem, appendix B.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from karma_memory.events import Code, Event
from karma_memory.working.actions import Action, Effect, effect_of, goes_there

KEPT_PLACES = 5
"""Recently visited places."""


@dataclass(frozen=True)
class AgentState:
    """What the robot holds and where it is, as far as its skills told."""

    held: tuple[str, str] = ("", "")
    """Id and category of what it holds."""
    location: str = ""
    """Category of what it is at."""
    room: str = ""
    """Id of the room."""
    room_kind: str = ""
    """Category of the room: "Kitchen"."""
    places: tuple[str, ...] = ()
    """Categories of the last places it was at, each once in a row, oldest first."""
    scene: str = ""
    """Where all of this holds."""
    since: float = 0.0
    """When the hand last changed, seconds, the robot's clock."""
    source: str = ""
    """Id of the event by which it did."""

    @property
    def holding(self) -> str:
        """Category of what it holds, "" for nothing."""
        return self.held[1] or self.held[0].partition("|")[0]

    def within(self, scene: str) -> AgentState:
        """Return the state in a scene: nothing of another one holds there."""
        if scene in ("", self.scene):
            return self
        return AgentState(scene=scene) if self.scene else replace(self, scene=scene)

    def after(self, event: Event, action: Action, room: tuple[str, str]) -> AgentState:
        """Return the state after a skill. `room`: id and category of the room that it ended in, where known."""
        outcome = event.outcome
        if outcome is None:
            return self
        held = self._held_after(event, action)
        state = self if held == self.held else replace(self, held=held, since=event.stamp, source=event.id)
        if outcome.code is Code.SUCCESS and goes_there(action.skill):
            there = action.receptacle or action.category
            if there and there != state.holding:
                moved = (*self.places, there) if self.places[-1:] != (there,) else self.places
                state = replace(state, location=there, places=moved[-KEPT_PLACES:])
        if room[0] and (outcome.position is not None or (outcome.code is Code.SUCCESS and goes_there(action.skill))):
            if room[0] != state.room and not goes_there(action.skill):
                state = replace(state, location="")
            state = replace(state, room=room[0], room_kind=room[1])
        return state

    def _held_after(self, event: Event, action: Action) -> tuple[str, str]:
        assert event.outcome is not None
        effect, done = effect_of(action.skill), event.outcome.code is Code.SUCCESS
        nodes = {node.id: node for node in (*event.outcome.seen, *event.nodes)}
        for node in nodes.values():
            if node.relation == "held":
                return node.id, node.category
        known = nodes.get(self.held[0])
        if (self.held[0] in event.removed) or known is not None or (done and effect is Effect.LETS_GO):
            return "", ""
        return (action.object, action.category) if done and effect is Effect.TAKES else self.held

    def to_json(self) -> list[Any]:
        """Return the state as a list."""
        place = [self.location, self.room, self.room_kind, list(self.places), self.scene]
        return [list(self.held), *place, self.since, self.source]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> AgentState:
        """Return the state of a list."""
        held, location, room, kind, places, *rest = data
        return cls((held[0], held[1]), location, room, kind, tuple(places), *rest)


@dataclass(frozen=True)
class Step:
    """One step."""

    number: int
    """In the running episode, from 1; 0 outside it."""
    action: Action
    code: Code
    message: str
    before: str
    """Category of what was held before, "" for nothing."""
    holding: str
    """The same afterwards."""
    location: str
    room: str
    """Kind of room."""
    stamp: float
    """Seconds, the robot's clock."""
    seen: int = 0
    """Digest of the ids of what was seen, 0 for nothing."""

    @property
    def done(self) -> bool:
        """Whether it succeeded."""
        return self.code is Code.SUCCESS

    def to_json(self) -> dict[str, Any]:
        """Return the step as a JSON object."""
        return {**vars(self), "action": self.action.to_json(), "code": self.code.name}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Step:
        """Return the step of a JSON object."""
        return cls(**{**data, "action": Action(*data["action"]), "code": Code[data["code"]]})
