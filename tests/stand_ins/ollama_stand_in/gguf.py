# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The metadata of a model file (GGUF, version 2 and 3): as much of it as /api/show tells."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


def metadata(file: Path) -> dict[str, Any]:
    """Return the keys and values at the head of the file; of an array, its length. ValueError for another file."""
    with file.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ValueError(f"{file} is no GGUF file")
        _version, tensors, count = struct.unpack("<IQQ", stream.read(20))
        values = {_text(stream): _value(stream, _number(stream, "I")) for _ in range(count)}
    return {**values, "general.tensor_count": tensors}


def _number(stream: BinaryIO, form: str) -> Any:
    return struct.unpack(f"<{form}", stream.read(struct.calcsize(f"<{form}")))[0]


def _text(stream: BinaryIO) -> str:
    return stream.read(_number(stream, "Q")).decode(errors="replace")


def _value(stream: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(stream)
    if kind == _ARRAY:
        of, length = _number(stream, "I"), _number(stream, "Q")
        for _ in range(length):
            _value(stream, of)
        return length
    return _number(stream, _NUMBERS[kind])
