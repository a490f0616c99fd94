# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases of an English sentence: found, read as things, and taken out of the text.

A phrase is a determiner or possessive, words that describe, and a noun that the vocabulary has. Behind a preposition or a
determiner, words that it does not have are a noun, too: what the robot has seen may be called so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from karma_language.reading import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon

_LONGEST = 5
"""Words of a noun."""
_DETERMINERS = frozenset(
    [
        "the",
        "a",
        "an",
        "any",
        "some",
        "all",
        "every",
        "each",
        "this",
        "that",
        "these",
        "those",
        "another",
        "other",
        "both",
        "my",
        "our",
        "your",
        "his",
        "her",
        "their",
        "its",
        "no",
    ]
)
_MINE = {"my": "me", "our": "me", "mine": "me", "your": "you"}
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*", re.UNICODE)
_POSSESSIVE = re.compile(r"(?P<who>.+)['’]s?$")
_ENDS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "am",
        "be",
        "been",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "and",
        "or",
        "but",
        "if",
        "that",
        "which",
        "who",
        "whom",
        "whose",
        "what",
        "where",
        "when",
        "why",
        "how",
        "not",
        "there",
        "here",
        "in",
        "on",
        "at",
        "to",
        "from",
        "of",
        "by",
        "with",
        "under",
        "near",
        "behind",
        "beside",
        "between",
        "into",
        "onto",
        "off",
        "out",
        "up",
        "down",
        "now",
        "today",
        "yesterday",
        "ago",
        "last",
        "still",
        "ever",
        "left",
        "again",
        "anywhere",
    ]
)
"""Words that no noun phrase goes beyond."""
_PRONOUNS = frozenset(("it", "them", "they", "this", "that", "those", "these"))
_POINTED = re.compile(r"\b(in|on|under|behind) (?:there|here)\b", re.IGNORECASE)
_PLACED = {
    "on": Relation.ON,
    "on top of": Relation.ON,
    "upon": Relation.ON,
    "in": Relation.IN,
    "inside": Relation.IN,
    "inside of": Relation.IN,
    "into": Relation.IN,
    "within": Relation.IN,
    "under": Relation.UNDER,
    "underneath": Relation.UNDER,
    "below": Relation.UNDER,
    "beneath": Relation.UNDER,
    "near": Relation.NEAR,
    "next to": Relation.NEAR,
    "beside": Relation.NEAR,
    "by": Relation.NEAR,
    "close to": Relation.NEAR,
    "around": Relation.NEAR,
    "left of": Relation.LEFT_OF,
    "to the left of": Relation.LEFT_OF,
    "right of": Relation.RIGHT_OF,
    "to the right of": Relation.RIGHT_OF,
    "behind": Relation.BEHIND,
    "in front of": Relation.IN_FRONT_OF,
    "at": Relation.NEAR,
}
PREPOSITION = "(?P<relation>" + "|".join(sorted((re.escape(p) for p in _PLACED), key=len, reverse=True)) + ")"


def relation_of(preposition: str) -> Relation:
    """Return what a preposition of place says."""
    return _PLACED[" ".join(preposition.casefold().split())]


@dataclass(frozen=True)
class Marked:
    """A text in lower case in which each noun phrase is a mark, <0>, <1>, …"""

    text: str
    things: tuple[Thing, ...]

    def thing(self, mark: str) -> Thing:
        """Return the thing of a mark."""
        return self.things[int(mark.strip("<>"))]


@dataclass(frozen=True)
class _Phrase:
    start: int
    end: int
    thing: Thing


def mark(text: str, lexicon: Lexicon, names: dict[str, tuple[str, ...]] | None = None) -> Marked:
    """Find the noun phrases. `names`: what things of this home are called besides, in lower case → categories."""
    text = _POINTED.sub(r"\1 it", text)
    words = list(_WORD.finditer(text))
    lower = [word[0].casefold() for word in words]
    phrases: list[_Phrase] = []
    at = 0
    while at < len(words):
        phrase = _phrase(text, words, lower, at, lexicon, names or {})
        if phrase is None:
            at += 1
            continue
        phrases.append(phrase)
        at = phrase.end
    parts, last = [], 0
    for number, phrase in enumerate(phrases):
        parts += [text[last : words[phrase.start].start()].casefold(), f"<{number}>"]
        last = words[phrase.end - 1].end()
    parts.append(text[last:].casefold())
    return Marked("".join(parts), tuple(phrase.thing for phrase in phrases))


