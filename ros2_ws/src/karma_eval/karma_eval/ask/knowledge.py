# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What questions are made of: what the robot saw, did and heard, and what it can't know."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from karma_eval.ask.errands import USERS
from karma_eval.ask.home import Thing, plain
from karma_eval.ask.judge import Spot, Truth
from karma_eval.ask.ledger import Change, Deed, Heard, Spell
from karma_eval.ask.living import Living
from karma_eval.ask.times import Named, moments, near, stretches
from karma_eval.ask.wordings import Wording
from karma_language.vocabulary import household
from karma_language.vocabulary.terms import plural_of

MOST = 6
"""Most things that one answer has to name."""
FLAGS = ("isToggled", "isOpen", "isDirty", "isFilledWithLiquid")
FLOORS = ("downstairs", "upstairs")
MOVED = ("move", "bring", "clean", "throw")
"""Verbs of deeds after which a thing is elsewhere."""
MEANT = {"move": MOVED, "bring": ("bring",), "clean": ("clean",)}
"""What a wording asks for → verbs of the deeds that it means at least."""
T = TypeVar("T")


class NothingToAskError(Exception):
    """The days give nothing that a wording could ask for."""


@dataclass(frozen=True)
class Asking:
    """A question with its truth."""

    kind: str
    words: str
    user: str
    truth: Truth
    about: str = ""
    """Noun of the thing or place that it is about."""
    time: Named | None = None
    signs: tuple[str, ...] = ()
    """Words that tell what is meant from others of its kind, of which one is enough: its place, its owner."""


