# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What questions are made of: what the robot saw, did and heard, and what it can't know."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from karma_eval.ask.errands import USERS
from karma_eval.ask.home import Thing
from karma_eval.ask.judge import Spot, Truth
from karma_eval.ask.ledger import Deed, Heard, Spell
from karma_eval.ask.living import Living
from karma_eval.ask.times import Named, near, stretches
from karma_eval.ask.wordings import Wording
from karma_language.vocabulary import household
from karma_language.vocabulary.terms import plural_of

DAY = 86_400.0
MOST = 6
"""Most things that one answer has to name."""
FLAGS = ("isToggled", "isOpen", "isDirty", "isFilledWithLiquid")
FLOORS = ("downstairs", "upstairs")
MOVED = ("move", "bring", "clean", "throw")
"""Verbs of deeds after which a thing is elsewhere."""


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
    """What there is to ask about a home's days, and a question about it."""

    def __init__(self, living: Living, now: float, rng: random.Random) -> None:
        self._living, self._home, self._ledger = living, living.home, living.ledger
        self._now, self._rng = now, rng

    # What there is

    def noun(self, thing: str) -> str:
        """Return what people call a thing, by its id."""
        return household().kind(self._home.things[thing].category).noun

    @cached_property
    def _present(self) -> frozenset[str]:
        return frozenset(thing.category for thing in self._home.things.values())

    def _clear(self, category: str) -> bool:
        """Whether a kind's name can mean nothing else in this home."""
        noun = household().kind(category).noun
        others = (household().kind(one) for one in self._present if one != category)
        return not any(
            name == noun or name.endswith(f" {noun}") for one in others for name in (*one.names, *one.classes, one.noun)
        )

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
        doubtful = {self._home.things[name].category for name in self._told_of} | self._ledger.cut()
        return {category: ids for category, ids in found.items() if category not in doubtful}

    @cached_property
    def _told_of(self) -> dict[str, Heard]:
        """Ids of things that somebody says that they moved, and that were not seen since → what they said."""
        told = {name: self._ledger.only_told(name) for name in self._ledger.spells}
        return {name: one for name, one in told.items() if one is not None}

    def _doubtful(self, thing: str) -> bool:
        """Whether an answer may say of a thing that it was moved or cut, and need not."""
        return thing in self._told_of or self._home.things[thing].category in self._ledger.cut()

    @cached_property
    def _singles(self) -> list[str]:
        """Movable things of which the robot saw only one, and the home has only one in its rooms."""
        return [ids[0] for ids in self._kinds.values() if len(ids) == 1]

    @cached_property
    def _unseen(self) -> list[str]:
        """Portable kinds that were never seen, and whose names mean nothing that was."""
        seen = [household().kind(self._home.things[one].category) for one in self._ledger.spells]
        called = {
            name for kind in seen for name in (*kind.names, *kind.classes, kind.noun, *(_last(n) for n in kind.names))
        }
        return [
            category
            for category in sorted(household().that_can("pickup"))
            if not household().kind(category).whole
            and not self._loosely(category) & self._present
            and not {*household().kind(category).names, household().kind(category).noun} & called
            and _last(household().kind(category).noun) not in called
        ]

    def _loosely(self, category: str) -> set[str]:
        """Return the kinds of which some people would use its name, too."""
        noun = household().noun(household().kind(category).noun)
        return set(noun.loosely) if noun is not None else set()

    def _believed(self, thing: str) -> Spell | None:
        return self._ledger.believed(thing)

    def _spot(self, spell: Spell) -> Spot:
        if not spell.place:
            return Spot("", spell.room)
        category = self._home.things[spell.place].category
        rooms = {self._home.things[one].room for one in self._ledger.of(category)}
        return Spot(category, spell.room, len(rooms) > 1)

    def _room(self, room: str) -> str:
        return room.replace("_", " ")

    def _user(self) -> str:
        return self._rng.choice(USERS)

    def _pick(self, ids: Sequence[str]) -> str | None:
        return self._rng.choice(ids) if ids else None

    def _at(self, thing: str, time: Named) -> Spell | None:
        """Return how a thing was at a time, where that can be told: seen so before and after, or all the time."""
        over = [
            one
            for one in self._ledger.spells[thing]
            if one.since <= time.until and (one.until or self._now) >= time.since
        ]
        if len(over) != 1 or over[0].seen < time.since or (time.since == time.until and over[0].since > time.since):
            return None
        return over[0]

    def _stretch(self) -> Named:
        return self._rng.choice(stretches(self._now, self._ledger.began))

    def _asking(self, wording: Wording, truth: Truth, user: str = "", *, thing: str = "", category: str = "",
                said: tuple[str, str] | None = None, signs: tuple[str, ...] = (), place: str = "", state: str = "",
                time: Named | None = None) -> Asking | None:  # fmt: skip
        """Return a question, None where the wording needs what it has not got.

        `said`: what the thing is called, one and several; by default the noun of its kind.
        """
        kind = category or (self._home.things[thing].category if thing else "")
        noun = household().kind(kind).noun if kind else ""
        values = {
            "object": said[0] if said else noun,
            "objects": said[1] if said else plural_of(noun) if noun else "",
            "place": place,
            "state": state,
            "time": "",
        }
        if time is not None:
            values["time"] = time.noun if wording.before("time") not in ("", "in", "on") else time.text
        if any(not values[name] for name in wording.needs):
            return None
        if place in FLOORS and wording.before("place") not in ("in", "on"):
            return None
        signs = signs or self._rooms_meant(place) or ((place,) if place else ())
        return Asking("", wording.fill(values), user or self._user(), truth, noun or place, time, signs)

    def _truth(self, **what: object) -> Truth:
        return Truth(self._now, **what)  # type: ignore[arg-type]

    def _stateful(self) -> tuple[str, str] | None:
        """Return a thing that is the only one of its kind, and one of its flags."""
        things = [one for ids in (*self._kinds.values(), *self._furniture.values()) if len(ids) == 1 for one in ids]
        flags = [
            (one, flag)
            for one in things
            if (spell := self._believed(one)) is not None
            for flag in FLAGS
            if flag in spell.states
        ]
        return self._rng.choice(flags) if flags else None

    # Places

    def _surface(self) -> Thing | None:
        """Return furniture that things lie on, the only one of its kind."""
        return self._place(lambda thing: thing.holds and not thing.hides and not self._hollow(thing))

    def _container(self) -> Thing | None:
        """Return what things are in and that the robot looked into, the only one of its kind."""
        return self._place(lambda thing: thing.holds and (thing.id in self._ledger.opened or self._hollow(thing)))

    def _hollow(self, thing: Thing) -> bool:
        return not thing.hides and household().kind(thing.category).relation == "in"

    def _place(self, fits: Callable[[Thing], bool]) -> Thing | None:
        things = [self._home.things[ids[0]] for ids in self._furniture.values() if len(ids) == 1]
        good = [one for one in things if fits(one)]
        return self._rng.choice(good) if good else None

    def _known_place(self, wording: Wording) -> tuple[str, list[str]] | None:
        """Return a place that fits a wording's preposition, by its noun, and what is there."""
        said = wording.before("place")
        if said in ("in", "on") and len(self._floors) > 1 and self._rng.random() < 0.4:
            floor = self._rng.choice([*self._floors])
            return floor, self._in_rooms(self._floors[floor])
        if said == "in" and self._rng.random() < 0.6:
            room = self._rng.choice(sorted(self._ledger.rooms))
            return self._room(room), self._in_rooms([room])
        place = self._container() if said == "in" else self._surface()
        return (self.noun(place.id), self._ledger.present(place.id)) if place is not None else None

    def _in_rooms(self, rooms: Collection[str]) -> list[str]:
        """Return the ids of what is believed to be in rooms."""
        believed = {one: self._believed(one) for one in self._ledger.spells}
        return [one for one, spell in believed.items() if spell is not None and spell.room in rooms]

    @cached_property
    def _floors(self) -> dict[str, list[str]]:
        """What people call the floors of a home with two of them → their rooms."""
        if len(self._home.floors) != len(FLOORS):
            return {}
        rooms = {word: self._home.on_floor(level) for level, word in enumerate(FLOORS)}
        return rooms if all({*of} & {*self._ledger.rooms} for of in rooms.values()) else {}

    def _rooms_meant(self, place: str) -> tuple[str, ...]:
        """Return the rooms of a floor, as they are called."""
        return tuple(map(self._room, self._floors.get(place, ())))

    def _unknown_place(self, wording: Wording) -> str:
        """Return a place that the robot never looked at, or into."""
        shut = self._living.shut
        unseen_room = [
            thing for thing in self._home.things.values() if thing.room == shut and thing.holds and not thing.movable
        ]
        only = [one for one in unseen_room if not self._ledger.of(one.category) and self._clear(one.category)]
        closed = [
            self._home.things[ids[0]]
            for ids in self._furniture.values()
            if len(ids) == 1 and self._home.things[ids[0]].hides and ids[0] not in self._ledger.opened
        ]
        places = [
            one
            for one in (*only, *closed)
            if one.holds and (wording.before("place") == "in") is (one.hides or self._hollow(one))
        ]
        nouns = [self.noun(one.id) for one in places]
        if wording.before("place") == "in" and not any(
            self._home.rooms[one].category == self._home.rooms[shut].category for one in self._ledger.rooms
        ):
            nouns.append(self._room(shut))
        return self._rng.choice(nouns) if nouns else ""

    # What changed, and what was done

    def _moved(self, since: float, until: float) -> Iterator[tuple[str, Spell, Spell | None]]:
        for thing, before, after in self._ledger.changes(since, until):
            if after is None or (before.place, before.relation) != (after.place, after.relation):
                yield thing, before, after

    def _deeds(self, time: Named | None = None, user: str = "") -> list[Deed]:
        return [
            one
            for one in self._ledger.deeds
            if (not user or one.user == user) and (time is None or time.since <= one.start <= time.until)
        ]

    def _of(self, thing: str, sense: str, time: Named | None = None) -> list[Deed] | None:
        """Return what was done with a thing; None where a verb may or may not mean it."""
        done = [one for one in self._deeds() if one.thing == thing and not one.reason]
        meant = [one for one in done if one.verb in {"bring": ("bring",), "clean": ("clean",)}.get(sense, MOVED)]
        if (sense != "clean" and any(one.verb == "clean" for one in done)) or (
            sense == "bring" and len(meant) < len(done)
        ):
            return None
        if time is not None and any(one not in self._deeds(time) for one in self._deeds(near(time)) if one in meant):
            return None
        return [one for one in meant if time is None or one in self._deeds(time)]

    def _maybe_handled(self) -> list[str]:
        """Return things that the robot moved, or could not move, or any."""
        tried = {one.thing for one in self._deeds() if one.reason} & {*self._singles}
        return self._rng.choices((self._handled(), sorted(tried), self._singles), (0.6, 0.25, 0.15))[0]

    def _handled(self) -> list[str]:
        return sorted(
            {one.thing for one in self._deeds() if one.verb in MOVED and one.thing in self._singles and not one.reason}
        )


def _last(name: str) -> str:
    return name.split()[-1]
