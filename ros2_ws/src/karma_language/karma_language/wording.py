# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers in English, by templates, from evidence alone: what is known, how old that is, what is not known and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from karma_language.evidence import Answered, Deed, Done, Evidence, Gap, Move, Said, Sighting
from karma_language.looking_back import LookingBack
from karma_language.reading import Kind, Question, Thing
from karma_language.speech import MOST, duration, sentence, sentences
from karma_language.states import STATES
from karma_language.terms import plural_of
from karma_language.vocabulary.languages import ENGLISH, language_of

ONLY_ENGLISH = "I understand only English without a language model: say it in English, or start me with --llm."
UNANSWERED = "I don't know: nothing that I have seen or been told answers that."
_KINDS_NAMED = 4
"""Kinds of furniture of which it is said that nobody has looked into them."""
_QUOTED = 3
"""Most of a person's sentences that an answer by facts quotes."""


class Wording(LookingBack):
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
        }
        if evidence.gap is not None:
            text = sentences((self._gap(question, evidence), *(self.quoted(one, evidence) for one in evidence.said)))
        else:
            text = (self._told if evidence.quoted else words[question.kind])(question, evidence)
            text = sentences((text, self._unsettled(question, evidence)))
        if evidence.look and evidence.gap is not Gap.NOT_LOOKED:
            text = sentences((text, f"I have not looked into {self._unopened(evidence.look)}"))
        moved = [one for move in evidence.moves for one in (move.before, move.after) if one is not None]
        seen, told = [*evidence.sightings, *evidence.elsewhere, *moved], evidence.said
        records = [
            *(one.record for one in seen),
            *(deed.record for deed in evidence.deeds),
            *(said.record for said in told),
        ]
        stamps = [
            *(one.seen for one in seen),
            *(deed.stamp for deed in evidence.deeds),
            *(said.stamp for said in told),
        ]
        return Answered(
            text,
            evidence.gap is None,
            max(0.0, evidence.now - max(stamps)) if stamps else None,
            tuple(dict.fromkeys(record for record in records if record))[:MOST],
            evidence.sightings[0].image if evidence.sightings else "",
            evidence.look,
            evidence.sightings[0].object_id if evidence.sightings else "",
        )

    def by_facts(self, answer: str, told: Sequence[Said], now: float) -> Answered:
        """Return an answer that rests on what a person told."""
        evidence = Evidence(now, said=tuple(told))
        quoted = {one.text.strip(): self.quoted(one, evidence) for one in told[:_QUOTED]}
        text = sentences((answer, *quoted.values()))
        age = max(0.0, now - max(one.stamp for one in told)) if told else None
        return Answered(text, True, age, tuple(one.record for one in told))

    # What is not known

    def _gap(self, question: Question, evidence: Evidence) -> str:
        thing = question.thing if question.thing is not None else question.place.thing if question.place else None
        name = self.called(thing) if thing is not None else "it"
        match evidence.gap:
            case Gap.NEVER_SEEN if question.kind in (Kind.EXISTS, Kind.COUNT):
                none = "No, not" if question.kind is Kind.EXISTS else "None"
                return f"{none} that I know of: I have seen no {name}."
            case Gap.NEVER_SEEN:
                return f"I don't know: I have never seen {self.some(thing, name)}."
            case Gap.NO_SUCH_WORD if question.kind in (Kind.EXISTS, Kind.COUNT):
                return f"No, not that I know of: I have seen nothing called {name}."
            case Gap.NO_SUCH_WORD:
                return f"I don't know: I have seen nothing called {name}."
            case Gap.NOT_LOOKED:
                places = " and ".join(f"the {self.noun(label)}" for label in (*evidence.look, *evidence.names)[:3])
                return f"I don't know: I have not looked into {places or f'the {name}'}."
            case Gap.NO_STATE:
                it = name if name == "it" else f"the {name}"
                return f"I don't know: I could not see whether {it} {_be(1 + _many(name))} {question.state}."
            case Gap.NOT_THEN if question.kind is Kind.DID and question.deed and question.thing is not None:
                return "No, not that I remember."
            case Gap.NOT_THEN if question.kind in (Kind.DID, Kind.LOOKED, Kind.ASKED, Kind.WHY):
                return "Nothing that I remember."
            case Gap.NOT_THEN if question.kind in (Kind.ROBOT, Kind.HOLDING):
                return "I don't know yet: I have done nothing here."
            case Gap.NOT_THEN:
                return f"I don't know: I remember nothing of {self.the(thing, name)} then."
            case Gap.NO_SUCH_FLOOR:
                return "I don't know: I know of no such floor here."
            case Gap.FUTURE:
                return "I don't know: that time has not come yet."
            case Gap.UNSURE:
                return "I don't know for sure."
            case Gap.NOBODY_SAID:
                return "I don't know: nobody has told me."
            case _ if question.kind is Kind.ROUTE:
                return "I don't know the way: I have not been everywhere yet."
            case _ if question.kind is Kind.CONTENTS and question.place is None:
                return "I don't know: I have seen nothing here yet."
            case _:
                return "I don't know that."

    def _unsettled(self, question: Question, evidence: Evidence) -> str:
        """Say what the words tell of a thing that nobody can see in what was seen: whose it is, its colour."""
        thing, number = question.thing, len(evidence.sightings)
        if thing is None or not number or evidence.said or question.kind is Kind.CONTENTS:
            return ""
        which = "which of them" if number > 1 else "whether it"
        if thing.owner and (thing.owner != "me" or number > 1):
            whose = "yours" if thing.owner == "me" else f"{thing.owner}'s"
            return f"I don't know {which} is {whose}."
        colours = [word for word in thing.attributes if word in self._lexicon.colours]
        return f"I can't tell {which} is {' and '.join(colours)}." if colours else ""

    def _unopened(self, labels: Sequence[str]) -> str:
        """Return the kinds of furniture into which nobody has looked: "the drawers, the cabinets and the fridge"."""
        named = [f"the {plural_of(self.noun(label))}" for label in labels[:_KINDS_NAMED]]
        return f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]

    # Where things are, and how

    def _where(self, question: Question, evidence: Evidence) -> str:
        if evidence.names:
            return self._route(question, evidence)
        parts = []
        seen = evidence.sightings
        if evidence.moves and (before := evidence.moves[0].before) is not None:
            after = evidence.moves[0].after
            now = f"; now it is {self.place(after)}" if after is not None else ""
            return f"The {self.thing(before)} was {self.place(before)}, before I moved it{now}."
        alike: dict[tuple[str, str, float | None], list[Sighting]] = {}
        for one in seen[:3]:
            until = one.until if question.time is None else None
            alike.setdefault((self.thing(one), self.place(one), until), []).append(one)
        for (name, place, until), ones in alike.items():
            if until is not None:
                parts.append(f"I don't know. The {name} was {place} until {self.clock(until, evidence)}")
            else:
                subject = f"The {name}" if len(ones) == 1 else sentence(f"{self.number(len(ones))} {plural_of(name)}")
                verb = _be(len(ones) + _many(name), past=_past(question, evidence))
                parts.append(f"{subject} {verb} {place}{self.age(max(one.seen for one in ones), evidence)}")
        if len(seen) > 3:
            parts.append(f"I know of {len(seen)} in all")
        newer = [said for said in evidence.said if not seen or said.stamp > seen[0].seen]
        older = [said for said in evidence.said if said not in newer]
        quoted = {said: self.quoted(said, evidence) for said in evidence.said}
        parts = [*(quoted[said] for said in newer), *parts, *(quoted[said] for said in older)]
        return sentences(parts) or "I don't know."

    def _state(self, question: Question, evidence: Evidence) -> str:
        if not question.state or question.either:
            return self._how(question, evidence)
        flag, value, opposite = STATES[question.state]
        so = [one for one in evidence.sightings if one.states.get(flag) == value]
        seen = evidence.sightings
        age = self.age(max(one.seen for one in seen), evidence)
        name, past = self.thing(seen[0]), _past(question, evidence)
        if len(seen) == 1:
            be = _be(1 + _many(name), past=past)
            said = f"{'Yes' if so else 'No'}, the {name} {be} {question.state if so else opposite}"
        elif so and len(so) < len(seen) and question.thing is not None and question.thing.every:
            said = f"No, only {self.number(len(so))} of {self.number(len(seen))}: {self.where_all(so)}"
        elif so and len(so) < len(seen):
            some = f"{self.number(len(so))} of {len(seen)} {plural_of(name)} {_be(len(so), past=past)} {question.state}"
            said = f"Yes, {some}: {self.where_all(so)}"
        else:
            every = f"{'both' if len(seen) == 2 else f'all {len(seen)}'} {_be(2, past=past)}"
            said = f"{'Yes' if so else 'No'}, {every} {question.state if so else opposite}"
        return f"{said}{age}."

    def _how(self, question: Question, evidence: Evidence) -> str:
        """Say how each thing is: as to the state that is asked about, or any."""
        flags = {STATES[question.state][0]} if question.state else {flag for flag, _, _ in STATES.values()}
        said = []
        for one in evidence.sightings[:3]:
            so = {flag: name for name, (flag, value, _) in STATES.items() if one.states.get(flag) == value}
            named = " and ".join(name for flag, name in so.items() if flag in flags)
            where = f" {self.place(one)}" if len(evidence.sightings) > 1 else ""
            be = _be(1 + _many(self.thing(one)), past=_past(question, evidence))
            said.append(f"The {self.thing(one)}{where} {be} {named}{self.age(one.seen, evidence)}.")
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
        return f"{sentence(self.number(len(found)))}: the {named}{self.age(found[0].seen, evidence)}."

    def _contents(self, question: Question, evidence: Evidence) -> str:
        if question.place is None and question.thing is not None:
            if not evidence.sightings:
                return self._count(question, evidence)
            listed = self.list(one.category for one in evidence.sightings)  # "what food is there?"
            return f"I know of {listed}: {self.where_all(evidence.sightings)}."
        where = self.at(question.place) if question.place is not None else "here"
        if not evidence.sightings:
            be = _be(1, past=_past(question, evidence))
            return f"Nothing that I know of {be} {where}{self.age(evidence.looked, evidence)}."
        newest = max(one.seen for one in evidence.sightings)
        listed = self.list(one.category for one in evidence.sightings)
        be = _be(len(evidence.sightings), past=_past(question, evidence))
        return f"{sentence(listed)} {be} {where}{self.age(newest, evidence)}."

    def _count(self, question: Question, evidence: Evidence) -> str:
        thing, number = question.thing, int(evidence.number or 0)
        name = self.called(thing, singular=number == 1) if thing is not None else "things"
        name = f"{question.state} {name}".strip()
        if number == 0:
            here = self._where(question, replace(evidence, sightings=evidence.elsewhere)) if evidence.elsewhere else ""
            return f"No {name} that I know of{self.there(question)}. {here}".strip()
        places = self.where_all(evidence.sightings) if question.place is None and 0 < number <= 4 else ""
        of_kind = [
            one for one in evidence.sightings if thing is not None and self.noun(one.category) in _singular(thing)
        ]
        if 0 < len(of_kind) < len(evidence.sightings) and not places:
            rest = self.list(one.category for one in evidence.sightings if one not in of_kind)
            return f"I know of {self.list(one.category for one in of_kind)}{self.there(question)}, and {rest} besides."
        *names, last = evidence.names[:MOST] or ("",)
        places = f"{', '.join(names)} and {last}" if names else last or places
        return f"I know of {self.number(number)} {name}{self.there(question)}{f': {places}' if places else ''}."

    def _exists(self, question: Question, evidence: Evidence) -> str:
        found = evidence.sightings
        if not found:
            name = self.called(question.thing) if question.thing is not None else "such thing"
            absent = (
                f"No, not that I know of{self.there(question)}: I have seen no {name} there."
                if question.place
                else f"No, I know of no {name}."
            )
            here = self._where(question, replace(evidence, sightings=evidence.elsewhere)) if evidence.elsewhere else ""
            return f"{absent} {here}".strip()
        wanted = question.thing.number if question.thing is not None else 0
        if len(found) < wanted:
            return f"No, I know of only {self.list(one.category for one in found)}{self.there(question)}."
        age = self.age(max(one.seen for one in found), evidence)
        return f"Yes, {self.list(one.category for one in found)}: {self.where_all(found)}{age}."

    def _how_long(self, question: Question, evidence: Evidence) -> str:
        one = evidence.sightings[0]
        said = f"The {self.thing(one)} {self._has_been(question, one)}"
        lasting = evidence.number or 0.0
        if lasting < 60.0:
            return f"{said} since just now, as far as I have seen."
        since = f", since {self.clock(one.since, evidence).removeprefix('at ')}" if lasting >= 3600.0 else ""
        return f"{said} for at least {duration(lasting)}{since}."

    def _has_been(self, question: Question, one: Sighting) -> str:
        return f"has been {question.state}" if question.state else f"has been {self.place(one)}"

    def _robot(self, question: Question, evidence: Evidence) -> str:
        room, at, floor = evidence.names
        on = floor if floor[-1:].isdecimal() else f"the {floor}"
        parts = (room and f"in the {room}", at and f"at the {self.noun(at)}", floor and f"on {on}")
        return f"I am {', '.join(filter(None, parts))}."

    def _holding(self, question: Question, evidence: Evidence) -> str:
        held = self.list(evidence.names) if evidence.names else ""
        return f"Yes, {held}." if held else "No, I hold nothing."

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

    # What changed, was done and said

    def _changed(self, question: Question, evidence: Evidence) -> str:
        if not evidence.moves:
            return f"Nothing has changed that I have noticed{self.since(question, evidence)}."
        moves = [self._move(move, evidence) for move in evidence.moves[:MOST]]
        more = len(evidence.moves) - len(moves)
        return "Something has changed. " + " ".join(moves) + (f" And {more} more." if more else "")

    def _happened(self, question: Question, evidence: Evidence) -> str:
        if len(evidence.deeds) + len(evidence.moves) + len(evidence.said) > MOST:
            return self.page(evidence)
        parts = [self._deeds(evidence.deeds, evidence)] if evidence.deeds else []
        parts += [self._move(move, evidence) for move in evidence.moves]
        parts += [self.quoted(said, evidence) for said in evidence.said]
        return sentences(parts) or f"Nothing that I have noticed{self.since(question, evidence)}."

    def _move(self, move: Move, evidence: Evidence) -> str:
        if move.after is None:
            assert move.before is not None
            gone = self.thing(move.before)
            it, be = ("they", "are") if _many(gone) else ("it", "is")
            return f"The {gone} {be} gone; {it} {_be(1 + _many(gone), past=True)} {self.place(move.before)}."
        after = move.after
        name, number = self.thing(after), 1 + _many(self.thing(after))
        when = self.clock(after.since, evidence)
        if move.before is not None and move.elsewhere:
            was, there = self.place(move.before), self.place(after)
            if was == there:  # on another shelf of the same room
                there = there.replace(" the ", " another ", 1)
            if after.until is not None:
                return f"The {name} {_be(number, past=True)} {was}, and then {there} (seen {when})."
            return f"The {name} {_be(number)} {there} now, no longer {was} (seen {when})."
        changed = [
            state
            for state, (flag, value, _) in STATES.items()
            if after.states.get(flag) == value and (move.before is None or move.before.states.get(flag) != value)
        ]
        past = after.until is not None
        now = "" if past else " now"
        return f"The {name} {_be(number, past=past)} {' and '.join(changed) or 'otherwise'}{now} (seen {when})."

    def _when(self, question: Question, evidence: Evidence) -> str:
        if evidence.deeds:
            deed = evidence.deeds[0]
            return sentences((sentence(self._line(deed, evidence)),))
        one = evidence.sightings[0]
        stamp = one.since if question.first else one.seen
        be = _be(1 + _many(self.thing(one)), past=True)
        return f"{sentence(self.clock(stamp, evidence))}: the {self.thing(one)} {be} {self.place(one)}."

    def _how_often(self, question: Question, evidence: Evidence) -> str:
        number = int(evidence.number or 0)
        times = {0: "Never that I know of", 1: "Once", 2: "Twice"}.get(number, f"{sentence(self.number(number))} times")
        return f"{times}{self.since(question, evidence)}." + (
            f" Last {self.clock(evidence.deeds[0].stamp, evidence)}." if number else ""
        )

    def _did(self, question: Question, evidence: Evidence) -> str:
        if question.deed and not question.open and (question.thing is not None or question.place is not None):
            done = [deed for deed in evidence.deeds if deed.succeeded]
            if done:
                return sentences((f"Yes, {self._line(done[0], evidence)}",))
            if not evidence.deeds[0].ended:
                return "Not yet: I am at it."
            return f"No, I tried, and failed, {self.clock(evidence.deeds[0].stamp, evidence)}."
        return self._deeds(evidence.deeds, evidence)

    def _deeds(self, deeds: Sequence[Deed], evidence: Evidence) -> str:
        lines = [
            sentence(self._line(deed, evidence))
            + ("" if deed.succeeded else ", not finished" if not deed.ended else ", which failed")
            for deed in deeds[:MOST]
        ]
        more = len(deeds) - len(lines)
        return sentences((*lines, f"And {more} more." if more > 0 else ""))

    def _line(self, deed: Deed, evidence: Evidence) -> str:
        """Return what was done for an instruction, when, and the instruction."""
        done = self._done(deed.done)
        unnamed = dict.fromkeys(noun for one in deed.done if (noun := self.noun(one.thing)) not in deed.text.casefold())
        about = f" (the {', the '.join([*unnamed][:3])})" if unnamed and not done else ""
        said = f"“{deed.text}”{about}" if deed.text else ""
        return f"{self.clock(deed.stamp, evidence)}: {' – '.join(filter(None, (done, said)))}"

    def _done(self, done: Sequence[Done]) -> str:
        """Return what was done, in words: "took the mug to the sink and opened the drawer"."""
        lines = []
        for one in done:
            verb = next((verb for skill, verb in _DONE.items() if one.skill.startswith(skill)), "")
            if not verb:
                continue
            to = f" to the {self.noun(one.place)}" if one.place and verb == "took" else ""
            lines.append(f"{verb} {f'the {self.noun(one.thing)}' if one.thing else 'what I held'}{to}")
        few = [*dict.fromkeys(lines)][:4]
        return f"I {' and '.join(filter(None, (', '.join(few[:-1]), few[-1])))}" if few else ""

    def _asked(self, question: Question, evidence: Evidence) -> str:
        if question.undone and not evidence.deeds:
            return "Nothing is left to do."
        return self._deeds(evidence.deeds, evidence)

    def _why(self, question: Question, evidence: Evidence) -> str:
        deed = evidence.deeds[0]
        by = f"{deed.user} asked me" if deed.user else "I was looking around"
        asked = f"you asked me: “{deed.text}”" if deed.text else by
        return sentences((f"Because {asked}",) if deed.succeeded else (sentence(asked), f"It failed: {deed.why}"))

    def _who(self, question: Question, evidence: Evidence) -> str:
        if evidence.said:
            return sentences(self.quoted(said, evidence) for said in evidence.said)
        if evidence.names:
            deed = evidence.deeds[0]
            words = f": “{deed.text}”" if deed.text else ""
            return sentences((f"{sentence(evidence.names[0])} did, {self.clock(deed.stamp, evidence)}{words}",))
        if not evidence.moves:
            seen = evidence.sightings[0]
            where = f"{self.place(seen)}{self.age(seen.seen, evidence)}"
            return f"Nobody, as far as I know: I have only seen the {self.thing(seen)} {where}."
        move = evidence.moves[0]
        if move.by_robot and evidence.deeds:
            deed = evidence.deeds[0]
            by = f"when you asked me: “{deed.text}”" if deed.text else f"because {deed.user} asked me"
            return sentences((f"I did, {self.clock(deed.stamp, evidence)}, {by}",))
        one = move.after or move.before
        assert one is not None
        before = f"between {self.clock(move.before.seen, evidence)} and " if move.before is not None else "before "
        return f"I don't know who: I did not see it. Somebody did, {before}{self.clock(one.since, evidence)}."

    def _told(self, question: Question, evidence: Evidence) -> str:
        more = len(evidence.said) - MOST
        quoted = (self.quoted(said, evidence) for said in evidence.said[:MOST])
        return sentences((*quoted, f"And {more} more" if more > 0 else ""))

    def _looked(self, question: Question, evidence: Evidence) -> str:
        if question.undone:
            return "" if evidence.look else "I have looked into everything that I know of."
        about = question.thing or (question.place.thing if question.place is not None else None)
        if about is not None:
            return f"Yes, I looked at the {self.called(about)}{self.age(evidence.looked, evidence)}."
        return f"I looked at the {', the '.join(self.noun(name) for name in evidence.names[:MOST])}."