class Known:
    """What there is to ask about a home's days, and a question about it.

    Whatever is asked for and is not there is a NothingToAskError.
    """

    def __init__(self, living: Living, now: float, rng: random.Random) -> None:
        self._living, self._home, self._ledger = living, living.home, living.ledger
        self._now, self._rng = now, rng

    def _asking(self, wording: Wording, user: str = "", *, thing: str = "", category: str = "",
                said: tuple[str, str] = ("", ""), signs: tuple[str, ...] = (), place: str = "", state: str = "",
                time: Named | None = None, **truth: Any) -> Asking:  # fmt: skip
        """Return a question, if there is all that the wording needs.

        `user`: anybody, by default. `said`: what the thing is called, one and several; by default the noun of its kind.
        `truth`: see Truth.
        """
        kind = category or (self._kind(thing) if thing else "")
        noun = household().kind(kind).noun if kind else ""
        one, several = said if said[0] or not noun else (noun, plural_of(noun))
        when = ""
        if time is not None:
            when = time.noun if wording.before("time") not in ("", "in", "on") else time.text
        values = {"object": one, "objects": several, "place": place, "state": state, "time": when}
        self._need(all(values[name] for name in wording.needs))
        self._need(place not in FLOORS or wording.before("place") in ("in", "on"))
        signs = signs or tuple(map(plain, self._floors.get(place, ()))) or ((place,) if place else ())
        words = wording.fill(values)
        return Asking("", words, user or self._user(), Truth(self._now, **truth), noun or place, time, signs)

    @staticmethod
    def _need(fits: object) -> None:
        if not fits:
            raise NothingToAskError

    def _pick(self, some: Sequence[T]) -> T:
        self._need(some)
        return self._rng.choice(some)

    def _user(self) -> str:
        return self._rng.choice(USERS)

    def _untold(self, wording: Wording, heard: Sequence[Heard]) -> Asking:
        """Ask for what one told of a thing that only others told of."""
        one, user = self._pick(heard), self._user()
        self._need(not any((other.user, other.category) == (user, one.category) for other in heard))
        return self._asking(wording, user, category=one.category, admits=True)

    # Things

    def _kind(self, thing: str) -> str:
        """Return a thing's category by its id; deeds about what was never seen have the category itself."""
        return self._home.things[thing].category if thing in self._home.things else thing

    def noun(self, thing: str) -> str:
        """Return what people call a thing, by its id."""
        return household().kind(self._kind(thing)).noun

    @cached_property
    def _present(self) -> frozenset[str]:
        return frozenset(thing.category for thing in self._home.things.values())

    def _clear(self, category: str) -> bool:
        """Whether a kind's name can mean nothing else in this home."""
        noun = household().kind(category).noun
        others = (household().kind(one) for one in self._present if one != category)
        names = (name for one in others for name in (*one.names, *one.classes, one.noun))
        return not any(name == noun or name.endswith(f" {noun}") for name in names)

    @cached_property
    def _kinds(self) -> dict[str, list[str]]:
        """Clear kinds → the ids of those that were seen, of movable things."""
        return self._of_kind(movable=True)

    @cached_property
    def _furniture(self) -> dict[str, list[str]]:
        return self._of_kind(movable=False)

    def _of_kind(self, *, movable: bool) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self._ledger.spells:
            thing = self._home.things[name]
            if thing.movable is movable and self._clear(thing.category):
                found.setdefault(thing.category, []).append(name)
        doubtful = {*map(self._kind, self._told_of)} | self._ledger.cut()
        return {category: ids for category, ids in found.items() if category not in doubtful}

    @cached_property
    def _told_of(self) -> dict[str, Heard]:
        """Ids of things that somebody says that they moved, and that were not seen since → what they said."""
        told = {name: self._ledger.only_told(name) for name in self._ledger.spells}
        return {name: one for name, one in told.items() if one is not None}

    def _heard(self) -> list[Heard]:
        return [one for one in self._ledger.heard if self._clear(one.category)]

    def _doubtful(self, thing: str) -> bool:
        """Whether an answer may say of a thing that it was moved or cut, and need not."""
        return thing in self._told_of or self._kind(thing) in self._ledger.cut()

    @cached_property
    def _singles(self) -> list[str]:
        """Movable things of which the robot saw only one, and the home has only one in its rooms."""
        return [ids[0] for ids in self._kinds.values() if len(ids) == 1]

    @cached_property
    def _unseen(self) -> list[str]:
        """Portable kinds that were never seen, and whose names mean nothing that was."""
        seen = [household().kind(self._kind(one)) for one in self._ledger.spells]
        called = {name for kind in seen for name in (*kind.names, *kind.classes, kind.noun, *map(_last, kind.names))}
        found = []
        for category in sorted(household().that_can("pickup")):
            kind = household().kind(category)
            noun = household().noun(kind.noun)
            loosely = {*noun.loosely} if noun is not None else set()  # kinds that some people call so, too
            if not (kind.whole or loosely & self._present or {*kind.names, kind.noun, _last(kind.noun)} & called):
                found.append(category)
        return found

    def _believed(self, thing: str) -> Spell | None:
        return self._ledger.believed(thing)

    def _here(self, thing: str) -> Spell:
        """Return how a thing is believed to be, if that is known."""
        spell = self._believed(thing)
        if spell is None:
            raise NothingToAskError
        return spell

    def _now_of(self, ids: Collection[str]) -> list[Spell]:
        """Return how those of some things are believed to be of which that is known."""
        return [spell for one in ids if (spell := self._believed(one)) is not None]

    def _at(self, thing: str, time: Named) -> Spell | None:
        """Return how a thing was at a time, where that can be told: seen so before and after, or all the time."""
        spells = self._ledger.spells[thing]
        over = [one for one in spells if one.since <= time.until and one.until >= time.since]
        if len(over) != 1 or over[0].seen < time.since or (time.since == time.until and over[0].since > time.since):
            return None
        return over[0]

    def _was(self, wording: Wording, thing: str, *, also: Sequence[Spell], ended: bool = False) -> Asking:
        """Ask where a thing was at a time. `also`: what may be told, too; `ended`: that was over later."""
        kind = self._kind(thing)
        for time in self._moments():
            then = self._at(thing, time)
            if then is None or then.relation == "held" or (ended and time.until >= then.until):
                continue
            spot = self._spot(then)
            spots = (Spot("", spot.room) if "room" in wording.words else spot,)
            others = frozenset({kind, household().slices.get(kind, "") if ended else "", spot.category} - {""})
            return self._asking(wording, category=kind, time=time, spots=spots, also=self._spots(also), others=others)
        raise NothingToAskError

    def _stateful(self) -> tuple[str, str]:
        """Return a thing that is the only one of its kind, and one of its flags."""
        things = [ids[0] for ids in (*self._kinds.values(), *self._furniture.values()) if len(ids) == 1]
        return self._pick([(one, flag) for one in things for spell in self._now_of([one]) for flag in FLAGS
                           if flag in spell.states])  # fmt: skip

    # Places

    def _spot(self, spell: Spell) -> Spot:
        if not spell.place:
            return Spot("", spell.room)
        category = self._kind(spell.place)
        rooms = {self._home.things[one].room for one in self._ledger.of(category)}
        return Spot(category, spell.room, len(rooms) > 1)

    def _spots(self, spells: Sequence[Spell]) -> tuple[Spot, ...]:
        return tuple(dict.fromkeys(map(self._spot, spells)))

    def _surface(self) -> Thing:
        """Return furniture that things lie on, the only one of its kind."""
        return self._place(lambda thing: not thing.hides and not thing.hollow)

    def _container(self) -> Thing:
        """Return what things are in and that the robot looked into, the only one of its kind."""
        return self._place(lambda thing: thing.id in self._ledger.opened or thing.hollow)

    def _place(self, fits: Callable[[Thing], bool]) -> Thing:
        things = [self._home.things[ids[0]] for ids in self._furniture.values() if len(ids) == 1]
        return self._pick([one for one in things if one.holds and fits(one)])

    def _known_place(self, wording: Wording) -> tuple[str, list[str]]:
        """Return a place that fits a wording's preposition, by its noun, and what is there."""
        said = wording.before("place")
        if said in ("in", "on") and len(self._floors) > 1 and self._rng.random() < 0.4:
            floor = self._rng.choice([*self._floors])
            return floor, self._in_rooms(self._floors[floor])
        if said == "in" and self._rng.random() < 0.6:
            room = self._rng.choice(sorted(self._ledger.rooms))
            return plain(room), self._in_rooms([room])
        place = self._container() if said == "in" else self._surface()
        return self.noun(place.id), self._ledger.present(place.id)

    def _in_rooms(self, rooms: Collection[str]) -> list[str]:
        """Return the ids of what is believed to be in rooms."""
        return [one for one in self._ledger.spells for spell in self._now_of([one]) if spell.room in rooms]

    @cached_property
    def _floors(self) -> dict[str, list[str]]:
        """What people call the floors of a home with two of them → their rooms."""
        if len(self._home.floors) != len(FLOORS):
            return {}
        rooms = {word: self._home.on_floor(level) for level, word in enumerate(FLOORS)}
        return rooms if all({*of} & {*self._ledger.rooms} for of in rooms.values()) else {}

    @property
    def _shut_is_of_a_kind(self) -> bool:
        """Whether the robot knows another room of the kind of that which it never comes to."""
        rooms = self._home.rooms
        return any(rooms[one].category == rooms[self._living.shut].category for one in self._ledger.rooms)

    def _unknown_place(self, wording: Wording) -> str:
        """Return a place that the robot never looked at, or into; "" where there is none."""
        shut, things, inside = self._living.shut, self._home.things, wording.before("place") == "in"
        places = [one for one in things.values() if one.room == shut and not one.movable
                  and not self._ledger.of(one.category) and self._clear(one.category)]  # fmt: skip
        alone = [things[ids[0]] for ids in self._furniture.values() if len(ids) == 1]
        places += [one for one in alone if one.hides and one.id not in self._ledger.opened]
        nouns = [self.noun(one.id) for one in places if one.holds and inside is (one.preposition == "in")]
        if inside and not self._shut_is_of_a_kind:
            nouns.append(plain(shut))
        return self._rng.choice(nouns) if nouns else ""

    # Times, what changed, and what was done

    def _moments(self) -> Iterator[Named]:
        return moments(self._now, self._ledger.began, self._rng)

    def _stretch(self, wording: Wording) -> Named | None:
        """Return a stretch of time, where the wording needs one."""
        return self._rng.choice(stretches(self._now, self._ledger.began)) if "time" in wording.needs else None

    def _moved(self, since: float) -> list[Change]:
        return [one for one in self._ledger.changes(since, self._now) if one.is_move]

    def _deeds(self, time: Named | None = None, user: str = "") -> list[Deed]:
        deeds = (one for one in self._ledger.deeds if user in ("", one.user))
        return [one for one in deeds if time is None or time.since <= one.start <= time.until]

    def _of(self, thing: str, sense: str, time: Named | None = None) -> list[Deed]:
        """Return what was done with a thing, where a verb is sure to mean it, or not to."""
        done = [one for one in self._deeds() if one.thing == thing and not one.reason]
        meant = [one for one in done if one.verb in MEANT.get(sense, MOVED)]
        self._need(sense == "clean" or not any(one.verb == "clean" for one in done))
        self._need(sense != "bring" or len(meant) == len(done))
        if time is None:
            return meant
        then = self._deeds(time)
        self._need(all(one in then for one in self._deeds(near(time)) if one in meant))
        return [one for one in meant if one in then]

    def _maybe_handled(self) -> list[str]:
        """Return things that the robot moved, or could not move, or any."""
        tried = {one.thing for one in self._deeds() if one.reason} & {*self._singles}
        return self._rng.choices((self._handled(), sorted(tried), self._singles), (0.6, 0.25, 0.15))[0]

    def _handled(self) -> list[str]:
        moved = {one.thing for one in self._deeds() if one.verb in MOVED and not one.reason}
        return sorted(moved & {*self._singles})


def _last(name: str) -> str:
    return name.split()[-1]
