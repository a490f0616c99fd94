# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model in Ollama: questions to it, with time-outs, as a stream that can be stopped, and with a cache."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx
import ollama

from planner_node.understand.aid import Aid

_POLL = 0.05
"""Seconds between looks at whether to stop."""
_SHOWN = 0.5
"""Seconds between two notes on progress."""
_VARIED = 0.8
"""Temperature at which a model answers in varying ways."""
_CONNECT = 5.0
"""Seconds that the server may take to accept a connection."""


class NotOllama(Exception):  # noqa: N818 - what answers, as people say it
    """What answers does not speak as Ollama does."""


class BrokenOff(Exception):  # noqa: N818 - as above
    """The answer ended in the middle."""


class Stopped(Exception):  # noqa: N818 - as above
    """Nobody waits for the answer any more."""


class NoAnswer(Exception):  # noqa: N818 - as above
    """The model took too long."""

    def __init__(self, what: str, parameter: str) -> None:
        """Take what it did not do in time, to be said after its name, and the planner's parameter that allows more."""
        super().__init__(what)
        self.parameter = parameter


@dataclass(frozen=True)
class Limits:
    """What a model may take."""

    first: float = 180.0
    """Seconds until the first word of an answer: time to load the model and to read the prompt."""
    total: float = 240.0
    """Seconds for one answer."""
    window: int = 4096
    """Tokens of prompt and answer together; fewer for a model that was made for fewer."""
    answer: int = 1024
    """Tokens of an answer; at most a quarter of the window."""


@dataclass
class _Coming:
    """How much of an answer has come."""

    parts: int = 0


_Asking = Callable[[ollama.AsyncClient, _Coming], Coroutine[Any, Any, Any]]


Heard = Callable[[Mapping[str, Any], str], None]
"""Gets a question, as it is put to Ollama, and the answer."""


class Answers(Protocol):
    """Answers of before. Only the digest of a question is kept with them."""

    def get(self, key: str) -> str | None:
        """Return the answer to the question with this key, None where there is none."""

    def keep(self, key: str, answer: str) -> None:
        """Take in an answer."""


class Newest:
    """So many answers, those used last, in this process only: the words of users are in them. Thread-safe."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._answers: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """Return the answer to a question."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def keep(self, key: str, answer: str) -> None:
        """Take in an answer, in place of the one that was not used for longest."""
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > self._count:
                self._answers.popitem(last=False)


class Model:
    """One model of one server. Thread-safe."""

    def __init__(
        self, name: str, *, host: str, limits: Limits, answers: Answers | None = None, heard: Heard | None = None
    ) -> None:
        """`host`: URL of the Ollama server; `answers`: None for the newest 256; `heard` gets every question and answer.

        Raises ValueError for a bad URL.
        """
        self._heard = heard
        self.name = name
        self.host = host
        self.limits = limits
        self._answers: Answers = answers if answers is not None else Newest(256)
        self._window = 0
        try:
            ollama.Client(host=host)
        except (ValueError, httpx.InvalidURL) as error:
            raise ValueError(f"{host!r} is no URL, such as http://127.0.0.1:11434: {error}") from error

    def room(self, aid: Aid) -> int:
        """Return how many tokens a prompt may have. Raises as `ask` does."""
        return self.window(aid) - self._longest_answer(self.window(aid))

    def window(self, aid: Aid) -> int:
        """Return the tokens of prompt and answer together: the limit, or less if the model can't do that."""
        if not self._window:
            self._window = int(self._run(self._trained_window, aid))
        return self._window

    def ask(self, chat: Sequence[Mapping[str, str]], schema: Mapping[str, Any], aid: Aid, variation: int = 0) -> str:
        """Return the model's answer as it is, the same one to the same question.

        `variation`: 0 for the likeliest answer, another number for another one.
        Raises NotOllama, BrokenOff, Stopped, NoAnswer, ollama.ResponseError, OSError or httpx.HTTPError.
        """
        window = self.window(aid)
        options = {
            "temperature": _VARIED if variation else 0,
            "seed": variation,
            "num_predict": self._longest_answer(window),
            "num_ctx": window,
        }
        question = {"model": self.name, "messages": list(chat), "format": schema, "options": options}
        key = hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()
        answer = self._answers.get(key)
        if answer is None:
            aid.progress(f"ask {self.name}")
            answer = str(self._run(lambda client, heard: _streamed(client, heard, question), aid))
            self._answers.keep(key, answer)
        if self._heard is not None:
            self._heard(question, answer)
        return answer

    def _longest_answer(self, window: int) -> int:
        return min(self.limits.answer, window // 4)

    def _run(self, asking: _Asking, aid: Aid) -> Any:
        """Carry out what talks to the server, until it is done, stopped or late."""
        try:
            return asyncio.run(self._watched(asking, aid))
        except (ValueError, TypeError, AttributeError, httpx.InvalidURL) as error:  # no JSON, or JSON of another form
            raise NotOllama(str(error).splitlines()[0]) from error

    async def _watched(self, asking: _Asking, aid: Aid) -> Any:
        """Wait for an answer; leaving closes the connection, on which Ollama stops."""
        timeout = httpx.Timeout(None, connect=_CONNECT)
        async with ollama.AsyncClient(host=self.host, timeout=timeout) as client:
            began = time.monotonic()
            heard = _Coming()
            task = asyncio.create_task(asking(client, heard))
            shown = began
            try:
                while not (await asyncio.wait([task], timeout=_POLL))[0]:
                    now = time.monotonic()
                    if aid.cancelled():
                        raise Stopped
                    if not heard.parts and now - began > self.limits.first:
                        raise NoAnswer(f"did not begin to answer within {self.limits.first:g} s", "llm_first_timeout")
                    if now - began > self.limits.total:
                        raise NoAnswer(f"did not answer within {self.limits.total:g} s", "llm_timeout")
                    if heard.parts and now - shown > _SHOWN:
                        shown = now
                        aid.progress(f"{self.name} is answering ({heard.parts} tokens so far)")
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            return task.result()

    async def _trained_window(self, client: ollama.AsyncClient, heard: _Coming) -> int:
        """Ask for the context that the model was made for; not every server tells."""
        shown = await client.show(self.name)
        told = [v for k, v in (shown.modelinfo or {}).items() if k.endswith(".context_length") and isinstance(v, int)]
        return min([self.limits.window, *(length for length in told if length > 0)])


async def _streamed(client: ollama.AsyncClient, heard: _Coming, question: Mapping[str, Any]) -> str:
    """Return an answer when all of it has come."""
    said: list[str] = []
    async for part in await client.chat(**question, stream=True):
        said.append(part.message.content or "")
        heard.parts += 1
        if part.done:
            return "".join(said)
    if not said:
        raise NotOllama("an empty answer")
    raise BrokenOff
