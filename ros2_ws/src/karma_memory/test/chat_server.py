# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A model whose answers a test says, behind a local server that speaks Ollama's HTTP API."""

import json
from contextlib import contextmanager

from ollama_server import MODEL, OllamaServer

from karma_language.models import Limits, Model, Newest


@contextmanager
def chat_server(*answers):
    """Answer every chat with the next of `answers`, and with the last again; yield the model and the requests.

    An answer is the message's content (a string) or an object to be written as JSON. A single one may also be an HTTP
    status, or the whole body (bytes).
    """
    (first, *_) = answers
    if isinstance(first, int):
        server = OllamaServer(status=first)
    elif isinstance(first, bytes):
        server = OllamaServer(body=first)
    else:
        server = OllamaServer(*(answer if isinstance(answer, str) else json.dumps(answer) for answer in answers))
    with server.running():
        limits = Limits(first=20.0, total=20.0)
        yield Model(MODEL, url=server.host, limits=limits, answers=Newest(0)), server.requests
