# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which place is meant by "the table", after another place was spoken of."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.reading import Move
from karma_language.told.habits.nouns import Relation, relation
from karma_language.told.habits.references import PlaceReference, place


def with_rooms(moves: Sequence[Move]) -> tuple[Move, ...]:
    """Return the moves with the room added to goals that lack it.

    "from the kitchen to the bedroom, … on the table": the table of the room that was the goal before; "to the bedroom
    table, … on the table": that table.
    """
    found: list[Move] = []
    spoken: list[PlaceReference] = []
    for move in moves:
        goal = place(move.goal) if move.goal else None
        if goal is not None and not goal.room and goal.furniture:
            before = _meant(goal, spoken)
            if before is not None:
                text = before.text if before.furniture else f"{move.goal} in {before.text}"
                move = move.model_copy(update={"goal": text})
        if move.goal:
            spoken.append(place(move.goal))
        found.append(move)
    return tuple(found)


def _meant(goal: PlaceReference, spoken: Sequence[PlaceReference]) -> PlaceReference | None:
    """Return the place of the same name that was spoken of last, or the room, if that came last."""
    for one in reversed(spoken):
        if one.furniture and relation(one.furniture, goal.furniture) is Relation.SAME:
            return one
        if not one.furniture and one.room:
            return one
    return None
