# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people change of what is remembered: what a record says, and whether it still holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from karma_memory.events import Event, EventKind
from karma_memory.projection import EditError
from karma_memory.recall.query import Record
from karma_memory.state.live import LiveState, new_id
from karma_memory.state.taking import Remembered


class Editing:
    """Edits the records of an EventMemory. Thread-safe."""

    def __init__(self, live: LiveState, remember: Callable[[Sequence[Event]], Remembered]) -> None:
        self._live = live
        self._remember = remember

    def edit(self, record_id: str, text: str, user: str, stamp: float) -> str:
        """Replace what a record says and return the id of the record that says it now; see EventMemory.edit."""
        if not text.strip():
            raise EditError("the new text is empty; use forget to make the memory forget a record")
        user = user or self._live.owner(record_id)
        event = Event(new_id(), EventKind.EDIT, stamp, user=user, target=record_id, text=text)
        if not any(self._remember([event]).sequences):
            raise EditError(f"{user!r} does not agree that what they say is kept")
        with self._live.lock:
            memory = self._live.state.personal.get(record_id.partition(":")[0])
            successors = memory.resting_on(event.id) if memory else []
            return successors[0] if successors else record_id

    def forget(self, ids: Sequence[str], kind: str, user: str, object_id: str, everything: bool, stamp: float) -> int:
        """Close the validity of records and return how many; see EventMemory.forget."""
        if (ids and (kind or object_id or everything)) or (everything and (kind or user or object_id)):
            raise EditError("ids, all, and kind, user or object are three ways to say what to forget; use one")
        if not ids and not (kind or user or object_id or everything):
            raise EditError("nothing selects what to forget; give ids, kind, user or object, or set all")
        with self._live.lock:
            for record_id in ids:
                self._live.owned(record_id, user)
            chosen = list(ids) or [
                record.id
                for record in self._live.state.index.records.values()
                if _selected(record, kind, user, object_id)
            ]
        events = [
            Event(new_id(), EventKind.EDIT, stamp, user=user or self._live.owner(record_id), target=record_id)
            for record_id in dict.fromkeys(chosen)
        ]
        if events:
            self._live.commit(events, checked=bool(ids))
        return len(events)


def _selected(record: Record, kind: str, user: str, object_id: str) -> bool:
    return (
        (not kind or record.kind == kind)
        and (not user or record.user == user)
        and (not object_id or (record.node is not None and record.node.id == object_id))
    )
