# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The HTTP API (Ollama's docs/api.md): chat, generate, tags, show, ps, version.

What Ollama does beside passing text on is done here: model names, the context that holds the newest messages, when a
model is loaded and unloaded, errors in its words.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from ollama_stand_in.models import CONTEXT, Model, RunnerError, seconds

VERSION = "0.12.0"
"""Of the API that is spoken."""
_PASSED_ON = {
    "temperature": "temperature",
    "seed": "seed",
    "top_k": "top_k",
    "top_p": "top_p",
    "stop": "stop",
    "num_predict": "max_tokens",
    "repeat_penalty": "repeat_penalty",
}
"""Ollama's options → llama.cpp's."""


class ApiError(Exception):
    """A request that gets an error for an answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def serve(models: dict[str, Model], port: int = 0) -> ThreadingHTTPServer:
    """Return a server on this machine's loopback; port 0: a free one."""
    return _Server(port, models)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, models: dict[str, Model]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.models = models

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report what went wrong, unless it is only that a client has gone."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""

    server: _Server

    def do_GET(self) -> None:
        """Answer what asks for no work."""
        if self.path == "/":
            self._send(200, b"Ollama is running", "text/plain")
        elif self.path == "/api/version":
            self._json({"version": VERSION})
        elif self.path == "/api/tags":
            self._json({"models": [model.described() for model in self.server.models.values()]})
        elif self.path == "/api/ps":
            self._json({"models": [_running(model) for model in self.server.models.values() if model.loaded]})
        else:
            self._send(404, b"404 page not found", "text/plain")

    def do_POST(self) -> None:
        """Answer a chat, a prompt, or a question about a model."""
        routes = {"/api/chat": self._chat, "/api/generate": self._generate, "/api/show": self._show}
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            if self.path not in routes:
                self._send(404, b"404 page not found", "text/plain")
            else:
                routes[self.path](_parsed(body))
        except ApiError as error:
            self._json({"error": str(error)}, error.status)
        except RunnerError as error:
            self._json({"error": str(error)}, 500)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has gone; so has its answer

    def _show(self, request: dict[str, Any]) -> None:
        model = self._model(request)
        described = model.described()
        self._json(
            {
                "modelfile": f"FROM {model.file.name}",
                "parameters": "",
                "template": model.metadata.get("tokenizer.chat_template", ""),
                "details": described["details"],
                "model_info": model.metadata,
                "capabilities": ["completion"],
                "modified_at": described["modified_at"],
            }
        )

    def _chat(self, request: dict[str, Any]) -> None:
        messages = [{"role": m["role"], "content": m.get("content", "")} for m in request.get("messages") or []]
        self._answer(request, messages, lambda text: {"message": {"role": "assistant", "content": text}})

    def _generate(self, request: dict[str, Any]) -> None:
        system = [{"role": "system", "content": request["system"]}] if request.get("system") else []
        messages = [*system, {"role": "user", "content": request["prompt"]}] if request.get("prompt") else []
        self._answer(request, messages, lambda text: {"response": text})

    def _answer(self, request: dict[str, Any], messages: list[dict[str, str]], saying: Any) -> None:
        began = time.monotonic_ns()
        model = self._model(request)
        options = request.get("options") or {}
        try:
            keep = seconds(request.get("keep_alive"))
        except ValueError as error:
            raise ApiError(400, str(error)) from error
        asked = {theirs: options[ours] for ours, theirs in _PASSED_ON.items() if ours in options}
        asked |= _form(request.get("format"))
        context = min(int(options.get("num_ctx", CONTEXT)), _longest(model))

        def part(text: str, **more: Any) -> dict[str, Any]:
            return {"model": request["model"], "created_at": _now(), **saying(text), "done": False, **more}

        with model.running(context, keep) as url:
            if not messages:
                reason = "unload" if keep == 0.0 else "load"
                self._json(part("", done=True, done_reason=reason))
                return
            loaded = time.monotonic_ns()
            with _completion(url, messages, asked) as chunks:
                self._pass_on(chunks, part, stream=request.get("stream", True), began=began, loaded=loaded)

    def _pass_on(self, chunks: Iterator[dict[str, Any]], part: Any, *, stream: bool, began: int, loaded: int) -> None:
        """Send an answer as it comes, or in whole."""
        text, reason, usage = "", "stop", {"prompt_tokens": 0, "completion_tokens": 0}
        if stream:
            self._begin("application/x-ndjson", "Transfer-Encoding", "chunked")
        try:
            for chunk in chunks:
                usage = chunk.get("usage") or usage
                for choice in chunk["choices"][:1]:
                    said = choice["delta"].get("content") or ""
                    reason = choice.get("finish_reason") or reason
                    text += said
                    if stream and said:
                        self._chunk(part(said))
        except RunnerError as error:
            if not stream:
                raise
            self._chunk({"error": str(error)})
            self.wfile.write(b"0\r\n\r\n")
            return
        end = part(
            "" if stream else text,
            done=True,
            done_reason=reason,
            total_duration=time.monotonic_ns() - began,
            load_duration=loaded - began,
            prompt_eval_count=usage["prompt_tokens"],
            eval_count=usage["completion_tokens"],
        )
        if stream:
            self._chunk(end)
            self.wfile.write(b"0\r\n\r\n")
        else:
            self._json(end)

    def _model(self, request: dict[str, Any]) -> Model:
        name = str(request.get("model") or request.get("name") or "")
        if not name:
            raise ApiError(400, "model is required")
        full = name if ":" in name else f"{name}:latest"
        if full not in self.server.models:
            raise ApiError(404, f"model '{name}' not found")
        return self.server.models[full]

    def _json(self, body: dict[str, Any], status: int = 200) -> None:
        self._send(status, json.dumps(body).encode(), "application/json; charset=utf-8")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self._begin(kind, "Content-Length", str(len(data)), status)
        self.wfile.write(data)

    def _begin(self, kind: str, header: str, value: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header(header, value)
        self.end_headers()

    def _chunk(self, body: dict[str, Any]) -> None:
        line = json.dumps(body).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))


