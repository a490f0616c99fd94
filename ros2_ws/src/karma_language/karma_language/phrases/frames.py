# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Verb frames: what each sense of a verb asks for, given the parts of its clause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from karma_language.phrases.clause_parts import CAUSES, PUT, Clause, Place, nested
from karma_language.phrases.looking import LAMPS, Looking
from karma_language.phrases.nouns import Phrase
from karma_language.phrases.placing import Placing
from karma_language.reading import Deed, Goal
from karma_language.things import Relation, Thing, Where
from karma_language.vocabulary.lexicon import Lexicon
from karma_language.vocabulary.terms import singular
from karma_language.vocabulary.verbs import verb_at
from karma_language.vocabulary.words import LIQUIDS, PEOPLE, PORTIONS

_MUG = Thing(text="mug", categories=("Mug",), loosely=("Cup",))
_BIN = Where(relation=Relation.IN, thing=Thing(text="garbage can", categories=("GarbageCan",)))
_TOASTER = Where(relation=Relation.IN, thing=Thing(text="toaster", categories=("Toaster",)))
_STAYS = frozenset(("leave", "keep"))
_WET = frozenset(("Sink", "SinkBasin", "Bathtub", "BathtubBasin", "Faucet", "ShowerHead"))
_APPLIANCES = {Deed.HEAT: "Microwave", Deed.COOL: "Fridge"}


def is_brewed(thing: Thing) -> bool:
    """Whether a thing is a drink that a machine makes: "a coffee", but not "the coffee", which is there."""
    return not thing.definite and "CoffeeMachine" in thing.categories and singular(thing.last_word) in LIQUIDS


