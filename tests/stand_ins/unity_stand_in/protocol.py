# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How Unity talks to the client: named pipes (FIFO) or HTTP (WSGI)."""

from __future__ import annotations

import http.client
import json
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

import msgpack

_HEADER = "!BI"
_METADATA, _ACTION, _RGB, _DEPTH, _IDS, _PATCH, _END = 1, 2, 4, 5, 9, 11, 255
_FIFO_IMAGES = {"image": _RGB, "image_depth": _DEPTH, "image_ids": _IDS}
_BOUNDARY = b"----stand-in"

Action = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What Unity sends after an action."""

    metadata: Mapping[str, Any]
    images: Mapping[str, bytes]
    """Pixels from the bottom row up, by the names that HTTP gives them."""
    patch: Mapping[str, Any] = field(default_factory=dict)
    """All that an action that only asks has changed in the metadata; sent in its place over pipes. Empty: not one."""


class Client(Protocol):
    """The other side."""

    def exchange(self, answer: Answer) -> Action | None:
        """Send what became of the last action and return the next one; None when there is no more."""


class FifoClient:
    """The client at two named pipes: messages of a type, a length and a body, until one that says it is the end."""

    def __init__(self, to_client: BinaryIO, open_from_client: str) -> None:
        self._out = to_client
        self._path = open_from_client
        self._in: BinaryIO | None = None

    def exchange(self, answer: Answer) -> Action | None:
        """Send what became of the last action and return the next one; None when there is no more."""
        if answer.patch:
            self._send(_PATCH, msgpack.packb(dict(answer.patch)))
        else:
            self._send(_METADATA, msgpack.packb(dict(answer.metadata)))
            for name, pixels in answer.images.items():
                self._send(_FIFO_IMAGES[name], pixels)
        self._send(_END, b"")
        self._out.flush()
        if self._in is None:
            # Only now: each side opens a pipe when it first needs it, and opening waits for the other.
            self._in = os.fdopen(os.open(self._path, os.O_RDONLY), "rb")
        action: Action | None = None
        while True:
            header = self._in.read(struct.calcsize(_HEADER))
            if len(header) < struct.calcsize(_HEADER):
                return None
            kind, length = struct.unpack(_HEADER, header)
            body = self._in.read(length)
            if kind == _END:
                return action
            if kind == _ACTION:
                action = json.loads(body)

    def _send(self, kind: int, body: bytes) -> None:
        self._out.write(struct.pack(_HEADER, kind, len(body)) + body)


class HttpClient:
    """The client as a web server: what became of an action is posted as a form, the response is the next action."""

    def __init__(self, connection: http.client.HTTPConnection, token: str) -> None:
        self._connection = connection
        self._token = token

    def exchange(self, answer: Answer) -> Action | None:
        """Send what became of the last action and return the next one; None when there is no more."""
        parts = [
            _part("metadata", json.dumps(answer.metadata).encode(), text=True),
            _part("token", self._token.encode(), text=True),
            *(_part(name, pixels) for name, pixels in answer.images.items()),
        ]
        body = b"".join(parts) + b"--" + _BOUNDARY + b"--\r\n"
        kind = f'multipart/form-data; boundary="{_BOUNDARY.decode()}"'
        self._connection.request("POST", "/train", body, {"Content-Type": kind})
        response = self._connection.getresponse()
        said = response.read()
        if response.status != http.client.OK:
            raise RuntimeError(f"the client answered {response.status}: {said[:300]!r}")
        action: Action = json.loads(said)
        return action if "action" in action else None


def _part(name: str, body: bytes, *, text: bool = False) -> bytes:
    kind = 'text/plain; charset="utf-8"' if text else "image/raw"
    file = "" if text else f'; filename="{name}"'
    # The client knows this header only with a small d.
    head = f'Content-Type: {kind}\r\nContent-disposition: form-data; name="{name}"{file}\r\n\r\n'
    return b"--" + _BOUNDARY + b"\r\n" + head.encode() + body + b"\r\n"


@contextmanager
def client_at(environment: Mapping[str, str]) -> Iterator[Client]:
    """Connect to the client that started this process, which says in the environment where it is."""
    if environment.get("AI2THOR_SERVER_TYPE") == "FIFO":
        with open(environment["AI2THOR_FIFO_SERVER_PIPE_PATH"], "wb") as to_client:
            yield FifoClient(to_client, environment["AI2THOR_FIFO_CLIENT_PIPE_PATH"])
    else:
        connection = http.client.HTTPConnection(environment["AI2THOR_HOST"], int(environment["AI2THOR_PORT"]))
        yield HttpClient(connection, environment["AI2THOR_CLIENT_TOKEN"])
