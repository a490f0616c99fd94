# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One question to a language model in Ollama. Its answer has to be JSON of a schema: it is data, never code.

Needs the packages ollama and pydantic.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Protocol, TypeVar

import httpx
import ollama
from pydantic import BaseModel, ValidationError

_MOST_TOKENS = 1024

Form = TypeVar("Form", bound=BaseModel)


class NoAnswerError(Exception):
    """The model gave no usable answer; the message says why."""


class NoServerError(NoAnswerError):
    """The server gave no answer: it is away, it refuses, it breaks off."""


class Answers(Protocol):
    """Answers of before, for a long run that is interrupted and goes on. The same question has the same answer."""

    def get(self, key: str) -> str | None:
        """Return the answer to the question with this key, None where there is none yet."""

    def keep(self, key: str, answer: str) -> None:
        """Take in an answer."""

    def failed(self, key: str, reason: str) -> bool:
        """Take note that the server gave no answer; return whether to ask again. May raise what ends the run."""

    def lost(self, reason: str) -> None:
        """Take note of a question without a usable answer."""


class OllamaChat:
    """A model in Ollama. Thread-safe."""

    def __init__(self, *, model: str, host: str, timeout: float, answers: Answers | None = None) -> None:
        """`host`: URL of the server; `timeout`: seconds for one answer. ValueError for a host that is no URL."""
        self._answers = answers
        self.model = model
        self._host = host
        try:
            self._client = ollama.Client(host=host, timeout=timeout)
        except (ValueError, httpx.InvalidURL) as error:
            raise ValueError(f"{host!r} is no URL, such as http://127.0.0.1:11434: {error}") from error

    def ask(self, task: str, data: str, form: type[Form], schema: dict[str, Any] | None = None) -> Form:
        """Return the model's answer. `schema`: one that says more than the form's own. NoAnswerError."""
        schema = schema or form.model_json_schema()
        question = json.dumps([self.model, task, data, schema], sort_keys=True)
        key = hashlib.sha256(question.encode()).hexdigest()
        try:
            answer = self._answers.get(key) if self._answers is not None else None
            while answer is None:
                try:
                    answer = self._answer(task, data, schema)
                except NoServerError as error:
                    if self._answers is None or not self._answers.failed(key, str(error)):
                        raise
                else:
                    if self._answers is not None:
                        self._answers.keep(key, answer)
            return self._read(answer, form)
        except NoAnswerError as error:
            if self._answers is not None:
                self._answers.lost(str(error))
            raise

    def _answer(self, task: str, data: str, schema: dict[str, Any]) -> str:
        try:
            response: Any = self._client.chat(
                model=self.model,
                messages=[{"role": "system", "content": task}, {"role": "user", "content": data}],
                format=schema,
                options={"temperature": 0, "seed": 0, "num_predict": _MOST_TOKENS},
            )
        except ollama.ResponseError as error:
            raise NoServerError(f"Ollama at {self._host} refused ({error.status_code}): {error.error}") from error
        except (httpx.HTTPError, OSError) as error:  # time-outs and broken connections, too
            raise NoServerError(f"Ollama does not answer at {self._host}: {error}") from error
        except (ValueError, TypeError, httpx.InvalidURL) as error:  # no JSON, or JSON of another form
            raise NoServerError(f"what answers is not Ollama ({self._host}): {str(error).splitlines()[0]}") from error
        return str(response.message.content or "")

    def _read(self, answer: str, form: type[Form]) -> Form:
        try:
            return form.model_validate_json(answer)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the answer"
            raise NoAnswerError(f"nonsense from the model {self.model}: {where}: {first['msg']}") from error
