# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests without a verb: "newspaper in the bin", "both lamps off", "and the lamp as well"."""

from __future__ import annotations

import re
from dataclasses import replace

from karma_language.phrases.clause_parts import BRING, CAUSES, PUT, SWITCH, Clause, Place
from karma_language.phrases.frames import is_brewed
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.prepositions import FROM
from karma_language.phrases.set_phrases import BACK, IN_HAND
from karma_language.reading import Deed, Goal, Told
from karma_language.syntax.segments import Segment
from karma_language.syntax.utterance import BE, CLOSED, LEADING_PARTICLES
from karma_language.syntax.wishes import Wishes
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.tokens import STOPS
from karma_language.vocabulary.verbs import Verb, verb_at
from karma_language.vocabulary.words import AUXILIARIES, DETERMINERS, STATES, base_form, each

_POINTED = frozenset(("it", "them", "him", "her", "both", "these", "those"))
_MORE = frozenset(each("too also as well next then first instead"))
_ASKED = frozenset(each("please could would will can"))
"""Words that make a request of a fragment with a question mark."""
_AGAIN = re.compile(
    r"(?:(?:do|repeat) (?:it|that|this)|(?:(?:do|repeat) )?(?:the )?same(?: thing)?"
    r"|(?:and )?(?:again|once (?:more|again)|one more time))(?: (?:again|once (?:more|again)|one more time))?\b"
)
""""Do that again", "the same"."""
_NOT_THAT = re.compile(r"\bnot (?:that|this|these|those)\b")
_ONE_MORE = re.compile(r"(?:and )?(?:just )?one more\b(?: of (?:those|them|these))?(?: for (?:me|us|him|her|them)\b)?")


