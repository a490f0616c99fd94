# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An utterance by its syntax: what each of its clauses is for, and what they come to together."""

from __future__ import annotations

import re

from karma_language.parser import NO
from karma_language.phrases.needs import read_need
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.set_phrases import BACK, FORMULAS
from karma_language.reading import Deed, Goal, Item, Need, Reading, Request, Told
from karma_language.syntax.imperatives import Imperatives
from karma_language.syntax.segments import IF, JOINS, REASONS, TIMES, Segment
from karma_language.syntax.utterance import CLOSED, LEADING_PARTICLES
from karma_language.things import Thing
from karma_language.vocabulary.tokens import STOPS
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import ADVERBS, AUXILIARIES, PERSONS, QUESTION_WORDS

_NOTE = re.compile(
    r"(?:when(?:ever)? (?:i|we) say\b|by [^,.]{1,40} (?:i|we) mean|for the future|from (?:now"
    r"|today) on|remember|note|(?:do )?(?:keep|bear)(?: it| that| this)? in mind|do not forget"
    r"|remind (?:me|us) (?:to|that|about|when|on|at|in|tomorrow)|fyi|for your information)\b"
    r"(?! to (?:put|turn|close|bring|switch)\b)"
)
_LASTING = re.compile(
    r"\W*(?:(?:every|each) (?:single )?time\b|whenever (?!you\b|possible\b|convenient\b))"
    r"|\W*(?:i|we) (?!(?:want|need|would like|expect|ask) you\b)[^?]*\b(?:every|each) [a-z]+"
    r"|\W*any(?:thing|one) (?:but|except)\b"
    r"|\W*(?:got|had|saw|met|bought|lost|broke) (?:a|an|the|my|our|some|new)\b[^?]*$"
    r"|(?!\W*mine\b)[^?]*\bfor (?:the )?(?:next time|future)\W*$"
    r"|\W*(?:(?:you (?:may|can|should)|just|please|everyone|everybody|people|and|but)\b\W*)*calls? me"
    r" (?!later\b|back\b|again\b|now\b|tomorrow\b|tonight\b)[^\W\d_]+\W*$",
    re.IGNORECASE,
)
"""What holds from now on, or again and again, and asks for nothing now."""
_FOR_GOOD = re.compile(
    r"\b(?:ever|never|any ?more|again|without|unless|until|before|after|when|while|let|always"
    r"|any(?:thing|one|body))\b"
)
"""What shows that something is forbidden for more than the moment."""

_ASKS = frozenset(("let", "do", "help", "make", "have", "get", "go"))
_AGREES = frozenset(("yes", "yeah", "sure", "ok", "okay"))


