# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who reads what was said: the rules at once what they read whole and plain, a language model everything else.

If the model is late, away or senseless, the rules' reading counts, if it leaves nothing unread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from karma_language.model_reader import Context, ModelReader
from karma_language.model_reader.asking import LONGEST
from karma_language.models import CanceledError, Model, ModelError, Waiting
from karma_language.noun_phrases import Names
from karma_language.questions import read_question
from karma_language.reading import Kind, Need, Question, Reading, Request, Social, Stop, Told
from karma_language.social import SocialReader
from karma_language.vocabulary import embedder
from karma_language.vocabulary.lexicon import Lexicon

RULES = "rules"
"""`Reading.reader` of what was read without a model."""


class Grammar(Protocol):
    """Reads requests in English."""

    def read(self, text: str, names: dict[str, tuple[str, ...]] | None = None) -> Reading:
        """Return the reading of an utterance, with the words that it leaves over."""


class Rules:
    """Reads English without a language model: questions by their frames, all else by the grammar, small talk last."""

    def __init__(self, grammar: Grammar, lexicon: Lexicon) -> None:
        self._grammar = grammar
        self._lexicon = lexicon
        self._social = SocialReader(embedder.installed())

    def read(self, text: str, now: float, names: Names) -> Reading:
        """Return the reading of an utterance, with the words that it leaves over."""
        question = read_question(text, self._lexicon, now, names=names)
        if question is not None and question.kind is not Kind.TOLD:
            return Reading(reader=RULES, items=(question,))
        read = self._grammar.read(text, dict(names))
        if not whole(read) and (social := self._social.read(text)) is not None:
            return Reading(reader=RULES, items=(social,))
        return read


@dataclass(frozen=True)
class Read:
    """A reading, and what it took."""

    reading: Reading
    seconds: float = 0.0
    calls: int = 0
    """Answers of the model."""
    memories: int = 0
    """Of the context's memories, from the first on, that the model was told."""
    plain: str = ""
    """The words in plain English, where they were not; "" else."""
    problem: ModelError | None = None
    """Why the model did not read it, where it was asked."""


class Reader:
    """Reads what people say."""

    def __init__(
        self,
        rules: Rules,
        model: Model,
        lexicon: Lexicon,
        *,
        is_word: Callable[[str], bool] = lambda word: True,
        repairs: int = 2,
    ) -> None:
        """`is_word`: whether a word is English; `repairs`: times that the model is told what is wrong."""
        self._rules = rules
        self._model = ModelReader(model, lexicon, self._translated, is_word=is_word, repairs=repairs)

    def read(
        self,
        text: str,
        context: Context,
        waiting: Waiting,
        *,
        objection: Callable[[Reading], str] = lambda reading: "",
        unknown: Callable[[Reading], bool] = lambda reading: False,
        again: int = 0,
    ) -> Read:
        """Return a reading, which may leave words unread. Raises CanceledError alone.

        `objection` says why a reading makes no sense, "" where it may; `unknown`: whether it names what nobody knows;
        `again`: times that the words were read before and meant something else: then the model reads them otherwise.
        """
        began = time.monotonic()
        read = self._rules.read(text[:LONGEST], context.now, context.names)
        sure = at_once(read) and not unknown(read)
        if len(text) > LONGEST or not text.strip() or (sure and not again):
            return Read(read, time.monotonic() - began)
        try:
            asked = self._model.read(text, context, waiting, objection=objection, variation=again)
        except CanceledError:
            raise
        except ModelError as error:
            return Read(read, time.monotonic() - began, problem=error)
        told = any(isinstance(item, Question) and item.kind is Kind.TOLD for item in read.items)
        instead = bool(asked.reading.unread) and whole(read) and not told and not objection(read)
        reading = read if instead else asked.reading
        return Read(reading, time.monotonic() - began, asked.calls, asked.memories, asked.plain)

    def _translated(self, text: str, now: float) -> Reading | None:
        """Return the rules' reading of a translation, None where they don't read all of it."""
        read = self._rules.read(text, now, {})
        return read if whole(read) else None


def whole(reading: Reading) -> bool:
    """Whether a reading says something and leaves no word over."""
    return bool(reading.items) and not reading.unread


def at_once(reading: Reading) -> bool:
    """Whether rules have read all of the words: no model reads that better.

    What is told the memory reads. Questions that no frame fits go to the model, though rules account for their words.
    """
    return whole(reading) and all(
        isinstance(item, Request | Need | Social | Stop | Told)
        or (isinstance(item, Question) and item.kind is not Kind.TOLD)
        for item in reading.items
    )
