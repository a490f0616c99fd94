# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests in English: what is to be done, on which condition, in which order, and what noun phrases name.

Which words belong together their syntax says (syntax/). A word that has no part in what was read is unread: nothing is
done then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from karma_language.phrases.nouns import MINE, Names
from karma_language.phrases.phrases import Phrases
from karma_language.phrases.set_phrases import CLAUSE_WORDS
from karma_language.reading import Reading
from karma_language.requests.belonging import OF_SOMEBODY, Belonging, belongings, pointed_at
from karma_language.syntax.segments import SEGMENT_WORDS
from karma_language.syntax.sentences import Sentences
from karma_language.things import Thing, Where
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.english import is_verb, lemma
from karma_language.vocabulary.lexicon import Lexicon, household
from karma_language.vocabulary.tokens import tokens_of
from karma_language.vocabulary.verbs import VERBS, verb_at
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    PEOPLE,
    PERSONS,
    QUESTION_WORDS,
    STATES,
    base_form,
    noted,
)

_STRETCHED = re.compile(r"(.)\1{2,}")
_SOUND = re.compile(r"(?:[aou]+[hw]+|m+h*m+|h+m+|e+w+)+")
LONGEST = 2000
"""Characters of an utterance that is read."""


class Grammar:
    """Reads requests."""

    def __init__(self, lexicon: Lexicon, is_word: Callable[[str], bool] = lambda word: False) -> None:
        """`is_word`: whether a word is English, rather than a slip of the pen."""
        self._lexicon = lexicon
        self._is_word = is_word

    def read(self, text: str, names: Names | None = None) -> Reading:
        """Return what an utterance asks for, and what of it is not understood. Never raises.

        `names`: what things of this home are called besides → categories.
        """
        text = text[:LONGEST]
        tokens = tokens_of(text, self._corrected)
        return Sentences(text, tokens, self._lexicon, names or {}, self._is_word).read()

    def thing(self, phrase: str) -> Thing | None:
        """Return what a noun phrase on its own is, None where it is none."""
        tokens = tokens_of(phrase[:LONGEST], self._corrected)
        found = Phrases(tokens, self._lexicon, {}, self._is_word).read(0, bare=True)
        return found.thing if found is not None and found.end == len(tokens) else None

    def belongings(self, told: str) -> list[Belonging]:
        """Return what somebody tells of whose things are, and where they belong, each once."""
        meant, words = noted(told[:LONGEST])
        phrases, before = (
            Phrases(tokens_of(text, self._corrected), self._lexicon, {}, self._is_word) for text in (words, meant)
        )
        spoken_of = pointed_at(before)
        somebody = meant if spoken_of is None else ""
        said: list[Belonging] = []
        for one in belongings(phrases):
            if one.owner in OF_SOMEBODY:  # "hers": of whom was spoken of
                if not somebody:
                    continue
                one = replace(one, owner=somebody)
            elif one.owner != "me":
                somebody = one.owner or somebody
            if one.thing.pronoun and spoken_of is not None:
                one = replace(one, thing=_pointed(one.thing, spoken_of))
            elif not one.thing.pronoun:
                spoken_of = one.thing
            if all((one.thing, one.owner) != (other.thing, other.owner) for other in said if one.owner):
                said.append(one)
        return list(dict.fromkeys(said))

    def named(self, answer: str) -> list[Thing]:
        """Return the things, places and qualities that an answer names, without those that it rules out."""
        tokens = tokens_of(answer[:LONGEST], self._corrected)
        phrases = Phrases(tokens, self._lexicon, {}, self._is_word)
        found: list[Thing] = []
        at, ruled_out = 0, False
        while at < len(tokens):
            preposition = phrases.preposition(at)
            begin = preposition[1] if preposition is not None else at
            phrase = phrases.read(begin, bare=True)
            ruled_out = phrases.word(at) in ("not", "no") or (ruled_out and phrase is not None)
            if phrase is not None and not ruled_out:
                where = Where(relation=preposition[0], thing=phrase.thing) if preposition is not None else None
                found.append(Thing(text="one", pronoun=True, place=where) if where is not None else phrase.thing)
            at = max(phrase.end if phrase is not None else at, at + 1)
        return found

    def _corrected(self, word: str) -> str | None:
        if _SOUND.fullmatch(word) and word not in _known():
            return "oh"
        if len(word) < 4 or word in _known() or word in self._lexicon.words or verb_at((word,), 0) is not None:
            return None
        stems = (lemma(word), base_form(word), word.removesuffix("s"), word.removesuffix("es"))
        if base_form(word) in STATES or word in self._lexicon.colours or any(is_verb(s) or s in VERBS for s in stems):
            return None
        if self._is_word(word) or self._is_word(word.removesuffix("s")):
            return None
        for short in (_STRETCHED.sub(r"\1", word), _STRETCHED.sub(r"\1\1", word)):  # "pleeease", "robooot"
            if short != word and (short in _known() or short in self._lexicon.words or verb_at((short,), 0)):
                return short
        right = self._lexicon.correct(word, frozenset(verb for verb in VERBS if " " not in verb))
        return None if right in VERBS and word.startswith(right) else right


def _pointed(pronoun: Thing, spoken_of: Thing) -> Thing:
    """Return what a pronoun means: "it" what was spoken of, "the black one on the sofa" another such thing."""
    if not pronoun.text.endswith(("one", "ones")):
        return spoken_of if pronoun.place is None else spoken_of.model_copy(update={"place": pronoun.place})
    text = " ".join((*pronoun.attributes, spoken_of.last_word))
    own = {"text": text, "attributes": pronoun.attributes, "place": pronoun.place, "room": pronoun.room}
    return spoken_of.model_copy(update=own)


@cache
def _known() -> frozenset[str]:
    """Return the words of the grammar, which are no slips."""
    people = PERSONS | PEOPLE | MINE.keys()
    return SEGMENT_WORDS | CLAUSE_WORDS | ADVERBS | DETERMINERS | people | QUESTION_WORDS | set(AUXILIARIES)


@cache
def household_grammar() -> Grammar:
    """Return the grammar of the household's vocabulary. It takes a moment to load."""
    return Grammar(household(), described(household()).is_word)
