# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of a running graph into a rosbag2, compressed by zstd; for machines without `ros2 bag record`."""

from __future__ import annotations

import queue
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosbags.interfaces import Connection
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer, WriterError
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.typesys import TypesysError, get_types_from_msg
from rosbags.typesys.store import Typestore

from karma.bag_pictures import IMAGE, smaller
from karma_memory.ros.bag import STORAGES, typestore
from karma_ros.interrupts import deferred

CAMERA_TOPICS = (
    "camera/color/image_raw",
    "camera/depth/image_raw",
    "camera/instances",
    "camera/color/camera_info",
    "camera/depth/camera_info",
    "camera/instance_labels",
    "camera/pose",
    "odom",
    "tf",
    "tf_static",
    "/tf",
    "/tf_static",
)
"""What perception needs of a robot, and where it was."""

LOOK_S = 0.5
"""Between two looks for topics that have appeared."""
FLUSH_S = 5.0
"""Seconds after which messages are in the file of an MCAP bag, whatever becomes of this process."""
QUEUE_BYTES = 512 * 2**20
"""What may wait for the disk; when there is more, messages are lost, and counted."""
_DEPTH = 200
"""Messages of a topic that the middleware keeps while this process is busy."""


class RecorderError(RuntimeError):
    """A bag that cannot be written; the message says why."""


class BagRecorder:
    """Writes topics to a new bag, from `record` until its time is over or KeyboardInterrupt is raised there.

    Subscriptions run in the node's executor, which must spin in another thread; the bag is written by `record`.
    """

    def __init__(
        self,
        node: Node,
        folder: Path,
        topics: Sequence[str] | None,
        *,
        storage: str = "mcap",
        exclude: str = "",
        raw: bool = False,
    ) -> None:
        """`topics`: as the node resolves them; None: all but hidden ones and those that match `exclude`.

        `storage`: one of karma_memory.ros.bag.STORAGES; `exclude`: a regular expression, found anywhere in a name;
        `raw`: leave pictures as they come over the wire, rather than make them `smaller`.
        """
        self._all = topics is None
        self._exclude = re.compile(exclude) if exclude else None
        self._node = node
        self._folder = folder
        self._storage = STORAGES[storage]
        self._raw = raw
        self._wanted = {node.resolve_topic_name(topic) for topic in topics or ()}
        self._subscriptions: dict[str, Any] = {}
        self._kinds: dict[str, str] = {}
        """The type of each topic that is heard."""
        self._connections: dict[str, Connection] = {}
        self._queue: queue.SimpleQueue[tuple[str, int, bytes]] = queue.SimpleQueue()
        # Bytes; each is counted in a thread of its own.
        self._taken = 0
        self._written = 0
        self._types = typestore()
        self.counts: Counter[str] = Counter()
        """Messages in the bag, by topic."""
        self.lost = 0
        """Messages that came faster than the disk takes them."""
        self.refused: dict[str, str] = {}
        """Topics that cannot be recorded, and why."""

    @property
    def missing(self) -> list[str]:
        """Topics that have not appeared."""
        return sorted(self._wanted - self._kinds.keys() - self.refused.keys())

    def record(self, duration: float | None = None, on_progress: Callable[[], None] = lambda: None) -> None:
        """Record for so many seconds, or until KeyboardInterrupt; the bag is complete either way.

        `RecorderError` when the folder exists or cannot be written.
        """
        deadline = None if duration is None else time.monotonic() + duration
        try:
            writer = Writer(self._folder, version=9, storage_plugin=self._storage)
            chunks = self._storage is StoragePlugin.MCAP
            mode = CompressionMode.STORAGE if chunks else CompressionMode.MESSAGE
            writer.set_compression(mode, CompressionFormat.ZSTD)
            writer.open()
        except (OSError, WriterError) as error:
            raise RecorderError(f"{self._folder} cannot be written: {error}") from error
        look, flush = 0.0, time.monotonic() + FLUSH_S
        try:
            while deadline is None or time.monotonic() < deadline:
                if time.monotonic() >= look:
                    with deferred():  # loads messages' libraries
                        self._subscribe()
                    look = time.monotonic() + LOOK_S
                    on_progress()
                if time.monotonic() >= flush:
                    with deferred():
                        _flush(writer)
                    flush = time.monotonic() + FLUSH_S
                self._write_next(writer, timeout=0.1)
        finally:
            with deferred():
                for subscription in self._subscriptions.values():
                    self._node.destroy_subscription(subscription)
                self._finish(writer)

    def _finish(self, writer: Writer) -> None:
        try:
            while not self._queue.empty():
                self._write_next(writer, timeout=0.0)
            writer.close()
        except OSError as error:
            writer.abort()
            raise RecorderError(f"{self._folder} is not complete: {error}") from error

    def _write_next(self, writer: Writer, *, timeout: float) -> None:
        try:
            topic, received, data = self._queue.get(timeout=timeout) if timeout else self._queue.get_nowait()
        except queue.Empty:
            return
        with deferred():
            self._written += len(data)
            kind = self._kinds[topic]
            if kind == IMAGE and not self._raw:
                topic, kind, data = smaller(topic, data, self._types)
            try:
                if topic not in self._connections:
                    self._connections[topic] = writer.add_connection(topic, kind, typestore=self._types)
                writer.write(self._connections[topic], received, data)
            except OSError as error:
                raise RecorderError(f"{self._folder} cannot be written: {error}") from error
            self.counts[topic] += 1

    def _subscribe(self) -> None:
        """Subscribe to the wanted topics that have appeared."""
        for topic, kinds in self._node.get_topic_names_and_types():
            publishers = self._node.get_publishers_info_by_topic(topic)
            if not self._is_wanted(topic) or topic in self._kinds or topic in self.refused or not publishers:
                continue
            try:
                cls = _message_class(kinds[0])
                register(self._types, kinds[0])
                self._types.hash_rihs01(kinds[0])
            except (ImportError, AttributeError, LookupError, TypesysError) as error:
                self.refused[topic] = f"{kinds[0]} is not installed here: {error}"
                continue
            self._kinds[topic] = kinds[0]
            self._subscriptions[topic] = self._node.create_subscription(
                cls, topic, self._taker(topic), _quality(publishers), raw=True
            )

    def _is_wanted(self, topic: str) -> bool:
        if not self._all:
            return topic in self._wanted
        hidden = any(part.startswith("_") for part in topic.split("/"))
        return not hidden and not (self._exclude is not None and self._exclude.search(topic))

    def _taker(self, topic: str) -> Callable[[bytes], None]:
        def take(data: bytes) -> None:
            if self._taken - self._written + len(data) > QUEUE_BYTES:
                self.lost += 1
                return
            self._taken += len(data)
            self._queue.put((topic, time.time_ns(), data))

        return take


