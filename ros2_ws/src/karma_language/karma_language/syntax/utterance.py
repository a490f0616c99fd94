# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An utterance by its syntax: what each of its clauses is for, and what they come to together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from karma_language.clauses import CORRECTION, FILLERS, FORMULAS, TAKES_BACK, Clauses
from karma_language.frames import BRING, CAUSES, PUT, SWITCH, Clause, Frames, Place
from karma_language.needs import read_need
from karma_language.phrases import BACK, STOP_WORDS, Names, Phrase, Phrases
from karma_language.questions import read_question
from karma_language.reading import (
    Condition,
    Deed,
    Goal,
    Item,
    Kind,
    Need,
    Question,
    Reading,
    Relation,
    Request,
    Social,
    Span,
    Thing,
    Told,
    Where,
)
from karma_language.syntax.parser import parse_words
from karma_language.syntax.segments import IF, JOINS, LEADS, REASONS, REPORTS, SEGMENT_WORDS, TIMES, Segment, Segments
from karma_language.tokens import STOPS, Token
from karma_language.verbs import Verb, verb_at
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.words import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    GENERIC,
    LIQUIDS,
    PERSONS,
    QUESTION_WORDS,
    STATES,
    base_form,
    each,
)

_BE = frozenset(each("is are was were be am"))
_DUE = frozenset(each("should must ought shall needs need has have"))
_UNDONE = {Deed.SWITCH_ON: "off", Deed.SWITCH_OFF: "on", Deed.OPEN: "closed", Deed.CLOSE: "open"}
"""Deeds that a state makes needless → the state in which they are not."""
_MOVES = frozenset(("put", "bring", "take", "get", "give", "discard", "throw", "tidy", "return"))
_WANTS = frozenset(each("want need require fancy"))
_LIKES = frozenset(each("like love prefer"))
_RESTRICTS = frozenset(
    each(
        "not no nor never none only just except but without unless if when while until before after or than instead"
        " with using both all every each neither rather one half more less"
        " hour hours minute minutes second seconds today tonight tomorrow later soon morning evening noon afternoon"
        " almost nearly dont stop wait other"
    )
)
"""Words that say which, when, how or whether: what they stand in is no mere remark."""
_BECOME = frozenset(("hot", "cold", "clean", "filled", "empty"))
"""States that a thing gets: "get it cold"; "get the lamp on the desk" is about no lamp that is on."""
_POINTED = frozenset(("it", "them", "him", "her", "both", "these", "those"))
_BETTER = frozenset(each("nicer better well nice good great lovely best perfect safer prettier"))
_FINE = frozenset(each("fine ok okay good perfect alright best"))
_BACK = frozenset(each("on off back away"))
_CLOSED = SEGMENT_WORDS | STOP_WORDS | DETERMINERS | PERSONS | frozenset(("else", "it", "in"))
_SPOTS = frozenset(each("spot place space room"))
_ROLES = frozenset(each("with without from to of except if unless"))
_HOMELESS = frozenset(("put", "tidy", "take", "get", "return"))
_MORE = frozenset(each("too also well"))

_NOTE = re.compile(
    r"(?:when(?:ever)? (?:i|we) say\b|by [^,.]{1,40} (?:i|we) mean|for the future|from (?:now"
    r"|today) on|remember|note|(?:keep|bear)(?: it| that| this)? in mind|do not forget"
    r"|remind (?:me|us) (?:to|that|about|when|on|at|in|tomorrow)|fyi|for your information)\b"
    r"(?! to (?:put|turn|close|bring|switch)\b)"
)
_LASTING = re.compile(
    r"\W*(?:i|we) (?!(?:want|need|would like|expect|ask) you\b)[^?]*\b(?:every|each) [a-z]+"
    r"|\W*any(?:thing|one) (?:but|except)\b"
    r"|\W*(?:got|had|saw|met|bought|lost|broke) (?:a|an|the|my|our|some|new)\b[^?]*$"
    r"|(?!\W*mine\b)[^?]*\bfor (?:the )?(?:next time|future)\W*$"
    r"|\W*(?:(?:you (?:may|can|should)|just|please|everyone|everybody|people|and|but)\b\W*)*calls? me"
    r" (?!later\b|back\b|again\b|now\b|tomorrow\b|tonight\b)[^\W\d_]+\W*$",
    re.IGNORECASE,
)
"""What holds from now on, or again and again, and asks for nothing now."""
_SURE = re.compile(r"(?:(?:please )?(?:make|be) (?:sure|certain)|ensure|see to it|see|check)(?: that)?\b")
_FOR_GOOD = re.compile(r"\b(?:ever|never|any ?more|again|without|unless|until|before|after|when|while|let|always)\b")
"""What shows that something is forbidden for more than the moment."""


