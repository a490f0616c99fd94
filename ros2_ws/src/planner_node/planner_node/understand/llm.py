# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions to goals by a language model: its answer is data that is checked, never code."""

from __future__ import annotations

import logging
from dataclasses import replace

from pydantic import ValidationError

from karma_language.models import CanceledError, Model, ModelError, ModelLateError, ModelMissingError, Waiting
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import Code
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.answer import Answer
from planner_node.understand.asked import Asked
from planner_node.understand.chunks import MAX_LENGTH
from planner_node.understand.goals import NotUnderstood, ObjectRef, Statement, Understanding, Understood, complete
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.prompt import conversation
from planner_node.understand.reading_answers import AnswerReader
from planner_node.understand.remarks import asks

_LOG = logging.getLogger(__name__)


class _Wrong(Exception):  # noqa: N818 - caught in this module
    """The answer is not usable; the message tells the model why."""


_PARAMETERS = {"first": "llm_first_timeout", "total": "llm_timeout"}
"""The planner's parameters that set the limits of a model."""


class LlmUnderstanding:
    """Understands instructions with a language model. Every failure is an answer with a code."""

    def __init__(self, lexicon: Lexicon, model: Model, *, repairs: int = 2) -> None:
        """`repairs`: times that the model is told what is wrong with its answer."""
        self._lexicon = lexicon
        self._rules = OfflineUnderstanding(lexicon)
        self._reader = AnswerReader(lexicon, self._rules)
        self._model = model
        self._repairs = repairs

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals. Never raises."""
        if not text.strip() or len(text) > MAX_LENGTH:
            return self._rules.understand(text)
        try:
            return self._understand(text, spoken_of, aid)
        except CanceledError:
            return NotUnderstood(Code.CANCELED, "Stopped as asked before it was understood.")
        except ModelLateError as late:
            advice = f"Raise {_PARAMETERS[late.limit]}, try again, or use a smaller model."
            return NotUnderstood(Code.TIMEOUT, f"{late} {advice}")
        except ModelError as error:
            code = Code.NOT_FOUND if isinstance(error, ModelMissingError) else Code.UNAVAILABLE
            return NotUnderstood(code, str(error))

    def _understand(self, text: str, spoken_of: tuple[ObjectRef, ...], aid: Aid) -> Understanding:
        """Return what the model understands; of what is tried again, something else than before where it can.

        Where it finds nothing else, it is what it was before: its words may be taken in another way.
        """
        if aid.again:
            otherwise = self._asked(text, spoken_of, aid, variation=1 + len(aid.tried))
            if isinstance(otherwise, Understood) and tuple(map(str, otherwise.goals)) not in aid.tried:
                return otherwise
        return self._asked(text, spoken_of, replace(aid, tried=()))

    def _asked(self, text: str, spoken_of: tuple[ObjectRef, ...], aid: Aid, variation: int = 0) -> Understanding:
        """Ask; where what is remembered misleads the model, ask without it, as one asks who remembers nothing."""
        try:
            return self._told(text, spoken_of, aid, variation)
        except _Wrong as wrong:
            if not (aid.examples or aid.memory):
                return self._senseless(wrong)
        try:
            return self._told(text, spoken_of, replace(aid, examples=(), memory=""), variation)
        except _Wrong as wrong:
            return self._senseless(wrong)

    def _told(self, text: str, spoken_of: tuple[ObjectRef, ...], aid: Aid, variation: int) -> Understanding:
        """Ask, and tell the model what is wrong, as often as that is to be tried; then raise _Wrong."""
        waiting = Waiting(progress=aid.progress, cancelled=aid.cancelled)
        room = self._model.room(waiting)
        read = self._rules.understand(text, spoken_of)
        requested = () if isinstance(read, Statement) else read.goals
        asked = Asked(text, spoken_of, self._lexicon, requested)
        tried: list[tuple[str, str]] = []
        while True:
            try:
                asked_with = conversation(text, aid, [ref.noun for ref in spoken_of], self._lexicon, room, tried)
            except ValueError as error:
                if tried:
                    raise _Wrong(tried[-1][1]) from error
                return NotUnderstood(
                    Code.INVALID_ARGUMENT,
                    f"I can't ask the model {self._model.name}: {error}. Say it in parts, or raise llm_window.",
                )
            answer = self._model.ask(asked_with.chat, Answer.model_json_schema(), waiting, variation)
            try:
                found = self._understanding(text, answer, asked, repaired=bool(tried))
            except _Wrong as wrong:
                _LOG.debug("an answer of %s can't be used", self._model.name)
                again = answer in (before for before, _ in tried)
                if len(tried) >= self._repairs or again:
                    raise
                tried.append((answer, str(wrong)))
            else:
                if not isinstance(found, Statement) and found.goals:
                    aid.heeded(asked_with.told)
                return found

    def _senseless(self, reason: _Wrong) -> NotUnderstood:
        return NotUnderstood(
            Code.NOT_UNDERSTOOD,
            f"The model {self._model.name} did not find sensible goals: {reason}. Say it in other words.",
        )

    def _understanding(self, text: str, answer: str, asked: Asked, *, repaired: bool) -> Understanding:
        try:
            parsed = Answer.model_validate_json(answer)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the answer"
            raise _Wrong(f"{where}: {first['msg']}") from error
        if parsed.goals:
            read = self._reader.read(parsed.goals, asked, repaired=repaired)
            if read.wrong:
                raise _Wrong(read.wrong)
            return complete(read.goals)
        if parsed.statement and asks(text):
            raise _Wrong("it is no statement: something is asked for")
        if parsed.statement:
            return Statement(text.strip())
        if parsed.problem and asked.plain:
            raise _Wrong("nothing keeps goals from being named; what is there the robot finds out by itself")
        if parsed.problem:
            return NotUnderstood(Code.NOT_UNDERSTOOD, parsed.problem)
        raise _Wrong("there are no goals, no statement and no problem")
