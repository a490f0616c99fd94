# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Answers that say what is not known and why, in English, by templates."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.answers.evidence import Evidence, Gap
from karma_language.answers.speech import Words, form_of_be, is_plural, whose
from karma_language.reading import Kind, Question
from karma_language.things import Thing
from karma_language.vocabulary.states import STATES
from karma_language.vocabulary.terms import plural_of
from karma_language.vocabulary.word_meanings import Sort, level_in, means

_KINDS_NAMED = 4
"""Kinds of furniture of which it is said that nobody has looked into them."""


def _none_will_do(thing: Thing | None) -> bool:
    """Whether there may be none: "at most two plates"."""
    return thing is not None and thing.number > 0 and thing.counts(0)


def gap_in_words(words: Words, question: Question, evidence: Evidence) -> str:
    """Say what is not known, and why."""
    thing = question.thing if question.thing is not None else question.place.thing if question.place else None
    name = words.called(thing) if thing is not None else "it"
    place = question.place.thing if question.place is not None else None
    match evidence.gap:
        case _ if place is not None and place.owner and means(place.last_word, Sort.ROOM):
            return f"I don't know which room is {whose(place.owner)}."
        case _ if thing is not None and thing.pronoun and not evidence.sightings:
            return f"I don't know what “{thing.text}” is."
        case Gap.OTHERS:
            meant = place if evidence.names and place is not None else thing
            assert meant is not None
            no = "No, " if question.kind is Kind.EXISTS else ""
            noun = words.called(meant)
            return f"{no}I know of no {noun} that {form_of_be(1 + is_plural(noun))} {whose(meant.owner)}."
        case Gap.NEVER_SEEN | Gap.NO_SUCH_WORD if evidence.names:
            return f"I don't know: I know of no {evidence.names[0]} here."
        case Gap.NEVER_SEEN if question.kind in (Kind.EXISTS, Kind.COUNT):
            none = "None" if question.kind is Kind.COUNT else "Yes, none" if _none_will_do(thing) else "No, not"
            return f"{none} that I know of: I have seen no {name}."
        case Gap.NEVER_SEEN if thing is None:
            return "I don't know: I have seen nothing here yet."
        case Gap.NEVER_SEEN:
            there = words.there(question) if question.thing is not None else ""
            return f"I don't know: I have never seen {words.some(thing, name)}{there}."
        case Gap.NO_SUCH_WORD if question.kind in (Kind.EXISTS, Kind.COUNT):
            return f"No, not that I know of: I have seen nothing called {name}."
        case Gap.NO_SUCH_WORD:
            return f"I don't know: I have seen nothing called {name}."
        case Gap.NOT_LOOKED:
            places = " and ".join(f"the {words.noun(label)}" for label in (*evidence.look, *evidence.names)[:3])
            return f"I don't know: I have not looked into {places or f'the {name}'}."
        case Gap.NO_STATE:
            it = name if name == "it" else f"the {name}"
            return f"I don't know: I could not see whether {it} {form_of_be(1 + is_plural(name))} {question.state}."
        case Gap.NOT_THEN if question.kind is Kind.DID and question.deed and question.thing is not None:
            return "No, not that I remember."
        case Gap.NOT_THEN if question.kind in (Kind.DID, Kind.LOOKED, Kind.ASKED, Kind.WHY):
            return "Nothing that I remember."
        case Gap.NOT_THEN if question.kind in (Kind.ROBOT, Kind.HOLDING):
            return "I don't know yet: I have done nothing here."
        case Gap.NOT_THEN:
            return f"I don't know: I remember nothing of {words.the(thing, name)} then."
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


def unsettled(words: Words, question: Question, evidence: Evidence) -> str:
    """Say what the words tell of a thing and nobody can see: whose it is, its colour, which of several."""
    thing, number = question.thing, len(evidence.sightings)
    if thing is None or not number or evidence.said or question.kind is Kind.CONTENTS:
        return ""
    which = "whether any" if question.kind is Kind.EXISTS else "which of them" if number > 1 else "whether it"
    theirs = all(one.owner.casefold() == thing.owner.casefold() for one in evidence.sightings)
    if thing.owner and not theirs and (thing.owner != "me" or number > 1):
        return f"I don't know {which} is {whose(thing.owner)}."
    seen = [{*words.thing(one).casefold().split()} for one in evidence.sightings]
    told = [word for word in not_seen(thing) if not all(word in named for named in seen)]
    return f"I can't tell {which} is {' and '.join(told)}." if told else ""


def unopened(words: Words, labels: Sequence[str]) -> str:
    """Return the kinds of furniture into which nobody has looked: "the drawers, the cabinets and the fridge"."""
    named = [f"the {plural_of(words.noun(label))}" for label in labels[:_KINDS_NAMED]]
    return f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]


def not_seen(thing: Thing) -> tuple[str, ...]:
    """Return the words that describe a thing and that nothing tells that is seen: its colour, its number."""
    return tuple(word for word in thing.attributes if word not in STATES and not level_in(word))
