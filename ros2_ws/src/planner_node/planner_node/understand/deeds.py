# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A request as it was read to the goals of the planner; what can't be honoured is said before anything moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from karma_language import reading
from karma_language.dialogue.utterances import particles
from karma_language.phrases.resolver import Resolver, UnclearNoun, UnknownNoun
from karma_language.reading import Deed, Reading, Request
from karma_language.things import Relation, Thing
from karma_language.vocabulary.descriptions import described
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.word_meanings import Sort, means, speaks_of, tells_manner
from planner_node.skills import Code
from planner_node.understand.aid import NO_AID, Aid
from planner_node.understand.goals import (
    ALL,
    BACK,
    Condition,
    Goal,
    NotUnderstood,
    ObjectRef,
    Predicate,
    Statement,
    Understanding,
    Understood,
    complete,
)
from planner_node.understand.joining import LAMPS, about_room, elsewhere, in_particular, joined, side_by_side
from planner_node.understand.looks import with_looks
from planner_node.understand.things import Things, Unresolved, relation_of

WHAT_I_KNOW = (
    "I understand requests to put, bring, get, wash, heat, cool, slice, open, close, switch on or off, fill, break, "
    "throw away, look at and find things; for instance: wash the apple and put it in the bowl."
)
_BIN = "GarbageCan"
_FLOOR = ("Floor",)
_APPLIANCES = {
    Deed.HEAT: ("Microwave", "Toaster", "StoveBurner"),
    Deed.COOL: ("Fridge",),
    Deed.CLEAN: ("SinkBasin", "Sink", "Faucet", "BathtubBasin", "Bathtub"),
    Deed.FILL: ("SinkBasin", "Sink", "Faucet"),
    Deed.SLICE: ("CounterTop", "DiningTable"),
}
"""Where things are done; the first one is taken where none is named."""
_PLAIN = {
    Deed.CLEAN: (Predicate.CLEAN, ""),
    Deed.HEAT: (Predicate.HEAT, ""),
    Deed.COOL: (Predicate.COOL, ""),
    Deed.SLICE: (Predicate.SLICE, "slice"),
    Deed.BREAK: (Predicate.BREAK, "break"),
    Deed.OPEN: (Predicate.OPEN, "open"),
    Deed.CLOSE: (Predicate.CLOSE, "open"),
    Deed.FILL: (Predicate.FILL, "fill"),
    Deed.SWITCH_ON: (Predicate.SWITCH_ON, "toggle"),
    Deed.SWITCH_OFF: (Predicate.SWITCH_OFF, "toggle"),
    Deed.HOLD: (Predicate.HOLD, ""),
    Deed.BRING: (Predicate.BRING, ""),
    Deed.FIND: (Predicate.FIND, ""),
    Deed.PUT_DOWN: (Predicate.PUT_DOWN, ""),
    Deed.THROW: (Predicate.THROW, ""),
    Deed.GO_TO: (Predicate.GO_TO, ""),
    Deed.EXAMINE: (Predicate.EXAMINE, ""),
}
"""Deeds that are one goal → that, and what the thing must be good for."""
_CARRIED = frozenset(
    (Deed.CLEAN, Deed.HEAT, Deed.COOL, Deed.HOLD, Deed.BRING, Deed.PUT_DOWN, Deed.THROW, Deed.PLACE, Deed.EXAMINE)
)
_CHECKED = frozenset(
    ("open", "closed", "on", "off", "clean", "dirty", "hot", "cold", "sliced", "filled", "empty", "broken")
)
"""States that a condition can be about."""
_MOST_CHOICES = 3
_STATE = {"full": "filled", "cooked": "hot"}
_WHERE_I_CAN_PUT = "I can put things in, on or next to other things, not"
_DONE_WITH = frozenset((Predicate.HEAT, Predicate.COOL, Predicate.SWITCH_ON))
"""Goals that use an appliance: their object, or where they are reached."""
_HARMS = frozenset((Predicate.BREAK, Predicate.SLICE, Predicate.FILL))
_ON_AND_OFF = frozenset((Deed.SWITCH_ON, Deed.SWITCH_OFF, Deed.OPEN, Deed.CLOSE))


_BREWS = ("CoffeeMachine",)
"""What coffee comes from."""


