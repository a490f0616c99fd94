# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that is kept of a user, as one document for them (the right of access, and to take it elsewhere)."""

from __future__ import annotations

import base64
from typing import Any

from karma_memory.encoding import event_to_json
from karma_memory.events import Event
from karma_memory.journal import Journal
from karma_memory.privacy.belongings import Belongings
from karma_memory.recall.query import Record

FORMAT = "karma-personal-data"
VERSION = 1


def personal_data(journal: Journal, last: int, user: str, *, pictures: bool) -> dict[str, Any]:
    """Return as JSON every event of a user up to the sequence `last`, and, with `pictures`, the bytes of theirs."""
    if not user:
        raise ValueError("what is nobody's is no user's; name the user")
    belongings = Belongings(user)
    entries = journal.read(0, last, skip_compacted=True)
    events: list[Event] = [entry.event for entry in entries if belongings.own(entry.event)]
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "user": user,
        "journal": journal.location,
        "events": [event_to_json(event) for event in events],
    }
    if pictures:
        named = dict.fromkeys(event.image.sha256 for event in events if event.image is not None)
        found = {sha256: journal.image(sha256) for sha256 in named}
        data["pictures"] = {sha256: base64.b64encode(item).decode() for sha256, item in found.items() if item}
    return data


def record_to_json(record: Record) -> dict[str, Any]:
    """Return what a memory holds of a user, as it would be recalled."""
    return {"id": record.id, "kind": record.kind, "text": record.text, "since": record.valid_from}
