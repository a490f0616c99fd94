# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who may open the page: whoever is on this machine, or has the token; and no other web page in their browser."""

from __future__ import annotations

import contextlib
import hmac
import http
import ipaddress
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

COOKIE = "karma_view_token"
QUERY = "token"

Process = Callable[[Any, Request], Response | None]
_serving = threading.Lock()


class DoorError(RuntimeError):
    """The page would be open to everyone, so it is not served at all."""


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own and nobody else can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Door:
    """Answers a request itself, or lets it in.

    A browser sends a page's requests to any server that another page names: a request from a foreign page is refused by
    its Origin, and a name that somebody made point here (DNS rebinding) by its Host.
    """

    token: str = ""
    """What a visitor has to know; empty: nothing, then only this machine's own names are answered to."""

    def answer(self, request: Request) -> Response | None:
        """Return what to answer instead of the page; None for whoever may come in."""
        host = request.headers.get("Host", "")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return _refusal("This page was opened by another one, which may not talk to the robot.")
        if not self.token:
            name = urlsplit(f"//{host}").hostname or ""
            return None if is_loopback(name) else _refusal(f"This page answers on this machine only, not as {name!r}.")
        if self._matches(_cookie(request)):
            return None
        given = parse_qs(urlsplit(request.path).query).get(QUERY, [""])[0]
        if not self._matches(given):
            return _refusal("Open this page by the address that ./karma view printed: it ends with a token.")
        # The token leaves the address, so that it is in no history, bookmark or screenshot.
        kept = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        return _response(http.HTTPStatus.SEE_OTHER, "", Headers({"Location": "/", "Set-Cookie": kept}))

    def _matches(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())


@contextlib.contextmanager
def guarded(door: Door) -> Iterator[None]:
    """Put a door in front of the server of websockets that is started in this context.

    viser starts one and has no place for it. DoorError where none was started by the end: it would have no door.
    """
    serve = websockets.asyncio.server.serve
    behind = False

    def with_door(*args: Any, process_request: Process | None = None, **options: Any) -> Any:
        nonlocal behind
        behind = True

        def process(connection: Any, request: Request) -> Response | None:
            refusal = door.answer(request)
            if refusal is not None:
                return refusal
            return process_request(connection, request) if process_request else None

        return serve(*args, process_request=process, **options)

    with _serving:
        websockets.asyncio.server.serve = with_door  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            websockets.asyncio.server.serve = serve  # type: ignore[misc]
    if not behind:
        raise DoorError("this version of viser starts its server in another way; install the one in requirements/")


def _cookie(request: Request) -> str:
    try:
        cookies = SimpleCookie(request.headers.get("Cookie", ""))
    except CookieError:
        return ""
    found = cookies.get(COOKIE)
    return found.value if found else ""


def _refusal(why: str) -> Response:
    return _response(http.HTTPStatus.FORBIDDEN, f"{why}\n", Headers())


def _response(status: http.HTTPStatus, text: str, headers: Headers) -> Response:
    body = text.encode()
    headers["Content-Type"] = "text/plain; charset=utf-8"
    headers["Content-Length"] = str(len(body))
    headers["Cache-Control"] = "no-store"
    return Response(status, status.phrase, headers, body)