class Frames:
    """Turns clauses into goals."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._placing = Placing(lexicon)
        self._looking = Looking(self._placing)
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
            "look": self._looking.look,
            "explore": self._looking.explore,
            "check": self._looking.explore,
            "find": self._looking.find,
            "search": self._looking.find,
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
        held = [one.text for phrase in clause.themes for one in phrase.contents if not set(one.categories) & LAMPS]
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
            if kinds & {_APPLIANCES.get(goal.do)} or (goal.do is Deed.EXAMINE and kinds & LAMPS)
        }
        using = {goal.do: goal.using or (None if goal.do in means else clause.using) for goal in found}
        return [goal.model_copy(update={**told, "using": using[goal.do]}) for goal in found]

    def _resulting(self, clause: Clause) -> list[Goal] | None:
        """Return the goals of a clause that says which state things are to get: "fold the laptop SHUT"."""
        fixed = all(
            self._placing.can(one.thing, "open") and not self._placing.portable(one.thing) for one in clause.themes
        )
        lids = {"up": "open", "down": "closed"} if fixed and clause.verb.base in _LIDS and not clause.places else {}
        particles = [*clause.particles, "up"] if clause.verb.base in ("raise", "lift") else clause.particles
        states = [lids.get(word, word) for word in particles if lids.get(word, word) in _RESULTS]
        sliced = any(self._placing.can(one.thing, "slice") for one in clause.themes)
        if not states or not clause.themes or (sliced and states[-1] in ("open", "closed")):
            return None
        cause = CAUSES[states[-1]]
        rest = replace(clause, particles=[word for word in clause.particles if lids.get(word, word) not in states])
        found = self._senses[cause.sense](replace(rest, verb=cause))
        carried = clause.verb.sense in ("put", "take", "tidy") and (clause.places or clause.person)
        moved = carried or clause.verb.sense in ("bring", "give")  # "bring it to me HOT"
        return found + self._senses[clause.verb.sense](rest) if moved else found

    # --- where things go

    def _receives(self, thing: Thing) -> bool:
        """Whether things are put there, rather than washed, heated or sliced there."""
        fixed = {"toggle", "slice"} & {a for c in thing.categories for a in self._lexicon.kind(c).affordances}
        return thing.pronoun or (self._placing.holds(thing) and not fixed and not set(thing.categories) & _WET)

    def _shines(self, thing: Thing) -> bool:
        """Whether something is switched and carries nothing: a lamp, a television, but no microwave."""
        return self._placing.can(thing, "toggle") and not self._placing.holds(thing)

    def _put(self, clause: Clause) -> list[Goal]:
        verb = clause.verb.base
        states = [word for word in clause.particles if word in ("on", "off")]
        toggles = [one for one in clause.themes if self._placing.can(one.thing, "toggle")]
        if states and not clause.places and (toggles or verb in _STAYS):
            deed = Deed.SWITCH_ON if states[-1] == "on" else Deed.SWITCH_OFF
            return [clause.goal(deed, thing) for thing in clause.objects]
        on = [place for place in clause.places if place.relation is Relation.ON and self._shines(place.phrase.thing)]
        if verb == "put" and not clause.themes and not clause.particles and clause.places[:1] == on[:1] != []:
            clause.themes = [place.phrase for place in on]  # "put on THE LAMP in the hall"
            clause.places = [place for place in clause.places if place not in on]
            return [clause.goal(Deed.SWITCH_ON, clause.located(one.thing)) for one in clause.themes]
        lit = toggles or [one for one in clause.themes if one.thing.pronoun and clause.verb.base == "put"]
        if "out" in clause.particles and lit and not clause.places:  # "the candle is still burning. Put it OUT"
            return [clause.goal(Deed.SWITCH_OFF, one.thing) for one in lit]
        tables = verb in ("set", "lay") and not (clause.places or clause.particles)
        if verb == "swap" or (tables and not any(self._placing.portable(one.thing) for one in clause.themes)):
            return self._other(clause)
        if self._poured_into(clause) is not None:  # "put some water IN THE CUP"
            return self._pour(clause)
        pointed = all(place.phrase.thing.text in ("there", "here") for place in clause.places)
        new = clause.places and any(not (one.thing.definite or one.thing.pronoun) for one in clause.themes)
        if verb in _STAYS and pointed and not clause.particles and not new:
            return []
        if verb == "stand" and not clause.themes and clause.places:
            return self._go(clause)  # "go STAND by the lamp"
        if not clause.places and ("down" in clause.particles or verb in ("drop", "rest")):
            return [clause.goal(Deed.PUT_DOWN, thing) for thing in clause.objects]
        return self._placing.place(clause)

    def _tidy(self, clause: Clause) -> list[Goal]:
        if not clause.themes:
            return self._other(clause)
        thing = clause.themes[0].thing
        away = clause.places or clause.particles or clause.source
        pointed = clause.verb.base == "clear" and thing.pronoun and not (thing.plural or away)  # "clear it"
        if pointed or (thing.categories and not self._placing.portable(thing)):  # "clear the desk"
            everything = Thing(text="everything", every=True, place=Where(relation=Relation.ON, thing=thing))
            clause.themes[0] = Phrase(everything, clause.themes[0].end)
        return self._placing.place(clause)

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
        if clause.verb.base == "give" and len(clause.themes) > 1 and not clause.themes[-1].thing.categories:
            done = verb_at(clause.themes[-1].thing.text.split()[-1:], 0)
            if done is not None and done.sense in ("clean", "heat", "look", "cool"):
                clause.verb = done  # "give the mug A GOOD RINSE"
                clause.themes.pop()
                return self._senses[done.sense](clause)
            if not clause.person:
                return self._other(clause)  # "give the mug A SPIN in the microwave"
        person = self._person(clause)
        if (vessel := self._poured_into(clause)) is not None:  # "bring me some water IN A CUP"
            poured = [goal.model_copy(update={"using": clause.using}) for goal in self._pour(clause)]
            clause.using = None
            return [
                *poured,
                clause.goal(Deed.BRING, vessel.model_copy(update={"definite": True}), person=person or "me"),
            ]
        if len(clause.themes) == 1 and is_brewed(clause.themes[0].thing):  # "bring me A COFFEE"
            brewed = self._brewed(clause, clause.themes[0].thing, None)
            mug = (brewed.thing or _MUG).model_copy(update={"definite": True, "other": False})
            if clause.places and not person:
                return [brewed, clause.goal(Deed.PLACE, mug, clause.places[-1].where)]
            return [brewed, clause.goal(Deed.BRING, mug, person=person or "me")]
        down = clause.places and (not person or clause.verb.base == "serve")
        if down and not any(place.moving for place in clause.places) and not person and clause.verb.sense == "bring":
            carries = clause.verb.base in ("carry", "transport", "deliver", "haul", "lug", "tote", "serve")
            moved = carries or self._puts_there(clause)
            if not moved:  # "bring the book on the table"
                return [clause.goal(Deed.BRING, clause.located(t), person="me") for t in clause.objects]
        if down:
            goals = self._placing.place(clause)
            vessel = clause.places[-1].phrase.thing
            if person == "me" and self._placing.portable(vessel):
                goals.append(clause.goal(Deed.BRING, vessel.model_copy(update={"definite": True}), person="me"))
            return goals
        if "back" in clause.particles and person != "me":
            return self._placing.place(clause)
        if {"down", "away"} & set(clause.particles) and not person:
            return self._put(clause)
        return [clause.goal(Deed.BRING, clause.located(thing), person=person or "me") for thing in clause.objects]

    def _poured_into(self, clause: Clause) -> Thing | None:
        """Return the vessel that liquids go into: "some water IN A CUP"; None where they are no liquids, or it none."""
        liquid = [one.thing.last_word in LIQUIDS and not self._placing.portable(one.thing) for one in clause.themes]
        into = clause.places[-1] if clause.places and clause.places[-1].relation is Relation.IN else None
        if into is None or not liquid or not all(liquid):
            return None
        vessel = into.phrase.thing
        return vessel if vessel.pronoun or self._placing.can(vessel, "fill") else None

    def _puts_there(self, clause: Clause) -> bool:
        """Whether the place of a clause is not where its things are: "bring IT on the table", not "the red one"."""
        last, them = clause.places[-1].phrase.thing if clause.places else None, [one.thing for one in clause.themes]
        brings = clause.verb.base in ("bring", "get", "collect", "gather")
        pointed = all(one.text in ("it", "them") and one.place is None for one in them)
        return brings and pointed and bool(them) and last is not None and bool(last.categories)

    def _take(self, clause: Clause) -> list[Goal]:
        person = self._person(clause)
        if person:
            return self._bring(clause)
        moved = clause.places and (clause.places[-1].moving or len(clause.places) > 1 or clause.source is not None)
        if moved or {"back", "away"} & set(clause.particles):
            return self._placing.place(clause)
        return [clause.goal(Deed.HOLD, clause.located(thing)) for thing in clause.objects]

    def _get(self, clause: Clause) -> list[Goal]:
        person = self._person(clause)
        lamp = next((p for p in clause.places if set(p.phrase.thing.categories) & LAMPS), None)
        if lamp is not None and not person:
            return [clause.goal(Deed.EXAMINE, thing, lamp.where) for thing in clause.objects]
        moved = any(place.moving for place in clause.places) or (clause.places and clause.source is not None)
        moved = moved or (clause.places and "back" in clause.particles) or self._puts_there(clause)
        if moved and not person:
            return self._placing.place(clause)
        deed = Deed.BRING if person else Deed.HOLD
        return [clause.goal(deed, clause.located(thing), person=person) for thing in clause.objects]

    # --- what is done to things

    def _plain(self, deed: Deed) -> Callable[[Clause], list[Goal]]:
        """Return the frame of verbs whose places say where it is done."""

        def goals(clause: Clause) -> list[Goal]:
            if deed is Deed.SLICE and clause.source is not None:
                whole = clause.source.phrase
                parts = [one for one in clause.themes if not one.thing.categories and one.thing.last_word in PORTIONS]
                if parts and self._placing.can(whole.thing, "slice"):  # "cut A SLICE off the apple"
                    clause.themes, clause.source = [whole], None
            if deed is Deed.SLICE:
                clause.places = [p for p in clause.places if p.phrase.thing.text.split()[-1] not in PORTIONS | _CUTS]
            if any(one.thing.every and not one.thing.categories for one in clause.themes) and clause.source is None:
                things = clause.objects  # "wash everything IN THE SINK"
                return [clause.goal(deed, clause.located(t), using=clause.using) for t in things]
            if clause.using is not None and not clause.places and _APPLIANCES.get(deed) in clause.using.categories:
                clause.places = [Place(Relation.IN, Phrase(clause.using, 0))]  # "WITH THE MICROWAVE"
                clause.using = None
            onward = [place for place in clause.places if place.moving and self._receives(place.phrase.thing)]
            places = [place.where for place in clause.places if place not in onward]
            to = nested(places) if places else None
            found = [clause.goal(deed, clause.taken(thing), to, using=clause.using) for thing in clause.objects]
            if onward:  # "slice it ONTO THE PLATE"
                moved = Clause(PUT, clause.start, clause.end, list(clause.themes), onward)
                found += self._placing.place(moved)
            return found

        return goals

    def _toast(self, clause: Clause) -> list[Goal]:
        return [clause.goal(Deed.HEAT, clause.taken(t), _TOASTER) for t in clause.objects]

    def _break(self, clause: Clause) -> list[Goal]:
        return [clause.goal(Deed.BREAK, clause.located(thing)) for thing in clause.objects]

    def _open(self, clause: Clause) -> list[Goal]:
        return self._opened(clause, Deed.OPEN, Deed.SWITCH_ON)

    def _close(self, clause: Clause) -> list[Goal]:
        if "away" in clause.particles and clause.places:  # "SHUT the book AWAY in a drawer"
            return self._placing.place(clause)
        off = {"off", "down"} & set(clause.particles)
        return self._opened(clause, Deed.SWITCH_OFF if off else Deed.CLOSE, Deed.SWITCH_OFF)

    def _opened(self, clause: Clause, deed: Deed, switched: Deed) -> list[Goal]:
        """Return the goals of what is opened or closed; a tap is switched."""

        def turned(thing: Thing | None) -> bool:
            able = {a for c in thing.categories for a in self._lexicon.kind(c).affordances} if thing is not None else ()
            return "toggle" in able and "open" not in able

        things = clause.objects
        return [clause.goal(switched if turned(t) else deed, clause.located(t)) for t in things]

    def _start(self, clause: Clause) -> list[Goal]:
        wet = any(_WET & set(place.phrase.thing.categories) for place in clause.places)
        rinsed = wet and clause.themes and all(self._placing.portable(one.thing) for one in clause.themes)
        return self._plain(Deed.CLEAN if rinsed else Deed.SWITCH_ON)(clause)  # "RUN it under the tap"

    def _switch(self, clause: Clause) -> list[Goal]:
        lit = all(one.thing.pronoun or self._shines(one.thing) for one in clause.themes)
        deeds = {"on": Deed.SWITCH_ON, "off": Deed.SWITCH_OFF} | ({"out": Deed.SWITCH_OFF} if lit else {})
        words = [word for word in clause.particles if word in deeds]
        if not words:
            return self._other(clause)
        return [clause.goal(deeds[word], clause.located(thing)) for word in words for thing in clause.objects]

    def _go(self, clause: Clause) -> list[Goal]:
        if not clause.themes and not clause.places and not clause.person and clause.particles:
            return self._other(clause)
        if clause.themes:
            return [clause.goal(Deed.GO_TO, clause.located(clause.themes[0].thing))]
        to = clause.where
        return [clause.goal(Deed.GO_TO, None, to, person="" if to is not None else clause.person)]

    def _throw(self, clause: Clause) -> list[Goal]:
        if {"away", "out"} & set(clause.particles):
            return self._discard(clause)
        if clause.places and self._placing.holds(clause.places[0].phrase.thing):
            return self._placing.place(clause)
        if clause.person:  # "chuck ME the remote": no robot throws things at people
            return self._bring(clause)
        if clause.verb.base in ("toss", "chuck") and not clause.places and "up" not in clause.particles:
            return self._other(clause)
        clause.aside += [f"{place.relation.value} the {place.phrase.thing.text}" for place in clause.places]
        if clause.source is not None and not self._placing.holds(clause.source.phrase.thing):  # "out of the window"
            clause.aside.append(f"out of the {clause.source.phrase.thing.text}")
        return [clause.goal(Deed.THROW, clause.taken(thing)) for thing in clause.objects]

    def _discard(self, clause: Clause) -> list[Goal]:
        bins = [place for place in clause.places if "GarbageCan" in place.phrase.thing.categories]
        clause.places = [place for place in clause.places if place not in bins]
        to = bins[-1].where if bins else _BIN
        return [clause.goal(Deed.PLACE, clause.located(t), to) for t in clause.objects]

    def _pour(self, clause: Clause) -> list[Goal]:
        vessels = [p for p in clause.places if p.phrase.thing.pronoun or self._placing.can(p.phrase.thing, "fill")]
        if not vessels:
            return [clause.goal(Deed.EMPTY, thing) for thing in clause.objects]
        clause.using = clause.themes[0].thing if clause.themes else Thing(text="water")
        clause.aside += [f"with {word} {clause.using.last_word}" for word in clause.using.attributes]
        clause.aside += [f"from the {clause.source.phrase.thing.text}"] if clause.source is not None else []
        return [clause.goal(Deed.FILL, vessels[-1].phrase.thing)]

    def _use(self, clause: Clause) -> list[Goal]:
        lamps = [one for one in clause.themes if set(one.thing.categories) & LAMPS]
        return [clause.goal(Deed.SWITCH_ON, one.thing) for one in lamps] if lamps else self._other(clause)

    def _brewed(self, clause: Clause, made: Thing, vessel: Thing | None) -> Goal:
        """Return what to fill with a drink: "make a coffee IN THE MUG", "make me A CUP of tea", else a mug."""
        noun, _, drink = made.text.rpartition(" of ")
        named = self._lexicon.nouns.get((drink.split()[-1],))
        using = Thing(text=drink, categories=named.categories if named is not None else ())
        mug = _MUG.model_copy(update={"number": made.number, "plural": made.plural, "other": made.other})
        own = made.model_copy(update={"text": noun}) if noun and self._placing.can(made, "fill") else mug
        return clause.goal(Deed.FILL, vessel or own, using=using)

    def _other(self, clause: Clause) -> list[Goal]:
        made = clause.themes[0].thing if clause.themes and clause.verb.base in ("make", "brew", "prepare") else None
        liquid = made is not None and singular(made.text.split()[-1]) in LIQUIDS
        places = (place.phrase.thing for place in clause.places)
        vessel = next((one for one in places if one.pronoun or self._placing.can(one, "fill")), None)
        if made is not None and liquid:
            return [self._brewed(clause, made, vessel)]
        return [clause.goal(Deed.OTHER, clause.located(clause.themes[0].thing) if clause.themes else None)]


_LIDS = frozenset(("put", "flip", "lift", "raise", "pull", "push"))
_RESULTS = frozenset(("open", "closed", "clean", "empty", "full", "hot", "cold"))
_CUTS = frozenset(("half", "halves", "cubes", "strips", "two", "bits", "rings", "quarters"))
