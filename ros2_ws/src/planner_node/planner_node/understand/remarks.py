# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is told beside a request: "Put the mug in the sink, we need milk"; and where an answer goes in its words."""

from __future__ import annotations

import re

from karma_language.arranging.personal import is_as_always
from karma_language.dialogue.utterances import corrected, without_link, without_so
from karma_language.reading import Need, Question, Reading, Request, Told
from karma_language.vocabulary.word_meanings import begins_with_verb


def remarks(read: Reading) -> tuple[str, ...]:
    """Return what is told beside a request, as sentences; nothing of words that ask for nothing."""
    if not any(isinstance(item, Request) for item in read.items):
        return ()
    told = (item.quote.strip(" .,;!?") for item in read.items if isinstance(item, Told))
    return tuple(f"{without_link(quote)}." for quote in told if quote)


def parted(text: str, read: Reading) -> str:
    """Return a text with its remarks as sentences of their own, before or behind what is asked for."""
    told = [item.quote for item in read.items if isinstance(item, Told | Question) and item.quote in text]
    told = [quote for quote in told if not is_as_always(quote)]
    if not told or not any(isinstance(item, Request) for item in read.items):
        return text
    rest = text
    for quote in told:
        rest = rest.replace(quote, "", 1)
    request = without_so(rest.strip(" .!,;?—-"))
    beside = [f"{quote.strip(' .,;!?')}." for quote in told]
    return " ".join([*beside, f"{request}."] if text.startswith(told[0]) else [f"{request}.", *beside])


def asks_itself(read: Reading) -> bool:
    """Whether an answer is a request of its own, which takes the place of the one that was unclear."""
    goals = [goal for item in read.items if isinstance(item, Request) for goal in item.goals]
    return not read.unread and any(begins_with_verb(goal.quote) for goal in goals)


def answered(text: str, answer: str, read: Reading, phrase: str = "") -> str:
    """Return a text with an answer behind its last request: "put it away, I'm tired" + "in the box".

    `phrase`: words that were not clear; the answer takes their place.
    """
    answer = corrected(answer)
    words = r"\W+".join(map(re.escape, phrase.split()))
    unclear = re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) if phrase else None
    if unclear is not None:
        return text[: unclear.start()] + answer + text[unclear.end() :]
    goals = [goal.quote for item in read.items if isinstance(item, Request) for goal in item.goals]
    end = text.find(goals[-1]) + len(goals[-1]) if goals and goals[-1] in text else len(text)
    before, after = text[:end].rstrip(" .!?"), text[end:].lstrip(" ,;.!?")
    pause = "," if not goals and any(isinstance(item, Need) for item in read.items) else ""
    return f"{before}{pause} {answer}{'. ' if after else ''}{after}"
