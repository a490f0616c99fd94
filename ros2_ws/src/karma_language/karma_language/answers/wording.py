# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers in English, by templates, from evidence alone: what is known, how old that is, what is not known and why."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from karma_language.answers.deed_wording import WordingOfDeeds, able
from karma_language.answers.evidence import Answered, Deed, Evidence, Gap, Move, Said, Sighting
from karma_language.answers.gaps import gap_in_words, not_seen, unopened, unsettled
from karma_language.answers.speech import MOST, duration, form_of_be, is_plural, sentence, sentences
from karma_language.reading import Kind, Question
from karma_language.things import Thing
from karma_language.vocabulary.languages import ENGLISH, language_of
from karma_language.vocabulary.states import STATES
from karma_language.vocabulary.terms import plural_of
from karma_language.vocabulary.words import STATES as STATE_WORDS

ONLY_ENGLISH = "I understand only English without a language model: say it in English, or start me with --llm."
UNANSWERED = "I don't know: nothing that I have seen or been told answers that."
TOLD_BESIDE = frozenset((Kind.STATE, Kind.COUNT, Kind.EXISTS, Kind.HOW_LONG, Kind.WHICH))
"""Kinds of what is seen, whose own words leave out what was told: it stands beside them."""
_QUOTED = 3
"""Most of a person's sentences that an answer by facts quotes."""


