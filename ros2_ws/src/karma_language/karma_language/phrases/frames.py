# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Verb frames: what each sense of a verb asks for, given the parts of its clause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from karma_language.phrases.clause_parts import CAUSES, PUT, Clause, Place
from karma_language.phrases.nouns import Phrase
from karma_language.reading import Deed, Goal
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.verbs import is_known, verb_at
from karma_language.vocabulary.word_meanings import Sort, means
from karma_language.vocabulary.words import LIQUIDS, PEOPLE, PORTIONS

_MUG = Thing(text="mug", categories=("Mug",), loosely=("Cup",))
_IT = Thing(text="it", pronoun=True)
_BIN = Where(relation=Relation.IN, thing=Thing(text="garbage can", categories=("GarbageCan",)))
_TOASTER = Where(relation=Relation.IN, thing=Thing(text="toaster", categories=("Toaster",)))
_LANDMARKS = frozenset(
    (
        *(Relation.NEAR, Relation.LEFT_OF, Relation.RIGHT_OF, Relation.BEHIND, Relation.IN_FRONT_OF),
        *(Relation.UNDER, Relation.ABOVE, Relation.BETWEEN),
    )
)
"""Relations that tell a place from its like, behind another place."""
_STAYS = frozenset(("leave", "keep"))
_WET = frozenset(("Sink", "SinkBasin", "Bathtub", "BathtubBasin", "Faucet", "ShowerHead"))
_APPLIANCES = {Deed.HEAT: "Microwave", Deed.COOL: "Fridge"}
_LAMPS = frozenset(("DeskLamp", "FloorLamp"))


