# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a language model that says in plain English what it was told, for soaks: it serves until interrupted.

Words that are plain English already are read right with it, as with a real model, and each costs its calls.
"""

from __future__ import annotations

import json
import signal
from typing import Any

from ollama_server import MODEL, OllamaServer

DELAY_S = 0.02


def echo(request: dict[str, Any]) -> str:
    """Return the words that are asked about as the reader's answer."""
    words = request["messages"][-1]["content"].rpartition("Words: ")[2]
    return json.dumps({"english": [words]})


if __name__ == "__main__":
    server = OllamaServer(echo, delay=DELAY_S)
    with server.running():
        print(f"--llm {MODEL} --llm-url {server.host}", flush=True)
        signal.sigwait((signal.SIGINT, signal.SIGTERM))
