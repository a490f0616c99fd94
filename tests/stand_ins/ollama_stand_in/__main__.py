# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m ollama_stand_in`: serve models over Ollama's HTTP API until the standard input ends, or Ctrl-C."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path

from ollama_stand_in.gguf import metadata
from ollama_stand_in.models import Model, installed
from ollama_stand_in.server import serve


def main() -> None:
    """Serve; print the address first."""
    parser = argparse.ArgumentParser(prog="ollama_stand_in", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument(
        "--model", type=named_file, action="append", default=[], metavar="NAME=FILE", help="a GGUF file; repeatable"
    )
    parser.add_argument("--threads", type=int, default=1, help="of a loaded model")
    arguments = parser.parse_args()
    files = {**installed(), **dict(arguments.model)}
    models = {name: Model(name, file, arguments.threads) for name, file in files.items()}
    server = serve(models, arguments.port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    threading.Thread(target=_unload, args=(models,), daemon=True).start()
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        print("ends", file=sys.stderr)
    for model in models.values():
        model.unload()
    os._exit(0)  # whatever a client still waits for


def named_file(text: str) -> tuple[str, Path]:
    """Read "NAME=FILE"; a name without a tag gets Ollama's, ":latest"."""
    name, _, file = text.partition("=")
    path = Path(file).expanduser()
    try:
        metadata(path)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error
    return (name if ":" in name else f"{name}:latest"), path


def _unload(models: dict[str, Model]) -> None:
    while True:
        time.sleep(0.2)
        for model in models.values():
            model.expire()


if __name__ == "__main__":
    main()
