# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The prompt section: recollections and the long-term memory as text within a token budget, in one order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from karma_memory.recall.query import Recollection

HEADINGS = {
    "short_term": "Short-term memory:",
    "long_term": "Objects remembered:",
    "told": "What people said:",
    "hearsay": "What somebody said whom the robot does not know:",
    "facts": "Facts about the user:",
    "preferences": "What the user prefers:",
    "profile": "The user's things and habits:",
    "episodic": "Earlier tasks:",
    "guideline": "Valuable guidelines, proven by what was done before:",
    "rule": "Forbidden at home:",
    "owner": "Whose things are:",
    "trajectory": "Earlier attempts at such tasks:",
    "working": "What the robot is doing:",
}
SEVERAL_LINES = frozenset({"trajectory", "working"})
"""Kinds whose texts have several lines."""
LONG_LINE = 1000
"""Characters of one of these."""
AREAS_HEADING = "Long-term memory:"
RECOLLECTIONS_SHARE = 0.5
"""Share of the budget that recollections may take before the areas of the long-term memory have had theirs."""
LINE_LENGTH = 400
"""Characters of one recollection in a prompt."""
LINES_KEPT = 4096
"""Texts whose tokens need not be counted again: the lines of a memory are much the same from answer to answer."""

_PIECE = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")


@lru_cache(LINES_KEPT)
def estimate_tokens(text: str) -> int:
    """Return about how many tokens a language model makes of `text`, rather too many than too few.

    One per digit and sign, one per four letters of a word begun, one per line break.
    """
    pieces = _PIECE.findall(text)
    return sum(-(-len(piece) // 4) for piece in pieces) + text.count("\n")


def one_line(text: str, length: int = LINE_LENGTH) -> str:
    """Return `text` on one line of at most `length` characters, so that a remembered text can't look like a section."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _lines(recollection: Recollection) -> str:
    """Return what a recollection says: on one line, but for texts that a memory makes itself of what was done."""
    text = recollection.record.text
    if recollection.record.kind not in SEVERAL_LINES:
        return one_line(text)
    first, *more = text.splitlines()
    return "\n".join([one_line(first, LONG_LINE), *(f"  {one_line(line, LONG_LINE)}" for line in more)])


def compose(recollections: Sequence[Recollection], areas: Iterable[str], budget: int) -> str:
    """Return the prompt section of at most `budget` tokens: best recollections, areas, the other recollections.

    What two memories say in the same words is said once.
    """
    sections: dict[str, list[str]] = {}
    left = budget

    def add(heading: str, line: str, allowance: int) -> bool:
        nonlocal left
        cost = estimate_tokens(line + "\n") + (0 if heading in sections else estimate_tokens(heading + "\n"))
        if cost > allowance:
            return False
        sections.setdefault(heading, []).append(line)
        left -= cost
        return True

    waiting: list[tuple[str, str]] = []
    reserved = budget - int(RECOLLECTIONS_SHARE * budget)
    said: set[str] = set()
    for recollection in recollections:
        kind, text = recollection.record.kind, _lines(recollection)
        if text in said:
            continue
        said.add(text)
        item = (HEADINGS.get(kind, f"{kind}:"), f"- {text}")
        if waiting or not add(*item, left - reserved):
            waiting.append(item)
    for line in areas:
        if not add(AREAS_HEADING, line, left):
            break
    for item in waiting:
        if not add(*item, left):
            break
    order = [*HEADINGS.values(), *sorted(set(sections) - set(HEADINGS.values()) - {AREAS_HEADING}), AREAS_HEADING]
    return "\n".join(line for heading in order if heading in sections for line in (heading, *sections[heading]))