_DONE = {
    **dict.fromkeys(("PutObject", "Place", "ThrowObject"), "took"),
    **dict.fromkeys(("PickupObject", "Pick"), "picked up"),
    **dict.fromkeys(("SwitchOn", "ToggleOn"), "switched on"),
    **dict.fromkeys(("SwitchOff", "ToggleOff"), "switched off"),
    "OpenObject": "opened",
    "CloseObject": "closed",
    "SliceObject": "sliced",
    "BreakObject": "broke",
}
"""Skill → what it did."""
_CAN = {
    **dict.fromkeys(("Find", "Explore"), "look for"),
    **dict.fromkeys(("Pick", "PickupObject"), "pick up"),
    **dict.fromkeys(("Place", "PutObject"), "put down"),
    **dict.fromkeys(("Open", "Close"), "open and close"),
    **dict.fromkeys(("SwitchO", "ToggleO"), "switch on and off"),
    "SliceObject": "slice",
    "BreakObject": "break",
    "ThrowObject": "throw",
}
"""Beginning of a skill → what a robot with it can do."""


def unanswered(words: str) -> str:
    """Say that nothing answers a question; `words`: as it was asked."""
    if language_of(words) != ENGLISH:
        return ONLY_ENGLISH
    return UNANSWERED


def able(names: Iterable[str]) -> str:
    """Say what the robot can do; `names`: of its skills."""
    verbs = dict.fromkeys(verb for name in names for skill, verb in _CAN.items() if name.startswith(skill))
    can = f"I can {', '.join(verbs)} things. " if verbs else ""
    return (
        f"{can}Ask me where something is, what changed or what I did. Tell me what I should know. "
        "Have me bring, put away, wash, heat or find something."
    )


def _be(number: int, *, past: bool = False) -> str:
    return ("was" if past else "is") if number == 1 else "were" if past else "are"


def _many(noun: str) -> bool:
    """Whether a noun is a plural: "keys"."""
    return noun.endswith("s") and not noun.endswith("ss")


def _past(question: Question, evidence: Evidence) -> bool:
    """Whether a question asks how it was."""
    time = question.time
    return time is not None and (time.until is None or time.until < evidence.now - 60.0)


def _singular(thing: Thing) -> tuple[str, ...]:
    """Return what one of several things may be called: "chair" of "chairs"."""
    word = thing.text.casefold()
    return word, word.removesuffix("s"), word.removesuffix("es")
