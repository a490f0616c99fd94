# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A journal's events as a rosbag2: karma_interfaces/MemoryEvent messages on `memory/events`, log time = stamp.

A bag is for the tools of ROS. It carries what the message can say: not the events that the memory writes itself (uses
of short-term memory, its settings), times to the nanosecond, some numbers as float32; and readers order it by time, not
by the journal's sequence. What must come back as it was goes into a portable file (journal/portable.py).
"""

from __future__ import annotations

import hashlib
import os
import struct
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import apsw
from ament_index_python.packages import get_package_share_directory
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.interfaces import Connection, MessageDefinitionFormat
from rosbags.rosbag2 import Reader, ReaderError, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from karma_interfaces.msg import MemoryEvent
from karma_memory.conversions import from_event, to_event
from karma_memory.events import OWN_KINDS, Event
from karma_memory.journal import Imported, Journal, JournalError, Progress
from karma_memory.ros.message_versions import present, store_of
from karma_memory.scene import InvalidEventError

TOPIC = "memory/events"
TYPE = "karma_interfaces/msg/MemoryEvent"
STORAGES = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}
BATCH = 100
"""Events that are imported with one commit."""

_DAMAGE = (
    *(ReaderError, apsw.Error, OSError, EOFError, MemoryError, ValueError, LookupError, RuntimeError, struct.error),
    *(TypeError, AttributeError, AssertionError, ArithmeticError),
)
"""What rosbags and rclpy raise for bags that are damaged or none at all."""


@dataclass(frozen=True)
class Exported:
    """What `export_bag` did."""

    written: int
    left_out: int
    """Events that the memory wrote itself, or whose content was dropped."""


def export_bag(
    journal: Journal, destination: str | os.PathLike[str], *, storage: str = "mcap", progress: Progress | None = None
) -> Exported:
    """Write the events to a new rosbag2 folder; `storage` is one of STORAGES.

    The folder is there complete or not at all. JournalError when it exists or cannot be written.
    """
    destination = Path(destination).expanduser()
    if destination.exists():
        raise JournalError(f"{destination} exists; a bag is written to a new folder only")
    written = 0
    last = journal.last_sequence
    try:
        with tempfile.TemporaryDirectory(prefix=f".{destination.name}-", dir=destination.parent) as folder:
            part = Path(folder) / destination.name  # the files in a bag are called like its folder
            with Writer(part, version=9, storage_plugin=STORAGES[storage]) as writer:
                connection = writer.add_connection(TOPIC, TYPE, typestore=typestore())
                for entry in journal.read(0, last, skip_compacted=True):
                    if entry.event.kind not in OWN_KINDS:
                        message = from_event(journal.with_picture(entry.event))
                        stamp = message.stamp.sec * 10**9 + message.stamp.nanosec
                        writer.write(connection, stamp, serialize_message(message))
                        written += 1
                    if progress is not None:
                        progress(entry.sequence, last)
            part.rename(destination)
    except OSError as error:
        raise JournalError(f"cannot write {destination}: {error}") from error
    return Exported(written, last - written)


def import_bag(
    source: str | os.PathLike[str],
    journal: Journal,
    *,
    topic: str = "",
    progress: Progress | None = None,
    take: Callable[[Event], Event | None] = lambda event: event,
) -> Imported:
    """Append the events of a bag that `journal` doesn't have, in the order of their log time.

    An event is known by its id alone: what comes out of a bag may differ from what went in. Every topic with
    MemoryEvent messages counts, or only `topic`. All messages are checked before the first event is appended. An event
    without an id or a stamp gets one that follows from where it is in the bag. `take`: what to append for an event,
    None for nothing. JournalError when the bag cannot be
    read, has no such topic, or a message makes no event.
    """
    with _opened(Path(source).expanduser(), topic) as (reader, connections):
        count = sum(connection.msgcount for connection in connections)
        for _ in _events(reader, connections):
            pass
        before, left_out = journal.last_sequence, 0
        batch: list[Event] = []
        for done, event in enumerate(_events(reader, connections), 1):
            if journal.sequence_of(event.id) is None:
                taken = take(event)
                left_out += taken is None
                batch += [taken] if taken is not None else []
            if len(batch) == BATCH or done == count:
                journal.append(batch)
                batch = []
            if progress is not None:
                progress(done, count)
        added = journal.last_sequence - before
        return Imported(added, count - added - left_out, left_out)


@cache
def typestore() -> Typestore:
    """Return the message types of ROS and the installed karma_interfaces', for rosbags."""
    folder = Path(get_package_share_directory("karma_interfaces"))
    return store_of({f"msg/{path.name}": path.read_text(encoding="utf-8") for path in sorted(folder.glob("msg/*.msg"))})


@contextmanager
def _opened(path: Path, topic: str) -> Iterator[tuple[Reader, list[Connection]]]:
    """Open a bag for reading, and choose the connections whose messages are events."""
    try:
        with Reader(path) as reader:
            yield reader, _connections(reader, topic)
    except JournalError:
        raise
    except _DAMAGE as error:
        raise JournalError(f"cannot read {path}: {error}") from error


def _connections(reader: Reader, topic: str) -> list[Connection]:
    chosen = [
        connection
        for connection in reader.connections
        if connection.msgtype == TYPE and topic.lstrip("/") in ("", connection.topic.lstrip("/"))
    ]
    if not chosen:
        topics = ", ".join(f"{item.topic} ({item.msgtype})" for item in reader.connections) or "none"
        raise JournalError(f"{reader.path} has no {topic or 'topic'} with {TYPE} messages; its topics: {topics}")
    return chosen


def _events(reader: Reader, connections: list[Connection]) -> Iterator[Event]:
    readers = {connection.id: _reader(connection) for connection in connections}
    for connection, time, raw in reader.messages(connections):
        name = f"{connection.topic} {time} {hashlib.sha256(raw).hexdigest()}"
        try:
            message = readers[connection.id](bytes(raw))
            yield to_event(message, event_id=str(uuid.uuid5(uuid.NAMESPACE_OID, name)), stamp=time * 1e-9, scene="")
        except InvalidEventError as error:
            raise JournalError(f"the message at {time} ns on {connection.topic} makes no event: {error}") from error


def _reader(connection: Connection) -> Callable[[bytes], MemoryEvent]:
    """Return what reads a connection's messages: those of another version by the definitions in the bag."""
    if connection.digest in ("", typestore().hash_rihs01(TYPE)):
        return lambda raw: deserialize_message(raw, MemoryEvent)
    definitions = connection.msgdef
    if not definitions.data or definitions.format is not MessageDefinitionFormat.MSG:
        raise JournalError(f"{connection.topic} was recorded with another version of {TYPE}, and does not say which")
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(definitions.data, TYPE))
    return lambda raw: present(store.deserialize_cdr(raw, TYPE), MemoryEvent)
