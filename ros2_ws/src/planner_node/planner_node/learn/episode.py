# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is worth remembering of an instruction: its start, each skill with the objects as it left them, its end."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from karma_language.reading import Reading
from planner_node.memory import Event, EventKind, MemoryClient, MemoryRefused, MemoryUnavailable
from planner_node.skills import Code, Outcome
from planner_node.world import World

_LOG = logging.getLogger(__name__)
_MOST_UNSENT = 1000


@dataclass(frozen=True)
class Receipt:
    """What became of an event: the memory has it, it waits here for the memory, or the memory does not keep it."""

    code: Code = Code.SUCCESS
    """SUCCESS, UNAVAILABLE, INVALID_ARGUMENT, or REFUSED where its user does not agree that it is kept."""
    message: str = ""
    """Why the memory does not have it, for a person."""


_NOT_KEPT = Receipt(
    Code.REFUSED, "You don't agree that I keep what you say (service memory/set_consent): I will forget it."
)


class Recorder:
    """Sends events to the memory. What can't be sent is kept and sent with the next; ids make that harmless."""

    def __init__(self, memory: MemoryClient) -> None:
        self._memory = memory
        self._unsent: deque[Event] = deque()
        self._lock = threading.RLock()
        self.trouble = ""
        """Why the memory did not take the last events; empty where it did."""

    def remember(self, *events: Event) -> Receipt:
        """Send events together, and what could not be sent before; return what became of the last."""
        with self._lock:
            while len(self._unsent) + len(events) > _MOST_UNSENT:
                lost = self._unsent.popleft()
                _LOG.error("%d events wait for the memory; %s %s is lost.", _MOST_UNSENT, lost.kind.value, lost.id)
            self._unsent += events
            return self._flush()

    def catch_up(self) -> None:
        """Send what could not be sent before, if anything."""
        with self._lock:
            if self._unsent:
                self._flush()

    def _flush(self) -> Receipt:
        """Send what waits; return what became of the last of it."""
        events = list(self._unsent)
        try:
            kept = self._memory.remember(events)
        except MemoryUnavailable as error:
            if not self.trouble:
                _LOG.warning("The memory takes nothing (%s); %d events are kept until it does.", error, len(events))
            self.trouble = f"The memory does not have that yet, and I forget it if I am restarted: {error}"
            return Receipt(Code.UNAVAILABLE, self.trouble)
        except MemoryRefused as error:
            return self._one_by_one(events, error)
        self._unsent.clear()
        self.trouble = ""
        return Receipt() if kept else _NOT_KEPT

    def _one_by_one(self, events: list[Event], reason: MemoryRefused) -> Receipt:
        """Send events singly, so that one that the memory refuses, which is dropped, does not hold up the others."""
        self._unsent.clear()
        if len(events) == 1:
            _LOG.error(
                "The memory refuses %s event %s, which is dropped: %s", events[0].kind.value, events[0].id, reason
            )
            return Receipt(Code.INVALID_ARGUMENT, f"The memory does not accept that: {reason}")
        return [self.remember(event) for event in events][-1]


class Episode:
    """The events of one instruction."""

    def __init__(self, recorder: Recorder, *, instruction_id: str, user: str, scene: str) -> None:
        self._recorder = recorder
        self._id = instruction_id
        self._user = user
        self._scene = scene

    def start(self, instruction: str, stamp: float, goals: Sequence[str] = (), retry_of: str = "") -> None:
        """Tell that an instruction was accepted, and what was understood."""
        event = self._event(EventKind.EPISODE_START, stamp, instruction)
        self._recorder.remember(replace(event, goals=tuple(goals), retry_of=retry_of))

    def skill(self, outcome: Outcome, world: World) -> None:
        """Tell that a skill ended, and how the objects that it changed are now."""
        nodes = tuple(
            belief.node
            for name in world.changed
            if (belief := world.get(name)) is not None and belief.node.position is not None
        )
        removed = tuple(world.gone)
        event = self._event(EventKind.SKILL_OUTCOME, outcome.stamp, str(outcome.call))
        self._recorder.remember(replace(event, nodes=nodes, removed=removed, outcome=outcome))

    def told(self, text: str, stamp: float, reading: Reading | None = None) -> Receipt:
        """Pass on something that a person said, and what it was read as; return what became of it."""
        words = self._event(EventKind.TOLD, stamp, text)
        if reading is None:
            return self._recorder.remember(words)
        return self._recorder.remember(
            words, replace(self._event(EventKind.READING, stamp, reading.to_json()), target=words.id)
        )

    def end(
        self, code: Code, message: str, summary: str, stamp: float, goals: Sequence[str] = (), used: Sequence[str] = ()
    ) -> None:
        """Tell that the instruction ended, what its words were taken for, and which recollections guided it."""
        event = self._event(EventKind.EPISODE_END, stamp, summary)
        self._recorder.remember(replace(event, code=code, message=message, goals=tuple(goals), used=tuple(used)))

    def _event(self, kind: EventKind, stamp: float, text: str) -> Event:
        return Event(str(uuid.uuid4()), kind, stamp, self._user, self._scene, self._id, text)
