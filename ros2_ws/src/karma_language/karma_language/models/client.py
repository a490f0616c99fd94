# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model of a server: questions to it in turn, with limits, as streams that can be stopped, and with a cache.

An answer has to be JSON of a schema. It is data, never code or an instruction.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from karma_language.models.answers import Answers, Newest
from karma_language.models.errors import CanceledError, ModelError, ModelLateError, NonsenseError, ServerError
from karma_language.models.servers import OLLAMA_URL, Server, connect, server_url
from karma_language.models.turns import Turns, Urgency

_POLL_S = 0.05
"""Between looks at whether to stop."""
_SHOWN_S = 0.5
"""Between two notes on progress."""
_VARIED = 0.8
"""Temperature at which a model answers in varying ways."""
_LONGEST = 1_000_000
"""Characters of an answer: one without end is no answer."""

if TYPE_CHECKING:
    from pydantic import BaseModel

Form = TypeVar("Form", bound="BaseModel")
Value = TypeVar("Value")

Message = Mapping[str, Any]
"""role (system, user, assistant), content, and images (bytes of PNG files) for models that see."""
Heard = Callable[[Mapping[str, Any], str], None]
"""Gets a question (model, messages, format, options) and the answer."""


@dataclass(frozen=True)
class Limits:
    """What a model may take."""

    first: float = 180.0
    """Seconds until the first word of an answer: time to load the model and to read the question."""
    total: float = 240.0
    """Seconds for one answer."""
    window: int = 4096
    """Tokens of question and answer together; fewer for a model that was made for fewer."""
    answer: int = 512
    """Tokens of an answer; at most a quarter of the window."""


@dataclass(frozen=True)
class Waiting:
    """Who waits for an answer."""

    urgency: Urgency = Urgency.PERSON
    progress: Callable[[str], None] = lambda step: None
    """Told, in words for people, how far the model is."""
    cancelled: Callable[[], bool] = lambda: False
    """Whether to give up; asked several times a second."""


PATIENT = Waiting()


@dataclass(frozen=True)
class Usage:
    """What a model was asked so far, for diagnostics."""

    answered: int = 0
    failed: int = 0
    from_before: int = 0
    """Questions whose answer was known."""
    tokens: int = 0
    """Of all questions, where the server counts them."""
    tokens_answered: int = 0
    seconds: float = 0.0
    """Of all answers."""
    last_seconds: float = 0.0
    problem: str = ""
    """Why the last question got no answer; "" where it got one."""

    def figures(self, purpose: str) -> dict[str, object]:
        """Return the same for the diagnostics of who asks for `purpose`: "reading", "reflection"."""
        figures = {
            "calls": self.answered,
            "failed": self.failed,
            "answered from before": self.from_before,
            "tokens asked": self.tokens,
            "tokens answered": self.tokens_answered,
            "seconds": round(self.seconds, 3),
            "seconds of the last": round(self.last_seconds, 3),
            "problem": self.problem,
        }
        return {f"llm {purpose}: {name}": value for name, value in figures.items()}