class Frames:
    """Turns clauses into goals."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._senses: dict[str, Callable[[Clause], list[Goal]]] = {
            "put": self._put,
            "return": self._put,
            "tidy": self._tidy,
            "bring": self._bring,
            "give": self._bring,
            "take": self._take,
            "get": self._get,
            "clean": self._plain(Deed.CLEAN),
            "heat": self._plain(Deed.HEAT),
            "toast": self._toast,
            "cool": self._plain(Deed.COOL),
            "slice": self._plain(Deed.SLICE),
            "break": self._break,
            "open": self._open,
            "close": self._close,
            "switch": self._switch,
            "start": self._start,
            "stop": self._plain(Deed.SWITCH_OFF),
            "look": self._look,
            "explore": self._explore,
            "check": self._explore,
            "find": self._find,
            "search": self._find,
            "go": self._go,
            "throw": self._throw,
            "discard": self._discard,
            "fill": self._plain(Deed.FILL),
            "pour": self._pour,
            "empty": self._plain(Deed.EMPTY),
            "wait": self._plain(Deed.WAIT),
            "use": self._use,
        }

    def goals(self, clause: Clause, quote: str) -> list[Goal]:
        """Return what a clause asks for; nothing where things are to stay as they are."""
        held = [one.text for phrase in clause.themes for one in phrase.contents if not set(one.categories) & _LAMPS]
        found = self._resulting(clause)
        if found is None:
            found = self._senses[clause.verb.sense](clause) if clause.verb.sense else self._other(clause)
        pointed = held and any(one.contents and one.thing.pronoun for one in clause.themes)
        if pointed or (held and all(goal.do is not Deed.PLACE for goal in found)):
            clause.aside.append(f"with the {held[0]} in it")
        told = {"quote": quote, "seconds": clause.seconds, "at": clause.at, "aside": tuple(clause.aside)}
        told["choice"] = clause.choice
        kinds = set(clause.using.categories) if clause.using is not None else set()
        means = {
            goal.do
            for goal in found
            if kinds & {_APPLIANCES.get(goal.do)} or (goal.do is Deed.EXAMINE and kinds & _LAMPS)
        }
        using = {goal.do: goal.using or (None if goal.do in means else clause.using) for goal in found}
        return [goal.model_copy(update={**told, "using": using[goal.do]}) for goal in found]

    def _resulting(self, clause: Clause) -> list[Goal] | None:
        """Return the goals of a clause that says which state things are to get: "fold the laptop SHUT"."""
        fixed = all(self._can(one.thing, "open") and not self._portable(one.thing) for one in clause.themes)
        lids = {"up": "open", "down": "closed"} if fixed and clause.verb.base in _LIDS and not clause.places else {}
        particles = [*clause.particles, "up"] if clause.verb.base in ("raise", "lift") else clause.particles
        states = [lids.get(word, word) for word in particles if lids.get(word, word) in _RESULTS]
        sliced = any(self._can(one.thing, "slice") for one in clause.themes)
        if not states or not clause.themes or (sliced and states[-1] in ("open", "closed")):
            return None
        cause = CAUSES[states[-1]]
        rest = replace(clause, particles=[word for word in clause.particles if lids.get(word, word) not in states])
        found = self._senses[cause.sense](replace(rest, verb=cause))
        carried = clause.verb.sense in ("put", "take", "tidy") and (clause.places or clause.person)
        moved = carried or clause.verb.sense in ("bring", "give")  # "bring it to me HOT"
        return found + self._senses[clause.verb.sense](rest) if moved else found

    def _can(self, thing: Thing, affordance: str) -> bool:
        return any(self._lexicon.can(c, affordance) for c in thing.categories)

    def _make(self, clause: Clause, do: Deed, thing: Thing | None, to: Where | None = None, **more: object) -> Goal:
        verb = " ".join((clause.verb.base, *clause.particles))
        return Goal.model_validate({"quote": "", "do": do, "verb": verb, "thing": thing, "to": to, **more})

    def _themes(self, clause: Clause) -> list[Thing | None]:
        return [one.thing for one in clause.themes] or [None]

    def _from(self, clause: Clause, thing: Thing | None) -> Thing | None:
        """Return a thing with where it is to be taken from."""
        if clause.source is None or (thing is not None and thing.place is not None):
            return thing
        if clause.source.phrase.thing.pronoun and clause.source.phrase.thing.text in ("there", "here"):
            return thing
        return (thing or _IT).model_copy(update={"place": clause.source.where})

    def _located(self, clause: Clause, thing: Thing | None) -> Thing | None:
        """Return a thing that is where the places of its clause say: "the mug ON THE TABLE"."""
        thing = self._from(clause, thing)
        places = [place.where for place in clause.places]
        if not places or thing is None or thing.place is not None:
            return thing
        return thing.model_copy(update={"place": self._nested(places)})

    def _nested(self, places: Sequence[Where]) -> Where:
        """Return "on the desk in the bedroom" as one place."""
        first, *rest = places
        if not rest:
            return first
        if (
            first.thing.room and not first.thing.categories and rest[0].thing.categories
        ):  # "in the bathroom on the floor"
            within = rest[0].thing.model_copy(update={"room": first.thing.room})
            return self._nested([rest[0].model_copy(update={"thing": within}), *rest[1:]])
        inner = self._nested(rest)
        room = inner.thing.room if not inner.thing.categories else ""
        more = {"room": room} if room else {"place": inner}
        return first.model_copy(update={"thing": first.thing.model_copy(update=more)})

    # --- where things go

    def _place(self, clause: Clause) -> list[Goal]:
        """Return the goals of what is put somewhere; the places say where from and where to."""
        if clause.person and not clause.themes and clause.places:
            return self._other(clause)  # "put ME in the microwave"
        goals: list[Goal] = []
        to, source = self._destination(clause)
        inner = None
        for phrase in (*clause.themes, *((None,) if not clause.themes else ())):
            thing = self._from(clause, phrase.thing if phrase is not None else None)
            if source is not None and thing is not None and thing.place is None:
                thing = thing.model_copy(update={"place": source})
            if phrase is not None:
                vessel = Where(relation=Relation.IN, thing=thing or phrase.thing)
                goals += [self._make(clause, Deed.PLACE, one, vessel) for one in phrase.contents]
            inner = thing
            goals.append(self._make(clause, Deed.PLACE, thing, to, back=self._goes_back(clause, to)))
        if to is not None and to.thing.place is not None and self._carried(to.thing, inner):
            outer = to.thing.place
            carrier = to.thing.model_copy(update={"place": None})
            goals[-1] = goals[-1].model_copy(update={"to": to.model_copy(update={"thing": carrier})})
            goals.append(self._make(clause, Deed.PLACE, carrier.model_copy(update={"definite": True}), outer))
        return goals

    def _carried(self, vessel: Thing, thing: Thing | None) -> bool:
        """Whether what something is put in is to be put somewhere itself: "a knife in A PAN on the counter"."""
        return not vessel.definite and not vessel.pronoun and self._portable(vessel) and vessel.place is not None and (
            vessel.place.relation in (Relation.ON, Relation.IN)
        )  # fmt: skip

    def _goes_back(self, clause: Clause, to: Where | None) -> bool:
        return to is None and ("back" in clause.particles or clause.verb.sense == "return")

    def _destination(self, clause: Clause) -> tuple[Where | None, Where | None]:
        """Return where things go and where they are said to be: "the one on the table in the bin"."""
        if [place.relation in _LANDMARKS for place in clause.places] == [True, False] and clause.places[1].moving:
            clause.places.reverse()  # "beside the cup, ON THE TABLE"
        pointed = [p for p in clause.places if p.phrase.thing.pronoun and means(p.phrase.thing.text, Sort.PLACE)]
        if pointed and len(clause.places) > 1 and clause.places[-1] is pointed[0]:
            clause.places.pop()  # "on the desk IN THERE"
        if len(clause.places) > 1 and clause.themes and self._describes(clause.places[0]):
            said = clause.places.pop(0)  # "the candle ON A BLACK HOLDER to the table"
            theme = clause.themes[-1].thing
            words = f"{theme.text} {said.relation.value} {said.phrase.thing.text}"
            clause.themes[-1] = replace(clause.themes[-1], thing=theme.model_copy(update={"text": words}))
        places = [place.where for place in clause.places]
        if len(places) < 2:
            return (places[0] if places else None), None
        first, second = places[0], places[1]
        room = bool(second.thing.room) and not second.thing.categories
        landmark = second.relation in _LANDMARKS
        vessel = self._portable(first.thing) and self._holds(first.thing) and not self._portable(second.thing)
        pronoun = not clause.themes or (clause.themes[-1].thing.pronoun and clause.themes[-1].thing.text not in _ONES)
        moving = clause.places[0].moving
        if room or landmark or vessel or pronoun or moving or clause.source is not None:
            return self._nested(places), None
        return self._nested(places[1:]), first

    def _describes(self, place: Place) -> bool:
        """Whether what something is said to be on or in is a class of things, none in particular, nor a place."""
        thing = place.phrase.thing
        if thing.definite or thing.pronoun or thing.room or place.moving:
            return False
        noun = self._lexicon.noun(thing.last_word)
        return (noun is None and not thing.categories) or (noun is not None and noun.generic)

    def _receives(self, thing: Thing) -> bool:
        """Whether things are put there, rather than washed, heated or sliced there."""
        fixed = {"toggle", "slice"} & {a for c in thing.categories for a in self._lexicon.kind(c).affordances}
        return thing.pronoun or (self._holds(thing) and not fixed and not set(thing.categories) & _WET)

    def _portable(self, thing: Thing) -> bool:
        return any(self._lexicon.can(c, "pickup") for c in thing.categories)

    def _holds(self, thing: Thing) -> bool:
        return bool(thing.room) or any(self._lexicon.can(c, "hold") for c in thing.categories)

    def _put(self, clause: Clause) -> list[Goal]:
        verb = clause.verb.base
        states = [word for word in clause.particles if word in ("on", "off")]
        toggles = [one for one in clause.themes if any(self._lexicon.can(c, "toggle") for c in one.thing.categories)]
        if states and not clause.places and (toggles or verb in _STAYS):
            deed = Deed.SWITCH_ON if states[-1] == "on" else Deed.SWITCH_OFF
            return [self._make(clause, deed, thing) for thing in self._themes(clause)]
        lit = toggles or [one for one in clause.themes if one.thing.pronoun and clause.verb.base == "put"]
        if "out" in clause.particles and lit and not clause.places:  # "the candle is still burning. Put it OUT"
            return [self._make(clause, Deed.SWITCH_OFF, one.thing) for one in lit]
        if verb == "swap":
            return self._other(clause)
        poured = [one.thing.last_word in LIQUIDS and not self._portable(one.thing) for one in clause.themes]
        into = clause.places[-1] if clause.places and clause.places[-1].relation is Relation.IN else None
        vessel = into is not None and (into.phrase.thing.pronoun or self._can(into.phrase.thing, "fill"))
        if poured and all(poured) and vessel:  # "put some water IN THE CUP"
            return self._pour(clause)
        pointed = all(place.phrase.thing.text in ("there", "here") for place in clause.places)
        new = clause.places and any(not (one.thing.definite or one.thing.pronoun) for one in clause.themes)
        if verb in _STAYS and pointed and not clause.particles and not new:
            return []
        if verb == "stand" and not clause.themes and clause.places:
            return self._go(clause)  # "go STAND by the lamp"
        if not clause.places and ("down" in clause.particles or verb in ("drop", "rest")):
            return [self._make(clause, Deed.PUT_DOWN, thing) for thing in self._themes(clause)]
        return self._place(clause)

    def _tidy(self, clause: Clause) -> list[Goal]:
        if not clause.themes:
            return self._other(clause)
        thing = clause.themes[0].thing
        if thing.categories and not self._portable(thing):  # "clear the desk"
            everything = Thing(text="everything", every=True, place=Where(relation=Relation.ON, thing=thing))
            clause.themes[0] = Phrase(everything, clause.themes[0].end)
        return self._place(clause)

    def _person(self, clause: Clause) -> str:
        """Return who is to get it, "" for nobody; a place that is a person is taken from the places."""
        if clause.person or not clause.places:
            return clause.person
        thing = clause.places[-1].phrase.thing
        last = thing.text.casefold().split()[-1]
        nobody = thing.categories or thing.room or thing.pronoun or thing.floor
        if last in PEOPLE or (not nobody and clause.places[-1].moving and clause.verb.sense in ("give", "bring")):
            clause.places.pop()
            return thing.text if thing.owner != "me" else f"your {thing.text}"
        return ""

    def _bring(self, clause: Clause) -> list[Goal]:
        if clause.verb.base == "give" and len(clause.themes) > 1:  # "give the mug a good rinse"
            done = verb_at(clause.themes[-1].thing.text.split()[-1:], 0)
            if done is not None and done.sense in ("clean", "heat", "look", "cool"):
                clause.verb = done
                clause.themes.pop()
                return self._senses[done.sense](clause)
            where = {c for place in clause.places for c in place.phrase.thing.categories}
            deed = next(
                (deed for deed, kind in _APPLIANCES.items() if kind in where), Deed.CLEAN if where & _WET else None
            )
            if deed is not None and not clause.themes[-1].thing.categories:
                clause.themes.pop()  # "give the mug A SPIN in the microwave"
                return self._plain(deed)(clause)
        person = self._person(clause)
        down = clause.places and (not person or clause.verb.base == "serve")
        if down and not any(place.moving for place in clause.places) and not person and clause.verb.sense == "bring":
            moved = clause.verb.base in ("carry", "transport", "deliver", "haul", "lug", "tote", "serve")
            if not moved:  # "bring the book on the table"
                return [
                    self._make(clause, Deed.BRING, self._located(clause, t), person="me") for t in self._themes(clause)
                ]
        if down:
            goals = self._place(clause)
            vessel = clause.places[-1].phrase.thing
            if person == "me" and self._portable(vessel):
                goals.append(self._make(clause, Deed.BRING, vessel.model_copy(update={"definite": True}), person="me"))
            return goals
        if "back" in clause.particles and person != "me":
            return self._place(clause)
        if {"down", "away"} & set(clause.particles) and not person:
            return self._put(clause)
        return [
            self._make(clause, Deed.BRING, self._located(clause, thing), person=person or "me")
            for thing in self._themes(clause)
        ]

    def _take(self, clause: Clause) -> list[Goal]:
        person = self._person(clause)
        if person:
            return self._bring(clause)
        moved = clause.places and (clause.places[-1].moving or len(clause.places) > 1 or clause.source is not None)
        if moved or {"back", "away"} & set(clause.particles):
            return self._place(clause)
        return [self._make(clause, Deed.HOLD, self._located(clause, thing)) for thing in self._themes(clause)]

    def _get(self, clause: Clause) -> list[Goal]:
        person = self._person(clause)
        lamp = next((p for p in clause.places if set(p.phrase.thing.categories) & _LAMPS), None)
        if lamp is not None and not person:
            return [self._make(clause, Deed.EXAMINE, thing, lamp.where) for thing in self._themes(clause)]
        moved = any(place.moving for place in clause.places) or (clause.places and clause.source is not None)
        moved = moved or (clause.places and "back" in clause.particles)
        if moved and not person:
            return self._place(clause)
        deed = Deed.BRING if person else Deed.HOLD
        return [self._make(clause, deed, self._located(clause, thing), person=person) for thing in self._themes(clause)]

    # --- what is done to things

    def _plain(self, deed: Deed) -> Callable[[Clause], list[Goal]]:
        """Return the frame of verbs whose places say where it is done."""

        def goals(clause: Clause) -> list[Goal]:
            if deed is Deed.SLICE and clause.source is not None:
                whole = clause.source.phrase
                parts = [one for one in clause.themes if not one.thing.categories and one.thing.last_word in PORTIONS]
                if parts and self._can(whole.thing, "slice"):  # "cut A SLICE off the apple"
                    clause.themes, clause.source = [whole], None
            dirt = deed is Deed.CLEAN and not any(one.thing.categories or one.thing.pronoun for one in clause.themes)
            if dirt and clause.themes and clause.source is not None and clause.source.phrase.thing.categories:
                clause.themes, clause.source = [clause.source.phrase], None  # "rinse THE SOIL off the potato"
            if deed is Deed.SLICE:
                clause.places = [p for p in clause.places if p.phrase.thing.text.split()[-1] not in PORTIONS | _CUTS]
            if any(one.thing.every and not one.thing.categories for one in clause.themes) and clause.source is None:
                things = self._themes(clause)  # "wash everything IN THE SINK"
                return [self._make(clause, deed, self._located(clause, t), using=clause.using) for t in things]
            if clause.using is not None and not clause.places and _APPLIANCES.get(deed) in clause.using.categories:
                clause.places = [Place(Relation.IN, Phrase(clause.using, 0))]  # "WITH THE MICROWAVE"
                clause.using = None
            onward = [place for place in clause.places if place.moving and self._receives(place.phrase.thing)]
            places = [place.where for place in clause.places if place not in onward]
            to = self._nested(places) if places else None
            found = [
                self._make(clause, deed, self._from(clause, thing), to, using=clause.using)
                for thing in self._themes(clause)
            ]
            if onward:  # "slice it ONTO THE PLATE"
                moved = Clause(PUT, clause.start, clause.end, list(clause.themes), onward)
                found += self._place(moved)
            return found

        return goals

    def _toast(self, clause: Clause) -> list[Goal]:
        return [self._make(clause, Deed.HEAT, self._from(clause, t), _TOASTER) for t in self._themes(clause)]

    def _break(self, clause: Clause) -> list[Goal]:
        return [self._make(clause, Deed.BREAK, self._located(clause, thing)) for thing in self._themes(clause)]

    def _open(self, clause: Clause) -> list[Goal]:
        return self._opened(clause, Deed.OPEN, Deed.SWITCH_ON)

    def _close(self, clause: Clause) -> list[Goal]:
        if "away" in clause.particles and clause.places:  # "SHUT the book AWAY in a drawer"
            return self._place(clause)
        off = {"off", "down"} & set(clause.particles)
        return self._opened(clause, Deed.SWITCH_OFF if off else Deed.CLOSE, Deed.SWITCH_OFF)

    def _opened(self, clause: Clause, deed: Deed, switched: Deed) -> list[Goal]:
        """Return the goals of what is opened or closed; a tap is switched."""

        def turned(thing: Thing | None) -> bool:
            able = {a for c in thing.categories for a in self._lexicon.kind(c).affordances} if thing is not None else ()
            return "toggle" in able and "open" not in able

        things = self._themes(clause)
        return [self._make(clause, switched if turned(t) else deed, self._located(clause, t)) for t in things]

    def _start(self, clause: Clause) -> list[Goal]:
        wet = any(_WET & set(place.phrase.thing.categories) for place in clause.places)
        rinsed = wet and clause.themes and all(self._portable(one.thing) for one in clause.themes)
        return self._plain(Deed.CLEAN if rinsed else Deed.SWITCH_ON)(clause)  # "RUN it under the tap"

    def _switch(self, clause: Clause) -> list[Goal]:
        words = [word for word in clause.particles if word in ("on", "off")]
        if not words:
            return self._other(clause)
        deeds = {"on": Deed.SWITCH_ON, "off": Deed.SWITCH_OFF}
        return [
            self._make(clause, deeds[word], self._located(clause, thing))
            for word in words
            for thing in self._themes(clause)
        ]

    def _look(self, clause: Clause) -> list[Goal]:
        if clause.sought:
            return self._find(clause)
        at = [place for place in clause.places if place.relation is Relation.AT]
        if not clause.themes and at:
            clause.themes = [place.phrase for place in at]
            clause.places = [place for place in clause.places if place.relation is not Relation.AT]
        if (lamp := self._light(clause)) is not None:  # "look at it with the lamp"
            clause.places.append(Place(Relation.NEAR, Phrase(lamp, 0)))
            clause.using = None
        lit = any(set(place.phrase.thing.categories) & _LAMPS for place in clause.places)
        if not clause.themes and not lit:
            return self._explore(clause)
        to = self._nested([place.where for place in clause.places]) if clause.places else None
        return [self._make(clause, Deed.EXAMINE, self._from(clause, thing), to) for thing in self._themes(clause)]

    def _light(self, clause: Clause) -> Thing | None:
        """Return the lamp by which something is looked at, None for none: "WITH THE LAMP shining on it"."""
        beside = [*(one for phrase in clause.themes for one in phrase.contents), clause.using]
        return next((one for one in beside if one is not None and set(one.categories) & _LAMPS), None)

    def _explore(self, clause: Clause) -> list[Goal]:
        if clause.sought:
            return self._find(clause)
        near = any(place.relation is Relation.NEAR for place in clause.places)
        if clause.themes and (near or self._light(clause) is not None):
            return self._look(clause)  # "check out the keys NEAR THE LAMP"
        clause.themes = [one for one in clause.themes if one.thing.text.split()[-1] not in _HOME]
        if not clause.places and "inside" in clause.particles:  # of what is spoken of
            clause.places = [Place(Relation.IN, Phrase(Thing(text="it", pronoun=True), 0))]
        to = self._nested([place.where for place in clause.places]) if clause.places else None
        return [self._make(clause, Deed.EXPLORE, clause.themes[0].thing if clause.themes else None, to)]

    def _find(self, clause: Clause) -> list[Goal]:
        if clause.sought and clause.places and clause.themes and clause.themes[0].thing.text.split()[-1] in _SPOTS:
            clause.themes = clause.sought  # "find a free spot on the shelf for the vase"
            return self._place(clause)
        another = clause.themes and clause.verb.base == "find" and not clause.themes[0].thing.definite
        if (
            clause.sought
            and another
            and self._holds(clause.themes[0].thing)
            and not self._portable(clause.themes[0].thing)
        ):
            clause.places.append(Place(Relation.AT, clause.themes[0]))  # "find another SHELF for the vase"
            clause.themes = clause.sought
            return self._place(clause)
        if clause.sought:
            searched = [Place(Relation.IN, phrase) for phrase in clause.themes]
            clause.themes, clause.places = clause.sought, [*clause.places, *searched]
        do = Deed.BRING if clause.person == "me" else Deed.FIND  # "find ME a fork"
        person = clause.person if do is Deed.BRING else ""
        found = self._themes(clause)
        return [self._make(clause, do, self._located(clause, thing), person=person) for thing in found]

    def _go(self, clause: Clause) -> list[Goal]:
        if not clause.themes and not clause.places and not clause.person and clause.particles:
            return self._other(clause)
        if clause.themes:
            return [self._make(clause, Deed.GO_TO, self._located(clause, clause.themes[0].thing))]
        to = self._nested([place.where for place in clause.places]) if clause.places else None
        return [self._make(clause, Deed.GO_TO, None, to, person="" if to is not None else clause.person)]

    def _throw(self, clause: Clause) -> list[Goal]:
        if {"away", "out"} & set(clause.particles):
            return self._discard(clause)
        if clause.places and self._holds(clause.places[0].phrase.thing):
            return self._place(clause)
        if clause.person:  # "chuck ME the remote": no robot throws things at people
            return self._bring(clause)
        if clause.verb.base in ("toss", "chuck") and not clause.places and "up" not in clause.particles:
            return self._other(clause)
        clause.aside += [f"{place.relation.value} the {place.phrase.thing.text}" for place in clause.places]
        if clause.source is not None and not self._holds(clause.source.phrase.thing):  # "out of the window"
            clause.aside.append(f"out of the {clause.source.phrase.thing.text}")
        return [self._make(clause, Deed.THROW, self._from(clause, thing)) for thing in self._themes(clause)]

    def _discard(self, clause: Clause) -> list[Goal]:
        bins = [place for place in clause.places if "GarbageCan" in place.phrase.thing.categories]
        clause.places = [place for place in clause.places if place not in bins]
        to = bins[-1].where if bins else _BIN
        return [self._make(clause, Deed.PLACE, self._located(clause, t), to) for t in self._themes(clause)]

    def _pour(self, clause: Clause) -> list[Goal]:
        vessels = [p for p in clause.places if p.phrase.thing.pronoun or self._can(p.phrase.thing, "fill")]
        if not vessels:
            return [self._make(clause, Deed.EMPTY, thing) for thing in self._themes(clause)]
        clause.using = clause.themes[0].thing if clause.themes else Thing(text="water")
        clause.aside += [f"with {word} {clause.using.last_word}" for word in clause.using.attributes]
        clause.aside += [f"from the {clause.source.phrase.thing.text}"] if clause.source is not None else []
        return [self._make(clause, Deed.FILL, vessels[-1].phrase.thing)]

    def _use(self, clause: Clause) -> list[Goal]:
        lamps = [one for one in clause.themes if set(one.thing.categories) & _LAMPS]
        return [self._make(clause, Deed.SWITCH_ON, one.thing) for one in lamps] if lamps else self._other(clause)

    def _brewed(self, clause: Clause, made: Thing, vessel: Thing | None) -> Goal:
        """Return what to fill with a drink: "make a coffee IN THE MUG", "make me A CUP of tea", else a mug."""
        noun, _, drink = made.text.rpartition(" of ")
        named = self._lexicon.nouns.get((drink.split()[-1],))
        using = Thing(text=drink, categories=named.categories if named is not None else ())
        own = made.model_copy(update={"text": noun}) if noun and self._can(made, "fill") else _MUG
        return self._make(clause, Deed.FILL, vessel or own, using=using)

    def _other(self, clause: Clause) -> list[Goal]:
        made = clause.themes[0].thing if clause.themes and clause.verb.base in ("make", "brew", "prepare") else None
        liquid = made is not None and made.text.split()[-1] in LIQUIDS
        exact = made is not None and made.categories and not made.loosely and not self._portable(made)
        if exact and not liquid and clause.verb.base == "make":  # "make the bed"
            return [self._make(clause, Deed.CLEAN, made)]
        turned = [word for word in clause.particles if word in ("on", "off")]
        toggles = [self._can(one.thing, "toggle") and not self._portable(one.thing) for one in clause.themes]
        if turned and toggles and all(toggles) and not clause.places and not is_known(clause.verb.base):
            return self._switch(clause)  # "KNOCK all the lamps off"
        places = (place.phrase.thing for place in clause.places)
        vessel = next((one for one in places if one.pronoun or self._can(one, "fill")), None)
        if made is not None and liquid:
            return [self._brewed(clause, made, vessel)]
        return [self._make(clause, Deed.OTHER, clause.themes[0].thing if clause.themes else None)]


_LIDS = frozenset(("put", "flip", "lift", "raise", "pull", "push"))
_RESULTS = frozenset(("open", "closed", "clean", "empty", "full", "hot", "cold"))
_SPOTS = frozenset(("spot", "place", "space", "room"))
_HOME = frozenset(("house", "home", "flat", "apartment", "place", "everything", "surroundings", "room"))
_ONES = frozenset(("one", "ones", "other", "others"))
_CUTS = frozenset(("half", "halves", "cubes", "strips", "two", "bits", "rings", "quarters"))
