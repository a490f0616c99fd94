# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What is put somewhere: which of the places of a clause says where to, and which where it is."""

from __future__ import annotations

from karma_language.phrases.clause_parts import Clause, Place, located, nested
from karma_language.reading import Deed, Goal
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.word_meanings import Sort, means

_LANDMARKS = frozenset(
    (
        *(Relation.NEAR, Relation.LEFT_OF, Relation.RIGHT_OF, Relation.BEHIND, Relation.IN_FRONT_OF),
        *(Relation.UNDER, Relation.ABOVE, Relation.BETWEEN),
    )
)
"""Relations that tell a place from its like, behind another place."""
_ONES = frozenset(("one", "ones", "other", "others"))


class Placing:
    """Turns clauses that put something somewhere into goals."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def can(self, thing: Thing, affordance: str) -> bool:
        """Whether a thing may be one with an affordance."""
        return self._lexicon.any_can(thing.categories, affordance)

    def portable(self, thing: Thing) -> bool:
        """Whether a thing may be one that is carried."""
        return self.can(thing, "pickup")

    def holds(self, thing: Thing) -> bool:
        """Whether things may be put there."""
        return bool(thing.room) or self.can(thing, "hold")

    def place(self, clause: Clause) -> list[Goal]:
        """Return the goals of what is put somewhere; the places say where from and where to."""
        if clause.person and not clause.themes and clause.places:
            return [clause.goal(Deed.OTHER, None)]  # "put ME in the microwave"
        goals: list[Goal] = []
        to, source = self._destination(clause)
        if to is not None and to.relation is Relation.AT and to.thing.last_word in _ONES and to.thing.place is not None:
            to = to.thing.place  # "add it TO THE ONE ON THE BED"
        back = to is None and ("back" in clause.particles or clause.verb.sense == "return")
        for phrase in clause.themes or (None,):
            thing = clause.taken(phrase.thing if phrase is not None else None)
            if source is not None and thing is not None:
                thing = located(thing, source)
            if phrase is not None:
                vessel = Where(relation=Relation.IN, thing=thing or phrase.thing)
                goals += [clause.goal(Deed.PLACE, one, vessel) for one in phrase.contents]
            goals.append(clause.goal(Deed.PLACE, thing, to, back=back))
        if to is not None and to.thing.place is not None and self._carried(to.thing):
            outer = to.thing.place
            carrier = to.thing.model_copy(update={"place": None})
            goals[-1] = goals[-1].model_copy(update={"to": to.model_copy(update={"thing": carrier})})
            goals.append(clause.goal(Deed.PLACE, carrier.model_copy(update={"definite": True}), outer))
        return goals

    def _carried(self, vessel: Thing) -> bool:
        """Whether what something is put in is to be put somewhere itself: "a knife in A PAN on the counter"."""
        there = vessel.place is not None and vessel.place.relation in (Relation.ON, Relation.IN)
        return there and self.portable(vessel) and not (vessel.definite or vessel.pronoun)

    def _destination(self, clause: Clause) -> tuple[Where | None, Where | None]:
        """Return where things go and where they are said to be: "the one on the table in the bin"."""
        beside = [place.relation in _LANDMARKS for place in clause.places]
        if beside == [True, False] and clause.places[1].moving and clause.places[1].relation is not Relation.AT:
            clause.places.reverse()  # "beside the cup, ON THE TABLE"
        pointed = [p for p in clause.places if p.phrase.thing.pronoun and means(p.phrase.thing.text, Sort.PLACE)]
        if pointed and len(clause.places) > 1 and clause.places[-1] is pointed[0]:
            clause.places.pop()  # "on the desk IN THERE"
        if len(clause.places) > 1 and clause.themes and self._describes(clause.places[0]):
            said = clause.places.pop(0)  # "the candle ON A BLACK HOLDER to the table"
            theme = clause.themes[-1]
            words = f"{theme.thing.text} {said.relation.value} {said.phrase.thing.text}"
            clause.themes[-1] = theme.told(text=words)
        places = [place.where for place in clause.places]
        if not places:
            return None, None
        begin = self._begins(clause)
        return nested(places[begin:]), nested(places[:begin]) if begin else None

    def _begins(self, clause: Clause) -> int:
        """Return the index of the first place that says where things go; those before it say where they are."""
        pronoun = not clause.themes or (clause.themes[-1].thing.pronoun and clause.themes[-1].thing.text not in _ONES)
        places = clause.places
        if len(places) < 2 or pronoun or clause.source is not None:
            return 0
        beside = [place.relation in _LANDMARKS for place in places]
        bound = next((n for n, place in enumerate(places) if place.moving and not beside[n]), None)
        if beside[0] and bound is not None and places[bound].relation is Relation.AT:
            return bound  # "the mug next to the sink TO THE TABLE"
        if places[0].moving:
            return 0
        first, second = places[0].phrase.thing, places[1].phrase.thing
        if bound is not None and (bound > 1 or second.is_room):
            return bound  # "the mug on the table in the kitchen TO THE SOFA", "the mug on the table TO THE KITCHEN"
        one = clause.themes[-1].thing
        if one.text in _ONES and not (one.other or one.attributes or one.place or second.is_room):
            return 1  # "the one IN THE BEDROOM next to it"
        vessel = self.portable(first) and self.holds(first) and not self.portable(second)
        return 0 if second.is_room or beside[1] or vessel else 1

    def _describes(self, place: Place) -> bool:
        """Whether what something is said to be on or in is a class of things, none in particular, nor a place."""
        thing = place.phrase.thing
        if thing.definite or thing.pronoun or thing.room or place.moving:
            return False
        noun = self._lexicon.noun(thing.last_word)
        return (noun is None and not thing.categories) or (noun is not None and noun.generic)