class Utterance:
    """An utterance that is being read: its words, and what was read of it so far."""

    def __init__(
        self, text: str, tokens: Sequence[Token], lexicon: Lexicon, names: Names, is_word: Callable[[str], bool]
    ) -> None:
        """`names`: what things of this home are called besides; `is_word`: whether a word is English."""
        self._text = text
        self._tokens = tokens
        self._lexicon = lexicon
        self._names = names
        self._phrases = phrases = Phrases(tokens, lexicon, names, is_word)
        self._words = phrases.words
        self._segments = Segments(phrases, self._shown(is_word), lexicon)
        self._frames = Frames(lexicon)
        self._clauses = Clauses(tokens, phrases, lexicon)
        self._end = len(self._words)
        self._goals: list[Goal] = []
        self._never: list[Goal] = []
        self._others: list[Item] = []
        self._unread: set[int] = set()
        self._last: Clause | None = None
        self._topic: list[Phrase] = []
        self._using: Thing | None = None
        self._fronted: list[Place] = []
        self._source: Place | None = None
        self._later: list[Goal] = []
        self._condition: Condition | None = None
        self._sentence = 0
        self._asked = False
        self._stop = 0
        self._when: Span | None = None
        self._told = False
        self._waiting: list[tuple[int, int]] = []
        self._marker = ""
        self._lost: list[tuple[int, int, bool]] = []
        self._withdrawn = False

    def read(self) -> Reading:
        """Read it."""
        begin = 0
        for at, word in enumerate([*self._words, "."]):
            item = word.isdecimal() and len(word) < 3 and self._word(at + 1) in (".", ")")
            numbered = item and self._segments.verb(at + 2) is not None  # "1. wash the cup"
            if (word not in STOPS and not numbered) or at < begin:
                continue
            if begin < at:
                goals, told = len(self._goals), len(self._others)
                self._read_sentence(begin, at)
                if word == ":" and self._heading(begin, at):
                    begin = at + 1
                    continue
                only = isinstance(self._others[-1], Told) if len(self._others) > told else False
                if (
                    word == ":"
                    and only
                    and goals == len(self._goals)
                    and not self._waiting
                    and self._verbless_next(at + 1)
                ):
                    end = next(
                        (i for i in range(at + 1, len(self._words)) if self._words[i] in STOPS), len(self._words)
                    )
                    self._others[-1] = Told(quote=self._quote(begin, end))
                    at = end
            begin = at + 1
        if not self._goals:
            self._lost += [(*one, False) for one in self._waiting]
            quotes = {self._quote(*one) for one in self._waiting}
            self._others = [item for item in self._others if not isinstance(item, Told) or item.quote not in quotes]
        for begin, end, _ in self._lost:
            acts = any(goal.do is not Deed.OTHER for goal in self._goals)
            if not (acts and self._apart(begin, end) and self._idle(begin, end)):
                self._unread |= {i for i in range(begin, end) if not self._small(i)}
        if self._withdrawn and not self._goals and not self._unread:
            self._others = [Social(quote=self._text, kind="agreement")]
        items: list[Item] = [*self._others]
        if self._never:
            items.append(Request(quote=self._text, goals=tuple(self._never), never=True))
        if self._goals:
            items.append(Request(quote=self._text, goals=tuple(self._goals)))
        spelled = tuple((token.said, token.word) for token in self._tokens if token.said)
        return Reading(reader="rules", items=tuple(items), unread=self._left(), spelled=spelled)

    def _heading(self, begin: int, end: int) -> bool:
        """Whether what was read only says what the words behind a colon are about: "make a coffee: put the mug …"."""
        new = self._goals[self._sentence :]
        idle = all(goal.do is Deed.OTHER or goal.thing is None or goal.person for goal in new)
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

    def _shown(self, is_word: Callable[[str], bool]) -> list[str]:
        """Return the words with the capitals that are no sentence's."""
        shown = list(self._words)
        for at, token in enumerate(self._tokens):
            named = self._text[token.start : token.start + 1].isupper() and not token.said and "|" not in token.word
            opens = at == 0 or self._words[at - 1] in STOPS
            if named and not (opens and (is_word(token.word) or verb_at(self._words, at) or token.word in _CLOSED)):
                shown[at] = token.word.capitalize()
        return shown

    def _verbless_next(self, at: int) -> bool:
        """Whether what follows a colon is no request: it says what was told before it."""
        at = self._segments.leads(at, len(self._words))
        return self._segments.verb(at) is None

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

    # --- sentences

    def _read_sentence(self, begin: int, end: int) -> None:
        self._when = None
        if begin == 0 or self._words[begin - 1] != ":" or self._goals:
            self._condition = None
        self._sentence, self._later = len(self._goals), []
        self._asked = self._word(end) == "?"
        before = len(self._goals), len(self._never), len(self._others)
        noted = self._clauses.matched(_NOTE, self._segments.leads(begin, end)) > self._segments.leads(begin, end)
        if noted or _LASTING.match(self._quote(begin, min(end + 1, len(self._words)))):
            self._others.append(Told(quote=self._quote(begin, end)))
            return
        for segment in self._segments.sentence(begin, end):
            self._stop = end
            self._segment(segment)
        self._goals += self._later
        self._end_sentence(begin, end, *before)

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
            about = tuple(one.thing for one in self._never[never:] if one.thing is not None)
            about = about or next((item.about for item in told if item.about), ())
            self._others[others:] = [Told(quote=self._quote(begin, end), about=about)]
            self._lost = [one for one in self._lost if not begin <= one[0] < end]
            self._unread = {at for at in self._unread if not begin <= at < end}

    def _names_thing(self, at: int) -> bool:
        found = self._phrases.read(at, bare=True, after=False)
        return found is not None and bool(found.thing.categories or found.thing.text.split()[0] in GENERIC)

    def _segment(self, segment: Segment) -> None:
        at, end = segment.begin, segment.end
        corrected = self._corrects(at, end)
        if corrected is None:
            return
        if self._clauses.matched(_NOTE, corrected) > corrected or (
            self._clauses.matched(_NOTE, self._segments.leads(corrected, end)) > self._segments.leads(corrected, end)
        ):
            self._tell(corrected, end)
            return
        lead = self._word(corrected)
        at = self._segments.leads(corrected, end)
        while at < end and (formula := self._clauses.matched(FORMULAS, at)) > at:
            timed = self._word(at) in TIMES and formula < end and self._word(formula) not in (",", "to")
            if timed:
                break  # "WHEN YOU ARE comfortable on the couch"
            if self._word(formula) == "to":
                return  # "whenever you are ready TO USE IT"
            at = self._segments.leads(formula, end)
        if at >= end:
            if {"yes", "yeah", "sure", "ok", "okay"} & {*self._words[corrected:end]}:
                self._helped(corrected, end)
            return
        known = self._segments.verb(at) or self._words[at] in _CLOSED
        name = self._quote(at, at + 1).istitle() and self._word(at + 1) in ("put", "set", "cut", "shut")
        if (
            not known
            and not name
            and "'" not in self._words[at]
            and self._segments.verb(at + 1) is not None
            and self._idle(at, at + 1)
        ):
            at += 1  # "pleeease put it there"
        told, self._told = self._told, False
        if told and lead == "and" and self._segments.verb(at) is not None:  # "I cut it AND PUT it there"
            self._tell(at, end)
            self._told = True
            return
        word, joined = self._word(at), lead in JOINS
        if self._clauses.rest(at, 2) == "if not" and (at + 2 >= end or self._word(at + 2) == ","):
            self._otherwise(at + 2, end)
        elif self._clauses.rest(at, 2) == "in case":
            self._conditional(at + 1, end, joined)
        elif word in IF or (word == "even" and self._word(at + 1) in IF):
            self._conditional(at, end, joined)
        elif word in ("otherwise", "else"):
            self._otherwise(at + 1, end)
        elif word in TIMES and self._timed(at, end):
            return
        elif word == "none":
            self._lose(at, end)
        elif self._beside(at, end, segment) or word in REASONS or (word in ("where", "which") and segment.joined):
            self._tell(at, end)
        elif (
            word in AUXILIARIES
            and word not in ("do", "have")
            and (self._word(at + 1) in ("not", "going") and not self._segments.negated(at) > at)
        ):
            self._tell(at, end)  # "…, can't reach it"
        elif self._helped(at, end):
            return
        elif (need := read_need(" ".join(self._words[at:end]), self._quote(at, end))) is not None:
            self._others.append(need[0])
            self._rest(at + need[1], at, end)
        elif word == "no" and (none := self._phrases.read(at + 1, bare=True)) is not None and not none.thing.pronoun:
            self._never.append(Goal(quote=self._quote(at, end), do=Deed.OTHER))
        elif (forbidden := self._segments.negated(at)) > at:
            self._prohibition(forbidden, at, end)
        elif (inner := self._segments.led(at, end)) > at:
            verb = self._segments.verb(inner, ("base", "ing")) or verb_at(self._words, inner)
            verb = verb or self._segments.strange(inner, end)
            if verb is not None:
                self._request(verb, inner, end)
        elif (verb := self._segments.verb(at)) is not None or (verb := self._gerund(at)) is not None:
            self._request(verb, at, end)
        elif (
            self._sure(at, end)
            or self._made(at, end)
            or self._wished(at, end)
            or self._stated(at, end)
            or self._reported(at, end)
        ):
            return
        elif word in QUESTION_WORDS - {"when", "while", "that", "whatever"}:
            quote = self._quote(at, end)
            self._others.append(read_question(quote + "?", self._lexicon, 0.0) or Question(quote=quote, kind=Kind.TOLD))
        elif (word in _BACK or self._clauses.matched(BACK, at) > at) and self._verbless(at, end, segment, lead):
            return
        elif self._segments.subject(at, end, fronted=True) or (
            self._asked and word in set(AUXILIARIES) | QUESTION_WORDS
        ):
            self._tell(at, end)
            self._told = bool(PERSONS & {*self._words[at:end]})
        elif (verb := self._segments.strange(at, end)) is not None:
            if self._segments.subject(at + 1, end):
                self._tell(at, end)  # "bet it was Sam"
                return
            self._request(verb, at, end)
        elif not self._verbless(at, end, segment, lead):
            self._lose(at, end)

    def _beside(self, at: int, end: int, segment: Segment) -> bool:
        """Whether words say what for, what comes of it, or instead of what: "to free the table", "making it nicer"."""
        if self._clauses.rest(at, 2) in ("rather than", "instead of"):
            spared = self._phrases.read(at + 2, bare=True)
            if spared is not None and spared.end >= end:
                return True
        doc = parse_words(tuple(self._words[at:end]))
        leads = not segment.joined and end < self._stop and doc is not None and doc[0].pos_ in ("ADP", "SCONJ")
        if self._word(at) == "instead" or (
            leads and self._word(at) not in _ROLES and not self._phrases.preposition(at)
        ):
            return True  # "despite the space on the shelf, …"
        verb = verb_at(self._words, at + (self._word(at) == "to"))
        if not (segment.joined and self._goals):
            return False
        if self._word(at) != "to":
            return self._word(at).endswith("ing") and (verb is None or not verb.sense)
        clause = Clause(verb, at) if verb is not None and verb.sense else None
        if clause is not None and verb is not None:
            self._parts(clause, at + 1 + verb.length, end)
        place = self._phrases.read(at + 1) if verb is None else None
        return place is None and (clause is None or (bool(clause.themes) and not self._known(clause)))

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

    def _sure(self, at: int, end: int) -> bool:
        """Read "make sure that the fridge is closed"."""
        begin = self._clauses.matched(_SURE, at)
        found, after = self._phrases.list(begin, bare=False) if begin > at else ([], at)
        return bool(found) and self._word(after) in _BE and self._to_be(found, after + 1, at, end)

    def _gerund(self, at: int) -> Verb | None:
        verb = self._segments.verb(at, ("ing",))
        asks = self._goals or not self._segments.subject(at, self._stop)
        return verb if verb is not None and verb.sense and asks else None

    def _lose(self, at: int, end: int, *, beside: bool = False) -> None:
        """Note words that nothing rests on; `beside`: a clause that says when or whether."""
        self._lost.append((at, end, beside))

    def _apart(self, at: int, end: int) -> bool:
        """Whether words fill the room between two pauses."""
        while at and self._words[at - 1] in LEADS and self._words[at - 1] != ",":
            at -= 1
        pauses = STOPS | {",", ""}
        return (at == 0 or self._words[at] in pauses or self._words[at - 1] in pauses) and self._word(end) in pauses

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

    def _small(self, at: int) -> bool:
        word = self._words[at]
        return word in FILLERS | ADVERBS | LEADS | {"so"} or not word[0].isalnum() or word in ("the", "a", "an", "and")

    # --- requests

    def _request(self, verb: Verb, at: int, end: int) -> None:
        if self._tool(verb, at, end) or self._reported(at, end) or self._sure(at, end) or self._made(at, end):
            return
        clause = Clause(verb, at)
        after = self._parts(clause, at + verb.length, end)
        if verb.form == "ing" and verb.sense == "get" and len(self._goals) > self._sentence:
            self._take_in(clause, after, first=True)  # "…, RETRIEVING a knife to slice it"
            self._rest(after, at, end)
            return
        if self._words[after - 1] == "first" and self._goals and self._last is not None:
            if all(one.thing.pronoun for one in clause.themes):
                clause.themes = list(self._last.themes)  # "put the mug away. Wait, wash it FIRST"
            self._take_in(clause, after, first=True)
            return
        stays = verb.base in ("leave", "keep") and any(one.thing.pronoun for one in clause.themes) and not clause.places
        if stays and self._goals and clause.particles:
            return
        self._take_in(clause, after)
        self._rest(after, at, end)

    def _tool(self, verb: Verb, at: int, end: int) -> bool:
        """Read "use the knife to …", "find a place on the shelf to …"."""
        found = self._phrases.read(at + 1, after=False)
        to = next((i for i in range(at + 2, end) if self._words[i] == "to" and verb_at(self._words, i + 1)), end)
        if found is None or to >= end:
            return False
        clause = Clause(verb, at)
        if verb.base == "use" and found.end == to:
            self._using = found.thing
        elif (
            found.thing.text.split()[-1] in _SPOTS
            and verb.sense in ("find", "")
            and self._parts(clause, at + 1, to) == to
        ):
            self._fronted = clause.places
        else:
            return False
        self._segment(Segment(to, end))
        return True

    def _rest(self, after: int, begin: int, end: int) -> None:
        """Read what follows a clause that ended before its words did."""
        if begin < after < end:
            self._segment(Segment(after, end, joined=True))
        elif after < end:
            self._lose(after, end)

    def _reported(self, at: int, end: int) -> bool:
        """Read a question that is to be answered when all is done: "tell me what was in it"."""
        begin = next((i for i in range(at, end) if self._words[i] in QUESTION_WORDS | {"if", "whether"}), end)
        lead = {*self._words[at:begin]}
        if begin == end or begin == at or not lead <= REPORTS | LEADS:
            return False
        quote = self._quote(begin, end)
        asked = self._condition_at(begin, end) if self._words[begin] in ("if", "whether") else None
        if asked is not None:
            thing, kind = asked.thing.model_copy(update={"place": None}), Kind.STATE if asked.state else Kind.EXISTS
            place = asked.thing.place
            self._others.append(Question(quote=quote, kind=kind, thing=thing, place=place, state=asked.state))
            return True
        self._others.append(read_question(quote + "?", self._lexicon, 0.0) or Question(quote=quote, kind=Kind.TOLD))
        return True

    def _made(self, at: int, end: int) -> bool:
        """Read "make it hot", "have the door open", "have the plate washed"."""
        if self._word(at) not in ("make", "have", "keep", "leave", "get"):
            return False
        found, after = self._phrases.list(at + 1, bare=False)
        after += self._word(after) in ("both", "all")
        if not found or after >= end:
            return False
        if self._word(at) in ("keep", "leave") and found[0].thing.pronoun and self._goals:
            return False
        state = STATES.get(base_form(self._word(after)), "")
        verb = verb_at(self._words, after)
        participle = verb is not None and verb.form == "past" and verb.sense
        if not participle and (state not in CAUSES or (self._word(at) == "get" and state not in _BECOME)):
            return False
        placed = self._phrases.preposition(after) is not None and self._phrases.read(after + 1, bare=True) is not None
        return self._word(after) != "out" and not placed and self._to_be(found, after, at, end)

    def _parts(self, clause: Clause, at: int, end: int) -> int:
        tokens = self._tokens[:end]
        phrases = Phrases(tokens, self._lexicon, self._names, self._phrases.is_word)
        after = Clauses(tokens, phrases, self._lexicon).parts(clause, at)
        if len(clause.themes) > 1:
            clause.themes = [one for one in clause.themes if one.thing.text != "both"]
        return after

    def _take_in(self, clause: Clause, end: int, *, first: bool = False) -> None:
        clause.end = end
        if clause.negated:
            self._never.append(Goal(quote=self._quote(clause.start, end), do=Deed.OTHER))
            return
        if self._topic and not clause.themes and clause.verb.sense:
            clause.themes = self._topic
        self._topic = []
        if self._fronted and (not clause.places or clause.verb.sense == "look"):
            clause.places = [*clause.places, *self._fronted]
            self._fronted = []
        if self._source is not None and clause.source is None:
            clause.source, self._source = self._source, None
        if self._using is not None and clause.using is None:
            clause.using, self._using = self._using, None
        goals = self._frames.goals(clause, self._quote(clause.start, end))
        if not goals and clause.themes:
            self._spare(clause)
        self._unread |= {
            i for i in range(clause.start, end) if self._words[i] in clause.unread and self._words[i].isalnum()
        }
        if any(goal.do is Deed.PLACE and goal.to is not None for goal in goals):
            goals = self._carried_out(goals)
        if self._when is not None:
            goals = [goal.model_copy(update={"at": goal.at or self._when}) for goal in goals]
        if self._condition is not None:
            goals = [goal.model_copy(update={"condition": at_its_place(self._condition, goal)}) for goal in goals]
        if first and self._goals:
            self._goals[-1:-1] = goals
        else:
            self._goals += goals
        self._last = clause

    def _carried_out(self, goals: list[Goal]) -> list[Goal]:
        """Return goals that say where goes what was to be put nowhere yet: "tidy up, put everything in the box"."""
        names = {goal.thing.text for goal in goals if goal.thing is not None}
        for goal in [one for one in self._goals if one.do is Deed.PLACE and one.to is None and not one.back]:
            thing = goal.thing
            if thing is not None and (thing.every or thing.text in names):
                self._goals.remove(goal)
                about = thing.place.thing if thing.place is not None else thing
                self._others.append(Told(quote=goal.quote, about=(about,)))
                same = [one.thing is not None and one.thing.text == thing.text and not one.thing.place for one in goals]
                goals = [
                    one.model_copy(update={"thing": thing}) if it else one for one, it in zip(goals, same, strict=True)
                ]
        return goals

    def _take_up(self, clause: Clause, at: int, end: int) -> None:
        after = self._parts(clause, at, end)
        self._take_in(clause, after)
        self._rest(after, clause.start, end)

    def _spare(self, clause: Clause) -> None:
        but = tuple(one.thing for one in clause.themes)
        self._goals = [
            goal.model_copy(
                update={"thing": goal.thing.model_copy(update={"but": goal.thing.but + but, "every": True})}
            )
            if goal.thing is not None and (goal.thing.every or goal.thing.plural)
            else goal
            for goal in self._goals
        ]

    # --- what is forbidden

    def _prohibition(self, at: int, begin: int, end: int) -> None:
        if self._word(at) in ("bother", "worry", "mind", "need", "have", "forget"):
            if self._word(at) == "forget" and (inner := self._segments.led(begin, end)) > begin:
                verb = verb_at(self._words, inner)
                if verb is not None:
                    self._request(verb, inner, end)
                return
            return
        verb = verb_at(self._words, at) or Verb(self._word(at), "", "base", 1)
        clause = Clause(verb, at)
        clause.end = self._parts(clause, at + verb.length, end)
        if self._goals and not clause.themes:
            return
        quote = self._quote(begin, end)
        self._never += self._frames.goals(clause, quote) or [Goal(quote=quote, do=Deed.OTHER, verb=verb.base)]
        self._last = clause

    # --- conditions and times

    def _conditional(self, at: int, end: int, joined: bool) -> None:
        formula = (
            self._word(at) == "if"
            and self._word(at + 1) == "you"
            and not any(
                one.thing.categories
                for i in range(at + 2, end)
                if (one := self._phrases.read(i, after=False)) is not None
            )
        )
        formula |= self._word(at + 1) in ("possible", "necessary")
        condition = self._condition_at(at, end)
        if condition is None and formula:
            return
        if condition is None:
            self._lose(at, end, beside=True)
            return
        if joined or len(self._goals) == self._sentence:
            self._condition, self._sentence = condition, len(self._goals)
            return
        self._goals[self._sentence :] = [
            goal.model_copy(update={"condition": goal.condition or at_its_place(condition, goal)})
            for goal in self._goals[self._sentence :]
        ]

    def _condition_at(self, at: int, end: int) -> Condition | None:
        unless = self._word(at) == "unless"
        at += 1
        rest = self._words[at:end]
        negated = unless != ("not" in rest)
        if (
            len([w for w in rest if w not in ("not", "already", "still", "yet")]) <= 2
            and rest[-1:]
            and rest[-1] in _BE | {"not", "so", "already"}
        ):
            last = self._goals[-1] if self._goals else None
            asked = next((item for item in reversed(self._others) if isinstance(item, Question) and item.thing), None)
            if asked is not None and asked.thing is not None:
                thing = asked.thing if asked.place is None else asked.thing.model_copy(update={"place": asked.place})
                return Condition(thing=thing, state=asked.state, negated=negated)
            if last is not None and last.do in _UNDONE and last.thing is not None:
                return Condition(thing=last.thing, state=_UNDONE[last.do])
            return None
        begin = next((i for i in range(at, end) if self._words[i] in ("left", "forgot", "forgotten")), at)
        subject = self._phrases.read(begin + 1, bare=False) if begin > at and rest[0] in PERSONS else None
        if (
            subject is not None
            and subject.end + 1 >= end
            and (state := STATES.get(base_form(self._word(subject.end)), ""))
        ):
            return Condition(thing=subject.thing, state=state, negated=unless)
        if self._word(at) == "there" or self._word(at + 1) in ("have", "find", "see"):
            at += 2
            while self._word(at) in ("not", "no", "still", "any", "some", "got", "have") and at < end:
                negated ^= self._word(at) == "no"
                at += 1
            phrase = self._phrases.read(at, bare=True)
            thing, after = self._placed(phrase) if phrase is not None else (None, at)
            while self._word(after) in ("left", "anywhere", "somewhere", "around") and after < end:
                after += 1
            return Condition(thing=thing, negated=negated) if thing is not None and after >= end else None
        subject = self._phrases.read(at, bare=False)
        if subject is None:
            return None
        thing, after = self._placed(subject)
        if self._word(after) not in _BE:
            return None
        after += 1
        while self._word(after) in ADVERBS | {"not", "already", "still"} and after < end:
            after += 1
        if self._word(after) in ("there", "here"):
            where = Where(relation=Relation.AT, thing=Thing(text="there", pronoun=True))
            return (
                Condition(thing=thing.model_copy(update={"place": where}), negated=negated)
                if after + 1 >= end
                else None
            )
        if (preposition := self._phrases.preposition(after)) is not None:
            inner = self._phrases.read(preposition[1], bare=False)
            if inner is not None and inner.end >= end:
                where = Where(relation=preposition[0], thing=inner.thing)
                return Condition(thing=thing.model_copy(update={"place": where}), negated=negated)
        state = STATES.get(base_form(self._word(after)), "")
        if not state:
            return None
        after += 1
        if thing.place is None:
            thing, after = self._placed(Phrase(thing, after))
        while self._word(after) in ADVERBS | {"yet", "already", "again"} and after < end:
            after += 1
        return Condition(thing=thing, state=state, negated=negated) if after >= end else None

    def _otherwise(self, at: int, end: int) -> None:
        before = next((goal.condition for goal in reversed(self._goals) if goal.condition), None)
        if before is not None:
            self._condition = before.model_copy(update={"negated": not before.negated})
        self._segment(Segment(at, end, joined=True))

    def _timed(self, at: int, end: int) -> bool:
        """Read a clause that says when the other is done: "before putting it away, …", "while holding the cup"."""
        lead = self._word(at)
        begin = at + 1
        while (
            self._word(begin)
            in ("you", "are", "have", "first", "had", "is", "we", "finished", "done", "can", "get", "like")
            and begin < end
        ):
            begin += 1
        idle = (
            self._word(at + 1) == "you"
            and begin > at + 1
            and not any(
                one.thing.categories
                for i in range(begin, end)
                if (one := self._phrases.read(i, after=False)) is not None
            )
        )
        if idle or (
            lead in ("when", "once", "until", "till", "after")
            and self._word(at + 1) in ("it", "they", "that", "this")
            and self._word(at + 2) in _BE
            and (base_form(self._words[end - 1]) in STATES or self._words[end - 1] in ("ready", "finished"))
        ):
            return True
        verb = verb_at(self._words, begin)
        alone = self._word(at + 1) in ("that", "this", "it", "them") and end <= at + 2
        if alone:
            return True
        if verb is not None and verb.sense and (verb.form == "ing" or (self._word(at + 1) == "you" and lead != "when")):
            clause = Clause(verb, begin)
            clause.end = self._parts(clause, begin + verb.length, end)
            aside = end == self._stop and len(self._goals) == self._sentence  # "visible BEFORE STORING THEM AWAY"
            if aside or not self._known(clause):
                self._tell(at, end)
                return True
            if clause.themes and not clause.unread:
                held = clause.verb.sense in ("get", "bring")
                before = len(self._goals) > self._sentence
                if lead == "before" and not before:
                    self._later += self._frames.goals(clause, self._quote(at, end))
                    self._others.append(
                        Told(quote=self._quote(at, end), about=tuple(one.thing for one in clause.themes))
                    )
                    self._last = clause
                else:
                    self._take_in(clause, clause.end, first=before and (held if lead == "while" else lead != "before"))
                    self._rest(clause.end, at, end)
                return True
        if lead in ("while", "before") or (lead == "after" and len(self._goals) == self._sentence):
            self._tell(at, end)
            return True
        named = any(self._names_thing(i) for i in range(at + 1, end))
        if self._word(at + 1) == "you" or (end < self._stop and not named and self._words[at + 1].endswith("ed")):
            self._tell(at, end)
            return True
        if not self._segments.subject(at + 1, end) and self._word(at + 1) not in PERSONS:
            self._lose(at, end, beside=True)
            return True
        self._when = Span(text=self._quote(at, end))
        self._goals[self._sentence :] = [
            goal.model_copy(update={"at": goal.at or self._when}) for goal in self._goals[self._sentence :]
        ]
        return True

    def _known(self, clause: Clause) -> bool:
        """Whether it is clear what is done, rather than what goes on meanwhile: "while tidying up the bathroom"."""
        if clause.verb.sense in ("put", "tidy", "return") and not clause.places and "away" not in clause.particles:
            return False
        described = clause.verb.sense in ("get", "bring")
        return all(one.thing.categories or one.thing.pronoun or described for one in clause.themes)

    # --- wishes and what should be

    def _wished(self, at: int, end: int) -> bool:
        """Read "I'd like a cup", "I want the lamp off", "can I have the book"."""
        mine = self._word(at) in ("i", "we") or (
            self._word(at) in ("can", "could", "may", "might") and self._word(at + 1) in ("i", "we")
        )
        begin = at
        while (
            begin < end
            and self._phrases.read(begin, bare=False) is None
            and (
                self._word(begin)
                in (
                    "i",
                    "we",
                    "would",
                    "have",
                    "get",
                    "see",
                    "to",
                    "can",
                    "could",
                    "may",
                    "might",
                    "really",
                    "also",
                    "just",
                    "please",
                    "use",
                )
                or self._word(begin) in _WANTS | _LIKES
            )
        ):
            begin += 1
        said = {*self._words[at:begin]}
        if not mine or not (
            said & _WANTS
            or (said & _LIKES and "would" in said)
            or ("have" in said and {"can", "could", "may", "might"} & said)
        ):
            return False
        found, after = self._phrases.list(begin, bare=False)
        if not found or found[0].thing.text.startswith("you"):
            return False
        placed, further = self._placed(found[-1])
        stated = STATES.get(base_form(self._word(further)), "") and self._phrases.preposition(further) is None
        if further > after and stated and further < end:
            found, after = [*found[:-1], Phrase(placed, further)], further
        if self._word(after) == "to":
            after += 1
        if self._word(after) in _BE | {"stand", "sit", "lie", "go", "stay", "hang"}:
            after += 1
        fixed = all(one.thing.categories and not self._clauses.portable(one.thing) for one in found)
        fixed = fixed and not {one.thing.text.split()[-1] for one in found} & LIQUIDS
        if not (fixed and (self._word(after) not in STATES or self._phrases.preposition(after) is not None)) and (
            self._to_be(found, after, at, end)
        ):
            return True
        if fixed or (found[0].thing.pronoun and found[0].thing.text not in ("one", "ones")):
            self._tell(at, end)
            return True
        strange = not any(one.thing.categories or one.thing.pronoun or " " in one.thing.text for one in found)
        if strange and self._goals:
            self._tell(at, end)
            return True
        clause = Clause(BRING, at, themes=found, person="me", last="theme")
        self._take_up(clause, after, end)
        return True

    def _stated(self, at: int, end: int) -> bool:
        """Read what is wanted of a thing that is named first: "the lamp should be off", "the cup goes in the sink"."""
        inverted = self._word(at) in ("can", "could", "would", "may", "might")
        begin = at + inverted
        found, after = self._phrases.list(begin, bare=False)
        if not found or after >= end:
            return False
        placed, further = self._placed(found[-1])
        if further > after and self._word(further) in set(AUXILIARIES) | {"goes", "go", "belongs", "needs", "need"}:
            found, after = [*found[:-1], Phrase(placed, further)], further
        while self._word(after) in ("now", "also", "then", "just", "actually"):
            after += 1
        word, following = self._word(after), self._word(after + 1)
        if inverted and word == "be":
            return self._to_be(found, after + 1, at, end)
        if word in ("needs", "need", "wants") and following in ("a", "some"):
            begin = after + 2 + (self._word(after + 2) in ("good", "quick", "little"))
            verb = verb_at(self._words, begin)
            if verb is None or verb.sense not in ("clean", "heat", "cool"):
                return False
            clause = Clause(verb, at, themes=found, last="theme")
            self._take_up(clause, begin + verb.length, end)
            return True
        if (
            word in ("needs", "need")
            and (verb := verb_at(self._words, after + 1)) is not None
            and verb.form == "ing"
            and verb.sense
        ):
            clause = Clause(verb, at, themes=found, last="theme")
            self._take_up(clause, after + 1 + verb.length, end)
            return True
        goes = word in ("goes", "go") or (word == "belongs" and found[0].thing.pronoun)
        general = found[0].thing.plural and not (found[0].thing.every or found[0].thing.pronoun) and word == "go"
        if goes and not general:
            return self._to_be(found, after + 1, at, end)
        due = (word in _DUE and (word not in ("has", "have") or following == "to")) or (
            word in _BE and following in ("to", "supposed")
        )
        due |= word in ("can", "could", "may") and following in ("go", "stay")
        if word == "would" and following in ("look", "be", "go", "fit", "stand"):  # "it WOULD LOOK NICER on the shelf"
            begin = next((i for i in range(after + 2, end) if self._phrases.preposition(i) is not None), end)
            better = {*self._words[after + 2 : begin]}
            return bool(better & _BETTER) and self._to_be(found, begin, at, end)
        if (
            word in _BE
            and following == "what"
            and self._word(after + 2) in ("i", "we")
            and _WANTS & {*self._words[after + 3 : end]}
        ):
            self._take_in(Clause(BRING, at, themes=found, person="me"), end)  # "my keys IS WHAT I NEED"
            return True
        if self._suffices(found, after, end):
            return True
        if not due:
            return False
        while (
            self._word(after)
            in _DUE
            | _BE
            | {"to", "can", "could", "may", "supposed", "go", "stay", "get", "now", "also", "please", "stand"}
            and after < end
        ):
            after += 1
        placed_only = self._phrases.preposition(after) is not None and self._word(after - 1) == "be"
        return not placed_only and self._to_be(found, after, at, end)

    def _suffices(self, found: list[Phrase], at: int, end: int) -> bool:
        """Read which place will do: "put it away, ANY DRAWER IS FINE"."""
        will_do = self._word(at) in ("will", "would") and self._word(at + 1) == "do"
        fine = self._word(at) in _BE | {"be"} and self._word(self._segments.leads(at + 1, end)) in _FINE
        last = self._last
        if (will_do or fine) and (last is None or not self._goals) and found[0].thing.categories:
            if any(word.isalnum() for word in self._words[end:]):
                self._tell(at, end)
            else:
                self._lose(found[0].end - 1, end)  # which of those that were asked about
            return True
        if not (will_do or fine) or last is None or not self._goals or not self._clauses.vessel(found[0].thing):
            return False
        if self._frames.goals(last, "")[-1:][0].to is not None or last.verb.sense not in _HOMELESS:
            return False
        self._revoke()
        self._take_in(replace(last, places=[Place(Relation.AT, found[0], moving=True)], unread=[]), last.end)
        return True

    def _to_be(self, found: list[Phrase], at: int, begin: int, end: int) -> bool:
        """Read the state or the place that things are to have."""
        while self._word(at) in ADVERBS and at < end:
            at += 1
        if at >= end:
            return False
        state = STATES.get(base_form(self._word(at)), "")
        on = state in ("on", "off") and self._phrases.read(at + 1, bare=False) is not None and at + 1 < end
        verb = verb_at(self._words, at)
        past = verb is not None and (verb.form == "past" or verb.base in ("put", "set", "cut", "shut"))
        if verb is not None and past and verb.sense and verb.base not in ("open", "close"):
            clause = Clause(verb, begin, themes=list(found), last="theme")
            after = self._parts(clause, at + verb.length, end)
            self._take_in(clause, after)
            many = len(found) > 1 or found[0].thing.plural
            self._topic = [Phrase(Thing(text="them" if many else "it", pronoun=True, plural=many), after)]
            self._rest(after, begin, end)
            return True
        if state in CAUSES and not on:
            particles = [state] if CAUSES[state] is SWITCH else []
            clause = Clause(CAUSES[state], begin, themes=list(found), particles=particles, last="theme")
            self._take_up(clause, at + 1, end)
            return True
        clause = Clause(PUT, begin, themes=list(found), last="theme")
        after = self._parts(clause, at, end)
        if clause.unread or not (clause.places or {"back", "away"} & set(clause.particles)):
            return False
        self._take_in(clause, after)
        self._rest(after, begin, end)
        return True

    # --- fragments

    def _verbless(self, at: int, end: int, segment: Segment, lead: str) -> bool:
        """Read things and where they go: "newspaper in the bin", "both lamps off", "and the lamp as well"."""
        if (
            self._word(at) == "with"
            or self._word(at) == "from"
            or self._word(at) == "to"
            or self._phrases.preposition(at) is not None
        ):
            return self._prepositional(at, end)
        word = self._word(at)
        further = verb_at(self._words, at)
        if self._topic and further is not None and further.form == "past" and further.sense:
            self._request(further, at, end)  # "the pan should be washed and LEFT on the counter"
            return True
        if self._with_result(at, end):
            return True
        spared = self._phrases.read(at + 1, bare=False) if word == "not" else None
        if spared is not None and self._segments.leads(spared.end, end) >= end and not self._lost:
            self._others.append(Told(quote=self._quote(at, end)))
            return True
        switched = (
            word in ("on", "off") and self._goals and self._last is not None and lead not in ("and", "then", "now")
        )
        if (
            switched
            and self._last is not None
            and self._last.verb.sense == "switch"
            and self._segments.leads(at + 1, end) >= end
            and "again" not in self._words[at:end]
        ):
            self._revoke()
            self._take_in(replace(self._last, particles=[word]), end)  # "switch it on. Er, OFF"
            return True
        if word in _BACK or self._clauses.matched(BACK, at) > at:
            begin = next((i for i in range(at, end) if self._words[i] == "with"), end)
            if word in ("back", "away") and begin < end:
                return self._prepositional(at, end)
            clause = Clause(SWITCH if word in ("on", "off") else PUT, at)
            after = self._parts(clause, at, end)
            if not clause.unread and all(_is_place(one.phrase.thing) for one in clause.places):
                self._take_in(clause, after)
                self._rest(after, at, end)
                return True
        found, after = self._phrases.list(at, bare=False)
        found = found or self._bare(at)
        if not found:
            return False
        after = found[-1].end
        single = found[0].thing.pronoun and found[0].thing.text in ("one", "ones") and self._last is None
        begin = next((i for i in range(end, len(self._words)) if self._words[i] not in STOPS | {",", "please"}), end)
        begin = self._segments.leads(begin, len(self._words))
        stop = next((i for i in range(begin, len(self._words)) if self._words[i] in STOPS), len(self._words))
        pointed = self._segments.verb(begin) is not None and bool(_POINTED & {*self._words[begin:stop]})
        if self._results(found, after, end) and self._to_be(found, after, at, end):
            return True
        holds = self._topic and not self._clauses.portable(found[0].thing) and self._clauses.vessel(found[0].thing)
        if holds and after >= end:
            self._take_in(Clause(PUT, at, places=[Place(Relation.AT, found[0])]), end)
            return True
        clause = Clause(PUT, at, themes=found, last="theme")
        last = self._parts(clause, after, end)
        if clause.unread:
            return False
        adds = lead == "and" or bool(_MORE & {*self._words[at:end]})
        pronoun = any(one.phrase.thing.pronoun for one in clause.places)
        plain = (
            not (clause.particles or pronoun)
            and (clause.places or clause.source is not None)
            and self._word(end) in (",", "please", "?")
            and "," not in self._words[at:last]
        )
        if pointed and plain and not (set(self._words[end:begin]) & {"and", "then"}):
            where = (clause.places or [clause.source])[0]
            clause.places = [where] if where is not None else []
            self._announce([*found[:-1], *self._there(clause)[-1:]], at, end)
            return True
        carried = all(any(self._lexicon.can(c, "pickup") for c in one.thing.categories) for one in found)
        toggles = any(self._lexicon.can(c, "toggle") for one in found for c in one.thing.categories)
        switched = [word for word in clause.particles if word in ("on", "off")]
        opens = any(self._lexicon.can(c, "open") for one in found for c in one.thing.categories)
        shown = {"open": "open", "closed": "close", "shut": "close"}
        lids = {"down": "close", "up": "open"} if opens and not carried else {}
        shown |= lids if not clause.places else {}
        states = [shown[word] for word in (*clause.particles, *clause.aside) if word in shown]
        if switched and ((toggles and not carried) or (not clause.places and (toggles or found[0].thing.pronoun))):
            clause.verb, clause.themes, clause.places = SWITCH, self._there(clause), []
        elif states and opens:
            clause.verb, clause.particles = Verb(states[0], states[0], "base", 0), []
        elif "out" in clause.particles and toggles and not clause.places:
            pass
        elif clause.places or clause.source is not None or {"away", "back", "down"} & set(clause.particles):
            again = self._last is not None and len(self._goals) > self._sentence
            if toggles and not carried and clause.places and again and self._last is not None:
                clause = replace(self._last, themes=self._there(clause), places=[], start=at, unread=[])
            elif (single and len(clause.places) == 1 and clause.source is None) or any(
                not _is_place(one.phrase.thing) for one in clause.places
            ):
                return False
            elif clause.source is not None and not clause.places:
                clause.verb = Verb("get", "get", "base", 0)
        elif self._last is not None and self._goals and segment.joined | adds:
            clause = replace(self._last, themes=found, start=at, unread=[])
        elif carried and not adds and "please" in self._words[at:end]:
            clause = Clause(BRING, at, themes=found, person="me")
        elif any(_is_place(one.thing) for one in found) and any(
            word.isalnum() and not self._small(i) for i, word in enumerate(self._words) if i >= end
        ):
            self._announce(found, at, last)
            if last < end:
                self._rest(last, at, end)
            return True
        else:
            return False
        self._take_in(clause, last)
        self._rest(last, at, end)
        return True

    def _with_result(self, at: int, end: int) -> bool:
        """Read a state behind a request that its things are to have by then: "the kettle on the stove, FILLED"."""
        before = self._last
        participle = base_form(self._word(at)) != self._word(at)
        ends = self._segments.leads(at + 1, end)
        ends = max(ends, self._clauses.matched(FORMULAS, ends))
        if (
            before is None
            or not self._goals
            or not participle
            or STATES.get(base_form(self._word(at)), "") not in CAUSES
            or ends < end
        ):
            return False
        count = len(self._frames.goals(before, ""))
        state = STATES[base_form(self._word(at))]
        particles = [state] if CAUSES[state] is SWITCH else []
        caused = Clause(CAUSES[state], at, themes=list(before.themes), particles=particles, last="theme")
        goals = self._frames.goals(caused, self._quote(at, at + 1))
        self._goals[len(self._goals) - count : len(self._goals) - count] = goals
        return True

    def _announce(self, found: list[Phrase], at: int, end: int) -> None:
        """Keep what a request is about, named before it: "ball: into the box", "laptop please close"."""
        self._topic = [replace(one, thing=one.thing.model_copy(update={"definite": True})) for one in found]
        self._others.append(Told(quote=self._quote(at, end), about=tuple(one.thing for one in self._topic)))
        self._waiting.append((at, end))

    def _results(self, found: list[Phrase], at: int, end: int) -> bool:
        """Whether things are named with the state that they are to have: "the fridge SHUT", "candle LIT"."""
        word = self._word(at)
        state = STATES.get(base_form(word), "")
        asked = word in ("open", "shut") or (base_form(word) != word and state not in ("broken", "dirty"))
        ends = self._segments.leads(at + 1, end) >= end or self._phrases.preposition(at + 1) is not None
        return state in CAUSES and asked and ends and at < end and all(one.thing.categories for one in found)

    def _prepositional(self, at: int, end: int) -> bool:
        """Read a place or a tool that stands apart, before its verb or behind it."""
        if self._word(at) == "with":
            tool = self._phrases.read(at + 1)
            if tool is None or tool.end < end:
                return False
            self._using = tool.thing
            self._waiting.append((at, end))
            return True
        clause = Clause(PUT, at)
        begin = next((i for i in range(at, end) if self._words[i] == "with"), end)
        found, further = self._phrases.list(begin + 1, bare=False) if begin < end else ([], end)
        while found and self._clauses.rest(further, 2) == "and with":
            more, further = self._phrases.list(further + 2, bare=False)
            found += more
        after = self._parts(clause, at, begin if found else end)
        if clause.unread or after == at or clause.at is not None or clause.seconds is not None:
            return False
        if found:  # "into the tub WITH IT"
            clause.themes, after = found, further
        if clause.themes:
            self._take_in(clause, after)
            self._rest(after, at, end)
            return True
        if self._topic:
            self._take_in(clause, after)
            return True
        if self._last is not None and self._goals:
            again = replace(self._last, places=[*self._last.places, *clause.places], unread=[])
            self._revoke()
            self._take_in(again, after)
            return True
        self._fronted, self._source = clause.places, clause.source
        self._waiting.append((at, end))
        return end < len(self._words)

    def _bare(self, at: int) -> list[Phrase]:
        phrase = self._phrases.read(at, bare=True, after=False)
        if phrase is None or verb_at(self._words, at) is not None or phrase.end - at > 3:
            return []
        return [phrase] if self._phrases.preposition(phrase.end) is not None else []

    def _there(self, clause: Clause) -> list[Phrase]:
        if not clause.places:
            return clause.themes
        where = clause.places[0].where
        return [replace(one, thing=one.thing.model_copy(update={"place": where})) for one in clause.themes]

    def _revoke(self) -> None:
        assert self._last is not None
        del self._goals[len(self._goals) - len(self._frames.goals(self._last, "")) :]

    # --- corrections

    def _corrects(self, at: int, end: int) -> int | None:
        """Read a correction of what was said before; return where the clause goes on, None where nothing is left."""
        begin = at
        while begin < end and self._words[begin] in (",", "-", "—"):
            begin += 1
        after = self._clauses.matched(CORRECTION, begin)
        said, self._marker = f"{self._marker} {self._clauses.rest(begin, after - begin)}".strip(), ""
        if self._words[end - 2 : end] in (["i", "mean"], ["i", "meant"]):  # "the teddy I MEAN"
            said, end = "i mean", end - 2
        if not said or self._last is None or not self._goals:
            return at if after == begin else after
        while self._word(after) in ("leave", "not") and (spared := self._phrases.read(after + 1)) is not None:
            if self._word(spared.end) != ",":
                break
            after = spared.end + 1  # "no, leave the keys, the pillow"
        if after >= end:
            if any(word.isalnum() for word in self._words[end:]):
                self._marker = said
            else:
                self._unread |= {i for i in range(at, end) if self._words[i].isalnum()}
            return None
        led = self._segments.leads(after, end)
        verb = self._segments.verb(led)
        if verb is None and not self._segments.led(led, end) > led and not self._segments.subject(after, end):
            clause = replace(self._last, themes=list(self._last.themes), places=list(self._last.places), unread=[])
            done = self._clauses.corrected(clause, after)
            if done is None:
                return after
            done = self._parts(clause, done, end)
            self._revoke()
            self._take_in(clause, done)
            return None
        alike = verb is not None and (
            verb.sense == self._last.verb.sense or {verb.sense, self._last.verb.sense} <= _MOVES
        )
        whole = bool({"just", "only"} & {*self._words[after:led]})
        if TAKES_BACK.match(said) is not None or alike:
            about = tuple(one.thing for one in self._last.themes)
            if whole:
                self._goals.clear()
                self._lost.clear()
            else:
                self._revoke()
            self._withdrawn = True
            self._others.append(
                Told(quote=self._quote(self._last.start, max(begin, self._last.start + 1)), about=about)
            )
        return after

    # --- what is told

    def _tell(self, at: int, end: int) -> None:
        """Note what is told, and of what."""
        quote = self._quote(at, end)
        if self._asked and self._word(end) == "?" and self._words[end - 1] not in ("ok", "okay", "alright"):
            found = read_question(quote + "?", self._lexicon, 0.0)
            self._others.append(found or Question(quote=quote, kind=Kind.TOLD))
            return
        about: tuple[Thing, ...] = ()
        for begin in range(at, end):
            named, after = self._phrases.list(begin, bare=False)
            if named and named[0].thing.text in ("one", "ones"):
                break  # "there should be ONE in the cupboard": of what was spoken of
            if named and not named[0].thing.pronoun:
                about = tuple(one.thing for one in named)
                place = next((i for i in range(after, end) if self._phrases.preposition(i) is not None), end)
                placed = self._placed(replace(named[0], end=place))[0] if place < end and len(named) == 1 else about[0]
                about = (placed, *about[1:])
                break
        self._others.append(Told(quote=quote, about=about if not self._goals else ()))

    def _placed(self, phrase: Phrase) -> tuple[Thing, int]:
        """Return a thing with the place that follows it, and the index after that."""
        preposition = self._phrases.preposition(phrase.end)
        inner = self._phrases.read(preposition[1], bare=False) if preposition is not None else None
        if preposition is None or inner is None or phrase.thing.place is not None:
            return phrase.thing, phrase.end
        return phrase.thing.model_copy(update={"place": Where(relation=preposition[0], thing=inner.thing)}), inner.end

    def _word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else ""

    def _quote(self, start: int, end: int) -> str:
        tokens = self._tokens[start : max(end, start + 1)]
        return self._text[tokens[0].start : tokens[-1].end] if tokens else ""


def _is_place(thing: Thing) -> bool:
    """Whether a thing may be where others are put."""
    return bool(thing.categories or thing.room or thing.pronoun or thing.floor or " " in thing.text)


def at_its_place(condition: Condition, goal: Goal) -> Condition:
    """Return a condition in which "there" is where the goal puts things."""
    place = condition.thing.place
    if place is None or place.thing.text not in ("there", "here") or goal.to is None:
        return condition
    thing = condition.thing
    if thing.pronoun and goal.thing is not None:
        thing = goal.thing
    return condition.model_copy(update={"thing": thing.model_copy(update={"place": goal.to})})