def _parsed(body: bytes) -> dict[str, Any]:
    if not body:
        raise ApiError(400, "missing request body")
    try:
        request = json.loads(body)
    except ValueError as error:
        raise ApiError(400, str(error)) from error
    if not isinstance(request, dict):
        raise ApiError(400, "json: cannot unmarshal into an object")
    return request


def _form(wanted: Any) -> dict[str, Any]:
    """Return llama.cpp's words for Ollama's format."""
    if wanted in (None, ""):
        return {}
    if wanted == "json":
        return {"response_format": {"type": "json_object"}}
    if isinstance(wanted, dict):
        return {"response_format": {"type": "json_schema", "json_schema": {"schema": wanted}}}
    raise ApiError(400, f'invalid format: {json.dumps(wanted)}; expected "json" or a valid JSON Schema object')


@contextmanager
def _completion(url: str, messages: list[dict[str, str]], asked: dict[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Yield the parts of an answer. Leaving it early stops the model.

    Of a conversation that does not fit in the context, the oldest messages are left out, as Ollama does it.
    """
    kept = list(messages)
    with httpx.Client(timeout=None) as client:
        while True:
            body = {**asked, "messages": kept, "stream": True, "stream_options": {"include_usage": True}}
            with client.stream("POST", f"{url}/v1/chat/completions", json=body) as response:
                if response.status_code == 200:
                    yield _events(response)
                    return
                error = json.loads(response.read()).get("error", {})
            oldest = next((i for i, m in enumerate(kept[:-1]) if m["role"] != "system"), None)
            if error.get("type") != "exceed_context_size_error":
                raise ApiError(500, str(error.get("message", error)))
            if oldest is None:
                raise ApiError(400, "the input length exceeds the context length")
            del kept[oldest]


def _events(response: httpx.Response) -> Iterator[dict[str, Any]]:
    """Yield what comes as server-sent events."""
    try:
        for line in response.iter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                yield json.loads(line.removeprefix("data: "))
    except httpx.HTTPError as error:
        raise RunnerError(f"llama runner process no longer running: {error}") from error


def _running(model: Model) -> dict[str, Any]:
    expires = datetime.fromtimestamp(min(model.expires, 4e9), timezone.utc).isoformat()
    return model.described() | {"expires_at": expires, "size_vram": 0, "context_length": model.context}


def _longest(model: Model) -> int:
    """Return the tokens of the longest context that the model was trained for."""
    return int(model.metadata.get(f"{model.metadata['general.architecture']}.context_length", CONTEXT))


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()
