# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages between the bridge and the worker: a header in JSON, then the bytes of its arrays. Nothing is unpickled.

On the wire: the header's length (4 bytes, big-endian), the header (UTF-8), and the arrays it lists, one after the other
in C order, little-endian. A header is {"fields": {...}, "arrays": [{"name", "dtype", "shape"}, ...]}.
"""

from __future__ import annotations

import json
import socket
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

VERSION = 2
"""Of the messages' form and meaning; both sides must have the same."""

LONGEST_HEADER = 16 * 1024 * 1024
"""Bytes."""

LARGEST_ARRAYS = 512 * 1024 * 1024
"""Bytes of all arrays of a message."""

_DTYPES = {"uint8": "|u1", "uint16": "<u2", "uint32": "<u4", "int64": "<i8", "float32": "<f4", "float64": "<f8"}
_LENGTH = struct.Struct(">I")


class WireError(RuntimeError):
    """What came is no message of this form, or the other side has gone."""


@dataclass
class Message:
    """A request or a reply."""

    fields: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Any] = field(default_factory=dict)
    """Name → array of one of the types above."""


def send(connection: socket.socket, message: Message) -> None:
    """Send a message. WireError when the other side has gone or the message is too large; TimeoutError."""
    listed, parts = [], []
    for name, array in message.arrays.items():
        kind = np.dtype(array.dtype).name
        if kind not in _DTYPES:
            raise WireError(f"the array {name} is of type {kind}: it must be one of {', '.join(_DTYPES)}")
        listed.append({"name": name, "dtype": kind, "shape": list(array.shape)})
        parts.append(np.ascontiguousarray(array, dtype=_DTYPES[kind]).tobytes())
    header = json.dumps({"fields": message.fields, "arrays": listed}).encode()
    if len(header) > LONGEST_HEADER or sum(map(len, parts)) > LARGEST_ARRAYS:
        raise WireError(f"a message of {len(header)} and {sum(map(len, parts))} bytes is too large")
    try:
        connection.sendall(_LENGTH.pack(len(header)) + header)
        for part in parts:
            connection.sendall(part)
    except (BrokenPipeError, ConnectionError) as error:
        raise WireError("the other side has gone") from error


def receive(connection: socket.socket) -> Message:
    """Wait for a message. WireError when the other side has gone or sends something else; TimeoutError."""
    (length,) = _LENGTH.unpack(_read(connection, _LENGTH.size))
    if length > LONGEST_HEADER:
        raise WireError(f"a header of {length} bytes: at most {LONGEST_HEADER}")
    try:
        header = json.loads(bytes(_read(connection, length)).decode())
        fields = header["fields"]
        listed = [(str(a["name"]), _DTYPES[a["dtype"]], _shape(a["shape"])) for a in header["arrays"]]
    except (ValueError, KeyError, TypeError) as error:
        raise WireError(f"not a message's header: {error}") from error
    if not isinstance(fields, dict):
        raise WireError("not a message's header: its fields are no mapping")
    sizes = [int(np.dtype(kind).itemsize * np.prod(shape, dtype=np.float64)) for _, kind, shape in listed]
    if sum(sizes) > LARGEST_ARRAYS:
        raise WireError(f"arrays of {sum(sizes)} bytes: at most {LARGEST_ARRAYS}")
    arrays = {}
    for k, (name, kind, shape) in enumerate(listed):
        arrays[name] = np.frombuffer(_read(connection, sizes[k]), dtype=kind).reshape(shape)
    return Message(fields, arrays)


def _shape(numbers: Any) -> tuple[int, ...]:
    shape = tuple(int(n) for n in numbers)
    if len(shape) > 4 or min(shape, default=0) < 0:
        raise ValueError(f"an array of shape {shape}")
    return shape


def _read(connection: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    done = 0
    while done < size:
        try:
            count = connection.recv_into(view[done:])
        except ConnectionError as error:
            raise WireError("the other side has gone") from error
        if not count:
            raise WireError("the other side has gone")
        done += count
    return data
