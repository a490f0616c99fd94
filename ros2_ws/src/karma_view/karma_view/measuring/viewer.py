# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A viewer without a browser: speaks the protocol of viser's page, and sees the messages that a page would draw."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import msgspec.msgpack
import viser
import zstandard
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

LENGTHS = 16
"""Bytes in front: two lengths, of which the second is that of the compressed messages."""
CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (0.0, 0.0, 5.0),
    "fov": 1.0,
    "near": 0.1,
    "far": 100.0,
    "image_height": 800,
    "image_width": 1280,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}
"""What a page says first; viser takes it for a viewer from then on."""


class Viewer:
    """One connection. OSError where nobody listens, websockets' InvalidStatus where it is not let in."""

    def __init__(self, port: int, *, host: str = "localhost", headers: dict[str, str] | None = None) -> None:
        protocol = Subprotocol(f"viser-v{viser.__version__}")
        uri = f"ws://{host}:{port}"
        self._connection = connect(
            uri, subprotocols=[protocol], max_size=None, compression=None, additional_headers=headers
        )
        self._closed = False
        self.send(CAMERA)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Go away; whoever waits for messages in another thread gets no more."""
        self._closed = True
        self._connection.close()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message of viser's protocol, by its fields."""
        self._connection.send(msgspec.msgpack.encode(message))

    def messages(self, seconds: float) -> Iterator[dict[str, Any]]:
        """Yield for so many seconds what comes; arrays are left out."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                data = self._connection.recv(timeout=left)
            except TimeoutError:
                return
            except ConnectionClosed:
                if self._closed:
                    return
                raise
            assert isinstance(data, bytes)
            yield from decoded(data)


def decoded(data: bytes) -> list[dict[str, Any]]:
    """Return the messages in what the server sent at once; arrays are left out."""
    length = int.from_bytes(data[8:LENGTHS], "little")
    inner = zstandard.ZstdDecompressor().decompress(data[LENGTHS : LENGTHS + length])
    messages: list[dict[str, Any]] = msgspec.msgpack.decode(inner)["messages"]
    return messages
