# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is left of an event whose content was dropped: a digest, by which the same event is known again."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from karma_memory.encoding import dumps, encode_event
from karma_memory.events import Event

BASE_VERSION = 2
"""Of the state's format. Events can't be replayed where they lost their content: whoever changes the format gives it a
new version, and lets `karma_memory.history.begin` convert the older ones."""
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
    state: dict[str, Any]


class PackedBase(NamedTuple):
    """A base as it is stored."""

    sequence: int
    stamp: float
    version: int
    state: bytes
    """zlib of canonical JSON."""
    checksum: str


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
        return Base(horizon, version, json.loads(zlib.decompress(packed))) if intact else None
    except (TypeError, ValueError, zlib.error):
        return None


def base_checksum(horizon: Horizon, version: int, packed: bytes) -> str:
    """Return the sha256 of a stored base."""
    head = f"{horizon.sequence}\0{horizon.stamp!r}\0{version}\0".encode()
    return hashlib.sha256(head + packed).hexdigest()
