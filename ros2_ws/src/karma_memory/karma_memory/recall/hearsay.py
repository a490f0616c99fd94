# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What somebody said whom the robot does not know: it comes last, it says so, and it does not last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from karma_memory.recall.query import Query, Record
from karma_memory.recall.table import Mask, RecordTable, Rows

KIND = "hearsay"
"""What such words are to a user with a name, so that nobody takes them for their own."""
KINDS = ("told", "episodic")
"""Memories of words that may be nobody's."""
KEPT, LASTS = 64, 30 * 86_400.0
"""Of them, those that a user is told: the last ones, and for how many seconds."""
WHY = "said by somebody whom the robot does not know"


def is_hearsay(table: RecordTable, query: Query, rows: Rows | slice = slice(None)) -> Mask:
    """Return which of the rows (all) somebody said whom the robot does not know, where a user asks."""
    nobodys = table.among("kind", KINDS, rows) & table.among("user", [""], rows)
    return nobodys if query.user else np.zeros_like(nobodys)


def stale_hearsay(table: RecordTable, query: Query, now: float) -> Mask:
    """Return which rows of hearsay are too old or too many for a query at the time `now`, seconds."""
    found = is_hearsay(table, query)
    rows = np.flatnonzero(found & (table.column("valid_from") >= now - LASTS))
    newest = rows[np.argsort(-table.column("valid_from")[rows], kind="stable")[:KEPT]]
    found[newest] = False
    return found


def as_heard(record: Record, query: Query) -> Record:
    """Return a record as a user is told it."""
    if query.user and not record.user and record.kind in KINDS:
        return replace(record, kind=KIND)
    return record
