# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What people said, as a projection: statements and feedback, each person's own, with the time they held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from karma_memory.events import Event, EventKind
from karma_memory.projection import Personal
from karma_memory.recall.index import HybridIndex
from karma_memory.recall.query import Record

KIND = "told"


@dataclass(frozen=True)
class Statement:
    """Something a person said."""

    id: str
    """Id of the event that said it."""
    text: str
    user: str
    scene: str
    episode: str
    """The instruction it is about, "" for none."""
    valid_from: float
    """Seconds, the robot's clock."""
    valid_until: float | None = None
    """When it was forgotten or replaced; None while it holds."""
    replaced_by: str = ""
    """Id of the statement that took its place."""


class ToldMemory(Personal):
    """Statements of users, and of nobody in particular. Edited or forgotten ones are closed, not deleted."""

    kind = KIND

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self._statements: dict[str, Statement] = {}

    def statements(self) -> list[Statement]:
        """Return all statements, closed ones too, in the order in which they were made."""
        return list(self._statements.values())

    def of(self, user: str) -> list[Statement]:
        """Return what a user told that holds, in the order in which they told it."""
        return [one for one in self._statements.values() if one.user == user and one.valid_until is None]

    def observe(self, event: Event) -> None:
        """Take in what is told, feedback and edits."""
        if event.kind in (EventKind.TOLD, EventKind.FEEDBACK):
            self.say(event)
        elif event.kind is EventKind.EDIT:
            kind, _, statement_id = event.target.partition(":")
            old = self._statements.get(statement_id)
            if kind == KIND and old is not None and old.valid_until is None:
                self._close(old, event)

    def say(self, event: Event) -> None:
        """Take in the words of an event."""
        self._put(Statement(event.id, event.text, event.user, event.scene, event.episode, event.stamp))

    def words(self, statement_id: str) -> Event | None:
        """Return a statement that holds as an event of kind TOLD; None where there is none."""
        said = self._statements.get(statement_id)
        if said is None or said.valid_until is not None:
            return None
        return Event(
            said.id,
            EventKind.TOLD,
            said.valid_from,
            user=said.user,
            scene=said.scene,
            episode=said.episode,
            text=said.text,
        )

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        known = self._statements.get(source)
        return [record_id(source)] if known is not None and known.valid_until is None else []

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {"statements": self.statements()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        for item in state["statements"]:
            self._put(Statement(**item))

    def _close(self, old: Statement, event: Event) -> None:
        """End a statement; with a text, begin the one that replaces it, for the same user and scene."""
        self._index.discard(record_id(old.id))
        self._statements[old.id] = replace(old, valid_until=event.stamp, replaced_by=event.id if event.text else "")
        if event.text:
            self.say(replace(event, user=old.user, scene=old.scene, episode=old.episode))

    def _put(self, statement: Statement) -> None:
        self._statements[statement.id] = statement
        if statement.valid_until is None:
            self._index.put(
                Record(
                    id=record_id(statement.id),
                    kind=KIND,
                    text=statement.text,
                    label=statement.text,
                    source=statement.id,
                    valid_from=statement.valid_from,
                    user=statement.user,
                    scene=statement.scene,
                )
            )


def record_id(statement_id: str) -> str:
    """Return the id of the recollection of a statement."""
    return f"{KIND}:{statement_id}"
