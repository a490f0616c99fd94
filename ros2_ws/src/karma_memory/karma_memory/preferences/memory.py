# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users prefer, as a projection: each user's own; closed, not deleted, when they change their mind (PAHF)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from karma_memory.events import Event, EventKind
from karma_memory.preferences.likeness import normalised
from karma_memory.preferences.preference import Lesson, Mode, Preference
from karma_memory.preferences.statements import stated
from karma_memory.preferences.wire import lesson_of
from karma_memory.projection import EditError
from karma_memory.recall.index import HybridIndex, Match, Search
from karma_memory.recall.query import Query, Record

KIND = "preferences"
WORDINGS_KEPT = 8
"""Ways to ask for the same that a preference remembers, the first and the latest."""


class PreferenceMemory:
    """Preferences of all users, a function of the events: whoever learned something has decided what it revises."""

    kind = KIND

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self._preferences: dict[str, Preference] = {}
        self._open: dict[str, dict[str, None]] = {}
        """User → ids of what holds, oldest first."""

    def of(self, user: str) -> list[Preference]:
        """Return what holds for a user, oldest first."""
        return [self._preferences[key] for key in self._open.get(user, ())]

    def history(self, user: str) -> list[Preference]:
        """Return all that a user ever preferred, closed ones too, in the order in which it was learned."""
        return [preference for preference in self._preferences.values() if preference.user == user]

    def get(self, user: str, preference_id: str) -> Preference | None:
        """Return a preference of this user; None where there is none or it is somebody else's."""
        found = self._preferences.get(preference_id)
        return found if found is not None and found.user == user else None

    def observe(self, event: Event) -> None:
        """Take in lessons, statements of preferences, and edits."""
        if event.kind is EventKind.FEEDBACK:
            lesson = lesson_of(event)
            if lesson is not None:
                self._learn(lesson, event)
        elif event.kind is EventKind.TOLD and event.user:
            self._told(event)
        elif event.kind is EventKind.EDIT:
            kind, _, preference_id = event.target.partition(":")
            old = self._preferences.get(preference_id)
            if kind == KIND and old is not None and old.valid_until is None:
                self._edit(old, event)

    def recall(self, query: Query, search: Search) -> Iterable[Match]:
        """Add nothing to the preferences that the index found."""
        return ()

    def check_edit(self, record_id: str, text: str) -> None:
        """Allow forgetting, and a text that states another preference."""
        if text and stated(text, self._preferences[record_id.partition(":")[2]].user) is None:
            raise EditError(f"{text!r} does not say what is preferred; say it like 'I prefer tea when I am tired'")

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        known = self._preferences.get(source)
        return [record_id(source)] if known is not None and known.valid_until is None else []

    def snapshot(self) -> dict[str, Any]:
        """Return the state; see Projection."""
        return {"preferences": list(self._preferences.values())}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        for item in state["preferences"]:
            self._put(Preference.from_json(item))

    def _learn(self, lesson: Lesson, event: Event) -> None:
        """Confirm what says the same, close what says something else; begin a new one unless one was confirmed."""
        request, confirmed = lesson.request, False
        for preference_id in dict.fromkeys(lesson.revises):
            old = self.get(request.user, preference_id)
            if old is None or old.valid_until is not None or old.mode is not request.mode:
                continue
            if normalised(old.chosen) == normalised(lesson.chosen):
                wordings = _with(old.wordings, request.text)
                self._put(replace(old, confirmed=old.confirmed + 1, confirmed_at=event.stamp, wordings=wordings))
                confirmed = True
            else:
                self._close(old, event.stamp, event.id)
        if not confirmed:
            self._put(
                Preference(
                    id=event.id,
                    user=request.user,
                    mode=request.mode,
                    wordings=(request.text,),
                    chosen=lesson.chosen,
                    options=request.options,
                    thing=request.thing,
                    words=event.text,
                    valid_from=event.stamp,
                    confirmed_at=event.stamp,
                )
            )

    def _told(self, event: Event) -> None:
        """Take in "I prefer tea when I am tired": it replaces what was told about the same condition."""
        statement = stated(event.text)
        if statement is None:
            return
        for old in self.of(event.user):
            if not old.options and old.mode is Mode.FETCH and _same(old.wordings[0], statement.condition):
                self._close(old, event.stamp, event.id)
        self._put(
            Preference(
                id=event.id,
                user=event.user,
                mode=Mode.FETCH,
                wordings=(statement.condition,),
                chosen=statement.chosen,
                words=event.text,
                valid_from=event.stamp,
                confirmed_at=event.stamp,
            )
        )

    def _edit(self, old: Preference, event: Event) -> None:
        """End a preference; with a text, begin the one that it states."""
        statement = stated(event.text, old.user) if event.text else None
        self._close(old, event.stamp, event.id if statement else "")
        if statement is not None:
            same = not statement.condition or _same(old.wordings[0], statement.condition)
            wordings = old.wordings if same else (statement.condition,)
            thing = statement.thing or old.thing
            new = replace(old, id=event.id, chosen=statement.chosen, thing=thing, wordings=wordings, words=event.text)
            self._put(replace(new, confirmed=0, valid_from=event.stamp, confirmed_at=event.stamp))

    def _close(self, old: Preference, stamp: float, replaced_by: str) -> None:
        self._index.discard(record_id(old.id))
        self._open[old.user].pop(old.id)
        self._preferences[old.id] = replace(old, valid_until=stamp, replaced_by=replaced_by)

    def _put(self, preference: Preference) -> None:
        self._preferences[preference.id] = preference
        if preference.valid_until is None:
            self._open.setdefault(preference.user, {})[preference.id] = None
            self._index.put(
                Record(
                    id=record_id(preference.id),
                    kind=KIND,
                    text=preference.text,
                    label=f"{preference.wordings[0]} {preference.chosen}".strip(),
                    source=preference.id,
                    valid_from=preference.valid_from,
                    user=preference.user,
                )
            )


def record_id(preference_id: str) -> str:
    """Return the id of the recollection of a preference."""
    return f"{KIND}:{preference_id}"


def _same(one: str, other: str) -> bool:
    return normalised(one) == normalised(other)


def _with(wordings: tuple[str, ...], wording: str) -> tuple[str, ...]:
    if any(_same(wording, known) for known in wordings):
        return wordings
    return (*wordings[:1], *wordings[1:][-(WORDINGS_KEPT - 2) :], wording)
