# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions on which a list of sightings goes wrong: what is gone, cut up, elsewhere, only told, or of nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from karma_eval.ask.errands import USERS
from karma_eval.ask.judge import Spot, Truth
from karma_eval.ask.knowledge import FLOORS, Asking, Known
from karma_eval.ask.ledger import Heard, Spell
from karma_eval.ask.living import OWNERS
from karma_eval.ask.times import before_all, moments
from karma_eval.ask.wordings import Wording
from karma_language.vocabulary import household
from karma_language.vocabulary.terms import plural_of

CORNERS: Mapping[str, tuple[tuple[str, ...], float]] = {
    "where": (("pieces", "moved_by_who_asks", "moved_by_others", "owned", "shut_in"), 0.45),
    "which_room": (("pieces", "moved_by_who_asks"), 0.3),
    "when_last": (("pieces_seen",), 0.2),
    "at_time": (("long_ago", "when_whole"), 0.35),
    "state": (("sliced",), 0.25),
    "how_many": (("nowhere", "none_left", "all_gone"), 0.4),
    "contents": (("nowhere",), 0.25),
    "exists": (("left", "left", "gone", "gone", "gone", "whole", "whole", "slices", "of_a_colour", "of_a_colour",
                "of_somebody", "of_somebody", "nowhere", "told_there", "told_there"), 0.9),
    "changed": (("nowhere",), 0.2),
    "did": (("long_ago",), 0.15),
    "who": (("teller",), 0.2),
    "asked": (("long_ago",), 0.2),
    "told": (("told_by_others",), 0.2),
}  # fmt: skip
"""Kind → its cases, more often what stands there twice, and their share of its questions."""
NOWHERE = ("garage", "attic", "cellar", "sauna", "laundry room", "nursery")
"""Rooms that homes may have and these have not."""
STRANGER = "Dr. Weber"
"""Somebody who owns nothing here."""
COLOURS = ("green", "purple", "orange", "striped", "wooden", "golden")
"""No colour or material is ever seen."""
_BIN = "GarbageCan"


