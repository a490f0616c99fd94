# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A journal as one portable file: gzip-compressed JSON Lines, whatever the journal is kept in.

    {"format":"karma-memory-journal","version":1,"journal":UUID,"events":N}
    {"base":{...}}                       where the journal was compacted: the state of all memories at its horizon
    {"picture":BASE64}                   before the first event that names it, each once; null: its bytes were dropped
    {"sequence":1,"event":{...}}         N of them, in the journal's order; or, where the content was dropped:
    {"sequence":1,"id":ID,"stamp":SECONDS,"compacted":DIGEST}
    {"state":{...},"version":3}          of all memories after the last event; the version of its format, 2 without one
    {"sha256":HEX}                       of every byte before this line

Every line is canonical JSON (karma_memory.encoding). Nothing in the file depends on when, where or from what kind of
store it was written: the same journal gives the same bytes.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from karma_memory.encoding import Json, dumps, event_from_json
from karma_memory.journal.compacted import BASE_VERSION, OLDEST_BASE, Base, Horizon, upgraded
from karma_memory.journal.errors import JournalError, NewerSchemaError
from karma_memory.journal.schema import is_uuid
from karma_memory.journal.transaction import Entry
from karma_memory.scene import check_id, check_stamp

FORMAT = "karma-memory-journal"
VERSION = 1


class PortableFileError(JournalError):
    """The file is no exported journal, or damaged. Nothing of it was imported."""


@dataclass(frozen=True)
class Stub:
    """An event that lost its content."""

    sequence: int
    id: str
    stamp: float
    body: str
    """What is stored in place of its canonical JSON."""


