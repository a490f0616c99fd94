# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded bag: its topics, and its messages decoded by the definitions that it carries.

Folders of rosbag2 and single files, SQLite or MCAP; files of ROS 1 (.bag), too.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import apsw
from rosbags.interfaces import MessageDefinition, MessageDefinitionFormat
from rosbags.rosbag1 import Reader as Ros1Reader
from rosbags.rosbag1 import ReaderError as Ros1ReaderError
from rosbags.rosbag2 import Reader, ReaderError
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, TypesysError, get_types_from_idl, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from karma_perception.recording.findings import Findings
from karma_perception.recording.salvage import Channel, SalvageError, salvage

_UNREADABLE: tuple[type[Exception], ...] = (
    ReaderError,
    Ros1ReaderError,
    apsw.Error,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    LookupError,
    RuntimeError,
    TypeError,
    AssertionError,
    AttributeError,
    OverflowError,
    MemoryError,
)
"""What rosbags raises for files that are damaged or none of its own."""

_UNDECODABLE = (SerdeError, struct.error, ValueError, IndexError, AssertionError, OverflowError, MemoryError)
"""What it raises for messages that are none."""

_SUFFIXES = (".mcap", ".db3", ".bag")


class BagError(RuntimeError):
    """A bag that cannot be used; the message says why and what would help."""


@dataclass(frozen=True)
class Topic:
    """A topic of a bag."""

    name: str
    type: str
    """As in sensor_msgs/msg/Image."""
    count: int


@dataclass(frozen=True)
class Received:
    """A message as it was received."""

    topic: str
    type: str
    time: int
    """Nanoseconds; when it was recorded."""
    message: Any


@dataclass(frozen=True, eq=False)
class _Source:
    """A file, or a folder with its description: what is in it, and how to read it."""

    channels: Collection[Channel]
    counts: Counter[Channel]
    start: int
    read: Callable[[Collection[str]], Iterator[tuple[Channel, int, bytes]]]


