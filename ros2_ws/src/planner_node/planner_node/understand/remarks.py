# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a text asks for, and what is told beside it: "Put the mug in the sink, we need milk"."""

from __future__ import annotations

import re
from functools import cache
from typing import Protocol

from karma_language.reading import Question, Reading, Request, Told
from karma_language.requests import Grammar
from karma_language.vocabulary.lexicon import household
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.goals import ObjectRef, Understanding


class Understander(Protocol):
    """Turns text into goals."""

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals. Never raises on any text."""


class WithoutRemarks:
    """Understands what a text asks for, and knows what is remarked beside it."""

    def __init__(self, understander: Understander) -> None:
        """`understander` gets the words."""
        self._inner = understander

    def understand(self, text: str, spoken_of: tuple[ObjectRef, ...] = (), aid: Aid = NO_AID) -> Understanding:
        """Return the goals. Never raises on any text."""
        return self._inner.understand(text, spoken_of, aid)

    def remarks(self, text: str) -> tuple[str, ...]:
        """Return what is remarked beside a request, as sentences; nothing of a text that asks for nothing."""
        read = _read(text)
        if not any(isinstance(item, Request) for item in read.items):
            return ()
        told = (item.quote.strip(" .,;!?") for item in read.items if isinstance(item, Told))
        return tuple(f"{re.sub(_LEAD, '', quote, flags=re.IGNORECASE)}." for quote in told if quote)

    def parted(self, text: str) -> str:
        """Return a text with its remarks as sentences of their own, before or behind what is asked for."""
        read = _read(text)
        told = [item.quote for item in read.items if isinstance(item, Told | Question) and item.quote in text]
        if not told or not any(isinstance(item, Request) for item in read.items):
            return text
        rest = text
        for quote in told:
            rest = rest.replace(quote, "", 1)
        request = re.sub(r"^(?:and )?so\b\s*", "", rest.strip(" .!,;?—-"), flags=re.IGNORECASE)
        remarks = [f"{quote.strip(' .,;!?')}." for quote in told]
        return " ".join([*remarks, f"{request}."] if text.startswith(told[0]) else [f"{request}.", *remarks])

    def answered(self, text: str, answer: str, phrase: str = "") -> str:
        """Return a text with an answer behind its last request: "put it away, I'm tired" + "in the box".

        `phrase`: words that were not clear; the answer takes their place.
        """
        words = r"\W+".join(map(re.escape, phrase.split()))
        unclear = re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) if phrase else None
        if unclear is not None:
            return text[: unclear.start()] + answer + text[unclear.end() :]
        goals = [goal.quote for item in _read(text).items if isinstance(item, Request) for goal in item.goals]
        end = text.find(goals[-1]) + len(goals[-1]) if goals and goals[-1] in text else len(text)
        before, after = text[:end].rstrip(" .!?"), text[end:].lstrip(" ,;.!?")
        return f"{before} {answer}{'. ' if after else ''}{after}"


_LEAD = r"^(?:(?:because|since|and|but|so that|so|well|oh|also|as)\b[\s,]*)+"


def asks(text: str) -> bool:
    """Whether a text asks for something to be done."""
    return any(isinstance(item, Request) for item in _read(text).items)


@cache
def _grammar() -> Grammar:
    return Grammar(household())


def _read(text: str) -> Reading:
    return _grammar().read(text)
