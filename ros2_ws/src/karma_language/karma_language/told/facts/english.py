# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Words of English sentences: tokens, contractions, base forms, and noun phrases as mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karma_language.told.facts.extraction import SPEAKER, Mention
from karma_language.told.facts.relations import is_event, is_relation_noun, phrase_key, role_of
from karma_language.vocabulary.english import is_verb, word_set

_TOKEN = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.\w+)+|@\w+|\"[^\"]+\"|“[^”]+”|\+?\d(?:[\d /-]*\d){4,}"
    r"|[^\W_]+(?:[-.&/][^\W_]+)*|'s\b|[.,;:!?()—–']"
)
_STRAY_AT = re.compile(r"(?<![\w.+-])@|@(?![\w-]+\.\w)")
"""An @ that is not in a mail address: times and gaps are marked with it."""
_SHORT = r"\b(he|she|it|that|there|what|who|where|when|how|here)'s\b"
_DONE = r"(?:got|been|moved|become|changed|started|left|taken|given|switched|joined|bought|sold|just)\b"
_CONTRACTIONS = (
    (r"\bwon't\b", "will not"),
    (r"\b(ca)n't\b", "can not"),
    (r"\bcannot\b", "can not"),
    (r"n't\b", " not"),
    (r"\bI'm\b", "I am"),
    (r"'ve\b", " have"),
    (r"'ll\b", " will"),
    (r"'re\b", " are"),
    (r"'d\b", " would"),
    (rf"{_SHORT}(?= {_DONE})", r"\1 has"),
    (_SHORT, r"\1 is"),
    (r"\bgonna\b", "going to"),
)
_VERBAL_S = re.compile(
    r"(\w)'s (?=(?:an?|the|not|my|your|our|his|her|their|in|at|on|from|allergic|called|married|now|off|no longer)\b)",
    re.IGNORECASE,
)
_DOING_S = re.compile(r"(\w)'s (?=(\w+ing)\b(?! (?:is|was|will|has|'s|of)\b))", re.IGNORECASE)
_HAS_S = re.compile(rf"(\w)'s (?={_DONE})", re.IGNORECASE)

SPEAKERS = frozenset(("i", "me", "my", "mine", "myself", "we", "us", "our", "ours"))
PRONOUNS = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she", "it": "it", "its": "it",
            "they": "they", "them": "they", "their": "they", "theirs": "they"}  # fmt: skip
POSSESSIVES = {"my": SPEAKER, "our": SPEAKER, "his": "he", "her": "she", "its": "it", "their": "they"}
DETERMINERS = frozenset(
    ("the", "a", "an", "this", "that", "these", "those", "some", "any", "another", "every", "each", "no")
)
_NAMED_ROLES = ("spouse", "parents_children", "relatives")
"""Roles after which a word in lower case is a name: "my sister anna", but not "my dentist appointment"."""
_FILLER = word_set("filler")
_FORMER = word_set("former")


def expand(text: str) -> str:
    """Return the text with contractions written out, and 's where it is a verb."""
    text = _STRAY_AT.sub(" ", text).replace("’", "'").replace("‘", "'")
    for pattern, replacement in _CONTRACTIONS:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    text = _HAS_S.sub(r"\1 has ", text)
    text = _VERBAL_S.sub(r"\1 is ", text)
    return _DOING_S.sub(
        lambda match: f"{match[1]} is " if is_verb(match[2]) and not is_event(match[2]) else match[0], text
    )


def tokens(text: str) -> list[str]:
    """Return words, numbers, quoted names, times ("@0") and marks; "Anna's" as "Anna", "'s"; "parents'" likewise."""
    found = _TOKEN.findall(text)
    return [
        "'s" if word == "'" else word for i, word in enumerate(found) if word != "'" or (i and found[i - 1][-1] in "sS")
    ]


def is_name(word: str) -> bool:
    """Whether a word looks like a name, a number or a code: it isn't in lower case."""
    return (
        bool(word)
        and not word.startswith("@")
        and (word[0].isupper() or word[0].isdigit() or word[0] in '+"“')
        and word != "I"
    )


def mention(words: Sequence[str]) -> Mention | None:
    """Return what a noun phrase mentions, None for an empty one and for "my former boss"."""
    words = [word for word in words if word not in (",", ":", "(", ")")]
    if not words:
        return None
    of = _of(words)
    if of is not None:
        return of
    if "'s" in words:
        last = len(words) - 1 - words[::-1].index("'s")
        owner = mention(words[:last])
        return None if owner is None else _step(owner, words[last + 1 :])
    low = words[0].lower()
    if len(words) == 1 and low in SPEAKERS:
        return Mention(SPEAKER)
    if len(words) == 1 and low in PRONOUNS:
        return Mention(PRONOUNS[low])
    if low in POSSESSIVES:
        return _step(Mention(POSSESSIVES[low]), words[1:])
    if low == "the" and not all(is_name(word) for word in words[1:]):
        return _step(Mention(SPEAKER), words[1:])
    if low in DETERMINERS:
        words = words[1:]
    return Mention(phrase(words)) if words else None


def phrase(words: Sequence[str]) -> str:
    """Return a noun phrase as text, without article and quotes."""
    kept = list(words)
    while kept and (kept[0].lower() in DETERMINERS or kept[0].lower() in ("new", "own")) and len(kept) > 1:
        kept = kept[1:]
    return " ".join(word.strip('"“”') for word in kept)


def split_name(words: Sequence[str]) -> tuple[list[str], str]:
    """Return a noun and the name after it: "sister Anna" → "sister", "Anna"; also "sister anna", for speech."""
    for i in range(1, len(words)):
        if (
            all(is_name(word) for word in words[i:])
            and not any(is_name(word) for word in words[:i])
            and role_of(words[i - 1])
        ):
            return list(words[:i]), " ".join(words[i:])
    if (
        len(words) == 2
        and role_of(words[0]) in _NAMED_ROLES
        and not (role_of(words[1]) or is_event(words[1]) or is_relation_noun(words[1]))
    ):
        return [words[0]], words[1]
    return list(words), ""


def _step(owner: Mention, words: Sequence[str]) -> Mention | None:
    kept = [word for word in words if word.lower() not in _FILLER]
    if kept and kept[0].lower() in _FORMER:
        return None
    if not kept:
        return owner if not words else Mention(owner.base, (*owner.steps, " ".join(words).lower()))
    noun, name = split_name(kept)
    step = " ".join(noun).lower().replace("favorite", "favourite")
    return Mention(owner.base, (*owner.steps, step), name, owner.name)


def _of(words: Sequence[str]) -> Mention | None:
    """Return "the name of my sister", "the code for the bike" as my sister's name; None for "a cup of tea"."""
    for i, word in enumerate(words):
        if word == "'s":
            return None
        if word.lower() in ("of", "for") and 0 < i < len(words) - 1:
            after = words[i + 1].lower()
            if (
                after in POSSESSIVES
                or after in SPEAKERS
                or after in PRONOUNS
                or after == "the"
                or is_name(words[i + 1])
            ):
                owner = mention(words[i + 1 :])
                head = list(words[:i])
                if head[0].lower() in DETERMINERS:
                    head = head[1:]
                return None if owner is None or not head else _step(owner, head)
            return None
    return None


def gender_of_role(noun: str) -> str:
    """Return "he" or "she" for a role that tells, else ""."""
    head = phrase_key(noun).removesuffix("inlaw").rstrip("- ").split()[-1:]
    if head and head[0] in word_set("male_roles"):
        return "he"
    return "she" if head and head[0] in word_set("female_roles") else ""
