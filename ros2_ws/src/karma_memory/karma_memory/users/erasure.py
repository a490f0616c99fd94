# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Erases a user: history is written anew as if they had never said or asked for anything.

In one transaction their events give way to what is nobody's in them, in the same places; the state at the horizon is
made anew; pictures that only they name go. Then no byte of what was there is left in the files (journal.purge). Killed
before the end of the transaction, nothing has happened; killed after it, whoever opens the journal next finishes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karma_memory.encoding import decode_event, dumps, encode_event
from karma_memory.events import Event, EventKind
from karma_memory.journal import BASE_VERSION, Base, Journal, open_journal
from karma_memory.journal.compacted import is_stub, pack, upgraded
from karma_memory.journal.purge import mark, purge
from karma_memory.journal.transaction import Row, row_of
from karma_memory.privacy.belongings import Belongings
from karma_memory.privacy.caches import clear_caches
from karma_memory.short_term.policy import PolicySettings
from karma_memory.state.live import new_id
from karma_memory.state.state import VOCABULARY, MemoryState

_SHARED = ("long_term", "short_term")
"""Kinds that hold nobody's. Their events may have lost their content; those of all other kinds never do."""


@dataclass(frozen=True)
class Erased:
    """What an erasure did."""

    events: int = 0
    """That were the user's."""
    observations: int = 0
    """Of those, that stay as what the robot saw, of nobody in particular."""
    pictures: int = 0
    mentions: int = 0
    """Events of others, or of nobody, that name the user. They stay: they are the others'."""


def forget_user(
    location: str | os.PathLike[str],
    user: str,
    *,
    before: float = math.inf,
    folder: str | os.PathLike[str] | None = None,
) -> Erased:
    """Erase a user from the journal at `location`, which nobody has open; see open_journal and `erase`."""
    with open_journal(location, folder=folder, verify=False) as journal:
        return erase(journal, user, before=before)


def erase(journal: Journal, user: str, *, before: float = math.inf) -> Erased:
    """Erase everything of a user, or what happened `before` a time (seconds) and what changes that; not their consent.

    When it returns, no byte of it is left in the journal, or in files beside it that are made from it, nor in the
    caches of this process. Memories that have the journal open must be opened again. JournalError: done again, or when
    the journal is opened, it is finished.
    """
    if not user:
        raise ValueError("what is nobody's is not erased; name the user")
    with journal.transaction() as transaction:
        plan = _plan(journal, user, before)
        if not plan.rows and before < math.inf:
            return Erased()
        mark(journal)
        base = journal.base()
        if base is not None:
            transaction.set_base(pack(_base_without(base, plan)))
        transaction.rewrite(plan.rows, sorted(plan.pictures))
    purge(journal)
    clear_caches()
    return Erased(plan.own, plan.observations, len(plan.pictures), plan.mentions)


@dataclass
class _Plan:
    """What is to be written."""

    rows: list[Row] = field(default_factory=list)
    """Of events that change."""
    own: int = 0
    observations: int = 0
    mentions: int = 0
    pictures: set[str] = field(default_factory=set)
    """That nothing names any more."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Id of an event → id of what stays of it."""
    base_events: list[Event] = field(default_factory=list)
    """What is left up to the horizon, apart from what lost its content."""


def _plan(journal: Journal, user: str, before: float) -> _Plan:
    plan, belongings = _Plan(), Belongings(user, before=before)
    horizon = journal.horizon().sequence
    name = dumps(user)[1:-1].casefold()
    named: set[str] = set()
    stamp = 0.0
    for row in journal.rows():
        if is_stub(row.body):
            stamp = row.stamp
            continue
        event = decode_event(row.body)
        left = belongings.remains(event, new_id(), stamp)
        stamp = left.stamp
        if left is not event:
            plan.rows.append(row_of(row.sequence, left))
        if left.id != event.id:
            plan.own += 1
            plan.observations += left.kind is EventKind.OBSERVATION
            plan.renamed[event.id] = left.id
            if event.image is not None:
                plan.pictures.add(event.image.sha256)
        elif event.user != user and name in (row.body if left is event else encode_event(left)).casefold():
            plan.mentions += 1
        if left.image is not None:
            named.add(left.image.sha256)
        if row.sequence <= horizon:
            plan.base_events.append(left)
    plan.pictures -= named
    return plan


def _base_without(base: Base, plan: _Plan) -> Base:
    """Return the state at the horizon as it is without what was erased.

    What is a user's rests on events that never lose their content: those kinds of memory are made anew. What the robot
    saw is taken over, with the new ids of events that it rests on.
    """
    stored = _renamed(upgraded(base.state, base.version, base.horizon.sequence), plan.renamed, plan.pictures)
    state = MemoryState(PolicySettings())
    state.index.vocabulary.restore(stored[VOCABULARY])
    for kind in _SHARED:
        state.projections[kind].restore(stored[kind])
    seen = {event.id for event in plan.base_events if event.kind is EventKind.OBSERVATION}
    gone = set(plan.renamed.values()) - seen
    for unit in state.short_term.units():
        if unit.source in gone:  # it says what the user wrote
            record = f"short_term:{unit.scene}/{unit.node.id}"
            state.short_term.observe(Event(new_id(), EventKind.EDIT, base.horizon.stamp, target=record))
    for event in plan.base_events:
        state.apply(event, without=_SHARED)
    return Base(base.horizon, BASE_VERSION, state.snapshot())


def _renamed(value: Any, renamed: Mapping[str, str], pictures: Collection[str]) -> Any:
    """Return JSON with other ids of events, and without pictures that were erased."""
    if isinstance(value, Mapping):
        return {
            key: _renamed(item, renamed, pictures)
            for key, item in value.items()
            if not (key == "image" and isinstance(item, Mapping) and item.get("sha256") in pictures)
        }
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_renamed(item, renamed, pictures) for item in value]
    return renamed.get(value, value) if isinstance(value, str) else value
