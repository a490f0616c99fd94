# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What one goal of a request asks for, deed by deed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_language import reading
from karma_language.phrases.resolver import UnknownNoun
from karma_language.reading import Deed
from karma_language.things import Relation, Thing
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.word_meanings import Sort, means, speaks_of
from planner_node.understand.goals import ALL, BACK, Condition, Goal, ObjectRef, Predicate
from planner_node.understand.joining import LAMPS, elsewhere, side_by_side
from planner_node.understand.possible_goals import needed
from planner_node.understand.refusing import BREWS, refuse, verb_of
from planner_node.understand.things import Things, Unresolved, relation_of

_FLOOR = ("Floor",)
_APPLIANCES = {
    Deed.HEAT: ("Microwave", "Toaster", "StoveBurner"),
    Deed.COOL: ("Fridge",),
    Deed.CLEAN: ("SinkBasin", "Sink", "Faucet", "BathtubBasin", "Bathtub"),
    Deed.FILL: ("SinkBasin", "Sink", "Faucet"),
    Deed.SLICE: ("CounterTop", "DiningTable"),
}
"""Where things are done; the first one is taken where none is named."""
_CARRIED = frozenset(
    (Deed.CLEAN, Deed.HEAT, Deed.COOL, Deed.HOLD, Deed.BRING, Deed.PUT_DOWN, Deed.THROW, Deed.PLACE, Deed.EXAMINE)
)
_LEFT_SOMEWHERE = (Predicate.CLEAN, Predicate.HOLD, Predicate.BRING)
"""After these it is open where the thing goes: "wash the mug." "And now ON THE TABLE."."""
_CHECKED = frozenset(
    ("open", "closed", "on", "off", "clean", "dirty", "hot", "cold", "sliced", "filled", "empty", "broken")
)
"""States that a condition can be about."""
_STATE = {"full": "filled", "cooked": "hot"}
_WHERE_I_CAN_PUT = "I can put things in, on or next to other things, not"


