# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How MCP clients reach the server: by standard input and output, or by HTTP on this machine, or with a token."""

from __future__ import annotations

import hmac
import json
import socket
import time
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
MOST_CLIENTS, MOST_OF_ONE = 200, 20
"""Sessions of all clients, and of one token."""
SHORTEST_TOKEN = 16
_SESSION = b"mcp-session-id"
_IDLE_S = 1800.0
"""After which a session that nobody used has ended, as the server has it."""


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
        self._sessions: dict[bytes, tuple[str, float]] = {}
        """Session → its token, whose user alone may use or end it, and when it was used last, seconds."""

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Handle one connection; see ASGI."""
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
            fits = [one for one in self._tokens if hmac.compare_digest(one.encode(), token.strip())]
            if scheme.lower() != b"bearer" or not fits:
                await _refuse(send, 401, "a token is needed: Authorization: Bearer TOKEN")
                return
            user = scope[USER] = self._tokens[fits[0]]
            session, now = headers.get(_SESSION, b""), time.monotonic()
            whose, _ = self._sessions.get(session, (fits[0], now))
            if self._tokens[whose] != user:
                await _refuse(send, 404, "there is no such session")
                return
            if session in self._sessions:
                self._sessions[session] = (whose, now)
            await self._serve(scope, receive, send, fits[0])
            if scope["method"] == "DELETE":
                self._sessions.pop(session, None)
            return
        await self._app(scope, receive, send)

    async def _serve(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]], token: str
    ) -> None:
        """Handle a request, and note the session that it begins; one too many of a token is ended at once."""
        excess: list[bytes] = []

        async def noting(message: Any) -> None:
            began = dict(message.get("headers", ())).get(_SESSION)
            if began is not None and began not in self._sessions:
                idle = time.monotonic() - _IDLE_S
                self._sessions = {one: use for one, use in self._sessions.items() if use[1] > idle}
                if sum(of == token for of, _ in self._sessions.values()) >= MOST_OF_ONE:
                    excess.append(began)
                else:
                    self._sessions[began] = (token, time.monotonic())
            if not excess:
                await send(message)

        async def unheard(message: Any) -> None:
            """Keep from the client that the session is ended, of which it was told nothing."""

        async def nothing() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        await self._app(scope, receive, noting)
        for session in excess:
            headers = [*scope["headers"], (_SESSION, session)]
            await self._app({**scope, "method": "DELETE", "headers": headers}, nothing, unheard)
            await _refuse(send, 429, f"this token has {MOST_OF_ONE} sessions: end one, or wait until one is idle")


async def _refuse(send: Callable[[Any], Awaitable[None]], status: int, why: str) -> None:
    headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": status, "headers": headers[: 2 if status == 401 else 1]})
    await send({"type": "http.response.body", "body": json.dumps({"error": why}).encode()})


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client by standard input and output, until it closes them."""

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(
    server: Server[Any], host: str, port: int, tokens: Mapping[str, str], on_listening: Callable[[str], None]
) -> None:
    """Serve clients by streamable HTTP at /mcp until a signal. OSError where the port can't be had; 0 is any free one.

    `on_listening` gets the URL as soon as clients may come.
    """
    app: Any = server.streamable_http_app(host=host, max_request_body_size=MOST_BYTES, max_sessions=MOST_CLIENTS)
    served = Guard(app, tokens) if tokens else app
    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        shown = f"[{host}]" if ":" in host else host
        on_listening(f"http://{shown}:{listening.getsockname()[1]}/mcp")
        config = uvicorn.Config(served, log_level="warning", timeout_graceful_shutdown=3)
        uvicorn.Server(config).run(sockets=[listening])