class Model:
    """One model of one server. Thread-safe."""

    def __init__(
        self,
        name: str,
        *,
        url: str = OLLAMA_URL,
        limits: Limits | None = None,
        answers: Answers | None = None,
        heard: Heard | None = None,
    ) -> None:
        """`url`: see karma_language.models.servers; `answers`: of before, None: the newest of this process.

        `heard` gets every question and answer. ValueError for a bad URL.
        """
        self.name = name
        self.url = server_url(url)
        self.limits = limits or Limits()
        self._answers: Answers = answers if answers is not None else Newest()
        self._heard = heard
        self._window = 0
        self._turns = Turns()
        self._usage = Usage()
        self._counting = threading.Lock()

    @property
    def usage(self) -> Usage:
        """What it was asked so far."""
        return self._usage

    def room(self, waiting: Waiting = PATIENT) -> int:
        """Return how many tokens a question may have. Raises as `ask` does."""
        window = self._known_window(waiting)
        return window - self._longest_answer(window)

    def ask(
        self,
        chat: Sequence[Message],
        schema: Mapping[str, Any],
        waiting: Waiting = PATIENT,
        variation: int = 0,
    ) -> str:
        """Return the model's answer as it is, the same one to the same question.

        `variation`: 0 for the likeliest answer, another number for another one. Raises ModelError.
        """
        window = self._known_window(waiting)
        options = {
            "temperature": _VARIED if variation else 0,
            "seed": variation,
            "num_predict": self._longest_answer(window),
            "num_ctx": window,
        }
        question = {"model": self.name, "messages": list(chat), "format": schema, "options": options}
        key = hashlib.sha256(json.dumps(question, sort_keys=True, default=repr).encode()).hexdigest()
        answer = self._answers.get(key)
        if answer is not None:
            self._count(from_before=1)
        while answer is None:
            try:
                answer = self._asked(question, waiting)
            except CanceledError:
                raise
            except ModelError as error:
                if not self._answers.failed(key, str(error)):
                    self._answers.lost(str(error))
                    raise
            else:
                self._answers.keep(key, answer)
        if self._heard is not None:
            self._heard(question, answer)
        return answer

    def ask_for(
        self,
        form: type[Form],
        task: str,
        data: str,
        waiting: Waiting = PATIENT,
        schema: Mapping[str, Any] | None = None,
    ) -> Form:
        """Return the model's answer in a form. `schema`: one that says more than the form's own. Raises ModelError.

        `task` is what the model is to do; `data` is what it is to do it with, never an instruction.
        """
        from pydantic import ValidationError

        chat = [{"role": "system", "content": task}, {"role": "user", "content": data}]
        answer = self.ask(chat, schema or form.model_json_schema(), waiting)
        try:
            return form.model_validate_json(answer)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the answer"
            problem = f"The model {self.name} answered nonsense: {where}: {first['msg']}."
            self._answers.lost(problem)
            raise NonsenseError(problem) from error

    def models(self, waiting: Waiting = PATIENT) -> list[str]:
        """Return the names of the models that the server has. Raises ModelError."""
        return self._run(lambda server, heard: server.models(), waiting)

    def _known_window(self, waiting: Waiting) -> int:
        """Return the tokens of question and answer together: the limit, or less if the model can't do that."""
        if not self._window:
            told = self._run(lambda server, heard: server.window(self.name), waiting)
            self._window = min(self.limits.window, told) if told else self.limits.window
        return self._window

    def _longest_answer(self, window: int) -> int:
        return min(self.limits.answer, window // 4)

    def _asked(self, question: Mapping[str, Any], waiting: Waiting) -> str:
        waiting.progress(f"ask {self.name}")
        began = time.monotonic()
        with self._turns.taken(waiting.urgency, lambda: self._look(waiting), _POLL_S):
            answer = self._run(lambda server, heard: heard.all(server, question), waiting)
        self._count(answered=1, seconds=time.monotonic() - began)
        return answer

    def _look(self, waiting: Waiting) -> None:
        if waiting.cancelled():
            raise CanceledError("Stopped as asked.")

    def _run(self, asking: Callable[[Server, _Coming], Coroutine[Any, Any, Value]], waiting: Waiting) -> Value:
        """Carry out what talks to the server, until it is done, stopped or late; count a failure. Raises ModelError."""
        try:
            return self._carried_out(asking, waiting)
        except CanceledError:
            raise
        except ModelError as error:
            self._count(failed=1, problem=str(error))
            raise

    def _carried_out(self, asking: Callable[[Server, _Coming], Coroutine[Any, Any, Value]], waiting: Waiting) -> Value:
        server = connect(self.url)
        try:
            return asyncio.run(self._watched(server, asking, waiting))
        except ModelError:
            raise
        except Exception as error:
            raise server.explain(error, self.name) from error

    async def _watched(
        self, server: Server, asking: Callable[[Server, _Coming], Coroutine[Any, Any, Value]], waiting: Waiting
    ) -> Value:
        """Wait for an answer; leaving closes the connection, on which servers stop."""
        heard = _Coming(self)
        async with server:
            began = shown = time.monotonic()
            task = asyncio.create_task(asking(server, heard))
            try:
                while not (await asyncio.wait([task], timeout=_POLL_S))[0]:
                    now = time.monotonic()
                    self._look(waiting)
                    if not heard.parts and now - began > self.limits.first:
                        raise self._late("did not begin to answer", "first")
                    if now - began > self.limits.total:
                        raise self._late("did not answer", "total")
                    if heard.parts and now - shown > _SHOWN_S:
                        shown = now
                        waiting.progress(f"{self.name} is answering ({heard.parts} tokens so far)")
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            return task.result()

    def _late(self, what: str, limit: str) -> ModelLateError:
        seconds = getattr(self.limits, limit)
        return ModelLateError(f"The model {self.name} {what} within {seconds:g} s.", limit)

    def _count(self, *, problem: str = "", seconds: float = 0.0, **more: int) -> None:
        with self._counting:
            counted = {name: getattr(self._usage, name) + number for name, number in more.items()}
            if "answered" in more:
                counted |= {"seconds": self._usage.seconds + seconds, "last_seconds": seconds}
            if "tokens" not in more:
                counted["problem"] = problem
            self._usage = replace(self._usage, **counted)


class _Coming:
    """An answer as it comes."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.parts = 0

    async def all(self, server: Server, question: Mapping[str, Any]) -> str:
        """Return an answer when all of it has come."""
        said: list[str] = []
        length = 0
        async for part in server.answer(question):
            said.append(part.text)
            length += len(part.text)
            self.parts += bool(part.text)
            if length > _LONGEST:
                raise ServerError(
                    f"The model {self._model.name} gave an answer without end. Try again, or another model."
                )
            if part.ended:
                self._model._count(tokens=part.tokens, tokens_answered=part.answered)
                return "".join(said)
        raise ServerError(f"The server at {self._model.url} broke off in the middle of its answer. Try again.")
