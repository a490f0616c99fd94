# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What salvage asks of a damaged journal, and how it knows what is intact."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from karma_memory.events import Image
from karma_memory.journal.compacted import Base, unpack
from karma_memory.journal.schema import row_checksum
from karma_memory.journal.transaction import Row


class Remains(Protocol):
    """Where the intact rows of a damaged journal are."""

    base: Base | None
    """The state at the horizon; None where there is none, or it is damaged."""
    committed: int
    """At least so many events there were; 0 where nothing tells."""

    def rows(self) -> Iterator[Row]:
        """Yield the intact rows of events, in order."""

    def image(self, image: Image) -> Image:
        """Return the image with its bytes, where they are intact."""

    def was_dropped(self, image: Image) -> bool:
        """Whether the journal had an image without its bytes."""


def event_row(sequence: object, values: Sequence[object]) -> Row | None:
    """Return the row of an event, None where it is none or its checksum doesn't fit."""
    match values:
        case [None, str(event_id), (float() | int()) as stamp, str(body), int(checksum)] if isinstance(sequence, int):
            if row_checksum(sequence, event_id, float(stamp), body) == checksum:
                return Row(sequence, event_id, float(stamp), body, checksum)
    return None


def intact_image(values: Sequence[object]) -> str:
    """Return the sha256 of a row that is an intact picture, else ""."""
    match values:
        case [str(sha256), bytes(data)] if hashlib.sha256(data).hexdigest() == sha256:
            return sha256
    return ""


def stored_base(values: Sequence[object]) -> Base | None:
    """Return the base of a row, None where it is none, or damaged."""
    match values:
        case [int(sequence), (float() | int()) as stamp, int(version), bytes(state), str(checksum)]:
            return unpack(sequence, float(stamp), version, state, checksum)
    return None
