# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Requests without an imperative: "the lamp should be off", "I'd like a cup", "make it hot"."""

from __future__ import annotations

from dataclasses import replace

from karma_language.parser import parse_words
from karma_language.phrases.clause_parts import BRING, CAUSES, HOLD, PUT, SWITCH, Clause, Place
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.prepositions import FROM
from karma_language.phrases.set_phrases import IN_HAND, WANTS_STATE
from karma_language.reading import Deed
from karma_language.syntax.conditions import Conditions
from karma_language.syntax.utterance import BE
from karma_language.things import Relation, Thing
from karma_language.vocabulary.verbs import Verb, verb_at
from karma_language.vocabulary.words import ADVERBS, AUXILIARIES, DETERMINERS, LIQUIDS, STATES, base_form, each

_DUE = frozenset(each("should must ought shall needs need has have"))
_WANTS = frozenset(each("want need require fancy"))
_LIKES = frozenset(each("like love prefer rather"))
_WISHING = (
    _WANTS
    | _LIKES
    | frozenset(each("i we would should have get see to can could may might really also just please use"))
)
_BECOME = frozenset(("hot", "cold", "clean", "filled", "empty"))
"""States that a thing gets: "get it cold"; "get the lamp on the desk" is about no lamp that is on."""
_FINE = frozenset(each("fine ok okay good perfect alright best"))
_URGENT = frozenset(each("so before until otherwise now please immediately afterwards afterward eventually"))
"""Words that show that what should be somewhere is to be put there, rather than believed to be there."""
_STAND = frozenset(each("stand standing sit sitting lie lying go stay hang hanging live"))
_GOING = _STAND | frozenset(each("to be goes belongs belong stands"))
_TO_BE = _DUE | BE | _STAND | frozenset(each("wants want to can could may supposed get now also please both"))
"""Words between a thing and the state or place that it is to have."""
_FOR_YOU = frozenset(each("can could may should must"))
"""What says behind "you" that the robot is to do it."""
_LASTING = frozenset(each("always never usually normally ever every each"))
_HOMELESS = frozenset(("put", "tidy", "take", "get", "return"))


