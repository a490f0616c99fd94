# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which events are a user's, and what of them is nobody's: where things are does not change with who had it done."""

from __future__ import annotations

import math
from dataclasses import replace

from karma_memory.events import Event, EventKind
from karma_memory.scene_graph.beliefs import seen_at

_WORLD = (EventKind.OBSERVATION, EventKind.SKILL_OUTCOME)
_FRAME = (EventKind.EPISODE_START, EventKind.EPISODE_END)


class Belongings:
    """Tells of a journal's events, which it is shown one by one and in order, which are a user's.

    Theirs is what carries their name; what carries no name and belongs to an instruction of theirs; and a change,
    without a name, of a record that is theirs.
    """

    def __init__(self, user: str, *, before: float = math.inf) -> None:
        """`before`: what happened then (seconds) or later is left alone, unless it changes what is older."""
        if not user:
            raise ValueError("what is nobody's is no user's; name the user")
        self._user = user
        self._before = before
        self._own: set[str] = set()
        """Ids of their events and instructions, which are those of records, too, behind the kind."""
        self._begun: set[str] = set()
        self._gone: set[str] = set()
        """Those of them that are erased."""

    def own(self, event: Event) -> bool:
        """Whether an event is the user's."""
        own = event.user == self._user if event.user else bool({event.episode, *_records(event)} & self._own)
        if own:
            self._own.add(event.id)
        if event.kind is EventKind.EPISODE_START and event.episode not in self._begun:
            self._begun.add(event.episode)  # whoever begins it first has it, as in episodic memory
            if own:
                self._own.add(event.episode)
        return own

    def remains(self, event: Event, new_id: str, stamp: float) -> Event:
        """Return what stays in an event's place: the event itself, where nothing of it goes.

        What stays of an event of theirs is called `new_id`; `stamp` (seconds) is for one of which nothing stays: when
        it was is theirs, too.
        """
        if not self.own(event):
            return self._without_what_is_gone(event)
        changes_erased = bool(_records(event) & self._gone)
        if not changes_erased and not self._is_old(event):
            return event
        self._gone.add(event.id)
        if event.kind is EventKind.EPISODE_START and event.episode in self._own:
            self._gone.add(event.episode)
        if event.kind is EventKind.EDIT and not event.text and not _records(event) & self._own:
            return Event(new_id, EventKind.EDIT, event.stamp, target=event.target)
        return of_the_world(event, new_id) or Event(new_id, EventKind.ACCESS, stamp)

    def _without_what_is_gone(self, event: Event) -> Event:
        """Return somebody else's event without the ids of what is erased."""
        if event.episode in self._gone and event.kind not in _FRAME:
            event = replace(event, episode="")
        if event.retry_of in self._gone:
            event = replace(event, retry_of="")
        if event.used and (gone := {used for used in event.used if events_of(used) & self._gone}):
            event = replace(event, used=tuple(used for used in event.used if used not in gone))
        return event

    def _is_old(self, event: Event) -> bool:
        """Whether an event is to go; consent lasts as long as anything of the user's."""
        return self._before == math.inf or (event.stamp < self._before and event.kind is not EventKind.CONFIGURE)


def _records(event: Event) -> set[str]:
    """Return what an event changes, without its kind: the id of a record, and of the event that it may be a part of."""
    return events_of(event.target)


def events_of(record_id: str) -> set[str]:
    """Return the ids of events or instructions after which a record may be called: without its kind, and its part."""
    record = record_id.partition(":")[2]
    return {record, record.rpartition("#")[0]} - {""}


def of_the_world(event: Event, new_id: str) -> Event | None:
    """Return as an observation of nobody's what a user's event says of the world, None where it says nothing.

    Neither who had it done, nor which skill, with which words, nor the picture: they tell of the user.
    """
    if event.kind not in _WORLD or event.pictured is not None:
        return None
    nodes = {}
    if event.outcome is not None:
        nodes = {node.id: seen_at(node, event.outcome.stamp or event.stamp) for node in event.outcome.seen}
    nodes.update((node.id, node) for node in event.nodes)
    if not (nodes or event.removed or event.edges or event.removed_edges):
        return None
    return Event(
        new_id,
        EventKind.OBSERVATION,
        event.stamp,
        robot=event.robot,
        scene=event.scene,
        nodes=tuple(nodes.values()),
        removed=event.removed,
        edges=event.edges,
        removed_edges=event.removed_edges,
    )
