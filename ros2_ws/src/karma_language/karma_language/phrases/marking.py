# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The noun phrases of a sentence, read as things and taken out of its text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from karma_language.phrases.nouns import OWNERS, Names, Phrase
from karma_language.phrases.phrases import Phrases
from karma_language.things import Thing
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.tokens import Token, tokens_of
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    DETERMINERS,
    GENERIC,
    LIE,
    PARTICLES,
    PEOPLE,
    PERSONS,
    PLACED,
    STATES,
    base_form,
    each,
)

_POINTED = re.compile(r"\b(in|on|under|behind) (?:there|here)\b", re.IGNORECASE)
_INSIDE = re.compile(r"\binside(?=\s*(?:[.?!,;]|$))", re.IGNORECASE)
_BELONGING = re.compile(
    r" (?:(?:that|which) belongs? to|belonging to|owned by) (?P<who>me|us|[A-Z][\w.]*(?: [A-Z][\w.]*)*)"
)
"""Whose a thing is, behind it: names are what has capitals."""
_WHICH = frozenset(each("last first same only next"))
"""Words that say nothing of what a thing is like."""
_TOWARDS = frozenset(("in", "to", "from", "the", "of"))
"""Words after which "upstairs" is a noun."""
_DO = frozenset(("do", "does", "did"))
_PRONOUNS = frozenset(each("it them they this that those these"))
_PLURAL = frozenset(each("them they these those"))
_COUNTED = frozenset(each("many much there have has had got biggest largest smallest tallest"))
"""Words before an unknown noun without determiner."""
_ASKED = frozenset(("what", "which", "whose"))
"""Words before an unknown noun without determiner, if a verb, "of" or a subject follows it."""


@dataclass(frozen=True)
class Marked:
    """A text in lower case in which each noun phrase is a mark: <0>, <1> and so on."""

    text: str
    things: tuple[Thing, ...]

    def thing(self, mark: str) -> Thing:
        """Return the thing of a mark or its number."""
        return self.things[int(mark.strip("<>"))]


def mark(text: str, lexicon: Lexicon, names: Names | None = None) -> Marked:
    """Find the noun phrases of a text that has no marks of its own.

    `names`: what things of this home are called besides, in lower case → categories.
    """
    text = _INSIDE.sub("in it", _POINTED.sub(r"\1 it", text))
    tokens = tokens_of(text)
    phrases = Phrases(tokens, lexicon, names or {}, lambda word: False)
    things: list[Thing] = []
    parts, last, at, beside = [], 0, 0, False
    while at < len(tokens):
        phrase = _phrase(phrases, at, beside)
        beside = phrase is not None or (beside and phrases.word(at) == ",")
        if phrase is None:
            at += 1
            continue
        thing, end = _as_said(phrase.thing, text, tokens[at : phrase.end]), tokens[phrase.end - 1].end
        if (owned := _BELONGING.match(text, end)) is not None:
            who = "me" if owned["who"] == "us" else owned["who"]
            thing, end = thing.model_copy(update={"owner": who}), owned.end()
        adverb = thing.floor == thing.text.casefold() != "" and phrases.word(at - 1) not in _TOWARDS
        parts += [text[last : tokens[at].start].casefold(), f"{'in ' if adverb else ''}<{len(things)}>"]
        things.append(thing)
        last, at = (
            end,
            next((later for later in range(phrase.end, len(tokens)) if tokens[later].start >= end), len(tokens)),
        )
    return Marked("".join((*parts, text[last:].casefold())), tuple(things))


