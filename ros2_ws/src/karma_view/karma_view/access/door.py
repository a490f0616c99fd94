# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Who may open the page: whoever is on this machine, or has the token; and no other web page in their browser."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http
import logging
import re
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from karma_view.access.address import is_loopback

logger = logging.getLogger(__name__)

QUERY = "token"
VARIABLE = "KARMA_VIEW_TOKEN"
"""The environment variable with the token: other users of the machine can't read it, as they can a command line."""
MOST_VIEWERS = 32
LARGEST_MESSAGE = 12 << 20
"""Bytes that a viewer may send at once: what a person does takes hundreds, a picture of 1920 × 1080 up to 9 million."""

_TOKEN = re.compile(r"[A-Za-z0-9._~-]{8,128}")
_PROTECTION = {
    # Another page could lay itself over a frame with this one, and have people press buttons that they don't see.
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

Handler = Callable[[Any], Awaitable[None]]
Process = Callable[[Any, Request], Response | None]
_serving = threading.Lock()


class DoorError(RuntimeError):
    """The page would be open to everyone, or to nobody, so it is not served at all; the message says what to do."""


def token_for(host: str, given: str) -> str:
    """Return the token of a page on `host`: what was given, or where others can reach it, a new one."""
    return given or ("" if is_loopback(host) else secrets.token_urlsafe(16))


@dataclass(frozen=True)
class Door:
    """Answers a request itself, or lets it in.

    A browser sends a page's requests to any server that another page names: a request from a foreign page is refused by
    its Origin, and a name that somebody made point here (DNS rebinding) by its Host.
    """

    token: str = ""
    """What a visitor has to know; empty: nothing, then only this machine's own names are answered to."""

    def __post_init__(self) -> None:
        if self.token and not _TOKEN.fullmatch(self.token):
            raise DoorError("a token has 8 to 128 characters: letters and digits of ASCII, and . _ ~ -")

    @property
    def path(self) -> str:
        """What follows host and port in the address to open."""
        return f"/?{QUERY}={self.token}" if self.token else "/"

    @property
    def cookie(self) -> str:
        """Name of the cookie that holds the token: another for each token, as a host's pages share their cookies."""
        return f"karma_view_{hashlib.sha256(self.token.encode()).hexdigest()[:8]}"

    def answer(self, request: Request) -> Response | None:
        """Return what to answer instead of the page; None for whoever may come in."""
        try:
            host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
            name = urlsplit(f"//{host}").hostname or ""
            foreign = origin is not None and urlsplit(origin).netloc.lower() != host.lower()
            given = parse_qs(urlsplit(request.path).query).get(QUERY, [""])[0]
            kept = self._kept(request.headers.get("Cookie", ""))
        except (ValueError, LookupError):  # no address, or two of what there is one of
            return _answer(http.HTTPStatus.BAD_REQUEST, "That is no address of this page.")
        if foreign:
            return _refusal("This page was opened by another one, which may not talk to the robot.")
        if not self.token:
            return None if is_loopback(name) else _refusal("This page answers on this machine only.")
        if self._matches(given):
            # The token leaves the address, so that it is in no history, bookmark or screenshot.
            cookie = f"{self.cookie}={self.token}; HttpOnly; SameSite=Lax; Path=/"
            return _answer(http.HTTPStatus.SEE_OTHER, "", Headers({"Location": "/", "Set-Cookie": cookie}))
        if self._matches(kept):
            return None
        return _refusal("Open this page by the address that ./karma view printed: it ends with a token.")

    def _kept(self, header: str) -> str:
        try:
            found = SimpleCookie(header).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found else ""

    def _matches(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="replace"), self.token.encode())


@contextlib.contextmanager
def guarded(door: Door, listener: socket.socket) -> Iterator[None]:
    """Put a door in front of the server of websockets that is started in this context, and have it use `listener`.

    viser starts one and has no place for either: it takes the next port where one is taken, and tries for ever where no
    port will do. DoorError where none was started by the end: it would have no door.
    """
    serve = websockets.asyncio.server.serve
    behind = False
    # Whoever connects without a word, as port scanners do, is no error of this program.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)

    def with_door(
        handler: Handler, *_: Any, process_request: Process | None = None, max_size: int = 0, **options: Any
    ) -> Any:
        nonlocal behind
        behind = True
        return serve(
            _received(handler),
            sock=listener,
            process_request=_processed(door, process_request),
            max_size=LARGEST_MESSAGE,
            **options,
        )

    with _serving:
        websockets.asyncio.server.serve = with_door  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            websockets.asyncio.server.serve = serve  # type: ignore[misc]
    if not behind:
        raise DoorError("this version of viser starts its server in another way; install the one in requirements/")


def _processed(door: Door, process: Process | None) -> Process:
    def processed(connection: Any, request: Request) -> Response | None:
        response = door.answer(request)
        if response is None and process is not None:
            try:
                response = process(connection, request)
            except (OSError, ValueError):  # a path that no file can have
                response = _answer(http.HTTPStatus.NOT_FOUND, "There is nothing here.")
        if response is not None:
            for name, value in _PROTECTION.items():
                response.headers[name] = value
        return response

    return processed


def _received(handler: Handler) -> Handler:
    """Return a handler that lets in so many at a time, and sends whoever says what can't be read away in a line."""
    inside = 0

    async def receive(connection: Any) -> None:
        nonlocal inside
        if inside >= MOST_VIEWERS:
            await connection.close(CloseCode.TRY_AGAIN_LATER, "too many look at this page already")
            return
        inside += 1
        try:
            await handler(connection)
        except Exception as error:  # noqa: BLE001 - whatever it was, it concerns this viewer alone
            logger.warning("a viewer is sent away: %s: %.200s", type(error).__name__, error)
            await connection.close(CloseCode.INVALID_DATA, "this can't be read")
        finally:
            inside -= 1

    return receive


def _refusal(why: str) -> Response:
    return _answer(http.HTTPStatus.FORBIDDEN, why)


def _answer(status: http.HTTPStatus, text: str, headers: Headers | None = None) -> Response:
    body = f"{text}\n".encode()
    headers = Headers() if headers is None else headers
    headers["Content-Type"] = "text/plain; charset=utf-8"
    headers["Content-Length"] = str(len(body))
    headers["Cache-Control"] = "no-store"
    return Response(status, status.phrase, headers, body)