def _flush(writer: Writer) -> None:
    """Put what was written into the file; an SQLite bag is one transaction, which only its end commits."""
    storage = writer.storage
    if isinstance(storage, McapWriter) and storage.chunk.msgs:
        try:
            storage.close_chunk()
            storage.bio.flush()
        except OSError as error:
            raise RecorderError(f"{writer.path} cannot be written: {error}") from error


def register(store: Typestore, kind: str) -> None:
    """Make an installed message type known to a typestore, with those of its package and of those it uses.

    TypesysError, or LookupError when it is not installed.
    """
    waiting = [kind]
    while waiting:
        name = waiting.pop()
        if name in store.fielddefs:
            continue
        package, _, short = name.split("/")
        file = Path(get_package_share_directory(package)) / "msg" / f"{short}.msg"
        if not file.is_file():
            raise PackageNotFoundError(f"{file} is missing")
        text = file.read_text(encoding="utf-8")
        types = get_types_from_msg(text, name)
        used = {found for _, fields in types.values() for _, field in fields for found in _names(field)}
        unknown = [u for u in used if u not in store.fielddefs and u not in types]
        if unknown:
            waiting += [name, *unknown]
        else:
            store.register(types)


def _names(field: Any) -> list[str]:
    """Return the message types in a field's description, which is nested pairs of kind and content."""
    if isinstance(field, str):
        return [field] if field.count("/") == 2 else []
    if isinstance(field, (tuple, list)):
        return [name for part in field for name in _names(part)]
    return []


def _message_class(kind: str) -> Any:
    package, folder, name = kind.split("/")
    return getattr(import_module(f"{package}.{folder}"), name)


def _quality(publishers: Sequence[Any]) -> QoSProfile:
    """Return the strictest quality of service that all publishers offer."""
    offered = [p.qos_profile for p in publishers]
    reliable = all(o.reliability == ReliabilityPolicy.RELIABLE for o in offered)
    latched = all(o.durability == DurabilityPolicy.TRANSIENT_LOCAL for o in offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )
