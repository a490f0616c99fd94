# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause behind its verb: objects, particles, places, tools, times, and what is left over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_language.phrases.adverbials import PARTICLES, Adverbials, determines
from karma_language.phrases.clause_parts import Clause, Place
from karma_language.phrases.nouns import ORDINALS, Phrase
from karma_language.phrases.phrases import Phrases
from karma_language.phrases.prepositions import CARRIES, FROM, Prepositions
from karma_language.phrases.set_phrases import (
    ALL_OF_THEM,
    BACK,
    EXCEPT,
    FILLERS,
    FORMULAS,
    IN_HAND,
    INSTEAD,
    ITS_LIGHT,
    LATER,
    PURPOSE,
    SAME_PLACE,
    TOGETHER,
)
from karma_language.phrases.sparing import is_one, narrows, spared
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.tokens import STOPS
from karma_language.vocabulary.verbs import Verb, verb_at
from karma_language.vocabulary.words import PERSONS, each


class Clauses:
    """Reads the clauses of a text."""

    def __init__(self, phrases: Phrases, lexicon: Lexicon) -> None:
        self.phrases = phrases
        self._words, self._word, self._rest, self._matched = phrases.words, phrases.word, phrases.rest, phrases.matched
        self._lexicon = lexicon
        self.adverbials = Adverbials(phrases, lexicon)
        self._prepositions = Prepositions(phrases, lexicon)

    def verb(self, at: int, forms: Sequence[str] = ("base",)) -> Verb | None:
        """Return the verb that a clause may begin with here, and not a noun: "WATER the plants", "the light"."""
        verb = verb_at(self._words, at)
        if verb is None or verb.form not in forms:
            return None
        after, following = at + verb.length, self._word(at + verb.length)
        noun = self.phrases.read(at, after=False)
        if noun is None or noun.end < after:
            return verb
        if noun.end > after and tuple(self._words[at : noun.end]) in self._lexicon.nouns:
            return None  # "SOAP bar to the sink"
        begins = self.phrases.read(after, bare=False)
        determined = begins is not None and (begins.thing.pronoun or determines(following))
        if determined or following in ("me", "us", "up", "away", "down"):
            return verb
        if verb.sense == "switch" and following in ("on", "off"):
            return verb
        names = (word for word in self._words[at : noun.end])
        alone = noun.end == after and noun.thing.categories
        if begins is not None and not alone and verb.sense and verb.base not in ORDINALS:  # "TOP shelf"
            return verb
        is_noun = tuple(names) in self._lexicon.nouns or bool(noun.thing.attributes)
        return None if alone or is_noun else verb

    def read(self, verb: Verb, at: int) -> Clause:
        """Return a clause whose verb begins at a token."""
        clause = Clause(verb, at)
        clause.end = self.parts(clause, at + verb.length)
        return clause

    def parts(self, clause: Clause, at: int) -> int:
        """Read the parts of a clause from a token on; return the index of the first that isn't one."""
        while at < len(self._words):
            word = self._word(at)
            if word in STOPS:
                break
            threat = self.phrases.read(at + 1) if word == "or" else None
            if threat is not None and (self._subject(at + 1) or self.phrases.predicates.finite(threat.end)):
                break  # "or dad is going to be mad"
            if word == "or" and (end := self.adverbials.formula(clause, at) or at) > at:
                at = end
                continue
            if word == "or" and (end := self._alternative(clause, at)) > at:
                at = end
                continue
            if word in ("or", "either"):
                clause.unread.append(word)
                at += 1
                continue
            if (
                word in (",", "and", "plus", "but", "n")
                or self._rest(at, 3) == "as well as"
                or self._rest(at, 2) in _ALONG
            ):
                after = self._joined(clause, at)
                if after is None:
                    break
                at = after
                continue
            if self._ends(clause, at):
                break
            at = self._part(clause, at)
        clause.end = at
        return at

    def _alternative(self, clause: Clause, at: int) -> int:
        """Read what "or" joins to the noun phrases before it: "the mug OR the cup"; return the index after it."""
        other = self.phrases.read(at + 1, bare=False)
        if other is None or not clause.begun:
            return at
        said = " ".join(self._words[clause.begun : at]).split(" , ")
        clause.choice = (*said, " ".join(self._words[at + 1 : other.end]))
        return other.end

    def _part(self, clause: Clause, at: int) -> int:
        """Read one part; return the index after it. What is none is unread."""
        if (after := self._matched(TOGETHER, at)) > at:
            clause.aside.append("together")
            return after
        if (after := self._matched(INSTEAD, at)) > at:
            otherwise = verb_at(self._words, after)
            if otherwise is not None and otherwise.form == "ing":
                return self.read(otherwise, after).end  # "instead of handing it to me"
            if (spared := self.phrases.read(after, bare=True)) is not None:
                return spared.end
        if (after := self._matched(BACK, at)) > at:
            clause.particles.append("back")
            return after
        if self._word(at) == "without" and self._word(at + 1).endswith("ing") and clause.verb.sense in CARRIES:
            left, end = verb_at(self._words, at + 1), self.parts(Clause(clause.verb, at), at + 2)
            known = left is not None and left.sense  # "WITHOUT SWITCHING IT ON": what nobody asks for is not done
            clause.aside += [] if known else [" ".join(self._words[at:end])]  # "without waking the baby"
            return end
        if clause.verb.sense in ("look", "check", "explore") and (after := self._matched(ITS_LIGHT, at)) > at:
            clause.places.append(Place(Relation.NEAR, Phrase(Thing(text="it", pronoun=True), after)))
            return after
        if (after := self._matched(SAME_PLACE, at)) > at:
            relation = Relation.IN if self._rest(at, 2) == "in there" else Relation.AT
            clause.places.append(Place(relation, Phrase(Thing(text="there", pronoun=True), after), moving=True))
            return after
        if (after := self._taken_up(clause, at)) > at:
            return after
        if (left_out := self._matched(EXCEPT, at)) > at and (others := self.phrases.list(left_out, bare=False))[0]:
            return self.leave_out(clause, *others)
        small = self.adverbials
        for read in (small.time, small.formula, self._prepositions.read, small.small, self._object):
            if (after := read(clause, at)) > at:
                return after
        clause.unread.append(self._word(at))
        return at + 1

    def _ends(self, clause: Clause, at: int) -> bool:
        """Whether the next clause begins here without a comma."""
        word = self._word(at)
        if word in ("if", "unless", "while", "before", "after", "once", "then", "otherwise", "else", "provided"):
            return self._matched(FORMULAS, at) == at and self._matched(LATER, at) == at
        relative = word in ("that", "which") and clause.last == "theme" and self._word(at - 1) != ","
        said = self.phrases.read(at) if (clause.themes or clause.particles) and not relative else None
        if said is not None and self._word(said.end) in ("is", "are", "was", "were") and self._word(at - 1) != "where":
            return True  # "turn the tap on please MY HANDS ARE full"
        if self._rest(at, 2) in ("even if", "even though") or (
            clause.themes and word in ("can", "could") and self._word(at + 1) == "not"
        ):
            return True  # "turn on the lamp CAN'T SEE a thing"
        held = self.phrases.read(at + 1) if word == "with" else None
        if held is not None and self._matched(IN_HAND, held.end) > held.end:
            return True  # "switch it on WITH THE BOOK IN YOUR HAND"
        means = verb_at(self._words, at + 1) if word == "by" else None
        if means is not None and means.form == "ing":
            return True  # "tidy up BY PUTTING the cups away"
        next_verb = self.verb(at) if clause.themes and self._word(at + 1) in _POINTING else None
        if next_verb is not None and next_verb.sense and self.phrases.read(at, after=False) is None:
            return True  # "after rinsing the spoon PUT it in the drawer"
        verb = verb_at(self._words, at + 1) if word == "to" else None
        if verb is not None and verb.sense and clause.themes and self.verb(at + 1) is not None:
            return True
        return self._matched(PURPOSE, at) > at and (bool(clause.themes) or bool(clause.places))

    def _object(self, clause: Clause, at: int) -> int:
        expects = not clause.themes and clause.verb.sense != ""
        denied = at + 1 + (self._word(at + 1) == "of") if self._word(at) in ("no", "none", "neither") else at
        if denied > at and expects and self.phrases.read(denied, bare=True) is not None:
            return self._prepositions.themes(clause, at)
        if self.phrases.read(at, bare=expects) is None:
            return at
        if clause.themes and clause.last == "theme" and clause.verb.sense not in ("give", "bring", "get"):
            return at
        if clause.places and clause.themes:
            return at
        return self._prepositions.themes(clause, at)

    def _joined(self, clause: Clause, at: int) -> int | None:
        """Go on behind "and" or a comma, where the clause does; None where another begins."""
        several = bool(clause.themes) and (clause.themes[-1].thing.every or clause.themes[-1].thing.plural)
        if several and (left_out := self._matched(EXCEPT, at)) > at and self.verb(left_out) is None:
            spared, end = self.phrases.list(left_out, bare=False)
            sourced = clause.source is not None or clause.themes[-1].thing.place is not None
            bound_for = sourced and not clause.places  # "everything from the desk but the lamp ON THE BED"
            goes_on = self._prepositions.relation(end)[0] is not None and not bound_for
            told = spared and (is_one(spared[-1].thing) or not goes_on)  # "but the one IN THE BEDROOM"
            if told and not self.phrases.predicates.finite(end):
                return self.leave_out(clause, spared, end)  # "everything in the sink BUT THE KNIFE"
        paused = self._word(at) == ","
        after = at + (3 if self._word(at) == "as" else 2 if self._rest(at, 2) in _ALONG else 1)
        while self._word(after) in ("and", ",", "then", "also", "please", "but", "plus", "afterwards", "afterward"):
            after += 1
        after += self._word(after) in ("just", "only") and self._word(after + 1) == "not"  # "JUST not the cup"
        if after >= len(self._words) or self._word(after) in STOPS:
            return after
        if self._word(after) == "without" or (self._word(after) in ("with", "using") and paused):
            return after
        if self._word(after) == "not" and (phrase := self.phrases.read(after + 1, bare=False)) is not None:
            place = self.phrases.where(phrase.end) if phrase.thing.place is None else None
            left = phrase.thing if place is None else phrase.thing.model_copy(update={"place": place[0]})
            if clause.themes and clause.themes[-1].thing.pronoun and not phrase.thing.pronoun:
                return self.leave_out(clause, [phrase], phrase.end)  # "put it on the counter, NOT THE CUP"
            if several and is_one(phrase.thing):  # "but not the one ON THE DESK"
                one, end = (phrase, phrase.end) if place is None else (phrase.told(place=place[0]), place[1])
                return self.leave_out(clause, [one], end)
            if several and not phrase.thing.pronoun and not phrase.thing.attributes and phrase.thing.categories:
                if place is not None:  # "but not the bowl ON THE TABLE"
                    return self.leave_out(clause, [phrase.told(place=place[0])], place[1])
                return self.leave_out(clause, *self.phrases.list(after + 1, bare=False))
            last = clause.themes[-1] if clause.themes and clause.last == "theme" else None
            told = last is not None and not {*left.categories}.isdisjoint(last.thing.categories or left.categories)
            if clause.themes and narrows(left, clause.themes[-1].thing):
                if last is None or left.place is None or left.attributes or left.owner:
                    clause.unread += self._words[after : phrase.end]  # "a mug, NOT THE RED ONE": which one is not said
                else:  # "the mug, NOT THE ONE ON THE DESK"
                    other = last.thing.model_copy(update={"place": left.place})
                    clause.themes[-1] = last.told(but=(*last.thing.but, other))
            elif last is not None and told:  # "a fruit, BUT NOT THE APPLE"
                clause.themes[-1] = last.told(but=(*last.thing.but, left))
            return place[1] if place is not None else phrase.end
        if (left_out := self._matched(EXCEPT, after)) > after and (others := self.phrases.list(left_out))[0]:
            return self.leave_out(clause, *others)
        if (taken_up := self._taken_up(clause, after)) > after:
            return taken_up
        if self.verb(after, ("base", clause.verb.form)) is not None or self._subject(after):
            return None
        if self._matched(SAME_PLACE, after) > after or self._matched(BACK, after) > after:
            return after
        alone = paused and "and" not in self._words[at:after]
        if alone and (appositive := self._appositive(clause, after)) > after:
            return appositive
        if (
            self._matched(FORMULAS, after) > after
            or self._word(after) in FILLERS
            or self._matched(TOGETHER, after) > after
        ):
            return after
        preposition = self._prepositions.relation(after)[0] is not None or self._word(after) in FROM
        if preposition and clause.places and "then" in self._words[at:after]:
            return None  # "to the chair, THEN TO the bed"
        if preposition:
            clause.onward = True
            return after
        if self._word(after) in PARTICLES and (clause.themes or clause.particles):
            return after
        acts = verb_at(self._words, after)
        if acts is not None and acts.form == "past" and self.phrases.read(after) is None:
            return None  # "heated and PLACED on the table"
        found, end = self.phrases.list(after)
        called = len(found) == 1 and paused and end == after + 1 and self._word(end) in STOPS | {""}
        if called and "and" not in self._words[at:after] and not (found[0].thing.categories or found[0].thing.room):
            return end  # "…, LOVE": who is spoken to
        if not found or clause.verb.sense in ("go", "wait") or (paused and self.phrases.predicates.says(found[-1])):
            return None
        another = found[-1].thing.text == "one" and clause.verb.sense in _WHERE_IT_IS
        carried = clause.verb.base in _CARRIED and [place.moving for place in clause.places] == [False]
        there = self.phrases.where(end) if another or carried else None
        bound = carried and self._word(there[1] if there is not None else end) in ("to", "into", "onto", "over")
        if clause.themes and (bound or (another and there and not clause.themes[-1].thing.plural)):
            # "turn off the TV in the bedroom and THE ONE IN THE HALL", "take the mug in the hall AND THE BOWL to …"
            clause.themes = [replace(one, thing=clause.located(one.thing) or one.thing) for one in clause.themes]
            clause.places, clause.last = [], "theme"
            if there is not None:
                one = clause.themes[-1] if found[-1].thing.text == "one" else found[-1]
                found, end = [*found[:-1], one.told(place=there[0])], there[1]
        goes_on = self._prepositions.relation(end)[0] is not None or self._word(end) in PARTICLES | _GOES_ON
        origin = self.phrases.read(end + 1) if self._word(end) in FROM else None
        onward = origin is not None and self._prepositions.relation(origin.end)[0] is not None
        if (goes_on or onward) and (clause.places or clause.particles):
            return None  # "… to the bed and THE BOOK FROM THE DESK TO THE SOFA"
        if self._word(end) in PERSONS or not (self._word(end) in _FURTHER or self._word(end) in STOPS):
            return None
        here = clause.places[-1].phrase.thing.categories if clause.last == "place" and clause.places else ()
        if here and found[0].thing.categories == here:
            return None  # "the apple in the pan, AND THE PAN in the fridge"
        if clause.last == "place" and not any(self.phrases.portable(one.thing) for one in found):
            if all(one.thing.categories or one.thing.room for one in found) and not clause.themes:
                clause.places += [Place(clause.places[-1].relation, one) for one in found]
                return end
            return None
        clause.themes += found
        clause.last = "theme"
        return end

    def _taken_up(self, clause: Clause, at: int) -> int:
        """Return the index after words for all that a clause is about, `at` for none.

        "The apple and the egg, ALL in the fridge", "the cards on the table, ALL OF THEM".
        """
        if clause.themes and clause.last == "place":
            return self._matched(ALL_OF_THEM, at)
        onward = self.phrases.preposition(at + 1) is not None or self._word(at + 1) in PARTICLES
        return at + (clause.last == "theme" and self._word(at) in ("all", "both") and onward)

    def _appositive(self, clause: Clause, at: int) -> int:
        """Read what tells more of a place: "in a drawer, ANY DRAWER", "in a drawer, THE TOP ONE".

        Of the thing: "on the bed, THE ONE FROM THE HALL", "here, THE ONE ON THE DESK".
        """
        place = clause.places[-1] if clause.places else None
        there = self._whence(at + 2) if self._rest(at, 2) in ("the one", "the ones") and clause.themes else None
        pointed = place is None or place.phrase.thing.pronoun
        if there is not None and (pointed or self._word(at + 2) in FROM):
            clause.themes[-1] = clause.themes[-1].told(place=there[0])
            return there[1]
        phrase = self.phrases.read(at, bare=False)
        end = self._matched(FORMULAS, phrase.end) if phrase is not None else at  # "any drawer AT ALL"
        if phrase is None or place is None or self._word(end) not in STOPS | {"", ","}:
            return at
        thing = place.phrase.thing
        if phrase.thing.pronoun and phrase.thing.text.endswith("one"):
            told = thing.model_copy(update={"attributes": (*thing.attributes, *phrase.thing.attributes)})
            clause.places[-1] = Place(place.relation, Phrase(told, phrase.end), place.moving)
            return phrase.end
        return end if phrase.thing.categories == thing.categories != () else at

    def _subject(self, at: int) -> bool:
        """Whether a sentence of its own begins: "I said so", "it is dirty"."""
        word, following = self._word(at), self._word(at + 1)
        return word in PERSONS or (word in ("it", "that", "this", "there", "they") and following in _FINITE)

    def corrected(self, clause: Clause, at: int) -> int:
        """Put what is said behind "no, I mean" in the place of what it corrects; return the index after."""
        if self._word(at) in ("on", "off") and clause.verb.sense == "switch":
            clause.particles = [self._word(at)]
            return at + 1
        alone = self._word(at) in ("just", "only")
        at += alone
        found, end = self.phrases.list(at)
        if self._prepositions.relation(at)[0] is not None or (alone and not found):
            clause.places.clear()
            return at
        if found and clause.places and self._prepositions.relation(end)[0] is not None:
            clause.places.clear()
            clause.last = "theme"
        if not found:
            return at
        fixed = not any(self.phrases.portable(one.thing) for one in found)
        vessels = (
            bool(clause.places)
            and self.phrases.vessel(found[0].thing)
            and self.phrases.portable(clause.places[-1].phrase.thing)
        )
        if vessels and not fixed and clause.last == "place":  # "the egg in the bowl, no, the cup": which of them?
            clause.unread += self._words[at:end]
            return end
        if clause.last == "place" and clause.places and (fixed or not clause.themes):
            clause.places[-1] = Place(clause.places[-1].relation, found[-1], clause.places[-1].moving)
        else:
            clause.themes[0 if alone else -1 :] = found
        return end

    def leave_out(self, clause: Clause, others: Sequence[Phrase], end: int) -> int:
        """Take things out of those that a clause is about: "put everything in the box, but not the remote"."""
        left = [spared(one.thing, others, end, self._whence, placed=bool(clause.places)) for one in clause.themes]
        clause.themes = [replace(one, thing=thing) for one, (thing, _) in zip(clause.themes, left, strict=True)]
        return max((after for _, after in left), default=end)

    def _whence(self, at: int) -> tuple[Where, int] | None:
        """Read where one of several is: "ON THE DESK", "FROM THE BEDROOM"."""
        source = self.phrases.read(at + 1, bare=False) if self._word(at) in FROM else None
        if source is not None:
            return Where(relation=Relation.AT, thing=source.thing), source.end
        return self.phrases.where(at)


_POINTING = frozenset(each("it them the that those a my"))
_WHERE_IT_IS = frozenset(each("switch start stop open close clean slice break look"))
"""Senses of verbs whose places say where a thing is, and not where it goes."""
_CARRIED = frozenset(each("take bring carry move"))
_GOES_ON = frozenset(each("goes should is"))
_ALONG = ("along with", "together with")
_FURTHER = frozenset(
    each(
        ", and too please now as again for if from with off out in on into to next together away back up down unless"
        " onto then"
    )
) | {""}
"""What may follow things that "and" joins to the others of a clause."""
_FINITE = frozenset(each("is are was were has have had will would can could should must goes looks smells does"))
