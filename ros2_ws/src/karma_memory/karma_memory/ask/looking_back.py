# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What happened in a stretch of time, in the whole home or a room: deeds, changes that were noticed, words told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from karma_language.evidence import Deed, Evidence, Move, Said
from karma_language.reading import Where
from karma_memory.ask.scene import Scene
from karma_memory.episodic.episodes import Episode

if TYPE_CHECKING:
    from karma_memory.state import MemoryState


def happened(
    deeds: Sequence[tuple[Episode, Deed]],
    state: MemoryState,
    known: Scene,
    *,
    since: float,
    until: float,
    user: str,
    where: Where | None,
    now: float,
) -> Evidence:
    """Return what happened in a stretch of time, the first first.

    `deeds`: what was done in it, of whomever; what the robot changed itself is told as its deed, not as a change.
    """
    there = {node.id for node in known.with_place(where)[1]} if where is not None else None
    own = [
        deed
        for episode, deed in deeds
        if deed.text
        and (there is None or there & {name for step in episode.steps for name in (step.object, step.place)})
    ]
    moves = [move for move in known.moves(since, until, None, where) if not _within(move, deeds)]
    said = told_in(state, since, until, user) if where is None else ()
    return Evidence(
        now,
        deeds=tuple(sorted(own, key=lambda deed: deed.stamp)),
        moves=tuple(reversed(moves)),
        said=tuple(said),
        looked=since,
    )


def told_in(state: MemoryState, since: float, until: float, user: str) -> Iterable[Said]:
    """Yield what a user told in a stretch of time, the first first."""
    if not user or not state.may_use(user):
        return
    table = state.index.table
    begun = table.column("valid_from")
    rows = np.flatnonzero(table.among("kind", [state.told.kind]) & table.among("user", [user]))
    for row in sorted(rows[(begun[rows] >= since) & (begun[rows] <= until)], key=lambda row: float(begun[row])):
        record = table.record(int(row))
        yield Said(record.valid_from, record.text, record.user, record=record.id)


def _within(move: Move, deeds: Sequence[tuple[Episode, Deed]]) -> bool:
    """Whether the robot changed a thing itself."""
    one = move.after or move.before
    return one is not None and any(
        episode.start <= one.since <= (episode.end or one.since)
        and any(one.object_id in (step.object, step.place) for step in episode.steps)
        for episode, _ in deeds
    )
