# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A memory's file behind `./karma mcp`, and clients of it."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from PIL import Image

from karma_memory import Memory

COMMAND = [sys.executable, "-m", "karma.command", "mcp"]


def jpeg() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 6), "blue").save(file, "JPEG")
    return file.getvalue()


def make_home(folder: Path) -> Path:
    """Return the file of a memory with a few things, two people, and a task."""
    file = folder / "home.sqlite3"
    with Memory(file, embedder="lexical") as memory:
        memory.see("mug", on="kitchen table", room="kitchen", at=(1.0, 2.0, 0.9))
        memory.see("suitcase", room="hall")
        memory.tell("My sister is called Lea.", user="ann")
        memory.tell("My sister is called Mia.", user="ben")
        memory.did("put", "mug", "sink", user="ann")
        memory.see("mug", inside="sink", picture=jpeg())
    return file


def by_stdio(home: Path, *more: str, mode: str = "auto", **options: Any) -> Client:
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--database", str(home), *more], env=dict(os.environ)
    )
    return Client(server, mode=mode, **options)  # type: ignore[arg-type]


async def text(client: Client, tool: str, **arguments: Any) -> str:
    """Return a tool's result; of an error, with a mark in front."""
    result = await client.call_tool(tool, arguments)
    [content] = result.content
    said: str = content.text  # type: ignore[union-attr]
    return f"error: {said}" if result.is_error else said


@contextmanager
def served(home: Path, *more: str) -> Iterator[str]:
    """Serve a memory by HTTP; give the URL."""
    command = [*COMMAND, "--database", str(home), "--http", "--port", "0", *more]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        url = next(line.strip() for line in server.stderr if line.startswith("http"))
        yield url
        assert server.poll() is None, "the server has died"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


@asynccontextmanager
async def connected(url: str, token: str = "", mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60.0) as http,  # long enough for any machine
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,  # type: ignore[arg-type]
    ):
        yield client
