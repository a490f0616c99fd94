# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A local server with scripted answers, in as much of Ollama's HTTP API and of OpenAI's as the real clients need.

For what must go wrong when a test wants it; answers of a real model come from the fixture `ollama_daemon`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from typing import Any

MODEL = "planner:1b"
Content = str | Callable[[dict[str, Any]], str]
PART = 16
"""Characters of a part of a streamed answer."""


class OllamaServer:
    """Answers chats, in the protocol in which they come, with the scripted contents in turn; keeps the requests."""

    def __init__(
        self,
        *contents: Content,
        delay: float = 0.0,
        pace: float = 0.0,
        status: int = 200,
        cut: bool = False,
        body: bytes | None = None,
        window: int = 32768,
        model: str = MODEL,
        key: str = "",
        part: int = PART,
        endless: bool = False,
    ) -> None:
        """`delay`: seconds before an answer, `pace`: between its parts; `cut`: half of it; `window`: of the model.

        `part`: characters of a part of a streamed answer; `endless`: whether the parts begin anew when they end.

        `model`: its name; `key`: that OpenAI's clients have to have. A content may be a function of the request.
        """
        self.key = key
        self.part = part
        self.endless = endless
        self.model = model
        self.hold = threading.Event()
        """Answers wait until this is set."""
        self.hold.set()
        self.contents = list(contents)
        self.requests: list[dict[str, Any]] = []
        self.delay = delay
        self.pace = pace
        self.status = status
        self.cut = cut
        self.body = body
        """Sent in place of everything else."""
        self.window = window
        self.left = threading.Event()
        """Set when a client has gone in the middle of an answer."""
        self.host = ""

    @property
    def openai(self) -> str:
        """The URL for clients of OpenAI's protocol."""
        return f"{self.host}/v1"

    @contextmanager
    def running(self) -> Iterator[OllamaServer]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self.host = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            self.hold.set()
            server.shutdown()
            server.server_close()


def _handler(script: OllamaServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            if self._refused():
                return
            found = {
                "id": script.model,
                "object": "model",
                "created": 0,
                "owned_by": "test",
                "max_model_len": script.window,
            }
            self._send(200, {"object": "list", "data": [found]})

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self._refused():
                return
            if request["model"] != script.model:
                self._send(404, {"error": f"model '{request['model']}' not found"})
            elif self.path == "/api/show":
                self._send(200, {"model_info": {"test.context_length": script.window}})
            else:
                script.requests.append(request)
                self._chat(request)

        def _refused(self) -> bool:
            wrong = self.path.startswith("/v1/") and script.key not in self.headers.get("Authorization", "")
            if wrong:
                self._send(401, {"error": {"message": f"wrong key {self.headers['Authorization']}"}})
            return wrong

        def _chat(self, request: dict[str, Any]) -> None:
            time.sleep(script.delay)
            script.hold.wait()
            if script.body is not None:
                self._write(200, [script.body])
            elif script.status != 200:
                self._send(script.status, {"error": "something is wrong with the server"})
            else:
                openai = self.path.startswith("/v1/")
                line = _event if openai else _line
                content = script.contents.pop(0) if len(script.contents) > 1 else script.contents[0]
                if callable(content):
                    content = content(request)
                if not request.get("stream", not openai):  # what each protocol has where nothing is said
                    self._write(200, [_completion(content) if openai else _line(content, done=True)], whole=True)
                    return
                parts = [content[i : i + script.part] for i in range(0, len(content), script.part)]
                lines = [line(part, done=False) for part in parts[: len(parts) // 2 if script.cut else None]]
                ended = [*lines, *([] if script.cut else [line("", done=True)])]
                self._write(200, cycle(lines) if script.endless else ended)

        def _send(self, status: int, body: dict[str, Any]) -> None:
            self._write(status, [json.dumps(body).encode()])

        def _write(self, status: int, lines: Iterable[bytes], *, whole: bool = False) -> None:
            self.send_response(status)
            stream = self.path == "/v1/chat/completions" and status == 200 and not whole
            kind = "text/event-stream" if stream else "application/json" if status != 200 else "application/x-ndjson"
            self.send_header("Content-Type", "application/json" if whole or self.path == "/v1/models" else kind)
            self.end_headers()
            for line in lines:
                time.sleep(script.pace)
                with suppress(BrokenPipeError, ConnectionResetError):
                    self.wfile.write(line)
                    continue
                script.left.set()
                return

    return Handler


def _line(content: str, *, done: bool) -> bytes:
    message = {"role": "assistant", "content": content}
    body = {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": done}
    return json.dumps(body).encode() + b"\n"


def _completion(content: str) -> bytes:
    """Return a whole answer as OpenAI's protocol has it."""
    message = {"role": "assistant", "content": content}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": MODEL}
    return json.dumps({**body, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()


def _event(content: str, *, done: bool) -> bytes:
    """Return a piece of an answer as OpenAI's protocol has it; the last one counts tokens."""
    body: dict[str, Any] = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": MODEL}
    body["choices"] = [{"index": 0, "delta": {"content": content}, "finish_reason": "stop" if done else None}]
    if done:
        body["usage"] = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return b"data: " + json.dumps(body).encode() + b"\n\n" + (b"data: [DONE]\n\n" if done else b"")