class Wording(WordingOfDeeds):
    """Words answers."""

    def answer(self, question: Question, evidence: Evidence) -> Answered:
        """Return the answer to a question."""
        words: Mapping[Kind, Callable[[Question, Evidence], str]] = {
            Kind.WHERE: self._where,
            Kind.ABOUT: lambda question, evidence: (self._where if question.thing else self._told)(question, evidence),
            Kind.STATE: self._state,
            Kind.WHICH: self._which,
            Kind.CONTENTS: self._contents,
            Kind.COUNT: self._count,
            Kind.EXISTS: self._exists,
            Kind.CHANGED: self._changed,
            Kind.HAPPENED: self._happened,
            Kind.WHEN: self._when,
            Kind.HOW_LONG: self._how_long,
            Kind.HOW_OFTEN: self._how_often,
            Kind.DID: self._did,
            Kind.ASKED: self._asked,
            Kind.WHY: self._why,
            Kind.WHO: self._who,
            Kind.LOOKED: self._looked,
            Kind.ROBOT: self._robot,
            Kind.HOLDING: self._holding,
            Kind.ABLE: lambda question, evidence: able(evidence.names),
            Kind.SIZE: self._size,
            Kind.ROUTE: self._route,
            Kind.CLOCK: lambda question, evidence: f"It is {self.date(evidence.now)}.",
        }
        if evidence.gap is not None:
            otherwise = evidence.gap is Gap.NOT_THEN and question.kind is Kind.DID and evidence.sightings
            gap = self._made_otherwise(question, evidence) if otherwise else gap_in_words(self, question, evidence)
            text = sentences((gap, *(self.quoted(one, evidence) for one in evidence.said)))
        else:
            text = (self._told if evidence.quoted else words[question.kind])(question, evidence)
            may = question.kind in TOLD_BESIDE or question.kind is Kind.CONTENTS
            beside = evidence.said if may and not evidence.quoted else ()
            quoted = (self.quoted(one, evidence) for one in beside)
            still_open = "" if question.kind is Kind.EXISTS else unsettled(self, question, evidence)
            text = sentences((text, still_open, *quoted))
        if evidence.look and evidence.gap is not Gap.NOT_LOOKED:
            text = sentences((text, f"I have not looked into {unopened(self, evidence.look)}"))
        moved = [one for move in evidence.moves for one in (move.before, move.after) if one is not None]
        seen = [*evidence.sightings, *evidence.elsewhere, *moved]
        told: list[Deed | Said] = [*evidence.deeds, *evidence.said]
        records = [*(one.record for one in seen), *(one.record for one in told)]
        stamps = [*(one.seen for one in seen), *(one.stamp for one in told)]
        return Answered(
            text,
            evidence.gap is None and not self._unknown_owner(question, evidence),
            max(0.0, evidence.now - max(stamps)) if stamps else None,
            tuple(dict.fromkeys(record for record in records if record))[:MOST],
            evidence.sightings[0].image if evidence.sightings else "",
            evidence.look,
            evidence.sightings[0].object_id if evidence.sightings else "",
        )

    def _unknown_owner(self, question: Question, evidence: Evidence) -> bool:
        """Whether somebody's thing is asked for, and which of several that is nobody told."""
        owned = question.thing is not None and bool(question.thing.owner)
        return owned and len(evidence.sightings) > 1 and bool(unsettled(self, question, evidence))

    def by_facts(self, answer: str, told: Sequence[Said], now: float) -> Answered:
        """Return an answer that rests on what a person told."""
        evidence = Evidence(now, said=tuple(told))
        quoted = {one.text.strip(): self.quoted(one, evidence) for one in told[:_QUOTED]}
        text = sentences((sentence(answer), *quoted.values()))
        age = max(0.0, now - max(one.stamp for one in told)) if told else None
        return Answered(text, True, age, tuple(one.record for one in told))

    def _made_otherwise(self, question: Question, evidence: Evidence) -> str:
        """Say how what the robot is asked to have done something with is, which it does not remember to have done."""
        state = STATE_WORDS[question.deed]
        flag, value, _ = STATES[state]
        asked = question.model_copy(update={"kind": Kind.STATE, "state": state, "time": None})
        so = all(one.states.get(flag) == value for one in evidence.sightings)
        how = self._how(asked, evidence)
        return sentences((how, "I can't say that I did it") if so else ("No, not that I remember", how))

    # Where things are, and how

    def _where(self, question: Question, evidence: Evidence) -> str:
        if question.storey and question.thing is not None:
            be = form_of_be(1 + question.thing.plural)
            on = " and ".join(name if name[-1:].isdecimal() else f"the {name}" for name in evidence.names)
            rooms = " and ".join(f"the {room}" for room in dict.fromkeys(s.room for s in evidence.sightings) if room)
            return f"The {self.called(question.thing)} {be} on {on}{f', in {rooms}' if rooms else ''}."
        if evidence.names:
            return self._route(question, evidence)
        parts = []
        seen = evidence.sightings
        if question.usual and evidence.moves:
            return sentences(
                (self._usual(evidence.moves[0], evidence), *(self.quoted(s, evidence) for s in evidence.said))
            )
        if evidence.moves and (before := evidence.moves[0].before) is not None:
            after = evidence.moves[0].after
            name = self.thing(before)
            it = ("it", "they")[is_plural(name)]
            moved = f", before I moved {'them' if is_plural(name) else 'it'}" if evidence.moves[0].by_robot else ""
            then = f"The {name} {_was(name)} {self.place(before)}{moved}"
            if after is None or not evidence.moves[0].elsewhere:
                return f"{then}."
            seen_there = "" if moved else self.age(after.seen, evidence, plural=is_plural(name))
            return f"{then}; now {it} {form_of_be(1 + is_plural(name))} {self.place(after)}{seen_there}."
        alike: dict[tuple[str, str, float | None], list[Sighting]] = {}
        for one in seen:
            until = one.until if question.time is None else None
            alike.setdefault((self.thing(one), self.place(one), until), []).append(one)
        for (name, place, until), ones in itertools.islice(alike.items(), 3):
            if until is not None:
                parts.append(f"I don't know. The {name} {_was(name)} {place} until {self.clock(until, evidence)}")
            else:
                subject = f"The {name}" if len(ones) == 1 else sentence(f"{self.number(len(ones))} {plural_of(name)}")
                several = len(ones) > 1 or is_plural(name)
                age = self.age(max(one.seen for one in ones), evidence, plural=several)
                parts.append(f"{subject} {form_of_be(1 + several, past=_past(question, evidence))} {place}{age}")
        if len(alike) > 3:
            parts.append(f"I know of {len(seen)} in all")
        newer = [said for said in evidence.said if not seen or said.stamp > seen[0].seen]
        older = [said for said in evidence.said if said not in newer]
        quoted = {said: self.quoted(said, evidence) for said in evidence.said}
        parts = [*(quoted[said] for said in newer), *parts, *(quoted[said] for said in older)]
        return sentences(parts) or "I don't know."

    def _usual(self, move: Move, evidence: Evidence) -> str:
        """Say where a thing is as a rule, and whether it is there."""
        assert move.before is not None
        assert move.after is not None
        name = self.thing(move.before)
        plural = is_plural(name)
        be, age = form_of_be(1 + plural), self.age(move.after.seen, evidence, plural=plural)
        now = f"but now {self.place(move.after)}" if move.elsewhere else "and now, too"
        return f"The {name} {be} mostly {self.place(move.before)}, {now}{age}"

    def _state(self, question: Question, evidence: Evidence) -> str:
        if not question.state or question.either:
            return self._how(question, evidence)
        flag, value, opposite = STATES[question.state]
        if any(one.states.get(STATES["sliced"][0]) == "true" for one in evidence.sightings):
            opposite = "sliced" if question.state == "whole" else opposite
        so = [one for one in evidence.sightings if one.states.get(flag) == value]
        yes = "Yes" if so and (question.thing is None or question.thing.counts(len(so))) else "No"
        seen = evidence.sightings
        name, past = self.thing(seen[0]), _past(question, evidence)
        age = self.age(max(one.seen for one in seen), evidence, plural=len(seen) == 1 and is_plural(name))
        if len(seen) == 1:
            be = form_of_be(1 + is_plural(name), past=past)
            said = f"{yes}, the {name} {be} {question.state if so else opposite}"
        elif so and len(so) < len(seen) and question.thing is not None and question.thing.every:
            others = [one for one in seen if one not in so]
            named = ", the ".join(f"{self.thing(one)} {self.place(one)}" for one in others[:3])
            more = f" and {len(others) - 3} more" if len(others) > 3 else ""
            number = f"{self.number(len(others))} of {self.number(len(seen))} {form_of_be(len(others), past=past)}"
            said = f"No, {number} {opposite}: the {named}{more}"
        elif so and len(so) < len(seen):
            some = f"{self.number(len(so))} of {len(seen)} {plural_of(name)} {form_of_be(len(so), past=past)}"
            said = f"{yes}, {some} {question.state}: {self.where_all(so)}"
        elif not so and question.thing is not None and question.thing.every and not question.thing.categories:
            said = f"No, everything {form_of_be(1, past=past)} {opposite}"
        else:
            every = f"{'both' if len(seen) == 2 else f'all {len(seen)}'} {form_of_be(2, past=past)}"
            said = f"{yes}, {every} {question.state if so else opposite}"
        return f"{said}{age}."

    def _how(self, question: Question, evidence: Evidence) -> str:
        """Say how each thing is: as to the state that is asked about, or any."""
        flags = {STATES[question.state][0]} if question.state else {flag for flag, _, _ in STATES.values()}
        said = []
        for one in evidence.sightings[:3]:
            so = {flag: name for name, (flag, value, _) in STATES.items() if one.states.get(flag) == value}
            named = " and ".join(name for flag, name in so.items() if flag in flags)
            place = self.place(one)
            named = named or (f"not {question.state}" if question.state else place)
            named = "sliced" if question.state == "whole" and one.states.get(STATES["sliced"][0]) == "true" else named
            where = f" {place}" if len(evidence.sightings) > 1 and named != place else ""
            plural = is_plural(self.thing(one))
            be, age = (
                form_of_be(1 + plural, past=_past(question, evidence)),
                self.age(one.seen, evidence, plural=plural),
            )
            said.append(f"The {self.thing(one)}{where} {be} {named}{age}.")
        return " ".join(said)

    def _which(self, question: Question, evidence: Evidence) -> str:
        found = evidence.sightings
        if not found:
            number = int(evidence.number or 0)
            others = (
                f": all {self.number(number)} are {STATES[question.state][2]}" if question.state and number > 1 else ""
            )
            return f"None that I know of{others}."
        named = " and the ".join(f"{self.thing(one)} {self.place(one)}" for one in found[:3])
        more = f", and {self.number(len(found) - 3)} more" if len(found) > 3 else ""
        return f"{sentence(self.number(len(found)))}: the {named}{more}{self.age(found[0].seen, evidence)}."

    def _contents(self, question: Question, evidence: Evidence) -> str:
        if question.place is None and question.thing is not None:
            if not evidence.sightings:
                return self._count(question, evidence)
            listed = self.list(map(_label, evidence.sightings))  # "what food is there?"
            return f"I know of {listed}: {self.where_all(evidence.sightings)}."
        where = self.at(question.place) if question.place is not None else "here"
        if not evidence.sightings:
            be = form_of_be(1, past=_past(question, evidence))
            if evidence.elsewhere:
                full = self.thing(evidence.elsewhere[0])
                return f"The {full} {be} full, I can't tell of what{self.age(evidence.elsewhere[0].seen, evidence)}."
            return f"Nothing that I know of {be} {where}{self.age(evidence.looked, evidence)}."
        newest = max(one.seen for one in evidence.sightings)
        listed = self.list(map(_label, evidence.sightings))
        mass = listed.startswith("some ") and " and " not in listed
        number = 1 if mass else len(evidence.sightings) + is_plural(listed)
        be = form_of_be(number, past=_past(question, evidence))
        but = f", not counting the {self.called(question.besides)}" if question.besides is not None else ""
        return f"{sentence(listed)} {be} {where}{but}{self.age(newest, evidence)}."

    def _count(self, question: Question, evidence: Evidence) -> str:
        thing, number = question.thing, int(evidence.number or 0)
        if question.deed and thing is not None:
            many = f"{sentence(self.number(number))} {self.called(thing, singular=number == 1)}"
            return sentences((f"{many} that I remember", self._deeds(evidence.deeds, evidence)))
        unseen = not_seen(thing) if thing is not None and number else ()
        name = self.called(thing, singular=number == 1, but=unseen) if thing is not None else "things"
        one_of_several = thing is not None and number > 1 and not thing.plural and not self._lexicon.is_mass(name)
        name = plural_of(name) if one_of_several and not name.endswith("s") else name
        switched = question.state in ("on", "off")
        name = f"{name} that {form_of_be(number)} {question.state}" if switched else f"{question.state} {name}".strip()
        if number == 0:
            here = self._elsewhere(question, evidence)
            return f"No {name} that I know of{self.there(question)}. {here}".strip()
        places = self.where_all(evidence.sightings) if question.place is None and 0 < number <= 4 else ""
        of_kind = [
            one for one in evidence.sightings if thing is not None and self.noun(one.category) in _singular(thing)
        ]
        if 0 < len(of_kind) < len(evidence.sightings) and not places:
            rest = self.list(_label(one) for one in evidence.sightings if one not in of_kind)
            return f"I know of {self.list(map(_label, of_kind))}{self.there(question)}, and {rest} besides."
        *names, last = evidence.names[:MOST] or ("",)
        places = f"{', '.join(names)} and {last}" if names else last or places
        return f"I know of {self.number(number)} {name}{self.there(question)}{f': {places}' if places else ''}."

    def _elsewhere(self, question: Question, evidence: Evidence) -> str:
        """Say where such things are that are not where they are asked for; "" for none."""
        here = replace(evidence, sightings=evidence.elsewhere)
        return self._where(question.model_copy(update={"time": None}), here) if evidence.elsewhere else ""

    def _exists(self, question: Question, evidence: Evidence) -> str:
        found = evidence.sightings
        if not found:
            name = self.called(question.thing) if question.thing is not None else "such thing"
            absent = (
                f"No, not that I know of: I have seen no {name}{self.there(question)}."
                if question.place
                else f"No, I know of no {name}."
            )
            here = self._elsewhere(question, evidence)
            return f"{absent} {here}".strip()
        number = int(evidence.number or len(found))
        if question.thing is not None and not question.thing.counts(number):
            only = "only " if number < question.thing.number else ""
            return f"No, I know of {only}{self.list(map(_label, found))}{self.there(question)}."
        if all(one.until is not None for one in found) and question.time is not None and question.time.lead:
            until = self.clock(found[0].until or 0.0, evidence)
            name = self.thing(found[0])
            return f"Yes, the {name} {_was(name)} {self.place(found[0])} until {until}."
        age = self.age(max(one.seen for one in found), evidence)
        listed = f"{self.list(map(_label, found))}: {self.where_all(found)}{age}."
        still_open = unsettled(self, question, evidence)  # whose it is, say, nobody can see
        return f"{still_open} I know of {listed}" if still_open else f"Yes, {listed}"

    def _how_long(self, question: Question, evidence: Evidence) -> str:
        one = evidence.sightings[0]
        have = "have" if is_plural(self.thing(one)) else "has"
        said = f"The {self.thing(one)} {have} been {question.state or self.place(one)}"
        lasting = evidence.number or 0.0
        if lasting < 60.0:
            return f"{said} since just now, as far as I have seen."
        since = f", since {self.clock(one.since, evidence).removeprefix('at ')}" if lasting >= 3600.0 else ""
        return f"{said} for at least {duration(lasting)}{since}."

    def _robot(self, question: Question, evidence: Evidence) -> str:
        room, at, floor = evidence.names
        on = floor if floor[-1:].isdecimal() else f"the {floor}"
        at = "" if self.noun(at) == room else at
        parts = (room and f"in the {room}", at and f"at the {self.noun(at)}", floor and f"on {on}")
        return f"I am {', '.join(filter(None, parts))}."

    def _holding(self, question: Question, evidence: Evidence) -> str:
        held = self.list(evidence.names) if evidence.names else ""
        what = "what" in question.quote.casefold()
        if not held:
            return "Nothing." if what else "No, I hold nothing."
        return sentence(f"{held}.") if what else f"Yes, {held}."

    def _size(self, question: Question, evidence: Evidence) -> str:
        if evidence.names:
            return (
                f"The {evidence.names[0]} is the biggest room, about {evidence.number or 0:.0f} m²."
                if len(evidence.names) > 1
                else f"The {evidence.names[0]} is about {evidence.number or 0:.0f} m² big."
            )
        one = evidence.sightings[0]
        return f"The {self.thing(one)} is about {100 * (evidence.number or 0):.0f} cm long at its longest."

    def _route(self, question: Question, evidence: Evidence) -> str:
        way = evidence.names
        if len(way) < 2:
            return f"I am in the {way[0]} now." if way else "I don't know that."
        if len(way) == 2:
            return f"The {way[0]} leads straight into the {way[1]}."
        between = f" through the {' and the '.join(way[1:-1])}" if way[1:-1] else ""
        return f"From the {way[0]}{between} to the {way[-1]}."


def _label(one: Sighting) -> str:
    return one.name or one.category


def _was(name: str) -> str:
    return form_of_be(1 + is_plural(name), past=True)


def unanswered(words: str) -> str:
    """Say that nothing answers a question; `words`: as it was asked."""
    if language_of(words) != ENGLISH:
        return ONLY_ENGLISH
    return UNANSWERED


def _past(question: Question, evidence: Evidence) -> bool:
    """Whether a question asks how it was."""
    return question.time is not None and question.time.is_past(evidence.now)


def _singular(thing: Thing) -> tuple[str, ...]:
    """Return what one of several things may be called: "chair" of "chairs"."""
    word = thing.text.casefold()
    return word, word.removesuffix("s"), word.removesuffix("es")
