# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers in English, by templates, from evidence alone: what is known, how old it is, and what is not known and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo

from karma_language.evidence import Answered, Deed, Evidence, Gap, Move, Said, Sighting
from karma_language.reading import Kind, Question, Relation, Thing
from karma_language.vocabulary.lexicon import Lexicon, split_camel

_FRESH = 90.0
"""Seconds for which what was seen needs no age."""
_MOST = 12
"""Things that an answer lists; of more, it says how many."""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ON_OFF = {
    "on": ("isToggled", "true", "off"),
    "off": ("isToggled", "false", "on"),
    "open": ("isOpen", "true", "closed"),
    "closed": ("isOpen", "false", "open"),
    "dirty": ("isDirty", "true", "clean"),
    "clean": ("isDirty", "false", "dirty"),
    "full": ("isFilledWithLiquid", "true", "empty"),
    "empty": ("isFilledWithLiquid", "false", "full"),
    "broken": ("isBroken", "true", "whole"),
    "whole": ("isBroken", "false", "broken"),
    "sliced": ("isSliced", "true", "not sliced"),
    "cooked": ("isCooked", "true", "not cooked"),
    "hot": ("temperature", "Hot", "not hot"),
    "cold": ("temperature", "Cold", "not cold"),
}


class Wording:
    """Words answers with the names of a vocabulary."""

    def __init__(self, lexicon: Lexicon, zone: tzinfo = timezone.utc) -> None:
        self._lexicon = lexicon
        self._zone = zone

    def answer(self, question: Question, evidence: Evidence) -> Answered:
        """Return the answer to a question."""
        words: Mapping[Kind, Callable[[Question, Evidence], str]] = {
            Kind.WHERE: self._where,
            Kind.ABOUT: self._where,
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
            Kind.SIZE: self._size,
            Kind.ROUTE: self._route,
        }
        text = self._gap(question, evidence) if evidence.gap is not None else words[question.kind](question, evidence)
        records = (
            *(one.record for one in evidence.sightings),
            *(one.record for move in evidence.moves for one in (move.before, move.after) if one is not None),
            *(one.record for one in (*evidence.deeds, *evidence.said)),
        )
        stamps = [*(one.seen for one in evidence.sightings), *(one.stamp for one in (*evidence.deeds, *evidence.said))]
        return Answered(
            text,
            evidence.gap is None,
            max(0.0, evidence.now - max(stamps)) if stamps else None,
            tuple(dict.fromkeys(record for record in records if record))[:_MOST],
            next((one.image for one in evidence.sightings if one.image), ""),
            evidence.look,
        )

    # What is not known

    def _gap(self, question: Question, evidence: Evidence) -> str:
        thing = question.thing if question.thing is not None else question.place.thing if question.place else None
        name = self._called(thing) if thing is not None else "it"
        match evidence.gap:
            case Gap.NEVER_SEEN if question.kind in (Kind.EXISTS, Kind.COUNT):
                return f"No, not that I know of: I have seen no {name}."
            case Gap.NEVER_SEEN:
                return f"I don't know: I have never seen {self._some(thing, name)}."
            case Gap.NO_SUCH_WORD if question.kind in (Kind.EXISTS, Kind.COUNT):
                return f"No, not that I know of: I have seen nothing called {name}."
            case Gap.NO_SUCH_WORD:
                return f"I don't know: I have seen nothing called {name}."
            case Gap.NOT_LOOKED:
                places = " and ".join(f"the {self._noun(label)}" for label in (*evidence.look, *evidence.names)[:3])
                return f"I don't know: I have not looked into {places or f'the {name}'}."
            case Gap.NO_STATE:
                return f"I don't know: I could not see whether the {name} is {question.state}."
            case Gap.NOT_THEN if question.kind in (Kind.DID, Kind.LOOKED, Kind.ASKED, Kind.WHY):
                return "Nothing that I remember."
            case Gap.NOT_THEN:
                return f"I don't know: I remember nothing of {self._the(thing, name)} then."
            case Gap.FUTURE:
                return "I don't know: that time has not come yet."
            case Gap.FORGOTTEN:
                return "I don't know: I don't keep what is that long ago."
            case Gap.NOBODY_SAID:
                return "I don't know: nobody has told me."
            case Gap.PRIVATE:
                return "That is not for me to say."
            case _:
                return "I don't know that."

    # Where things are, and how

    def _where(self, question: Question, evidence: Evidence) -> str:
        parts = []
        seen = evidence.sightings
        for one in seen[:3]:
            if one.until is not None and question.time is None:
                parts.append(
                    f"I don't know. The {self._thing(one)} was {self._place(one)} until {self._clock(one.until, evidence)}"
                )
            else:
                verb = "is" if question.time is None or question.time.until == evidence.now else "was"
                parts.append(f"The {self._thing(one)} {verb} {self._place(one)}{self._age(one.seen, evidence)}")
        if len(seen) > 3:
            parts.append(f"I know of {len(seen)} in all")
        parts += [self._quoted(said, evidence) for said in evidence.said]
        return ". ".join(part for part in parts if part) + "." if parts else "I don't know."

    def _state(self, question: Question, evidence: Evidence) -> str:
        flag, value, opposite = _ON_OFF[question.state]
        so = [one for one in evidence.sightings if one.states.get(flag) == value]
        seen = evidence.sightings
        age = self._age(max(one.seen for one in seen), evidence)
        name = self._thing(seen[0])
        if len(seen) == 1:
            said = f"Yes, the {name} is {question.state}" if so else f"No, the {name} is {opposite}"
        elif so and len(so) < len(seen):
            said = f"Yes, {self._number(len(so))} of {len(seen)} {self._plural(name)} {'is' if len(so) == 1 else 'are'} {question.state}: {self._where_all(so)}"
        else:
            said = f"Yes, all {len(seen)} are {question.state}" if so else f"No, all {len(seen)} are {opposite}"
        return f"{said}{age}."

    def _which(self, question: Question, evidence: Evidence) -> str:
        found = evidence.sightings
        if not found:
            return f"None that I know of is {question.state}." if question.state else "None that I know of."
        return f"The {' and the '.join(f'{self._thing(one)} {self._place(one)}' for one in found[:3])}{self._age(found[0].seen, evidence)}."

    def _contents(self, question: Question, evidence: Evidence) -> str:
        assert question.place is not None
        where = f"{question.place.relation.value.replace('_', ' ')} the {self._called(question.place.thing)}"
        if not evidence.sightings:
            return f"Nothing that I know of is {where}{self._age(evidence.looked, evidence)}."
        newest = max(one.seen for one in evidence.sightings)
        listed = self._list(one.category for one in evidence.sightings)
        return f"{listed[0].upper()}{listed[1:]} {'is' if len(evidence.sightings) == 1 else 'are'} {where}{self._age(newest, evidence)}."

    def _count(self, question: Question, evidence: Evidence) -> str:
        thing, number = question.thing, int(evidence.number or 0)
        name = self._called(thing, singular=number == 1) if thing is not None else "things"
        if number == 0:
            return f"No {name} that I know of{self._there(question)}."
        places = self._where_all(evidence.sightings) if question.place is None and 0 < number <= 4 else ""
        return f"I know of {self._number(number)} {name}{self._there(question)}{f': {places}' if places else ''}."

    def _exists(self, question: Question, evidence: Evidence) -> str:
        found = evidence.sightings
        if not found:
            name = self._called(question.thing) if question.thing is not None else "such thing"
            return (
                f"No, not that I know of{self._there(question)}: I have seen no {name} there."
                if question.place
                else f"No, I know of no {name}."
            )
        first = found[0]
        return (
            f"Yes, {self._list(one.category for one in found)}: {self._place(first)}{self._age(first.seen, evidence)}."
        )

    def _how_long(self, question: Question, evidence: Evidence) -> str:
        one = evidence.sightings[0]
        said = f"The {self._thing(one)} {self._has_been(question, one)}"
        return f"{said} for at least {_duration(evidence.number or 0.0)}, since {self._clock(one.since, evidence)}."

    def _has_been(self, question: Question, one: Sighting) -> str:
        return f"has been {question.state}" if question.state else f"has been {self._place(one)}"

    def _size(self, question: Question, evidence: Evidence) -> str:
        if evidence.names:
            return (
                f"The {evidence.names[0]} is the biggest room, about {evidence.number or 0:.0f} m²."
                if len(evidence.names) > 1
                else f"The {evidence.names[0]} is about {evidence.number or 0:.0f} m² big."
            )
        one = evidence.sightings[0]
        return f"The {self._thing(one)} is about {100 * (evidence.number or 0):.0f} cm long at its longest."

    def _route(self, question: Question, evidence: Evidence) -> str:
        way = evidence.names
        if len(way) < 2:
            return "That is where you are."
        between = f" through the {' and the '.join(way[1:-1])}" if way[1:-1] else ""
        return f"From the {way[0]}{between} to the {way[-1]}."

    # What changed, was done and said

    def _changed(self, question: Question, evidence: Evidence) -> str:
        if not evidence.moves:
            return f"No, nothing that I have noticed{self._since(question, evidence)}."
        moves = [self._move(move, evidence) for move in evidence.moves[:_MOST]]
        more = len(evidence.moves) - len(moves)
        return "Yes. " + " ".join(moves) + (f" And {more} more." if more else "")

    def _happened(self, question: Question, evidence: Evidence) -> str:
        parts = [self._deeds(evidence.deeds, evidence)] if evidence.deeds else []
        parts += [self._move(move, evidence) for move in evidence.moves[:_MOST]]
        return " ".join(parts) if parts else f"Nothing that I have noticed{self._since(question, evidence)}."

    def _move(self, move: Move, evidence: Evidence) -> str:
        if move.after is None:
            assert move.before is not None
            return f"The {self._thing(move.before)} is gone; it was {self._place(move.before)}."
        after = move.after
        when = self._clock(after.since, evidence)
        if move.before is not None and (move.before.place_id, move.before.relation) != (after.place_id, after.relation):
            return f"The {self._thing(after)} is {self._place(after)} now, no longer {self._place(move.before)} (seen {when})."
        changed = [
            name
            for name, (flag, value, _) in _ON_OFF.items()
            if after.states.get(flag) == value and (move.before is None or move.before.states.get(flag) != value)
        ]
        return f"The {self._thing(after)} is {' and '.join(changed) or 'otherwise'} now (seen {when})."

    def _when(self, question: Question, evidence: Evidence) -> str:
        if evidence.deeds:
            deed = evidence.deeds[0]
            return f"{_sentence(self._clock(deed.stamp, evidence))}, when you asked me: “{deed.text}”."
        one = evidence.sightings[0]
        stamp = one.since if question.first else one.seen
        return f"{_sentence(self._clock(stamp, evidence))}: the {self._thing(one)} was {self._place(one)}."

    def _how_often(self, question: Question, evidence: Evidence) -> str:
        number = int(evidence.number or 0)
        times = {0: "Never that I know of", 1: "Once", 2: "Twice"}.get(
            number, f"{_sentence(self._number(number))} times"
        )
        return f"{times}{self._since(question, evidence)}." + (
            f" Last {self._clock(evidence.deeds[0].stamp, evidence)}." if number else ""
        )

    def _did(self, question: Question, evidence: Evidence) -> str:
        if question.deed:
            done = [deed for deed in evidence.deeds if deed.succeeded]
            if done:
                return f"Yes, {self._clock(done[0].stamp, evidence)}: “{done[0].text}”."
            return f"No. I tried, and failed: {evidence.deeds[0].why}"
        return self._deeds(evidence.deeds, evidence)

    def _deeds(self, deeds: Sequence[Deed], evidence: Evidence) -> str:
        lines = [
            f"{_sentence(self._clock(deed.stamp, evidence))}: “{deed.text}”"
            + ("" if deed.succeeded else ", not finished" if not deed.ended else ", which failed")
            for deed in deeds[:_MOST]
        ]
        more = len(deeds) - len(lines)
        return ". ".join(lines) + (f". And {more} more." if more > 0 else ".")

    def _asked(self, question: Question, evidence: Evidence) -> str:
        if question.undone and not evidence.deeds:
            return "Nothing is left to do."
        return self._deeds(evidence.deeds, evidence)

    def _why(self, question: Question, evidence: Evidence) -> str:
        deed = evidence.deeds[0]
        asked = f"you asked me: “{deed.text}”" if deed.text else "I was looking around"
        return f"Because {asked}." if deed.succeeded else f"{_sentence(asked)}. It failed: {deed.why}"

    def _who(self, question: Question, evidence: Evidence) -> str:
        if evidence.said:
            return ". ".join(self._quoted(said, evidence) for said in evidence.said) + "."
        move = evidence.moves[0]
        if move.by_robot and evidence.deeds:
            return f"I did, {self._clock(evidence.deeds[0].stamp, evidence)}, when you asked me: “{evidence.deeds[0].text}”."
        one = move.after or move.before
        assert one is not None
        before = f"between {self._clock(move.before.seen, evidence)} and " if move.before is not None else "before "
        return f"I don't know who: I did not see it. Somebody did, {before}{self._clock(one.since, evidence)}."

    def _looked(self, question: Question, evidence: Evidence) -> str:
        if question.thing is not None:
            return f"Yes, I looked at the {self._called(question.thing)}{self._age(evidence.looked, evidence)}."
        return f"I looked at the {', the '.join(self._noun(name) for name in evidence.names[:_MOST])}."

    # Parts

    def _noun(self, category: str) -> str:
        return self._lexicon.kind(category).noun

    def _thing(self, one: Sighting) -> str:
        return one.name or self._noun(one.category)

    def _called(self, thing: Thing, *, singular: bool = False) -> str:
        if thing.room and not thing.categories:
            return self._lexicon.room_name(thing.room)
        words = [*(word for word in thing.attributes if word not in thing.text.casefold().split()), thing.text]
        if singular and thing.plural and thing.categories:
            return self._noun(thing.categories[0])
        return " ".join(words)

    def _some(self, thing: Thing | None, name: str) -> str:
        return (
            f"any {name}"
            if thing is not None and thing.plural
            else f"a {name}"
            if name[:1] not in "aeiou"
            else f"an {name}"
        )

    def _the(self, thing: Thing | None, name: str) -> str:
        return f"the {name}" if thing is not None and not thing.pronoun else name

    def _place(self, one: Sighting) -> str:
        if one.relation == "held":
            return "in my hand"
        room = f"in the {one.room}" if one.room else ""
        if one.place and one.place != "Floor":
            return f"{one.relation or 'on'} the {self._noun(one.place)}{f', {room}' if room else ''}"
        return f"on the floor{f', {room}' if room else ''}" if one.place == "Floor" else room or "somewhere"

    def _where_all(self, found: Sequence[Sighting]) -> str:
        places = Counter(self._place(one) for one in found[:_MOST])
        return "; ".join(f"{self._number(number)} {place}" if number > 1 else place for place, number in places.items())

    def _there(self, question: Question) -> str:
        if question.place is None:
            return ""
        relation = "in" if question.place.thing.room else question.place.relation.value.replace("_", " ")
        return f" {relation} the {self._called(question.place.thing)}"

    def _list(self, categories: Iterable[str]) -> str:
        counted = Counter(self._noun(category) for category in categories)
        named = [
            f"{self._number(number)} {self._plural(name)}"
            if number > 1
            else f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"
            for name, number in counted.items()
        ]
        return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"

    def _number(self, number: int) -> str:
        return _NUMBERS[number] if number < len(_NUMBERS) else str(number)

    def _plural(self, noun: str) -> str:
        if noun.endswith(("s", "x", "ch", "sh")):
            return f"{noun}es"
        if noun.endswith("y") and noun[-2:-1] not in "aeiou":
            return f"{noun[:-1]}ies"
        return f"{noun[:-1]}ves" if noun in ("knife", "shelf", "loaf") else f"{noun}s"

    def _quoted(self, said: Said, evidence: Evidence) -> str:
        return f"You told me {self._clock(said.stamp, evidence)}: “{said.text.strip()}”"

    def _since(self, question: Question, evidence: Evidence) -> str:
        return (
            f" {question.time.text}"
            if question.time is not None and question.time.text[:2] in ("si", "in", "to", "th")
            else ""
        )

    def _age(self, stamp: float | None, evidence: Evidence) -> str:
        if stamp is None or evidence.now - stamp < _FRESH:
            return ""
        return f"; I saw it {self._clock(stamp, evidence)}"

    def _clock(self, stamp: float, evidence: Evidence) -> str:
        """Return a time for people: "just now", "20 minutes ago", "at 8:12", "yesterday at 8:12", "on 3 May at 8:12"."""
        ago = evidence.now - stamp
        if ago < _FRESH:
            return "just now"
        if ago < 7200.0:
            return f"{_duration(ago)} ago"
        then, now = (datetime.fromtimestamp(time, self._zone) for time in (stamp, evidence.now))
        clock = f"{then.hour}:{then.minute:02d}"
        if then.date() == now.date():
            return f"at {clock}, {_duration(ago)} ago"
        if then.date() == now.date() - timedelta(days=1):
            return f"yesterday at {clock}"
        return f"on {then.day} {then:%B} at {clock}"


def _duration(seconds: float) -> str:
    for name, length in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 2 * length or (seconds >= length and name != "minute"):
            number = round(seconds / length)
            return f"{number} {name}{'s' * (number != 1)}"
    return "a minute" if seconds >= 30.0 else "a moment"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def able(names: Iterable[str]) -> str:
    """Say what the robot can do; `names`: of its skills."""
    verbs = dict.fromkeys(split_camel(name.removesuffix("Object")).strip() for name in names)
    return f"I can {', '.join(verbs)} things, and answer questions about your home. Ask me to bring, put, wash, heat or find something."


__all__ = ["Relation", "Wording", "able"]
