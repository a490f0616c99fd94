# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause behind its verb: objects, particles, places, tools, times, and what is left over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from karma_language.phrases.clause_parts import CAUSES, Becoming, Clause, Place
from karma_language.phrases.phrases import BACK, EXCEPT, SAME_PLACE, Phrase, Phrases
from karma_language.phrases.times import NUMBERS
from karma_language.things import Relation, Span, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.tokens import STOPS, Token
from karma_language.vocabulary.verbs import Verb, verb_at
from karma_language.vocabulary.words import ADVERBS, DETERMINERS, PERSONS, STATES, base_form, each

_UNITS = {"second": 1.0, "sec": 1.0, "minute": 60.0, "min": 60.0, "hour": 3600.0}
_AMOUNTS = {**NUMBERS, "a": 1, "an": 1, "one": 1, "half": 0.5, "thirty": 30, "fifteen": 15, "twenty": 20}
FILLERS = frozenset(
    each(
        "please now then too also again just already kindly thanks thank everywhere dear robot karma okay ok"
        " still round maybe perhaps all immediately anyway simply finally directly straight first quickly"
        " myself yourself so very much well yet though whenever someplace somewhere around over across along lol haha"
        " actually afterwards afterward later-on only completely properly exactly even instead neatly"
        " nicely cheers mate sorry"
    )
) - frozenset(each("you all right over"))
FORMULAS = re.compile(
    r"(?:while you are at it|excuse me|if (?:you (?:would not mind|can|could|please|like|want|would|do not mind"
    r"|have (?:time|a minute|a moment))|possible|necessary"
    r"|it is (?:possible|no trouble|not too much trouble)|that is (?:ok|okay|alright|possible))"
    r"|(?:would|will|can|could) you(?: please)?(?= [.?!,]|$)|or (?:so|something|whatever)(?= [.?!,]|$)"
    r"|(?:or )?(?:wherever|whichever|whatever|anywhere)(?: you (?:like|want|prefer))?(?= [.?!,]|$)|up to you"
    r"|thank you(?: so| very)?(?: much)?|be an? (?:[a-z]+ )?[a-z]+(?= and [a-z]+)"
    r"|thanks(?: a lot| so much)?"
    r"|i (?:mean|meant)(?= [.,!?;—]|$)|no matter (?:which|what|where)"
    r"|for (?:me|us|you|him|her|them|now|a change|good|sure|once|example|free)\b|as soon as (?:possible|you can)"
    r"|(?:when(?:ever)?|once) you are (?:done|finished|ready)(?: with (?:it|that|them))?"
    r"|when(?:ever)? you (?:have|get|find|are|can|like)(?: a| the| some)?(?: free)?(?: time| minute"
    r"| moment| second| chance"
    r"| ready| done| finished)?(?: to [a-z]+ (?:it|them))?|right (?:away|now|there|here)|at once"
    r"|at some point|out of the way|as well|after all"
    r"|no (?:rush|hurry|problem)|by the way|with(?:in)? (?:my |easy )?reach"
    r"|will do|would be (?:nice|great|good|lovely)|all right|one by one|by hand|at all|of course"
    r"|(?:yes|ok|okay|right|alright|eh|no)(?= \?)|in total|a bit|a little"
    r"|(?:just )?(?:that|this) way(?= [.?!,]| and\b| in\b| on\b|$)|like that|and all(?= [.?!,]|$)"
    r"|where(?:ver)? (?:it|they|things) (?:is|are)(?: now)?(?= (?:[.?!,;]|and|right)|$)|over there|over here"
    r"|(?:how|what) about(?= [a-z]+ing\b)|after(?:wards| this|(?= [.?!,]|$))"
    r"|at least(?= [.?!,]|$)|before that|in the meantime|at the same time|with (?:it|them|that|both)"
    r"|(?:when|once|until|till) (?:it|that|they|this|all) (?:is|are|was|were) (?:all )?(?:done|ready"
    r"|finished|hot|warm|cold|cool|clean"
    r"|cooked)|straight away|up to date|so much|very much|on (?:your|the) way|in turn|and so on|to do so|for that)\b"
)
"""Set phrases that ask for nothing."""
IN_HAND = re.compile(
    r"(?:still |firmly |safely |tight(?:ly)? )?(?:in (?:your |one |both |the other )?(?:hands?|arms?)|with you)\b"
)
"""Where the robot has what it holds."""
_PURPOSE = re.compile(
    r"(?:so that|so (?:i|we|it|they|he|she|you|nobody|no one|somebody|someone|everybody|everyone|the|that)\b"
    r"|because|since|as (?:i|we|it)\b|in order to|to (?:easily |quickly |better )?(?:keep|make|ensure"
    r"|avoid|help|prevent|save|free|let|have|be|see|use|check|stay|get ready)\b)"
)
"""What begins a reason, or what it is good for."""
_LATER = re.compile(
    r"(?:tomorrow|tonight|later|in (?:an?|half an|one|\d+|[a-z-]+) (?:seconds?|minutes?|hours?|days?)"
    r"|at (?!(?:least|all|once|home|last|it|them|that|this|him|her|me|us|you)\b)(?:\d{1,2}(?::\d\d)?|[a-z]+)"
    r"(?: (?:o'clock|am|pm|thirty|fifteen))?"
    r"(?= [.,!?]|$)|at (?:noon"
    r"|midnight|night|lunchtime)"
    r"|(?:every|on|next|this) (?:day|morning|evening|afternoon|night|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|week|hour)s?|in the (?:morning|evening|afternoon)|after (?:breakfast|lunch|dinner"
    r"|supper|work|school)|before (?:breakfast|lunch|dinner|bed)"
    r"|(?:when|once|as soon as|until|till) (?!you)(?:[^,.!?;]+))\b"
)
"""A time to come: it is not done now."""


