# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is looked at, looked for and looked through."""

from __future__ import annotations

from karma_language.phrases.clause_parts import Clause, Place
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.placing import Placing
from karma_language.reading import Deed, Goal
from karma_language.things import Relation, Thing

LAMPS = frozenset(("DeskLamp", "FloorLamp"))
_SPOTS = frozenset(("spot", "place", "space", "room"))
_HOME = frozenset(("house", "home", "flat", "apartment", "place", "everything", "surroundings", "room"))


class Looking:
    """Turns clauses about looking into goals."""

    def __init__(self, placing: Placing) -> None:
        self._placing = placing

    def look(self, clause: Clause) -> list[Goal]:
        """Return the goals of what is looked at."""
        if clause.sought:
            return self.find(clause)
        at = [place for place in clause.places if place.relation is Relation.AT]
        if not clause.themes and at:
            clause.themes = [place.phrase for place in at]
            clause.places = [place for place in clause.places if place.relation is not Relation.AT]
        if (lamp := self._light(clause)) is not None:  # "look at it with the lamp"
            clause.places.append(Place(Relation.NEAR, Phrase(lamp, 0)))
            clause.using = None
        lit = any(set(place.phrase.thing.categories) & LAMPS for place in clause.places)
        if not clause.themes and not lit:
            return self.explore(clause)
        return [clause.goal(Deed.EXAMINE, clause.taken(thing), clause.where) for thing in clause.objects]

    def _light(self, clause: Clause) -> Thing | None:
        """Return the lamp by which something is looked at, None for none: "WITH THE LAMP shining on it"."""
        beside = [*(one for phrase in clause.themes for one in phrase.contents), clause.using]
        return next((one for one in beside if one is not None and set(one.categories) & LAMPS), None)

    def explore(self, clause: Clause) -> list[Goal]:
        """Return the goals of where one looks around."""
        if clause.sought:
            return self.find(clause)
        near = any(place.relation is Relation.NEAR for place in clause.places)
        if clause.themes and (near or self._light(clause) is not None):
            return self.look(clause)  # "check out the keys NEAR THE LAMP"
        clause.themes = [one for one in clause.themes if one.thing.text.split()[-1] not in _HOME]
        if not clause.places and "inside" in clause.particles:  # of what is spoken of
            clause.places = [Place(Relation.IN, Phrase(Thing(text="it", pronoun=True), 0))]
        return [clause.goal(Deed.EXPLORE, clause.objects[0], clause.where)]

    def find(self, clause: Clause) -> list[Goal]:
        """Return the goals of what is looked for."""
        if clause.sought and clause.places and clause.themes and clause.themes[0].thing.text.split()[-1] in _SPOTS:
            clause.themes = clause.sought  # "find a free spot on the shelf for the vase"
            return self._placing.place(clause)
        another = clause.themes and clause.verb.base == "find" and not clause.themes[0].thing.definite
        place = clause.themes[0].thing if clause.sought and another else None
        if place is not None and self._placing.holds(place) and not self._placing.portable(place):
            clause.places.append(Place(Relation.AT, clause.themes[0]))  # "find another SHELF for the vase"
            clause.themes = clause.sought
            return self._placing.place(clause)
        if clause.sought:
            searched = [Place(Relation.IN, phrase) for phrase in clause.themes]
            clause.themes, clause.places = clause.sought, [*clause.places, *searched]
        do = Deed.BRING if clause.person == "me" else Deed.FIND  # "find ME a fork"
        person = clause.person if do is Deed.BRING else ""
        return [clause.goal(do, clause.located(thing), person=person) for thing in clause.objects]
