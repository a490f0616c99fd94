# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A language model's recorded answers, as Ollama would give them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from karma.replay.trial import Exchange, TrialError
from planner_node.ros.exchanges import LLM

MOST_BYTES = 16 * 2**20
"""Of one question."""


@contextmanager
def recorded_model(exchanges: Iterable[Exchange]) -> Iterator[str]:
    """Serve the recorded answers; give the URL. What was not asked then is refused."""
    answers, window = recorded_answers(exchanges)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answers, window))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="recorded_model", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def recorded_answers(exchanges: Iterable[Exchange]) -> tuple[dict[str, str], int]:
    """Return the answers by what was asked, and the context window (tokens). TrialError for questions that are none."""
    said = [exchange for exchange in exchanges if exchange.name == LLM]
    try:
        answers = {_key(exchange.request): str(exchange.response) for exchange in said}
        return answers, max((int(exchange.request["options"]["num_ctx"]) for exchange in said), default=0)
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise TrialError(
            f"the recording is damaged: what a language model was asked can't be read ({error})"
        ) from error


def _key(question: Mapping[str, Any]) -> str:
    return json.dumps({part: question.get(part) for part in ("model", "messages", "format", "options")}, sort_keys=True)


def _handler(answers: Mapping[str, str], window: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
            """Say nothing: what is asked may be personal."""

        def do_POST(self) -> None:
            try:
                request = json.loads(self.rfile.read(min(int(self.headers["Content-Length"]), MOST_BYTES)))
                key = _key(request)
            except (ValueError, TypeError, AttributeError):
                self._send(400, {"error": "no JSON of a question"})
                return
            if self.path == "/api/show":
                self._send(200, {"model_info": {"recorded.context_length": window}})
            elif key in answers:
                message = {"role": "assistant", "content": answers[key]}
                self._send(200, {"model": request["model"], "message": message, "done": True})
            else:
                self._send(410, {"error": "the recording has no answer to that; ask the model anew with --llm"})

        def _send(self, status: int, content: Mapping[str, Any]) -> None:
            body = json.dumps(content).encode() + b"\n"
            self.send_response(status)
            self.send_header("Content-Type", "application/x-ndjson")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