def later_in(text: str) -> str:
    """Return the time to come that a text says, "" for none: "tomorrow", "when I work"."""
    said = _LATER.search(text.lower())
    return said[0] if said is not None else ""


_IN_THE_END = frozenset(each("when once until till after"))
_GETS = frozenset(each("is are has have been gets get becomes all nice and"))
_TREATED = re.compile(r"once (?:it|they|both) (?:(?:is|are)(?: been)?|(?:has|have) been) (?=[a-z])")
_TREATMENTS = frozenset(each("clean heat cool slice"))
_PARTICLES = frozenset(each("on off up away out down over back in open shut closed"))
_FROM = frozenset(each("from off"))
_ITS_LIGHT = re.compile(r"(?:in|by|under) (?:its|the) light\b(?! of)")
_TOGETHER = re.compile(r"(?:right )?(?:side by side|one (?:right )?(?:beside|next to|by|near) (?:the other|another))\b")
_INSTEAD = re.compile(r"(?:instead of|rather than)(?: (?:on|in|at|to))?\b")
RESULTS = frozenset(each("clean spotless empty full hot warm cold cool"))
_MOVING = frozenset(each("into onto to"))
_PERSON = {"me": "me", "us": "me"}
_OTHERS = frozenset(("him", "her"))
_WEAK = r"wait(?: what)?|(?:hang|hold) on(?! to)|oops|sorry|actually|well"
_STRONG = (
    r"no(?= \W| (?:wait|hang|sorry|no|stop|not|i|just|actually|rather|the|in|on|to|it)\b|$)|nope|nah"
    r"|(?:scratch|strike|cancel|ignore|skip) (?:that|it)"
    r"|not that|correction|or rather|rather(?! than)|make that|never mind|forget (?:it|that)"
    r"|i (?:mean|meant|wanted to say)|you know what|(?:on )?second thoughts?"
)
CORRECTION = re.compile(rf"(?:(?:or|oh|ah|er|erm|hm+|um+|uh|but) (?:, )?)*(?:(?:{_WEAK}|{_STRONG})\b(?: [,?])* ?)+")
"""What begins a correction, behind a pause."""
TAKES_BACK = re.compile(rf"(?:.* )?(?:{_STRONG})\b")
"""Of these, what takes back what was said whatever follows."""
MEANT = re.compile(r"(?:, )?(?:i (?:mean|meant)|rather|sorry|actually)(?= [.,!?;]|$)")
"""What shows behind a noun phrase that it takes the place of the one before it."""

CLAUSE_WORDS = FILLERS | {*re.findall("[a-z]+", FORMULAS.pattern + CORRECTION.pattern)}
"""Words of these, which are no slips."""


