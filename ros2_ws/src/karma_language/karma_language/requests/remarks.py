# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Remarks beside a request: "telly on please, THE MATCH STARTS IN TWO MINUTES". Nothing is done for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from karma_language.dialogue.utterances import forbidding, words_of
from karma_language.parser import SUBJECTS, parse
from karma_language.phrases.times import NUMBERS
from karma_language.questions.sentence_classifier import classifier
from karma_language.reading import Reading, Request, Told, quoted
from karma_language.syntax.utterance import RESTRICTS

_MOST = 3
"""Remarks beside one request that are looked for."""
_LONGEST = 8
"""Parts of a text in which they are looked for."""
_STOPS = frozenset(".!?;…")
_PART = re.compile(r"[^,.;:!?–—…]+[,.;:!?–—…]*")

Span = tuple[int, int]


def without_remarks(text: str, read: Callable[[str], Reading]) -> Reading | None:
    """Return what a text asks for when its remarks are left out, None where that reads no better.

    A remark stands between pauses, and tells something or is small talk by what the classifier hears.
    """
    remarks, count = _remarks(text, read)
    for left_out in _choices(remarks):
        if len(left_out) == count:
            continue
        reading = read(_blanked(text, left_out))
        if reading.items and not reading.unread and _asks(reading) and knows_all(reading):
            told = [Told(quote=said) for span in left_out if (said := _told(text[slice(*span)]))]
            items = tuple(quoted(item, text) for item in reading.items)
            return reading.model_copy(update={"items": (*told, *items)})
    return None


def essential(text: str, read: Callable[[str], Reading]) -> str:
    """Return a text without its remarks, the whole where it is nothing else."""
    remarks, count = _remarks(text, read)
    return _blanked(text, remarks) if len(remarks) < count else text


def _remarks(text: str, read: Callable[[str], Reading]) -> tuple[list[Span], int]:
    """Return where remarks are, and how many parts there are between pauses.

    A remark is a sentence, or ends one: what stands before or amid a request may be what it hangs on.
    """
    parts = [match.span() for match in _PART.finditer(text)]
    if len(parts) > _LONGEST:
        return [], len(parts)
    ends = [text[slice(*span)].rstrip()[-1:] in _STOPS for span in parts]
    ends[-1:] = [True] * len(ends[-1:])
    return [span for span, last in zip(parts, ends, strict=True) if last and _is_remark(text[slice(*span)], read)], len(
        parts
    )


def knows_all(reading: Reading) -> bool:
    """Whether everything that a reading asks for is of things that have a name."""
    goals = [goal for item in reading.items if isinstance(item, Request) for goal in item.goals]
    things = [thing for goal in goals for thing in (goal.thing, goal.to.thing if goal.to is not None else None)]
    return all(thing is None or thing.categories or thing.room or thing.pronoun or thing.attributes for thing in things)


def _asks(reading: Reading) -> bool:
    return any(isinstance(item, Request) and item.goals for item in reading.items)


def _choices(remarks: Sequence[Span]) -> Iterator[Sequence[Span]]:
    """Return which remarks to leave out: as few as will do."""
    for count in range(1, min(len(remarks), _MOST) + 1):
        yield from combinations(remarks, count)


def _is_remark(part: str, read: Callable[[str], Reading]) -> bool:
    """Whether a part says something by itself, and neither which thing, how many, when, nor what the robot must do."""
    heard, words = classifier().hear(part.strip()), {*words_of(part)}
    if not (heard.chats or heard.tells) or words & (RESTRICTS | NUMBERS.keys() | {"you"}) or forbidding(part):
        return False
    if any(node.dep_ in SUBJECTS and node.head.pos_ in ("VERB", "AUX") for node in parse(part) or ()):
        return True
    goals = [goal for item in read(part).items if isinstance(item, Request) for goal in item.goals]
    return not any(goal.thing is not None and goal.thing.categories for goal in goals)


def _told(part: str) -> str:
    """Return a remark that tells something, "" for small talk."""
    said = part.strip(" ,.;:!?–—…")
    return said if classifier().hear(said).tells else ""


def _blanked(text: str, spans: Sequence[Span]) -> str:
    for begin, end in spans:
        text = f"{text[:begin]}{' ' * (end - begin)}{text[end:]}"
    return text