class Bag:
    """A bag that is open for reading; a context manager."""

    def __init__(self, path: Path, findings: Findings, known: Callable[[], Typestore] | None = None) -> None:
        """`known` gives definitions for bags that carry none, beside those of ROS itself.

        `BagError` when there is none, or nothing in it can be read. What is damaged is noted in `findings`.
        """
        self.path = path
        self._findings = findings
        self._known = known
        self._decoders: dict[Channel, Callable[[bytes], Any]] = {}
        self._damaged: list[_Source] = []
        self._stack = ExitStack()
        self._ros1 = False
        try:
            self._sources = self._open()
        except BaseException:
            self._stack.close()
            raise
        counts: Counter[tuple[str, str]] = Counter()
        for source in self._sources:
            for channel in source.channels:
                counts[channel.topic, channel.type] += source.counts[channel]
        self.topics = tuple(Topic(*key, count) for key, count in sorted(counts.items()))
        findings.start = min((s.start for s in self._sources if s.counts.total()), default=0)
        if not counts.total():
            raise BagError(
                f"{path} holds no messages: nothing was published meanwhile, or its recorder was killed (of SQLite bags"
                " nothing is left then, of MCAP bags all but the last seconds); record again"
            )

    def __enter__(self) -> Bag:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def count(self, names: Collection[str]) -> int:
        """Return how many messages the topics have."""
        return sum(t.count for t in self.topics if t.name in names)

    def messages(self, names: Collection[str], *, preview: bool = False) -> Iterator[Received]:
        """Yield the messages of topics in the order in which they were received.

        What cannot be decoded is left out, and noted unless this is a `preview` of what will be read again. `BagError`
        for a type whose definition is unknown.
        """
        findings = Findings() if preview else self._findings
        for source in self._sources:
            try:
                for channel, time, data in source.read(names):
                    decode = self._decoder(channel)
                    try:
                        message = decode(data)
                    except _UNDECODABLE as error:
                        problem = "messages that cannot be decoded"
                        findings.note(channel.topic, problem, "left out", at=time, example=str(error))
                        continue
                    yield Received(channel.topic, channel.type, time, message)
            except _UNREADABLE as error:
                if isinstance(error, BagError):
                    raise
                if source not in self._damaged and not preview:
                    self._damaged.append(source)
                    action = "what follows in this file is lost"
                    findings.note(str(self.path), "damaged", action, example=str(error))

    def _open(self) -> list[_Source]:
        path = self.path
        if not path.exists():
            raise BagError(f"{path} does not exist")
        if path.is_file():
            if path.suffix not in _SUFFIXES:
                raise BagError(f"{path} is no bag: expected a folder of rosbag2, or a file {', '.join(_SUFFIXES)}")
            return [self._file(path)]
        if (path / "metadata.yaml").exists():
            try:
                return [self._whole(Reader(path))]
            except _UNREADABLE as error:
                reason = str(error)
        else:
            reason = "its metadata.yaml is missing, as after a recorder that was killed"
        files = sorted((f for f in path.iterdir() if f.suffix in _SUFFIXES and f.is_file()), key=_in_order)
        if not files:
            raise BagError(f"{path} is no bag: it has neither metadata.yaml nor files {', '.join(_SUFFIXES)}")
        self._findings.note(str(path), "damaged", "its files are read one by one", example=reason)
        sources = []
        problems = []
        for file in files:
            try:
                sources.append(self._file(file))
            except BagError as error:
                problems.append(str(error))
                self._findings.note(file.name, "unreadable", "left out", example=str(error))
        if not sources:
            raise BagError(f"nothing in {path} can be read: {'; '.join(problems)}")
        return sources

    def _file(self, path: Path) -> _Source:
        self._ros1 = path.suffix == ".bag"
        try:
            return self._whole(Ros1Reader(path) if self._ros1 else Reader(path))
        except _UNREADABLE as error:
            if self._ros1:
                raise BagError(f"{path} cannot be read: {error}") from error
            reason = str(error)
        counts: Counter[Channel] = Counter()
        start = 0
        try:
            for channel, time, _ in salvage(path):
                start = min(start, time) if counts else time
                counts[channel] += 1
        except (SalvageError, OSError) as error:
            raise BagError(f"{path} cannot be read: {error}") from error
        if not counts:
            raise BagError(f"{path} cannot be read: {reason}; there is no whole message in it")
        self._findings.note(
            path.name,
            "cut short or without its index",
            f"the {counts.total()} messages before are used",
            example=reason,
        )
        return _Source(counts.keys(), counts, start, partial(_salvaged, path))

    def _whole(self, reader: Any) -> _Source:
        reader.open()
        self._stack.callback(_close, reader)
        by_id = {id(c): Channel(c.topic, c.msgtype, c.msgdef) for c in reader.connections}
        counts: Counter[Channel] = Counter()
        for connection in reader.connections:
            counts[by_id[id(connection)]] += connection.msgcount

        def read(names: Collection[str]) -> Iterator[tuple[Channel, int, bytes]]:
            wanted = [c for c in reader.connections if c.topic in names]
            if wanted:
                for connection, time, data in reader.messages(wanted):
                    yield Channel(connection.topic, connection.msgtype, connection.msgdef), time, bytes(data)

        return _Source(tuple(counts), counts, reader.start_time, read)

    def _decoder(self, channel: Channel) -> Callable[[bytes], Any]:
        if channel not in self._decoders:
            store = self._store(channel.type, channel.definition)
            decode = store.deserialize_ros1 if self._ros1 else store.deserialize_cdr
            self._decoders[channel] = lambda data: decode(data, channel.type)
        return self._decoders[channel]

    def _store(self, kind: str, definition: MessageDefinition) -> Typestore:
        if definition.format != MessageDefinitionFormat.NONE:
            try:
                return _store_of(kind, definition)
            except (TypesysError, KeyError, ValueError, AssertionError) as error:
                raise BagError(f"the definition of {kind} in {self.path} cannot be understood: {error}") from error
        own = get_typestore(Stores.ROS1_NOETIC if self._ros1 else Stores.LATEST)
        known = own if kind in own.fielddefs or self._known is None else self._known()
        if kind in known.fielddefs:
            return known
        raise BagError(
            f"{self.path} carries no definition of {kind}, and it is not one of ROS's own: record it again with MCAP, "
            "or with ROS 2 Iron or newer, whose bags carry them"
        )


@lru_cache(64)
def _store_of(kind: str, definition: MessageDefinition) -> Typestore:
    store = get_typestore(Stores.EMPTY)
    store.register(_parse(kind, definition))
    store.get_msgdef(kind)
    return store


def _parse(kind: str, definition: MessageDefinition) -> Any:
    if definition.format == MessageDefinitionFormat.MSG:
        return get_types_from_msg(definition.data, kind)
    line = "=" * 80 + "\n"
    types: dict[str, Any] = {}
    parts = [p.partition("\n") for p in definition.data.split(line) if p.strip()]
    for head, _, text in parts:
        types |= get_types_from_idl(text if head.startswith("IDL: ") else definition.data)
    return types


def _salvaged(path: Path, names: Collection[str]) -> Iterator[tuple[Channel, int, bytes]]:
    return (found for found in salvage(path) if found[0].topic in names)


def _in_order(path: Path) -> tuple[int, str]:
    """Return what sorts bag_10.mcap behind bag_9.mcap."""
    number = re.search(r"_(\d+)$", path.stem)
    return (int(number[1]) if number else -1, path.name)


def _close(reader: Any) -> None:
    """Close a reader of rosbags, which fails at that, its files let go, where metadata.yaml lists none as it should."""
    with suppress(AttributeError):
        reader.close()
