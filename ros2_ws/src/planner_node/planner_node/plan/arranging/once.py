# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A habit at another place: "set up my tea on the balcony this time" (MEMENTO, appendix E.4.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from karma_language.arranging.places import PlaceRef
from planner_node.plan.arranging.moves import Move, Request, ThingRef


def elsewhere(request: Request, before: Sequence[Move], meant: Collection[ThingRef]) -> list[Move]:
    """Return the moves of before with the request's place as their last one; what else they say holds.

    `meant`: the things of before that the request names; empty: it means all of them. Empty where it names no place.
    """
    named = [*(move.to for move in request.moves), *request.topics]
    place = next((ref for ref in named if ref is not None), None)
    if place is None:
        return []
    moves = [move for move in before if not meant or set(move.things) & set(meant)]
    last = {thing: index for index, move in enumerate(moves) if move.to is not None for thing in move.things}
    return [_moved(move, place) if index in last.values() else move for index, move in enumerate(moves)]


def _moved(move: Move, place: PlaceRef) -> Move:
    to = place
    if not place.furniture and move.to is not None and move.to.furniture:
        to = replace(move.to, rooms=place.rooms, other=False)
    beside = move.beside if isinstance(move.beside, ThingRef) else None
    return replace(move, to=to, relation="on" if place.furniture else move.relation, beside=beside)
