# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A stream of told sentences over four weeks, and questions at the end of each, with answers computed from what was told.

What holds, is replaced, ends by itself or is taken back is kept here as the truth, without any of the memory's code.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from karma_eval.emg.people import Words
from karma_eval.emg.wordings import Wordings

START = datetime(2026, 3, 2, tzinfo=timezone.utc)
"""A Monday."""
WEEKS = 4
PERSONAL = (
    "residence",
    "employer",
    "occupation",
    "phone",
    "birthday",
    "allergy",
    "favourite",
    "sport",
    "team",
    "car",
    "pet",
    "study",
    "age",
)
"""Kinds that anybody has."""
OWN = ("nickname", "gender", "spouse", "anniversary", "code", "code", "favourite", "voucher")
"""Kinds that the user has besides."""
CHANGING = (
    "residence",
    "employer",
    "occupation",
    "phone",
    "favourite",
    "sport",
    "team",
    "car",
    "study",
    "code",
    "age",
    "spouse",
)
_ALTERNATIVE = re.compile(r"\[([^|\]]*)\|([^|\]]*)\]")


@dataclass(frozen=True)
class Told:
    """A sentence of a user."""

    id: str
    """The memory."""
    user: str
    stamp: float
    text: str


@dataclass(frozen=True)
class Asked:
    """A question, the right answer, and the memories it needs."""

    user: str
    stamp: float
    week: int
    text: str
    answer: frozenset[str]
    """Empty: what was told doesn't say, or doesn't any more."""
    required: frozenset[str]
    optional: frozenset[str]
    """Memories that say how somebody is meant where the fact was told in the question's own words; not scored."""
    kind: str
    asked_stale: bool = False
    """Whether something that was so once is asked for: replaced, expired or taken back."""


@dataclass
class _Person:
    """Somebody in a user's life; the user has no owner."""

    name: str
    role: str = ""
    owner: _Person | None = None
    pronoun: str = ""
    told_in: str = ""
    """Memory that says who it is."""
    named: bool = True


@dataclass
class _Value:
    kind: str
    person: _Person
    detail: str
    """{r} of the wording."""
    answer: str
    spoken: str
    told_in: str
    by_role: bool = False
    ends: datetime | None = None
    replaced: bool = False


@dataclass
class Stream:
    """Everything that is told and asked, in the order of time."""

    told: list[Told] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    edits: dict[int, dict[str, int]] = field(default_factory=dict)
    """Week → how many insertions, replacements, expiries and removals."""


def make_stream(
    seed: int, words: Words, wordings: Mapping[str, Wordings], *, users: int, weeks: int = WEEKS, questions: int = 15
) -> Stream:
    """Return a stream. `questions`: per user and week."""
    stream = Stream(
        edits={week: dict.fromkeys(("inserted", "replaced", "expired", "removed"), 0) for week in range(1, weeks + 1)}
    )
    for number in range(users):
        _User(random.Random(seed * 1_000_003 + number), f"user{number}", words, wordings, stream).live(weeks, questions)  # noqa: S311
    stream.told.sort(key=lambda told: told.stamp)
    stream.asked.sort(key=lambda asked: asked.stamp)
    return stream


