# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""One user of the generated stream: what happens in each week, and what is asked at its end."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta

from karma_eval.emg.people import Words
from karma_eval.emg.stream import WEEKS, Asked, Stream
from karma_eval.emg.telling import START, Person, Teller, Value, day_of, midnight
from karma_eval.emg.wordings import Wordings


def make_stream(
    seed: int, words: Words, wordings: Mapping[str, Wordings], *, users: int, weeks: int = WEEKS, questions: int = 15
) -> Stream:
    """Return a stream. `questions`: per user and week."""
    stream = Stream(
        edits={week: dict.fromkeys(("inserted", "replaced", "expired", "removed"), 0) for week in range(1, weeks + 1)}
    )
    for number in range(users):
        User(random.Random(seed * 1_000_003 + number), f"user{number}", words, wordings, stream).live(weeks, questions)  # noqa: S311
    stream.told.sort(key=lambda told: told.stamp)
    stream.asked.sort(key=lambda asked: asked.stamp)
    return stream


class User(Teller):
    """One user's four weeks."""

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

    def _event(self) -> None:
        label = self._rng.choice(self._words.events)
        if any(v.kind == "event_time" and v.detail == label for v in self._values):
            return
        when = self._later()
        spoken = self._spoken(when)
        told_in = self._say("event_time", self._me, spoken, label)
        self._values.append(
            Value(
                "event_time", self._me, label, f"{when:%Y-%m-%d %H:%M}", spoken, told_in, ends=when + timedelta(hours=1)
            )
        )
        self._note("inserted")
        if self._rng.random() < 0.6:
            place = self._rng.choice(self._words.places)
            self._now += timedelta(seconds=30)
            told_in = self._say("event_place", self._me, place, label)
            self._values.append(
                Value("event_place", self._me, label, place.lower(), place, told_in, ends=when + timedelta(hours=1))
            )
            self._note("inserted")

    def _trip(self) -> None:
        place, day = self._new_name(), midnight(self._later())
        told_in = self._say("trip", self._me, day_of(day), place)
        self._values.append(
            Value("trip", self._me, place, f"{day:%Y-%m-%d}", day_of(day), told_in, ends=day + timedelta(days=1))
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
            new = Value(old.kind, self._me, old.detail, place.lower(), place, told_in, ends=old.ends)
        else:
            when = self._later() if old.kind == "event_time" else midnight(self._later())
            if (spoken := self._spoken(when) if old.kind == "event_time" else day_of(when)) == old.spoken:
                return
            told_in = self._say(old.kind, self._me, spoken, old.detail, change=True)
            timed = old.kind == "event_time"
            ends = when + (timedelta(hours=1) if timed else timedelta(days=1))
            new = Value(
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
            told_in = self._say("away", person, place, d=day_of(last))
            self._values.append(
                Value("away", person, "", place.lower(), place, told_in, ends=midnight(last) + timedelta(days=1))
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
        day = f"{when:%A}" if 1 < days < 7 and self._rng.random() < 0.5 else day_of(when)
        return f"{day} at {hour}"

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

    def _current(self, value: Value) -> bool:
        return any(v.kind == value.kind and v.detail == value.detail and v.person is value.person for v in self._values)

    def _distance(self, person: Person) -> int:
        return 0 if person.owner is None else 1 + self._distance(person.owner)

    def _path(self, person: Person) -> tuple[list[str], str]:
        """Return the memories that say who is meant by "my sister's boss", and these words."""
        if person.owner is None:
            return [], ""
        memories, words = self._path(person.owner)
        return [
            *memories,
            person.told_in,
        ] if person.told_in else memories, f"{words}'s {person.role}" if words else f"my {person.role}"

    def _put_value(self, value: Value, *, gone: bool = False) -> None:
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

    def _put(self, kind: str, person: Person, detail: str, answer: frozenset[str], required: frozenset[str],
             optional: frozenset[str] = frozenset(), *, mention: str = "", gone: bool = False) -> None:  # fmt: skip
        form = self._rng.choice(self._wordings[kind].ask)
        text = self._filled(form, person, mention, r=detail)
        self._stream.asked.append(
            Asked(self._name, self._now.timestamp() + 1.0, self._week, text, answer, required, optional, kind, gone)
        )
