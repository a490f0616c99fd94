# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Snapshots of the projections in files beside the journal, so that starts and questions about the past replay little.

A snapshot is a cache: one that is damaged, foreign or from another version is passed over, and the journal is replayed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karma_memory.encoding import dumps, loads
from karma_memory.journal.durable import whole_file

logger = logging.getLogger(__name__)

FORMAT = "karma-memory-snapshot"
VERSION = 9
"""Of the files and the states in them; those of another version are passed over."""
KEPT = 2
"""Snapshots that are kept of each spacing; see `spread`."""


@dataclass(frozen=True)
class Snapshot:
    """The state of all projections after the event at `sequence`."""

    sequence: int
    event_id: str
    """Id of the event at `sequence`: a snapshot fits only the journal in which that event stands there."""
    state: dict[str, Any]


class SnapshotStore:
    """The snapshot files of one journal: `<journal>.snapshot-<sequence>`."""

    def __init__(self, journal_path: Path, uuid: str) -> None:
        self._journal_path = journal_path
        self._uuid = uuid

    def write(self, snapshot: Snapshot) -> Path:
        """Write a snapshot durably and return its path. OSError when the disk doesn't take it; old ones stay then."""
        body = zlib.compress(dumps(snapshot.state).encode(), level=1)
        header = {
            "format": FORMAT,
            "version": VERSION,
            "journal": self._uuid,
            "sequence": snapshot.sequence,
            "event_id": snapshot.event_id,
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        path = Path(f"{self._journal_path}.snapshot-{snapshot.sequence:012d}")
        with _alone(Path(f"{self._journal_path}.snapshot.lock")):
            with whole_file(path) as file:
                file.write(dumps(header).encode() + b"\n" + body)
            files = {_sequence(file): file for file in self.paths()}
            for sequence in files.keys() - spread(files):
                files[sequence].unlink(missing_ok=True)
        return path

    def forget(self, before: int) -> None:
        """Delete the snapshots of states before the event `before`."""
        for path in self.paths():
            if _sequence(path) < before:
                path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete all snapshots, and what is left of one whose writing was cut short."""
        folder, name = self._journal_path.parent, self._journal_path.name
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name.startswith(f"{name}.snapshot-"):
                path.unlink(missing_ok=True)

    def load(self, fits: Callable[[int, str], bool], until: int, *, since: int = 0) -> Snapshot | None:
        """Return the newest intact snapshot from `since` to `until` for which `fits(sequence, event_id)`, or None."""
        for path in self.paths():
            if not since <= _sequence(path) <= until:
                continue
            try:
                snapshot = self._read(path)
            except (OSError, ValueError, KeyError, TypeError, zlib.error) as error:
                logger.warning("the snapshot %s cannot be used (%s); an older one or the journal is", path, error)
                continue
            if fits(snapshot.sequence, snapshot.event_id):
                return snapshot
            logger.warning("the snapshot %s does not belong to this journal; it is passed over", path)
        return None

    @property
    def newest(self) -> int:
        """The sequence of the newest snapshot, 0 without one."""
        return next(map(_sequence, self.paths()), 0)

    def paths(self) -> list[Path]:
        """Return the snapshot files, newest first."""
        name = self._journal_path.name + ".snapshot-"
        folder = self._journal_path.parent
        if not folder.is_dir():
            return []
        return sorted(
            (path for path in folder.iterdir() if path.name.startswith(name) and path.name[len(name) :].isdecimal()),
            reverse=True,
        )

    def _read(self, path: Path) -> Snapshot:
        head, body = path.read_bytes().split(b"\n", 1)
        header = json.loads(head)
        if header["format"] != FORMAT or header["version"] != VERSION:
            raise ValueError(
                f"format {header['format']} version {header['version']}; this karma_memory knows version {VERSION} only"
            )
        if header["journal"] != self._uuid:
            raise ValueError("of another journal")
        if hashlib.sha256(body).hexdigest() != header["sha256"]:
            raise ValueError("its checksum does not fit")
        return Snapshot(int(header["sequence"]), str(header["event_id"]), loads(zlib.decompress(body).decode()))


def spread(sequences: Iterable[int]) -> set[int]:
    """Return the sequences whose snapshots are kept: the longer ago, the fewer.

    Of the journal in parts of 2^k events, for every k, these are the first ones of the last KEPT parts that have any.
    The first of a part stays the first: what is deleted would not be kept later.
    """
    newest_first = sorted(sequences, reverse=True)
    kept: set[int] = set()
    for k in range(max(newest_first, default=0).bit_length()):
        firsts = {sequence >> k: sequence for sequence in newest_first}
        kept.update(list(firsts.values())[:KEPT])
    return kept


def _sequence(path: Path) -> int:
    return int(path.name.rpartition("-")[2])


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Keep other memory servers that have the same journal in PostgreSQL, and the same folder, waiting.

    The lock is a file of its own: on the folder, others may hold theirs.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
