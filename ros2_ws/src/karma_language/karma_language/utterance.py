# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An utterance while it is read: its words, what leads from one thing to the next, and the goals so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from karma_language.clauses import CORRECTION, FILLERS, FORMULAS, Clauses
from karma_language.declarative import Declaratives
from karma_language.frames import Clause, Frames, Place
from karma_language.patterns import (
    BACKGROUND,
    BE,
    CAUSES,
    ELSE,
    GERUND,
    IF,
    LEADS,
    NOT,
    SURE,
    TELLING,
    TO_BE,
    WANT,
)
from karma_language.phrases import Phrase, Phrases
from karma_language.reading import (
    Condition,
    Goal,
    Item,
    Kind,
    Question,
    Relation,
    Thing,
    Told,
    Where,
)
from karma_language.tokens import STOPS, Token
from karma_language.verbs import Verb, verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import ADVERBS, AUXILIARIES, DETERMINERS, PERSONS, QUESTION_WORDS, STATES, base_form

LONGEST = 2000
"""Characters of an utterance that is read."""
_CLOSED: set[str] = set()
_DAYS = frozenset(("today", "tomorrow", "tonight", "yesterday", "later", "soon"))


class Utterance:
    """An utterance that is being read: its words, and what was read of it so far."""

    def __init__(self, text: str, tokens: Sequence[Token], lexicon: Lexicon, phrases: Phrases) -> None:
        self._text = text
        self._tokens = tokens
        self._lexicon = lexicon
        self._phrases = phrases
        self._clauses = Clauses(tokens, self._phrases, lexicon)
        self._frames = Frames(lexicon)
        self._goals: list[Goal] = []
        self._never: list[Goal] = []
        self._others: list[Item] = []
        self._unread: list[tuple[int, str]] = []
        self._sentence = 0
        """How many goals there were when the sentence began."""
        self._fronted: Place | None = None
        self._source: Place | None = None
        """Said before the verb, too: "FROM THE SHELF, take the vase"."""
        self._waiting: Clause | None = None
        """A verb whose object comes with the next one: "WASH and slice the apple"."""
        self._opened = 0
        """Index of the first token of the sentence, or behind its colon."""
        self._began = 0
        """Index of the first token of the sentence."""
        self._read_before = (0, 0, 0)
        """Words unread, prohibitions, and what else was read, when the sentence began."""
        self._condition: Condition | None = None
        self._last: Clause | None = None
        self._topic: list[Phrase] = []
        """What was named before the request that is about it: "LAPTOP please close"."""
        self._withdrawn = False
        """Whether something that was asked for was taken back."""
        self._using: Thing | None = None
        self._later: list[Goal] = []
        """Goals of a clause that began with "before"."""

    @cached_property
    def _words(self) -> list[str]:
        return self._phrases.words

    @cached_property
    def _declarative(self) -> Declaratives:
        capitals = [self._text[token.start : token.start + 1].isupper() for token in self._tokens]
        return Declaratives(self._words, capitals, self._lexicon)

    def _word(self, at: int) -> str:
        return self._phrases.word(at)

    def _quote(self, start: int, end: int) -> str:
        tokens = self._tokens[start : max(end, start + 1)]
        return self._text[tokens[0].start : tokens[-1].end] if tokens else ""

    def _led(self, at: int) -> tuple[int, bool]:
        """Skip politeness and what leads on; return whether a gerund may follow."""
        gerund = at == self._opened or (self._word(at - 1) == "," and len(self._goals) == self._sentence)
        while True:
            after = self._clauses.matched(LEADS, at)
            if after > at:
                said = self._clauses.rest(at, after - at)
                if said.split()[-1] in ("to", "do") and verb_at(self._words, after) is None:
                    return after - 1, gerund  # "then TO THE BED"
                wished = said.split()[0] in ("i", "we", "can", "could") and self._clauses.matched(WANT, at) > at
                if wished and verb_at(self._words, after) is None and self._word(after) != "you":
                    return at, gerund
                gerund = gerund or GERUND.search(said) is not None
                at = after
            elif (
                self._word(at) in (",", "-")
                or (self._word(at).endswith("ly") and (self._clauses.verb(at + 1) or self._word(at + 1) == ","))
                or (self._word(at) == "you" and self._clauses.verb(at + 1) is not None)
            ):
                at += 1
            else:
                return at, gerund

    def _verb(self, at: int, gerund: bool) -> Verb | None:
        forms = ("base", "ing") if gerund else ("base",)
        verb = self._clauses.verb(at, forms)
        if verb is not None and verb.form == "ing" and self._word(at + 1) in BE:
            return None
        return verb

    def _strange(self, at: int) -> Verb | None:
        """Return a word that the sentence shows to be a verb which no skill does: "POLISH the table"."""
        word, following = self._word(at), self._word(at + 1)
        plain = word.isalpha() and word not in known_words() | _DAYS and not word.endswith(("ing", "ly"))
        finite = at > self._opened and word.endswith("s") and not word.endswith("ss")  # "Tom TAKES his tea"
        if (
            finite
            or word in TELLING
            or not plain
            or self._phrases.read(at, after=False) is not None
            or following in STOPS | {","}
        ):
            return None
        if self._phrases.read(at + 1, after=False) is None and following not in ("me", "us"):
            return None
        determined = following in DETERMINERS | {"me", "us", "it", "them"} or following in ("up", "out")
        return Verb(word, "", "base", 1) if determined else None

    def _begins(self, at: int) -> bool:
        """Whether a request begins here."""
        at, gerund = self._led(at)
        if self._verb(at, gerund) is not None or self._strange(at) is not None:
            return True
        if self._clauses.matched(NOT, at) > at or self._clauses.matched(WANT, at) > at:
            return True
        found, end = self._phrases.list(at, bare=False)  # "…, TOWEL PLEASE"
        asked = self._word(end) == "please" and self._word(end + 1) in STOPS | {""}
        return bool(found) and (asked or self._results(found, end))

    def _results(self, found: list[Phrase], at: int) -> bool:
        """Whether things are named with the state that they are to have: "the fridge SHUT", "candle LIT, please"."""
        word, following = self._word(at), self._word(at + 1)
        state = STATES.get(base_form(word), "")
        asked = word in ("on", "off", "open", "shut") or (base_form(word) != word and state not in ("broken", "dirty"))
        ends = (
            self._clauses.matched(FORMULAS, at + 1) > at + 1
            or following in STOPS | ADVERBS | FILLERS | {"", ",", "and"}
            or self._phrases.preposition(at + 1) is not None
        )
        return bool(found) and state in CAUSES and asked and ends and all(one.thing.categories for one in found)

    def _skip(self, at: int) -> int:
        """Return the index after a part of a sentence that tells something."""
        end = at
        while end < len(self._words) and self._words[end] not in STOPS:
            if end > at and self._words[end] in (",", "-"):
                after = end + 1 + (self._word(end + 1) in ("so", "and", "but"))
                limited = self._goals and self._clauses.matched(IF, after) > after
                if self._begins(after) or self._correcting(after) or limited:
                    break
            end += 1
        return end

    def _correcting(self, at: int) -> bool:
        return self._clauses.matched(CORRECTION, at) > at

    def _tell(self, at: int, end: int) -> None:
        """Note what is told, and of what."""
        about: tuple[Thing, ...] = ()
        behind = bool(self._goals) and self._word(end) in STOPS | {""}
        for begin in range(at, at if behind else end):
            if self._word(begin - 1) in ("not", "to", "can", "could", "will", "would") and verb_at(self._words, begin):
                continue
            found, after = self._phrases.list(begin, bare=False)
            if found and found[0].thing.text in ("one", "ones"):
                break  # "there should be ONE in the cupboard": of what was spoken of
            if found and not found[0].thing.pronoun:
                about = tuple(one.thing for one in found)
                place = next((i for i in range(after, end) if self._phrases.preposition(i)), end)
                inner = self._phrases.read(self._phrases.preposition(place)[1]) if place < end else None  # type: ignore[index]
                if len(about) == 1 and inner is not None and about[0].place is None:
                    where = Where(relation=self._phrases.preposition(place)[0], thing=inner.thing)  # type: ignore[index]
                    about = (about[0].model_copy(update={"place": where}),)
                break
        if self._asked(end):
            self._others.append(Question(quote=self._quote(at, end), kind=Kind.TOLD, thing=about[0] if about else None))
        else:
            self._others.append(Told(quote=self._quote(at, end), about=about))

    def _asked(self, at: int) -> bool:
        """Whether the sentence that goes on at a token is a question, which "…, ok?" is not."""
        stop = self._stop(at)
        return self._words[stop] == "?" and self._word(stop - 1) not in ("ok", "okay", "alright", "understood")

    def _stop(self, at: int) -> int:
        """Return the index of what ends the sentence, of its last word where nothing does."""
        while at < len(self._words) - 1 and self._words[at] not in STOPS:
            at += 1
        return min(at, len(self._words) - 1)

    def _placed(self, phrase: Phrase) -> tuple[Thing, int]:
        """Return a thing with the place that follows it, and the index after that."""
        preposition = self._phrases.preposition(phrase.end)
        if preposition is None and self._word(phrase.end) == "from":
            preposition = Relation.AT, phrase.end + 1
        inner = self._phrases.read(preposition[1], bare=False) if preposition is not None else None
        if preposition is None or inner is None or phrase.thing.place is not None:
            return phrase.thing, phrase.end
        place = Where(relation=preposition[0], thing=inner.thing)
        return phrase.thing.model_copy(update={"place": place}), inner.end

    def _add(self, goals: Sequence[Goal], condition: Condition | None = None, *, first: bool = False) -> None:
        condition = condition or self._condition
        if condition is not None:
            goals = [goal.model_copy(update={"condition": at_its_place(condition, goal)}) for goal in goals]
        if first and self._last is not None and self._goals:
            self._goals[-1:-1] = goals
        else:
            self._goals += goals


def at_its_place(condition: Condition, goal: Goal) -> Condition:
    """Return a condition in which "there" is where the goal puts things."""
    place = condition.thing.place
    if place is None or place.thing.text not in ("there", "here") or goal.to is None:
        return condition
    thing = condition.thing
    if thing.pronoun and goal.thing is not None:
        thing = goal.thing
    return condition.model_copy(update={"thing": thing.model_copy(update={"place": goal.to})})


def known_words() -> set[str]:
    """Return the words of the grammar, which are no slips."""
    if not _CLOSED:
        patterns = (LEADS, IF, ELSE, NOT, BACKGROUND, WANT, SURE, TO_BE, CORRECTION)
        _CLOSED.update(word for pattern in patterns for word in re.findall(r"[a-z]+", pattern.pattern))
        _CLOSED.update(FILLERS, ADVERBS, AUXILIARIES, DETERMINERS, PERSONS, QUESTION_WORDS)
    return _CLOSED
