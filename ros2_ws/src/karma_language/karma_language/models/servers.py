# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The two protocols that servers of language models speak: Ollama's, and OpenAI's (llama.cpp, vLLM, LM Studio, clouds).

A URL whose path ends in /v1 is an OpenAI-compatible server's, as their documentation gives it; any other is Ollama's.
The key of a server that wants one comes from the environment, and is in no message, log or recording.
"""

from __future__ import annotations

import base64
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from karma_language.models.errors import ModelError, ModelMissingError, ServerError

if TYPE_CHECKING:
    import ssl

OLLAMA_URL = "http://127.0.0.1:11434"
"""Where Ollama listens by default."""
KEYS = ("KARMA_LLM_KEY", "OPENAI_API_KEY")
"""Variables of the environment that may hold the key, the first that is set."""
CONNECT_S = 5.0
"""Seconds that a server may take to accept a connection."""
_LONGEST = 300
"""Characters of what a server says that are passed on."""


@dataclass(frozen=True)
class Part:
    """A piece of an answer."""

    text: str
    ended: bool = False
    tokens: int = 0
    """Of the question, with the last piece of servers that count them."""
    answered: int = 0
    """Tokens of the answer, likewise."""


class Server(Protocol):
    """One connection. Leave it to break off what is under way."""

    async def __aenter__(self) -> Server:
        """Connect."""

    async def __aexit__(self, *_: object) -> None:
        """Disconnect."""

    async def window(self, model: str) -> int:
        """Return the tokens of question and answer that the model was made for; 0 where the server does not say."""

    def answer(self, question: Mapping[str, Any]) -> AsyncIterator[Part]:
        """Yield an answer as it comes. `question`: model, messages, format (JSON schema) and options, as for Ollama."""

    async def models(self) -> list[str]:
        """Return the names of the models that there are."""

    def explain(self, error: Exception, model: str) -> ModelError:
        """Return what an error of this protocol's client means."""


def server_url(text: str) -> str:
    """Return the URL of a server, http:// where it says no protocol. ValueError for what is none."""
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid or not url.isprintable() or " " in url:
        raise ValueError(
            f"{text!r} is no URL, such as {OLLAMA_URL} (Ollama) or http://127.0.0.1:8080/v1 (OpenAI's protocol)"
        )
    return url


def connect(url: str) -> Server:
    """Return a connection to the server at a URL."""
    return OpenAiServer(url) if urlsplit(url).path.rstrip("/").endswith("/v1") else OllamaServer(url)


class OllamaServer:
    """A server that speaks Ollama's protocol, through the client of Ollama."""

    def __init__(self, url: str) -> None:
        import httpx
        import ollama

        self._url = url
        timeout = httpx.Timeout(None, connect=CONNECT_S)
        self._client = ollama.AsyncClient(host=url, timeout=timeout, verify=_trusted())

    async def __aenter__(self) -> OllamaServer:
        """See Server."""
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        """See Server."""
        await self._client.close()  # type: ignore[no-untyped-call]

    async def window(self, model: str) -> int:
        """See Server."""
        shown = await self._client.show(model)
        told = [v for k, v in (shown.modelinfo or {}).items() if k.endswith(".context_length") and isinstance(v, int)]
        return min((length for length in told if length > 0), default=0)

    async def answer(self, question: Mapping[str, Any]) -> AsyncIterator[Part]:
        """See Server."""
        async for part in await self._client.chat(**question, stream=True):
            yield Part(part.message.content or "", bool(part.done), part.prompt_eval_count or 0, part.eval_count or 0)

    async def models(self) -> list[str]:
        """See Server."""
        return [model.model or "" for model in (await self._client.list()).models]

    def explain(self, error: Exception, model: str) -> ModelError:
        """See Server."""
        import ollama

        if isinstance(error, ollama.ResponseError):
            if error.status_code == 404:
                return ModelMissingError(f"Ollama has no model {model!r}. Get it with `ollama pull {model}`.")
            return ServerError(f"Ollama at {self._url} refused ({error.status_code}): {_clipped(error.error)}")
        return _explained(
            error, "Ollama", self._url, "Start it with `ollama serve`, name another URL, or use no model."
        )


