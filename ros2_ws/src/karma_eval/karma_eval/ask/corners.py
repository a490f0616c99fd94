# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Questions on which a list of sightings goes wrong: what is gone, cut up, elsewhere, only told, or of nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from karma_eval.ask.errands import BIN, USERS
from karma_eval.ask.home import plain
from karma_eval.ask.judge import Spot
from karma_eval.ask.knowledge import FLOORS, Asking, Known
from karma_eval.ask.ledger import Heard, Spell
from karma_eval.ask.living import OWNERS
from karma_eval.ask.times import before_all
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


class Corners(Known):
    """Fills wordings with what is easily got wrong."""

    # What is gone, or somewhere else now

    def _left(self, wording: Wording) -> Asking:
        """Ask for a thing where it is no more."""
        return self._absent(wording, yes=False, shown="there")

    def _none_left(self, wording: Wording) -> Asking:
        """Ask how many there are where there are none any more."""
        return self._absent(wording, number=0)

    def _absent(self, wording: Wording, **truth: Any) -> Asking:
        """Ask for a kind at a place where such a thing was, and none is."""
        self._need("place" in wording.needs)
        found = set()
        for category, ids in self._kinds.items():
            now = self._now_of(ids)
            here = {spell.place for spell in now} | {word for spell in now for word in self._areas(spell)}
            for spell in (spell for one in ids for spell in self._ledger.spells[one] if spell.relation != "held"):
                words = [word for word in self._areas(spell) if word not in here]
                if spell.place not in here and self._sole(spell.place):
                    words.append(self.noun(spell.place))
                fitting = ("", wording.before("place"))
                found |= {(category, word) for word in words if self._preposition(spell, word) in fitting}
        category, place = self._pick(sorted(found))
        return self._asking(wording, category=category, place=place, **truth)

    def _areas(self, spell: Spell) -> list[str]:
        """Return what the room, and the floor, of where a thing was are called."""
        return [plain(spell.room), *(word for word, rooms in self._floors.items() if spell.room in rooms)]

    def _sole(self, place: str) -> bool:
        return self._furniture.get(self._kind(place)) == [place]

    @staticmethod
    def _preposition(spell: Spell, word: str) -> str:
        """Return the preposition of a place; "" where any will do."""
        if word in FLOORS:
            return ""
        return "in" if word == plain(spell.room) else spell.relation

    def _gone(self, wording: Wording) -> Asking:
        """Ask for what was taken away unseen: only what was in the bin is gone for sure."""
        kind = self._taken(wording)
        last = [self._ledger.spells[one][-1].place for one in self._kinds[kind]]
        if all(self._kind(place) == BIN for place in last):
            return self._asking(wording, category=kind, yes=False, may_admit=True, shown="there")
        return self._asking(wording, category=kind, admits=True, shown="there")

    def _all_gone(self, wording: Wording) -> Asking:
        """Ask how many there are of what was taken away unseen."""
        return self._asking(wording, category=self._taken(wording), number=0, may_admit=True)

    def _taken(self, wording: Wording) -> str:
        self._need("place" not in wording.needs)
        return self._pick([kind for kind, ids in self._kinds.items() if not self._now_of(ids)])

    # What was cut up

    @cached_property
    def _cut(self) -> dict[str, list[str]]:
        """Kinds of which slices, and no whole, are known to be there → the slices."""
        found: dict[str, list[str]] = {}
        for one in self._ledger.spells:
            whole = household().kind(self._kind(one)).whole
            if whole and self._believed(one) is not None and not self._now_of(self._ledger.of(whole)):
                found.setdefault(whole, []).append(one)
        return {whole: ids for whole, ids in found.items() if self._clear(whole)}

    @cached_property
    def _uncut(self) -> list[str]:
        """Single things that could be cut up, and are whole."""
        return [one for one in self._singles if self._believed(one) and "isSliced" in self._home.things[one].states]

    @staticmethod
    def _sliced_as(whole: str) -> tuple[str, str]:
        noun = household().kind(whole).noun
        return f"sliced {noun}", f"{noun} slices"

    def _pieces(self, wording: Wording) -> Asking:
        """Ask where slices are, by the name of what they were, too."""
        whole = self._pick([*self._cut])
        spots = self._spots(self._now_of(self._cut[whole]))
        self._need("state" not in wording.needs and len(spots) <= 2)
        others = frozenset({whole, household().slices[whole], *(spot.category for spot in spots)} - {""})
        if "room" in wording.words:
            spots = tuple(dict.fromkeys(Spot("", spot.room) for spot in spots))
        said = self._rng.choice((("", ""), self._sliced_as(whole)))
        return self._asking(wording, category=whole, said=said, spots=spots, others=others)

    def _pieces_seen(self, wording: Wording) -> Asking:
        whole = self._pick([*self._cut])
        seen = max(self._ledger.spells[one][-1].seen for one in self._ledger.of(household().slices[whole]))
        return self._asking(wording, category=whole, said=self._sliced_as(whole), times=(seen,))

    def _when_whole(self, wording: Wording) -> Asking:
        """Ask where something was before it was cut up."""
        whole = self._pick([kind for kind in self._cut if len(self._ledger.of(kind)) == 1])
        return self._was(wording, self._ledger.of(whole)[0], also=self._now_of(self._cut[whole]), ended=True)

    def _sliced(self, wording: Wording) -> Asking:
        """Ask whether something is sliced, or still whole."""
        self._need("time" not in wording.needs)
        thing = self._pick([*self._uncut, *(ids[0] for ids in self._cut.values())])
        whole = household().kind(self._kind(thing)).whole
        state = self._rng.choice(("sliced", "whole"))
        shown = "slice" if whole else f"{self.noun(thing)} {self._here(thing).relation}"
        yes = (state == "sliced") is bool(whole)
        return self._asking(wording, category=whole or self._kind(thing), state=state, yes=yes, shown=shown)

    def _whole(self, wording: Wording) -> Asking:
        """Ask whether there is still a whole one."""
        self._need("place" not in wording.needs)
        kind = self._pick([*self._cut, *map(self._kind, self._uncut)])
        noun = household().kind(kind).noun
        said, signs = (f"whole {noun}", f"whole {plural_of(noun)}"), (f"{noun} on", f"{noun} in")
        return self._asking(wording, category=kind, said=said, signs=signs, yes=kind not in self._cut, shown="there")

    def _slices(self, wording: Wording) -> Asking:
        """Ask whether there are slices; at a place, at theirs or where the whole was before."""
        kind = self._pick([*self._cut] or [*map(self._kind, self._uncut)])
        place, yes, signs = "", kind in self._cut, ["slice"]
        if "place" in wording.needs:
            self._need(yes)
            place, there = self._known_place(wording)
            yes = bool({*self._cut[kind]} & {*there})
            signs = [f"slice on the {place}", f"slice in the {place}"]
        return self._asking(wording, category=kind, said=self._sliced_as(kind), place=place, signs=(*signs,),
                            yes=yes, shown="there")  # fmt: skip

    # What is described

    def _of_a_colour(self, wording: Wording) -> Asking:
        """Ask for a thing of a colour, which nobody ever saw."""
        kind = self._pick([kind for kind, ids in self._kinds.items() if all(map(self._believed, ids))])
        self._need("place" not in wording.needs)
        noun, colour = household().kind(kind).noun, self._rng.choice(COLOURS)
        said = (f"{colour} {noun}", f"{colour} {plural_of(noun)}")
        return self._asking(wording, category=kind, said=said, signs=(colour,), admits=True, shown="there")

    def _owners(self) -> list[Heard]:
        told = [one for one in self._ledger.heard if one.owner and one.category in self._kinds]
        return [one for one in told if all(map(self._believed, self._kinds[one.category]))]

    @staticmethod
    def _owned_as(category: str, owner: str) -> tuple[str, str]:
        noun = household().kind(category).noun
        return f"{noun} that belongs to {owner}", f"{plural_of(noun)} that belong to {owner}"

    def _of_somebody(self, wording: Wording) -> Asking:
        """Ask for something of somebody's, or of who owns nothing: whoever told it, or another of the household."""
        self._need("place" not in wording.needs)
        one = self._pick(self._owners())
        owner = self._rng.choice((one.owner, one.owner, STRANGER, *OWNERS))
        user = self._rng.choice((one.user, *USERS))
        told = (other for other in self._ledger.heard if other.category == one.category)
        yes = any(other.owner == owner for other in told)
        said = self._owned_as(one.category, owner)
        return self._asking(wording, user, category=one.category, said=said, signs=(owner,),
                            yes=yes, may_admit=not yes, shown="there")  # fmt: skip

    def _owned(self, wording: Wording) -> Asking:
        """Ask where somebody's thing is: who told whose it is."""
        self._need({"object", "state"} & wording.needs == {"object"} and not {"my", "our"} & {*wording.words})
        one = self._pick([one for one in self._owners() if len(self._kinds[one.category]) == 1])
        spell = self._here(self._kinds[one.category][0])
        self._need(spell.place)
        return self._asking(wording, one.user, category=one.category, said=self._owned_as(one.category, one.owner),
                            spots=(self._spot(spell),), others=frozenset({one.category}))  # fmt: skip

    # What was only told

    def _moved_away(self, wording: Wording, *lacking: str) -> list[tuple[str, Heard]]:
        """Return the things that were not seen since somebody told where they put them, at places not seen since.

        `lacking`: what the wording must not need.
        """
        self._need(not {*lacking} & wording.needs)
        pairs = [pair for pair in self._told_of.items() if self._clear(pair[1].category) and self._sole(pair[1].place)]
        rooms, things = self._ledger.rooms, self._home.things
        return [(name, one) for name, one in pairs if rooms.get(things[one.place].room, 0.0) < one.stamp]

    def _moved_by_who_asks(self, wording: Wording) -> Asking:
        """Ask where something is: who told where they put it."""
        thing, one = self._pick(self._moved_away(wording, "objects", "state", "time"))
        place, before = self._home.things[one.place], self._spot(self._ledger.spells[thing][-1])
        room = "room" in wording.words
        spots = (Spot("" if room else place.category, place.room),)
        others = frozenset({one.category, place.category, before.category} - {""})
        told = "" if room else one.text
        return self._asking(wording, one.user, thing=thing, spots=spots, also=(before,), others=others, told=told)

    def _moved_by_others(self, wording: Wording) -> Asking:
        """Ask where something is: who was not told where it was put."""
        moved = self._moved_away(wording, "objects", "state", "time")
        thing, one = self._pick([(thing, one) for thing, one in moved if self._believed(thing) is not None])
        spell = self._here(thing)
        self._need(spell.place)
        user = self._rng.choice([user for user in USERS if user != one.user])
        return self._asking(wording, user, thing=thing, spots=(self._spot(spell),), others=frozenset({one.category}),
                            never=(one.text,))  # fmt: skip

    def _told_there(self, wording: Wording) -> Asking:
        """Ask whether something is where somebody told that they put it."""
        moved = [(thing, one) for thing, one in self._moved_away(wording) if self._ledger.of(one.category) == [thing]
                 and wording.before("place") == self._home.things[one.place].preposition]  # fmt: skip
        thing, one = self._pick(moved)
        place = self.noun(one.place)
        return self._asking(wording, one.user, thing=thing, place=place, yes=True, told=one.text, shown="there")

    def _teller(self, wording: Wording) -> Asking:
        """Ask who moved something: who told that they did."""
        self._need(wording.sense in ("", "move"))
        thing, one = self._pick(self._moved_away(wording))
        return self._asking(wording, one.user, thing=thing, persons=("you",))

    def _told_by_others(self, wording: Wording) -> Asking:
        """Ask what one told of a thing that only others told of."""
        return self._untold(wording, self._heard())

    # Nowhere, and never

    def _nowhere(self, wording: Wording) -> Asking:
        """Ask about a room where the robot never was, or that is none, or a floor that a home has not."""
        said = wording.before("place")
        self._need(said in ("in", "on") and not ("object" in wording.needs and "place" not in wording.needs))
        places = [*FLOORS] if len(self._home.floors) == 1 else []
        if said == "in":
            places += NOWHERE
            if not self._shut_is_of_a_kind:
                places += [plain(self._living.shut)] * len(NOWHERE)
        self._need(places)
        kind = self._pick([*self._kinds]) if {"object", "objects"} & wording.needs else ""
        never = (f"nothing called {household().kind(kind).noun}",) if kind else ()  # only the place is unknown
        place = self._pick(places)
        return self._asking(wording, category=kind, place=place, admits=True, shown="there", never=never)

    def _shut_in(self, wording: Wording) -> Asking:
        """Ask where a thing is that is only where the robot never was."""
        kinds = {one.category for one in self._home.things.values() if one.room == self._living.shut}
        kinds -= {*map(self._kind, self._ledger.spells)}
        kind = self._pick([one for one in sorted(kinds) if self._clear(one) and one in self._unseen])
        return self._asking(wording, category=kind, admits=True)

    def _long_ago(self, wording: Wording) -> Asking:
        """Ask about a time before the robot came."""
        self._need("time" in wording.needs and wording.before("time") != "since")
        thing, time = self._pick(self._singles), before_all(self._now, self._rng)
        if "object" in wording.needs and wording.text.lower().startswith(("did", "have")):
            return self._asking(wording, thing=thing, time=time, yes=False, may_admit=True)
        return self._asking(wording, thing=thing, time=time, admits=True)
