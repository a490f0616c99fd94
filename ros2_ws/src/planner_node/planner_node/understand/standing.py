# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Words that stand between a thing and where it is, or for a thing that is named behind them: "a spot on the shelf"."""

from __future__ import annotations

from collections.abc import Sequence

from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk

RELATIVE = frozenset(["that", "which", "where"])
FREE = frozenset(["free", "clear"])
_LYING = frozenset(["currently", "lying", "sitting", "standing", "resting", "located", "found", "situated", "hanging"])


def group_of(chunks: Sequence[Chunk], at: int) -> bool:
    """Whether "set of", "piece of" before a thing that has no pieces, or the like, says no more than the thing."""
    if at == 0 or at + 2 >= len(chunks) or chunks[at + 1].preposition != "of":
        return False
    word, before, thing = chunks[at].word, chunks[at - 1].word, chunks[at + 2]
    whole = thing.noun is not None and thing.noun.generic and word in ("piece", "pieces")
    counted = before in en.DETERMINERS or before in en.NUMBERS or before.isdigit() or chunks[at - 1].preposition
    return bool(counted) and (word in en.GROUPS or whole)


def being_there(chunks: Sequence[Chunk], at: int) -> int:
    """Return the index after "that is", "which is lying", "located" between a thing and the place where it is."""
    begin = at
    if at == 0 or (chunks[at - 1].noun is None and not chunks[at - 1].described):
        return begin
    comma = at + 1 < len(chunks) and chunks[at].word == "," and chunks[at + 1].word == "which"
    at += comma  # "in the fridge, which is beside the counter"
    if at < len(chunks) and chunks[at].word in RELATIVE:
        at += 1
        if at >= len(chunks) or chunks[at].word not in ("is", "are", "was", "were"):
            return begin
    said = at > begin + comma
    while at < len(chunks) and (chunks[at].word in en.BEING if said else chunks[at].word in _LYING):
        at += 1
    there = begin < at < len(chunks) and chunks[at].preposition in ("on", "in", "near", "under", "behind")
    return at if there else begin


def spot_on(chunks: Sequence[Chunk], at: int) -> bool:
    """Whether a word such as "spot" stands for the place that is named behind it: "a spot on the shelf"."""
    if at == 0 or at + 1 >= len(chunks) or chunks[at].word not in en.LOCATIONS:
        return False
    before = chunks[at - 1]
    return (before.word in en.DETERMINERS or plain_adjective(before)) and chunks[at + 1].preposition in (
        "on",
        "in",
        "near",
        "under",
    )


def plain_adjective(c: Chunk) -> bool:
    """Whether an adjective tells no thing from another, nor one place from another."""
    return c.word in en.SAFE_ADJECTIVES or c.word in FREE
