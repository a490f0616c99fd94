# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions to goals by a language model in Ollama: its answer is data that is checked, never code."""

from __future__ import annotations

import logging
from dataclasses import replace

import httpx
import ollama
from pydantic import ValidationError

from planner_node.skills import Code
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.answer import Answer
from planner_node.understand.asked import Asked
from planner_node.understand.chunks import MAX_LENGTH
from planner_node.understand.goals import NotUnderstood, ObjectRef, Statement, Understanding, Understood, complete
from planner_node.understand.model import Answers, BrokenOff, Heard, Limits, Model, NoAnswer, NotOllama, Stopped
from planner_node.understand.offline import OfflineUnderstanding
from planner_node.understand.prompt import conversation
from planner_node.understand.reading_answers import AnswerReader
from planner_node.understand.remarks import asks
from planner_node.vocabulary.lexicon import Lexicon

_LOG = logging.getLogger(__name__)


class _Wrong(Exception):  # noqa: N818 - caught in this module
    """The answer is not usable; the message tells the model why."""


class LlmUnderstanding:
    """Understands instructions with a model in Ollama. Every failure is an answer with a code."""

    def __init__(
        self,
        lexicon: Lexicon,
        *,
        model: str,
        host: str,
        limits: Limits | None = None,
        repairs: int = 2,
        answers: Answers | None = None,
        heard: Heard | None = None,
    ) -> None:
        """`host`: URL of the Ollama server; `repairs`: times that the model is told what is wrong with its answer.

        `answers`: of before; None: the newest of this process. `heard` gets every question and answer. Raises
        ValueError for a bad URL.
        """
        self._lexicon = lexicon
        self._rules = OfflineUnderstanding(lexicon)
        self._reader = AnswerReader(lexicon, self._rules)
        self._model = Model(model, host=host, limits=limits or Limits(), answers=answers, heard=heard)
        self._repairs = repairs

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals. Never raises."""
        if not text.strip() or len(text) > MAX_LENGTH:
            return self._rules.understand(text)
        name, host = self._model.name, self._model.host
        try:
            return self._understand(text, spoken_of, aid)
        except Stopped:
            return NotUnderstood(Code.CANCELED, "Stopped as asked before it was understood.")
        except NoAnswer as late:
            return NotUnderstood(
                Code.TIMEOUT, f"The model {name} {late}. Raise {late.parameter}, try again, or use a smaller model."
            )
        except ollama.ResponseError as error:
            return self._refused(error)
        except NotOllama as error:
            return NotUnderstood(
                Code.UNAVAILABLE,
                f"What answers at {host} is not Ollama ({error}). Check ollama_host, or use llm:=offline.",
            )
        except (BrokenOff, httpx.ReadError, httpx.RemoteProtocolError):
            return NotUnderstood(
                Code.UNAVAILABLE, f"Ollama at {host} broke off in the middle of its answer. Try again."
            )
        except (httpx.HTTPError, OSError) as error:
            return NotUnderstood(
                Code.UNAVAILABLE,
                f"Ollama does not answer at {host} ({error}). Start it with `ollama serve`, or use llm:=offline.",
            )

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
        room = self._model.room(aid)
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
            answer = self._model.ask(asked_with.chat, Answer.model_json_schema(), aid, variation)
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

    def _refused(self, error: ollama.ResponseError) -> NotUnderstood:
        name, host = self._model.name, self._model.host
        if error.status_code == 404:
            return NotUnderstood(Code.NOT_FOUND, f"Ollama has no model {name!r}. Get it with `ollama pull {name}`.")
        return NotUnderstood(Code.UNAVAILABLE, f"Ollama at {host} refused ({error.status_code}): {error.error}")

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
