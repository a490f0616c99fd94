# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What users prefer, as a projection: each user's own; closed, not deleted, when they change their mind (PAHF)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from karma_language.reading import Telling, Told
from karma_language.told.wishes.choice import Mode
from karma_language.vocabulary.terms import normalised
from karma_memory.events import Event, EventKind
from karma_memory.preferences.preference import Lesson, Preference
from karma_memory.preferences.wire import lesson_of
from karma_memory.projection import EditError, Understanding
from karma_memory.recall.index import HybridIndex
from karma_memory.recall.query import Record

KIND = "preferences"
MOST_STATED = 20
"""Preferences that one utterance states."""
WORDINGS_KEPT = 8
"""Ways to ask for the same that a preference remembers, the first and the latest."""


class PreferenceMemory(Understanding):
    """Preferences of all users, a function of the events: whoever learned something has decided what it revises."""

    kind = KIND

    def __init__(self, index: HybridIndex) -> None:
        self._index = index
        self._preferences: dict[str, Preference] = {}
        self._edited: dict[str, Preference] = {}
        """Event that is read anew → the preference that its words say otherwise."""
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
        """Take in lessons and edits."""
        if event.kind is EventKind.FEEDBACK:
            lesson = lesson_of(event)
            if lesson is not None:
                self._learn(lesson, event)
        elif event.kind is EventKind.EDIT:
            kind, _, preference_id = event.target.partition(":")
            old = self._preferences.get(preference_id)
            if kind == KIND and old is not None and old.valid_until is None:
                self._close(old, event.stamp, event.id if event.text else "")

    def hear(self, words: Event, told: Sequence[Told]) -> None:
        """Take in the preferences that words state, instead of what they were told to replace."""
        stated = [one for one in told if one.kind is Telling.PREFERENCE and one.value]
        edited = self._edited.pop(words.id, None) or self._preferences.get(words.target.removeprefix(f"{KIND}:"))
        for number, statement in enumerate(stated[:MOST_STATED]):
            self._state(words, statement, f"{words.id}#{number}" if number else words.id, edited)

    def unhear(self, words: Event) -> None:
        """Take back what words stated: they are read anew. What it had ended holds again."""
        gone = {key for key, p in self._preferences.items() if _source(key) == words.id and p.stated}
        edited = next((self._preferences[key].edits for key in gone), "")
        for key in gone:
            if self._holds(key):
                self._close(self._preferences[key], words.stamp, "")
            del self._preferences[key]
        for old in [p for p in self._preferences.values() if p.replaced_by in gone]:
            if old.id == edited:
                self._edited[words.id] = old
            else:
                self._put(replace(old, valid_until=None, replaced_by=""))

    def check_told(self, text: str, told: Sequence[Told]) -> None:
        """Refuse a text that states no preference. EditError."""
        if not any(one.kind is Telling.PREFERENCE for one in told):
            raise EditError(f"{text!r} does not say what is preferred; say it like 'I prefer tea when I am tired'")

    def resting_on(self, source: str) -> list[str]:
        """Return the ids of the records that rest on an event; see Personal."""
        known = (source, *(f"{source}#{number}" for number in range(1, MOST_STATED)))
        return [record_id(key) for key in known if key in self._preferences and self._holds(key)]

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

    def _state(self, words: Event, statement: Told, key: str, edited: Preference | None) -> None:
        """Take in "I prefer tea when I am tired": it replaces what was told about the same circumstance.

        Where the words say an `edited` preference otherwise, it keeps what they leave out. What a lesson says of the
        same words stays.
        """
        if key in self._preferences:
            return
        new = Preference(
            id=key,
            user=words.user,
            mode=Mode.FETCH,
            wordings=(statement.circumstance,),
            chosen=statement.value[0],
            words=statement.quote,
            stated=True,
            valid_from=words.stamp,
            confirmed_at=words.stamp,
        )
        if edited is not None:
            same = not statement.circumstance or _same(edited.wordings[0], statement.circumstance)
            wordings, options = edited.wordings if same else new.wordings, edited.options
            thing = next(iter(statement.things), edited.thing)
            new = replace(new, mode=edited.mode, options=options, wordings=wordings, thing=thing, edits=edited.id)
        else:
            for old in self.of(words.user):
                if not old.options and old.mode is Mode.FETCH and _same(old.wordings[0], statement.circumstance):
                    if old.valid_from > words.stamp:  # the words were read late
                        new = replace(new, valid_until=old.valid_from, replaced_by=old.id)
                    elif _source(old.id) != words.id:
                        self._close(old, words.stamp, key)
        self._put(new)

    def _holds(self, key: str) -> bool:
        return self._preferences[key].valid_until is None

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
                    source=_source(preference.id),
                    valid_from=preference.valid_from,
                    user=preference.user,
                )
            )


def record_id(preference_id: str) -> str:
    """Return the id of the recollection of a preference."""
    return f"{KIND}:{preference_id}"


def _source(preference_id: str) -> str:
    """Return the id of the event that a preference rests on."""
    return preference_id.partition("#")[0]


def _same(one: str, other: str) -> bool:
    return normalised(one) == normalised(other)


def _with(wordings: tuple[str, ...], wording: str) -> tuple[str, ...]:
    if any(_same(wording, known) for known in wordings):
        return wordings
    return (*wordings[:1], *wordings[1:][-(WORDINGS_KEPT - 2) :], wording)