class Deeds:
    """What each of the goals of one request asks for, in the order of its words."""

    def __init__(self, lexicon: Lexicon, things: Things) -> None:
        self._lexicon = lexicon
        self._things = things

    def goals(self, goal: reading.Goal, asked: Sequence[Goal]) -> list[Goal]:
        """Return the planner's goals for one that was read; `asked`: those of the request before. Raises Unresolved."""
        if goal.do is Deed.BRING and goal.thing is not None and goal.thing.pronoun and goal.thing.other:
            made = [one.destination.categories for one in asked if one.destination is not None]
            if BREWS in made:  # "make me a coffee. Can I have ANOTHER ONE?"
                again = self._same(goal.model_copy(update={"do": Deed.SAME}), asked)
                brought = again[-1].predicate is Predicate.BRING
                return again if brought else [*again, Goal(Predicate.BRING, again[0].object)]
        return self._same(goal, asked) if goal.do is Deed.SAME else self._conditional(goal)

    def _conditional(self, goal: reading.Goal) -> list[Goal]:
        """Return a goal with its condition; none where that can't be so, since nothing known is called so."""
        try:
            condition = self._condition(goal)
        except UnknownNoun as unknown:
            assert goal.condition is not None
            self._things.notes[f"I know of no {unknown.words}, so I take it that there is none."] = None
            if goal.condition.negated:
                return self._plain(goal)
            if goal.to is not None and not goal.to.thing.pronoun:
                self._things.spoken((), relation_of(goal.to.relation) or "", self._things.place(goal.to))
            return []
        except Unresolved:
            reached = self._plain(goal)  # "switch on the lamp if IT isn't on"
            condition = self._condition(goal)
            return [replace(one, condition=condition) for one in reached]
        return [replace(one, condition=condition) for one in self._plain(goal)]

    def _same(self, goal: reading.Goal, asked: Sequence[Goal]) -> list[Goal]:
        """Return what was asked for before, with another thing or another place. Raises Unresolved."""
        if goal.to is not None:
            to = self._things.place(goal.to)
            relation = relation_of(goal.to.relation)
            moved = [one for one in asked if one.destination is not None and one.predicate is Predicate.PLACE]
            if relation is not None and asked and asked[-1].predicate in _LEFT_SOMEWHERE and self._things.themes:
                it = Thing(text="it", pronoun=True)
                return self._place(goal.model_copy(update={"do": Deed.PLACE, "thing": it}))
            if to is not None and to.room and asked and all(one.destination is None for one in asked):
                return [  # "and IN THE LIVING ROOM"
                    replace(one, object=replace(one.object, room=to.room, place=None, id=""))
                    for one in asked
                    if one.object is not None
                ]
            if not moved or relation is None:
                raise Unresolved(f"What shall I put {goal.quote}?", goal.to.thing.text)
            return [replace(one, destination=to, relation=relation) for one in moved]
        if goal.thing is None:
            if not asked:
                raise Unresolved("I know of nothing that I did for you last.")
            return list(asked)
        there = goal.thing.place
        # Not "the vase FROM THE TABLE, too": that says which.
        goes = there is not None and there.relation is not Relation.AT and not there.thing.is_room
        if goes and not goal.thing.pronoun and {one.predicate for one in asked} == {Predicate.PLACE}:
            thing = goal.thing.model_copy(update={"place": None})
            placed = goal.model_copy(update={"do": Deed.PLACE, "thing": thing, "to": there})
            return self._place(placed)  # "the pillow ON THE SOFA, too"
        refs = self._things.refs(goal.thing)
        moved = [one for one in asked if one.destination is not None and one.predicate is Predicate.PLACE]
        another = {"too", "also", "well"}.isdisjoint(goal.quote.lower().split())
        vessels = all(self._can(ref, "hold") and not self._can(ref, "pickup") for ref in refs)
        if another and vessels and moved and moved == [*asked]:
            return [replace(one, destination=refs[0], relation="") for one in moved]  # "no, I meant THE BED"
        self._things.spoken(refs, clause=goal.quote)
        deeds = {(one.predicate, one.destination.entity if one.destination is not None else 0) for one in asked}
        asked = asked[-1:] if len(deeds) == 1 else asked  # "the pen and the pencil in the box. The book, TOO"
        objects = [one.object for one in asked if one.object is not None]
        carried = {ref.entity for ref in objects if self._can(ref, "pickup")}
        meant = carried if len(carried) == 1 else {ref.entity for ref in objects}  # but the machine that makes coffee
        if len(meant) != 1:
            raise Unresolved(f"What shall I do with the {refs[0].noun}?", goal.thing.text)
        return [
            replace(one, object=ref) if one.object is not None and one.object.entity in meant else one
            for ref in refs
            for one in asked
        ]

    def _plain(self, goal: reading.Goal) -> list[Goal]:
        refuse(goal, self._things)
        self._things.quote = goal.quote
        if goal.do is Deed.PLACE:
            return self._place(goal)
        a_room = goal.thing is not None and goal.thing.is_room
        if goal.do is Deed.EXPLORE or (goal.do is Deed.EXAMINE and a_room):
            return self._explore(goal)
        if goal.do is Deed.EXAMINE:
            return self._examine(goal)
        if goal.do is Deed.GO_TO and goal.thing is None:
            return self._go(goal)
        if goal.do is Deed.FILL and goal.using is not None and goal.using.categories == BREWS:
            return self._brew(goal)
        predicate = Predicate(goal.do.value)
        themes = self._themes(goal, "" if goal.do in _CARRIED else needed(predicate))
        lifted = goal.do is Deed.HOLD and speaks_of(goal.verb, Sort.LIFTING)
        fixed = all(self._can(ref, "open") and not self._can(ref, "pickup") for ref in themes)
        if fixed and (lifted or goal.do is Deed.PUT_DOWN):  # "raise the blinds", "put the lid down"
            predicate = Predicate.OPEN if lifted else Predicate.CLOSE
        appliance: ObjectRef | None = None
        if goal.do in _APPLIANCES:
            appliance, themes = self._appliance(goal, themes)
        elif goal.to is not None:
            themes = [self._things.at(ref, goal.to) for ref in themes]
        opened = themes[-1] if themes and predicate is Predicate.OPEN else None
        self._things.spoken(themes, "in" if opened is not None else "", opened, clause=goal.quote)
        return [Goal(predicate, ref, appliance) for ref in themes]

    def _brew(self, goal: reading.Goal) -> list[Goal]:
        """Return what fills something with coffee: the machine does, once it is switched on."""
        refs = self._themes(goal, "fill")
        machine = self._things.refs(Thing(text="coffee machine", categories=BREWS, definite=True))[0]
        self._things.spoken(refs, "in", machine, clause=goal.quote)
        moved = [Goal(Predicate.PLACE, ref, machine, relation="in") for ref in refs]
        return [*moved, Goal(Predicate.SWITCH_ON, machine)]

    def _themes(self, goal: reading.Goal, affordance: str) -> list[ObjectRef]:
        """Return what something is done to; what was spoken of last where nothing is named."""
        if goal.thing is None and not self._things.themes:
            raise Unresolved(f"What shall I {verb_of(goal)}?")
        thing = goal.thing or Thing(text="it", pronoun=True)
        carried = "pickup" if goal.do in _CARRIED and not thing.pronoun else ""
        if means(thing.text, Sort.ANYTHING) and thing.place is None and not (thing.every or thing.attributes):
            if self._things.themes:  # "that thing" is what was spoken of last
                return self._things.refs(Thing(text="it", pronoun=True), affordance)
            raise Unresolved(f"What shall I {goal.verb or 'move'}?", thing.text)
        refs = self._things.refs(thing, affordance or carried)
        if goal.do in _CARRIED and thing.pronoun and not any(self._can(ref, "pickup") for ref in refs):
            portable = self._things.refs(thing, "pickup")  # "look for the mug, check the fridge, and bring IT"
            told = goal.do is Deed.PLACE and {ref.entity for ref in refs} <= self._things.aside
            before = -1 if told else self._things.before  # "she reads on the sofa. Move IT there"
            refs = [ref for ref in portable if self._can(ref, "pickup") and ref.entity > before] or refs
        elif goal.do in _CARRIED and thing.pronoun:  # "what is on the desk?" "Put THEM on the bed"
            refs = [ref for ref in refs if self._can(ref, "pickup")]
        if goal.do in _CARRIED:
            anything = thing.every and means(thing.last_word, Sort.ANYTHING) and thing.place is None
            if anything and not any(r.room for r in refs):
                raise Unresolved(f"Which things shall I {goal.verb or 'move'}? Say where they are.", thing.text)
            refs = [self._portable(ref) for ref in refs]
        return refs

    def _place(self, goal: reading.Goal) -> list[Goal]:
        themes = self._themes(goal, "")
        for ref in themes:
            if not ref.categories:
                raise Unresolved(f"I can't {goal.verb or 'put'} a whole {ref.noun}. Name the things to put away.")
        if goal.together and (goal.to is None or self._things.beside_in(goal.quote) is not None):
            self._things.spoken(themes, clause=goal.quote)
            return side_by_side(themes, self._things.lined_up(goal.quote, themes))
        if goal.to is None:
            self._things.spoken(themes)
            return [Goal(Predicate.PLACE, ref, relation=BACK if goal.back else "") for ref in themes]
        to = goal.to
        if to.thing.place is not None and to.thing.pronoun and means(to.thing.text, Sort.PLACE):
            to = to.thing.place  # "HERE on the sofa"
        relation, where = to.relation, to.thing
        if means(where.last_word, Sort.ANYTHING) and not (where.place or where.attributes or where.pronoun):
            raise Unresolved(f"What do you mean by {where.text!r}?", where.text)
        holding = "" if relation in (Relation.NEAR, Relation.UNDER) else "hold"
        place = self._things.place(to, holding, themes)
        assert place is not None
        stands = place.entity in {ref.entity for group in self._things.themes for ref in group}
        if place.categories and not stands and set(place.categories) <= {*self._lamps(), "LightSwitch"}:
            self._things.spoken(themes, "near", place)
            return [Goal(Predicate.EXAMINE, ref, self._lamp(place)) for ref in themes]
        if relation is Relation.UNDER:
            below = tuple(dict.fromkeys(self._lexicon.below[c] for c in place.categories if c in self._lexicon.below))
            if below:
                place = replace(place, noun=f"place under the {place.noun}", categories=below, loosely=())
                relation = Relation.AT
        if place.near is not None and place.categories == _FLOOR:
            place, relation = place.near, Relation.NEAR  # "on the floor NEXT TO THE BED"
        named = relation_of(relation)
        if where.pronoun and means(where.text, Sort.PLACE) and self._things.there is not None:
            named = {"to": ""}.get(self._things.there[0], self._things.there[0])
        if named is None:
            raise Unresolved(f"{_WHERE_I_CAN_PUT} {relation.value.replace('_', ' ')} them.", where.text)
        holds = bool(place.room) or self._lexicon.any_can(place.categories, "hold")
        if named != "near" and not (holds and place.entity not in {ref.entity for ref in themes}):
            raise Unresolved(f"Nothing can be put {named or 'at'} the {place.noun}.")
        there = place.entity
        themes = [replace(ref, place=None) if ref.place and ref.place.entity == there else ref for ref in themes]
        place = elsewhere(place, themes)
        among = [ref.count == ALL and bool({*ref.categories} & {*place.categories}) for ref in themes]
        themes = [replace(ref, but=(*ref.but, place)) if one else ref for ref, one in zip(themes, among, strict=True)]
        self._things.spoken(themes, named, place, goal.quote)
        if goal.together:
            beside = side_by_side(themes, self._things.lined_up(goal.quote, themes))
            return [Goal(Predicate.PLACE, themes[0], place, named), *beside]
        return [Goal(Predicate.PLACE, ref, place, named) for ref in themes]

    def _explore(self, goal: reading.Goal) -> list[Goal]:
        place = self._things.place(goal.to)
        if place is None and goal.thing is not None:
            place = self._things.refs(goal.thing)[-1]
        self._things.spoken([place] if place is not None else [])
        if place is None:
            return [Goal(Predicate.EXPLORE)]
        kinds = [c for c in place.categories if self._lexicon.can(c, "open") and self._lexicon.can(c, "hold")]
        within = goal.to is not None and goal.to.relation is Relation.IN
        opens = within and any(not self._lexicon.can(c, "pickup") for c in kinds)
        return [Goal(Predicate.EXAMINE, place, relation="in") if opens else Goal(Predicate.GO_TO, place)]

    def _examine(self, goal: reading.Goal) -> list[Goal]:
        themes = self._themes(goal, "")
        place = self._things.place(goal.to)
        lamp = place if place is not None and set(place.categories) & {*self._lamps(), "LightSwitch"} else None
        if lamp is None and goal.to is not None:
            themes = [self._things.at(ref, goal.to) for ref in themes]
        self._things.spoken(themes, "near", lamp)
        return [Goal(Predicate.EXAMINE, ref, self._lamp(lamp) if lamp is not None else None) for ref in themes]

    def _go(self, goal: reading.Goal) -> list[Goal]:
        place = self._things.place(goal.to)
        if place is None and goal.person:
            raise Unresolved("I don't know where you are. Name a room or a thing to go to.")
        if place is None:
            raise Unresolved("Where shall I go?")
        self._things.spoken([place])
        return [Goal(Predicate.GO_TO, place)]

    def _appliance(self, goal: reading.Goal, themes: list[ObjectRef]) -> tuple[ObjectRef | None, list[ObjectRef]]:
        """Return where it is to be done, None for the usual place, and the things as they are to be found."""
        place = self._things.place(goal.to)
        if place is None or goal.to is None:
            return None, themes
        own = _APPLIANCES[goal.do]
        if set(place.categories) & set(own):
            usual = own[0] in place.categories and not place.room
            return (None if usual else place), themes
        if goal.do in (Deed.HEAT, Deed.COOL) and not means(goal.verb, Sort.OF_APPLIANCE):
            return place, themes  # the check says what is wrong with it
        return None, [self._things.at(ref, goal.to) for ref in themes]

    def _condition(self, goal: reading.Goal) -> Condition | None:
        condition = goal.condition
        if condition is None:
            return None
        state = _STATE.get(condition.state, condition.state)
        if state and state not in _CHECKED:
            raise Unresolved(
                f"I can't tell whether something is {condition.state}. I can check whether something is there, open, "
                "closed, on, off, clean, dirty, hot, cold, sliced or filled."
            )
        needs = {"on": "toggle", "off": "toggle", "open": "open", "closed": "open"}.get(state, "")
        thing = condition.thing
        if thing.pronoun and goal.thing is not None and not goal.thing.pronoun and needs:
            own = self._things.refs(goal.thing)
            thing = goal.thing if self._can(own[-1], needs) else thing  # "turn the lamp off if IT is on"
        refs = self._things.conditions.get(thing) or self._things.refs(thing, needs)
        if condition.thing.place is not None:
            self._things.conditions[condition.thing] = refs
        self._things.spoken(refs[-1:])
        meant = self._things.at(refs[-1], thing.place) if thing.pronoun else refs[-1]  # "if it is IN THE SINK"
        return Condition(meant, state, condition.negated)

    def _can(self, ref: ObjectRef, affordance: str) -> bool:
        return self._lexicon.any_can(ref.categories, affordance)

    def _portable(self, ref: ObjectRef) -> ObjectRef:
        """Return a reference without the meanings that can't be carried, unless none can."""
        fitting = tuple(c for c in ref.categories if self._lexicon.can(c, "pickup"))
        return replace(ref, categories=fitting) if fitting else ref

    def _lamps(self) -> tuple[str, ...]:
        return tuple(c for c in self._lexicon.kinds if "lamp" in self._lexicon.kind(c).classes) or LAMPS

    def _lamp(self, ref: ObjectRef) -> ObjectRef:
        """Return a reference with lamps only: an object is examined by a lamp, not by the room's light switch."""
        lamps = tuple(c for c in ref.categories if c in self._lamps())
        return replace(ref, categories=lamps) if lamps else ref
