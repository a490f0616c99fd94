# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What happened in a stretch of time: changes that were noticed, words that were told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karma_language.answers.evidence import Move, Said
from karma_language.answers.looking_back import MOST_LINES
from karma_language.things import Where
from karma_memory.ask.deeds import during
from karma_memory.ask.quoting import each_once
from karma_memory.ask.scene import Scene

if TYPE_CHECKING:
    from karma_memory.state.state import MemoryState


def noticed(state: MemoryState, known: Scene, since: float, until: float, where: Where | None) -> list[Move]:
    """Return what was found otherwise than before in a stretch of time, the first first; not what the robot did.

    Of each thing the last change in the time that a line of a page is about.
    """
    each = max(0.0, until - since) / MOST_LINES
    return [move for move in reversed(known.moves(since, until, None, where, each=each)) if not _by_robot(move, state)]


def told_in(state: MemoryState, since: float, until: float, user: str) -> list[Said]:
    """Return what a user told in a stretch of time, the first first; the same words once."""
    if not user or not state.may_use(user):
        return []
    table = state.index.table
    begun = table.column("valid_from")
    rows = np.flatnonzero(table.among("kind", [state.told.kind]) & table.among("user", [user]))
    records = map(table.record, rows[(begun[rows] >= since) & (begun[rows] <= until)].tolist())
    return each_once(Said(one.valid_from, one.text, one.user, record=one.id) for one in records)


def _by_robot(move: Move, state: MemoryState) -> bool:
    """Whether the robot changed a thing itself."""
    one = move.after or move.before
    return one is not None and any(
        during(episode, one.since, one.since) for episode in state.episodic.handling({one.object_id})
    )
