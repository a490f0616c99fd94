# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests without an imperative: "the lamp should be off", "I'd like a cup", "newspaper in the bin"."""

from __future__ import annotations

import re
from dataclasses import replace

from karma_language.clauses import FORMULAS
from karma_language.frames import Clause, Place
from karma_language.needs import read_need
from karma_language.patterns import (
    BE,
    BRING,
    CAUSES,
    GOES,
    NEEDS,
    PUT,
    SURE,
    SWITCH,
    TO_BE,
    WANT,
)
from karma_language.phrases import BACK, Phrase
from karma_language.reading import (
    Deed,
    Goal,
    Need,
    Relation,
    Thing,
    Told,
)
from karma_language.telling import Telling
from karma_language.tokens import STOPS
from karma_language.verbs import Verb, verb_at
from karma_language.words import ADVERBS, AUXILIARIES, GENERIC, LIQUIDS, STATES, base_form


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
        asked = self._word(at) in ("can", "could", "may", "might", "would")  # "could the phone be moved to the desk?"
        if self._word(at) not in ("make", "have", "keep", "leave", "get") and not asked:
            return at
        found, end = self._phrases.list(at + 1, bare=False)
        end += self._word(end) in ("both", "all")
        stays = bool(found) and self._word(at) in ("keep", "leave") and found[0].thing.pronoun
        placed = self._phrases.preposition(end) is not None and self._phrases.read(end + 1) is not None
        if stays and self._goals and STATES.get(base_form(self._word(end))) and not placed:
            return end + 1  # "put it on the shelf, but LEAVE IT CLOSED"
        if found and (self._word(end) == "be" or not asked) and (passive := self._passive(found, end, at)):
            return passive
        if (
            not found
            or asked
            or (self._word(at) == "get" and STATES.get(base_form(self._word(end)), "") not in _BECOME)
            or STATES.get(base_form(self._word(end)), "") not in CAUSES
            or self._word(end) == "out"
        ):
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
        pause = next((i for i in range(end, self._stop(end)) if self._words[i] == ","), end)
        if self._word(pause + 1) == "so" and self._begins(pause + 2):
            self._tell(at, pause)  # "I'd like to read, SO turn on the lamp"
            return pause
        strange = not any(_is_place(one.thing) for one in found) and found[0].thing.text.split()[-1] not in GENERIC
        if strange and self._goals and self._word(after - 1) == "need" and self._phrases.is_word(self._word(end - 1)):
            self._tell(at, end := self._skip(at))
            return end  # "bring me the bear, I need a hug"
        placed, after = self._placed(found[-1])
        stated = STATES.get(base_form(self._word(after)), "") and self._phrases.preposition(after) is None
        if after > end and stated:  # "I want the cup on the desk washed"
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
        fixed = all(one.thing.categories and not self._clauses.portable(one.thing) for one in found)
        fixed = fixed and not {one.thing.text.split()[-1] for one in found} & LIQUIDS
        if fixed and (self._word(begin) not in STATES or self._phrases.preposition(begin) is not None):
            self._tell(at, end := self._skip(at))
            return end  # "I fancy a bath by candlelight"
        if wished := self._to_be(found, begin, at):
            return wished
        if found[0].thing.pronoun and found[0].thing.text not in ("one", "ones"):
            return self._told(at)
        clause = Clause(BRING, at, themes=found, person="me", last="theme")
        self._clauses.parts(clause, end)
        return self._take_in(clause, at)

    def _suffices(self, at: int) -> int:
        """Read which place will do: "put it away, ANY DRAWER IS FINE", "the bottle and ANY SHELF WILL DO"."""
        place = self._phrases.read(at)
        after = self._clauses.matched(_DO, place.end) if place is not None else at
        if place is None or after == place.end or not self._clauses.vessel(place.thing):
            return at
        homeless = self._last is not None and self._goals and self._frames.goals(self._last, "")[-1].to is None
        if not homeless or self._last is None or self._last.verb.sense not in ("put", "tidy", "take", "get", "return"):
            return at
        clause = replace(self._last, places=[Place(Relation.AT, place, moving=True)], unread=[])
        del self._goals[len(self._goals) - len(self._frames.goals(self._last, "")) :]
        clause.end = after
        return self._take_in(clause, clause.start)

    def _stated(self, at: int) -> int:
        """Read what is wanted of a thing that is named first: "the lamp should be off", "the cup goes in the sink"."""
        found, end = self._phrases.list(at, bare=False)
        if not found or self._word(end) in (",", ""):
            return at
        if self._results(found, end) and (after := self._to_be(found, end, at)):
            return after
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
        if (needed := self._clauses.matched(_NEEDED, end)) > end:  # "my keys IS WHAT I NEED"
            return self._take_in(Clause(BRING, at, needed, found, person="me"), at)
        better = self._clauses.matched(_BETTER, end)
        if better > end and (wished := self._to_be(found, better, at)):
            return wished  # "it WOULD LOOK NICER on the shelf"
        if begin > end:
            return self._to_be(found, begin, at) or self._passive(found, begin - 1, at) or at
        belongs = found[0].thing.pronoun and self._word(end) in ("belongs", "belong")
        begin = end + 1 if belongs else self._clauses.matched(GOES, end)
        general = found[0].thing.plural and not (found[0].thing.every or found[0].thing.pronoun)
        general = general and len(found) == 1 and self._word(end) == "go"
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
        while self._word(after) in ("and", "then", ",", "afterwards", "also"):
            after += 1
        further = verb_at(self._words, after) if after > end else None
        many = len(found) > 1 or found[0].thing.plural
        moved = [Phrase(Thing(text="them" if many else "it", pronoun=True, plural=many), end)]
        if further is not None and _past(further) and further.sense and self._phrases.read(after + 1) is None:
            return self._passive(moved, after, begin) or end
        if further is not None and further.base == "go":
            goes = Clause(PUT, begin, themes=moved, last="theme")
            self._clauses.parts(goes, after + 1)  # "should be washed and GO INTO THE FRIDGE"
            return self._take_in(goes, begin)
        return end

    def _to_be(self, found: list[Phrase], at: int, begin: int) -> int:
        """Read the state or the place that things are to have; return the index after it, 0 where there is none."""
        state = STATES.get(base_form(self._word(at)), "")
        on = state in ("on", "off") and self._phrases.read(at + 1, bare=False) is not None
        verb = verb_at(self._words, at)
        acts = verb is not None and _past(verb) and bool(verb.sense) and verb.base not in ("open", "close")
        if acts and (passive := self._passive(found, at, begin)):
            return passive
        if state in CAUSES and not on:
            clause = self._caused(state, found, begin)
            self._clauses.parts(clause, at + 1)
            end = self._take_in(clause, begin)
            further = verb_at(self._words, end + 1) if self._word(end) == "and" else None
            joined = further is not None and further.form == "past" and further.base != self._word(end + 1)
            return (joined and self._passive(found, end + 1, begin)) or end
        clause = Clause(PUT, begin, themes=found, last="theme")
        self._clauses.parts(clause, at)
        if clause.unread or not (clause.places or {"back", "away"} & set(clause.particles)):
            return 0
        return self._take_in(clause, begin)

    def _fronting(self, at: int) -> int:
        """Read a place before its verb: "on the table, put a plate", "from the shelf, take the vase"."""
        tool = self._phrases.read(at + 1) if self._word(at) == "with" else None
        held = self._clauses.matched(FORMULAS, tool.end) if tool is not None else at
        if tool is not None and self._word(held - 1) in ("hand", "hands", "arm", "arms"):
            quote = self._quote(at, held)
            self._add([Goal(quote=quote, do=Deed.HOLD, verb="hold", thing=tool.thing)])  # "WITH IT IN YOUR HAND, look"
            return held
        begin = tool.end + (self._word(tool.end) == ",") if tool is not None else at
        if tool is not None and self._verb(begin, gerund=False) is not None:
            self._using = tool.thing  # "WITH THE KNIFE, cut the bread"
            return begin
        source = self._word(at) == "from"
        preposition = (Relation.AT, at + 1) if source else self._phrases.preposition(at)
        phrase = self._phrases.read(preposition[1]) if preposition is not None else None
        if preposition is None or phrase is None:
            return at
        thing, end = self._placed(phrase)
        if self._word(end) == "there" and self._word(end + 1) in BE:
            self._tell(end, after := self._skip(at))  # "on the desk THERE'S a phone"
            return after
        end += self._word(end) == ","
        if not self._begins(end) or (self._word(end - 1) != "," and self._word(end) != "please"):
            return at
        place = Place(preposition[0], replace(phrase, thing=thing, end=end))
        self._fronted, self._source = (None, place) if source else (place, None)
        return end

    def _verbless(self, at: int) -> int:
        """Read things and where they go: "newspaper in the bin", "both lamps off", "off again"."""
        if at == self._opened and self._declarative.declares(at, self._skip(at)):
            return at  # "my grandpa carved this bowl in 1950"
        word = self._word(at)
        if word in ("on", "off") and self._word(at + 1) in STOPS | {"", ",", "again", "please", "now", "then"}:
            sequel = self._word(at + 1) in ("again", "now", "then") or self._word(at - 1) in ("and", "then", "now")
            if self._goals and self._last is not None and self._last.verb.sense == "switch" and not sequel:
                return self._instead(at, at + 1)  # "switch it on. Er, OFF"
            clause = Clause(SWITCH, at, particles=[word])
            self._clauses.parts(clause, at + 1)
            return self._take_in(clause, at)
        found, end = self._phrases.list(at, bare=False)
        if not found:
            found = self._bare_at(at)
            end = found[-1].end if found else at
        if not found and (end := self._goes_with(at)) > at:
            return end
        if not found and not self._goals and self._clauses.matched(BACK, at) > at:
            clause = Clause(PUT, at)
            self._clauses.parts(clause, at)  # "back to its old spot"
            return self._take_in(clause, at)
        if not found:
            placed = self._phrases.preposition(at) is not None or (self._word(at), self._word(at - 1)) == ("to", "then")
            if self._last is not None and placed and self._goals:
                return self._more(at)
            return at
        if (after := self._announced(found, end, at)) > at:
            return after
        asked = end + (self._word(end) == ",")
        carried = all(any(self._lexicon.can(c, "pickup") for c in one.thing.categories) for one in found)
        if carried and self._word(asked) == "please" and self._word(asked + 1) in STOPS | {"", ","}:
            return self._take_in(Clause(BRING, at, themes=found, person="me", end=asked + 1), at)  # "my keys, please"
        clause = Clause(PUT, at, themes=found, last="theme")
        self._clauses.parts(clause, end)
        opens = any(self._lexicon.can(c, "open") for one in found for c in one.thing.categories)
        shut = {"down": Deed.CLOSE, "up": Deed.OPEN}.get(self._word(end)) if opens else None
        if shut is not None and self._word(end + 1) in STOPS | {"", ",", "please", "now", "again"}:  # "lid down"
            self._add([Goal(quote=self._quote(at, clause.end), do=shut, thing=one.thing) for one in found])
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
        if clause.places or clause.source is not None or {"away", "back", "out", "down"} & set(clause.particles):
            if clause.source is not None and not clause.places:
                clause.verb = Verb("get", "get", "base", 0)
            return self._take_in(clause, at)
        if self._last is not None and self._goals and found[0].thing.definite | bool(found[0].thing.categories):
            before = self._last
            again = replace(before, themes=found, start=at, end=clause.end, unread=[])
            adds = any(self._word(i) in ("too", "also", "well") for i in range(at, clause.end))
            if adds or self._word(at - 1) in ("and", "then") or self._condition is not None:
                return self._take_in(again, at)
        return at

    def _caused(self, state: str, found: list[Phrase], at: int) -> Clause:
        """Return the clause that asks for a state of things."""
        particles = [state] if CAUSES[state] is SWITCH else []
        return Clause(CAUSES[state], at, themes=list(found), particles=particles, last="theme")

    def _with_result(self, at: int) -> int:
        """Read a state behind a request that its things are to have by then: "the kettle on the stove, FILLED"."""
        before = self._last
        participle = base_form(self._word(at)) != self._word(at)
        if before is None or not self._goals or not participle or not self._results(before.themes, at):
            return at
        count = len(self._frames.goals(before, ""))
        caused = self._caused(STATES[base_form(self._word(at))], before.themes, at)
        goals = self._frames.goals(caused, self._quote(at, at + 1))
        self._goals[len(self._goals) - count : len(self._goals) - count] = goals
        return self._clauses.parts(replace(before, unread=[]), at + 1)

    def _announced(self, found: list[Phrase], end: int, at: int, *, located: bool = False) -> int:
        """Read what a request is about, named before it: "ball: into the box", "laptop please close", "my keys. …"."""
        end += self._word(end) in ("too", "also", "there", "here") or 2 * (self._clauses.rest(end, 2) == "as well")
        after = end
        while self._word(after) in STOPS | {",", "please"}:
            after += 1
        begin, gerund = self._led(after)
        placed, further = self._placed(found[-1])
        if further > end and self._word(further) in STOPS | {","}:
            return self._announced([*found[:-1], Phrase(placed, further)], further, at, located=True)
        if after == end or not self._word(after) or not any(_is_place(one.thing) or one.thing.every for one in found):
            return at
        pause = set(self._words[end:after])
        verb = self._verb(begin, gerund)
        pointed = self._word(begin) in _POINTED or bool(_POINTED & set(self._words[begin : self._stop(begin) + 1]))
        clause = self._clauses.read(verb, begin) if verb is not None else None
        wished = (self._clauses.matched(pattern, begin + 1) for pattern in (GOES, TO_BE, NEEDS, _BETTER))
        goes = self._word(begin) in ("it", "they", "that") and max(wished) > begin + 1
        if (
            located
            and not pause & {"?", "...", "…"}
            and (self._word(after) in ("then", "and") or not (verb is not None and pointed))
        ):
            return at
        if (verb is not None and verb.sense and (pointed or not (clause and clause.themes))) or goes:
            known = [replace(one, thing=one.thing.model_copy(update={"definite": True})) for one in found]
            self._others.append(Told(quote=self._quote(at, end), about=tuple(one.thing for one in known)))
            self._topic = [] if pointed else known
            return end
        if pause <= {"please"}:
            return at
        if self._results(found, after):
            return self._to_be(found, after, at) or at
        place = self._phrases.read(after, bare=False)
        fixed = place is not None and (place.thing.room or not self._clauses.portable(place.thing))
        holds = bool(fixed and place is not None and self._clauses.vessel(place.thing))
        to = Clause(PUT, at, themes=list(found), last="theme")
        if holds and place is not None and self._word(place.end) in STOPS | {"", ",", "please"}:
            to.places, to.end = [Place(Relation.AT, place)], place.end
            return self._take_in(to, at)
        if self._clauses._relation(to, after)[0] is None or self._clauses.parts(to, after) == after:
            return at
        return self._take_in(to, at) if to.places and not to.unread and not to.themes[len(found) :] else at

    def _goes_with(self, at: int) -> int:
        """Read where something goes before what it is: "into the tub with it", "away with that"."""
        clause = Clause(PUT, at)
        end = next((i for i in range(at, len(self._words)) if self._words[i] in STOPS | {","}), len(self._words))
        begin = next((i for i in range(at, end) if self._words[i] == "with"), at)
        found, after = self._phrases.list(begin + 1, bare=False) if begin > at else ([], at)
        while found and self._clauses.rest(after, 2) == "and with":
            more, after = self._phrases.list(after + 2, bare=False)
            found += more
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

    def _revoke(self) -> None:
        """Drop the goals of the clause before."""
        assert self._last is not None
        del self._goals[len(self._goals) - len(self._frames.goals(self._last, "")) :]

    def _instead(self, at: int, least: int) -> int:
        """Put a noun phrase or a place in the place of what it corrects in the clause before."""
        assert self._last is not None
        clause = replace(self._last, themes=list(self._last.themes), places=list(self._last.places), unread=[])
        end = self._clauses.corrected(clause, at)
        end = self._clauses.parts(clause, max(end, least)) if end is not None else at
        if end == at:
            return at
        self._revoke()
        return self._take_in(replace(clause, end=end), clause.start)

    def _more(self, at: int) -> int:
        """Read a place behind a pause that belongs to the clause before: "put it in a drawer. In the kitchen"."""
        assert self._last is not None
        if self._word(at - 1) == "then" and self._last.places:  # "to the chair, THEN TO THE BED"
            further = Clause(self._last.verb, at, themes=list(self._last.themes), last="theme")
            end = self._clauses.parts(further, at)
            return at if further.unread or end == at else self._take_in(further, at)
        clause = replace(self._last, unread=[])
        before = len(self._frames.goals(self._last, ""))
        end = self._clauses.parts(clause, at)
        if clause.unread or end == at:
            return at
        del self._goals[len(self._goals) - before :]
        return self._take_in(replace(clause, end=end), clause.start)


_NEEDED = re.compile(r"(?:is|are) (?:what|the ones?) (?:i|we) (?:need|want|would like)(?= [.,!?]|$)")
_BETTER = re.compile(
    r"would (?:look|be|go|fit|stand) (?:[a-z]+ )?(?:nicer|better|well|nice|good|great|lovely|best|perfect|safer)\b"
)
_DO = re.compile(
    r"(?:(?:is|are|would be|will be) (?:just )?(?:fine|ok|okay|good|perfect|all right)|(?:will|would) do)\b"
)
_BECOME = frozenset(("hot", "cold", "clean", "filled", "empty"))
"""States that a thing gets: "get it cold"; "get the lamp on the desk" is about no lamp that is on."""
_POINTED = frozenset(("it", "them", "him", "her", "both", "these", "those"))


def _is_place(thing: Thing) -> bool:
    """Whether a thing may be where others are put."""
    return bool(thing.categories or thing.room or thing.pronoun or thing.floor or " " in thing.text)


def _past(verb: Verb) -> bool:
    """Whether a verb may be a participle: "washed", "put"."""
    return verb.form == "past" or verb.base in ("put", "set", "cut", "shut")