def attached(marked: Marked) -> Marked:
    """Return a text in which "<0> in <1>" is one thing that is somewhere, where "in <1>" can't be told from it."""
    pattern = re.compile(rf"(<\d+>) (?:that (?:is|are|was|were) )?{PREPOSITION} (<\d+>)")
    text, things = marked.text, list(marked.things)
    while (match := pattern.search(text)) is not None:
        thing, place = (things[int(mark[1:-1])] for mark in (match[1], match[3]))
        things[int(match[1][1:-1])] = thing.model_copy(
            update={"place": Where(relation=relation_of(match["relation"]), thing=place)}
        )
        text = text[: match.start()] + match[1] + text[match.end() :]
    return Marked(text, tuple(things))


def _phrase(
    text: str,
    words: list[re.Match[str]],
    lower: list[str],
    start: int,
    lexicon: Lexicon,
    names: dict[str, tuple[str, ...]],
) -> _Phrase | None:
    """Return the noun phrase that begins at a word, None where none does."""
    at, owner, described = start, "", []
    determined = False
    while at < len(words) and lower[at] in _DETERMINERS:
        owner = _MINE.get(lower[at], owner)
        if lower[at] in ("his", "her", "their"):
            owner = lower[at]
        determined = True
        at += 1
    if at < len(words) and (match := _POSSESSIVE.fullmatch(words[at][0])) and match["who"].casefold() not in _ENDS:
        if _noun(lower, at, lexicon, names) is None and match["who"].casefold() not in ("it", "there", "here", "let"):
            owner, determined = match["who"], True
            at += 1
    first = at
    while at < len(words) and at - first <= _LONGEST and not _broken(text, words, at, first):
        if (found := _noun(lower, at, lexicon, names)) is not None:
            length, categories, loosely, room, plural = found
            thing = Thing(
                text=text[words[first].start() : words[at + length - 1].end()],
                categories=categories,
                loosely=loosely,
                room=room,
                attributes=tuple(described),
                owner=owner,
                plural=plural,
            )
            return _Phrase(start, at + length, thing)
        if lower[at] in _ENDS or not (determined or _describes(lower[at], lexicon)):
            break
        described.append(lower[at])
        at += 1
    if lower[start] in _PRONOUNS and not described:
        after = lower[start + 1] if start + 1 < len(words) else ""
        one = after in ("one", "ones")
        if lower[start] in ("it", "them", "they") or one or not _broken_by_noun(after):
            said = text[words[start].start() : words[start + one].end()]
            return _Phrase(
                start,
                start + 1 + one,
                Thing(text=said, pronoun=True, plural=lower[start] in ("them", "they", "those", "these")),
            )
        return None
    if determined and described and lower[first] not in _ENDS:
        said = text[words[first].start() : words[at - 1].end()]
        return _Phrase(start, at, Thing(text=said, attributes=tuple(described[:-1]), owner=owner))
    return None


def _broken_by_noun(word: str) -> bool:
    """Whether a word after "this" or "that" goes on with a phrase or a clause of its own."""
    return bool(word) and word not in _ENDS


def _broken(text: str, words: list[re.Match[str]], at: int, first: int) -> bool:
    """Whether anything but blanks is between a word and the one before it."""
    return at > first and text[words[at - 1].end() : words[at].start()].strip() != ""


def _describes(word: str, lexicon: Lexicon) -> bool:
    return word in lexicon.colours or (word,) in lexicon.states


def _noun(
    lower: list[str], at: int, lexicon: Lexicon, names: dict[str, tuple[str, ...]]
) -> tuple[int, tuple[str, ...], tuple[str, ...], str, bool] | None:
    """Return how many words a noun has, its categories, what it may loosely be, its room and whether it is plural; the longest one."""
    for length in range(min(_LONGEST, len(lower) - at), 0, -1):
        phrase = tuple(lower[at : at + length])
        if (named := names.get(" ".join(phrase))) is not None:
            return length, named, (), "", False
        if (room := lexicon.rooms.get(phrase)) is not None:
            return length, (), (), room, False
        if (noun := lexicon.nouns.get(phrase)) is not None:
            return length, noun.categories, noun.loosely, "", noun.plural
    return None