class Fragments(Wishes):
    """Reads fragments."""

    def _verbless(self, at: int, end: int, segment: Segment, lead: str) -> bool:
        """Read things and where they go: "newspaper in the bin", "both lamps off", "and the lamp as well"."""
        begin = next((i for i in range(end, len(self._words)) if self._words[i] not in STOPS | {",", "please"}), end)
        begin = self._segments.leads(begin, len(self._words))
        if self._word(begin) in AUXILIARIES and self._word(begin + 1) == "you":  # "the lamp, WOULD YOU SWITCH IT ON?"
            begin += 2
        if self._word(begin) in ("it", "they") and self._word(begin + 1) in BE:  # "the mug, IT IS DIRTY, wash it"
            pauses = (i for i in range(begin, len(self._words)) if self._words[i] in STOPS | {","})
            begin = self._segments.leads(next(pauses, len(self._words)) + 1, len(self._words))
        stop = next((i for i in range(begin, len(self._words)) if self._words[i] in STOPS), len(self._words))
        pointed = self._segments.verb(begin) is not None and any(map(self._points, range(begin, stop)))
        resumed = pointed or self._phrases.preposition(begin) is not None  # "the box? TO THE FLOOR"
        if self._asked and _ASKED.isdisjoint(self._words[at : self._stop]) and not resumed:
            return False  # "knife still in the sink?"
        while (opening := self._remark(at, end)) > at:
            at = opening
        at += self._word(at) == "anywhere" and self._phrases.preposition(at + 1) is not None
        if self._topic and self._word(at) in ("all", "both", "everything") and self._phrases.preposition(at + 1):
            at += 1  # "pen, pencil, book. ALL IN THE BOX"
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
        if word == "not" and self._word(at + 1) in ("there", "here") and at + 2 >= end:
            self._tell(at, end)  # "NOT THERE. Look for it"
            return True
        there = self._phrases.preposition(at + 1)  # "in the cabinet, NOT ON THE SINK"
        spared = self._phrases.read(at + 1 if there is None else there[1], bare=False) if word == "not" else None
        instead = spared is not None and self._word(spared.end) in (",", "but") and not self._goals
        if spared is not None and instead:
            at = spared.end + 1  # "not that one, THE ONE IN THE BEDROOM"
        instead |= not self._goals and _NOT_THAT.search(" ".join(self._words[:at])) is not None
        if spared is not None and self._segments.leads(spared.end, end) >= end and not self._lost:
            about = () if self._goals else (spared.thing,)  # "NOT THE BREAD! It goes stale"
            self._others.append(Told(quote=self._quote(at, end), about=about))
            return True
        again = lead in ("and", "then", "now") or "again" in self._words[at:end]
        switched = self._last is not None and self._last.verb.sense == "switch" and self._goals and not again
        if word in ("on", "off") and switched and self._last and self._segments.leads(at + 1, end) >= end:
            self._revoke()
            self._take_in(replace(self._last, particles=[word]), end)  # "switch it on. Er, OFF"
            return True
        if word in LEADING_PARTICLES | {"up"} and "with" in self._words[at:end]:
            return self._prepositional(at, end)  # "OUT WITH the knife"
        if word in LEADING_PARTICLES or self._phrases.matched(BACK, at) > at:
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
        placed, ends = self._placed(found[-1])
        whence = self._phrases.read(ends + 1, bare=False) if instead and self._word(ends) in FROM else None
        if whence is not None:
            placed, ends = found[-1].told(place=Place(Relation.AT, whence).where).thing, whence.end
        alone = len(found) == 1 and placed.place is not None and not self._goals
        adds = bool(_MORE & {*self._words[ends:end]}) or (lead in ("and", "also") and not resumed) or instead
        if alone and self._further(ends, end) >= end and adds:
            return self._as_before([replace(found[0], thing=placed)], at, end)  # "the one on the desk, TOO"
        single = found[0].thing.pronoun and found[0].thing.text in ("one", "ones") and self._last is None
        if self._results(found, after, end) and self._to_be(found, after, at, end):
            return True
        holds = self._topic and not self._phrases.portable(found[0].thing) and self._phrases.vessel(found[0].thing)
        if holds and after >= end:
            self._take_in(Clause(PUT, at, places=[Place(Relation.AT, found[0])]), end)
            return True
        clause = Clause(PUT, at, themes=found, last="theme")
        begins = self._further(after, end)
        more = bool(_MORE & {*self._words[after:begins]})
        adds = more or "and" in self._words[segment.begin : at]
        joint = next((i for i in range(after, begins) if self._word(i) in (",", "and", "n")), begins)
        last = self._parts(clause, joint if more else after, end)  # "the pen too, AND THE PENCIL"
        if clause.unread:
            return False
        if clause.person == "me" and not clause.places:
            clause.verb = BRING  # "the mug, HERE TO ME"
            self._take_in(clause, last)
            self._rest(last, at, end)
            return True
        pronoun = bool(self._goals) and any(one.phrase.thing.pronoun for one in clause.places)
        plain = (
            not (clause.particles or pronoun)
            and (clause.places or clause.source is not None)
            and self._word(end) in (",", "please", "?")
            and "," not in self._words[at:last]
        )
        if pointed and plain and not (set(self._words[end:begin]) & {"and", "then"}):
            clause.places = clause.places[:1] or ([clause.source] if clause.source is not None else [])
            self._announce([*found[:-1], *self._there(clause)[-1:]], at, end)
            return True
        carried = all(self._phrases.portable(one.thing) for one in found)
        toggles = any(self._lexicon.any_can(one.thing.categories, "toggle") for one in found)
        turned = [one for one in clause.particles if one in ("on", "off")]
        opens = any(self._lexicon.any_can(one.thing.categories, "open") for one in found)
        shown = {"open": "open", "closed": "close", "shut": "close"}
        lids = {"down": "close", "up": "open"} if opens and not carried else {}
        shown |= lids if not clause.places else {}
        states = [shown[word] for word in (*clause.particles, *clause.aside) if word in shown]
        if turned and ((toggles and not carried) or (not clause.places and (toggles or found[0].thing.pronoun))):
            clause.verb, clause.themes, clause.places = SWITCH, self._there(clause), []
        elif turned and not (clause.places or clause.source):
            return False  # "Leo, SHOES OFF!"
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
                source = clause.source.where
                also = {"too", "also", "well"} & {*self._words[at:end]}
                if also and self._as_before([one.told(place=source) for one in found], at, end):
                    return True  # "and the tomato FROM THE FRIDGE as well"
                clause.verb = Verb("get", "get", "base", 0)
        elif self._last is not None and self._goals and segment.joined | adds:
            clause = replace(self._last, themes=found, start=at, unread=[])
        elif (carried and not adds and "please" in self._words[at:end]) or (
            len(found) == 1 and is_brewed(found[0].thing) and self._further(after, end) >= end
        ):
            clause = Clause(BRING, at, themes=found, person="me")
        elif more and last >= end and not resumed and self._word(end) != ":" and self._as_before(found, at, end):
            return True
        elif any(_is_place(one.thing) for one in found) and any(
            word.isalnum() and not self._small(i) for i, word in enumerate(self._words) if i >= end
        ):
            self._announce(found, at, last)
            if last < end:
                self._rest(last, at, end)
            return True
        else:
            marked = at > 0 or found[0].thing.other  # "NOW the mug", "the OTHER mug"
            return marked and last >= end and self._as_before(found, at, end)
        self._take_in(clause, last)
        self._rest(last, at, end)
        return True

    def _remark(self, at: int, end: int) -> int:
        """Return the index after a remark before a fragment: "NICE, the pot as well", "AWW the apple then"."""
        comma = next((i for i in range(at, end) if self._words[i] == ","), at)
        if at < comma < end and self._idle(at, comma):
            return self._segments.leads(comma + 1, end)
        after = self._segments.leads(at + 1, end)
        exclaims = self._word(at) not in CLOSED and self._phrases.preposition(at) is None and self._idle(at, at + 1)
        return after if exclaims and after < end and self._word(after) in DETERMINERS else at

    def _again(self, at: int, end: int) -> bool:
        """Read that the request before is meant once more, or with other things: "do the same with the cup"."""
        more = self._phrases.matched(_ONE_MORE, at)
        if more > at and self._further(more, end) >= end:
            return self._as_before([Phrase(Thing(text="one", pronoun=True, other=True), more)], at, end)
        after = self._phrases.matched(_AGAIN, at)
        if after == at or after > end:
            return False
        found: list[Phrase] = []
        if self._word(after) in ("with", "for", "to"):
            found, after = self._phrases.list(after + 1, bare=True)
        if self._further(after, end) < end:
            return False
        return self._as_before(found, at, end)

    def _further(self, at: int, end: int) -> int:
        """Return the index after words that only say that there is more: "too", "as well", "next"."""
        while at < end and (self._small(at) or self._word(at) in _MORE):
            at += 1
        return at

    def _as_before(self, found: list[Phrase], at: int, end: int, to: Where | None = None) -> bool:
        """Ask for what was asked for before this utterance, with things or to a place that are named alone."""
        again = all(goal.do is Deed.SAME and goal.to is None for goal in self._goals)
        if not again or self._never or not all(_known(one.thing) for one in found):
            return False
        if all(goal.thing is None for goal in self._goals) or not found:
            self._goals.clear()  # "AGAIN! Now the mug"
        quote = self._quote(at, end)
        goal = Goal(quote=quote, do=Deed.SAME, verb="do", to=to)
        self._goals += [goal.model_copy(update={"thing": one.thing}) for one in found] or [goal]
        return True

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
            held = self._phrases.matched(IN_HAND, tool.end) if tool is not None else at
            if tool is not None and held >= end and held > tool.end:
                self._goals.append(Goal(quote=self._quote(at, end), do=Deed.HOLD, verb="hold", thing=tool.thing))
                return True
            if tool is None or tool.end < end:
                return False
            self._using = tool.thing
            self._waiting.append((at, end))
            return True
        clause = Clause(SWITCH if self._word(at) in ("on", "off") and self._word(at + 1) == "with" else PUT, at)
        begin = next((i for i in range(at, end) if self._words[i] == "with"), end)
        found, further = self._phrases.list(begin + 1, bare=False) if begin < end else ([], end)
        while found and self._phrases.rest(further, 2) == "and with":
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
            onward = self._word(at - 1) == "then" and bool(self._last.places)  # "to the chair, THEN TO THE BED"
            again = replace(self._last, places=[*self._last.places, *clause.places], unread=[])
            if onward:
                again = replace(again, places=clause.places, start=at)
            else:
                self._revoke()
            self._take_in(again, after)
            self._rest(after, at, end)
            return True
        ends = all(map(self._small, range(end, len(self._words))))
        to = clause.places[0].phrase.thing if len(clause.places) == 1 else None
        if ends and to is not None and clause.source is None and (_known(to) or to.is_room):
            return self._as_before([], at, end, clause.places[0].where)
        self._fronted, self._source = clause.places, clause.source
        self._waiting.append((at, end))
        return end < len(self._words)

    def _points(self, at: int) -> bool:
        """Whether a word is a pronoun for what was named: "switch THAT on", but not "that lamp"."""
        if self._word(at) not in ("that", "this"):
            return self._word(at) in _POINTED
        phrase = self._phrases.read(at, bare=False)
        return phrase is not None and phrase.thing.pronoun

    def _bare(self, at: int) -> list[Phrase]:
        phrase = self._phrases.read(at, bare=True, after=False)
        if phrase is None or verb_at(self._words, at) is not None or phrase.end - at > 3:
            return []
        return [phrase] if self._phrases.preposition(phrase.end) is not None else []

    def _there(self, clause: Clause) -> list[Phrase]:
        if not clause.places:
            return clause.themes
        where = clause.places[0].where
        return [one.told(place=where) for one in clause.themes]


def _known(thing: Thing) -> bool:
    """Whether words name something of a home, or one more of what was spoken of."""
    return bool(thing.categories or (thing.pronoun and (thing.other or thing.attributes or thing.place)))


def _is_place(thing: Thing) -> bool:
    """Whether a thing may be where others are put."""
    return bool(thing.categories or thing.room or thing.pronoun or thing.floor or " " in thing.text)