class Corners(Known):
    """Fills wordings with what is easily got wrong."""

    def _corner(self, name: str, wording: Wording) -> Asking | None:
        one: Asking | None = getattr(self, f"_{name}")(wording)
        return one

    def _any(self, categories: Sequence[str]) -> str:
        return self._rng.choice(categories) if categories else ""

    # What is gone, or somewhere else now

    def _absent(self, wording: Wording, truth: Truth) -> Asking | None:
        """Ask for a kind at a place where such a thing was, and none is."""
        if "place" not in wording.needs:
            return None
        found = []
        for category, ids in self._kinds.items():
            now = [spell for one in ids if (spell := self._believed(one)) is not None]
            here = {spell.place for spell in now} | {word for spell in now for word in self._areas(spell)}
            for spell in (spell for one in ids for spell in self._ledger.spells[one] if spell.relation != "held"):
                words = [word for word in self._areas(spell) if word not in here]
                if spell.place not in here and self._sole(spell.place):
                    words.append(self.noun(spell.place))
                fitting = (word for word in words if self._preposition(spell, word) in ("", wording.before("place")))
                found += [(category, word) for word in fitting]
        category, place = self._rng.choice(sorted({*found})) if found else ("", "")
        return self._asking(wording, truth, category=category, place=place) if found else None

    def _areas(self, spell: Spell) -> list[str]:
        """Return what the room, and the floor, of where a thing was are called."""
        return [self._room(spell.room), *(word for word, rooms in self._floors.items() if spell.room in rooms)]

    def _sole(self, place: str) -> bool:
        return self._furniture.get(self._home.things[place].category) == [place]

    def _preposition(self, spell: Spell, word: str) -> str:
        """Return the preposition of a place; "" where any will do."""
        if word in FLOORS:
            return ""
        return "in" if word == self._room(spell.room) else spell.relation

    def _left(self, wording: Wording) -> Asking | None:
        """Ask for a thing where it is no more."""
        return self._absent(wording, self._truth(yes=False, shown="there"))

    def _none_left(self, wording: Wording) -> Asking | None:
        """Ask how many there are where there are none any more."""
        return self._absent(wording, self._truth(number=0))

    def _gone(self, wording: Wording) -> Asking | None:
        """Ask for what was taken away unseen: only what was in the bin is gone for sure."""
        kind = self._taken(wording)
        last = [self._ledger.spells[one][-1].place for one in self._kinds.get(kind, ())]
        binned = all(place and self._home.things[place].category == _BIN for place in last)
        truth = self._truth(yes=False, may_admit=True) if binned else self._truth(admits=True)
        return self._asking(wording, self._there(truth), category=kind) if kind else None

    def _all_gone(self, wording: Wording) -> Asking | None:
        """Ask how many there are of what was taken away unseen."""
        kind = self._taken(wording)
        return self._asking(wording, self._truth(number=0, may_admit=True), category=kind) if kind else None

    def _taken(self, wording: Wording) -> str:
        gone = [kind for kind, ids in self._kinds.items() if not any(map(self._believed, ids))]
        return self._any(gone) if "place" not in wording.needs else ""

    # What was cut up

    @cached_property
    def _cut(self) -> dict[str, list[str]]:
        """Kinds of which slices, and no whole, are known to be there → the slices."""
        found: dict[str, list[str]] = {}
        for one in self._ledger.spells:
            whole = household().kind(self._home.things[one].category).whole
            if whole and self._believed(one) is not None and not any(map(self._believed, self._ledger.of(whole))):
                found.setdefault(whole, []).append(one)
        return {whole: ids for whole, ids in found.items() if self._clear(whole)}

    @cached_property
    def _uncut(self) -> list[str]:
        """Single things that could be cut up, and are whole."""
        return [one for one in self._singles if self._believed(one) and "isSliced" in self._home.things[one].states]

    def _sliced_as(self, whole: str) -> tuple[str, str]:
        noun = household().kind(whole).noun
        return f"sliced {noun}", f"{noun} slices"

    def _pieces(self, wording: Wording) -> Asking | None:
        """Ask where slices are, by the name of what they were, too."""
        whole = self._any([*self._cut])
        if not whole or "state" in wording.needs:
            return None
        spells = [spell for one in self._cut[whole] if (spell := self._believed(one)) is not None]
        spots = tuple(dict.fromkeys(map(self._spot, spells)))
        if len(spots) > 2:
            return None
        kinds = frozenset({whole, household().slices[whole], *(spot.category for spot in spots)} - {""})
        if "room" in wording.words:
            spots = tuple(dict.fromkeys(Spot("", spot.room) for spot in spots))
        said = self._rng.choice((None, self._sliced_as(whole)))
        return self._asking(wording, self._truth(spots=spots, others=kinds), category=whole, said=said)

    def _pieces_seen(self, wording: Wording) -> Asking | None:
        whole = self._any([*self._cut])
        if not whole:
            return None
        seen = max(self._ledger.spells[one][-1].seen for one in self._ledger.of(household().slices[whole]))
        return self._asking(wording, self._truth(times=(seen,)), category=whole, said=self._sliced_as(whole))

    def _when_whole(self, wording: Wording) -> Asking | None:
        """Ask where something was before it was cut up."""
        whole = self._any([kind for kind in self._cut if len(self._ledger.of(kind)) == 1])
        if not whole:
            return None
        (thing,) = self._ledger.of(whole)
        now = [spell for one in self._cut[whole] if (spell := self._believed(one)) is not None]
        for time in moments(self._now, self._ledger.began, self._rng):
            then = self._at(thing, time)
            if then is None or then.relation == "held" or then.until is None or time.until >= then.until:
                continue
            spot = self._spot(then)
            wanted = Spot("", spot.room) if "room" in wording.words else spot
            others = frozenset({whole, household().slices[whole], spot.category} - {""})
            truth = self._truth(spots=(wanted,), also=tuple(map(self._spot, now)), others=others)
            return self._asking(wording, truth, category=whole, time=time)
        return None

    def _sliced(self, wording: Wording) -> Asking | None:
        """Ask whether something is sliced, or still whole."""
        if "time" in wording.needs or not (self._cut or self._uncut):
            return None
        thing = self._pick([*self._uncut, *(ids[0] for ids in self._cut.values())]) or ""
        category = self._home.things[thing].category
        whole = household().kind(category).whole
        spell = self._believed(thing)
        state = self._rng.choice(("sliced", "whole"))
        shown = "slice" if whole else f"{self.noun(thing)} {spell.relation if spell else ''}"
        truth = self._truth(yes=(state == "sliced") is bool(whole), shown=shown)
        return self._asking(wording, truth, category=whole or category, state=state)

    def _whole(self, wording: Wording) -> Asking | None:
        """Ask whether there is still a whole one."""
        if "place" in wording.needs:
            return None
        kind = self._any([*self._cut, *(self._home.things[one].category for one in self._uncut)])
        noun = household().kind(kind).noun if kind else ""
        truth = self._there(self._truth(yes=kind not in self._cut))
        signs = (f"{noun} on", f"{noun} in")
        said = (f"whole {noun}", f"whole {plural_of(noun)}")
        return self._asking(wording, truth, category=kind, said=said, signs=signs) if kind else None

    def _slices(self, wording: Wording) -> Asking | None:
        """Ask whether there are slices; at a place, at theirs or where the whole was before."""
        cut = self._any([*self._cut])
        kind = cut or self._any([self._home.things[one].category for one in self._uncut])
        if not kind:
            return None
        place, yes = "", bool(cut)
        if "place" in wording.needs:
            if not cut:
                return None
            known = self._known_place(wording)
            if known is None:
                return None
            place, yes = known[0], bool({*self._cut[cut]} & {*known[1]})
        truth = self._there(self._truth(yes=yes))
        signs = tuple(f"slice {at} {place}" for at in ("on the", "in the")) if place else ("slice",)
        return self._asking(wording, truth, category=kind, said=self._sliced_as(kind), place=place, signs=signs)

    # What is described

    def _of_a_colour(self, wording: Wording) -> Asking | None:
        """Ask for a thing of a colour, which nobody ever saw."""
        kind = self._any([kind for kind, ids in self._kinds.items() if all(map(self._believed, ids))])
        if not kind or "place" in wording.needs:
            return None
        noun, colour = household().kind(kind).noun, self._rng.choice(COLOURS)
        said = (f"{colour} {noun}", f"{colour} {plural_of(noun)}")
        return self._asking(wording, self._there(self._truth(admits=True)), category=kind, said=said, signs=(colour,))

    def _owners(self) -> list[Heard]:
        told = [one for one in self._ledger.heard if one.owner and one.category in self._kinds]
        return [one for one in told if all(map(self._believed, self._kinds[one.category]))]

    @staticmethod
    def _owned_as(category: str, owner: str) -> tuple[str, str]:
        noun = household().kind(category).noun
        return f"{noun} that belongs to {owner}", f"{plural_of(noun)} that belong to {owner}"

    def _of_somebody(self, wording: Wording) -> Asking | None:
        """Ask for something of somebody's: whoever told whose it is, somebody else, or of who owns nothing."""
        owners = self._owners()
        if not owners or "place" in wording.needs:
            return None
        one = self._rng.choice(owners)
        heard = [other for other in self._ledger.heard if other.category == one.category]
        owner = self._rng.choice((one.owner, one.owner, STRANGER, *OWNERS))
        user = self._rng.choice((one.user, *USERS))
        yes = any((other.owner, other.user) == (owner, user) for other in heard)
        truth = self._truth(yes=True) if yes else self._truth(yes=False, may_admit=True)
        said = self._owned_as(one.category, owner)
        return self._asking(wording, self._there(truth), user, category=one.category, said=said, signs=(owner,))

    def _owned(self, wording: Wording) -> Asking | None:
        """Ask where somebody's thing is: who told whose it is."""
        owners = [one for one in self._owners() if len(self._kinds[one.category]) == 1]
        if not owners or {"object", "state"} & wording.needs != {"object"} or {"my", "our"} & {*wording.words}:
            return None
        one = self._rng.choice(owners)
        spell = self._believed(self._kinds[one.category][0])
        if spell is None or not spell.place:
            return None
        truth = self._truth(spots=(self._spot(spell),), others=frozenset({one.category}))
        return self._asking(
            wording, truth, one.user, category=one.category, said=self._owned_as(one.category, one.owner)
        )

    # What was only told

    def _moved_away(self) -> list[tuple[str, Heard]]:
        """Return the things that were not seen since somebody told where they put them, at places not seen since."""
        pairs = [
            (name, one) for name, one in self._told_of.items() if self._clear(one.category) and self._sole(one.place)
        ]
        rooms = {name: self._home.things[one.place].room for name, one in pairs}
        return [(name, one) for name, one in pairs if self._ledger.rooms.get(rooms[name], 0.0) < one.stamp]

    def _moved_by_who_asks(self, wording: Wording) -> Asking | None:
        """Ask where something is: who told where they put it."""
        moved = self._moved_away()
        if not moved or {"objects", "state", "time"} & wording.needs:
            return None
        thing, one = self._rng.choice(moved)
        place, before = self._home.things[one.place], self._spot(self._ledger.spells[thing][-1])
        asks_room = "room" in wording.words
        spot = Spot("" if asks_room else place.category, place.room)
        others = frozenset({one.category, place.category, before.category} - {""})
        truth = self._truth(spots=(spot,), also=(before,), others=others, told="" if asks_room else one.text)
        return self._asking(wording, truth, one.user, thing=thing)

    def _moved_by_others(self, wording: Wording) -> Asking | None:
        """Ask where something is: who was not told where it was put."""
        moved = [(thing, one) for thing, one in self._moved_away() if self._believed(thing) is not None]
        if not moved or {"objects", "state", "time"} & wording.needs:
            return None
        thing, one = self._rng.choice(moved)
        spell = self._ledger.spells[thing][-1]
        if not spell.place:
            return None
        truth = self._truth(spots=(self._spot(spell),), others=frozenset({one.category}), never=(one.text,))
        return self._asking(wording, truth, self._other(one), thing=thing)

    def _other(self, one: Heard) -> str:
        return self._rng.choice([user for user in USERS if user != one.user])

    def _told_there(self, wording: Wording) -> Asking | None:
        """Ask whether something is where somebody told that they put it."""
        moved = [
            (thing, one)
            for thing, one in self._moved_away()
            if self._ledger.of(one.category) == [thing]
            and wording.before("place") == ("in" if self._hollow(self._home.things[one.place]) else "on")
        ]
        if not moved:
            return None
        thing, one = self._rng.choice(moved)
        truth = self._there(self._truth(yes=True, told=one.text))
        return self._asking(wording, truth, one.user, thing=thing, place=self.noun(one.place))

    def _teller(self, wording: Wording) -> Asking | None:
        """Ask who moved something: who told that they did."""
        moved = self._moved_away()
        if not moved or wording.sense not in ("", "move"):
            return None
        thing, one = self._rng.choice(moved)
        return self._asking(wording, self._truth(persons=("you",)), one.user, thing=thing)

    def _told_by_others(self, wording: Wording) -> Asking | None:
        """Ask what one told of a thing that only others told of."""
        heard = [one for one in self._ledger.heard if self._clear(one.category)]
        one = self._rng.choice(heard) if heard else None
        user = self._user()
        if one is None or any((other.user, other.category) == (user, one.category) for other in heard):
            return None
        return self._asking(wording, self._truth(admits=True), user, category=one.category)

    # Nowhere, and never

    def _nowhere(self, wording: Wording) -> Asking | None:
        """Ask about a room where the robot never was, or that is none, or a floor that a home has not."""
        said = wording.before("place")
        if said not in ("in", "on") or ("object" in wording.needs and "place" not in wording.needs):
            return None
        shut = self._home.rooms[self._living.shut]
        places = [*FLOORS] if len(self._home.floors) == 1 else []
        if said == "in":
            alike = any(self._home.rooms[one].category == shut.category for one in self._ledger.rooms)
            places += [*NOWHERE, *([] if alike else [self._room(shut.name)] * len(NOWHERE))]
        if not places:
            return None
        kind = self._any([*self._kinds]) if {"object", "objects"} & wording.needs else ""
        never = (f"nothing called {household().kind(kind).noun}",) if kind else ()  # only the place is unknown
        truth = self._truth(admits=True, shown="there", never=never)
        return self._asking(wording, truth, category=kind, place=self._rng.choice(places))

    def _shut_in(self, wording: Wording) -> Asking | None:
        """Ask where a thing is that is only where the robot never was."""
        seen = {self._home.things[one].category for one in self._ledger.spells}
        kinds = {one.category for one in self._home.things.values() if one.room == self._living.shut}
        kind = self._any([one for one in sorted(kinds - seen) if self._clear(one) and one in self._unseen])
        return self._asking(wording, self._truth(admits=True), category=kind) if kind else None

    def _long_ago(self, wording: Wording) -> Asking | None:
        """Ask about a time before the robot came."""
        if "time" not in wording.needs or wording.before("time") == "since":
            return None
        thing = self._pick(self._singles) or ""
        doing = "object" in wording.needs and wording.text.lower().startswith(("did", "have"))
        truth = self._truth(yes=False, may_admit=True) if doing else self._truth(admits=True)
        return self._asking(wording, truth, thing=thing, time=before_all(self._now, self._rng))

    def _there(self, truth: Truth) -> Truth:
        return self._truth(
            admits=truth.admits, may_admit=truth.may_admit, yes=truth.yes, told=truth.told, shown="there"
        )