class PortableFile:
    """An exported journal, read as a stream. Close it, or use it as a context manager.

    It was written for the journal whose uuid is `journal`, with `events` events; `base` is the state at its horizon,
    None where every event has its content.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file and read its first line. PortableFileError, NewerSchemaError."""
        self.path = Path(path).expanduser()
        try:
            self._file = open(self.path, "rb")  # noqa: SIM115 - held until close()
        except OSError as error:
            raise PortableFileError(f"cannot read {self.path}: {error}") from error
        try:
            self.journal, self.events = self._header()
            self.base = self._read_base()
            self._intact = False
        except BaseException:
            self.close()
            raise

    def verify(self) -> None:
        """Read all of it, once. PortableFileError where the file is cut short, changed or not well formed."""
        if not self._intact:
            for _ in self.items():
                pass
            self._intact = True

    def entries(self) -> Iterator[Entry]:
        """Yield the events that have their content in order, each picture with the first one that names it."""
        return (item for item in self.items() if isinstance(item, Entry))

    def items(self) -> Iterator[Entry | Stub]:
        """Yield all events in order, each picture with the first one that names it."""
        return (item for item in self._contents() if isinstance(item, (Entry, Stub)))

    def state(self) -> tuple[Json, int]:
        """Return the state of all memories after the last event, and the version in whose format it was written."""
        return next(item for item in self._contents() if isinstance(item, tuple))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> PortableFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _header(self) -> tuple[str, int]:
        try:
            with self._translated():
                header = _next(self._lines())
        except PortableFileError as error:
            raise PortableFileError(f"{self.path} is no exported KARMA journal, or damaged") from error
        if header.get("format") != FORMAT:
            raise PortableFileError(f"{self.path} is no exported KARMA journal")
        version, journal, events = (header.get(name) for name in ("version", "journal", "events"))
        if isinstance(version, int) and version > VERSION:
            with self._translated():  # a flipped bit looks like a newer version, too, but not to gzip's checksum
                for _ in self._lines():
                    pass
            raise NewerSchemaError(
                f"{self.path} has version {version}, this karma_memory knows up to {VERSION}: update karma_memory"
            )
        if version != VERSION or not is_uuid(journal) or not isinstance(events, int):
            raise PortableFileError(f"{self.path} is damaged (its first line); get an intact copy of it")
        return str(journal), events

    def _read_base(self) -> Base | None:
        with self._translated():
            lines = self._lines()
            _next(lines)
            base = _next(lines).get("base")
            if base is None:
                return None
            horizon = Horizon(**base["horizon"])
            if horizon.sequence > self.events:
                raise ValueError(f"the state at event {horizon.sequence} is there, but only {self.events} events are")
            state = upgraded(dict(base["state"]), int(base["version"]), horizon.sequence)
            return Base(horizon, BASE_VERSION, state)

    def _contents(self) -> Iterator[Entry | Stub | tuple[Json, int]]:
        """Yield the events, then the state and its version, and check that all of the file is as it was written."""
        with self._translated():
            lines = self._lines()
            for _ in range(1 if self.base is None else 2):
                _next(lines)
            pictures: set[str] = set()
            horizon = 0 if self.base is None else self.base.horizon.sequence
            for sequence in range(1, self.events + 1):
                item = _item(lines, sequence, pictures)
                if isinstance(item, Stub) and sequence > horizon:
                    raise ValueError(f"the content of event {sequence} is missing")
                yield item
            last = _next(lines)
            version = int(last.get("version", OLDEST_BASE))
            yield upgraded(dict(last["state"]), version, self.events), version
            trailer, digest = next(lines, ({}, ""))
            if trailer != {"sha256": digest} or next(lines, None) is not None:
                raise ValueError("its checksum does not fit")

    def _lines(self) -> Iterator[tuple[Json, str]]:
        """Yield every line and the sha256 of all lines before it, from the first line on."""
        self._file.seek(0)
        digest = hashlib.sha256()
        with gzip.GzipFile(fileobj=self._file, mode="rb") as lines:
            for line in lines:
                content = json.loads(line)
                if not isinstance(content, dict):
                    raise ValueError("a line is no JSON object")  # noqa: TRY004 - of a damaged file, like the others
                yield content, digest.hexdigest()
                digest.update(line)

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn all that a damaged file can cause into one error."""
        try:
            yield
        except EOFError as error:
            raise PortableFileError(f"{self.path} is cut short; get a complete copy of it") from error
        except (OSError, zlib.error, ValueError, KeyError, TypeError, ArithmeticError, RecursionError) as error:
            raise PortableFileError(f"{self.path} is damaged ({error}); get an intact copy of it") from error


class Writer:
    """Writes canonical JSON Lines, compressed, with a checksum at the end."""

    def __init__(self, file: BinaryIO) -> None:
        # no name and no time: the same lines give the same bytes
        self._compressed = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)
        self._digest = hashlib.sha256()

    def line(self, content: Json) -> None:
        """Write a line."""
        line = dumps(content).encode() + b"\n"
        self._digest.update(line)
        self._compressed.write(line)

    def seal(self) -> None:
        """Write the checksum; nothing may come after it."""
        self.line({"sha256": self._digest.hexdigest()})
        self._compressed.close()


def _next(lines: Iterator[tuple[Json, str]]) -> Json:
    """Return the next line. EOFError when there is none."""
    for line, _ in lines:
        return line
    raise EOFError


def _item(lines: Iterator[tuple[Json, str]], sequence: int, pictures: set[str]) -> Entry | Stub:
    """Return the next event; where a picture comes before it, with that. ValueError for anything else."""
    line = _next(lines)
    before = "picture" in line
    picture = b""
    if before:
        picture, line = base64.b64decode(line["picture"] or "", validate=True), _next(lines)
    if line["sequence"] != sequence:
        raise ValueError(f"event {sequence} is missing")
    if "compacted" in line and not before:
        body = dumps({"compacted": line["compacted"]})
        return Stub(sequence, check_id("event id", line["id"]), check_stamp("stamp", line["stamp"]), body)
    event = event_from_json(line["event"])
    new = event.image is not None and event.image.sha256 not in pictures
    if new != before:
        raise ValueError(f"the picture of event {sequence} is missing, or there is one too many")
    if event.image is not None and new:
        pictures.add(event.image.sha256)
        event = replace(event, image=replace(event.image, data=picture))
    return Entry(sequence, event)
