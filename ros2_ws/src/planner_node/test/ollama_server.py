# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A local server that speaks as much of Ollama's HTTP API as the real client needs, with scripted answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "planner:1b"


class OllamaServer:
    """Answers /api/chat with the scripted contents in turn and keeps the requests."""

    def __init__(
        self, *contents: str, delay: float = 0.0, status: int = 200, cut: bool = False, body: bytes | None = None
    ) -> None:
        self.contents = list(contents)
        self.requests: list[dict[str, Any]] = []
        self.delay = delay
        self.status = status
        self.cut = cut
        self.body = body
        """Sent in place of everything else."""
        self.host = ""

    @contextmanager
    def running(self) -> Iterator[OllamaServer]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        self.host = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()


def _handler(script: OllamaServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.requests.append(request)
            time.sleep(script.delay)
            if request["model"] != MODEL:
                self._send(404, {"error": f"model '{request['model']}' not found"})
            elif script.status != 200:
                self._send(script.status, {"error": "something is wrong with the server"})
            elif script.body is not None:
                self._send(200, {})
            else:
                content = script.contents.pop(0) if len(script.contents) > 1 else script.contents[0]
                message = {"role": "assistant", "content": content}
                self._send(
                    200, {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
                )

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = script.body if script.body is not None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(BrokenPipeError):  # the client did not wait
                self.wfile.write(data[: len(data) // 2] if script.cut else data)

    return Handler
