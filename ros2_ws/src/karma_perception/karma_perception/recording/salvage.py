# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Files of bags whose end or index is missing, as a recorder leaves them that was killed: what is whole is read.

MCAP records: https://mcap.dev/spec; tables of SQLite files: rosbag2_storage_sqlite3.
"""

from __future__ import annotations

import os
import struct
from binascii import crc32
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import apsw
from backports.zstd import ZstdError
from rosbags.interfaces import MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag2.storage_mcap import DECOMPRESSORS

_MAGIC = b"\x89MCAP0\r\n"
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _DATA_END = 0x03, 0x04, 0x05, 0x06, 0x0F
_FORMATS = {"ros2msg": MessageDefinitionFormat.MSG, "ros2idl": MessageDefinitionFormat.IDL}
_NO_DEFINITION = MessageDefinition(MessageDefinitionFormat.NONE, "")


class SalvageError(RuntimeError):
    """A file from which nothing can be read; the message says why."""


@dataclass(frozen=True)
class Channel:
    """A topic as a file describes it."""

    topic: str
    type: str
    definition: MessageDefinition


def salvage(path: Path) -> Iterator[tuple[Channel, int, bytes]]:
    """Yield the channel, the time of receipt (nanoseconds) and the data of every message up to the damage.

    `SalvageError` when even the beginning cannot be read.
    """
    if path.suffix == ".mcap":
        with path.open("rb") as file:
            if not (begin := file.read(len(_MAGIC))):
                raise SalvageError(f"{path} is empty: its recorder was killed before it wrote anything; record again")
            if begin != _MAGIC:
                raise SalvageError(f"{path} does not begin as an MCAP file does")
            yield from _Mcap().messages(file)
    else:
        yield from _sqlite(path)


class _Mcap:
    """Reads the data section from its beginning; schemas and channels come before the messages that use them."""

    def __init__(self) -> None:
        self._schemas: dict[int, tuple[str, MessageDefinition]] = {}
        self._channels: dict[int, Channel] = {}

    def messages(self, file: BinaryIO) -> Iterator[tuple[Channel, int, bytes]]:
        for kind, body in _records(file):
            try:
                if kind == _CHUNK:
                    found = list(self.messages(BytesIO(_content(body))))
                    yield from sorted(found, key=lambda m: m[1])
                elif kind == _SCHEMA:
                    number = struct.unpack_from("<H", body)[0]
                    name, encoding, text = _strings(body, 2, 3)
                    known = _FORMATS.get(encoding)
                    definition = _NO_DEFINITION if known is None else MessageDefinition(known, text)
                    self._schemas[number] = (name, definition)
                elif kind == _CHANNEL:
                    number, schema = struct.unpack_from("<HH", body)
                    name, definition = self._schemas.get(schema, ("", _NO_DEFINITION))
                    self._channels[number] = Channel(_strings(body, 4, 1)[0], name, definition)
                elif kind == _MESSAGE:
                    number, _, received, _ = struct.unpack_from("<HIQQ", body)
                    if number in self._channels:
                        yield self._channels[number], received, body[22:]
                elif kind == _DATA_END:
                    return
            except (struct.error, UnicodeDecodeError):
                return  # from here on it is garbage


def _records(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield kind and body of every record; of a last one that is cut short only a chunk, as far as it goes."""
    begin = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(begin)
    while len(head := file.read(9)) == 9:
        kind, length = struct.unpack("<BQ", head)
        if not 0 < kind < 0x80 or length > 2**40:
            return
        body = file.read(min(length, end - file.tell()))  # room for what a damaged length says is more than there is
        if len(body) == length or kind == _CHUNK:
            yield kind, body
        if len(body) < length:
            return


def _content(chunk: bytes) -> bytes:
    """Return the records in a chunk; nothing when it is damaged, a part when only its end is missing."""
    try:
        _, _, size, checksum = struct.unpack_from("<QQQI", chunk)
        compression = _strings(chunk, 28, 1)[0]
        begin = 28 + 4 + len(compression) + 8
        content = chunk[begin : begin + struct.unpack_from("<Q", chunk, begin - 8)[0]]
        if not compression and len(content) < size:
            return content
        content = DECOMPRESSORS[compression](content, size)
    except (KeyError, ValueError, RuntimeError, EOFError, OverflowError, MemoryError, struct.error, ZstdError):
        return b""
    return content if not checksum or crc32(content) == checksum else b""


def _strings(body: bytes, offset: int, count: int) -> list[str]:
    found = []
    for _ in range(count):
        (length,) = struct.unpack_from("<I", body, offset)
        found.append(body[offset + 4 : offset + 4 + length].decode())
        offset += 4 + length
    return found


def _sqlite(path: Path) -> Iterator[tuple[Channel, int, bytes]]:
    try:
        database = apsw.Connection(f"file:{path}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            # Otherwise SQLite refuses a file that is shorter than its header says.
            database.execute("PRAGMA writable_schema = ON")
            yield from _rows(database)
        finally:
            database.close()
    except (apsw.Error, UnicodeDecodeError) as error:
        raise SalvageError(f"{path} is damaged at its beginning: {error}") from error


def _rows(database: apsw.Connection) -> Iterator[tuple[Channel, int, bytes]]:
    try:
        definitions = {
            str(name): MessageDefinition(_FORMATS[str(encoding)], str(text))
            for name, encoding, text in database.execute(
                "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions"
            )
            if encoding in _FORMATS
        }
    except apsw.Error:
        definitions = {}  # before Iron there were none
    channels = {
        number: Channel(str(name), str(kind), definitions.get(str(kind), _NO_DEFINITION))
        for number, name, kind in database.execute("SELECT id, name, type FROM topics")
    }
    rows = database.execute("SELECT topic_id, timestamp, data FROM messages NOT INDEXED ORDER BY id")
    while True:
        try:
            number, received, data = next(rows)
        except (StopIteration, apsw.CorruptError, apsw.IOError, apsw.FullError):
            return  # the end, or where the damage begins
        if number in channels and isinstance(data, bytes) and isinstance(received, int):
            yield channels[number], received, data