class _User:
    """One user's four weeks."""

    def __init__(
        self, rng: random.Random, name: str, words: Words, wordings: Mapping[str, Wordings], stream: Stream
    ) -> None:
        self._rng = rng
        self._name = name
        self._words = words
        self._wordings = wordings
        self._stream = stream
        self._me = _Person("")
        self._people: list[_Person] = []
        self._values: list[_Value] = []
        self._past: list[_Value] = []
        self._shopping: dict[str, str] = {}
        self._week = 1
        self._now = START
        self._count = 0
        self._used: set[str] = set()

    def live(self, weeks: int, questions: int) -> None:
        """Tell and ask."""
        for self._week in range(1, weeks + 1):
            monday = START + timedelta(weeks=self._week - 1)
            acts = self._acts()
            for place, act in enumerate(acts):
                self._now = monday + timedelta(hours=8) + timedelta(hours=(7 * 24 - 20) * place / len(acts))
                self._end_by_itself()
                act()
            self._now = monday + timedelta(days=6, hours=21)
            self._end_by_itself()
            for _ in range(questions):
                self._ask()

    def _acts(self) -> list:  # type: ignore[type-arg]
        """Return what happens in this week; people come before what is told of them."""
        rng = self._rng
        first = self._week == 1
        meet = [self._meet] * (6 if first else 1) + [self._meet_further] * (4 if first else 1)
        tell = [self._tell_person] * (16 if first else 4) + [self._tell_own] * (8 if first else 2)
        tell += (
            [self._event] * 3 + [self._trip] + [self._buy] * 2 + [self._chat] * 3 + [self._away] * (rng.random() < 0.5)
        )
        change = (
            []
            if first
            else [self._change] * 6 + [self._move_event] * 2 + [self._cancel] + [self._bought] + [self._new_holder]
        )
        rng.shuffle(tell)
        rng.shuffle(change)
        return [*meet, *tell, *change]

    def _say(
        self,
        kind: str,
        person: _Person,
        v: str,
        r: str = "",
        *,
        old: str = "",
        d: str = "",
        change: bool = False,
        mention: str = "",
    ) -> str:
        """Tell something; return the id of the memory."""
        wordings = self._wordings[kind]
        forms = wordings.change if change and wordings.change else wordings.tell
        text = self._filled(self._rng.choice(forms), person, mention, v=v, r=r, old=old, d=d)
        self._count += 1
        memory = f"{self._name}-{self._count}"
        self._stream.told.append(Told(memory, self._name, self._now.timestamp() + self._count * 0.001, text))
        return memory

    def _filled(self, form: str, person: _Person, mention: str, **values: str) -> str:
        me = person is self._me
        form = _ALTERNATIVE.sub(lambda match: match[1] if me or mention == "they" else match[2], form)
        who = "I" if me else mention or person.name
        owner = "my" if me else {"he": "his", "she": "her"}.get(who, f"{who}'s")
        whom = "me" if me else {"he": "him", "she": "her"}.get(who, who)
        text = form.replace("{S's}", owner).replace("{S-object}", whom).replace("{S-of}", whom).replace("{S}", who)
        for key, value in values.items():
            text = text.replace("{" + key + "}", value)
        text = re.sub(r"\ba ([aeiou])", r"an \1", text)
        return text[0].upper() + text[1:]

    def _new_name(self, parts: int = 0) -> str:
        while True:
            name = self._words.name(self._rng, parts)
            if name not in self._used:
                self._used.add(name)
                return name

    def _meet(self) -> None:
        taken = {person.role for person in self._people if person.owner is self._me}
        free = [role for role in self._words.roles if role[0] not in taken]
        if free:
            role, pronoun = self._rng.choice(free)
            self._introduce(self._me, role, pronoun)

    def _meet_further(self) -> None:
        direct = [p for p in self._people if p.owner is self._me and p.named]
        owner = self._rng.choice(direct)
        role = self._rng.choice(self._words.further_roles)
        if not any(p.owner is owner and p.role == role for p in self._people):
            self._introduce(owner, role, "")

    def _introduce(self, owner: _Person, role: str, pronoun: str, *, change: bool = False) -> None:
        person = _Person(self._new_name(), role, owner, pronoun or self._rng.choice(("he", "she")))
        person.named = change or owner is not self._me or self._rng.random() < 0.85
        self._people.append(person)
        if person.named:
            person.told_in = self._say("role", owner, person.name, role, change=change)
            self._note("inserted")

    def _tell_person(self) -> None:
        person = self._rng.choice(self._people)
        known = {(v.kind, v.detail) for v in self._values if v.person is person}
        kinds = [k for k in PERSONAL if (k, "") not in known and not (k == "birthday" and person.pronoun == "")]
        self._tell(person, self._rng.choice(kinds))
        if person.named and self._rng.random() < 0.4:  # goes on with a pronoun
            kind = self._rng.choice(
                [k for k in PERSONAL if k not in [v.kind for v in self._values if v.person is person]]
            )
            self._now += timedelta(seconds=30)
            self._tell(person, kind, mention=person.pronoun)

    def _tell_own(self) -> None:
        kind = self._rng.choice((*OWN, *PERSONAL))
        if kind in ("code", "favourite", "voucher") or not any(
            v.kind == kind and v.person is self._me for v in self._values
        ):
            self._tell(self._me, kind)

    def _tell(self, person: _Person, kind: str, *, mention: str = "") -> None:
        """Tell a fact of somebody: by name, now and then by role, and by role where the name isn't known."""
        detail = self._detail(kind)
        if any(v.kind == kind and v.detail == detail and v.person is person for v in self._values):
            return
        by_role = person is not self._me and (
            not person.named or (not mention and person.owner is self._me and self._rng.random() < 0.2)
        )
        if person is not self._me and not person.named and person.owner is not self._me:
            return
        spoken, answer = self._value(kind, detail)
        ends, until = None, ""
        if kind == "voucher":
            last = self._now + timedelta(days=self._rng.randint(4, 20))
            ends, until = _midnight(last), _day(last)
        told_in = self._say(kind, person, spoken, detail, d=until, mention=f"my {person.role}" if by_role else mention)
        self._values.append(_Value(kind, person, detail, answer, spoken, told_in, by_role, ends))
        self._note("inserted")

    def _detail(self, kind: str) -> str:
        pools = {
            "favourite": self._words.favourites,
            "pet": self._words.pets,
            "code": self._words.things,
            "voucher": self._words.vouchers,
        }
        return self._rng.choice(pools[kind]) if kind in pools else ""

    def _value(self, kind: str, detail: str) -> tuple[str, str]:
        """Return a new value, as it is said and as it is to be answered."""
        rng, words = self._rng, self._words
        if kind in ("birthday", "anniversary"):
            day = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=rng.randrange(365))
            return _day(day), f"--{day:%m-%d}"
        if kind == "gender":
            return rng.choice(words.genders)
        if kind in ("code", "voucher"):
            value = (
                f"{rng.choice('ABCDEFGHJKLMNPRSTUVWXYZ')}{rng.randint(1000, 9999)}"
                if kind == "voucher"
                else str(rng.randint(1000, 9999))
            )
        elif kind == "phone":
            value = f"0{rng.randint(100, 999)} {rng.randint(100, 999)} {rng.randint(100, 999)}"
        elif kind == "age":
            value = str(rng.randint(19, 80))
        elif kind == "employer":
            value = f"{self._new_name()} {rng.choice(('Works', 'Systems', 'Group', 'Brothers'))}"
        elif kind == "team":
            value = f"{self._new_name()} {rng.choice(('Rovers', 'United', 'Wanderers'))}"
        else:
            pool = {
                "occupation": words.jobs,
                "allergy": words.foods,
                "sport": words.sports,
                "study": words.subjects,
            }.get(kind)
            value = rng.choice(pool) if pool else self._new_name()
        return value, value.lower()

    def _change(self) -> None:
        """Something is otherwise now."""
        able = [v for v in self._values if v.kind in CHANGING]
        if not able:
            return
        old = self._rng.choice(able)
        spoken, answer = self._value(old.kind, old.detail)
        if answer == old.answer:
            return
        mention = f"my {old.person.role}" if old.by_role else ""
        told_in = self._say(old.kind, old.person, spoken, old.detail, old=old.spoken, change=True, mention=mention)
        self._drop(old, "replaced")
        self._values.append(_Value(old.kind, old.person, old.detail, answer, spoken, told_in, old.by_role))

    def _new_holder(self) -> None:
        """Somebody has a new boss: what is known of the old one is nobody's boss's any more."""
        able = [
            p
            for p in self._people
            if p.named
            and p.owner is not None
            and (p.role in self._words.further_roles or not p.pronoun or p.role in ("boss", "manager"))
        ]
        able = [
            p
            for p in able
            if p.owner is not self._me or p.role in ("boss", "manager", "tutor", "piano teacher", "best friend")
        ]
        able = [p for p in able if not any(q.owner is p for q in self._people)]
        if not able:
            return
        old = self._rng.choice(able)
        assert old.owner is not None
        self._people.remove(old)
        self._values = [v for v in self._values if v.person is not old]
        self._introduce(old.owner, old.role, "", change=True)
        self._note("replaced")

    def _event(self) -> None:
        label = self._rng.choice(self._words.events)
        if any(v.kind == "event_time" and v.detail == label for v in self._values):
            return
        when = self._later()
        spoken = self._spoken(when)
        told_in = self._say("event_time", self._me, spoken, label)
        self._values.append(
            _Value(
                "event_time", self._me, label, f"{when:%Y-%m-%d %H:%M}", spoken, told_in, ends=when + timedelta(hours=1)
            )
        )
        self._note("inserted")
        if self._rng.random() < 0.6:
            place = self._rng.choice(self._words.places)
            self._now += timedelta(seconds=30)
            told_in = self._say("event_place", self._me, place, label)
            self._values.append(
                _Value("event_place", self._me, label, place.lower(), place, told_in, ends=when + timedelta(hours=1))
            )
            self._note("inserted")

    def _trip(self) -> None:
        place, day = self._new_name(), _midnight(self._later())
        told_in = self._say("trip", self._me, _day(day), place)
        self._values.append(
            _Value("trip", self._me, place, f"{day:%Y-%m-%d}", _day(day), told_in, ends=day + timedelta(days=1))
        )
        self._note("inserted")

    def _move_event(self) -> None:
        able = [v for v in self._values if v.kind in ("event_time", "trip", "event_place")]
        if not able:
            return
        old = self._rng.choice(able)
        if old.kind == "event_place":
            place = self._rng.choice([p for p in self._words.places if p.lower() != old.answer])
            told_in = self._say(old.kind, self._me, place, old.detail, change=True)
            new = _Value(old.kind, self._me, old.detail, place.lower(), place, told_in, ends=old.ends)
        else:
            when = self._later() if old.kind == "event_time" else _midnight(self._later())
            if (spoken := self._spoken(when) if old.kind == "event_time" else _day(when)) == old.spoken:
                return
            told_in = self._say(old.kind, self._me, spoken, old.detail, change=True)
            timed = old.kind == "event_time"
            ends = when + (timedelta(hours=1) if timed else timedelta(days=1))
            new = _Value(
                old.kind,
                self._me,
                old.detail,
                f"{when:%Y-%m-%d %H:%M}" if timed else f"{when:%Y-%m-%d}",
                spoken,
                told_in,
                ends=ends,
            )
            for value in self._values:
                if value.kind == "event_place" and value.detail == old.detail:
                    value.ends = ends
        self._drop(old, "replaced")
        self._values.append(new)

    def _cancel(self) -> None:
        able = [v for v in self._values if v.kind == "event_time"]
        if able:
            label = self._rng.choice(able).detail
            self._say("event_cancelled", self._me, "", label)
            for value in [v for v in self._values if v.kind in ("event_time", "event_place") and v.detail == label]:
                self._drop(value, "removed")

    def _away(self) -> None:
        person = self._rng.choice([self._me, *[p for p in self._people if p.named]])
        if not any(v.kind == "away" and v.person is person for v in self._values):
            last = self._now + timedelta(days=self._rng.randint(2, 12))
            place = self._new_name()
            told_in = self._say("away", person, place, d=_day(last))
            self._values.append(
                _Value("away", person, "", place.lower(), place, told_in, ends=_midnight(last) + timedelta(days=1))
            )
            self._note("inserted")

    def _buy(self) -> None:
        thing = self._rng.choice(self._words.groceries)
        if thing not in self._shopping:
            self._shopping[thing] = self._say("buy", self._me, thing)
            self._note("inserted")

    def _bought(self) -> None:
        if self._shopping:
            thing = self._rng.choice(sorted(self._shopping))
            self._say("bought", self._me, thing)
            del self._shopping[thing]
            self._note("removed")

    def _chat(self) -> None:
        self._say("chat", self._me, "")

    def _later(self) -> datetime:
        return (self._now + timedelta(days=self._rng.randint(1, 13))).replace(
            hour=self._rng.randint(8, 20), minute=self._rng.choice((0, 15, 30, 45)), second=0, microsecond=0
        )

    def _spoken(self, when: datetime) -> str:
        days = (when.date() - self._now.date()).days
        hour = (
            f"{when:%H:%M}"
            if when.minute or self._rng.random() < 0.5
            else f"{(when.hour - 1) % 12 + 1} {'am' if when.hour < 12 else 'pm'}"
        )
        day = f"{when:%A}" if 1 < days < 7 and self._rng.random() < 0.5 else _day(when)
        return f"{day} at {hour}"

    def _end_by_itself(self) -> None:
        for value in [v for v in self._values if v.ends is not None and v.ends <= self._now]:
            self._drop(value, "expired")

    def _drop(self, value: _Value, how: str) -> None:
        self._values.remove(value)
        value.replaced = how == "replaced"
        self._past.append(value)
        self._note(how)

    def _note(self, how: str) -> None:
        self._stream.edits[self._week][how] += 1

    def _ask(self) -> None:
        """Ask for one thing, by the name or through the people between."""
        roll = self._rng.random()
        if roll < 0.05:
            return self._put("buy", self._me, "", frozenset(self._shopping), frozenset(self._shopping.values()))
        if roll < 0.15:
            person = self._rng.choice([p for p in self._people if p.named])
            assert person.owner is not None
            between, phrase = self._path(person.owner)
            return self._put(
                "role",
                person.owner,
                person.role,
                frozenset((person.name.lower(),)),
                frozenset((person.told_in, *between)),
                mention=phrase,
            )
        if roll < 0.27 and (gone := [v for v in self._past if not v.replaced and not self._current(v)]):
            return self._put_value(self._rng.choice(gone), gone=True)
        people = {id(v.person): v.person for v in self._values}
        depth = self._rng.choice((0, 1, 1, 2, 2))
        able = [v for v in self._values if self._distance(v.person) == depth and id(v.person) in people]
        updated = {(v.kind, v.detail, id(v.person)) for v in self._past}
        changed = [v for v in able if (v.kind, v.detail, id(v.person)) in updated]
        if able:
            self._put_value(self._rng.choice(changed if changed and self._rng.random() < 0.4 else able))
        return None

    def _current(self, value: _Value) -> bool:
        return any(v.kind == value.kind and v.detail == value.detail and v.person is value.person for v in self._values)

    def _distance(self, person: _Person) -> int:
        return 0 if person.owner is None else 1 + self._distance(person.owner)

    def _path(self, person: _Person) -> tuple[list[str], str]:
        """Return the memories that say who is meant by "my sister's boss", and these words."""
        if person.owner is None:
            return [], ""
        memories, words = self._path(person.owner)
        return [
            *memories,
            person.told_in,
        ] if person.told_in else memories, f"{words}'s {person.role}" if words else f"my {person.role}"

    def _put_value(self, value: _Value, *, gone: bool = False) -> None:
        person = value.person
        memories, phrase = self._path(person)
        if person is not self._me and person.named and self._rng.random() < 0.25:
            memories, phrase = [], person.name
        required, optional = {value.told_in, *memories}, set()
        if value.by_role and memories:
            required, optional = {value.told_in}, set(memories)
        answer = frozenset() if gone else frozenset((value.answer,))
        self._put(
            value.kind,
            person,
            value.detail,
            answer,
            frozenset() if gone else frozenset(required),
            frozenset(optional),
            mention=phrase,
            gone=gone,
        )

    def _put(self, kind: str, person: _Person, detail: str, answer: frozenset[str], required: frozenset[str],
             optional: frozenset[str] = frozenset(), *, mention: str = "", gone: bool = False) -> None:  # fmt: skip
        form = self._rng.choice(self._wordings[kind].ask)
        text = self._filled(form, person, mention, r=detail)
        self._stream.asked.append(
            Asked(self._name, self._now.timestamp() + 1.0, self._week, text, answer, required, optional, kind, gone)
        )


def _midnight(when: datetime) -> datetime:
    return when.replace(hour=0, minute=0, second=0, microsecond=0)


def _day(when: datetime) -> str:
    return f"{when.day} {when:%B}"
