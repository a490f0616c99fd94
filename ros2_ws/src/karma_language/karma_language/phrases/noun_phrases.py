# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Noun phrases of an English sentence: found, read as things, and taken out of the text.

A phrase is determiners or a possessive, words that describe, and a noun that the vocabulary has. Behind a determiner,
or a word such as "how many", unknown words are a noun, too: what the robot has seen may be called so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from karma_language.phrases.times import NUMBERS
from karma_language.things import Thing
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    DETERMINERS,
    ENDS,
    LIE,
    PARTICLES,
    PEOPLE,
    PERSONS,
    PLACED,
    PLAIN_ADJECTIVES,
    STATES,
    base_form,
    each,
)

Names = Mapping[str, tuple[str, ...]]
"""What things of this home are called besides, in lower case → categories."""

_LONGEST = 5
"""Words of a noun."""
_OWNERS = {"my": "me", "our": "me", "your": "you", "his": "his", "her": "her", "their": "their"}
_MINE = {"mine": "me", "ours": "me", "us": "me", "yours": "you", "his": "his", "hers": "her", "theirs": "their"}
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_POSSESSIVE = re.compile(r"(?P<who>[^\W\d_][\w-]*)'s?")
_BELONGING = re.compile(
    r"(?:(?:that|which) belongs? to|belonging to|owned by) (?P<who>me|us|[A-Z][\w.]*(?: [A-Z][\w.]*)*)"
)
_NOBODY = frozenset(each("it there here let that what who where"))
_PRONOUNS = frozenset(each("it them they this that those these"))
_PLURAL = frozenset(each("them they those these ones"))
_POINTED = re.compile(r"\b(in|on|under|behind) (?:there|here)\b", re.IGNORECASE)
_INSIDE = re.compile(r"\binside(?=\s*(?:[.?!,;]|$))", re.IGNORECASE)
_TOWARDS = frozenset(("in", "to", "from", "the", "of"))
"""Words after which "upstairs" is a noun."""
_ORDINALS = frozenset(("last", "first", "same", "only", "next"))
_COUNTED = frozenset(each("many much there have has had got biggest largest smallest tallest"))
"""Words before an unknown noun without determiner."""
_ASKED = frozenset(("what", "which", "whose"))
"""Words before an unknown noun without determiner, if a verb, "of" or a subject follows it."""
_FLOOR = re.compile(r"(upstairs|downstairs)|(ground|first|second|third|top|upper|lower) (?:floor|storey|level)")


@dataclass(frozen=True)
class Marked:
    """A text in lower case in which each noun phrase is a mark: <0>, <1> and so on."""

    text: str
    things: tuple[Thing, ...]

    def thing(self, mark: str) -> Thing:
        """Return the thing of a mark or its number."""
        return self.things[int(mark.strip("<>"))]


@dataclass(frozen=True)
class _Phrase:
    start: int
    end: int
    thing: Thing
    lead: str = ""
    """The preposition that it implies: "in" of "upstairs"."""


def mark(text: str, lexicon: Lexicon, names: Names | None = None) -> Marked:
    """Find the noun phrases of a text that has no marks of its own."""
    sentence = _Sentence(_INSIDE.sub("in it", _POINTED.sub(r"\1 it", text)), lexicon, names or {})
    phrases: list[_Phrase] = []
    at = 0
    while at < len(sentence.words):
        beside = bool(phrases) and phrases[-1].end == at  # "the mug THAT", "the vases STAND"
        other = beside and (sentence.lower[at] in ("that", "which") or base_form(sentence.lower[at]) in LIE)
        other = other or sentence.asked_what(at)
        phrase = None if other else sentence.phrase(at)
        if phrase is not None:
            phrases.append(phrase)
        at = at + 1 if phrase is None else phrase.end
    parts, last = [], 0
    for number, phrase in enumerate(phrases):
        parts += [sentence.text[last : sentence.words[phrase.start].start()].casefold(), f"{phrase.lead}<{number}>"]
        last = sentence.words[phrase.end - 1].end()
    parts.append(sentence.text[last:].casefold())
    return Marked("".join(parts), tuple(phrase.thing for phrase in phrases))


