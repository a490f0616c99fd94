# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests with a verb, what forbids something, and what takes back or corrects what was asked for."""

from __future__ import annotations

from dataclasses import replace

from karma_language.parser import parse_words, subject_of
from karma_language.phrases.clause_parts import PUT, Clause
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.set_phrases import CORRECTION, FILLERS, TAKES_BACK
from karma_language.phrases.sparing import is_one
from karma_language.reading import Deed, Goal, Kind, Question, Told
from karma_language.syntax.fragments import Fragments
from karma_language.syntax.segments import LEADS, REPORTS, Segment
from karma_language.things import Thing
from karma_language.vocabulary.verbs import Verb, verb_at
from karma_language.vocabulary.word_meanings import Sort, means
from karma_language.vocabulary.words import QUESTION_WORDS, each

_MOVES = frozenset(("put", "bring", "take", "get", "give", "discard", "throw", "tidy", "return"))
_SPOTS = frozenset(each("spot place space room"))
_ROLES = frozenset(each("with without from to of except if unless"))
_CONTRARY = {Deed.OPEN: Deed.CLOSE, Deed.SWITCH_ON: Deed.SWITCH_OFF}
_THEN = frozenset(each("when while if unless at until before after overnight again"))
"""What says when something is not to be left so: not now, or not only."""
_ALLOWS = frozenset(each("must should may shall ought"))


