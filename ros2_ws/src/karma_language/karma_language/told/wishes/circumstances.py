# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""When a request or a wish holds: "I am worn out. Could you bring me a drink?", "No, tea when I am worn out"."""

from __future__ import annotations

import re
from functools import lru_cache

from karma_language.told.wishes.english import WORDS
from karma_language.told.wishes.phrases import FUNCTION_WORDS, tokens

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_ORDER = "(?:" + "|".join(sorted((WORDS["fetching"] | WORDS["putting"]) - {"have", "drink", "eat"})) + ")"
_YOU = r"(?:(?:can|could|would|will) you|(?:can|could|may) (?:i|we) (?:have|get))"
_PART = re.compile(
    rf"[,;:–—]+\s*|\s(?=(?:because|since)\b)|(?:\s(?:and|so|then))?\s(?=(?:please\s+)?{_YOU}\b|please\s+{_ORDER}\b)"
    rf"|\s(?:and|so|then)\s+(?={_ORDER}\b)",
    re.IGNORECASE,
)
"""Between the parts of a sentence one of which may ask: "I'm exhausted, bring me a drink"."""
_ASKING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_YOU}\b|\bplease\b|^(?:(?:and|so|then|now|hey|ok|okay|just)\s+)*{_ORDER}\b",
        r"\?\s*$",
        r"^(?:i|we)(?:'d| would| do)?(?: \w+)? (?:like|love|want|need|fancy|use)\b",
    )
)
"""Signs of asking: what shows a later one asks only where nothing shows an earlier one."""
_LINK = r"(?:(?:and|but|so|because|since|as|now that|when(?:ever)?|if|while)\s+)"
_STATING = re.compile(
    rf"^{_LINK}?(?:(?:i|we|it|there|he|she|they|that|this)(?:'\w+)?\b|.*(?:\b(?:is|are|was|were|has|have|had)\b|'s\b))",
    re.IGNORECASE,
)
"""A part of a sentence that says how things are, not "a banana and a pear"."""
_SHORT = {"m": "am", "re": "are", "ve": "have"}
_OPPOSITES = [tuple(pair.split("/")) for pair in sorted(WORDS["opposites"])]
_NEGATIONS = frozenset(("not", "no", "never", "without", "nobody", "nothing", "hardly"))


def asking(text: str) -> list[str]:
    """Return the parts that ask for something; all sentences where none does."""
    return list(_parted(text)[0]) or _sentences(text)


@lru_cache(maxsize=4096)
def circumstances(text: str) -> str:
    """Return what is said beside the asking, why or when; "" where nothing is; the whole text where nothing asks.

    "I'm" is "I am": for the embedding they are not the same.
    """
    text = re.sub(r"['’](m|re|ve)\b", lambda short: f" {_SHORT[short[1].lower()]}", text, flags=re.IGNORECASE)
    asked, beside = _parted(text.replace("’", "'"))
    if not asked:
        return _unlinked(text)
    said = [part for part in beside if {word for word in tokens(part) if word[0].isalnum()} - FUNCTION_WORDS]
    conditions = [condition for part in asked if (condition := without_condition(part)[1])]
    return " ".join(map(_unlinked, (*said, *conditions)))


def opposed(one: str, other: str) -> bool:
    """Whether circumstances differ in what their likeness does not show: another time of day, hot for cold, "not"."""
    said, told = set(tokens(one)), set(tokens(other))
    times, others = ({word.removesuffix("s") for word in tokens(text)} & WORDS["times"] for text in (one, other))
    contrary = any((a in said and b in told) or (b in said and a in told) for a, b in _OPPOSITES)
    return bool(times and others and not times & others) or contrary or _negated(one) is not _negated(other)


def _negated(text: str) -> bool:
    return any(word in _NEGATIONS or word.endswith("n't") for word in tokens(text))


def _sentences(text: str) -> list[str]:
    return [stripped for sentence in _SENTENCE.findall(text) if (stripped := sentence.strip())]


def _unlinked(text: str) -> str:
    """Return "I am tired" of "because I am tired"."""
    return re.sub(rf"^{_LINK}", "", text.strip(), flags=re.IGNORECASE)


def _parted(text: str) -> tuple[list[str], list[str]]:
    """Return the parts that ask for something, none where nothing does, and those that say how things are."""
    sentences = [[part.strip() for part in _PART.split(sentence) if part.strip()] for sentence in _sentences(text)]
    sign = next((sign for sign in _ASKING if any(sign.search(part) for parts in sentences for part in parts)), None)
    if sign is None:
        return [], []
    asked, beside = [], []
    for parts in sentences:
        asks = [part for part in parts if sign.search(part)]
        asked += asks
        if asks:
            beside += [part for part in parts if part not in asks and _STATING.search(part)]
        else:
            beside.append(", ".join(parts))
    return asked, beside


_CONDITION = re.compile(
    r"\b(?:(?:when(?:ever)?|if|while)\s+(?P<state>(?:i|we|it|there|the)\b[^.,;!?]*?)"
    r"(?=\s*(?:[.,;!?]|$|\bi(?:'d|\s+would|\s+do)?\s+(?:prefer|like|want|need|rather|love)\b))"
    r"|(?P<time>(?:in|at|on|for|after|before|during)\s+(?:the\s+|an?\s+|my\s+)?"
    r"(?:(?:early|late)\s+)?(?:{times})s?\b))".replace("{times}", "|".join(sorted(WORDS["times"]))),
    re.IGNORECASE,
)


def without_condition(text: str) -> tuple[str, str]:
    """Return what a wish says but for its condition, and the condition as a sentence; "" where there is none."""
    found = _CONDITION.search(text)
    if found is None:
        return text, ""
    condition = (found["state"] or found["time"]).strip()
    rest = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()
    return rest, f"{condition[0].upper()}{condition[1:]}."


_FAVOURITE = re.compile(r"^favou?rite\s+", re.IGNORECASE)


def favourite(circumstance: str) -> str:
    """Return of what something is the favourite: "drink" of "favourite drink"; "" for any other circumstance."""
    kind = _FAVOURITE.sub("", circumstance)
    return kind if kind != circumstance else ""