class Clauses:
    """Reads the clauses of a text."""

    def __init__(self, tokens: Sequence[Token], phrases: Phrases, lexicon: Lexicon) -> None:
        self.phrases = phrases
        self.words = phrases.words
        self._tokens = tokens
        self._lexicon = lexicon

    def word(self, at: int) -> str:
        """Return a word, "" behind the end."""
        return self.phrases.word(at)

    def rest(self, at: int, most: int = 9) -> str:
        """Return the words from here on, with blanks between them."""
        return " ".join(self.words[at : at + most])

    def matched(self, pattern: re.Pattern[str], at: int) -> int:
        """Return the index after a pattern that begins here, `at` where it doesn't."""
        match = pattern.match(self.rest(at, 16))
        return at + len(match[0].split()) if match is not None and match[0].strip() else at

    def verb(self, at: int, forms: Sequence[str] = ("base",)) -> Verb | None:
        """Return the verb that a clause may begin with here, and not a noun: "WATER the plants", "the light"."""
        verb = verb_at(self.words, at)
        if verb is None or verb.form not in forms:
            return None
        after, following = at + verb.length, self.word(at + verb.length)
        noun = self.phrases.read(at, after=False)
        if noun is None or noun.end < after:
            return verb
        if noun.end > after and tuple(self.words[at : noun.end]) in self._lexicon.nouns:
            return None  # "SOAP bar to the sink"
        begins = self.phrases.read(after, bare=False)
        determined = begins is not None and (begins.thing.pronoun or self._determined(after))
        if determined or following in ("me", "us", "up", "away", "down"):
            return verb
        if verb.sense == "switch" and following in ("on", "off"):
            return verb
        names = (word for word in self.words[at : noun.end])
        alone = noun.end == after and noun.thing.categories
        if begins is not None and not alone and verb.sense:
            return verb
        is_noun = tuple(names) in self._lexicon.nouns or bool(noun.thing.attributes)
        return None if alone or is_noun else verb

    def _determined(self, at: int) -> bool:
        said = self.word(at)
        return said.isdecimal() or said in NUMBERS or said in DETERMINERS

    def read(self, verb: Verb, at: int) -> Clause:
        """Return a clause whose verb begins at a token."""
        clause = Clause(verb, at)
        clause.end = self.parts(clause, at + verb.length)
        return clause

    def parts(self, clause: Clause, at: int) -> int:
        """Read the parts of a clause from a token on; return the index of the first that isn't one."""
        while at < len(self.words):
            word = self.word(at)
            if word in STOPS:
                break
            threat = self.phrases.read(at + 1) if word == "or" else None
            if threat is not None and (self._subject(at + 1) or self.phrases.finite(threat.end)):
                break  # "or dad is going to be mad"
            if word == "or" and (end := self._formula(clause, at) or at) > at:
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
                or self.rest(at, 3) == "as well as"
                or self.rest(at, 2) in _ALONG
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
        said = " ".join(self.words[clause.begun : at]).split(" , ")
        clause.choice = (*said, " ".join(self.words[at + 1 : other.end]))
        return other.end

    def _part(self, clause: Clause, at: int) -> int:
        """Read one part; return the index after it. What is none is unread."""
        if (after := self.matched(_TOGETHER, at)) > at:
            clause.aside.append("together")
            return after
        if (after := self.matched(_INSTEAD, at)) > at:
            otherwise = verb_at(self.words, after)
            if otherwise is not None and otherwise.form == "ing":
                return self.read(otherwise, after).end  # "instead of handing it to me"
            if (spared := self.phrases.read(after, bare=True)) is not None:
                return spared.end
        if (after := self.matched(BACK, at)) > at:
            clause.particles.append("back")
            return after
        if clause.verb.sense in ("look", "check", "explore") and (after := self.matched(_ITS_LIGHT, at)) > at:
            clause.places.append(Place(Relation.NEAR, Phrase(Thing(text="it", pronoun=True), after)))
            return after
        if (after := self.matched(SAME_PLACE, at)) > at:
            clause.places.append(Place(Relation.AT, Phrase(Thing(text="there", pronoun=True), after), moving=True))
            return after
        if (left_out := self.matched(EXCEPT, at)) > at and (others := self.phrases.list(left_out, bare=False))[0]:
            return self.leave_out(clause, *others)
        for read in (self._time, self._formula, self._preposition, self._small, self._object):
            if (after := read(clause, at)) > at:
                return after
        clause.unread.append(self.word(at))
        return at + 1

    def _ends(self, clause: Clause, at: int) -> bool:
        """Whether the next clause begins here without a comma."""
        word = self.word(at)
        if word in ("if", "unless", "while", "before", "after", "once", "then", "otherwise", "else", "provided"):
            formula = self.matched(FORMULAS, at) > at or self.matched(_LATER, at) > at
            return not formula or self.treated(at) is not None
        relative = word in ("that", "which") and clause.last == "theme" and self.word(at - 1) != ","
        said = self.phrases.read(at) if (clause.themes or clause.particles) and not relative else None
        if said is not None and self.word(said.end) in ("is", "are", "was", "were") and self.word(at - 1) != "where":
            return True  # "turn the tap on please MY HANDS ARE full"
        if self.rest(at, 2) in ("even if", "even though"):
            return True
        held = self.phrases.read(at + 1) if word == "with" else None
        if held is not None and self.matched(IN_HAND, held.end) > held.end:
            return True  # "switch it on WITH THE BOOK IN YOUR HAND"
        means = verb_at(self.words, at + 1) if word == "by" else None
        if means is not None and means.form == "ing":
            return True  # "tidy up BY PUTTING the cups away"
        next_verb = self.verb(at) if clause.themes and self.word(at + 1) in _POINTING else None
        if next_verb is not None and next_verb.sense and self.phrases.read(at, after=False) is None:
            return True  # "after rinsing the spoon PUT it in the drawer"
        verb = verb_at(self.words, at + 1) if word == "to" else None
        if verb is not None and verb.sense and clause.themes and self.verb(at + 1) is not None:
            return True
        return self.matched(_PURPOSE, at) > at and (bool(clause.themes) or bool(clause.places))

    def treated(self, at: int) -> tuple[Verb, int] | None:
        """Read what is to be done to a thing before the rest: "throw it away ONCE IT HAS BEEN WASHED".

        Return its verb, and the index after it.
        """
        said = _TREATED.match(self.rest(at))
        begin = at + len(said[0].split()) if said is not None else at
        verb = verb_at(self.words, begin) if begin > at else None
        if verb is None or verb.form != "past" or verb.sense not in _TREATMENTS:
            return None
        end = begin + verb.length
        return (verb, end) if self.word(end) in STOPS | {"", ",", "please"} else None

    # --- parts

    def _formula(self, clause: Clause, at: int) -> int:
        """Skip words that ask for nothing; "for me" says who gets it."""
        after = max(self.matched(FORMULAS, at), self.matched(IN_HAND, at))
        if after > at:
            if self.rest(at, 2) in ("for me", "for us") and clause.verb.sense in ("bring", "get", "give"):
                clause.person = "me"
            return after
        if self.word(at) in FILLERS and not (self.word(at) == "over" and self.phrases.preposition(at)):
            return at + 1
        return at

    def _time(self, clause: Clause, at: int) -> int:
        word = self.word(at)
        begin = at + 1 if word in ("for", "in") or (word in ("about", "around")) else at
        amount = _AMOUNTS.get(self.word(begin)) or (float(self.word(begin)) if self.word(begin).isdecimal() else 0)
        unit_at = begin + 2 if self.rest(begin, 2) == "half an" else begin + 1
        unit = _UNITS.get(self.word(unit_at).removesuffix("s"), 0.0)
        if word != "in" and (begin > at or clause.verb.sense == "wait") and amount and unit:
            clause.seconds = amount * unit
            return unit_at + 1
        if word == "for" and self.rest(at, 3) in ("for a bit", "for a while", "for a moment", "for some time"):
            clause.seconds = 60.0
            return at + 3
        if (becomes := self.becomes(at)) is not None:
            clause.until = becomes[0]
            return becomes[1]
        after = self.matched(_LATER, at)
        if word == "at" and after == at + 2 and (self.word(at + 1),) in self._lexicon.rooms:
            return at  # "the table AT KITCHEN" is no time
        if after > at:
            clause.at = Span(text=self.rest(at, after - at))
        return after

    def becomes(self, at: int) -> tuple[Becoming, int] | None:
        """Read that something gets a state or is where it was put; return that, and the index after it."""
        subject = self.phrases.read(at + 1, bare=False) if self.word(at) in _IN_THE_END else None
        end = subject.end if subject is not None else at
        while subject is not None and (self.word(end) in ADVERBS or self.word(end) in _GETS):
            end += 1
        if subject is None or self.word(end - 1) not in _GETS | ADVERBS or end == subject.end:
            return None
        state = STATES.get(base_form(self.word(end)), "")
        if state not in CAUSES and self.word(end) not in ("in", "inside", "on"):
            return None
        end += 1
        end += self.word(end) in (("off", "down", "up", "through") if state else ("there", "it"))
        found = Becoming(self.rest(at, end - at), state)
        return (found, end) if self.word(end) in STOPS | {"", ",", "and", "then"} else None

    def _small(self, clause: Clause, at: int) -> int:
        """Read a particle, a person, an adverb, "there"."""
        word, following = self.word(at), self.word(at + 1)
        if word in _PERSON:
            clause.person = _PERSON[word]
        elif word in _OTHERS and clause.verb.sense in ("give", "bring", "get") and self._handed(at + 1):
            clause.person = word
        elif word in ("here", "there"):
            to_me = word == "here" and self.rest(at + 1, 2) == "to me"
            if to_me or (word == "here" and clause.verb.sense in ("go", "bring", "get")):
                clause.person = "me"
                return at + (3 if to_me else 1)
            if clause.last != "place" or word != "there":
                pointed = Phrase(Thing(text=word, pronoun=True), at + 1)
                clause.places.append(Place(Relation.AT, pointed, moving=True))
        elif word in _PARTICLES or (word == "inside" and following not in ("out", "of")):
            if word in ("in", "inside") and clause.themes and clause.verb.sense == "put":
                clause.places.append(Place(Relation.IN, Phrase(Thing(text="it", pronoun=True), at + 1)))
            else:
                clause.particles.append({"shut": "closed"}.get(word, word))
        elif clause.themes and clause.last == "theme" and self._result(clause, at):
            clause.particles.append(STATES[word])
            if word == "full" and following == "of" and (held := self.phrases.read(at + 2, bare=True)) is not None:
                clause.using = held.thing
                return held.end
        elif word in FILLERS | ADVERBS or self._goes_without_saying(clause, at):
            pass
        elif word.endswith("ly") and not self.phrases.starts(at):
            clause.aside.append(word)
        elif word in ("upside", "inside", "face") and following in ("down", "out", "up"):
            clause.aside.append(f"{word} {following}")
            return at + 2
        elif clause.verb.sense in ("give", "bring") and not clause.themes and self._named_person(at):
            clause.person = word
        elif word in ("sideways", "backwards", "together", "halfway", "wide"):
            clause.aside.append(word)
        else:
            return at
        return at + 1

    def _goes_without_saying(self, clause: Clause, at: int) -> bool:
        """Whether a word adds nothing to its verb: "leave it ALONE", "warm it THROUGH"."""
        if self.word(at) == "alone":
            return clause.verb.base == "leave"
        return self.word(at) == "through" and clause.last == "theme" and self.phrases.read(at + 1) is None

    def _result(self, clause: Clause, at: int) -> bool:
        """Whether the state that things are to get stands here: "wipe the table CLEAN", "make it FULL of water"."""
        word, after = self.word(at), self.word(at + 1)
        ends = not after or after in STOPS | FILLERS | {",", "and", "of", "for", "before"}
        adjective = word in RESULTS and (ends or self.phrases.preposition(at + 1) is not None)
        return adjective and clause.verb.sense not in ("find", "look", "search")

    def _handed(self, at: int) -> bool:
        """Whether what somebody is to get follows them: "give HIM a plate", "give HER her phone"."""
        return self.word(at - 1) == "him" or self._determined(at)

    def _named_person(self, at: int) -> bool:
        """Whether a name stands before what somebody is to get: "bring TOM his phone"."""
        given = self.phrases.read(at + 1, bare=False)
        unknown = self.phrases.read(at, after=False) is None and self.word(at).isalpha()
        return unknown and given is not None and self._determined(at + 1)

    def _preposition(self, clause: Clause, at: int) -> int:
        word = self.word(at)
        particle = word in _PARTICLES and self._is_particle(clause, at)
        if particle:
            return at
        if word in _FROM or self.rest(at, 2) in ("out of", "off of"):
            return self._source(clause, at)
        if word == "for":
            return self._for(clause, at)
        if word in ("with", "using"):
            return self._with(clause, at)
        if (word == "of" and clause.verb.sense == "discard") or (word == "of" and not clause.themes):
            return self._themes(clause, at + 1) if self.phrases.read(at + 1, bare=True) else at
        relation, after = self._relation(clause, at)
        if relation is None:
            return at
        if word == "at" and clause.verb.sense == "look" and self._relation(clause, after)[0] is not None:
            return after  # "to look at under the lamp"
        if self.word(after) in _PERSON:
            clause.person = "me"
            return after + 1
        if (
            self.word(after) in _OTHERS
            and word == "to"
            and (self.word(after) == "him" or not self.phrases.starts(after))
        ):
            clause.person = self.word(after)
            return after + 1
        side = self.word(after) == "the" and self.word(after + 1) in ("left", "right")
        told = clause.last == "place" or clause.verb.sense != "put"
        if side and told and self.phrases.read(after) is None:
            return self._sided(clause, Phrase(Thing(text=self.word(after + 1)), after + 2))
        found, end = self.phrases.list(after)
        if not found:
            return at
        several = len(clause.themes) > 1 or any(t.thing.plural or t.thing.text == "one" for t in clause.themes)
        if several and relation is Relation.NEAR and found[0].thing.pronoun and found[0].thing.other:
            clause.aside.append("together")  # "next to EACH OTHER", "one beside THE OTHER"
            return found[0].end
        found, end = self._apart(found, end, after)
        if found[0].thing.text.split()[-1] in _SIDES and not found[0].thing.categories:
            return self._sided(clause, found[0])
        if self.word(at) == "over" and clause.places:
            relation = Relation.ABOVE  # "in the cabinet over the sink"
        said = self.words[at:after]
        moving = bool(_MOVING & set(said)) or self.rest(at, 2) in ("in to", "on to") or clause.onward
        clause.begun = after
        clause.places += [Place(relation, phrase, moving) for phrase in found]
        clause.last = "place"
        return end

    def _sided(self, clause: Clause, phrase: Phrase) -> int:
        """Read "on the right side", "in the corner": it tells the thing or place before it from its like."""
        words = phrase.thing.text
        if clause.last == "place" and clause.places:
            place = clause.places[-1]
            told = place.phrase.thing.model_copy(update={"attributes": (*place.phrase.thing.attributes, words)})
            clause.places[-1] = Place(place.relation, Phrase(told, phrase.end), place.moving)
        elif clause.themes:
            theme = clause.themes[-1]
            told = theme.thing.model_copy(update={"attributes": (*theme.thing.attributes, words)})
            clause.themes[-1] = Phrase(told, theme.end, theme.contents)
        else:
            clause.unread += words.split()
        return phrase.end

    def _apart(self, found: list[Phrase], end: int, begin: int) -> tuple[list[Phrase], int]:
        """Return the places of a preposition without the object of the next clause: "and the mug in the sink"."""
        for number in range(1, len(found)):
            after = self.phrases.preposition(found[number].end)
            carried = self.portable(found[number].thing) and not self.vessel(found[number].thing)
            if self.portable(found[number].thing) and not self.portable(found[0].thing):
                return found[:number], found[number - 1].end
            goes = after is not None or self.word(found[number].end) in _PARTICLES | {"goes", "to"}
            if goes or carried or number == len(found) - 1:
                return found[:number], found[number - 1].end
        return found, end

    def portable(self, thing: Thing) -> bool:
        """Whether a thing may be one that is carried."""
        return any(self._lexicon.can(c, "pickup") for c in thing.categories)

    def vessel(self, thing: Thing) -> bool:
        """Whether a thing may be one that holds others."""
        return any(self._lexicon.can(c, "hold") for c in thing.categories)

    def _relation(self, clause: Clause, at: int) -> tuple[Relation | None, int]:
        """Return the relation of the preposition here, and the index after it."""
        found = self.phrases.preposition(at)
        pair = self.rest(at, 2)
        if pair in ("over to", "up to", "back to", "down to", "back in", "back on", "back into", "down on", "back onto",
                    "over on", "over in", "away in", "away into", "down in", "back at"):  # fmt: skip
            if pair.startswith("back"):
                clause.particles.append("back")
            return self._relation(clause, at + 1)
        if self.rest(at, 4) in ("in the light of", "by the light of", "under the light of"):
            return Relation.NEAR, at + 4
        if found is not None:
            relation, after = found
            if relation is Relation.ABOVE and self.word(at) == "over":
                relation = Relation.ON
            return relation, after
        if self.word(at) in ("to", "towards", "toward", "at"):
            return Relation.AT, at + 1
        return None, at

    def _is_particle(self, clause: Clause, at: int) -> bool:
        """Whether "on", "off", "in" … belong to the verb: "turn ON the lamp", "put it DOWN on the table"."""
        word = self.word(at)
        if clause.verb.sense == "start" and clause.themes and self.phrases.read(at + 1) is not None:
            return False  # "light the candle ON THE TABLE"
        if clause.verb.sense in ("switch", "start", "stop") and word in ("on", "off", "up", "down", "out"):
            place = self.phrases.read(at + 1) if word == "on" and clause.themes else None
            twice = place is not None and self.word(place.end) in ("on", "off")  # "turn the lamp ON MY DESK off"
            return not twice and not (clause.themes and clause.particles)
        if word in ("up", "down", "away", "back", "over") and not (
            word == "over" and self.phrases.read(at + 1) is not None and clause.themes
        ):
            return self._relation(clause, at)[0] is None or (word in ("up", "down") and False)
        if word == "off" and not clause.themes:
            return True
        return word in ("open", "shut", "closed")

    def _source(self, clause: Clause, at: int) -> int:
        after = at + (2 if self.rest(at, 2) in ("out of", "off of", "from inside", "from under", "off from") else 1)
        relation = Relation.AT
        if (found := self.phrases.preposition(after)) is not None:  # "from on top of", "from under"
            if self.word(at) == "off" and found[0] is Relation.IN:
                clause.particles.append("off")  # "cool it OFF in the fridge"
                return after
            relation, after = found
        if self.word(after) in ("there", "here"):
            phrase: Phrase | None = Phrase(Thing(text="there", pronoun=True), after + 1)
        else:
            phrase = self.phrases.read(after, bare=True)
        if self.rest(after, 3) == "wherever it is":
            return after + 3
        if phrase is None:
            return at
        if clause.source is None:
            clause.source = Place(relation, phrase)
        else:
            clause.source = Place(clause.source.relation, Phrase(_within(clause.source.phrase.thing, phrase.thing), 0))
        at = phrase.end
        while (inner := self.phrases.preposition(at)) is not None and inner[0] in (Relation.IN, Relation.ON):
            room = self.phrases.read(inner[1], bare=False)  # "from the table in the kitchen"
            if room is None or not room.thing.room or room.thing.categories:
                break
            clause.source = Place(relation, Phrase(_within(clause.source.phrase.thing, room.thing), room.end))
            at = room.end
        return at

    def _for(self, clause: Clause, at: int) -> int:
        """Read what is sought, or skip for whom or what it is."""
        found, end = self.phrases.list(at + 1)
        if clause.verb.sense in ("look", "search", "explore", "check", "find") and found:
            clause.sought = found
            return end
        if not found:
            verb = verb_at(self.words, at + 1)
            end = at + 2 if verb is not None and verb.form == "ing" else at
            return self.phrases.list(end)[1] if end > at else end
        return found[0].end  # for whom or what it is: it is done all the same

    def _with(self, clause: Clause, at: int) -> int:
        held = self.phrases.held(at) if clause.themes and self.vessel(clause.themes[-1].thing) else None
        if held is not None:  # "put the pan on the stove, WITH A SPOON IN IT"
            clause.themes[-1] = replace(clause.themes[-1], contents=(*clause.themes[-1].contents, *held[0]))
            return held[1]
        found = self.phrases.read(at + 1, bare=True)
        if found is None:
            return at
        verb = verb_at(self.words, found.end)
        lit = verb is not None and verb.form == "past" and verb.sense in ("switch", "start")
        end = found.end + (verb.length if verb is not None and lit else 0)  # "with the lamp LIT", "TURNED on"
        if (
            clause.last == "place"
            and not lit
            and clause.verb.sense in _CARRIES
            and found.thing.categories
            and not (self.portable(found.thing) or clause.places[-1].phrase.thing.place is not None)
        ):  # "on the table WITH THE MICROWAVE"
            place = clause.places[-1]
            beside = Where(relation=Relation.NEAR, thing=found.thing)
            table = place.phrase.thing.model_copy(update={"place": beside})
            clause.places[-1] = replace(place, phrase=Phrase(table, found.end))
            return found.end
        if clause.verb.sense not in _WITH_TOOLS and clause.themes and not found.thing.categories:
            theme = clause.themes.pop()  # "bottles with brown pumps"
            of = self.word(found.end) == "of" and self.word(found.end + 1) in self._lexicon.colours
            end = found.end + 2 * of  # "with a hint OF ORANGE"
            told = {"text": " ".join([theme.thing.text, "with", found.thing.text, *self.words[found.end : end]])}
            clause.themes.append(Phrase(theme.thing.model_copy(update=told), theme.end, theme.contents))
            return end
        clause.using = found.thing
        return end

    def _themes(self, clause: Clause, at: int) -> int:
        if self.word(at) in ("no", "none", "neither"):
            clause.negated, at = True, at + 1 + (self.word(at + 1) == "of")
        found, end = self.phrases.list(at)
        if not found:
            return at
        clause.begun = at
        clause.themes += found
        clause.last = "theme"
        return end

    def _object(self, clause: Clause, at: int) -> int:
        expects = not clause.themes and clause.verb.sense != ""
        denied = at + 1 + (self.word(at + 1) == "of") if self.word(at) in ("no", "none", "neither") else at
        if denied > at and expects and self.phrases.read(denied, bare=True) is not None:
            return self._themes(clause, at)
        if self.phrases.read(at, bare=expects) is None:
            return at
        if clause.themes and clause.last == "theme" and clause.verb.sense not in ("give", "bring", "get"):
            return at
        if clause.places and clause.themes:
            return at
        return self._themes(clause, at)

    def _joined(self, clause: Clause, at: int) -> int | None:
        """Go on behind "and" or a comma, where the clause does; None where another begins."""
        several = bool(clause.themes) and (clause.themes[-1].thing.every or clause.themes[-1].thing.plural)
        if several and (left_out := self.matched(EXCEPT, at)) > at and self.verb(left_out) is None:
            spared, end = self.phrases.list(left_out, bare=False)
            sourced = clause.source is not None or clause.themes[-1].thing.place is not None
            bound_for = sourced and not clause.places  # "everything from the desk but the lamp ON THE BED"
            goes_on = self._relation(clause, end)[0] is not None and not bound_for
            if spared and not self.phrases.finite(end) and not goes_on:
                return self.leave_out(clause, spared, end)  # "everything in the sink BUT THE KNIFE"
        paused = self.word(at) == ","
        after = at + (3 if self.word(at) == "as" else 2 if self.rest(at, 2) in _ALONG else 1)
        while self.word(after) in ("and", ",", "then", "also", "please", "but", "plus", "afterwards", "afterward"):
            after += 1
        if after >= len(self.words) or self.word(after) in STOPS:
            return after
        if self.word(after) in ("with", "using") and paused:
            return after
        if self.word(after) == "not" and (phrase := self.phrases.read(after + 1, bare=False)) is not None:
            place = self.phrases.where(phrase.end) if phrase.thing.place is None else None
            left = phrase.thing if place is None else phrase.thing.model_copy(update={"place": place[0]})
            if several and not phrase.thing.pronoun and not phrase.thing.attributes and phrase.thing.categories:
                if place is not None:  # "but not the bowl ON THE TABLE"
                    return self.leave_out(clause, [replace(phrase, thing=left)], place[1])
                return self.leave_out(clause, *self.phrases.list(after + 1, bare=False))
            last = clause.themes[-1] if clause.themes and clause.last == "theme" else None
            told = last is not None and not {*left.categories}.isdisjoint(last.thing.categories or left.categories)
            if clause.themes and _narrows(left, clause.themes[-1].thing):
                if last is None or left.place is None or left.attributes or left.owner:
                    clause.unread += self.words[after : phrase.end]  # "a mug, NOT THE RED ONE": which one is not said
                else:  # "the mug, NOT THE ONE ON THE DESK"
                    other = last.thing.model_copy(update={"place": left.place})
                    clause.themes[-1] = _without(last, other)
            elif last is not None and told:  # "a fruit, BUT NOT THE APPLE"
                clause.themes[-1] = _without(last, left)
            return place[1] if place is not None else phrase.end
        if (left_out := self.matched(EXCEPT, after)) > after and (others := self.phrases.list(left_out))[0]:
            return self.leave_out(clause, *others)
        if self.verb(after, ("base", clause.verb.form)) is not None or self._subject(after):
            return None
        if self.matched(SAME_PLACE, after) > after or self.matched(BACK, after) > after:
            return after
        alone = paused and "and" not in self.words[at:after]
        if clause.last == "place" and alone and (appositive := self._appositive(clause, after)) > after:
            return appositive
        if (
            self.matched(FORMULAS, after) > after
            or self.word(after) in FILLERS
            or self.matched(_TOGETHER, after) > after
        ):
            return after
        preposition = self._relation(clause, after)[0] is not None or self.word(after) in _FROM
        if preposition and clause.places and "then" in self.words[at:after]:
            return None  # "to the chair, THEN TO the bed"
        if preposition:
            clause.onward = True
            return after
        if self.word(after) in _PARTICLES and (clause.themes or clause.particles):
            return after
        acts = verb_at(self.words, after)
        if acts is not None and acts.form == "past" and self.phrases.read(after) is None:
            return None  # "heated and PLACED on the table"
        found, end = self.phrases.list(after)
        called = len(found) == 1 and paused and end == after + 1 and self.word(end) in STOPS | {""}
        if called and "and" not in self.words[at:after] and not (found[0].thing.categories or found[0].thing.room):
            return end  # "…, LOVE": who is spoken to
        if not found or clause.verb.sense in ("go", "wait") or (paused and self.phrases.says(found[-1])):
            return None
        goes_on = self._relation(clause, end)[0] is not None or self.word(end) in _PARTICLES | {"goes", "should", "is"}
        if goes_on and (clause.places or clause.particles):
            return None
        if self.word(end) in PERSONS or (self.word(end) and self.word(end) not in STOPS | {",", "and", "too", "please",
                "now", "as", "again", "for", "if", "from", "with", "off", "out", "in", "on", "into", "to", "next",
                "together", "away", "back", "up", "down", "unless", "onto", "then"}):  # fmt: skip
            return None
        here = clause.places[-1].phrase.thing.categories if clause.last == "place" and clause.places else ()
        if here and found[0].thing.categories == here:
            return None  # "the apple in the pan, AND THE PAN in the fridge"
        if clause.last == "place" and not any(self.portable(one.thing) for one in found):
            if all(one.thing.categories or one.thing.room for one in found) and not clause.themes:
                clause.places += [Place(clause.places[-1].relation, one) for one in found]
                return end
            return None
        clause.themes += found
        clause.last = "theme"
        return end

    def _appositive(self, clause: Clause, at: int) -> int:
        """Read what tells more of a place: "in a drawer, ANY DRAWER", "in a drawer, THE TOP ONE"."""
        phrase, place = self.phrases.read(at, bare=False), clause.places[-1] if clause.places else None
        end = self.matched(FORMULAS, phrase.end) if phrase is not None else at  # "any drawer AT ALL"
        if phrase is None or place is None or self.word(end) not in STOPS | {"", ","}:
            return at
        thing = place.phrase.thing
        if phrase.thing.pronoun and phrase.thing.text.endswith("one"):
            told = thing.model_copy(update={"attributes": (*thing.attributes, *phrase.thing.attributes)})
            clause.places[-1] = Place(place.relation, Phrase(told, phrase.end), place.moving)
            return phrase.end
        return end if phrase.thing.categories == thing.categories != () else at

    def _subject(self, at: int) -> bool:
        """Whether a sentence of its own begins: "I said so", "it is dirty"."""
        word, following = self.word(at), self.word(at + 1)
        return word in PERSONS or (word in ("it", "that", "this", "there", "they") and following in _FINITE)

    def corrected(self, clause: Clause, at: int) -> int:
        """Put what is said behind "no, I mean" in the place of what it corrects; return the index after."""
        if self.word(at) in ("on", "off") and clause.verb.sense == "switch":
            clause.particles = [self.word(at)]
            return at + 1
        if self._relation(clause, at)[0] is not None or self.word(at) == "just":
            clause.places.clear()
            return at + 1 if self.word(at) == "just" else at
        found, end = self.phrases.list(at)
        if found and clause.places and self._relation(clause, end)[0] is not None:
            clause.places.clear()
            clause.last = "theme"
        if not found:
            return at
        fixed = not any(self.portable(one.thing) for one in found)
        vessels = bool(clause.places) and self.vessel(found[0].thing) and self.portable(clause.places[-1].phrase.thing)
        if vessels and not fixed and clause.last == "place":  # "the egg in the bowl, no, the cup": which of them?
            clause.unread += self.words[at:end]
            return end
        if clause.last == "place" and clause.places and (fixed or not clause.themes):
            clause.places[-1] = Place(clause.places[-1].relation, found[-1], clause.places[-1].moving)
        else:
            clause.themes[-1:] = found
        return end

    def leave_out(self, clause: Clause, others: Sequence[Phrase], end: int) -> int:
        """Take things out of those that a clause is about: "put everything in the box, but not the remote"."""
        but = tuple(one.thing for one in others)
        clause.themes = [
            Phrase(one.thing.model_copy(update={"but": (*one.thing.but, *but), "every": True}), one.end, one.contents)
            for one in clause.themes
        ]
        return end


