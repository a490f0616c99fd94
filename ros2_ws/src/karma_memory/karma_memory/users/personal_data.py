# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that is kept of a user, as one document for them (the right of access, and to take it elsewhere)."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import Any

from karma_memory.encoding import to_json
from karma_memory.events import Event
from karma_memory.journal import Journal, open_journal
from karma_memory.privacy.belongings import Belongings
from karma_memory.privacy.consent import Consent
from karma_memory.recall.query import Record
from karma_memory.state.history import stored_state
from karma_memory.state.state import MemoryState

FORMAT = "karma-personal-data"
VERSION = 1


def stored_data(location: str | os.PathLike[str], user: str, *, pictures: bool = False) -> dict[str, Any]:
    """Return personal_data of a journal that nobody has open, and that stays as it is. JournalError."""
    with open_journal(location, verify=False, read_only=True) as journal:
        state, last = stored_state(journal), journal.last_sequence
        return personal_data(journal, last, user, held(state, user), state.consents.of(user), pictures=pictures)


def held(state: MemoryState, user: str) -> list[Record]:
    """Return what the memories hold of a user."""
    if not user:
        return []
    indexed = [record for record in state.index.records.values() if record.user == user]
    others = [*state.trajectories.records(), *state.rules.records(), *state.owners.records()]
    return [*indexed, *(record for record in others if record.user == user)]


def personal_data(
    journal: Journal, last: int, user: str, records: Sequence[Record], consent: Consent | None, *, pictures: bool
) -> dict[str, Any]:
    """Return as JSON what is kept of a user: every event up to the sequence `last`, and what memories hold of them.

    With `pictures`, the bytes of theirs, too, in base64. ValueError where no user is named.
    """
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
        "consent": None if consent is None else consent.to_json(),
        "memories": [_record_to_json(record) for record in records],
        "events": [to_json(event) for event in events],
    }
    if pictures:
        named = dict.fromkeys(event.image.sha256 for event in events if event.image is not None)
        found = {sha256: journal.image(sha256) for sha256 in named}
        data["pictures"] = {sha256: base64.b64encode(item).decode() for sha256, item in found.items() if item}
    return data


def _record_to_json(record: Record) -> dict[str, Any]:
    """Return what a memory holds of a user, as it would be recalled."""
    return {"id": record.id, "kind": record.kind, "text": record.text, "since": record.valid_from}
