# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The three steps of PAHF on a memory that is in use: every answer is a function of the request and the journal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from karma_language.told.wishes.choice import Mode, Request
from karma_language.told.wishes.offline import OfflineLanguage
from karma_language.vocabulary.terms import normalised
from karma_memory.journal import DuplicateEventError
from karma_memory.memory import Memory
from karma_memory.preferences.chooser import Choice, Chooser
from karma_memory.preferences.deciding import Decider
from karma_memory.preferences.likeness import Likeness
from karma_memory.preferences.memory import record_id
from karma_memory.preferences.preference import Lesson, Preference
from karma_memory.preferences.wire import lesson_event, lesson_of
from karma_memory.recall.embedder import EmbedderError
from karma_memory.recall.query import Recollection
from karma_memory.scene import InvalidEventError, check_id, check_text

MOST_WORDS = 2000
"""Characters of a request, and of what a user says to it."""
MOST_OPTIONS = 100
MOST_GROUNDS = 10
"""Recollections that an answer names."""
LONGEST_NAME = 200
"""Characters of an option, and of what is put somewhere."""
VECTORS_KEPT = 4096
"""Texts whose vectors stay in memory; 6 MB."""
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Learned:
    """What became of a user's words."""

    option: str = ""
    """What they want, an option or another name; "" where the words don't say."""
    taught: bool = False
    """Something new is known now."""
    confirmed: bool = False
    """What was known and acted on is confirmed."""
    record: str = ""
    """Id of the record that knows it."""
    remark: str = ""
    """Why nothing is kept, where nothing may be."""


class Choices:
    """Chooses for the users of one memory, and learns from what they say. Thread-safe."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        by_meaning, by_words = Likeness(memory.embedder, kept=VECTORS_KEPT), Likeness(None)
        self._choosers = [Chooser(OfflineLanguage(likeness), Decider(likeness)) for likeness in (by_meaning, by_words)]
        self._lock = threading.Lock()
        """A lesson says what it revises: no other comes in between."""

    def choose(self, request: Request) -> tuple[Choice, list[Recollection]]:
        """Return what to do about a request, and what that rests on, weightiest first."""
        history = self._memory.preferences_of(request.user)
        with self._lock:
            choice = self._by_meaning(lambda chooser: chooser.choose(request, history))
        grounds = [
            Recollection(record, support.likeness, (f"situation alike by {support.likeness:.2f}",))
            for support in choice.decision.supports
            if support.option == choice.decision.option
            and (record := self._memory.record(record_id(support.preference.id))) is not None
        ]
        return choice, grounds[:MOST_GROUNDS]

    def learn(
        self,
        request: Request,
        words: str,
        *,
        lesson_id: str,
        stamp: float,
        answering: bool = False,
        others: bool = False,
        acted_on: str = "",
        episode: str = "",
    ) -> Learned:
        """Learn what a user's words teach; it is on disk when this returns. See Chooser.hear.

        `lesson_id`: the same words again under the same id teach nothing twice. `acted_on`: id of the record that
        decided, as `choose` returned it. InvalidEventError, and what Memory.remember raises.
        """
        words = said("what the user says", words)
        check_id("id of the lesson", lesson_id)
        with self._lock:
            known = self._known(lesson_id, request, words)
            if known is not None:
                return known
            history = self._memory.preferences_of(request.user)
            ground = None if answering else _of_record(acted_on, history)
            heard = self._by_meaning(lambda c: c.hear(request, words, history, acted_on=ground, others=others))
            if heard.lesson is None:
                return Learned(heard.option)
            event = lesson_event(heard.lesson, words, event_id=lesson_id, stamp=stamp, episode=episode)
            try:
                (sequence,) = self._memory.remember([event]).sequences
            except DuplicateEventError:  # another server of this journal was told, too, and knew a little more or less
                known = self._known(lesson_id, request, words)
                if known is None:
                    raise
                return known
            if not sequence:
                remark = f"{request.user} does not agree that what they say is kept: it decides now and is forgotten"
                return Learned(heard.option, remark=remark)
            return self._learned(heard.lesson, lesson_id, new=heard.new)

    def _known(self, lesson_id: str, request: Request, words: str) -> Learned | None:
        """Return what became of a lesson that was learned before; None where there is none of this id."""
        event = self._memory.event(lesson_id)
        if event is None:
            return None
        lesson = lesson_of(event)
        if lesson is None or event.text != words or not _same(lesson.request, request):
            raise InvalidEventError(
                f"the id {lesson_id!r} stands for something else; give each lesson an id of its own"
            )
        said = self._by_meaning(lambda chooser: chooser.hear(request, words, ()))
        return self._learned(lesson, lesson_id, new=said.new)

    def _learned(self, lesson: Lesson, lesson_id: str, *, new: bool) -> Learned:
        history = self._memory.preferences_of(lesson.request.user)
        holding = [p.id for p in history if p.id in (lesson_id, *lesson.revises) and p.valid_until is None]
        option = lesson.chosen if new else ""
        return Learned(option, new, not new, record_id(holding[-1]) if holding else "")

    def _by_meaning(self, ask: Callable[[Chooser], Answer]) -> Answer:
        """Return what is found by meaning, or by words alone while there is no model."""
        by_meaning, by_words = self._choosers
        try:
            return ask(by_meaning)
        except EmbedderError:
            return ask(by_words)


def checked_request(user: str, text: str, mode: Mode, thing: str, options: Sequence[str]) -> Request:
    """Return a request that can be answered and kept. InvalidEventError says what is wrong with it."""
    check_id("the user", user)
    text = said("the request", text)
    if mode is Mode.PUT and not thing.strip():
        raise InvalidEventError("it is not said what is to be put somewhere; name the thing")
    if not 1 <= len(options) <= MOST_OPTIONS:
        raise InvalidEventError(f"there are {len(options)} options; 1 to {MOST_OPTIONS} can be chosen from")
    for name in options:
        _check_name("an option", name)
    if thing:
        _check_name("the thing", thing)
    different = {normalised(option): option for option in reversed(options)}  # the first of those that are the same
    return Request(user, text, mode, thing, tuple(reversed(different.values())))


def said(what: str, text: str) -> str:
    """Return what somebody said, without spaces around it. InvalidEventError when it is empty or too long."""
    text = check_text(what, text.strip(), MOST_WORDS)
    if not text:
        raise InvalidEventError(f"{what} is empty")
    return text


def _check_name(what: str, name: str) -> None:
    check_text(what, name, LONGEST_NAME)
    if not normalised(name) or not name.isprintable():
        raise InvalidEventError(f"{what} must be a name of printable characters, got {name[:LONGEST_NAME]!a}")


def _of_record(name: str, history: Sequence[Preference]) -> Preference | None:
    """Return the preference that a record is of; None where the user has none of this name."""
    return next((preference for preference in history if record_id(preference.id) == name), None)


def _same(lesson: Request, request: Request) -> bool:
    """Whether a lesson was learned from this request; it may say a condition, too."""
    of_lesson, of_request = ((r.user, r.mode, r.thing, r.options) for r in (lesson, request))
    return of_lesson == of_request and lesson.text.endswith(request.text)