_CARRIES = frozenset(each("put take get bring return tidy"))
_WITH_TOOLS = frozenset(each("clean slice fill heat break open pour cool"))
_SIDES = frozenset(each("side corner middle center centre left right end back front top bottom edge"))
_POINTING = frozenset(each("it them the that those a my"))
_ALONG = ("along with", "together with")
_FINITE = frozenset(each("is are was were has have had will would can could should must goes looks smells does"))


def _narrows(spared: Thing, thing: Thing) -> bool:
    """Whether what is not meant is of the same kind, and nothing else says that it isn't."""
    alike = {*spared.categories} & {*thing.categories} or spared.text.endswith(("one", "ones"))
    told = (spared.attributes and not thing.attributes) or (spared.owner and not thing.owner)
    return bool(alike and (told or ((spared.place or spared.room) and not (thing.place or thing.room))))


def _without(phrase: Phrase, left: Thing) -> Phrase:
    """Return a phrase that does not mean a thing."""
    but = phrase.thing.model_copy(update={"but": (*phrase.thing.but, left)})
    return Phrase(but, phrase.end, phrase.contents)


def _within(thing: Thing, outer: Thing) -> Thing:
    """Return a place that is in another one, or in a room."""
    if outer.room and not outer.categories:
        return thing.model_copy(update={"room": outer.room})
    return thing.model_copy(update={"place": Where(relation=Relation.AT, thing=outer)})
