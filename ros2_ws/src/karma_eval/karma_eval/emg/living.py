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
        tell += [self._event] * 3 + [self._trip] + [self._buy] * 2 + [self._chat] * 3
        tell += [self._away] * (rng.random() < 0.5)
        change = [self._change] * 6 + [self._move_event] * 2 + [self._cancel, self._bought, self._new_holder]
        change = [] if first else change
        rng.shuffle(tell)
        rng.shuffle(change)
        return [*meet, *tell, *change]

    def _event(self) -> None:
        label = self._rng.choice(self._words.events)
        if self._knows("event_time", self._me, label):
            return
        when = self._later()
        ends = when + timedelta(hours=1)
        self._keep("event_time", self._me, label, self._spoken(when), f"{when:%Y-%m-%d %H:%M}", ends=ends)
        if self._rng.random() < 0.6:
            place = self._rng.choice(self._words.places)
            self._now += timedelta(seconds=30)
            self._keep("event_place", self._me, label, place, place.lower(), ends=ends)

    def _trip(self) -> None:
        place, day = self._new_name(), midnight(self._later())
        self._keep("trip", self._me, place, day_of(day), f"{day:%Y-%m-%d}", ends=day + timedelta(days=1))

    def _move_event(self) -> None:
        able = [v for v in self._values if v.kind in ("event_time", "trip", "event_place")]
        if not able:
            return
        old = self._rng.choice(able)
        if old.kind == "event_place":
            place = self._rng.choice([p for p in self._words.places if p.lower() != old.answer])
            self._keep(old.kind, self._me, old.detail, place, place.lower(), ends=old.ends, old=old)
            return
        when = self._later()
        if old.kind == "event_time":
            spoken, answer, ends = self._spoken(when), f"{when:%Y-%m-%d %H:%M}", when + timedelta(hours=1)
        else:
            spoken, answer, ends = day_of(when), f"{when:%Y-%m-%d}", midnight(when) + timedelta(days=1)
        if spoken == old.spoken:
            return
        self._keep(old.kind, self._me, old.detail, spoken, answer, ends=ends, old=old)
        for value in self._values:
            if value.kind == "event_place" and value.detail == old.detail:
                value.ends = ends

    def _cancel(self) -> None:
        able = [v for v in self._values if v.kind == "event_time"]
        if able:
            label = self._rng.choice(able).detail
            self._say("event_cancelled", self._me, "", label)
            for value in [v for v in self._values if v.kind in ("event_time", "event_place") and v.detail == label]:
                self._drop(value, "removed")

    def _away(self) -> None:
        person = self._rng.choice([self._me, *[p for p in self._people if p.named]])
        if not self._knows("away", person):
            last = self._now + timedelta(days=self._rng.randint(2, 12))
            place, ends = self._new_name(), midnight(last) + timedelta(days=1)
            self._keep("away", person, "", place, place.lower(), ends=ends, until=day_of(last))

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
        hour = f"{(when.hour - 1) % 12 + 1} {'am' if when.hour < 12 else 'pm'}"
        if when.minute or self._rng.random() < 0.5:
            hour = f"{when:%H:%M}"
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
            answer, required = frozenset((person.name.lower(),)), frozenset((person.told_in, *between))
            return self._put("role", person.owner, person.role, answer, required, mention=phrase)
        if roll < 0.27 and (
            gone := [v for v in self._past if not (v.replaced or self._knows(v.kind, v.person, v.detail))]
        ):
            return self._put_value(self._rng.choice(gone), gone=True)
        depth = self._rng.choice((0, 1, 1, 2, 2))
        able = [v for v in self._values if self._distance(v.person) == depth]
        updated = {(v.kind, v.detail, id(v.person)) for v in self._past}
        changed = [v for v in able if (v.kind, v.detail, id(v.person)) in updated]
        if able:
            self._put_value(self._rng.choice(changed if changed and self._rng.random() < 0.4 else able))
        return None

    def _distance(self, person: Person) -> int:
        return 0 if person.owner is None else 1 + self._distance(person.owner)

    def _path(self, person: Person) -> tuple[list[str], str]:
        """Return the memories that say who is meant by "my sister's boss", and these words."""
        if person.owner is None:
            return [], ""
        memories, words = self._path(person.owner)
        told_in = [person.told_in] if person.told_in else []
        return memories + told_in, f"{words}'s {person.role}" if words else f"my {person.role}"

    def _put_value(self, value: Value, *, gone: bool = False) -> None:
        person = value.person
        memories, phrase = self._path(person)
        if person is not self._me and person.named and self._rng.random() < 0.25:
            memories, phrase = [], person.name
        required, optional = frozenset((value.told_in, *memories)), frozenset[str]()
        if value.by_role and memories:
            required, optional = frozenset((value.told_in,)), frozenset(memories)
        answer = frozenset((value.answer,))
        if gone:
            answer = required = frozenset()
        self._put(value.kind, person, value.detail, answer, required, optional, mention=phrase, gone=gone)

    def _put(self, kind: str, person: Person, detail: str, answer: frozenset[str], required: frozenset[str],
             optional: frozenset[str] = frozenset(), *, mention: str = "", gone: bool = False) -> None:  # fmt: skip
        form = self._rng.choice(self._wordings[kind].ask)
        text = self._filled(form, person, mention, r=detail)
        self._stream.asked.append(
            Asked(self._name, self._now.timestamp() + 1.0, self._week, text, answer, required, optional, kind, gone)
        )