class Sentences(Imperatives):
    """Reads the sentences of an utterance."""

    def read(self) -> Reading:
        """Read it."""
        begin = 0
        for at, word in enumerate([*self._words, "."]):
            item = word.isdecimal() and len(word) < 3 and self._word(at + 1) in (".", ")")
            numbered = item and self._segments.verb(at + 2) is not None  # "1. wash the cup"
            if (word in STOPS or numbered) and at >= begin:
                begin = 1 + (self._explained(begin, at) if begin < at else at)
        if len({goal.do is Deed.SAME for goal in self._goals}) > 1:
            self._unread |= {i for i in range(len(self._words)) if not self._small(i)}  # the same, but otherwise
        if not self._goals:
            self._lost += [(*one, False) for one in self._waiting]
            quotes = {self._quote(*one) for one in self._waiting}
            self._others = [item for item in self._others if not isinstance(item, Told) or item.quote not in quotes]
        for begin, end, _ in self._lost:
            acts = any(goal.do is not Deed.OTHER for goal in self._goals)
            if not (acts and self._apart(begin, end) and self._idle(begin, end)):
                self._unread |= {i for i in range(begin, end) if not self._small(i)}
        items: list[Item] = [*self._others]
        if self._unread and not self._goals and any(map(self._asks, self._lost)):
            items = [item for item in items if not isinstance(item, Told)]  # what else it asks for is not known
        if self._never:
            items.append(Request(quote=self._text, goals=tuple(self._never), never=True))
        if self._goals:
            items.append(Request(quote=self._text, goals=tuple(self._goals)))
        spelled = tuple((token.said, token.word) for token in self._tokens if token.said)
        return Reading(reader="rules", items=tuple(items), unread=self._left(), spelled=spelled)

    def _asks(self, lost: tuple[int, int, bool]) -> bool:
        """Whether words that were not read may ask for something: they name a thing, or begin as requests do."""
        begin, end, beside = lost
        first = self._word(self._segments.leads(begin, end))
        return not beside and (first in _ASKS or any(map(self._names_thing, range(begin, end))))

    def _heading(self, begin: int, end: int) -> bool:
        """Whether what was read only says what the words behind a colon are about: "make a coffee: put the mug …"."""
        new = self._goals[self._sentence :]
        idle = all(goal.do in (Deed.OTHER, Deed.FILL) or goal.thing is None or goal.person for goal in new)
        lost = [one for one in self._lost if begin <= one[0] < end]
        named = any(
            one.thing.categories
            for first, last, _ in lost
            for i in range(first, last)
            if (one := self._phrases.read(i, after=False)) is not None
        )
        trails = bool(lost) and lost[0][0] > self._segments.leads(begin, end)  # "wash the mug, then one more thing: …"
        if not (new or lost) or not (idle or trails) or named or self._condition is not None:
            return False
        self._lost = [one for one in self._lost if one not in lost]
        if trails:
            return True
        del self._goals[self._sentence :]
        self._tell(begin, end)
        return True

    def _explained(self, begin: int, end: int) -> int:
        """Read a sentence, and what a colon joins to it; return the index of what ends it."""
        goals, told = len(self._goals), len(self._others)
        self._read_sentence(begin, end)
        if self._word(end) != ":" or self._heading(begin, end) or self._waiting or len(self._goals) > goals:
            return end
        requests = self._segments.verb(self._segments.leads(end + 1, len(self._words))) is not None
        if requests or len(self._others) == told or not isinstance(self._others[-1], Told):
            return end
        after = (i for i in range(end + 1, len(self._words)) if self._words[i] in STOPS)
        last = next(after, len(self._words))
        self._others[-1] = Told(quote=self._quote(begin, last))
        return last

    def _left(self) -> tuple[str, ...]:
        found: list[str] = []
        last = -2
        for at in sorted(self._unread):
            if at == last + 1:
                found[-1] += f" {self._words[at]}"
            else:
                found.append(self._words[at])
            last = at
        return tuple(found)

    def _read_sentence(self, begin: int, end: int) -> None:
        if begin == 0 and self._word(0) == "cool" and self._word(1) in STOPS | {","}:
            begin = min(2, end)  # "COOL, put the remote away"
        self._when = None
        self._topic = [one for one in self._topic if not one.thing.pronoun]
        if begin == 0 or self._words[begin - 1] != ":" or self._goals:
            self._condition = None
        self._sentence, self._later, self._wishing = len(self._goals), [], False
        self._asked = self._word(end) == "?"
        before, asked = (len(self._goals), len(self._never), len(self._others)), [*self._goals]
        noted = self._phrases.matched(_NOTE, self._segments.leads(begin, end)) > self._segments.leads(begin, end)
        if noted or _LASTING.match(self._quote(begin, min(end + 1, len(self._words)))):
            self._others.append(Told(quote=self._quote(begin, end)))
            return
        for segment in self._segments.sentence(begin, end):
            self._stop = end
            self._segment(segment)
        self._goals += self._later
        if self._goals == asked != [] and not self._asked:
            self._spoken = self._told_of(begin, end)
        self._end_sentence(begin, end, *before)

    def _told_of(self, begin: int, end: int) -> Phrase | None:
        """Return the thing to carry that a sentence names first, None for a sentence that names none."""
        for at in range(begin, end):
            one = self._phrases.read(at, bare=False, after=False)
            if one is not None and one.thing.text in ("it", "one", "ones"):
                return None  # "I need IT for the salad": of what was spoken of
            if one is not None and self._phrases.portable(one.thing) and not (one.thing.plural or one.thing.pronoun):
                return one.told(definite=True)
        return None

    def _end_sentence(self, begin: int, end: int, goals: int, never: int, others: int) -> None:
        """Keep what a sentence tells as one: that asks for nothing, or forbids something for good."""
        new = self._others[others:]
        told = [item for item in new if isinstance(item, Told)]
        lost = [one for one in self._lost if begin <= one[0] < end]
        forbidden = len(self._never) > never
        if len(self._goals) > goals or len(told) < len(new) or any(begin <= at < end for at, _ in self._waiting):
            return
        for_good = forbidden and (told or _FOR_GOOD.search(" ".join(self._words[begin:end])))
        wished = "please" in self._words[begin:end] or any(
            self._names_thing(i) for first, last, beside in lost if not beside for i in range(first, last)
        )
        if for_good or (told and not forbidden and not wished and (lost or len(told) > 1)):
            about = tuple(one.thing for one in self._never[never:] if one.thing and not one.thing.pronoun)
            about = about or next((item.about for item in told if item.about), ())
            self._others[others:] = [Told(quote=self._quote(begin, end), about=about)]
            self._lost = [one for one in self._lost if not begin <= one[0] < end]
            self._unread = {at for at in self._unread if not begin <= at < end}

    def _opening(self, begin: int, end: int) -> int | None:
        """Skip what asks for nothing before a clause; None where nothing is left to be read."""
        at = self._segments.leads(begin, end)
        if self._phrases.matched(_NOTE, begin) > begin or self._phrases.matched(_NOTE, at) > at:
            self._tell(begin, end)
            return None
        while at < end and (formula := self._phrases.matched(FORMULAS, at)) > at:
            whole = (
                formula >= end
                or self._word(formula) in (",", "to")
                or self._word(formula - 1) in ("it", "there", "here")
            )
            if self._word(at) in TIMES and not whole:
                break  # "WHEN YOU ARE comfortable on the couch"; not "WHILE YOU ARE AT IT the salt"
            if self._word(formula) == "to":
                return None  # "whenever you are ready TO USE IT"
            at = self._segments.leads(formula, end)
        if at >= end:
            if _AGREES & {*self._words[begin:end]}:
                self._helped(begin, end)
            elif not {"again", "more"}.isdisjoint(self._words[begin:end]):
                self._as_before([], begin, end)
            return None
        word = self._words[at]
        known = self._segments.verb(at) is not None or word in CLOSED or "'" in word
        name = self._quote(at, at + 1).istitle() and self._word(at + 1) in ("put", "set", "cut", "shut")
        stray = not (known or name) and self._segments.verb(at + 1) is not None and self._idle(at, at + 1)
        return at + stray  # "pleeease put it there"

    def _fragment(self, at: int, end: int, segment: Segment, lead: str) -> bool:
        """Read a fragment that begins as no clause does, or that is shown to be one by the formula behind it."""
        begins = (i for i in range(at + 1, end) if self._word(i) in TIMES and self._phrases.matched(FORMULAS, i) >= end)
        formula = next(begins, at)  # "the tomato, too, WHILE YOU ARE AT IT"
        if formula > at and not self._segments.subject(at, formula, fronted=True):
            return self._verbless(at, formula, segment, lead)
        particle = self._word(at) in LEADING_PARTICLES or self._phrases.matched(BACK, at) > at
        return particle and self._verbless(at, end, segment, lead)

    def _excluded(self, at: int, end: int) -> bool:
        """Read what must not be at a place, for good: "no shoes in the bedroom", "nothing on the stool"."""
        at += self._word(at) in ADVERBS or self._word(at).endswith("ly")
        if self._word(at) not in ("no", "nothing"):
            return False
        none = self._phrases.read(at + 1, bare=True) if self._word(at) == "no" else None
        thing = none.thing if none is not None else Thing(text="anything")
        place = thing.place or (found[0] if (found := self._phrases.where(none.end if none else at + 1)) else None)
        if place is None or thing.pronoun or self._goals:
            return False
        thing = thing.model_copy(update={"place": None})
        self._never.append(Goal(quote=self._quote(at, end), do=Deed.PLACE, verb="put", thing=thing, to=place))
        self._tell(at, end)
        return True

    def _cut_off(self, at: int) -> bool:
        """Whether words go on with what nobody may do: "nobody should, whatever happens, OPEN it"."""
        first = next((i + 1 for i in range(at - 1, -1, -1) if self._words[i] in STOPS), 0)
        cut = any(self._words[i] in AUXILIARIES and self._word(i + 1) == "," for i in range(first, at))
        return cut and self._word(first) in NO

    def _helped(self, at: int, end: int) -> bool:
        """Read the answer to what was offered: "it's dark. The floor lamp, please"."""
        need = next((item for item in self._others if isinstance(item, Need)), None)
        if need is None or self._goals or not need.offers:
            return False
        offer = need.offers[0]
        if self._segments.leads(at, end) >= end:
            self._goals.append(offer)
            return True
        named, after = self._phrases.list(at, bare=True)
        found = [one for one in named if one.thing.categories]
        if not found or not (self._segments.leads(after, end) >= end or self._word(after) in ("is", "would", "will")):
            return False
        self._goals += [offer.model_copy(update={"thing": one.thing}) for one in found]
        return True

    def _segment(self, segment: Segment) -> None:
        begin = self._corrects(segment.begin, segment.end)
        at, end = (self._opening(begin, segment.end), segment.end) if begin is not None else (None, 0)
        if begin is None or at is None:
            return
        lead = self._word(begin)
        told, self._told = self._told, False
        goes_on = (told and lead == "and") or self._cut_off(begin)  # "I cut it AND PUT it there"
        if goes_on and self._segments.verb(at) is not None:
            self._tell(at, end)
            self._told = True
            return
        word, joined = self._word(at), lead in JOINS
        if self._again(at, end):
            return
        if self._phrases.rest(at, 2) == "in case":
            self._conditional(at + 1, end, joined)
        elif word in IF or (word == "should" and self._word(at + 1) != "be" and not self._asked and end < self._stop):
            self._conditional(at, end, joined)  # "SHOULD the lamp be on, switch it off"
        elif word in ("otherwise", "else"):
            self._otherwise(at + 1, end)
        elif word in TIMES and self._timed(at, end):
            return
        elif word == "none":
            self._lose(at, end)
        elif (
            self._beside(at, end, segment)
            or (word in REASONS and self._word(at + 1) != "to")
            or (word in ("where", "which") and segment.joined)
        ):
            self._tell(at, end)
        elif (
            word in AUXILIARIES
            and word not in ("do", "have")
            and (self._word(at + 1) in ("not", "going", "be") and not self._segments.negated(at) > at)
        ):
            self._tell(at, end)  # "…, can't reach it", "…, should be in a drawer"
        elif self._helped(at, end):
            return
        elif (need := read_need(" ".join(self._words[at:end]), self._quote(at, end))) is not None:
            self._others.append(need[0])
            self._rest(at + need[1], at, end)
        elif self._excluded(at, end):
            return
        elif (none := self._segments.none(at)) is not None and not none.thing.pronoun:
            if self._goals:
                self._lose(at, end)  # "No way!"
            else:
                self._never.append(Goal(quote=self._quote(at, end), do=Deed.OTHER))
        elif (forbidden := self._segments.negated(at)) > at:
            self._prohibition(forbidden, at, end)
        elif word == "have" and self._word(at + 1) == "to":
            self._tell(at, end)  # "GOTTA RUN, please lock up"
        elif self._sure(self._segments.led(at, end), end):
            return
        elif (inner := self._segments.led(at, end)) > at:
            verb = self._segments.verb(inner, ("base", "ing")) or verb_at(self._words, inner)
            verb = verb or self._segments.strange(inner, end)
            if verb is None:
                self._lose(at, end)
            else:
                self._request(verb, inner, end)
        elif (verb := self._segments.verb(at)) is not None or (verb := self._gerund(at)) is not None:
            self._request(verb, at, end)
        elif (
            self._ruled_out(at, end)
            or self._made(at, end)
            or self._wished(at, end)
            or self._stated(at, end)
            or self._reported(at, end)
            or self._what_goes(at, end)
        ):
            return
        elif word in QUESTION_WORDS - {"when", "while", "that", "whatever"}:
            if (found := self._question(at, end, self._word(end))) is not None:
                self._others.append(found)
            else:
                self._tell(at, end)  # "what I like best is tea"
        elif self._fragment(at, end, segment, lead):
            return
        elif self._segments.subject(at, end, fronted=True) or (
            self._asked and word in set(AUXILIARIES) | QUESTION_WORDS
        ):
            self._tell(at, end)
            self._told = bool(PERSONS & {*self._words[at:end]})
        elif (verb := self._segments.strange(at, end)) is not None:
            if self._word(at + 2) in AUXILIARIES and self._segments.subject(at + 1, end):
                self._tell(at, end)  # "bet it was Sam"
                return
            self._request(verb, at, end)
        elif self._asked and {"still", "yet", "already"} & {*self._words[at:end]}:
            self._tell(at, end)  # "knife STILL in the sink?"
        elif not self._verbless(at, end, segment, lead):
            self._lose(at, end)
