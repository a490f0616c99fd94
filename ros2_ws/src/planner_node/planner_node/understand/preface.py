# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said before a colon: "Make the table ready: put the plates on it". What follows are the requests."""

from __future__ import annotations

import re
from collections.abc import Callable

from planner_node.understand import words as en
from planner_node.understand.remarks import asks, bids

_COLON = re.compile(r":(?=\s)")
_ENDS = re.compile(r"[.!?;\n]\s+|:\s+")
_WISHER = re.compile(r"\W*(?:i|we)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z']+")
_JOINED = en.PRELUDES | en.CONDITIONS | {"before", "after", "once"}
"""Words that begin what belongs to the request: "If it is open: close it"."""


def without_prefaces(text: str, understood: Callable[[str], bool]) -> tuple[str, str]:
    """Return a text without what only prepares what is asked for behind a colon, and the last such preface.

    What is a request of its own, as `understood` tells, is none; where it forbids something, all is left as it is.
    """
    preface = ""
    at = 0
    while (colon := _COLON.search(text, at)) is not None:
        at = colon.end()
        ends = [end.end() for end in _ENDS.finditer(text, 0, colon.start())]
        begin = ends[-1] if ends else 0
        before, after = text[begin : colon.start()], text[colon.end() :].lstrip()
        said = _WORD.findall(before.lower().replace("’", "'"))
        if not said or not _requests(after) or en.NEGATIONS & set(said):
            continue
        if said[0] in _JOINED:
            text = f"{text[: colon.start()]},{text[colon.end() :]}"
            continue
        kept = _kept(before, understood)
        if len(kept) < len(before):
            preface = before[len(kept) :]
            text = text[:begin] + (f"{kept}. " if kept else "") + after
            at = begin + len(kept)
    return text, preface


def _requests(text: str) -> bool:
    """Whether a text begins with a request."""
    return asks(re.split(r"[,.;:!?\n]\s", re.sub(r"^\W*(?:\d+[.)]\s*)?", "", text), maxsplit=1)[0])


def _kept(before: str, understood: Callable[[str], bool]) -> str:
    """Return what is a request of its own in what is said before a colon: all, up to a comma, or nothing."""
    commas = [comma.start() for comma in re.finditer(",", before)]
    for end in (len(before), *reversed(commas)):
        part = before[:end]
        if understood(part) and (bids(part) or not _WISHER.match(part)):
            return part
    return ""
