# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The small parts of a clause: when, until when, for how long, particles, persons, and what asks for nothing."""

from __future__ import annotations

from karma_language.phrases.clause_parts import Clause, Place
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.phrases import Phrases
from karma_language.phrases.set_phrases import FILLERS, FORMULAS, IN_HAND, LATER
from karma_language.phrases.times import NUMBERS
from karma_language.things import Relation, Span, Thing
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.tokens import STOPS
from karma_language.vocabulary.words import ADVERBS, DETERMINERS, STATES, each

_UNITS = {"second": 1.0, "sec": 1.0, "minute": 60.0, "min": 60.0, "hour": 3600.0}
_AMOUNTS = {**NUMBERS, "a": 1, "an": 1, "one": 1, "half": 0.5, "thirty": 30, "fifteen": 15, "twenty": 20}
_RESULTS = frozenset(each("clean spotless empty hot warm cold cool"))
PARTICLES = frozenset(each("on off up away out down over back in open shut closed"))
ME = frozenset(("me", "us"))
HIM_OR_HER = frozenset(("him", "her"))


class Adverbials:
    """Reads the small parts of clauses."""

    def __init__(self, phrases: Phrases, lexicon: Lexicon) -> None:
        self._phrases = phrases
        self._words, self._word, self._rest, self._matched = phrases.words, phrases.word, phrases.rest, phrases.matched
        self._lexicon = lexicon

    def formula(self, clause: Clause, at: int) -> int:
        """Skip words that ask for nothing; "for me" says who gets it."""
        after = max(self._matched(FORMULAS, at), self._matched(IN_HAND, at))
        if after > at:
            if self._rest(at, 2) in ("for me", "for us") and clause.verb.sense in ("bring", "get", "give"):
                clause.person = "me"
            return after
        if self._word(at) in FILLERS and not (self._word(at) == "over" and self._phrases.preposition(at)):
            return at + 1
        return at

    def time(self, clause: Clause, at: int) -> int:
        """Read when, for how long or until when something is done; return the index after it, `at` for none."""
        word = self._word(at)
        begin = at + 1 if word in ("for", "in", "about", "around") else at
        amount = _AMOUNTS.get(self._word(begin)) or (float(self._word(begin)) if self._word(begin).isdecimal() else 0)
        unit_at = begin + 2 if self._rest(begin, 2) == "half an" else begin + 1
        unit = _UNITS.get(self._word(unit_at).removesuffix("s"), 0.0)
        if word != "in" and (begin > at or clause.verb.sense == "wait") and amount and unit:
            clause.seconds = amount * unit
            return unit_at + 1
        if word == "for" and self._rest(at, 3) in ("for a bit", "for a while", "for a moment", "for some time"):
            clause.seconds = 60.0
            return at + 3
        if word == "by" and (until := self._matched(LATER, at + 1)) > at + 1:
            return until  # "I want it cold BY TONIGHT"
        after = self._matched(LATER, at)
        if word == "at" and after == at + 2 and (self._word(at + 1),) in self._lexicon.rooms:
            return at  # "the table AT KITCHEN" is no time
        if after > at:
            clause.at = Span(text=self._rest(at, after - at))
        return after

    def small(self, clause: Clause, at: int) -> int:
        """Read a particle, a person, an adverb, "there"."""
        word, following = self._word(at), self._word(at + 1)
        if word in ME:
            clause.person = "me"
        elif word in HIM_OR_HER and clause.verb.sense in ("give", "bring", "get") and self._handed(at + 1):
            clause.person = word
        elif word in ("here", "there"):
            to_me = word == "here" and self._rest(at + 1, 2) == "to me"
            if to_me or (word == "here" and clause.verb.sense in ("go", "bring", "get")):
                clause.person = "me"
                return at + (3 if to_me else 1)
            if clause.last != "place" or word != "there":
                pointed = Phrase(Thing(text=word, pronoun=True), at + 1)
                clause.places.append(Place(Relation.AT, pointed, moving=True))
        elif word in PARTICLES or (word == "inside" and following not in ("out", "of")):
            if word in ("in", "inside") and clause.themes and clause.verb.sense == "put":
                clause.places.append(Place(Relation.IN, Phrase(Thing(text="it", pronoun=True), at + 1)))
            else:
                clause.particles.append({"shut": "closed"}.get(word, word))
        elif clause.themes and clause.last == "theme" and self._result(clause, at):
            clause.particles.append(STATES[word])
        elif word in FILLERS | ADVERBS or self._goes_without_saying(clause, at):
            pass
        elif word.endswith("ly") and not self._phrases.starts(at):
            clause.aside.append(word)
        elif clause.verb.sense in ("give", "bring") and not clause.themes and self._named_person(at):
            clause.person = word
        else:
            return at
        return at + 1

    def _goes_without_saying(self, clause: Clause, at: int) -> bool:
        """Whether a word adds nothing to its verb: "leave it ALONE", "warm it THROUGH"."""
        if self._word(at) == "alone":
            return clause.verb.base == "leave"
        return self._word(at) == "through" and clause.last == "theme" and self._phrases.read(at + 1) is None

    def _result(self, clause: Clause, at: int) -> bool:
        """Whether the state that things are to get stands here: "wipe the table CLEAN", "make it WARM"."""
        after = self._word(at + 1)
        ends = after in STOPS | FILLERS | {"", ",", "and", "for", "before"} or self._phrases.preposition(at + 1)
        return self._word(at) in _RESULTS and bool(ends) and clause.verb.sense not in ("find", "look", "search")

    def _handed(self, at: int) -> bool:
        """Whether what somebody is to get follows them: "give HIM a plate", "give HER her phone"."""
        return self._word(at - 1) == "him" or determines(self._word(at))

    def _named_person(self, at: int) -> bool:
        """Whether a name stands before what somebody is to get: "bring TOM his phone"."""
        given = self._phrases.read(at + 1, bare=False)
        unknown = self._phrases.read(at, after=False) is None and self._word(at).isalpha()
        return unknown and given is not None and determines(self._word(at + 1))


def determines(word: str) -> bool:
    """Whether a noun phrase begins with a word that is no noun: "the", "two"."""
    return word.isdecimal() or word in NUMBERS or word in DETERMINERS
