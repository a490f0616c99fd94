# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the memories hold, as recollections: by kind, the newest first."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from karma_memory.recall.query import Knowledge, Query, Recollection, Record, visible
from karma_memory.recall.table import RecordTable, Rows
from karma_memory.scene import InvalidEventError, clip
from karma_memory.state.state import MemoryState

USUAL_LIMIT = 200
"""Recollections of a page, where nothing else is asked for."""


@dataclass(frozen=True)
class Browsed:
    """A page of what the memories hold."""

    recollections: tuple[Recollection, ...]
    total: int
    """That there are, on this page or not."""
    users: tuple[str, ...]
    """Of whom the memories hold something, by name."""


def browse(state: MemoryState, query: Query, offset: int) -> Browsed:
    """Return `query.limit` of what the memories hold, after the first `offset`.

    That is what `query.user` may see of the kinds `query.kinds`, and holds at the query's time; its text doesn't count.
    InvalidEventError for a kind that there is not.
    """
    if unknown := sorted(query.kinds - state.projections.keys()):
        known = ", ".join(sorted(state.projections))
        raise InvalidEventError(f"there is no memory of kind {clip(unknown[0])!r}; kinds are {known}")
    guiding = {kind: memory.records() for kind, memory in state.guiding.items()}
    table = state.index.table
    accepted = table.accepted(query, state.projections)
    for ended in state.facts.ended(query):
        accepted[table.row(ended)] = False
    page: list[Record] = []
    total = 0
    for kind in sorted(query.kinds or state.projections):
        first, last = max(0, offset - total), max(0, offset + query.limit - total)
        if kind in guiding:
            records = [record for record in guiding[kind] if visible(record, query)]
            total += len(records)
            page += sorted(records, key=_newest_first)[first:last]
        else:
            rows = np.flatnonzero(accepted & table.among("kind", [kind]))
            total += len(rows)
            page += _page(table, rows, first, last)
    users = table.users().union(record.user for records in guiding.values() for record in records)
    return Browsed(
        tuple(Recollection(_worded(state, record), 1.0, _why(state, record)) for record in page),
        total,
        tuple(sorted(users - {""})),
    )


def _page(table: RecordTable, rows: Rows, first: int, last: int) -> list[Record]:
    """Return the records from the place `first` to before `last` of those in `rows`."""
    if first >= min(last, len(rows)):
        return []
    leading = table.leading(rows, [-table.column("valid_from")[rows]], last)
    return sorted(leading, key=_newest_first)[first:]


def _newest_first(record: Record) -> tuple[float, str]:
    return -record.valid_from, record.id


def _worded(state: MemoryState, record: Record) -> Record:
    """Return a record; that of a fact with the fact itself, as the words that told it may tell several."""
    if record.kind != state.facts.kind:
        return record
    return replace(record, knowledge=Knowledge("fact", state.facts.in_words(record), record.text))


def _why(state: MemoryState, record: Record) -> tuple[str, ...]:
    """Return where a record comes from, in short lines, as far as the memory that holds it can tell."""
    why = [f"{record.user}'s own"] if record.user else []
    name = record.id.partition(":")[2]
    if (guideline := record.guideline) is not None:
        why.append(f"worked {guideline.successes} of {guideline.uses} times, utility {guideline.utility:.2f}")
    elif record.kind == state.preferences.kind:
        preference = state.preferences.get(record.user, name)
        if preference is not None and preference.words:
            why.append(f'said: "{preference.words}"')
        if preference is not None and preference.confirmed:
            why.append(f"confirmed {preference.confirmed} times")
    elif record.kind == state.episodic.kind and (episode := state.episodic.episode(name)) is not None:
        why.append(f"{len(episode.steps)} steps")
    elif record.node is not None:
        why.append(f"confidence {record.node.confidence:.2f}")
    return tuple(why)
