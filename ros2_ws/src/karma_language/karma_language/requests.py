# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests in English, by one grammar: what is to be done, on which condition, in which order.

An utterance is read from left to right, piece by piece: politeness and what leads from one thing to the next, a verb
with its parts (clauses.py) or a wish without one, and what is told beside it. A word that has no part in any of these
is unread: nothing is done then.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from karma_language.clauses import CORRECTION, FILLERS, MEANT, TAKES_BACK
from karma_language.declarative import verb_base
from karma_language.patterns import (
    BECAUSE,
    FOR_GOOD,
    REPORT,
)
from karma_language.phrases import Phrases
from karma_language.reading import (
    Deed,
    Item,
    Reading,
    Request,
    Social,
    Thing,
    Told,
    Where,
)
from karma_language.syntax import Syntax
from karma_language.tokens import STOPS, tokens_of
from karma_language.utterance import LONGEST, known_words
from karma_language.verbs import VERBS, Verb, verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.wishes import Wishes
from karma_language.words import ADVERBS, GENERIC, STATES, base_form, each


class Grammar:
    """Reads requests."""

    def __init__(
        self, lexicon: Lexicon, is_word: Callable[[str], bool] = lambda word: False, *, parse: bool = True
    ) -> None:
        """`is_word`: whether a word is English, rather than a slip of the pen.

        `parse`: whether what leaves words over is parsed, which takes 15 ms, and 130 MB from the first time on.
        """
        self._lexicon = lexicon
        self._is_word = is_word
        self._syntax = Syntax(lexicon, is_word) if parse else None

    def read(self, text: str, names: dict[str, tuple[str, ...]] | None = None) -> Reading:
        """Return what an utterance asks for, and what of it is not understood. Never raises.

        `names`: what things of this home are called besides → categories.
        """
        text = text[:LONGEST]
        tokens = tokens_of(text, self._corrected)
        phrases = Phrases(tokens, self._lexicon, names or {}, self._is_word)
        reading = _Pieces(text, tokens, self._lexicon, phrases).read()
        told = all(isinstance(item, Told) for item in reading.items)
        sure = not reading.unread and reading.items and (not told or FOR_GOOD.search(text.lower()))
        if sure or self._syntax is None:
            return reading
        parsed = self._syntax.read(text, names, ordered=bool(told and reading.items))
        return parsed if _asks_plainly(parsed) else reading

    def thing(self, phrase: str) -> Thing | None:
        """Return what a noun phrase on its own is, None where it is none."""
        tokens = tokens_of(phrase[:LONGEST], self._corrected)
        found = Phrases(tokens, self._lexicon, {}, self._is_word).read(0, bare=True)
        return found.thing if found is not None and found.end == len(tokens) else None

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
        if len(word) < 4 or word in known_words() or word in self._lexicon.words or verb_at((word,), 0) is not None:
            return None
        if base_form(word) in STATES or word in self._lexicon.colours or self._is_word(word) or verb_base(word):
            return None
        if self._is_word(word.removesuffix("s")):
            return None
        right = self._lexicon.correct(word, frozenset(verb for verb in VERBS if " " not in verb))
        return None if right in VERBS and word.startswith(right) else right


_ALONE = frozenset((Deed.WAIT, Deed.EXPLORE, Deed.GO_TO, Deed.PUT_DOWN))
"""Deeds that need no thing."""


def _asks_plainly(reading: Reading) -> bool:
    """Whether a reading accounts for all words, and asks for nothing but what skills do to things that are named."""
    goals = [goal for item in reading.items if isinstance(item, Request) and not item.never for goal in item.goals]
    done = all(goal.do is not Deed.OTHER and (goal.thing is not None or goal.do in _ALONE) for goal in goals)
    return bool(goals) and done and not reading.unread


_RESTRICTS = frozenset(
    each(
        "not no nor never none only just except but without unless if when while until before after or than instead"
        " with using both all every each neither rather one half more less"
        " hour hours minute minutes second seconds today tonight tomorrow later soon morning evening noon afternoon"
        " almost nearly dont stop wait other"
    )
)
"""Words that say which, when, how or whether: what they stand in is no mere remark."""


