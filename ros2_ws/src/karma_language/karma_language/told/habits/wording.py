# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How people word requests and what is theirs: sentences, requests, content words, kinds of knowledge.

General English only: function words, verbs of moving and of arranging, words of habit. No names of things.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from karma_language.vocabulary.terms import STOP_WORDS, words

TEXTS_KEPT = 4096
"""Texts that need not be taken apart again."""

MOVING = frozenset(
    words("move put place bring take carry transfer relocate return deliver shift fetch get grab lay drop stow hand")
)
"""Verbs that take one thing to one place."""
ARRANGING = frozenset(
    words(
        "set arrange organize organise prepare create store ready refresh decorate tidy make lay rearrange recreate "
        "stage assemble sort style"
    )
)
"""Verbs that ask for a whole state of affairs, the places being understood."""
HABIT = frozenset(
    words(
        "prefer prefers preferred like likes love loves enjoy enjoys want usually usual always often typically "
        "normally generally regularly sometimes every habit routine tend tends keep"
    )
)
"""What a person says of what they do again and again."""
_OFTEN = HABIT - frozenset(words("prefer prefers preferred like likes love loves enjoy enjoys want keep tend tends"))
"""How often, whatever else is said."""
USUAL = frozenset(words("usual usually normally typically routine"))
"""What is asked for with these words is a habit, however it is asked for."""
ARRANGEMENT_NOUNS = frozenset(words("setup routine arrangement way habit ritual layout organization organisation"))
"""Nouns that name an arrangement as such; of one of them, "that is my …" tells what was just asked for."""
LINKS = frozenset(words("first then next also after afterwards additionally finally lastly together each side now"))
"""Words between requests and between things, which tell nothing about either."""
POLITE = frozenset(words("please could would can will may help let kindly"))
LIGHT = LINKS | POLITE | MOVING | ARRANGING
"""Words of a request that don't tell one request from another."""

