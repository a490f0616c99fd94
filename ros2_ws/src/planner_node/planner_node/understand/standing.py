# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Words that stand between a thing and where it is, or for a thing that is named behind them: "a spot on the shelf"."""

from __future__ import annotations

from collections.abc import Sequence

from planner_node.understand import words as en
from planner_node.understand.chunks import Chunk

RELATIVE = frozenset(["that", "which", "where"])
_PERSONS = frozenset(["i", "you", "we", "one", "people", "someone"])
FREE = frozenset(["free", "clear"])
_LYING = frozenset(["currently", "lying", "sitting", "standing", "resting", "located", "found", "situated", "hanging"])


def headed(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks with the noun that is left out: "WHAT you write with", "put it WHERE people eat"."""
    found: list[Chunk] = []
    placing = False
    for at, c in enumerate(chunks):
        following = chunks[at + 1] if at + 1 < len(chunks) else None
        told = following is not None and not following.preposition and not following.verb and not following.stop
        placing = (placing or en.VERBS.get(c.verb) in ("put", "bring")) and not c.stop
        before = found[-1] if found else None
        if c.word == "what" and following is not None and following.word in _PERSONS:
            found.append(Chunk(("something",)))
        elif c.word == "where" and placing and told and before is not None and _named(before):
            placing = False
            found += [Chunk(("in",), preposition="in"), Chunk(("the",)), Chunk(("place",)), c]
        else:
            placing = placing and not (c.preposition in ("on", "in", "to", "near") and before is not None)
            found.append(c)
    return found


def _named(c: Chunk) -> bool:
    return c.noun is not None or c.word in ("it", "them")


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
