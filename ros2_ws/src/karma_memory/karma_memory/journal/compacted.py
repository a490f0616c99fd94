# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is left of an event whose content was dropped: a digest, by which the same event is known again."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, replace
from typing import NamedTuple

from karma_memory.encoding import Json, dumps, encode_event, loads
from karma_memory.events import Event
from karma_memory.journal.errors import JournalError, NewerSchemaError

BASE_VERSION = 9
"""Of the state's format. Events can't be replayed where they lost their content: whoever changes the format gives it a
new version, lets `upgraded` convert the older ones, and adds a folder to test/golden."""
FOLLOWS_LFU = 9
"""Since which version the adaptive policy follows LFU, too, so that it keeps other units."""
OLDEST_BASE = 2
"""Version 1 was never in a release."""
STUB_START = '{"compacted":"'


@dataclass(frozen=True)
class Horizon:
    """Since when the past is known event by event; before it there is one state only."""

    sequence: int = 0
    """Of the last event that may have lost its content; 0 when none has."""
    stamp: float = 0.0
    """Seconds; nothing up to `sequence` happened later than that."""


@dataclass(frozen=True)
class Base:
    """The state of all memories at the horizon, in place of the events up to there."""

    horizon: Horizon
    version: int
    """Of the state's format."""
    state: Json


class PackedBase(NamedTuple):
    """A base as it is stored."""

    sequence: int
    stamp: float
    version: int
    state: bytes
    """zlib of canonical JSON."""
    checksum: str


def upgraded(state: Json, version: int, sequence: int) -> Json:
    """Return the state after event `sequence`, stored in the format `version`, in the present one.

    NewerSchemaError for a version of the future, JournalError for one that nobody can read any more.
    """
    if not OLDEST_BASE <= version <= BASE_VERSION:
        newer = version > BASE_VERSION
        raise (NewerSchemaError if newer else JournalError)(
            f"the state at event {sequence}, where the journal was compacted, has version {version}, this karma_memory "
            f"knows versions {OLDEST_BASE} to {BASE_VERSION}: "
            + ("update karma_memory" if newer else "open the journal with the karma_memory that wrote it")
        )
    if version < 3:  # short-term memory had a fixed protected share
        short_term = state["short_term"]
        settings = {**short_term["settings"], "protected": 0.8}
        state = {**state, "short_term": {**short_term, "settings": settings}}
    if version < 6:  # working memory knew neither scenes nor what was handled: it begins anew
        state = {kind: item for kind, item in state.items() if kind != "working"}
    if version < 7 and "facts" in state:  # words had no readings: what they told is in the state
        state = {**state, "unread": {}}
    # MemoryState.restore makes what it lacks: 3 personal memories, 4 guiding ones, 7 what is forbidden; FOLLOWS_LFU
    # what the adaptive policy simulates.
    return state


def make_stub(event: Event) -> str:
    """Return what is stored in place of an event's canonical JSON; stamp and scene are filled in by the server."""
    identity = encode_event(replace(event, stamp=0.0, scene=""))
    return dumps({"compacted": hashlib.sha256(identity.encode()).hexdigest()[:32]})


def is_stub(body: str) -> bool:
    """Whether this is in place of an event's canonical JSON."""
    return body.startswith(STUB_START)


def pack(base: Base) -> PackedBase:
    """Return a base as it is stored. Takes a third of a second for 20,000 records: not while others wait."""
    horizon, packed = base.horizon, zlib.compress(dumps(base.state).encode(), level=6)
    return PackedBase(
        horizon.sequence, horizon.stamp, base.version, packed, base_checksum(horizon, base.version, packed)
    )


def unpack(sequence: int, stamp: float, version: int, packed: bytes, checksum: str) -> Base | None:
    """Return a stored base, None when it is damaged."""
    horizon = Horizon(sequence, stamp)
    try:
        intact = base_checksum(horizon, version, packed) == checksum
        return Base(horizon, version, loads(zlib.decompress(packed).decode())) if intact else None
    except (TypeError, ValueError, zlib.error):
        return None


def base_checksum(horizon: Horizon, version: int, packed: bytes) -> str:
    """Return the sha256 of a stored base."""
    head = f"{horizon.sequence}\0{horizon.stamp!r}\0{version}\0".encode()
    return hashlib.sha256(head + packed).hexdigest()