class _Sentence:
    """The words of a text, and the noun phrases that begin at each of them."""

    def __init__(self, text: str, lexicon: Lexicon, names: Names) -> None:
        self.text = text
        self.words = list(_WORD.finditer(text))
        self.lower = [word[0].casefold() for word in self.words]
        self._lexicon = lexicon
        self._names = names

    def phrase(self, start: int) -> _Phrase | None:
        """Return the noun phrase that begins at a word, None where none does."""
        at, owner, number, other = start, "", 0, False
        if self._word(at) == "got":
            return None
        object_at = at + 1 + (self._word(at + 1) in PARTICLES.split("|"))
        if self._before(at) in PERSONS | {"to"} and self._word(object_at) in DETERMINERS:
            return None  # a verb: "did you water the plants", "to switch off the lamp"
        if self._word(at - 1) in PERSONS and base_form(f"{self._word(at)} {self._word(at + 1)}") in STATES:
            return None  # "which did you switch off"
        while (word := self._word(at)) in DETERMINERS or (at > start and word == "of"):
            owner, other = _OWNERS.get(word, owner), other or word in ("other", "another")
            at += 1
        if at > start and self._word(at) in _ORDINALS:
            at += 1
        if (value := NUMBERS.get(word, 0) or _digits(word)) and word != "one":
            number, at = value, at + 1
        if (part := self._part_of_thing(at)) is not None:
            return _Phrase(start, at + 2, part)
        if (who := self._possessor(at)) is not None:
            owner, at = who, at + 1
        determined = at > start or self._asked_for(at)
        first = at
        if self._word(at) in ("on", "off") and (determined or at == 0) and self._noun(at + 1) is not None:
            at += 1  # "which are THE OFF LAMPS?"
        while at < len(self.words) and at - first <= _LONGEST and (at == first or self._adjoins(at)):
            if (found := self._noun(at)) is not None:
                length, thing = found
                if thing.room and (head := self._noun(at + length)) is not None and self._adjoins(at + length):
                    length, thing = length + head[0], head[1].model_copy(update={"room": thing.room})
                if not (thing.pronoun and at == first and not determined):
                    told = {"attributes": tuple(self.lower[first:at]), "owner": owner, "number": number, "other": other}
                    told["definite"] = self._word(start) == "the"
                    said = self._said(first, at + length)
                    adverb = thing.floor == said.casefold() and self._word(at - 1) not in _TOWARDS
                    lead = "in " if adverb else ""
                    end = at + length
                    if self._word(end) == "of" and (mine := _MINE.get(self._word(end + 1))) is not None:
                        told["owner"], end = mine, end + 2  # "those keys of mine"
                    elif (owned := self._owned_behind(end)) is not None:
                        told["owner"], end = owned
                    return _Phrase(start, end, thing.model_copy(update={"text": said, **told}), lead)
            if self.lower[at] in ENDS | DETERMINERS or not (determined or self._describes(at)):
                break
            at += 1
        while at > first + 1 and base_form(self.lower[at - 1]) in STATES:
            at -= 1
        unknown = at > first and determined and (start < first or base_form(self.lower[first]) == self.lower[first])
        unknown = unknown and base_form(self.lower[first]) not in STATES and self.lower[first] not in BASES
        if unknown and (start < first or not self._asking(start) or self._goes_on(at)):
            told = {"attributes": tuple(self.lower[first : at - 1]), "owner": owner, "number": number}
            thing = Thing(text=self._said(first, at), plural=_plural(self.lower[at - 1]))
            return _Phrase(start, at, thing.model_copy(update=told))
        return self._pronoun(start)

    def _pronoun(self, start: int) -> _Phrase | None:
        if self.lower[start] not in _PRONOUNS:
            return None
        thing = Thing(text=self._said(start, start + 1), pronoun=True, plural=self.lower[start] in _PLURAL)
        return _Phrase(start, start + 1, thing)

    def _word(self, at: int) -> str:
        return self.lower[at] if 0 <= at < len(self.lower) else ""

    def _said(self, first: int, end: int) -> str:
        return self.text[self.words[first].start() : self.words[end - 1].end()]

    def _adjoins(self, at: int) -> bool:
        """Whether nothing but blanks is between a word and the one before it."""
        return not self.text[self.words[at - 1].end() : self.words[at].start()].strip()

    def _describes(self, at: int) -> bool:
        word = self.lower[at]
        return (
            word in self._lexicon.colours or word in PLAIN_ADJECTIVES - STATES.keys() or (word,) in self._lexicon.states
        )

    def _possessor(self, at: int) -> str | None:
        """Return whose what follows is ("Tom" of "Tom's phone"), None where nobody's."""
        match = _POSSESSIVE.fullmatch(self.words[at][0]) if at < len(self.words) else None
        known = match is None or match["who"].casefold() in _NOBODY or self._noun(at) is not None
        return None if match is None or known else match["who"]

    def _part_of_thing(self, at: int) -> Thing | None:
        """Return the thing of which something is asked: the watch of "the watch's location"; None for other words."""
        match = _POSSESSIVE.fullmatch(self.words[at][0]) if at < len(self.words) else None
        noun = self._lexicon.nouns.get((match["who"].casefold(),)) if match is not None else None
        after = self._word(at + 1)
        if noun is None or not after or after in ENDS | DETERMINERS | AUXILIARIES.keys() or base_form(after) in STATES:
            return None
        said = self._said(at, at + 1).partition("'")[0]
        return Thing(text=said, categories=noun.categories, loosely=noun.loosely, plural=noun.plural)

    def _owned_behind(self, at: int) -> tuple[str, int] | None:
        """Return whose a thing is by what follows it, and where that ends: "the mug THAT BELONGS TO TOM"."""
        said = _BELONGING.match(self.text, self.words[at].start()) if at < len(self.words) else None
        if said is None:
            return None
        end = next((at for at, word in enumerate(self.words) if word.start() >= said.end()), len(self.words))
        return _MINE.get(said["who"], said["who"]), end

    def _asking(self, at: int) -> bool:
        return self._word(at - 1) in _ASKED

    def asked_what(self, at: int) -> bool:
        """Whether what a word says is asked of what is at a place: "what STANDS on the shelf"."""
        stands = {base_form(self._word(at)), self._word(at).removesuffix("s")} & LIE  # no "stand"
        return bool(stands) and self._before(at) in ("what", "all", "else") and self._word(at + 1) in PLACED

    def _goes_on(self, at: int) -> bool:
        """Whether what follows shows that the word after "what" or "which" was a noun."""
        word = self._word(at)
        return word == "of" or word in AUXILIARIES or word in DETERMINERS or word in PERSONS

    def _asked_for(self, at: int) -> bool:
        """Whether an unknown word here is a noun by the word before it, but for adverbs: "is there still milk"."""
        return self._before(at) in _COUNTED or self._asking(at)

    def _before(self, at: int) -> str:
        """Return the last word before a word that is no adverb."""
        return next((word for word in reversed(self.lower[:at]) if word not in ADVERBS), "")

    def _noun(self, at: int) -> tuple[int, Thing] | None:
        """Return how many words a noun has, and what it means; the longest one."""
        for length in range(min(_LONGEST, len(self.lower) - at), 0, -1):
            words = tuple(self.lower[at : at + length])
            said = " ".join(words)
            if (named := self._names.get(said)) is not None:
                return length, Thing(text=said, categories=named)
            several = self._lexicon.rooms.get((*words[:-1], words[-1].removesuffix("s")))
            if (room := said if words in self._lexicon.rooms else several) is not None:
                return length, Thing(text=said, room=room)
            if (floor := _FLOOR.fullmatch(said)) is not None:
                return length, Thing(text=said, floor=floor[1] or floor[2])
            if (noun := self._lexicon.nouns.get(words)) is not None:
                exact, loosely = noun.categories, noun.loosely
                return length, Thing(text=said, categories=exact, loosely=loosely, plural=noun.plural)
            if said in PEOPLE:
                return length, Thing(text=said)
            if said in ("one", "ones"):
                return length, Thing(text=said, pronoun=True, plural=said == "ones")
        return None


def _digits(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) < 4 else 0


def _plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith("ss")
