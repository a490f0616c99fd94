# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A local server that speaks as much of Ollama's HTTP API as the real client needs, with scripted answers."""

import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def chat_server(*answers, delay=0.0, cut=False):
    """Answer every chat with the next of `answers`, and with the last again; yield the URL and the requests.

    An answer is the message's content (a string), an object to be written as JSON, an HTTP status, or the whole body
    (bytes). `delay`: seconds before each; `cut`: send half of each.
    """
    requests, left = [], list(answers)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            time.sleep(delay)
            answer = left.pop(0) if len(left) > 1 else left[0]
            status = answer if isinstance(answer, int) else 200
            data = answer if isinstance(answer, bytes) else json.dumps(_body(answer)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(BrokenPipeError):  # the client did not wait
                self.wfile.write(data[: len(data) // 2] if cut else data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()


def _body(answer):
    if isinstance(answer, int):
        return {"error": "no"}
    content = answer if isinstance(answer, str) else json.dumps(answer)
    return {"model": "m", "message": {"role": "assistant", "content": content}, "done": True}
