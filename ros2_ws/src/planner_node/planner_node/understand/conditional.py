# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Conditions: "if the fridge is open, close it", "wash the cup unless it is clean", "... Otherwise, ..."."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner_node.understand.chunks import Chunk
from planner_node.understand.goals import Condition
from planner_node.understand.phrases import Discourse, noun_phrase

_IF = {"if": False, "unless": True, "in case": False, "whenever": False, "provided": False}
_ELSE = frozenset(["otherwise", "else"])
_BE = {
    "is": False, "are": False, "was": False, "were": False, "be": False, "isn't": True, "aren't": True, "wasn't": True,
    "there's": False,
}  # fmt: skip
_JOINS = frozenset([",", "and", "only", "but", "then"])
_STOP = Chunk((".",), stop=True)
_NOT = frozenset(["not", "no", "never", "nothing"])
_STATES = {
    "open": "open", "opened": "open", "closed": "closed", "shut": "closed", "on": "on", "lit": "on", "off": "off",
    "running": "on", "broken": "broken", "full": "filled", "empty": "empty",
}  # fmt: skip
_SEEN = frozenset(["see", "find", "notice", "have", "spot"])


class UnclearCondition(Exception):  # noqa: N818 - caught at once and turned into an answer
    """A condition that can't be checked."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True)
class Conditional:
    """The condition of a sentence, in words."""

    chunks: tuple[Chunk, ...]
    negated: bool
    first: bool
    """Whether it is said before the request."""

    @property
    def text(self) -> str:
        """As said."""
        return " ".join(c.word for c in self.chunks)


def part_conditions(chunks: Sequence[Chunk]) -> tuple[list[Chunk], dict[int, Conditional]]:
    """Return the requests without their conditions, and the conditions by the number of the sentence.

    A sentence of which only a part depends on the condition is two.
    """
    rest: list[Chunk] = []
    found: dict[int, Conditional] = {}
    last: Conditional | None = None
    begin = 0
    for end in range(len(chunks) + 1):
        if end < len(chunks) and not chunks[end].stop:
            continue
        for request, conditional in _parts(list(chunks[begin:end]), last):
            if rest and not rest[-1].stop:
                rest.append(_STOP)
            if conditional is not None:
                found[sum(c.stop for c in rest)] = last = conditional
            rest.extend(request)
        if end < len(chunks):
            rest.append(chunks[end])
        begin = end + 1
    return rest, found


def _parts(chunks: list[Chunk], last: Conditional | None) -> list[tuple[list[Chunk], Conditional | None]]:
    """Return the requests of a sentence, each with its condition."""
    words = [c.word for c in chunks]
    if last is not None and words[:1] and words[0] in _ELSE:
        return [(chunks[1:], replace(last, negated=not last.negated, first=True))]
    at = next((i for i, word in enumerate(words) if word in _IF), -1)
    if at < 0:
        return [(_waiting(chunks), None)]
    leading = all(c.polite or c.sequence or c.word in _JOINS or c.word == "even" for c in chunks[:at])
    end = at + 1
    while end < len(chunks) and not (
        words[end] in (",", "then") or chunks[end].sequence or (chunks[end].conjunction and _bids(chunks, end + 1))
    ):
        end += 1
    condition = tuple(chunks[at + 1 : end])
    before, after = chunks[:at], chunks[end + (end < len(chunks) and words[end] in (",", "then")) :]
    while before and before[-1].word in _JOINS:
        before.pop()
    starts = bool(after) and _bids(after, 0)
    if leading:
        return [([*before, *after], Conditional(condition, _IF[words[at]], True))]
    if starts and end < len(chunks) and words[end] in (",", "then") and words[at - 1] in ("and", "then"):
        return [(before, None), (after, Conditional(condition, _IF[words[at]], True))]  # "A, and if B, C"
    here = (before, Conditional(condition, _IF[words[at]], False))
    return [here, (after, None)] if starts else [([*before, *after], here[1])]


def _bids(chunks: Sequence[Chunk], at: int) -> bool:
    """Whether a request begins here."""
    while at < len(chunks) and (chunks[at].sequence or chunks[at].polite or chunks[at].word in _JOINS):
        at += 1
    return at < len(chunks) and bool(chunks[at].verb) and chunks[at].form == "base"


def _waiting(chunks: list[Chunk]) -> list[Chunk]:
    """Mark a sentence that asks to wait: "when the cup is clean, put it away"."""
    if len(chunks) < 4 or chunks[0].word not in ("when", "whenever", "as soon as"):
        return chunks
    comma = next((i for i, c in enumerate(chunks) if c.word == ","), 0)
    waits = any(c.word in _BE for c in chunks[:comma]) and any(c.noun is not None for c in chunks[:comma])
    state = comma and (bool(chunks[comma - 1].state) or chunks[comma - 1].word in _STATES)
    return [Chunk(("until",)), *chunks[1:]] if waits and state else chunks


def read_condition(conditional: Conditional, discourse: Discourse) -> Condition:
    """Return what has to be so. Raises UnclearCondition, and what `noun_phrase` raises."""
    chunks = [c for c in conditional.chunks if c.word not in ("currently", "still", "already", "there", "any", "that")]
    existing = any(c.word in ("there", "there's") for c in conditional.chunks[:2])
    negated = conditional.negated
    seen = [c for c in chunks if c.word in _SEEN or c.verb in _SEEN]
    if seen and chunks.index(seen[0]) <= 2:
        negated ^= any(
            c.word in _NOT or c.word in ("don't", "can't", "cannot") for c in chunks[: chunks.index(seen[0])]
        )
        chunks = chunks[chunks.index(seen[0]) + 1 :]
        existing = True
    if existing:
        negated ^= any(c.word in _NOT or _BE.get(c.word, False) for c in chunks)
        chunks = [c for c in chunks if c.word not in _NOT and c.word not in _BE]
    read = noun_phrase(chunks, 0, discourse)
    if read is None:
        raise UnclearCondition(conditional.text)
    refs, at = read
    ref = refs[-1]
    if not existing:
        if at >= len(chunks) or chunks[at].word not in _BE:
            raise UnclearCondition(conditional.text)
        negated ^= _BE[chunks[at].word]
        at += 1
        while at < len(chunks) and chunks[at].word in _NOT | {"in", "on"} and chunks[at].word in _NOT:
            negated = not negated
            at += 1
    if at < len(chunks) and chunks[at].preposition and at + 1 < len(chunks):
        place = noun_phrase(chunks, at + 1, discourse)
        if place is not None and place[0][-1].categories:
            return Condition(replace(ref, place=place[0][-1]), "", negated)
        raise UnclearCondition(conditional.text)
    if existing and at >= len(chunks):
        return Condition(ref, "", negated)
    state = ""
    if at < len(chunks):
        state = _STATES.get(chunks[at].word, "") or chunks[at].state
    if not state or at + 1 < len(chunks):
        raise UnclearCondition(conditional.text)
    return Condition(ref, state, negated)