class OpenAiServer:
    """A server that speaks OpenAI's protocol, through the client of OpenAI."""

    def __init__(self, url: str) -> None:
        import httpx
        import openai

        key = next((value for name in KEYS if (value := os.environ.get(name, ""))), "none")
        self._url = url
        self._client = openai.AsyncOpenAI(
            base_url=url,
            api_key=key,
            max_retries=0,
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            http_client=openai.DefaultAsyncHttpxClient(verify=_trusted()),
        )

    async def __aenter__(self) -> OpenAiServer:
        """See Server."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """See Server."""
        await self._client.close()

    async def window(self, model: str) -> int:
        """See Server. vLLM and llama.cpp say it beside the model's name, each in a field of its own."""
        async for found in self._client.models.list():
            if found.id != model:
                continue
            more = found.model_extra or {}
            meta = more.get("meta")
            told = [more.get("max_model_len"), meta.get("n_ctx_train") if isinstance(meta, dict) else None]
            return min((length for length in told if isinstance(length, int) and length > 0), default=0)
        return 0

    async def answer(self, question: Mapping[str, Any]) -> AsyncIterator[Part]:
        """See Server."""
        options = question["options"]
        messages: Any = [_openai(message) for message in question["messages"]]
        stream = await self._client.chat.completions.create(
            model=question["model"],
            messages=messages,
            response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": question["format"]}},
            temperature=options["temperature"],
            seed=options["seed"],
            max_tokens=options["num_predict"],
            stream=True,
            stream_options={"include_usage": True},
        )
        ended, tokens, answered = False, 0, 0
        async for chunk in stream:
            if chunk.usage is not None:
                tokens, answered = chunk.usage.prompt_tokens, chunk.usage.completion_tokens
            if chunk.choices:
                ended = ended or chunk.choices[0].finish_reason is not None
                yield Part(chunk.choices[0].delta.content or "")
        if ended:
            yield Part("", True, tokens, answered)

    async def models(self) -> list[str]:
        """See Server."""
        return [found.id async for found in self._client.models.list()]

    def explain(self, error: Exception, model: str) -> ModelError:
        """See Server."""
        import openai

        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            # What the server says may hold the key.
            return ServerError(f"The server at {self._url} refused the key. Set {KEYS[0]} to one that it accepts.")
        if isinstance(error, openai.NotFoundError):
            return ModelMissingError(f"The server at {self._url} has no model {model!r}. Name one that it has.")
        if isinstance(error, openai.APIStatusError):
            return ServerError(f"The server at {self._url} refused ({error.status_code}): {_clipped(error.message)}")
        if isinstance(error, openai.APIConnectionError) and error.__cause__ is not None:
            error = error.__cause__ if isinstance(error.__cause__, Exception) else error
        return _explained(error, "The server", self._url, "Start it, name another URL, or use no model.")


@cache
def _trusted() -> ssl.SSLContext:
    """Return whom connections trust: it is read once, 20 ms, and not for each, and for each proxy that is set."""
    import httpx

    return httpx.create_ssl_context()


def _openai(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as OpenAI's protocol has it: pictures are parts of what is said."""
    pictures = message.get("images", ())
    if not pictures:
        return dict(message)
    urls = (f"data:image/png;base64,{base64.b64encode(picture).decode()}" for picture in pictures)
    parts: list[dict[str, Any]] = [{"type": "text", "text": message["content"]}]
    return {
        "role": message["role"],
        "content": [*parts, *({"type": "image_url", "image_url": {"url": url}} for url in urls)],
    }


def _explained(error: Exception, who: str, url: str, advice: str) -> ModelError:
    """Return what an error of a connection means, whatever the protocol."""
    import httpx

    if isinstance(error, httpx.ReadError | httpx.RemoteProtocolError | httpx.WriteError):
        return ServerError(f"{who} at {url} broke off in the middle of its answer. Try again.")
    if isinstance(error, httpx.HTTPError | OSError) and not isinstance(error, httpx.DecodingError):
        return ServerError(f"{who} does not answer at {url} ({_clipped(str(error))}). {advice}")
    return ServerError(f"What answers at {url} is no server of models ({_clipped(str(error))}). Check the URL.")


def _clipped(text: str) -> str:
    """Return the first line of what a server says, as far as it can be shown."""
    line = next(iter(text.strip().splitlines()), "no reason given")
    return "".join(character for character in line if character.isprintable())[:_LONGEST]
