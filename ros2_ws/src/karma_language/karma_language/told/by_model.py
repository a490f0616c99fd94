# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody tells, with a language model that says it in plain English where rules don't read it."""

from __future__ import annotations

from karma_language.model_reader import Context
from karma_language.models import Model, Waiting
from karma_language.reader import Read, Reader, Rules
from karma_language.reading import Reading
from karma_language.requests.requests import household_grammar
from karma_language.requests.telling import with_home
from karma_language.told.reader import read_told
from karma_language.vocabulary.lexicon import household


class TellingReader:
    """Reads what people tell: rules at once what they read whole, a model the rest."""

    def __init__(self, model: Model) -> None:
        self._reader = Reader(Rules(household_grammar()), model, household())

    def read(self, text: str, user: str, now: float, waiting: Waiting) -> Reading | None:
        """Return what a text tells that the model had to translate; None where it did not, or it tells nothing.

        `now`: when it was said, seconds. Raises CanceledError alone.
        """
        return translated(self._reader.read(text, Context(now=now), waiting), text, user, now)


def translated(read: Read, text: str, user: str, now: float) -> Reading | None:
    """Return what a text tells by the plain English that a model made of it; None where it made none."""
    told = with_home(read_told(read.plain, now, speaker=user), read.plain, now) if read.plain else ()
    items = tuple(one.model_copy(update={"quote": text}) for one in told)
    return Reading(reader=read.reading.reader, language=read.reading.language, items=items) if items else None