_SENTENCE_END = re.compile(
    r"(?<![\s.](?:oz|no|vs|dr|mr|ms|st|kg|lb)\.)(?<!\s(?:etc|mrs|e\.g|i\.e)\.)(?<=[.?!])\s+(?=[\"'(]?[a-z])"
    r"|(?<=[.?!])\s+(?=[\"'(]?[A-Z])"
)
"""Before a capital always; else not after an abbreviation."""
DECLARATIVE = re.compile(
    r"^(?:(?:In|At|On|During|Before|After|When|While|For) [^,]+, )?"
    r"(?:I|I'm|I've|I'll|I'd|We|We're|It|It's|The|This|That|That's|These|Those|They|They're|My|Our|He|She|There|Both)\b",
    re.IGNORECASE,
)
_I_FIRST = re.compile(r"^(?:[^,]+, )?(?:I|I'm|I've|I'd|We)\b", re.IGNORECASE)
_NAMES_ARRANGEMENT = re.compile(
    r"^(?:This|That|It|That's|It's|This's)(?: is)? (?:my|our|how|the way)\b(?P<rest>.*)$", re.IGNORECASE
)
POINTS_BACK = re.compile(r"^\W*(?:it|this|that|these|those|they)(?:'s|'re)?\b", re.IGNORECASE)
"""A statement whose subject is what was spoken of before."""
_USUALLY = re.compile(rf"^(?:My|Our) (?:{'|'.join(sorted(USUAL))})\b", re.IGNORECASE)
"""A habit that is called by its name: "My usual lunch is …"."""
_HOW = re.compile(r"\b(?:how|the way) (?:I|we)\b")
_CAME_TO_HAVE = re.compile(
    r"^(?:[^,]+, )?(?:I|we)(?:'ve| have)? (?:\w+ly |once )?(?:received|got|bought|inherited|won|made|found|brought|"
    r"picked up|was given|were given|been given|had (?:it|this|these) since)\b",
    re.IGNORECASE,
)
"""How a thing became theirs, which is no habit."""
_LIKES_IT = re.compile(
    r"^(?:I|we) (?:really |just )?(?:love|like|adore|treasure|cherish) (?:it|them|this|these|that|those|the|my)\b"
    r"(?!.*\b(?:to|on|in|at|next|together|near|when|while|for|during|before|after|ready|set|kept|placed)\b)",
    re.IGNORECASE,
)
"""A thing that they like, not where they like it to be."""
MOMENT = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:right |just )?now|at the moment|for once|yet|"
    r"this (?:time|once|morning|noon|afternoon|evening|night|week|weekend|month))\b",
    re.IGNORECASE,
)
"""What is said of the moment, not of what is always so."""
_WISH = re.compile(
    r"\b(?:(?:would|should)|(?<=\w)['’]d)(?: really| rather)? (?:like|love|prefer|enjoy)\b", re.IGNORECASE
)
"""What somebody wants now, in words that could name a habit."""
_TIES = re.compile(r"\b(?:there|here|it|them|this|that|these|those|both)\b", re.IGNORECASE)
"""Points at what was asked for."""
_OCCASION = re.compile(
    r"\b(?:for (?:my|our)|when|whenever|while|before|after|during|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|weekends|in the (?:morning|afternoon|evening)s?|(?:morning|afternoon|evening|night)s"
    r"|at (?:night|noon|\w+ time))\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"^(?:[^,]+, )?(?:I|we)(?:(?:['’]m|['’]re| am| are| was| were)\b"
    r"|(?: have|['’]ve| had| did|['’]d)\b| (?!need\b)\w+ed\b)",
    re.IGNORECASE,
)
"""How somebody is, what they are doing and what they did."""
_USES_IT = re.compile(r"\bus(?:e|es|ing) (?:only |just )?(?:this|these|it|them)\b")


class KnowledgeType(Enum):
    """The two dimensions of personal knowledge (MEMENTO, section 3.2)."""

    OBJECT_SEMANTICS = "object_semantics"
    """What a thing means to a person: theirs, liked, from somebody, part of a group."""
    USER_PATTERN = "user_pattern"
    """What a person does again and again: a routine, an arrangement they like."""


@lru_cache(TEXTS_KEPT)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text, without the space around them."""
    return tuple(part for part in (part.strip() for part in _SENTENCE_END.split(text)) if part)


@lru_cache(TEXTS_KEPT)
def content_words(text: str) -> tuple[str, ...]:
    """Return the words that carry meaning, in lower case, each once; all words where none does."""
    found = words(text)
    kept = tuple(dict.fromkeys(word for word in found if word not in STOP_WORDS and word not in POLITE))
    return kept or tuple(dict.fromkeys(found))


@lru_cache(TEXTS_KEPT)
def request_words(text: str) -> tuple[str, ...]:
    """Return the content words of a request that tell what it is about, not that something is to be done."""
    kept = tuple(word for word in content_words(text) if len(word) > 1 and _base(word) not in LIGHT)
    return kept or content_words(text)


@lru_cache(TEXTS_KEPT)
def told_type(instruction: str) -> KnowledgeType | None:
    """Return which kind of personal knowledge a person tells in an instruction, or None when they tell nothing.

    The last sentence that tells something counts: what a thing looks like comes before what it means.
    """
    for sentence in reversed(sentences(instruction)):
        found = statement_type(sentence)
        if found is not None:
            return found
    return None


def statement_type(sentence: str) -> KnowledgeType | None:
    """Return which kind of personal knowledge a sentence tells; None for a request, or one about no person."""
    if not DECLARATIVE.match(sentence) and not _I_FIRST.match(sentence):
        return None
    if _I_FIRST.match(sentence):
        about_thing = _USES_IT.search(sentence) or _CAME_TO_HAVE.search(sentence) or _LIKES_IT.search(sentence)
        return KnowledgeType.OBJECT_SEMANTICS if about_thing else KnowledgeType.USER_PATTERN
    if named := _NAMES_ARRANGEMENT.match(sentence):
        rest = words(named["rest"])
        if USUAL & set(rest):
            return KnowledgeType.USER_PATTERN
        if (rest and rest[-1] in ARRANGEMENT_NOUNS) or _HOW.search(sentence):
            return KnowledgeType.USER_PATTERN
    return KnowledgeType.USER_PATTERN if _USUALLY.match(sentence) else KnowledgeType.OBJECT_SEMANTICS


def tells_habit(sentence: str) -> bool:
    """Whether a statement that would tell a pattern tells what is so again and again, rather than of the moment.

    It names it ("That is my …"), has a word of habit, or ties what was asked for to an occasion.
    """
    found = set(words(sentence))
    if not _I_FIRST.match(sentence) or found & _OFTEN:
        return True
    if MOMENT.search(sentence):
        return False
    if found & (HABIT - {"want"}) and not _WISH.search(sentence):
        return True
    tied = _TIES.search(sentence) and _OCCASION.search(sentence)
    return bool(tied) and not _PASSING.match(sentence)


@lru_cache(TEXTS_KEPT)
def asked_type(request: str) -> float:
    """Say how a request speaks: 1 of single things and places, -1 of a habit or a whole arrangement, 0 of neither.

    Verbs of moving speak for things, verbs of arranging and words of habit for an arrangement.
    """
    found = [_base(word) for word in words(request)]
    if USUAL & set(found):
        return -1.0
    moves = any(word in MOVING for word in found)
    arranges = any(word in ARRANGING or word in HABIT for word in found)
    return float(moves) - float(arranges)


def _base(verb: str) -> str:
    """Return the base form of a verb of these lists; other words as they are or nearly so."""
    known = MOVING | ARRANGING
    if verb.endswith("ing"):
        for base in (verb[:-3], verb[:-3] + "e", verb[:-4]):
            if base in known:
                return base
    return verb


def has_own_name(alias: str) -> bool:
    """Whether somebody calls something by a name of its own: "my sewing corner"."""
    return alias.lower().startswith(("my ", "our "))