class _Pieces(Wishes):
    """Reads an utterance piece by piece."""

    def read(self) -> Reading:
        """Read it."""
        at = 0
        while at < len(self._words):
            number = self._words[at].isdecimal() and len(self._words[at]) < 3  # and no year
            numbered = number and self._word(at + 1) in (".", ")")
            if self._words[at] in STOPS or numbered:
                colon = self._words[at] == ":"
                if not colon:
                    self._end_sentence(at)
                at += 2 if numbered else 1
                self._opened = at
                self._began = self._began if colon else at
            elif self._words[at] in (",", '"', "'", "“", "”", "-", "*"):
                at += 1
            else:
                at = max(self._piece(at), at + 1)
        self._end_sentence(len(self._words))
        if self._goals:
            self._apart()
        elif self._withdrawn:
            self._others, self._unread = [Social(quote=self._text, kind="agreement")], []
        items: list[Item] = [*self._others]
        if self._never:
            items.append(Request(quote=self._text, goals=tuple(self._never), never=True))
        if self._goals:
            items.append(Request(quote=self._text, goals=tuple(self._goals)))
        if not (self._goals or self._never) and any(self._imperative(at) for at, _ in self._unread):
            items = [item for item in items if not isinstance(item, Told)]  # what else it asks for is not known
        spelled = tuple((token.said, token.word) for token in self._tokens if token.said)
        return Reading(reader="rules", items=tuple(items), unread=self._left(), spelled=spelled)

    def _end_sentence(self, at: int) -> None:
        self._goals += self._later
        self._later = []
        lost, forbidden, told = self._read_before
        new = len(self._unread) > lost or len(self._never) > forbidden
        silent = len(self._goals) == self._sentence and self._condition is None and len(self._others) == told
        if self._began < at and (new or silent) and not (at < len(self._words) and self._asked(at)):
            self._tell_clauses(self._began, at, whole=silent and not new)
            if len(self._never) > forbidden and len(self._goals) == self._sentence:
                self._forbid(self._began, at)
        self._read_before = len(self._unread), len(self._never), len(self._others)
        if len(self._goals) > self._sentence:
            self._condition = None
        self._sentence = len(self._goals)

    def _tell_clauses(self, begin: int, end: int, *, whole: bool) -> None:
        """Keep the clauses that state something as what is told: no word of theirs asks for anything.

        `whole`: only where all of the sentence does.
        """
        parts = {part: self._declarative.declares(*part) for part in self._parts(begin, end)}
        lost = {at for at, _ in self._unread if begin <= at < end}
        beside = [range(*part) for part, told in parts.items() if not told and (whole or lost & {*range(*part)})]
        requested = len(self._goals) > self._sentence
        if beside and (requested or any(map(self._names_thing, chain(*beside)))):
            return  # "the bread as well, it's warm here"
        if not requested and any(parts.values()):
            self._unread = [one for one in self._unread if one[0] not in lost]
        for first, last in (part for part, told in parts.items() if told):
            said = self._quote(first, last)
            self._unread = [one for one in self._unread if not first <= one[0] < last]
            self._goals[self._sentence :] = [one for one in self._goals[self._sentence :] if one.quote not in said]
            self._never = [one for one in self._never if one.quote not in said]
            self._others = [one for one in self._others if not isinstance(one, Told) or one.quote not in said]
            self._tell(first, last)

    def _names_thing(self, at: int) -> bool:
        found = self._phrases.read(at, bare=True)
        return found is not None and bool(found.thing.categories or found.thing.text.split()[0] in GENERIC)

    def _parts(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Part a sentence where a request begins, or where something is told behind one."""
        parts, first = [], begin
        for at in range(begin + 1, end):
            after = at + (self._words[at] in (",", "-", ":"))
            after += self._word(after) in ("so", "and", "but", "then")
            if after == at or not first < at:
                continue
            told = self._declarative.declares(first, at)
            if self._begins(after) if told else self._declarative.declares(after, end):
                parts.append((first, at))
                first = after
        return [*parts, (first, end)]

    def _forbid(self, begin: int, end: int) -> None:
        """Keep what is forbidden for good, which says when, why or to whom, as what is told."""
        forbidden = self._read_before[1]
        why = any(isinstance(one, Told) for one in self._others[self._read_before[2] :])
        if why or FOR_GOOD.search(" ".join(self._words[begin:end])):
            things = tuple(one.thing for one in self._never[forbidden:] if one.thing is not None)
            self._others[self._read_before[2] :] = [Told(quote=self._quote(begin, end), about=things)]

    def _imperative(self, at: int) -> bool:
        """Whether a sentence, or what follows a comma, begins here as a request does."""
        before = self._word(at - 1) if at else ""
        return (at == 0 or before in STOPS | {",", "and", "then"}) and (
            self._word(at) == "do" or verb_base(self._word(at)) == self._word(at)
        )

    def _idle(self, at: int, end: int) -> bool:
        """Whether words stand apart and restrict nothing: who is spoken to, how one feels, what somebody remarks."""
        words = self._words[at:end]
        known = any(
            found.thing.categories or found.thing.room or found.thing.pronoun or found.thing.number
            for found in (self._phrases.read(i, after=False) for i in range(at, end))
            if found is not None
        )
        acts = any(verb_at(self._words, i) for i in range(at, end))
        states = any(base_form(word) in STATES or word in self._lexicon.colours for word in words if word != "done")
        return not (known or acts or states or _RESTRICTS & set(words))

    def _apart(self) -> None:
        """Take words for a remark that fill the room between two pauses and were not read."""
        lost = {at for at, _ in self._unread}
        begin = 0
        while begin < len(self._words):
            end = begin
            while end < len(self._words) and self._words[end] not in STOPS | {","}:
                end += 1
            unread = [at in lost for at in range(begin, end)]
            small = [self._words[at] in FILLERS | ADVERBS for at in range(begin, end)]
            if any(unread) and all(map(max, unread, small)) and self._idle(begin, end):
                if end > begin + 2:
                    self._others.append(Told(quote=self._quote(begin, end)))
                self._unread = [(at, word) for at, word in self._unread if not begin <= at < end]
            begin = end + 1

    def _left(self) -> tuple[str, ...]:
        """Return the words that nothing rests on, neighbours together."""
        found: list[str] = []
        last = -2
        for at, word in self._unread:
            if at == last + 1:
                found[-1] += f" {word}"
            else:
                found.append(word)
            last = at
        return tuple(found)

    def _piece(self, at: int) -> int:
        """Read what begins at a token; return the index after it."""
        if self._goals and self._clauses.matched(BECAUSE, at) > at:
            end = self._skip(at)
            self._others.append(Told(quote=self._quote(at, end)))
            return end
        if (after := self._helped(at)) > at:
            return after
        pause = at == self._opened or self._word(at - 1) in (",", "-")
        if pause and (after := self._corrects(at)) > at:
            return after
        begin, at, gerund = at, *self._led(at)
        if at >= len(self._words) or self._words[at] in STOPS:
            return at
        readers = (
            self._question, self._reported, self._made, self._conditional, self._prohibition,
            self._sure, self._wish, self._ordered, self._stated, self._remark, self._verbless,
        )  # fmt: skip
        for first in (self._noted, self._need, self._none, self._sure, self._made, self._fronting, self._suffices):
            if (after := first(at)) > at:
                return after
        means = verb_at(self._words, at + 1) if self._word(at) == "by" and self._last is not None else None
        if means is not None and means.form == "ing" and means.sense:
            self._revoke()  # "help me tidy up BY PUTTING the cups away"
            return self._request(means, at + 1)
        if self._word(begin - 1) in (",", "and") and (after := self._with_result(at)) > at:
            return after
        if self._clauses.matched(REPORT, at) > at and (after := self._reported(at)) > at:
            return after
        if (verb := self._verb(at, gerund)) is not None:
            purpose = self._clauses.read(verb, at) if self._word(at - 1) == "to" and self._goals else None
            if purpose is not None and purpose.themes and not self._known(purpose):
                return purpose.end  # "to illuminate the room"
            return self._request(verb, at)
        gerund_only = self._word(at).endswith("ing") and self._word(begin - 1) == "," and self._goals
        acts = verb_at(self._words, at)
        if gerund_only and (acts is None or not acts.sense):
            return self._skip(at)  # "…, making the room nicer"
        aside = acts if self._word(begin - 1) == "," and self._goals else None
        if aside is not None and aside.form == "ing" and aside.sense:  # "…, RETRIEVING a knife to slice it"
            return self._take_in(self._clauses.read(aside, at), at, first=aside.sense == "get")
        for read in readers:
            if (after := read(at)) > at:
                return after
        if (verb := self._strange(at)) is not None:
            return self._request(verb, at)
        if begin < at and self._words[at] in (",",):
            return at
        if (after := self._told(at)) > at:
            return after
        return self._lose(at)

    def _lose(self, at: int) -> int:
        word = self._words[at]
        apart = self._begins(at + 1) or self._word(at + 1) == ","
        verb = verb_at(self._words, at + 1)
        name = verb is not None and verb.base in ("put", "set", "cut", "shut") and self._quote(at, at + 1).istitle()
        if at == self._opened and apart and not name and self._idle(at, at + 1):  # "JOHN put it there" tells
            return at + 1  # "UMM take the keys", "SWEETIE, …"
        said = word.isalnum() or "'" in word or "-" in word
        if said and word not in ADVERBS | FILLERS | {"is", "there"}:
            self._unread.append((at, word))
        return at + 1

    def _corrects(self, at: int) -> int:
        """Read a correction of what was said before: "no wait, the cup", "you know what, just close it"."""
        begin = after = self._clauses.matched(CORRECTION, at)
        said = self._clauses.rest(at, after - at)
        if after == at:
            found, after = self._phrases.list(at, bare=False)
            end = self._clauses.matched(MEANT, after) if found and self._last is not None and self._goals else after
            return self._instead(at, end) if end > after else at  # "the counter I MEAN"
        if self._last is None or not self._goals:
            return after if any(word not in STOPS for word in self._words[after:]) else at
        while self._word(after) in (",", "leave", "not"):
            spared = self._phrases.read(after + 1) if self._word(after) != "," else None
            if self._word(after) != "," and (spared is None or self._word(spared.end) not in (",", *STOPS)):
                break
            after = spared.end if spared is not None else after + 1
        if self._word(after) in STOPS | {""}:
            self._unread += [(i, self._words[i]) for i in range(at, after)]
            return after
        if not self._begins(after):
            return after if self._predicated(after) else max(self._instead(after, begin), after)
        if self._word(after) in ("and", "also", "then"):
            return after
        first = self._verb(self._led(after)[0], gerund=False)
        strong = TAKES_BACK.match(said) is not None
        if not strong and first is not None and not _alike(first, self._last.verb):
            return at
        about = tuple(one.thing for one in self._last.themes)
        whole = self._word(after) in ("just", "only") or first is None
        last = len(self._goals) if whole else len(self._frames.goals(self._last, ""))
        self._unread = [one for one in self._unread if not whole and one[0] < self._last.start]
        del self._goals[len(self._goals) - last :]
        self._withdrawn = True
        self._others.append(Told(quote=self._quote(self._last.start, at), about=about))
        return after


_MOVES = frozenset(("put", "bring", "take", "get", "give", "discard", "throw", "tidy", "return"))


def _alike(verb: Verb, other: Verb) -> bool:
    """Whether one deed may take the place of the other."""
    return verb.sense == other.sense or {verb.sense, other.sense} <= _MOVES
