# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Lessons as events of the journal and back: FEEDBACK whose message is the lesson as JSON."""

from __future__ import annotations

import json
from typing import Any

from karma_language.told.wishes.choice import Mode, Request
from karma_memory.encoding import dumps
from karma_memory.events import Event, EventKind
from karma_memory.preferences.preference import Lesson

KEY = "preference"
"""Of the lesson in the message."""


def lesson_event(lesson: Lesson, words: str, *, event_id: str, stamp: float, episode: str = "") -> Event:
    """Return the event that says what a user taught. `words`: theirs; `stamp`: seconds, the robot's clock.

    What was decided with a model's help (which preferences it revises) is in the event, so that a replay needs none.
    """
    request = lesson.request
    content = {
        "chosen": lesson.chosen,
        "mode": request.mode.value,
        "options": list(request.options),
        "request": request.text,
        "revises": list(lesson.revises),
        "thing": request.thing,
    }
    return Event(
        id=event_id,
        kind=EventKind.FEEDBACK,
        stamp=stamp,
        user=request.user,
        episode=episode,
        text=words,
        message=dumps({KEY: content}),
    )


def lesson_of(event: Event) -> Lesson | None:
    """Return the lesson in an event, None where there is none or where it has another form."""
    if event.kind is not EventKind.FEEDBACK or not event.user or not event.message.startswith("{"):
        return None
    try:
        content = json.loads(event.message)[KEY]
        mode = Mode(content["mode"])
        chosen, text, thing = (_text(content[name]) for name in ("chosen", "request", "thing"))
        options, revises = (tuple(map(_text, content[name])) for name in ("options", "revises"))
    except (ValueError, KeyError, TypeError):
        return None
    if not chosen.strip():
        return None
    return Lesson(Request(event.user, text, mode, thing, options), chosen, revises)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text expected, got {type(value).__name__}")
    return value
