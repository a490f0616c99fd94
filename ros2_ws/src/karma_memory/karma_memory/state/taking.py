# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which events a memory takes of others: in time, of whom they say they are, and of what is known."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

from karma_memory.events import OWN_KINDS, Event, EventKind
from karma_memory.journal import Journal
from karma_memory.privacy.from_elsewhere import AHEAD, not_after
from karma_memory.scene import InvalidEventError, Node
from karma_memory.state.live import LiveState

_OF_AN_INSTRUCTION = (EventKind.EPISODE_START, EventKind.SKILL_OUTCOME, EventKind.EPISODE_END, EventKind.FEEDBACK)
"""What only who gave an instruction adds to it."""


@dataclass(frozen=True)
class Remembered:
    """Receipt of `EventMemory.remember`: the events are on disk."""

    ids: tuple[str, ...]
    sequences: tuple[int, ...]
    """0 for an event that is not kept, because its user doesn't agree."""


class Taking:
    """Looks at events before they are journaled. Thread-safe."""

    def __init__(self, journal: Journal, live: LiveState, clock: Callable[[], float] | None) -> None:
        """`clock`: the robot's, seconds: nothing is taken to be after it; None: stamps are taken as they are."""
        self._journal = journal
        self._live = live
        self._clock = clock

    def taken(self, events: Sequence[Event]) -> list[Event]:
        """Return events as they are journaled: none later than now, pictures with the instruction they belong to.

        InvalidEventError for a kind that only the memory itself makes, for what somebody else than who gave an
        instruction adds to it, and for the picture of something that isn't known.
        """
        for event in events:
            if event.kind in OWN_KINDS:
                raise InvalidEventError(f"events of kind {event.kind.name} are made by the memory itself")
        self._check_whose(events)
        events = [self._timely(event) for event in events]
        seen = {(event.scene, node.id) for event in events if event.pictured is None for node in event.nodes}
        return [event if event.pictured is None else self._of_whom(event, event.pictured, seen) for event in events]

    def _timely(self, event: Event) -> Event:
        """Return an event as of now where it comes from the future; the same one again is as it was at first."""
        if self._clock is None or event.stamp <= (now := self._clock()) + AHEAD:
            return event
        known = self._journal.find(event.id)
        return not_after(event, now if known is None else known.event.stamp)

    def _check_whose(self, events: Sequence[Event]) -> None:
        """Refuse what somebody else than who gave an instruction adds to it. InvalidEventError."""
        named = [event for event in events if event.user and event.episode and event.kind in _OF_AN_INSTRUCTION]
        with self._live.lock:
            begun = {event.episode: self._live.state.episodic.episode(event.episode) for event in named}
        for event in named:
            whose = begun[event.episode]
            others = whose is not None and whose.user not in ("", event.user)
            if others and self._journal.sequence_of(event.id) is None:
                raise InvalidEventError(f"event {event.id!r} goes on of an instruction that another user gave")

    def _of_whom(self, event: Event, node: Node, seen: Container[tuple[str, str]]) -> Event:
        with self._live.lock:
            graph = self._live.state.long_term.graph(event.scene)
            known = graph is not None and graph.history(node.id)
            running = self._live.state.working.running(event.robot)
        if not known and (event.scene, node.id) not in seen and self._journal.sequence_of(event.id) is None:
            raise InvalidEventError(f"nothing is known of {node.id!r} in {event.scene!r}: its picture is not kept")
        if event.user or event.episode or running is None or node.id not in running.handled:
            return event
        return replace(event, user=running.user, episode=running.episode)