class Wishes(Conditions):
    """Reads what somebody wants, or says should be."""

    def _sure(self, at: int, end: int) -> bool:
        """Read "make sure that the fridge is closed"."""
        begin = self._phrases.matched(WANTS_STATE, at)
        if self._word(at) in ("i", "we") and _LASTING & {*self._words[at:end]}:
            return False
        found, after = self._phrases.list(begin, bare=True) if begin > at else ([], at)
        if found and self._word(after) not in BE:  # "make sure that the one IN THE BEDROOM is off"
            placed, after = self._placed(found[-1])
            found = [*found[:-1], Phrase(placed, after)]
        return bool(found) and self._word(after) in BE and self._to_be(found, after + 1, at, end)

    def _made(self, at: int, end: int) -> bool:
        """Read "make it hot", "have the door open", "have the plate washed", "let it cool"."""
        if self._word(at) not in ("make", "have", "keep", "leave", "get", "let"):
            return False
        found, after = self._phrases.list(at + 1, bare=False)
        after += self._word(at) == "let" and self._word(after) in ("get", "become")
        after += 2 * (self._phrases.rest(after, 2) in ("nice and", "good and"))
        after += self._word(after) in ("both", "all")
        if found and (held := self._phrases.matched(IN_HAND, after)) > after and self._word(at) in ("have", "keep"):
            self._take_in(Clause(HOLD, at, themes=found), held)
            self._rest(held, at, end)
            return True
        if not found or after >= end:
            return False
        placed, further = self._placed(found[-1])
        if further > after and further < end and STATES.get(base_form(self._word(further)), "") in CAUSES:
            found, after = [*found[:-1], replace(found[-1], thing=placed, end=further)], further  # "the lamp ON IT lit"
        if self._word(at) in ("keep", "leave") and found[0].thing.pronoun and self._goals:
            return False
        state = STATES.get(base_form(self._word(after)), "")
        verb = verb_at(self._words, after)
        participle = verb is not None and verb.form == "past" and verb.sense
        gets = state in _BECOME or self._segments.leads(after + 1, end) >= end  # "get the lamp ON"
        if not participle and (state not in CAUSES or (self._word(at) == "get" and not gets)):
            return False
        lies = self._phrases.preposition(after) is not None and self._phrases.read(after + 1, bare=True) is not None
        return self._word(after) != "out" and not lies and self._to_be(found, after, at, end)

    def _lying(self, one: Phrase, at: int, end: int) -> bool:
        """Read a thing with the place where it is to be: "have A SPOON STANDING IN THE MUG"."""
        there = one.thing.place
        if there is None:
            return False
        theme = one.told(place=None)
        place = Place(there.relation, Phrase(there.thing, one.end))
        self._take_in(Clause(PUT, at, themes=[theme], places=[place]), one.end)
        self._rest(one.end, at, end)
        return True

    def _wished(self, at: int, end: int) -> bool:
        """Read "I'd like a cup", "I want the lamp off", "can I have the book"."""
        mine = self._word(at) in {"i", "we"} | _WANTS or (
            self._word(at) in ("can", "could", "may", "might") and self._word(at + 1) in ("i", "we")
        )
        begin = at
        while begin < end and self._word(begin) in _WISHING and self._phrases.read(begin, bare=False) is None:
            if self._word(begin) == "to" and self._word(begin + 1) not in ("have", "get", "see"):
                return False  # "we want TO DRINK that"
            begin += 1
        said = {*self._words[at:begin]}
        if not mine or not (
            said & _WANTS
            or (said & _LIKES and {"would", "should"} & said)
            or ({"have", "get"} & said and ({"can", "could"} & said or self._word(at) in ("may", "might")))
        ):
            return False
        found, after = self._phrases.list(begin, bare=False)
        if not found or found[0].thing.text.startswith("you"):
            return False
        bare = {"that", "which"}.isdisjoint(self._words[begin:after]) and (
            after >= end or self._word(after) in (",", "and")
        )
        if len(found) == 1 and bare and not found[0].thing.definite and self._lying(found[0], at, end):
            return True  # "I'd like A CANDLE STANDING on the shelf"
        if self._word(after) == "to":
            after += 1
        fixed = all(one.thing.categories and not self._phrases.portable(one.thing) for one in found)
        fixed = fixed and not {one.thing.text.split()[-1] for one in found} & LIQUIDS
        self._wishing = True
        drink = {"have", "get"} & said and found[-1].thing.last_word in LIQUIDS  # "could I get SOME WATER in a cup?"
        stands = fixed and (self._word(after) not in STATES or self._phrases.preposition(after) is not None)
        if not (drink or stands) and self._to_be(found, after, at, end):
            return True
        strange = not any(one.thing.categories or one.thing.pronoun or " " in one.thing.text for one in found)
        needed = self._word(begin - 1) == "need" and self._phrases.is_word(self._word(after - 1))
        pointed = found[0].thing.pronoun and found[0].thing.text not in ("one", "ones")
        if fixed or pointed or (strange and self._goals and needed):
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
        source = self._phrases.read(after + 1, bare=False) if self._word(after) in FROM else None
        if source is not None:  # "the card FROM THE KITCHEN should go in the safe"
            placed, further = found[-1].told(place=Place(Relation.AT, source).where).thing, source.end
        if further > after and self._word(further) in set(AUXILIARIES) | {"goes", "go", "belongs", "needs", "need"}:
            found, after = [*found[:-1], Phrase(placed, further)], further
        while self._word(after) in ("now", "also", "then", "just", "actually"):
            after += 1
        word, following = self._word(after), self._word(after + 1)
        if inverted and word == "be":
            return self._to_be(found, after + 1, at, end)
        fronted = verb_at(self._words, after + 2) if word == "you" and following in _FOR_YOU else None
        if fronted is not None and fronted.sense and BE.isdisjoint(self._words[after:end]):  # "THESE you can wash"
            self._take_up(Clause(fronted, at, themes=found, last="theme"), after + 2 + fronted.length, end)
            return True
        if word in ("needs", "need", "wants") and following in ("a", "some"):
            begin = after + 2 + (self._word(after + 2) in ("good", "quick", "little"))
            verb = verb_at(self._words, begin)
            if verb is None or verb.sense not in ("clean", "heat", "cool"):
                return False
            clause = Clause(verb, at, themes=found, last="theme")
            self._take_up(clause, begin + verb.length, end)
            return True
        if word in ("come", "comes", "taken") and following in ("off", "out", "from"):
            clause = Clause(PUT, at, themes=found, last="theme")
            if self._parts(clause, after + 1, end) >= end and clause.source is not None and not clause.places:
                self._announce(found, at, end)  # "the jug COMES OFF THE SHELF and goes …"
                self._source = clause.source
                return True
        if self._wishing and self._wanted(after) and self._to_be(found, after, at, end):
            return True  # "I want the pen in the cup, and THE CUP PUT ON the desk"
        belongs = word in ("belongs", "belong")
        now = found[0].thing.pronoun or "please" in self._words[at : end + 2]
        if belongs and (following == "to" or not now):
            self._tell(at, end)
            return True
        goes = word in ("goes", "go") or belongs
        one = found[0].thing
        general = one.plural and not (one.every or one.pronoun or one.number) and word == "go"
        if goes and not general:
            return self._to_be(found, after + 1, at, end)
        due = (word in _DUE and (word not in ("has", "have") or following == "to")) or (
            word in BE and following in ("to", "supposed")
        )
        allows = word in ("can", "could", "may")
        permits = word == "may" and "again" in self._words[after:end]  # "the knife MAY go there AGAIN"
        if permits or (allows and following in ("stay", "remain")):
            self._tell(at, end)  # "the television CAN STAY on": nothing is to be done with it
            return True
        due |= allows and following == "go"
        due |= word in _WANTS | {"wants"} and following.endswith("ing")  # "the pan WANTS WASHING"
        needed = self._word(after + 2) in ("i", "we") and _WANTS & {*self._words[after + 3 : end]}
        if word in BE and following == "what" and needed:
            self._take_in(Clause(BRING, at, themes=found, person="me"), end)  # "my keys IS WHAT I NEED"
            return True
        if self._suffices(found, after, at, end):
            return True
        if not due:
            return False
        sought = self._goals and self._goals[-1].do in (Deed.FIND, Deed.BRING, Deed.HOLD) and found[0].thing.pronoun
        somewhere = following == "be" and self._phrases.preposition(after + 2) is not None
        if sought and somewhere and word in ("must", "should"):
            self._tell(at, end)  # "find it, IT MUST BE in a drawer": where to look
            return True
        while (
            self._word(after) in _TO_BE
            and after < end
            and not (self._word(after) == "to" and self._word(after - 1) in _STAND)
        ):
            after += 1
        ends = self._phrases.rest(after, 2) == "end up"  # "it should END UP on the shelf", "be on the shelf IN THE END"
        after += 2 * ends
        last = self._phrases.rest(end - 3, 3) == "in the end"
        end -= 3 * last
        there = self._phrases.preposition(after) is not None or self._word(after) == "at"
        supposed = there and "be" in self._words[after - 2 : after] and not (ends or last)
        if self._general(found[0], begin, end) or (supposed and not _URGENT & {*self._words[at : end + 2]}):
            self._tell(at, end)
            return True
        return self._to_be(found, after, at, end)

    def _wanted(self, at: int) -> bool:
        """Whether words say where or how things are to be, without a verb that is finite."""
        return _is_participle(verb_at(self._words, at)) or self._phrases.preposition(at) is not None

    def _general(self, one: Phrase, at: int, end: int) -> bool:
        """Whether something is said of all things of a kind, or for all time: "SHOES must stay in the hall"."""
        doc = parse_words(tuple(self._words[at:end]))
        determined = self._word(at) in DETERMINERS or self._word(at).endswith("'s") or one.thing.number
        kind = doc is not None and doc[one.end - 1 - at].tag_ == "NNS" and not determined
        named = one.thing.text in self._names or one.thing.pronoun
        return (kind and not named) or bool(_LASTING & {*self._words[at:end]})

    def _suffices(self, found: list[Phrase], at: int, begin: int, end: int) -> bool:
        """Read which place will do: "put it away, ANY DRAWER IS FINE"."""
        will_do = self._word(at) in ("will", "would") and self._word(at + 1) == "do"
        fine = self._word(at) in BE | {"be"} and self._word(self._segments.leads(at + 1, end)) in _FINE
        last = self._last
        if (will_do or fine) and (last is None or not self._goals) and found[0].thing.categories:
            if any(word.isalnum() for word in self._words[end:]):
                self._tell(begin, end)
            else:
                self._lose(found[0].end - 1, end)  # which of those that were asked about
            return True
        if not (will_do or fine) or last is None or not self._goals or not self._phrases.vessel(found[0].thing):
            return False
        if self._frames.goals(last, "")[-1:][0].to is not None or last.verb.sense not in _HOMELESS:
            return False
        self._revoke()
        self._take_in(replace(last, places=[Place(Relation.AT, found[0], moving=True)], unread=[]), last.end)
        return True

    def _what_goes(self, at: int, end: int) -> bool:
        """Read "what goes on the shelf IS THE VASE", "what I want on the desk IS A CUP"."""
        begin = at + 1
        while self._word(begin) in _WISHING | _DUE | _GOING and begin < end:
            begin += 1
        said = {*self._words[at + 1 : begin]}
        meant = self._word(at) == "what" and "be" not in said and (_wants(said) or "goes" in said or "go" in said)
        there = self._phrases.where(begin, bare=False) if meant and begin < end and not self._asked else None
        if there is None or self._word(there[1]) not in BE or not self._phrases.vessel(there[0].thing):
            return False
        things, after = self._phrases.list(there[1] + 1, bare=False)
        if not things or not all(self._phrases.portable(one.thing) for one in things):
            return False
        clause = Clause(PUT, at, themes=things, places=[Place(there[0].relation, Phrase(there[0].thing, there[1]))])
        clause.last = "theme"
        self._take_up(clause, after, end)
        return True

    def _to_be(self, found: list[Phrase], at: int, begin: int, end: int) -> bool:
        """Read the state or the place that things are to have."""
        while self._word(at) in ADVERBS and at < end:
            at += 1
        if at >= end:
            return False
        state = STATES.get(base_form(self._word(at)), "")
        on = state in ("on", "off") and self._phrases.read(at + 1, bare=False) is not None and at + 1 < end
        if self._word(at) == "out" and self._phrases.preposition(at + 1) is not None:
            state = ""  # "OUT on the worktop"
        verb = verb_at(self._words, at)
        needed = verb is not None and verb.form == "ing" and self._word(at - 1) in _WANTS | {"needs", "wants"}
        acts = needed or _is_participle(verb)
        acts = verb is not None and acts and bool(verb.sense) and verb.base not in ("open", "close")
        if acts or (state in CAUSES and not on):
            caused = verb if acts and verb is not None else CAUSES[state]
            particles = [state] if caused is SWITCH else []
            clause = Clause(caused, begin, themes=list(found), particles=particles, last="theme")
            after = self._parts(clause, at + (caused.length if acts else 1), end)
            self._take_in(clause, after)
            many = len(found) > 1 or found[0].thing.plural
            self._topic = [Phrase(Thing(text="them" if many else "it", pronoun=True, plural=many), after)]
            self._rest(after, begin, end)
            return True
        clause = Clause(PUT, begin, themes=list(found), last="theme")
        after = self._parts(clause, at, end)
        if clause.unread or not (clause.places or {"back", "away"} & set(clause.particles)):
            return False
        self._take_in(clause, after)
        self._rest(after, begin, end)
        return True


def _is_participle(verb: Verb | None) -> bool:
    """Whether a verb may say what is done with a thing: "PUT on the desk", "washed"."""
    return verb is not None and (verb.form == "past" or verb.base in ("put", "set", "cut", "shut"))


def _wants(words: set[str]) -> bool:
    """Whether words say that somebody wants something now, rather than likes it."""
    return bool(words & _WANTS) or (bool(words & _LIKES) and bool({"would", "should"} & words))
