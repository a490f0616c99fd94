# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One user of the generated stream tells things; what holds is kept here as the truth, without the memory's code."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from karma_eval.emg.people import Words
from karma_eval.emg.stream import Stream, Told
from karma_eval.emg.wordings import Wordings
from karma_language.vocabulary.words import each

START = datetime(2026, 3, 2, tzinfo=timezone.utc)
"""A Monday."""
PERSONAL = each("residence employer occupation phone birthday allergy favourite sport team car pet study age")
"""Kinds that anybody has."""
OWN = each("nickname gender spouse anniversary code code favourite voucher")
"""Kinds that the user has besides."""
CHANGING = each("residence employer occupation phone favourite sport team car study code age spouse")
_ALTERNATIVE = re.compile(r"\[([^|\]]*)\|([^|\]]*)\]")


@dataclass
class Person:
    """Somebody in a user's life; the user has no owner."""

    name: str
    role: str = ""
    owner: Person | None = None
    pronoun: str = ""
    told_in: str = ""
    """Memory that says who it is."""
    named: bool = True


@dataclass
class Value:
    """Something that was told, and is so until it is changed, taken back or over."""

    kind: str
    person: Person
    detail: str
    """{r} of the wording."""
    answer: str
    spoken: str
    told_in: str
    by_role: bool = False
    ends: datetime | None = None
    replaced: bool = False