def _phrase(phrases: Phrases, at: int, beside: bool) -> Phrase | None:
    """Return the noun phrase that begins at a word, None where none does; `beside`: whether one ends there."""
    word, following, before = phrases.word(at), phrases.word(at + 1), _before(phrases, at)
    if _begins_none(phrases, at, beside):
        return None
    asked, what = before in _COUNTED, phrases.word(at - 1) in _ASKED
    phrase = phrases.read(at, bare=asked or what, after=False)
    if phrase is None or (word in ADVERBS and not phrase.thing.floor):
        return None
    if before in PERSONS | {"to"} and phrase.end > at + 1 and verb_at(phrases.words, at) is not None:
        return None  # "are you able to SLICE bread"
    counted = (asked or what) and phrases.preposition(phrase.end) is not None
    if (counted or before in _DO) and base_form(phrases.word(phrase.end - 1)) in LIE:
        known = phrases.until(phrase.end - 1).read(at, bare=True, after=False)  # "how many VASES stand on …"
        phrase = known if known is not None and known.thing.categories else phrase
    phrase = phrases.owned(phrase)
    thing, determined = phrase.thing, word in DETERMINERS or word.endswith("'s")
    if thing.pronoun:
        return phrase if determined or thing.attributes or word in _PRONOUNS or asked or what else None
    if thing.categories:
        return phrase
    acts = base_form(following) != following or (before in _DO and following in LIE)
    if word in _PRONOUNS and acts and not thing.room:  # "why THAT went wrong", "how many does THAT leave on?"
        return Phrase(Thing(text=word, pronoun=True, plural=word in _PLURAL), at + 1)
    if thing.room or thing.floor or determined:
        verbal = thing.last_word in BASES or (thing.text in GENERIC and not determined)
        return phrase if not verbal else None  # no "all TOLD"
    unknown = asked or (what and _goes_on(phrases, phrase.end))
    return phrase if thing.last_word in PEOPLE or (unknown and base_form(word) == word and word not in STATES) else None


def _begins_none(phrases: Phrases, at: int, beside: bool) -> bool:
    """Whether a word is a verb, a preposition or a conjunction, or asked for, by the words around it."""
    word, following, before = phrases.word(at), phrases.word(at + 1), _before(phrases, at)
    after = at + 1 + (following in PARTICLES.split("|"))
    acts = before in PERSONS | {"to"} and phrases.word(after) in DETERMINERS  # "did you water the plants"
    acts = acts or (phrases.word(at - 1) in PERSONS and base_form(f"{word} {following}") in STATES)  # "switch off"
    acts = acts or word == "got" or (word in BASES and base_form(word) not in STATES)  # "who LEFT mugs dirty"
    joins = beside and (word in ("that", "which") or base_form(word) in LIE)  # "the mug THAT", "the vases STAND"
    joins = joins or (word == "that" and following in DETERMINERS | PERSONS) or (word, following) == ("other", "than")
    stands = {base_form(word), word.removesuffix("s")} & LIE and before in ("what", "all", "else")
    asked = bool(stands) and following in PLACED  # "what STANDS on the shelf"
    return acts or joins or asked or phrases.preposition(at) is not None


def _as_said(thing: Thing, text: str, tokens: Sequence[Token]) -> Thing:
    """Return the thing of a phrase of some words, its text and owner as they are written."""
    words = [*itertools.dropwhile(_WHICH.__contains__, thing.text.split())] or [thing.text]
    written = text[tokens[-min(len(words), len(tokens))].start : tokens[-1].end]
    named = thing.owner not in OWNERS.values()
    owner = next((token.start for token in tokens if named and token.word.removesuffix("'s") == thing.owner), None)
    return thing.model_copy(
        update={
            "text": written if written.casefold() == " ".join(words) else " ".join(words),
            "attributes": tuple(word for word in thing.attributes if word not in _WHICH),
            "owner": thing.owner if owner is None else text[owner : owner + len(thing.owner)],
            "definite": thing.definite and tokens[0].word in DETERMINERS,
        }
    )


def _goes_on(phrases: Phrases, at: int) -> bool:
    """Whether what follows shows that the word after "what" or "which" was a noun."""
    word = phrases.word(at)
    return word == "of" or word in AUXILIARIES or word in DETERMINERS or word in PERSONS


def _before(phrases: Phrases, at: int) -> str:
    """Return the last word before a word that is no adverb."""
    return next((word for word in reversed(phrases.words[:at]) if word not in ADVERBS), "")
