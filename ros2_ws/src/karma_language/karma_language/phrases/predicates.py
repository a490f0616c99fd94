# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is said of a noun right behind it: "used to cut bread", "that I used", "is dirty"."""

from __future__ import annotations

from collections.abc import Callable

from karma_language.phrases.nouns import OWNERS, STOP_WORDS, Phrase
from karma_language.phrases.set_phrases import BACK
from karma_language.phrases.text import Text
from karma_language.vocabulary.tokens import STOPS
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import AUXILIARIES, BASES, DETERMINERS, PARTICLES, PERSONS, TELLING, each

_TAIL = frozenset(
    each("used meant designed made suitable needed ideal perfect good useful intended worn to for where whose")
)
_USES = frozenset(each("eat drink write draw sleep sit wear play pay tell wipe dry wake call dig drink"))
RELATIVE = frozenset(each("that which who"))
SUBJECTS = frozenset(each("you i we people someone one"))
_ADVERBS = frozenset(each("not always never usually often just really"))
"""Words before a verb that says something of its subject."""
OBLIGED = frozenset(each("should must shall ought needs goes belongs would has can"))


_ENDING = frozenset(each("then before after while if unless because instead"))
"""Words with which what is said of a noun ends."""


class Predicates:
    """Finds what is said of the nouns of a text."""

    def __init__(self, text: Text, read: Callable[[int, bool], Phrase | None]) -> None:
        """`read`: the noun phrase that begins at a token, without what follows its noun; whether it may be bare."""
        self._text = text
        self._words, self._word = text.words, text.word
        self._read = read

    def tail(self, at: int, loose: bool) -> int:
        """Return the index after what is said of a noun: "used to cut bread", "that I used"; `at` for none."""
        word, following = self._word(at), self._word(at + 1)
        if BACK.match(self._text.rest(at, 6)) or (word == "i" and following in ("mean", "meant")):
            return at
        stays = self._text.rest(at, 3) in ("where it is", "where they are")
        if stays and self._word(at + 3) in STOPS | {"", ",", "and"}:
            return at  # "leave the one in the sink WHERE IT IS"
        relative = (
            word in RELATIVE | {"where", "whose"}
            or (word in SUBJECTS and following not in AUXILIARIES and following.isalpha() and (word != "one" or loose))
            or (word in SUBJECTS and self._word(at - 1) == "whatever")
            or (word in OWNERS and any(self.finite(i) for i in (at + 2, at + 3)))  # "the cup MY SISTER GAVE me"
            or (word in ("i", "we", "you") and following in ("was", "were", "have", "had", "am", "is", "are"))
        )
        verb = verb_at(self._words, at + 1)
        begins = relative or (
            loose
            and (
                (word in _TAIL - {"to", "for"})
                or (word == "to" and (verb is not None or following in _USES) and self._word(at + 1) not in DETERMINERS)
                or (word == "for" and following not in ("me", "us", "it", "him", "her", "a", "the", "my"))
                or (word == "for" and following.endswith("ing"))
                or (
                    word.endswith(("ed", "ing", "worn", "rung"))
                    and word not in STOP_WORDS
                    and following not in STOPS | {"", ","}
                )
                or (word == "with" and self._looks(at + 1))
            )
        )
        if not begins:
            return at
        participle = word.endswith(("ed", "rn", "ing")) or word in _TAIL
        end = at + 1
        while end < len(self._words) and end - at < 14:
            here, then = self._word(end), self._word(end + 1)
            if here in STOPS or here == "," or here in _ENDING:
                break
            if here in AUXILIARIES and not relative:
                break
            if here in OBLIGED and end > at + 1:  # "the thing that rings SHOULD be washed"
                break
            place = self._text.preposition(end)
            if here == "with" and end > at + 1:
                ends = then in STOPS | {"", ",", "and"} or self._text.preposition(end + 1) is not None
                end += ends  # "the thing you cut bread WITH"
                break
            known = self._read(end + 1, False) if here in ("from", "to") else None
            infinitive = here == "to" and verb_at(self._words, end + 1) is not None and then not in DETERMINERS
            named = known is not None and (known.thing.categories or known.thing.room or known.thing.pronoun)
            if place is None and named and not infinitive:
                break
            if place is not None:
                if participle and end == at + 1:  # "worn on the wrist"
                    inner = self._read(place[1], True)
                    end = inner.end if inner is not None else place[1]
                    continue
                if self._word(place[1]) and self._word(place[1]) not in STOPS | {",", "and"}:
                    break
                end = place[1]
                break
            end += 1
        return at if {"not", "never"} & {*self._words[at:end]} else end

    def _looks(self, at: int) -> bool:
        inner = self._read(at, True)
        return inner is not None and not inner.thing.categories

    def says(self, phrase: Phrase) -> bool:
        """Whether something is said of a noun phrase right behind it: "the cup IS dirty", "CUP IN, lights OFF"."""
        ends = self._word(phrase.end + 1) in STOPS | {"", ",", "and", "please"}
        return self.finite(phrase.end) or (
            ends and self._word(phrase.end) in (*PARTICLES.split("|"), "in", "open", "shut")
        )

    def finite(self, at: int) -> bool:
        """Whether a verb stands here that says something of the subject before it."""
        word = self._word(at)
        if (word in AUXILIARIES and self._word(at + 1) not in PERSONS) or word in _ADVERBS:
            return True
        base = self._word(at - 1) in ("i", "we", "they", "who", "people") or word in TELLING
        verbal = word.isalpha() and len(word) > 2 and word not in STOP_WORDS and self._text.preposition(at) is None
        ends = word.endswith(("s", "ed")) or base or BASES.get(word, word) != word
        return verbal and ends and self._read(at, False) is None