class Teller:
    """One user, who tells."""

    def __init__(
        self, rng: random.Random, name: str, words: Words, wordings: Mapping[str, Wordings], stream: Stream
    ) -> None:
        self._rng = rng
        self._name = name
        self._words = words
        self._wordings = wordings
        self._stream = stream
        self._me = Person("")
        self._people: list[Person] = []
        self._values: list[Value] = []
        self._past: list[Value] = []
        self._shopping: dict[str, str] = {}
        self._week = 1
        self._now = START
        self._count = 0
        self._used: set[str] = set()

    def _say(self, kind: str, person: Person, v: str, r: str = "", *, old: str = "", d: str = "",
             change: bool = False, mention: str = "") -> str:  # fmt: skip
        """Tell something; return the id of the memory."""
        wordings = self._wordings[kind]
        forms = wordings.change if change and wordings.change else wordings.tell
        text = self._filled(self._rng.choice(forms), person, mention, v=v, r=r, old=old, d=d)
        self._count += 1
        memory = f"{self._name}-{self._count}"
        self._stream.told.append(Told(memory, self._name, self._now.timestamp() + self._count * 0.001, text))
        return memory

    def _filled(self, form: str, person: Person, mention: str, **values: str) -> str:
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

    def _keep(self, kind: str, person: Person, detail: str, spoken: str, answer: str, *, ends: datetime | None = None,
              until: str = "", mention: str = "", by_role: bool = False, old: Value | None = None) -> None:  # fmt: skip
        """Tell something that is so from now on; in place of `old`, if there is one. `until`: {d} of the wording."""
        before = old.spoken if old is not None else ""
        changed = old is not None
        told_in = self._say(kind, person, spoken, detail, old=before, d=until, change=changed, mention=mention)
        if old is not None:
            self._drop(old, "replaced")
        else:
            self._note("inserted")
        self._values.append(Value(kind, person, detail, answer, spoken, told_in, by_role, ends))

    def _knows(self, kind: str, person: Person, detail: str = "") -> bool:
        """Whether something of the kind was told of a person, and is so."""
        return any((v.kind, v.detail) == (kind, detail) and v.person is person for v in self._values)

    def _new_name(self) -> str:
        while True:
            name = self._words.name(self._rng)
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

    def _introduce(self, owner: Person, role: str, pronoun: str, *, change: bool = False) -> None:
        person = Person(self._new_name(), role, owner, pronoun or self._rng.choice(("he", "she")))
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
            known = {(v.kind, "") for v in self._values if v.person is person}
            kind = self._rng.choice([k for k in PERSONAL if (k, "") not in known])
            self._now += timedelta(seconds=30)
            self._tell(person, kind, mention=person.pronoun)

    def _tell_own(self) -> None:
        kind = self._rng.choice((*OWN, *PERSONAL))
        known = {v.kind for v in self._values if v.person is self._me}
        if kind in ("code", "favourite", "voucher") or kind not in known:
            self._tell(self._me, kind)

    def _tell(self, person: Person, kind: str, *, mention: str = "") -> None:
        """Tell a fact of somebody: by name, now and then by role, and by role where the name isn't known."""
        detail = self._detail(kind)
        if self._knows(kind, person, detail):
            return
        mine = person.owner is self._me
        by_role = person is not self._me and (not person.named or (not mention and mine and self._rng.random() < 0.2))
        if not (person is self._me or person.named or mine):
            return
        spoken, answer = self._value(kind, detail)
        ends, until = None, ""
        if kind == "voucher":
            last = self._now + timedelta(days=self._rng.randint(4, 20))
            ends, until = midnight(last), day_of(last)
        mention = f"my {person.role}" if by_role else mention
        self._keep(kind, person, detail, spoken, answer, ends=ends, until=until, mention=mention, by_role=by_role)

    def _detail(self, kind: str) -> str:
        words = self._words
        pools = {"favourite": words.favourites, "pet": words.pets, "code": words.things, "voucher": words.vouchers}
        return self._rng.choice(pools[kind]) if kind in pools else ""

    def _value(self, kind: str, detail: str) -> tuple[str, str]:
        """Return a new value, as it is said and as it is to be answered."""
        rng, words = self._rng, self._words
        if kind in ("birthday", "anniversary"):
            day = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=rng.randrange(365))
            return day_of(day), f"--{day:%m-%d}"
        if kind == "gender":
            return rng.choice(words.genders)
        pools = {"occupation": words.jobs, "allergy": words.foods, "sport": words.sports, "study": words.subjects}
        match kind:
            case "voucher":
                value = f"{rng.choice('ABCDEFGHJKLMNPRSTUVWXYZ')}{rng.randint(1000, 9999)}"
            case "code":
                value = str(rng.randint(1000, 9999))
            case "phone":
                value = f"0{rng.randint(100, 999)} {rng.randint(100, 999)} {rng.randint(100, 999)}"
            case "age":
                value = str(rng.randint(19, 80))
            case "employer":
                value = f"{self._new_name()} {rng.choice(('Works', 'Systems', 'Group', 'Brothers'))}"
            case "team":
                value = f"{self._new_name()} {rng.choice(('Rovers', 'United', 'Wanderers'))}"
            case _:
                value = rng.choice(pools[kind]) if kind in pools else self._new_name()
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
        self._keep(old.kind, old.person, old.detail, spoken, answer, mention=mention, by_role=old.by_role, old=old)

    def _new_holder(self) -> None:
        """Somebody has a new boss: what is known of the old one is nobody's boss's any more."""
        mine = ("boss", "manager", "tutor", "piano teacher", "best friend")
        able = [p for p in self._people if p.named and p.owner is not None
                and (p.role in (*self._words.further_roles, "boss", "manager") or not p.pronoun)
                and (p.owner is not self._me or p.role in mine)
                and not any(q.owner is p for q in self._people)]  # fmt: skip
        if not able:
            return
        old = self._rng.choice(able)
        assert old.owner is not None
        self._people.remove(old)
        self._values = [v for v in self._values if v.person is not old]
        self._introduce(old.owner, old.role, "", change=True)
        self._note("replaced")

    def _end_by_itself(self) -> None:
        for value in [v for v in self._values if v.ends is not None and v.ends <= self._now]:
            self._drop(value, "expired")

    def _drop(self, value: Value, how: str) -> None:
        self._values.remove(value)
        value.replaced = how == "replaced"
        self._past.append(value)
        self._note(how)

    def _note(self, how: str) -> None:
        self._stream.edits[self._week][how] += 1


def midnight(when: datetime) -> datetime:
    """Return when the day of a time begins."""
    return when.replace(hour=0, minute=0, second=0, microsecond=0)


def day_of(when: datetime) -> str:
    """Return a day as people say it: "12 May"."""
    return f"{when.day} {when:%B}"
