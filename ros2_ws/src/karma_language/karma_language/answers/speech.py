# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""English for things, places, numbers and times, as answers need it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta

from karma_language.answers.evidence import Evidence, Said, Sighting
from karma_language.reading import Question
from karma_language.things import Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.terms import plural_of
from karma_language.vocabulary.terms import singular as one_of
from karma_language.vocabulary.words import PEOPLE
from karma_language.zone import local_time

MOST = 12
"""Things that an answer lists; of more, it says how many."""
_FRESH = 90.0
"""Seconds for which what was seen needs no age."""
_AFTER_NOUN = re.compile(r" (?:of|to|for|from|with|in|on) ")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class Words:
    """Words things with the names of a vocabulary, and times in the local time zone."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def noun(self, category: str) -> str:
        """Return what people call one of a category."""
        return self._lexicon.kind(category).noun

    def thing(self, one: Sighting) -> str:
        """Return what people call a thing that was seen."""
        return one.name or self.noun(one.category)

    def called(self, thing: Thing, *, singular: bool = False, but: Sequence[str] = ()) -> str:
        """Return a thing in the words of who asks. `but`: words to leave out."""
        if thing.is_room:
            text = thing.text.casefold() or thing.room
            return one_of(text) if singular else text
        words = [*(word for word in thing.attributes if word not in thing.text.casefold().split()), thing.text]
        if singular and (thing.plural or (thing.categories and is_plural(thing.text))):
            return self.noun(thing.categories[0]) if thing.categories else one_of(thing.text)
        return " ".join(word for text in words for word in text.split() if word.casefold() not in but)

    def some(self, thing: Thing | None, name: str) -> str:
        """Return "a mug" or "any mugs"."""
        several = (thing is not None and thing.plural) or re.search(r"[^s]s$", name)  # "boots"
        if several or self._lexicon.is_mass(name):
            return f"any {name}"
        return f"a {name}" if name[:1] not in "aeiou" else f"an {name}"

    def the(self, thing: Thing | None, name: str) -> str:
        """Return "the mug"; a pronoun as it is."""
        return f"the {name}" if thing is not None and not thing.pronoun else name

    def place(self, one: Sighting) -> str:
        """Return where a thing is: "on the table, in the kitchen"."""
        if one.relation == "held":
            return "in my hand"
        room = f"in the {one.room}" if one.room else ""
        if one.place and one.place != "Floor":
            return f"{one.relation or 'on'} the {self.noun(one.place)}{f', {room}' if room else ''}"
        return f"on the floor{f', {room}' if room else ''}" if one.place == "Floor" else room or "somewhere"

    def where_all(self, found: Sequence[Sighting]) -> str:
        """Return where several things are, the same places together."""
        places = Counter(self.place(one) for one in found[:MOST])
        if max(places.values(), default=0) < 2:
            return "; ".join(places)
        return "; ".join(f"{self.number(number)} {place}" for place, number in places.items())

    def there(self, question: Question) -> str:
        """Return the place that a question names, with a blank before it; "" for none."""
        return f" {self.at(question.place)}" if question.place is not None else ""

    def at(self, where: Where) -> str:
        """Return a place in the words of who asks: "on the table", "in the kitchen", "upstairs"."""
        if where.thing.floor:
            one_word = where.thing.text.casefold() == where.thing.floor
            return where.thing.text if one_word else f"on the {where.thing.text}"
        relation = "in" if where.thing.is_room else where.relation.value.replace("_", " ")
        return f"{relation} the {self.called(where.thing)}"

    def list(self, categories: Iterable[str]) -> str:
        """Return things of these categories: "a mug, two plates and a fork"."""
        kinds = map(self._lexicon.kind, categories)
        counted = Counter((kind.noun, kind.mass) for kind in kinds)
        named = [self._several(noun, 0 if mass else number) for (noun, mass), number in counted.items()]
        return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"

    def _several(self, noun: str, number: int) -> str:
        """Return "a mug", "two mugs"; "some bread" for 0, which is not counted."""
        return f"{self.number(number)} {plural_of(noun)}" if number > 1 else a(noun) if number else f"some {noun}"

    def number(self, number: int) -> str:
        """Return a small number as a word."""
        return _NUMBERS[number] if number < len(_NUMBERS) else str(number)

    def quoted(self, said: Said, evidence: Evidence) -> str:
        """Return what somebody said, and when."""
        answer = f"{said.answer}. " if said.answer else ""
        room = f" (in the {said.room})" if said.room and said.room not in said.text.casefold() else ""
        if not said.text:
            return f"{answer}So I was told {self.clock(said.stamp, evidence)}"
        who = "You" if said.own else "Somebody"
        return f"{answer}{who} told me {self.clock(said.stamp, evidence)}: “{said.words}”{room}"

    def since(self, question: Question, evidence: Evidence) -> str:
        """Return the stretch of time that a question names, with a blank before it; "" for none."""
        return (
            f" {question.time.text}"
            if question.time is not None and question.time.text[:2] in ("si", "in", "to", "th")
            else ""
        )

    def age(self, stamp: float | None, evidence: Evidence, *, plural: bool = False) -> str:
        """Return how long ago something was seen, for the end of a sentence; "" where it was just now."""
        if stamp is None or evidence.now - stamp < _FRESH:
            return ""
        return f"; I saw {'them' if plural else 'it'} {self.clock(stamp, evidence)}"

    def clock(self, stamp: float, evidence: Evidence) -> str:
        """Return a time for people: "just now", "20 minutes ago", "yesterday at 8:12", "on 3 May at 8:12"."""
        ago = evidence.now - stamp
        if ago < _FRESH:
            return "just now"
        if ago < 3600.0:
            return f"{duration(ago)} ago"
        then, now = (local_time(time) for time in (stamp, evidence.now))
        clock = f"{then.hour}:{then.minute:02d}"
        if then.date() == now.date():
            return f"at {clock}, {duration(ago)} ago"
        if then.date() == now.date() - timedelta(days=1):
            return f"yesterday at {clock}"
        return f"on {then.day} {then:%B} at {clock}"

    def date(self, stamp: float) -> str:
        """Return a time with its day: "14:32 on Thursday, 26 November"."""
        then = local_time(stamp)
        return f"{then.hour}:{then.minute:02d} on {then:%A}, {then.day} {then:%B}"


def duration(seconds: float) -> str:
    """Return a stretch of time in its largest unit: "20 minutes"."""
    for name, length in (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 2 * length or (seconds >= length and name != "minute"):
            number = round(seconds / length)
            return f"{number} {name}{'s' * (number != 1)}"
    return "a minute" if seconds >= 30.0 else "a moment"


def a(noun: str) -> str:
    """Return a noun with its indefinite article: an egg; one that has no singular as it is: keys."""
    if is_plural(noun):
        return noun
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def sentences(parts: Iterable[str]) -> str:
    """Return what is said as sentences; one that ends with a quoted sentence needs no full stop more."""
    return " ".join(part if part.endswith((".", "!", "?", ".”", "!”", "?”")) else f"{part}." for part in parts if part)


def sentence(text: str) -> str:
    """Return text that begins with a capital."""
    return text[:1].upper() + text[1:]


def of_user(owner: str, teller: str, user: str) -> str:
    """Return an owner that `teller` named as `user` would: "me" of Ann's is "Ann" to others, "Tom" is Tom's "me"."""
    if owner == "me":
        return sentence(teller)
    kin, _, name = owner.rpartition(" ")
    if user and user.casefold() in (owner.casefold(), name.casefold()):
        return "me"
    return f"{sentence(teller)}'s {owner}" if owner in PEOPLE and teller else name if kin in PEOPLE else owner


def whose(owner: str) -> str:
    """Return whose something is, said to who told it: "yours", "Tom's", "your sister's"."""
    name = f"your {owner}" if owner.partition(" ")[0] in PEOPLE else sentence(owner)
    return "yours" if owner == "me" else f"{name}'" if name.endswith("s") else f"{name}'s"


def named_by_oneself(owner: str) -> str:
    """Return whose something is, as one says it oneself: "Tom's", "my sister's"."""
    return f"my {owner}'s" if owner.partition(" ")[0] in PEOPLE else whose(owner)


def form_of_be(number: int, *, past: bool = False) -> str:
    """Return "is", "are", "was" or "were"."""
    return ("was" if past else "is") if number == 1 else "were" if past else "are"


def is_plural(noun: str) -> bool:
    """Whether a noun is a plural: "keys", "keys to the shed", but no "box of screws"."""
    head = _AFTER_NOUN.split(noun, 1)[0]
    return head.endswith("s") and not head.endswith("ss")
