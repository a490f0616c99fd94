# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A local server that speaks as much of Ollama's HTTP API as a vision-language model needs, with scripted answers."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from PIL import Image

MODEL = "looker:1b"
Answer = Callable[[dict[str, Any]], str]
"""What the model says to the body of a request."""


class VisionServer:
    """Answers /api/chat by a function of the request, keeps the requests and decodes their pictures."""

    def __init__(self, answer: Answer, *, status: int = 200, body: bytes | None = None) -> None:
        self.answer = answer
        self.status = status
        self.body = body
        """Sent in place of everything else."""
        self.requests: list[dict[str, Any]] = []
        self.hold = threading.Event()
        """Answers wait until this is set."""
        self.hold.set()
        self.host = ""

    def pictures(self) -> list[np.ndarray]:
        """Return the picture of every request, (h, w, 3)."""
        encoded = [r["messages"][-1]["images"][0] for r in self.requests]
        return [np.asarray(Image.open(io.BytesIO(base64.b64decode(e, validate=True)))) for e in encoded]

    @contextmanager
    def running(self) -> Iterator[VisionServer]:
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


def says(*states: str) -> Answer:
    """Make an answer of the schema that tells some states."""
    text = json.dumps({"description": "a kitchen", "relevant": "the object", "states": list(states)})
    return lambda request: text


def _handler(script: VisionServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.requests.append(request)
            script.hold.wait(60)
            if self.path != "/api/chat" or request["model"] != MODEL:
                self._send(404, {"error": f"model '{request['model']}' not found"})
            elif script.status != 200:
                self._send(script.status, {"error": "something is wrong with the server"})
            else:
                message = {"role": "assistant", "content": script.answer(request)}
                self._send(
                    200, {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
                )

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = script.body if script.body is not None else json.dumps(body).encode()
            with suppress(BrokenPipeError, ConnectionResetError):  # the client did not wait
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

    return Handler
