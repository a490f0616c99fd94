# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of a text tells of the things that it asks to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_language.arranging.descriptions import descriptions_in
from planner_node.plan.arranging.moves import Move, ThingRef, things_of


def with_told(moves: Sequence[Move], told: Sequence[str]) -> list[Move]:
    """Give every thing what the text tells of it."""
    things = things_of(moves)
    clauses = descriptions_in(told, [thing.head for thing in things])
    new = {t: replace(t, told=tuple(text for heads, text in clauses if t.head in heads)) for t in things}

    def renewed(move: Move) -> Move:
        beside = new[move.beside] if isinstance(move.beside, ThingRef) else move.beside
        return replace(move, things=tuple(new[t] for t in move.things), beside=beside)

    return [renewed(move) for move in moves]