class Imperatives(Fragments):
    """Reads clauses that begin with a verb, and corrections."""

    def _request(self, verb: Verb, at: int, end: int) -> None:
        if self._tool(verb, at, end) or self._reported(at, end) or self._sure(at, end) or self._made(at, end):
            return
        clause = Clause(verb, at)
        if verb.base == "go" and self._topic and (self._topic[0].thing.pronoun or self._source is not None):
            clause = Clause(PUT, at, themes=[*self._topic], last="theme")  # "it should be washed AND GO in the fridge"
        after = self._parts(clause, at + verb.length, end)
        if "together" in clause.aside and [one.thing.text for one in clause.themes] == ["one"]:
            clause.themes = [Phrase(Thing(text="them", pronoun=True, plural=True), after)]  # "ONE beside THE OTHER"
        if verb.form == "ing" and verb.sense == "get" and len(self._goals) > self._sentence:
            self._take_in(clause, after, first=True)  # "…, RETRIEVING a knife to slice it"
            self._rest(after, at, end)
            return
        last = next((i for i in range(after - 1, at, -1) if self._word(i) not in ("please", ",", "though")), at)
        if self._word(last) == "first" and self._goals and self._last is not None:
            if all(one.thing.pronoun and not is_one(one.thing) for one in clause.themes):
                clause.themes = list(self._last.themes)  # "put the mug away. Wait, wash it FIRST"
            self._take_in(clause, after, first=True)
            return
        stays = verb.base in ("leave", "keep") and any(one.thing.pronoun for one in clause.themes) and not clause.places
        if stays and self._goals and clause.particles:
            return
        self._take_in(clause, after)
        self._rest(after, at, end)

    def _gerund(self, at: int) -> Verb | None:
        verb = self._segments.verb(at, ("ing",))
        asks = self._goals or not self._segments.subject(at, self._stop)
        return verb if verb is not None and verb.sense and asks else None

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
        self._segment(Segment(to + 1, end))
        return True

    def _reported(self, at: int, end: int) -> bool:
        """Read a question that is to be answered when all is done: "tell me what was in it"."""
        begin = next((i for i in range(at, end) if self._words[i] in QUESTION_WORDS | {"if", "whether"}), end)
        lead = {*self._words[at:begin]}
        if begin in (end, at) or not lead <= REPORTS | LEADS:
            return False
        quote = self._quote(begin, end)
        self._others.append(self._question(begin, end) or Question(quote=quote, kind=Kind.TOLD))
        return True

    def _left_so(self, verb: Verb, at: int, end: int) -> bool:
        """Read what is not to be left as it is, as a request for the contrary: "don't LEAVE THE LIGHT ON"."""
        if _THEN & {*self._words[at:end]}:
            return False
        goals, lost = len(self._goals), len(self._lost)
        self._request(verb, at, end)
        left, self._goals[goals:] = self._goals[goals:], []
        if len(self._lost) == lost and left and all(goal.do in _CONTRARY for goal in left):
            self._goals += [goal.model_copy(update={"do": _CONTRARY[goal.do]}) for goal in left]
            return True
        del self._lost[lost:]
        return False

    def _prohibition(self, at: int, begin: int, end: int) -> None:
        if at >= end or self._word(at) == ",":
            self._lose(begin, end)  # "do not, under any circumstances, …"
            return
        if self._word(at) in ("bother", "worry", "mind", "need", "have", "forget"):
            inner = self._segments.led(begin, end) if self._word(at) == "forget" else begin
            if (verb := verb_at(self._words, inner)) is not None and inner > begin:
                self._request(verb, inner, end)  # "don't forget to CLOSE it"
            return
        verb = verb_at(self._words, at) or Verb(self._word(at), "", "base", 1)
        if verb.base == "leave" and self._left_so(verb, at, end):
            return
        clause = Clause(verb, at)
        stop = next((i for i in range(at, end) if self._word(i) == "but"), end) if self._word(begin) == "do" else end
        clause.end = self._parts(clause, at + verb.length, stop - (self._word(stop - 1) == ","))
        if self._goals and not clause.themes:
            return
        anything = any(means(one.thing.last_word, Sort.ANYTHING) for one in clause.themes)
        if stop < end and not anything:  # "do not put it in the fridge BUT ON THE TABLE"
            otherwise = Clause(verb, begin, person=clause.person)
            after = self._parts(otherwise, stop + 1, end)
            otherwise.themes = otherwise.themes or clause.themes
            otherwise.particles = otherwise.particles or clause.particles
            self._take_in(otherwise, after)
            self._rest(after, begin, end)
            return
        quote = self._quote(begin, end)
        self._never += self._frames.goals(clause, quote) or [Goal(quote=quote, do=Deed.OTHER, verb=verb.base)]
        self._last = clause

    def _ruled_out(self, at: int, end: int) -> bool:
        """Read what nobody may do, or ever does: "the safe must never be opened", "nobody ever lights it"."""
        doc = parse_words(tuple(self._words[at:end]))
        root = next((node for node in doc or () if node.dep_ == "ROOT"), None)
        subject = subject_of(root) if root is not None else None
        if root is None or subject is None:
            return False
        nobody = subject.lower_ in ("nobody", "none") or subject.left_edge.lower_ == "no"
        never = nobody and root.tag_ in ("VBZ", "VBP") and {"ever", "else"} & {*self._words[at:end]}
        if not (never or any(c.lower_ in _ALLOWS for c in root.children)):
            return False
        passive = subject.dep_ == "nsubjpass" and any(c.dep_ == "neg" for c in root.children)
        verb = verb_at(self._words, at + root.i) or Verb(root.lemma_, "", "base", 1)
        clause = Clause(verb, at, themes=self._phrases.list(at + subject.left_edge.i)[0] if passive else [])
        self._parts(clause, at + root.i + verb.length, end)
        if not (nobody or passive) or not clause.themes:
            return False
        self._tell(at, end)
        self._never += self._frames.goals(clause, self._quote(at, end))
        return True

    def _beside(self, at: int, end: int, segment: Segment) -> bool:
        """Whether words say what for, what comes of it, or instead of what: "to free the table", "making it nicer"."""
        if self._phrases.rest(at, 2) in ("rather than", "instead of"):
            spared = self._phrases.read(at + 2, bare=True)
            if spared is not None and spared.end >= end:
                return True
        doc = parse_words(tuple(self._words[at:end]))
        leads = not segment.joined and end < self._stop and doc is not None and doc[0].pos_ in ("ADP", "SCONJ")
        if self._word(at) == "instead" or (
            leads and self._word(at) not in _ROLES and not self._phrases.preposition(at)
        ):
            return True  # "despite the space on the shelf, …"
        if self._words[at - 1 : at + 2] == ["so", "you", "can"] and self._goals:
            return True  # "switch it on SO YOU CAN have a look"
        verb = verb_at(self._words, at + (self._word(at) == "to"))
        more = any(word.isalnum() for word in self._words[end:])
        if self._word(at) == "to" and not segment.joined and more and not any(map(self._names_thing, range(at, end))):
            return True  # "just TO CHECK, who is that?"
        if not (segment.joined and self._goals):
            return False
        if self._word(at) != "to":
            return self._word(at).endswith("ing") and (verb is None or not verb.sense)
        clause = Clause(verb, at) if verb is not None and verb.sense else None
        if clause is not None and verb is not None:
            self._parts(clause, at + 1 + verb.length, end)
        place = self._phrases.read(at + 1) if verb is None else None
        return place is None and (clause is None or (bool(clause.themes) and not self._known(clause)))

    def _corrects(self, at: int, end: int) -> int | None:
        """Read a correction of what was said before; return where the clause goes on, None where nothing is left."""
        begin = at
        while begin < end and self._words[begin] in (",", "-", "—"):
            begin += 1
        after = self._phrases.matched(CORRECTION, begin)
        said, self._marker = f"{self._marker} {self._phrases.rest(begin, after - begin)}".strip(), ""
        if self._words[end - 2 : end] in (["i", "mean"], ["i", "meant"]):  # "the teddy I MEAN"
            said, end = "i mean", end - 2
        if not said or self._last is None or not self._goals:
            return at if after == begin else after
        if after >= end and self._lost and self._words[self._lost[-1][0] : self._lost[-1][1]] == ["if", "not"]:
            self._lost.pop()
            self._tell(begin, end)  # "if not, FORGET IT"
            return None
        while self._word(after) in ("leave", "not") and (spared := self._phrases.read(after + 1)) is not None:
            if self._word(spared.end) != ",":
                break
            after = spared.end + 1  # "no, leave the keys, the pillow"
        if after >= end:
            if any(word.isalnum() for word in self._words[end:]):
                self._marker = said
            else:
                said_so = (i for i in range(at, end) if self._words[i].isalnum())
                self._unread |= {i for i in said_so if self._words[i] not in FILLERS}  # "…, sorry" takes nothing back
            return None
        led = self._segments.leads(after, end)
        verb = self._segments.verb(led)
        if verb is None and not self._segments.led(led, end) > led and not self._segments.subject(after, end):
            clause = replace(self._last, themes=list(self._last.themes), places=list(self._last.places), unread=[])
            done = self._clauses.corrected(clause, after)
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
            self._others.append(
                Told(quote=self._quote(self._last.start, max(begin, self._last.start + 1)), about=about)
            )
        return after
