# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A viewer of the page without a browser: what viser's client says and hears, byte by byte."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
import viser
from websockets.sync.client import ClientConnection, connect

from karma_view.measuring.viewer import CAMERA, decoded

__all__ = ["CAMERA", "get", "hear", "http", "send", "viewing"]


def http(port: int, request: bytes, host: str = "127.0.0.1") -> bytes:
    """Return all that is answered to some bytes, until the other end closes."""
    with socket.create_connection((host, port), timeout=20) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(1 << 16):
            answer += part
    return answer


def get(port: int, path: str = "/", host: str = "127.0.0.1", **headers: str) -> bytes:
    """Return the answer to a GET; headers as `Cookie="a=b"`, Host unless given the usual one."""
    name = f"[{host}]" if ":" in host else host
    lines = [f"{key.replace('_', '-')}: {value}" for key, value in {"Host": f"{name}:{port}", **headers}.items()]
    return http(port, "\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode("utf-8", "surrogateescape"), host)


@contextmanager
def viewing(port: int, headers: Mapping[str, str] | None = None, **options: Any) -> Iterator[ClientConnection]:
    """A connection as viser's client makes it, that is a viewer when it has sent CAMERA.

    What comes waits without limit: where 16 messages wait unread, websockets reads no answer to a ping either.
    """
    protocol = f"viser-v{viser.__version__}"
    address = f"ws://127.0.0.1:{port}/"
    limits = {"max_size": None, "max_queue": None, "compression": None}
    with connect(address, subprotocols=[protocol], additional_headers=headers, **{**limits, **options}) as connection:
        yield connection


def send(connection: ClientConnection, message: Mapping[str, Any]) -> None:
    """Send one message."""
    connection.send(msgspec.msgpack.encode(message))


def hear(connection: ClientConnection, until: Callable[[Any], object], seconds: float = 60.0) -> list[Any]:
    """Return the messages up to the first of which `until` is true; AssertionError after some seconds without."""
    heard = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            window = connection.recv(timeout=deadline - time.monotonic())
        except TimeoutError:
            break
        for message in decoded(window):
            heard.append(message)
            if until(message):
                return heard
    raise AssertionError(f"not heard; the last: {heard[-20:]}")
