# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a person corrects, or takes back, of what they told before: the value of a slot, which keeps its sentence.

"The bins are collected on Tuesdays" and "actually they are collected on Thursdays now" come to one sentence that holds:
"The bins are collected on Thursdays".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from karma_language.dialogue.utterances import forbidding, is_negative
from karma_language.phrases.times import DATE, NUMBERS, ORDINAL, TIME_OF_DAY, WEEKDAY
from karma_language.vocabulary.words import PLACED, content_words, each, noted

_MOVES = r"\b(?:move|push|shift|change) (?:it|that|this|(?:the|my) [\w-]+) (?:back |forward )?to"
_HOUR = rf"(?:{'|'.join(NUMBERS)}|\d{{1,2}})(?: ?[ap]m| o['’]?clock)?\W*$"
_RESCHEDULES = re.compile(
    rf"(?P<moves>{_MOVES}) (?:(?P<hour>{_HOUR})|(?:(?:the|next|this) )?(?:{WEEKDAY}|{DATE}|{ORDINAL}|{TIME_OF_DAY}))",
    re.IGNORECASE,
)
_MARKER = re.compile(
    r"\b(?:actually|wrong|mistake[nd]?|correct(?:ion|ed|ing)|instead|rather than|from (?:now|today|this week) on"
    r"|no longer|any ?more|i meant|make that|moved|changed|postponed|rescheduled|now|nowadays|these days)\b"
    r"|^\W*(?:no|nope|nah|sorry|wait)\b(?= ?,)"
    rf"|, (?:and )?not \w|^\W*not\b[^,.;]+,|\bafter all\W*$"
    rf"|{_RESCHEDULES.pattern}",
    re.IGNORECASE,
)
"""What says that something was told otherwise."""
_MISTOLD = re.compile(
    r"\b(?:(?:told|said|got|gave)\b[^,.;]{0,20}\bwrong|i (?:was|am) (?:wrong|mistaken)|my mistake|correction|i meant"
    r"|make that)\b|^\W*(?:oh |no |sorry )*wrong\b(?= ?,)",
    re.IGNORECASE,
)
"""What says that the last such thing was told otherwise, whatever it was about."""
_PERSON = re.compile(r"\b(?:i|we|you)(?:['’](?:m|re|ll)| (?:am|are|was|were|will))\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:he|she|they)(?:['’](?:s|re)| [a-z]+)\b", re.IGNORECASE)
"""A clause about what was told last."""
_SAYS_NOTHING = frozenset(
    each("actually wrong mistake mistaken correct correction instead now moved move changed change no nope sorry wait"
         " postpone reschedule push shift mean make longer any more say tell today on get oh")
)  # fmt: skip
_CONTRASTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bfrom (?P<old>[^,.;]+?) to (?P<new>[^,.;]+)",
        r"(?P<new>[^,.;:]+?),? (?:instead of|rather than|and not|and no longer) (?P<old>[^,.;]+)",
        r"(?P<new>[^.;:,]+?), (?:not|no longer) (?P<old>[^,.;]+)",
        r"\bnot (?P<old>[^,.;]+?)(?:,? but|,) (?P<new>[^,.;]+)",
        r"\b(?:not (?P<old>[^,.;]+?) any ?more),? (?:it|that)(?:['’]s| is) (?P<new>[^,.;]+)",
    )
)
_IN = "|".join(sorted(PLACED, key=len, reverse=True))
_THERE = (
    rf"\b(?:{_IN}) (?:the|my|our|your|a|an) (?!\d)[\w-]+"
    rf"(?: of (?:the|my|our|your|a|an) [\w-]+|(?: (?!(?:and|or|now|with|for|of|by|to|from|at|{_IN})\b)[\w-]+){{0,2}})"
)
_PLACE = rf"{_THERE}(?: {_THERE})*"
_KINDS = (WEEKDAY, DATE, ORDINAL, TIME_OF_DAY, _PLACE, r"(?<![\w:.])\d[\d ]*(?![\w:.])")
_SLOTS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _KINDS)
"""What may be said otherwise: a day of the week, a date, a time of day, a place, a number."""
_LEAD = re.compile(
    r"^(?:.*\b(?:is|are|was|were|be|it's|it’s|that's|to|on|at|in|called|for|make that|meant|correction:?)\b ?)?"
    r"(?:the |a |an |on |at |in )*",
    re.IGNORECASE,
)
_NOTED = r"(?:the|my|that|this|your) (?:last )?(?:note|reminder|rule|alarm|appointment)\b"
_WITHDRAWS = re.compile(
    r"^\W*(?:(?:please|no|oh|and|so|ok|well|sorry|actually|just|now)\b\W*)*"
    rf"(?P<verb>forget|scrap|ignore|never ?mind|drop|cancel|(?:delete|remove|erase)(?= {_NOTED}))"
    rf"(?: about)? (?P<all>(?:{_NOTED}|the (?:thing|part|bit|story|one)|what i (?:said|told you)|that|everything)?"
    r"(?: (?:i (?:said|told you)|with|about|of|on|regarding))*) ?(?P<about>[^,.;!?]*)",
    re.IGNORECASE,
)
_AFTER_ALL = re.compile(r"(?:\bnot|n['’]t)\b.* after all\W*$", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:am|is|are|was|were|will|can|must|should|have|has|['’](?:m|re|s|ll))\b", re.IGNORECASE)
_LONGEST = 4
"""Words of a value: more are not what is to stand in place of another."""
_ENOUGH = 0.6
"""Share of the words of a correction that the corrected sentence has, where no pronoun points to it."""


def corrected(before: Sequence[str], said: str) -> tuple[int, str] | None:
    """Return which of the sentences that somebody told before, oldest first, a new one corrects, and what it says now.

    None where the new one corrects none of them.
    """
    if said.rstrip().endswith("?") or not _MARKER.search(said):
        return None
    if (moved := _RESCHEDULES.search(said)) is not None and moved["hour"]:
        said = f"{moved['moves']} at {moved['hour']}"  # as a time is told
    if _AFTER_ALL.search(said):
        return _denied(before, said)
    best: tuple[float, int, str] | None = None
    for index in reversed(range(len(before))):
        for text, values in _replacements(before[index], said):
            about = _subject(said) - content_words(values)
            share = len(about & content_words(before[index])) / len(about) if about else 0.0
            same = not about and not _PERSON.search(said) and (bool(values) or index == len(before) - 1)
            same = same or (index == len(before) - 1 and _POINTS.search(said) is not None)
            if (share >= _ENOUGH or _MISTOLD.search(said) or same) and (best is None or share > best[0]):
                best = share, index, text
    return best[1:] if best is not None else None


def _denied(before: Sequence[str], said: str) -> tuple[int, str] | None:
    """Return which of some sentences does not hold after all, and its denial."""
    about = content_words(said.replace("after all", "")) - _SAYS_NOTHING
    for index in reversed(range(len(before))):
        verb = _AUXILIARY.search(before[index])
        if about <= content_words(before[index]) and verb is not None and not is_negative(before[index]):
            return index, f"{before[index][: verb.end()]} not{before[index][verb.end() :]}"
    return None


def reschedules(said: str) -> bool:
    """Whether words give something another time, and can mean no thing: "move it to five"."""
    return _RESCHEDULES.search(said) is not None


def withdraws(said: str) -> str:
    """Return what somebody wants to be forgotten: "the bins"; "" where that is nothing that was told."""
    match = _WITHDRAWS.match(said)
    if match is None or match["verb"].lower() != "forget":
        return ""
    about = match["about"].strip()
    return about if content_words(about) else ""


def withdrawn(before: Sequence[str], said: str) -> int | None:
    """Return which of the sentences that somebody told before they take back: "forget what I said about the bins"."""
    match = _WITHDRAWS.match(said)
    if match is None or not before:
        return None
    about = content_words(match["about"]) - _SAYS_NOTHING
    if not about:
        alone = not content_words(said[match.end() :])  # "ignore that, she is calling on Friday instead" corrects
        rule = "rule" in match["all"].lower()
        found = (index for index in reversed(range(len(before))) if not rule or forbidding(noted(before[index])[1]))
        return next(found, None) if match["all"] and not match["about"] and alone else None
    shares = [len(about & content_words(text)) / len(about) for text in before]
    best = max(range(len(before)), key=lambda index: (shares[index], index))
    return best if shares[best] >= _ENOUGH else None


def _subject(said: str) -> frozenset[str]:
    """Return the words of a correction that say what it is about: neither values nor that it is one."""
    clauses = re.split(r"[,;:.!–—]+ ", said)
    said = " ".join([one for one in clauses if any(slot.search(one) for slot in _SLOTS)] or clauses)
    for slot in _SLOTS:
        said = slot.sub(" ", said)
    return content_words(said) - _SAYS_NOTHING


def _replacements(before: str, said: str) -> Iterator[tuple[str, str]]:
    """Yield a sentence with the value that a correction gives it, and the old and the new one where both are named."""
    for contrast in _CONTRASTS:
        for match in contrast.finditer(said):
            old, new = match["old"].strip(), match["new"].strip()
            for slot in _SLOTS:
                was, now = slot.search(old), [*slot.finditer(new)]
                if was is not None and now and (text := _with(before, was[0], now[-1][0])):
                    yield text, f"{was[0]} {now[-1][0]}"
            was_said, now_said = _LEAD.sub("", old), _LEAD.sub("", new)
            short = max(len(was_said.split()), len(now_said.split())) <= _LONGEST
            if short and now_said and (text := _with(before, was_said, now_said)):
                yield text, f"{was_said} {now_said}"
    if sum(slot.search(said) is not None for slot in _SLOTS) > 1:
        return  # "it was moved to Wednesday at ten": one value more than can be put in place of another
    for slot in _SLOTS:  # a value of the same kind
        got, there = {match[0].strip().casefold(): match[0] for match in slot.finditer(said)}, [*slot.finditer(before)]
        if len(got) == 1 and len(there) == 1 and there[0][0].strip().casefold() not in got:
            text = f"{before[: there[0].start()]}{got.popitem()[1].strip()}{before[there[0].end() :]}"
            yield text, ""


def _with(text: str, old: str, new: str) -> str:
    """Return a text with another value in place of one; "" where it does not have that one."""
    plain = old.strip().removesuffix("s")
    match = re.search(rf"(?<!\w){re.escape(plain)}s?(?!\w)", text, re.IGNORECASE) if plain else None
    if match is None:
        return ""
    start, end = match.span()
    for slot in _SLOTS[:-1]:
        around = [one for one in slot.finditer(text) if one.start() <= start < one.end()]
        if around and slot.search(f"at {new}"):
            start, end = around[0].span()
    return f"{text[:start]}{new.strip()}{text[end:]}"