class Requests:
    """Turns requests into goals over a vocabulary."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.resolver = Resolver(lexicon, described(lexicon))
        self._lexicon = lexicon

    def understood(
        self, read: Reading, text: str, spoken_of: Sequence[ObjectRef] = (), aid: Aid = NO_AID
    ) -> Understanding:
        """Return what is to be done for a reading of `text`. Never raises.

        `spoken_of`: what the request before was about; of `aid` what it asked for counts, and where it put things.
        """
        asked = [item for item in read.items if isinstance(item, Request)]
        about = [thing for item in read.items if isinstance(item, reading.Told) for thing in item.about]
        questions = [item for item in read.items if isinstance(item, reading.Question)]
        needs = [item for item in read.items if isinstance(item, reading.Need)]
        if not asked and needs and needs[0].offers:
            return self._offered(needs[0])
        if not asked:
            if any(item.act in ("told", "social") for item in read.items):
                return Statement(text.strip())
            lost = ", ".join(repr(words) for words in read.unread)
            return NotUnderstood(Code.NOT_UNDERSTOOD, f"I did not understand: {lost}." if lost else WHAT_I_KNOW)
        stated = [item.quote for item in read.items if isinstance(item, reading.Told)]
        if (
            all(item.never and any(item.goals[0].quote in quote for quote in stated) for item in asked)
            and not questions
        ):
            return Statement(text.strip())  # forbidden for good
        if read.unread:
            heard = "; ".join(goal.quote.strip() for item in asked for goal in item.goals)
            lost = ", ".join(repr(words) for words in read.unread)
            message = f"I understood: {heard}. I did not understand: {lost}. Nothing was done."
            return NotUnderstood(Code.NOT_UNDERSTOOD, message, phrase=read.unread[0])
        if all(item.never for item in asked):
            return NotUnderstood(Code.NOT_UNDERSTOOD, "I won't. For now, that is: I don't keep it in mind.")
        wanted = [goal for item in asked if not item.never for goal in item.goals]
        begin = min((text.find(goal.quote) for goal in wanted), default=0)  # "it" is nothing that is named only later
        never = [goal for item in asked if item.never for goal in item.goals]
        about += [goal.thing for goal in never if goal.thing is not None and text.find(goal.quote) < begin]
        for item in questions:
            thing = item.thing or (item.place.thing if item.place is not None else None)
            about += [thing] if thing is not None and text.find(item.quote) < begin else []
        particular = in_particular(wanted, text)
        said = self.goals(particular, spoken_of, aid, about)
        if isinstance(said, Understood) and len(particular) < len(wanted):
            note = f"For “{wanted[0].quote.strip()}” I do what you name, and nothing else."
            said = replace(said, goals=about_room(said.goals, self._room_of(wanted[0])), notes=(note, *said.notes))
        if isinstance(said, Understood) and stated:
            said = replace(said, goals=with_looks(said.goals, stated))
        if isinstance(said, Understood) and read.spelled:
            took = (f"I took {typed!r} for {meant!r}." for typed, meant in read.spelled)
            said = replace(said, notes=(*took, *said.notes))
        return said

    def _room_of(self, goal: reading.Goal) -> str:
        """Return the room that a goal speaks of, "" for none."""
        thing = goal.thing
        places = (thing.place if thing is not None else None, goal.to)
        named = (thing, *(place.thing for place in places if place is not None))
        refs = (self.reference(one) for one in named if one is not None)
        return next((ref.room for ref in refs if ref is not None and ref.room), "")

    def forbids(self, never: reading.Goal, goals: Sequence[Goal]) -> bool:
        """Whether what is not to be done is one of some goals."""
        return any(_same_deed(never, goal) and self._same_thing(never, goal) for goal in goals)

    def needs(self, appliance: Thing, goals: Sequence[Goal]) -> bool:
        """Whether one of some goals uses an appliance."""
        uses = reading.Goal(quote="", do=Deed.SWITCH_ON, thing=appliance)
        return any(goal.predicate in _DONE_WITH and self._same_thing(uses, goal) for goal in goals)

    def _same_thing(self, forbidden: reading.Goal, goal: Goal) -> bool:
        """Whether a goal is about what is forbidden, or uses it, and takes it where that is forbidden."""
        thing, place = forbidden.thing, forbidden.to.thing if forbidden.to is not None else None
        if place is not None and forbidden.do is Deed.PLACE and not self._means(place, goal.destination):
            return False
        if place is not None and (thing is None or means(thing.last_word, Sort.ANYTHING)):
            return self._means(place, goal.destination) or (thing is None and self._means(place, goal.object))
        used = goal.destination if goal.predicate in _DONE_WITH else None
        return self._means(thing, goal.object) or self._means(thing, used)

    def _means(self, thing: Thing | None, meant: ObjectRef | None) -> bool:
        """Whether what is meant may be a thing, or a room."""
        ref = self.reference(thing) if thing is not None and meant is not None else None
        if ref is None or meant is None:
            return False
        room = self._lexicon.room(ref.room)
        there = bool(room) and not ref.categories and room == self._lexicon.room(meant.room)
        return there or bool({*ref.categories} & {*meant.categories})

    def _offered(self, need: reading.Need) -> NotUnderstood:
        """Return what to ask somebody who lacks something."""
        words = [
            f"{(offer.verb or offer.do.value).replace('_', ' ')} "
            f"{'the' if offer.thing.categories else 'you'} {offer.thing.text}"
            for offer in need.offers
            if offer.thing
        ]
        return NotUnderstood(Code.AMBIGUOUS, f"Shall I {' or '.join(words)}?", (*words, "nothing"))

    def goals(
        self,
        wanted: Sequence[reading.Goal],
        spoken_of: Sequence[ObjectRef] = (),
        aid: Aid = NO_AID,
        about: Sequence[Thing] = (),
    ) -> Understanding:
        """Return the goals of the planner for those of a request, or what is wrong with them.

        `about`: what is told beside it, or forbidden, which "it" may mean.
        """
        things = Things(self.resolver)
        things.begin(spoken_of, aid.places)
        for thing in about:
            things.mention(thing)
        things.together(len(about))
        found: list[Goal] = []
        try:
            for goal in wanted:
                if goal.do is Deed.SAME:
                    found += self._same(goal, aid.asked, things)
                elif (reached := self._conditional(goal, things)) is not None:
                    found += reached
        except UnknownNoun as unknown:
            meant = self._lexicon.misspelt(unknown.words)
            hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
            message = f"I don't know of any {unknown.words} here.{hint}"
            return NotUnderstood(Code.NOT_FOUND, message, phrase=unknown.words)
        except UnclearNoun as unclear:
            choices = ", ".join(unclear.choices)
            message = f"I am not sure what {unclear.words!r} is. Do you mean: {choices}?"
            return NotUnderstood(Code.AMBIGUOUS, message, unclear.choices, phrase=unclear.words)
        except Unresolved as unresolved:
            code = Code.AMBIGUOUS if str(unresolved).endswith("?") else Code.NOT_UNDERSTOOD
            return NotUnderstood(code, str(unresolved), unresolved.choices, phrase=unresolved.phrase)
        if not found:
            return NotUnderstood(Code.NOT_UNDERSTOOD, WHAT_I_KNOW)
        whole = joined(found)
        said = complete(whole, (*things.notes, *self._taken_for(whole)))
        return replace(said, choices=self._places_for(said.goals)) if isinstance(said, NotUnderstood) else said

    def reference(self, thing: Thing) -> ObjectRef | None:
        """Return what a thing on its own is, None where that is nothing known."""
        try:
            return Things(self.resolver).refs(thing)[0]
        except (UnknownNoun, UnclearNoun, Unresolved):
            return None

    def _conditional(self, goal: reading.Goal, things: Things) -> list[Goal] | None:
        """Return a goal with its condition; None where that can't be so, since nothing known is called so."""
        try:
            condition = self._condition(goal, things)
        except UnknownNoun as unknown:
            assert goal.condition is not None
            things.notes[f"I know of no {unknown.words}, so I take it that there is none."] = None
            if goal.condition.negated:
                return self._goal(goal, things)
            if goal.to is not None and not goal.to.thing.pronoun:
                things.spoken((), relation_of(goal.to.relation) or "", things.place(goal.to))
            return None
        except Unresolved:
            reached = self._goal(goal, things)  # "switch on the lamp if IT isn't on"
            condition = self._condition(goal, things)
            return [replace(one, condition=condition) for one in reached]
        return [replace(one, condition=condition) for one in self._goal(goal, things)]

    def _same(self, goal: reading.Goal, asked: Sequence[Goal], things: Things) -> list[Goal]:
        """Return what was asked for before, with another thing or another place. Raises Unresolved."""
        if goal.to is not None:
            to = things.place(goal.to)
            relation = relation_of(goal.to.relation)
            moved = [one for one in asked if one.destination is not None and one.predicate is Predicate.PLACE]
            if not moved or relation is None:
                raise Unresolved(f"What shall I put {goal.quote}?", goal.to.thing.text)
            return [replace(one, destination=to, relation=relation) for one in moved]
        if goal.thing is None:
            if not asked:
                raise Unresolved("I know of nothing that I did for you last.")
            return list(asked)
        there = goal.thing.place
        if there is not None and not goal.thing.pronoun and {one.predicate for one in asked} == {Predicate.PLACE}:
            thing = goal.thing.model_copy(update={"place": None})
            placed = goal.model_copy(update={"do": Deed.PLACE, "thing": thing, "to": there})
            return self._place(placed, things)  # "the pillow ON THE SOFA, too"
        refs = things.refs(goal.thing)
        things.spoken(refs, clause=goal.quote)
        deeds = {(one.predicate, one.destination.entity if one.destination is not None else 0) for one in asked}
        asked = asked[-1:] if len(deeds) == 1 else asked  # "the pen and the pencil in the box. The book, TOO"
        if not asked or len({one.object.entity for one in asked if one.object is not None}) != 1:
            raise Unresolved(f"What shall I do with the {refs[0].noun}?", goal.thing.text)
        return [replace(one, object=ref) if one.object is not None else one for ref in refs for one in asked]

    def _goal(self, goal: reading.Goal, things: Things) -> list[Goal]:
        self._refuse(goal, things)
        things.quote = goal.quote
        if goal.do is Deed.PLACE:
            return self._place(goal, things)
        a_room = goal.thing is not None and bool(goal.thing.room) and not goal.thing.categories
        if goal.do is Deed.EXPLORE or (goal.do is Deed.EXAMINE and a_room):
            return self._explore(goal, things)
        if goal.do is Deed.EXAMINE:
            return self._examine(goal, things)
        if goal.do is Deed.GO_TO and goal.thing is None:
            return self._go(goal, things)
        if goal.do is Deed.FILL and goal.using is not None and goal.using.categories == _BREWS:
            return self._brew(goal, things)
        predicate, affordance = _PLAIN[goal.do]
        themes = self._themes(goal, things, affordance)
        lifted = goal.do is Deed.HOLD and speaks_of(goal.verb, Sort.LIFTING)
        fixed = all(self._can(ref, "open") and not self._can(ref, "pickup") for ref in themes)
        if fixed and (lifted or goal.do is Deed.PUT_DOWN):  # "raise the blinds", "put the lid down"
            predicate = Predicate.OPEN if lifted else Predicate.CLOSE
        appliance: ObjectRef | None = None
        if goal.do in _APPLIANCES:
            appliance, themes = self._appliance(goal, themes, things)
        elif goal.to is not None:
            themes = [things.at(ref, goal.to) for ref in themes]
        things.spoken(themes, clause=goal.quote)
        return [Goal(predicate, ref, appliance) for ref in themes]

    def _brew(self, goal: reading.Goal, things: Things) -> list[Goal]:
        """Return what fills something with coffee: the machine does, once it is switched on."""
        refs = self._themes(goal, things, "fill")
        machine = things.refs(Thing(text="coffee machine", categories=_BREWS, definite=True))[0]
        things.spoken(refs, "in", machine, clause=goal.quote)
        moved = [Goal(Predicate.PLACE, ref, machine, relation="in") for ref in refs]
        return [*moved, Goal(Predicate.SWITCH_ON, machine)]

    def _refuse(self, goal: reading.Goal, things: Things) -> None:
        """Say what of a goal can't be honoured. Raises Unresolved where doing the rest would be something else."""
        said = goal.verb or goal.do.value.replace("_", " ")
        if goal.choice:
            *first, last = goal.choice
            words = f"{' '.join(first)} or {last}"
            raise Unresolved(f"Which do you mean: {' or '.join(goal.choice)}?", words, goal.choice)
        if goal.do is Deed.OTHER and (ways := particles(said)) is not None:
            raise Unresolved(f"Shall I {said} it {' or '.join(ways)}?", "", ways)
        if goal.do is Deed.OTHER:
            raise Unresolved(f"I can't {said}{'' if goal.thing is None else ' things'}. {WHAT_I_KNOW}")
        if goal.do is Deed.WAIT:
            raise Unresolved("I can't wait: I do everything at once. Say it again when it is time.")
        if goal.do is Deed.EMPTY:
            raise Unresolved(f"I can't {said} things: I can fill things with water, and not empty them.")
        if goal.at is not None:
            raise Unresolved(f"I can't do things later ({goal.at.text!r}). Say it again when it is time.")
        if goal.person and goal.person != "me":
            raise Unresolved(f"I don't know where {goal.person} is. I can bring things to you.")
        if goal.seconds is not None and goal.do in _ON_AND_OFF:
            raise Unresolved(f"I can't {said} things for some time only.")
        if goal.seconds is not None:
            things.notes["I can't measure how long that takes."] = None
        for words in goal.manners:
            if not tells_manner(words):
                raise Unresolved(f"I can't heed {words!r}. Say it without, and I will do the rest.", words)
            things.notes[f"I can't do it {words} or otherwise: I do it as I always do."] = None
        if goal.using is not None:
            self._tool(goal, said, things)

    def _tool(self, goal: reading.Goal, said: str, things: Things) -> None:
        assert goal.using is not None
        using = goal.using
        if goal.do is Deed.FILL:
            if not speaks_of(using.text, Sort.WATER) and using.categories != _BREWS:
                raise Unresolved(f"I can only fill things with water or coffee, not with {using.text}.")
            return
        if speaks_of(using.text, Sort.HAND):
            return
        refs = things.refs(using)
        if goal.do is Deed.SLICE and set(self._lexicon.slicers) & set(refs[0].categories):
            return
        if goal.do is Deed.CLEAN:
            things.notes[f"I wash things under the tap, without {using.text}."] = None
            return
        raise Unresolved(f"I can't {said} things with {using.text}.")

    def _themes(self, goal: reading.Goal, things: Things, affordance: str) -> list[ObjectRef]:
        """Return what something is done to; what was spoken of last where nothing is named."""
        if goal.thing is None and not things.themes:
            raise Unresolved(f"What shall I {goal.verb or goal.do.value.replace('_', ' ')}?")
        thing = goal.thing or Thing(text="it", pronoun=True)
        carried = "pickup" if goal.do in _CARRIED and not thing.pronoun else ""
        if means(thing.text, Sort.ANYTHING) and thing.place is None and not (thing.every or thing.attributes):
            if things.themes:  # "that thing" is what was spoken of last
                return things.refs(Thing(text="it", pronoun=True), affordance)
            raise Unresolved(f"What shall I {goal.verb or 'move'}?", thing.text)
        refs = things.refs(thing, affordance or carried)
        if goal.do in _CARRIED and thing.pronoun and not any(self._can(ref, "pickup") for ref in refs):
            portable = things.refs(thing, "pickup")  # "look for the mug, check the fridge, and bring IT"
            now = [ref for ref in portable if self._can(ref, "pickup") and ref.entity > things.before]
            refs = now or refs
        if goal.do in _CARRIED:
            anything = thing.every and means(thing.last_word, Sort.ANYTHING) and thing.place is None
            if anything and not any(r.room for r in refs):
                raise Unresolved(f"Which things shall I {goal.verb or 'move'}? Say where they are.", thing.text)
            refs = [self._portable(ref) for ref in refs]
        return refs

    def _place(self, goal: reading.Goal, things: Things) -> list[Goal]:
        themes = self._themes(goal, things, "")
        for ref in themes:
            if not ref.categories:
                raise Unresolved(f"I can't {goal.verb or 'put'} a whole {ref.noun}. Name the things to put away.")
        hung = themes if goal.to is None and speaks_of(goal.verb, Sort.HANGING) else []
        hangers = [self._hanger(ref) for ref in hung]
        if hangers and all(hangers):
            things.spoken(themes, clause=goal.quote)
            return [Goal(Predicate.PLACE, ref, hanger, "on") for ref, hanger in zip(themes, hangers, strict=True)]
        if goal.together and (goal.to is None or things.beside_in(goal.quote) is not None):
            things.spoken(themes, clause=goal.quote)
            return side_by_side(themes, things.lined_up(goal.quote, themes))
        if goal.to is None:
            things.spoken(themes)
            return [Goal(Predicate.PLACE, ref, relation=BACK if goal.back else "") for ref in themes]
        to = goal.to
        if to.thing.place is not None and to.thing.pronoun and means(to.thing.text, Sort.PLACE):
            to = to.thing.place  # "HERE on the sofa"
        relation, where = to.relation, to.thing
        if means(where.last_word, Sort.ANYTHING) and not (where.place or where.attributes or where.pronoun):
            raise Unresolved(f"What do you mean by {where.text!r}?", where.text)
        holding = "" if relation in (Relation.NEAR, Relation.UNDER) else "hold"
        place = things.place(to, holding, themes)
        assert place is not None
        stands = place.entity in {ref.entity for group in things.themes for ref in group}
        if place.categories and not stands and set(place.categories) <= {*self._lamps(), "LightSwitch"}:
            things.spoken(themes, "near", place)
            return [Goal(Predicate.EXAMINE, ref, self._lamp(place)) for ref in themes]
        if relation is Relation.UNDER:
            below = tuple(dict.fromkeys(self._lexicon.below[c] for c in place.categories if c in self._lexicon.below))
            if below:
                place = replace(place, noun=f"place under the {place.noun}", categories=below, loosely=())
                relation = Relation.AT
        if place.near is not None and place.categories == _FLOOR:
            place, relation = place.near, Relation.NEAR  # "on the floor NEXT TO THE BED"
        named = relation_of(relation)
        if where.pronoun and means(where.text, Sort.PLACE) and things.there is not None:
            named = {"to": ""}.get(things.there[0], things.there[0])
        if named is None:
            raise Unresolved(f"{_WHERE_I_CAN_PUT} {relation.value.replace('_', ' ')} them.", where.text)
        holds = bool(place.room) or any(self._lexicon.can(c, "hold") for c in place.categories)
        if named != "near" and not (holds and place.entity not in {ref.entity for ref in themes}):
            raise Unresolved(f"Nothing can be put {named or 'at'} the {place.noun}.")
        there = place.entity
        themes = [replace(ref, place=None) if ref.place and ref.place.entity == there else ref for ref in themes]
        place = elsewhere(place, themes)
        among = [ref.count == ALL and bool({*ref.categories} & {*place.categories}) for ref in themes]
        themes = [replace(ref, but=(*ref.but, place)) if one else ref for ref, one in zip(themes, among, strict=True)]
        things.spoken(themes, named, place, goal.quote)
        if goal.together:
            beside = side_by_side(themes, things.lined_up(goal.quote, themes))
            return [Goal(Predicate.PLACE, themes[0], place, named), *beside]
        return [Goal(Predicate.PLACE, ref, place, named) for ref in themes]

    def _explore(self, goal: reading.Goal, things: Things) -> list[Goal]:
        place = things.place(goal.to)
        if place is None and goal.thing is not None:
            place = things.refs(goal.thing)[-1]
        things.spoken([place] if place is not None else [])
        if place is None:
            return [Goal(Predicate.EXPLORE)]
        lexicon = self.resolver.lexicon
        kinds = [c for c in place.categories if lexicon.can(c, "open") and lexicon.can(c, "hold")]
        within = goal.to is not None and goal.to.relation is Relation.IN
        opens = within and any(not lexicon.can(c, "pickup") for c in kinds)
        return [Goal(Predicate.EXAMINE, place, relation="in") if opens else Goal(Predicate.GO_TO, place)]

    def _examine(self, goal: reading.Goal, things: Things) -> list[Goal]:
        themes = self._themes(goal, things, "")
        place = things.place(goal.to)
        lamp = place if place is not None and set(place.categories) & {*self._lamps(), "LightSwitch"} else None
        if lamp is None and goal.to is not None:
            themes = [things.at(ref, goal.to) for ref in themes]
        things.spoken(themes, "near", lamp)
        return [Goal(Predicate.EXAMINE, ref, self._lamp(lamp) if lamp is not None else None) for ref in themes]

    def _go(self, goal: reading.Goal, things: Things) -> list[Goal]:
        place = things.place(goal.to)
        if place is None and goal.person:
            raise Unresolved("I don't know where you are. Name a room or a thing to go to.")
        if place is None:
            raise Unresolved("Where shall I go?")
        things.spoken([place])
        return [Goal(Predicate.GO_TO, place)]

    def _appliance(
        self, goal: reading.Goal, themes: list[ObjectRef], things: Things
    ) -> tuple[ObjectRef | None, list[ObjectRef]]:
        """Return where it is to be done, None for the usual place, and the things as they are to be found."""
        place = things.place(goal.to)
        if place is None or goal.to is None:
            return None, themes
        own = _APPLIANCES[goal.do]
        if set(place.categories) & set(own):
            usual = own[0] in place.categories and not place.room
            return (None if usual else place), themes
        if goal.do in (Deed.HEAT, Deed.COOL) and not means(goal.verb, Sort.OF_APPLIANCE):
            return place, themes  # the check says what is wrong with it
        return None, [things.at(ref, goal.to) for ref in themes]

    def _condition(self, goal: reading.Goal, things: Things) -> Condition | None:
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
            own = things.refs(goal.thing)
            thing = goal.thing if self._can(own[-1], needs) else thing  # "turn the lamp off if IT is on"
        refs = things.conditions.get(thing) or things.refs(thing, needs)
        if condition.thing.place is not None:
            things.conditions[condition.thing] = refs
        things.spoken(refs[-1:])
        return Condition(refs[-1], state, condition.negated)

    def _places_for(self, goals: Sequence[Goal]) -> tuple[str, ...]:
        """Return where things usually are that it isn't said where to put."""
        homeless = (goal.object for goal in goals if goal.predicate is Predicate.PLACE and goal.destination is None)
        kinds = (self._lexicon.kind(ref.categories[0]) for ref in homeless if ref is not None and ref.categories)
        places = [place for kind in kinds for place in kind.places]
        return tuple(f"on the {self._lexicon.kind(place).noun}" for place in dict.fromkeys(places))[:_MOST_CHOICES]

    def _taken_for(self, goals: Sequence[Goal]) -> list[str]:
        """Return what descriptions were taken for, in sentences."""
        refs = [ref for goal in goals for ref in (goal.object, goal.destination) if ref and ref.margin < 1.0]
        names = {ref.noun: self._lexicon.kind(ref.categories[0]).noun for ref in refs if ref.categories}
        return [f"I took {noun!r} for the {name}." for noun, name in names.items() if name not in noun]

    def _hanger(self, ref: ObjectRef) -> ObjectRef | None:
        """Return what a thing is hung on, None where nothing is made for it."""
        usual = [place for category in ref.categories for place in self._lexicon.kind(category).places]
        made = [place for place in usual if place.endswith(("Holder", "Hanger"))]
        return ObjectRef(tuple(made), self._lexicon.kind(made[0]).noun, entity=1000 + ref.entity) if made else None

    def _can(self, ref: ObjectRef, affordance: str) -> bool:
        return any(self._lexicon.can(category, affordance) for category in ref.categories)

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


def _same_deed(forbidden: reading.Goal, goal: Goal) -> bool:
    """Whether a goal does what is forbidden: who may not move a thing may not take it, either."""
    if forbidden.do is Deed.BRING and not speaks_of(forbidden.verb, Sort.FETCHING):
        return False  # "don't GIVE it to anyone" does not forbid its owner to have it
    handles = forbidden.do is Deed.OTHER and speaks_of(forbidden.verb, Sort.HANDLING)
    at_all = handles or forbidden.do is Deed.GO_TO
    named = forbidden.thing is not None and not forbidden.thing.pronoun
    moves = at_all or forbidden.do in (Deed.PLACE, Deed.HOLD, Deed.BRING) or (forbidden.do is Deed.OTHER and named)
    carried = goal.predicate in (Predicate.PLACE, Predicate.HOLD, Predicate.BRING, Predicate.CLEAN, Predicate.THROW)
    return (
        (moves and carried)
        or (at_all and goal.predicate in (*_DONE_WITH, *_HARMS))
        or _PLAIN.get(forbidden.do, (None, ""))[0] is goal.predicate
    )
