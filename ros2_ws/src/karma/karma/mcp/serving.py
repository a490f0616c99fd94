# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How MCP clients reach the server: by standard input and output, or by HTTP on this machine, or with a token."""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

LOCAL = ("127.0.0.1", "localhost", "::1")
USER = "karma.user"
"""Where the scope of a request has the name of its user."""
MOST_BYTES = 1 << 20
"""Of a request."""
MOST_CLIENTS = 200
SHORTEST_TOKEN = 16


class TokenError(ValueError):
    """The file of tokens is not as it has to be; the message says what is wrong."""


def read_tokens(file: Path) -> dict[str, str]:
    """Return token → user of a file with a line for each: the token, then the user's name. TokenError."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TokenError(f"{file}: {error}") from error
    if file.stat().st_mode & 0o077:
        raise TokenError(f"{file} can be read by others: chmod 600 {file}")
    tokens: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        token, _, user = line.strip().partition(" ")
        if not token or token.startswith("#"):
            continue
        if len(token) < SHORTEST_TOKEN or not token.isascii():
            raise TokenError(f"{file}:{number}: a token has {SHORTEST_TOKEN} plain characters or more")
        if token in tokens:
            raise TokenError(f"{file}:{number}: this token is there twice")
        tokens[token] = user.strip()
    if not tokens:
        raise TokenError(f"{file} has no tokens: a line for each, the token, then the user's name")
    return tokens


def user_of(request: Any, default: str) -> str:
    """Return whose request it is: by its token, else the one for whom the server was started."""
    return str(request.scope.get(USER, default)) if request is not None else default


class Guard:
    """Lets in who has a token, each as its user."""

    def __init__(self, app: App, tokens: Mapping[str, str]) -> None:
        self._app = app
        self._tokens = tokens

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Handle one connection; see ASGI."""
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            scheme, _, token = given.partition(b" ")
            fits = [one for one in self._tokens if hmac.compare_digest(one.encode(), token.strip())]
            if scheme.lower() != b"bearer" or not fits:
                await _refuse(send)
                return
            scope[USER] = self._tokens[fits[0]]
        await self._app(scope, receive, send)


async def _refuse(send: Callable[[Any], Awaitable[None]]) -> None:
    body = json.dumps({"error": "a token is needed: Authorization: Bearer TOKEN"}).encode()
    headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client by standard input and output, until it closes them."""

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(server: Server[Any], host: str, port: int, tokens: Mapping[str, str]) -> None:
    """Serve clients by streamable HTTP at /mcp until a signal. OSError where the port can't be had."""
    app: Any = server.streamable_http_app(host=host, max_request_body_size=MOST_BYTES, max_sessions=MOST_CLIENTS)
    served = Guard(app, tokens) if tokens else app
    uvicorn.run(served, host=host, port=port, log_level="warning", timeout_graceful_shutdown=3)
