# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests without an imperative: "the lamp should be off", "I'd like a cup", "newspaper in the bin"."""

from __future__ import annotations

from dataclasses import replace

from karma_language.frames import Clause, Place
from karma_language.needs import read_need
from karma_language.patterns import (
    BE,
    BRING,
    DEEDS,
    GOES,
    NEEDS,
    NOT,
    PUT,
    SURE,
    SWITCH,
    TO_BE,
    WANT,
)
from karma_language.phrases import Phrase
from karma_language.reading import (
    Goal,
    Need,
    Thing,
    Told,
    Where,
)
from karma_language.telling import Telling
from karma_language.tokens import STOPS
from karma_language.verbs import Verb, verb_at
from karma_language.words import ADVERBS, AUXILIARIES, STATES, base_form


class Wishes(Telling):
    """Reads requests that are no imperatives."""

    def _need(self, at: int) -> int:
        """Read what somebody suffers from: "it's dark in here"; what follows may say what would help."""
        end = self._skip(at)
        read = read_need(" ".join(self._words[at : end + 1]), self._quote(at, end))
        if read is None:
            return at
        self._others.append(read[0])
        return at + read[1]

    def _helped(self, at: int) -> int:
        """Read the answer to what was offered: "the floor lamp", "yes please"."""
        need = next((item for item in self._others if isinstance(item, Need)), None)
        if need is None or self._goals or not need.offers:
            return at
        offer = need.offers[0]
        named, end = self._phrases.list(at, bare=True)
        found = [one for one in named if one.thing.categories]
        if found and self._word(end) in STOPS | {"", ",", "is", "please", "would", "will"}:
            self._add([offer.model_copy(update={"thing": one.thing}) for one in found])
            return self._skip(end) if self._word(end) in ("is", "would", "will") else end
        if self._word(at) in ("yes", "yeah", "sure", "ok", "okay") and self._word(at + 1) in STOPS | {
            "",
            "please",
            "do",
        }:
            self._add([offer])
            return self._skip(at)
        return at

    def _made(self, at: int) -> int:
        """Read "make it hot", "have the door open"."""
        if self._word(at) not in ("make", "have", "keep", "leave"):
            return at
        found, end = self._phrases.list(at + 1, bare=False)
        if not found or STATES.get(base_form(self._word(end)), "") not in DEEDS or self._word(end) == "out":
            return at
        if self._phrases.preposition(end) is not None and self._phrases.read(end + 1, bare=True) is not None:
            return at
        return self._to_be(found, end, at) or at

    def _sure(self, at: int) -> int:
        """Read "make sure that the fridge is closed"."""
        after = self._clauses.matched(SURE, at)
        if after == at:
            return at
        if self._word(after) in ("you", "to"):
            verb = verb_at(self._words, after + 1)
            return after + 1 if verb is not None else at
        found, end = self._phrases.list(after, bare=False)
        if not found or self._word(end) not in BE:
            return at
        end += 1
        while self._word(end) in ADVERBS:
            end += 1
        return self._to_be(found, end, at) or at

    def _wish(self, at: int) -> int:
        """Read "I'd like a cup", "I want the lamp off", "can I have the book"."""
        after = self._clauses.matched(WANT, at)
        if after == at:
            return at
        found, end = self._phrases.list(after, bare=False)
        if not found:
            return at
        placed, after = self._placed(found[-1])
        if after > end and STATES.get(base_form(self._word(after)), ""):  # "I want the cup on the desk washed"
            found, end = [*found[:-1], Phrase(placed, after)], after
        if self._clauses.rest(end, 2) in ("to stand", "to sit", "to lie", "to go", "to stay", "to hang"):
            wished = self._to_be(found, end + 2, at)
            if not wished:
                wished = self._skip(at)
                self._unread += [(i, self._words[i]) for i in range(at, wished)]
            return wished
        following = self._word(end + 1) if self._word(end) in ("to", "be") else ""
        if following and self._word(end) == "to" and (passive := self._passive(found, end, at)):
            return passive
        begin = end + 1 if self._word(end) in BE else end
        if wished := self._to_be(found, begin, at):
            return wished
        if found[0].thing.pronoun and found[0].thing.text not in ("one", "ones"):
            return self._told(at)
        clause = Clause(BRING, at, themes=found, person="me", last="theme")
        self._clauses.parts(clause, end)
        return self._take_in(clause, at)

    def _stated(self, at: int) -> int:
        """Read what is wanted of a thing that is named first: "the lamp should be off", "the cup goes in the sink"."""
        found, end = self._phrases.list(at, bare=False)
        if not found or self._word(end) in (",", ""):
            return at
        placed, after = self._placed(found[-1])
        if after > end and self._word(after) in AUXILIARIES | {
            "goes": "",
            "go": "",
            "belongs": "",
            "belong": "",
            "needs": "",
            "need": "",
        }:
            found, end = [*found[:-1], Phrase(placed, after)], after
        while self._word(end) in ("now", "also", "then", "just", "actually"):
            end += 1
        begin = self._clauses.matched(TO_BE, end)
        if begin > end and self._word(begin - 1) == "be" and self._phrases.preposition(begin) is not None:
            return self._told(at)  # "the keys must be in the drawer"
        if begin > end:
            return self._to_be(found, begin, at) or self._passive(found, begin - 1, at) or at
        belongs = found[0].thing.pronoun and self._word(end) in ("belongs", "belong")
        begin = end + 1 if belongs else self._clauses.matched(GOES, end)
        general = found[0].thing.plural and not found[0].thing.every and self._word(end) == "go"
        if begin > end and general and self._word(at) not in ("all", "both"):
            self._tell(at, end := self._skip(at))  # what is generally so: "potatoes go in a cabinet"
            return end
        if begin > end:
            return self._to_be(found, begin, at) or at
        if self._word(end) in ("stays", "stay", "remains") and self._goals:
            self._spare(Clause(PUT, at, themes=found))
            return self._skip(end)
        begin = self._clauses.matched(NEEDS, end)
        if begin > end and self._word(begin) in ("a", "some"):  # "the fork needs a wash"
            begin += 1 + (self._word(begin + 1) in ("good", "quick", "little"))
            verb = verb_at(self._words, begin)
            if verb is not None and verb.sense in ("clean", "heat", "cool"):
                clause = Clause(verb, at, themes=found, last="theme")
                self._clauses.parts(clause, begin + verb.length)
                return self._take_in(clause, at)
        if begin > end and (verb := verb_at(self._words, begin)) is not None and verb.form == "ing" and verb.sense:
            clause = Clause(verb, at, themes=found, last="theme")
            self._clauses.parts(clause, begin + verb.length)
            return self._take_in(clause, at)
        return at

    def _passive(self, found: list[Phrase], at: int, begin: int) -> int:
        """Read "to be washed"; return the index after it, 0 where it isn't that."""
        while self._word(at) in ("to", "be", "get", "being"):
            at += 1
        verb = verb_at(self._words, at)
        if verb is None or not _past(verb) or not verb.sense:
            return 0
        clause = Clause(verb, begin, themes=list(found), last="theme")
        self._clauses.parts(clause, at + verb.length)
        end = self._take_in(clause, begin)
        after = end
        while self._word(after) in ("and", "then", ","):
            after += 1
        further = verb_at(self._words, after) if after > end else None
        if further is not None and further.form == "past" and further.base != self._word(after) and further.sense:
            return self._passive([replace(one, contents=()) for one in found], after, begin) or end
        return end

    def _to_be(self, found: list[Phrase], at: int, begin: int) -> int:
        """Read the state or the place that things are to have; return the index after it, 0 where there is none."""
        state = STATES.get(base_form(self._word(at)), "")
        on = state in ("on", "off") and self._phrases.read(at + 1, bare=False) is not None
        verb = verb_at(self._words, at)
        acts = verb is not None and _past(verb) and bool(verb.sense) and verb.base not in ("open", "close")
        if acts and (passive := self._passive(found, at, begin)):
            return passive
        if state in DEEDS and not on:
            quote = self._quote(begin, at + 1)
            self._add([Goal(quote=quote, do=DEEDS[state], verb=state, thing=one.thing) for one in found])
            clause = Clause(PUT, begin, themes=found)
            end = self._clauses.parts(clause, at + 1)
            self._unread += [(at, word) for word in clause.unread]
            further = verb_at(self._words, end + 1) if self._word(end) == "and" else None
            joined = further is not None and further.form == "past" and further.base != self._word(end + 1)
            return (joined and self._passive(found, end + 1, begin)) or end
        clause = Clause(PUT, begin, themes=found, last="theme")
        self._clauses.parts(clause, at)
        if clause.unread or not (clause.places or {"back", "away"} & set(clause.particles)):
            return 0
        return self._take_in(clause, begin)

    def _fronting(self, at: int) -> int:
        """Read a place before its verb: "on the table, put a plate"."""
        preposition = self._phrases.preposition(at)
        place = self._phrases.read(preposition[1]) if preposition is not None else None
        if preposition is None or place is None or self._word(place.end) != "," or not self._begins(place.end + 1):
            return at
        self._fronted = Place(preposition[0], place)
        return place.end

    def _verbless(self, at: int) -> int:
        """Read things and where they go: "newspaper in the bin", "both lamps off", "off again"."""
        if at == self._opened and self._declarative.declares(at, self._skip(at)):
            return at  # "my grandpa carved this bowl in 1950"
        word = self._word(at)
        if word in ("on", "off") and self._word(at + 1) in STOPS | {"", ",", "again", "please", "now", "then"}:
            clause = Clause(SWITCH, at, particles=[word])
            self._clauses.parts(clause, at + 1)
            return self._take_in(clause, at)
        found, end = self._phrases.list(at, bare=False)
        if not found:
            found = self._bare_at(at)
            end = found[-1].end if found else at
        if not found and not self._goals and (end := self._goes_with(at)) > at:
            return end
        if not found:
            if self._last is not None and self._phrases.preposition(at) is not None and self._goals:
                return self._more(at)
            return at
        asked = end + (self._word(end) == ",")
        carried = any(self._lexicon.can(c, "pickup") for one in found for c in one.thing.categories)
        if carried and self._word(asked) == "please" and self._word(asked + 1) in STOPS | {""}:
            return self._take_in(Clause(BRING, at, themes=found, person="me", end=asked + 1), at)  # "my keys, please"
        clause = Clause(PUT, at, themes=found, last="theme")
        self._clauses.parts(clause, end)
        opens = any(self._lexicon.can(c, "open") for one in found for c in one.thing.categories)
        shut = {"down": "closed", "up": "open"}.get(self._word(end), self._word(end)) if opens else ""
        ends = self._word(end + 1) in STOPS | {"", ",", "please", "now", "again"}
        if STATES.get(shut) in ("open", "closed") and ends:  # "lid down", "blinds open"
            self._add(
                [Goal(quote=self._quote(at, clause.end), do=DEEDS[STATES[shut]], thing=one.thing) for one in found]
            )
            return clause.end
        switched = [word for word in clause.particles if word in ("on", "off")]
        toggles = any(self._lexicon.can(c, "toggle") for one in found for c in one.thing.categories)
        if clause.unread or (self._clauses._subject(end) and not clause.places):
            return at
        if switched and not clause.places and (toggles or found[0].thing.pronoun):
            clause.verb = SWITCH
            return self._take_in(clause, at)
        strange = [one for one in clause.places if not _is_place(one.phrase.thing)]
        if strange:
            return at  # "dentist on Friday"
        if self._topic(clause.end) and len(clause.places) == 1 and not clause.particles:
            where = Where(relation=clause.places[0].relation, thing=clause.places[0].phrase.thing)
            things = tuple(one.thing.model_copy(update={"place": where}) for one in found)
            self._others.append(Told(quote=self._quote(at, clause.end), about=things))
            return clause.end  # "the book on the desk, bring it to me"
        if clause.places or clause.source is not None or {"away", "back", "out", "down"} & set(clause.particles):
            if clause.source is not None and not clause.places:
                clause.verb = Verb("get", "get", "base", 0)
            return self._take_in(clause, at)
        if self._word(clause.end) == "," and not clause.places and self._begins(clause.end + 1):
            self._others.append(Told(quote=self._quote(at, clause.end), about=(found[-1].thing,)))
            return clause.end
        if self._last is not None and self._goals and found[0].thing.definite | bool(found[0].thing.categories):
            before = self._last
            again = replace(before, themes=found, start=at, end=clause.end, unread=[])
            adds = any(self._word(i) in ("too", "also", "well") for i in range(at, clause.end))
            if adds or self._word(at - 1) in ("and", "then") or self._condition is not None:
                return self._take_in(again, at)
        return at

    def _topic(self, at: int) -> bool:
        """Whether what stands before a comma is what the request behind it calls "it"."""
        forbids = self._clauses.matched(NOT, at + 1) > at + 1
        if self._word(at) != "," or forbids or not self._begins(at + 1) or self._word(at + 1) in ("then", "and"):
            return False
        end = next((i for i in range(at, len(self._words)) if self._words[i] in STOPS), len(self._words))
        return bool({"it", "them"} & set(self._words[at:end]))

    def _goes_with(self, at: int) -> int:
        """Read where something goes before what it is: "into the tub with it", "away with that"."""
        clause = Clause(PUT, at)
        end = next((i for i in range(at, len(self._words)) if self._words[i] in STOPS | {","}), len(self._words))
        begin = next((i for i in range(at, end) if self._words[i] == "with"), at)
        found, after = self._phrases.list(begin + 1, bare=False) if begin > at else ([], at)
        if not found or self._clauses.parts(clause, at) < begin or clause.themes or clause.unread:
            return at
        clause.using, clause.themes, clause.end = None, found, after
        return self._take_in(clause, at) if clause.places or "away" in clause.particles else at

    def _bare_at(self, at: int) -> list[Phrase]:
        """Return an unknown noun without determiner that a place follows."""
        phrase = self._phrases.read(at, bare=True, after=False)
        if phrase is None or verb_at(self._words, at) is not None or phrase.end - at > 3:
            return []
        preposition = self._phrases.preposition(phrase.end)
        place = self._phrases.read(preposition[1]) if preposition is not None else None
        known = place is not None and (place.thing.categories or place.thing.room or place.thing.pronoun)
        return [phrase] if known else []

    def _more(self, at: int) -> int:
        """Read a place behind a pause that belongs to the clause before: "put it in a drawer. In the kitchen"."""
        assert self._last is not None
        clause = replace(self._last, unread=[])
        before = len(self._frames.goals(self._last, ""))
        end = self._clauses.parts(clause, at)
        if clause.unread or end == at:
            return at
        del self._goals[len(self._goals) - before :]
        return self._take_in(replace(clause, end=end), clause.start)


def _is_place(thing: Thing) -> bool:
    """Whether a thing may be where others are put."""
    return bool(thing.categories or thing.room or thing.pronoun or thing.floor or " " in thing.text)


def _past(verb: Verb) -> bool:
    """Whether a verb may be a participle: "washed", "put"."""
    return verb.form == "past" or verb.base in ("put", "set", "cut", "shut")
