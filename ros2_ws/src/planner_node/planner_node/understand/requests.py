# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Clauses to goals: what each verb asks for, given the parts of its clause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import Code
from planner_node.understand.clause_parts import AFFORDANCE, Parts
from planner_node.understand.clauses import PLACES, Clause
from planner_node.understand.goals import BACK, Goal, ObjectRef, Predicate
from planner_node.understand.phrases import Discourse

_LAMPS = ("DeskLamp", "FloorLamp")
_APPLIANCES = {
    Predicate.HEAT: ("Microwave", "StoveBurner", "Toaster", "Pan", "Pot"),
    Predicate.COOL: ("Fridge",),
    Predicate.CLEAN: ("SinkBasin", "Sink", "Faucet", "BathtubBasin", "Bathtub"),
    Predicate.SLICE: ("CounterTop", "DiningTable"),
    Predicate.FILL: ("SinkBasin", "Sink", "Faucet"),
}
_DEFAULT = {
    Predicate.HEAT: "Microwave",
    Predicate.COOL: "Fridge",
    Predicate.CLEAN: "SinkBasin",
    Predicate.FILL: "SinkBasin",
}
"""What is used where the instruction names no appliance."""

_OPPOSITE = {Predicate.HEAT: Predicate.COOL, Predicate.COOL: Predicate.HEAT}
_KEPT = frozenset({"open", "opened", "closed", "shut", "locked", "on", "off"})
"""How one asks for something to stay: "keep the fridge closed"."""

_POSTURES = frozenset({"sit", "stand", "lean"})
"""What one asks the robot to do with a thing, but can't ask it to do itself."""

_INTO = frozenset({"onto", "on to", "into", "in to"})
"""Prepositions of where something goes, rather than of where it is."""

_TOSSING = frozenset({"toss", "chuck"})
"""Verbs that mean to throw something or to throw it away."""
_WHERE_TO_TOSS = ("away", "up")

_WHERE_I_CAN_PUT = "I can put things in, on or next to other things, not under, behind, above or between them."
_SWITCHING = {"on": Predicate.SWITCH_ON, "off": Predicate.SWITCH_OFF}
_DOING = {
    "clean": Predicate.CLEAN,
    "heat": Predicate.HEAT,
    "cool": Predicate.COOL,
    "slice": Predicate.SLICE,
    "break": Predicate.BREAK,
    "open": Predicate.OPEN,
    "close": Predicate.CLOSE,
    "fill": Predicate.FILL,
}


class UnclearRequest(Exception):  # noqa: N818 - caught at once and turned into an answer
    """A clause that lacks something; the message says what, and `choices` what it can be completed with."""

    def __init__(self, message: str, code: Code = Code.NOT_UNDERSTOOD, choices: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.choices = choices


class Requests:
    """Turns the clauses of instructions into goals over a vocabulary."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def goals(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        """Return what a clause asks for. Raises UnclearRequest when something is missing."""
        sense = clause.sense
        if sense in _DOING:
            return self._doing(_DOING[sense], clause, parts, discourse)
        methods: dict[str, Callable[[Clause, Parts, Discourse], list[Goal]]] = {
            "put": self._put,
            "bring": self._put,
            "get": self._get,
            "give": self._get,
            "want": self._get,
            "switch": self._switch,
            "start": self._switch,
            "stop": self._switch,
            "look": self._look,
            "find": self._find,
            "go": self._go,
            "throw": self._throw,
            "discard": self._discard,
            "pour": self._pour,
        }
        if sense == "explore":
            return [Goal(Predicate.EXPLORE)]
        if sense == "use":
            lamps = [ref for ref in parts.themes if set(ref.categories) & set(_LAMPS)]
            return [Goal(Predicate.SWITCH_ON, lamp) for lamp in lamps]
        return methods[sense](clause, parts, discourse)

    def _needed(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[ObjectRef]:
        """Return the direct objects; what was spoken of last when the clause has none."""
        if parts.themes:
            return parts.themes
        if clause.lead in ("and", "to", "after", "before") or any(discourse.themes):
            return discourse.pronoun("it", AFFORDANCE.get(clause.sense, "").replace("pickup", ""))
        raise UnclearRequest(f"What shall I {clause.verb}?", Code.AMBIGUOUS)

    def _doing(self, predicate: Predicate, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        themes = self._needed(clause, parts, discourse)
        own = _APPLIANCES.get(predicate, ())
        goals: list[Goal] = []
        places = [(p, ref) for p, ref in parts.where(*PLACES) if not set(ref.categories) & set(own)]
        appliance = _appliance(predicate, clause, parts)
        sources = parts.where("from") + [(p, r) for p, r in places if p in ("on", "in", "near", "under")]
        for ref in themes:
            located = _at(ref, sources[-1][1]) if sources else ref
            goals.append(Goal(predicate, located, appliance))
        return goals

    def _put(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        if clause.verb == "stand" and not parts.themes and (beside := parts.where("to", "near")):
            return [Goal(Predicate.GO_TO, beside[-1][1])]
        if clause.verb in _POSTURES and not parts.themes:
            raise UnclearRequest(f"I can't {clause.verb} anywhere myself. Say what I shall {clause.verb} there.")
        places = parts.where("on", "in", "to") or parts.where(
            "near", "under", "behind"
        )  # "on the counter next to the sink"
        if not places and (parts.to_person or (clause.sense == "bring" and "away" not in parts.particles)):
            return [Goal(Predicate.BRING, _from(ref, parts)) for ref in self._needed(clause, parts, discourse)]
        if clause.verb in ("keep", "leave") and not places and any(c.word in _KEPT for c in clause.args):
            raise UnclearRequest(f"I can't {clause.verb} things as they are. Say what to open, close or switch now.")
        themes = self._needed(clause, parts, discourse)
        container = discourse.container() if parts.dangling else None
        if not places and container is not None and container.entity not in {ref.entity for ref in themes}:
            places = [(parts.dangling, container)]
        if not places:
            if "down" in parts.particles or clause.verb in ("drop", "rest"):
                return [Goal(Predicate.PUT_DOWN, ref) for ref in themes]
            for ref in themes:
                if not ref.categories:
                    raise UnclearRequest(f"I can't {clause.verb} a whole {ref.noun}. Name the things to put away.")
            back = BACK if "back" in parts.particles or clause.verb == "return" else ""
            return [Goal(Predicate.PLACE, _from(ref, parts), relation=back) for ref in themes]  # it is left open where
        if len(places) > 1 and places[-1][1].room and not places[-1][1].categories:
            relation, place = places[-2]  # "on the desk in the bedroom"
            places = [*places[:-2], (relation, replace(place, room=places[-1][1].room))]
        preposition, destination = places[-1]
        others = places[:-1]
        lamp = bool(destination.categories) and set(destination.categories) <= {*self._lamps(), "LightSwitch"}
        below = self._below(destination) if preposition == "under" else None
        if preposition in ("under", "behind") and not lamp and below is None:
            raise UnclearRequest(_WHERE_I_CAN_PUT)
        destination = below or destination
        if not parts.themes and len(places) > 1 and not others:
            raise UnclearRequest(f"What shall I {clause.verb} there?", Code.AMBIGUOUS)
        contents = parts.after("with")
        if contents and {ref.entity for ref in contents} == {ref.entity for ref in themes}:
            holding = discourse.vessel(themes)  # "put the fork in the cup; put it, WITH THE FORK in it, on the shelf"
            themes, contents = ([holding], []) if holding is not None else (themes, contents)
        if contents and all(ref.entity == destination.entity for ref in themes):
            destination = places[-1][1]
        if lamp:
            return [Goal(Predicate.EXAMINE, _from(ref, parts), self._lamp(destination)) for ref in themes]
        if destination.entity in {ref.entity for ref in themes} or not (
            preposition == "near" or self._holds(destination)
        ):
            if preposition == "to" and clause.sense == "bring" and not destination.room:
                return [Goal(Predicate.HOLD, _from(ref, parts)) for ref in themes]  # "take the knife to the bread"
            container = discourse.container()
            if container is None or container.entity in {ref.entity for ref in themes} or destination.categories:
                raise UnclearRequest(
                    f"Nothing can be put {preposition} the {destination.noun}.", Code.PRECONDITION_FAILURE
                )
        destination = _elsewhere(destination, parts)
        relation = {"on": "on", "in": "in", "near": "near"}.get(preposition, "")
        goals = []
        if contents and self._holds(themes[0]):
            goals += [
                Goal(Predicate.PLACE, ref, _from(themes[0], parts), "in")
                for ref in contents
                if self._lexicon.can(ref.categories[0], "pickup")
            ]
        inner = [ref for p, ref in others if p in ("on", "in") and self._portable(ref)]
        outer = [ref for p, ref in others if not self._portable(ref) and p != "to"]
        if inner and not self._portable(destination):  # "put a knife in a pan on the counter"
            goals += [Goal(Predicate.PLACE, _from(ref, parts), inner[-1], "in") for ref in themes]
            return [*goals, Goal(Predicate.PLACE, inner[-1], destination, relation)]
        for ref in themes:
            located = _at(ref, outer[-1]) if outer else _from(ref, parts)
            goals.append(Goal(Predicate.PLACE, located, destination, relation))
        if clause.verb == "serve" and parts.to_person and self._portable(destination):
            goals.append(Goal(Predicate.BRING, destination))  # "serve me the soup in a bowl"
        return goals

    def _get(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        lamps = [
            ref
            for _, ref in parts.where("under", "near", "in", "to", "with")
            if set(ref.categories) & set(self._lamps())
        ]
        themes = self._needed(clause, parts, discourse)
        if lamps and clause.verb in ("hold", "get", "pick", "grab", "lift"):
            return [Goal(Predicate.EXAMINE, ref, self._lamp(lamps[-1])) for ref in themes]
        moved = [(p, ref) for p, ref in parts.where("to") if self._holds(ref)]
        into = any(c.word in _INTO for c in clause.args) and parts.where("on", "in")  # "lift the box ONTO the bed"
        if into or (moved and clause.sense != "want") or (clause.sense == "want" and parts.where("on", "in", "to")):
            return self._put(clause, parts, discourse)
        sources = parts.where("from", *PLACES)
        predicate = Predicate.HOLD if clause.sense == "get" and not parts.to_person else Predicate.BRING
        return [Goal(predicate, _at(ref, sources[-1][1]) if sources else ref) for ref in themes]

    def _switch(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        words = [p for p in parts.particles if p in ("on", "off")]  # "turn it on and off"
        words = words or [word for word in [{"start": "on", "stop": "off"}.get(clause.sense, "")] if word]
        if clause.verb in ("illuminate", "ignite", "light"):
            words = ["on"]
        if not words:
            raise UnclearRequest(f"Shall I {clause.verb} it on or off?", Code.AMBIGUOUS, ("on", "off"))
        themes = self._needed(clause, parts, discourse)
        places = parts.where("on", "in", "near")
        return [Goal(_SWITCHING[word], _at(ref, places[-1][1]) if places else ref) for word in words for ref in themes]

    def _look(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        if clause.verb == "look" and not parts.themes and not parts.phrases:
            return [Goal(Predicate.EXPLORE)]
        wanted = parts.after("for")
        if wanted:
            return [Goal(Predicate.FIND, ref) for ref in wanted]
        lamps = [
            ref
            for _, ref in parts.where("under", "near", "in", "to", "with", "on")
            if set(ref.categories) & {*self._lamps(), "LightSwitch"}
        ]
        themes = [ref for ref in self._needed(clause, parts, discourse) if ref.categories]
        lamp = self._lamp(lamps[-1]) if lamps else None
        return [Goal(Predicate.EXAMINE, _from(ref, parts), lamp) for ref in themes]

    def _find(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        wanted = parts.after("for") or self._needed(clause, parts, discourse)
        sources = parts.where("from", "on", "in", "near", "behind")
        return [Goal(Predicate.FIND, _at(ref, sources[-1][1]) if sources else ref) for ref in wanted]

    def _go(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        places = parts.themes or [ref for _, ref in parts.where("to", "in", "near", "on")]
        if not places:
            raise UnclearRequest("Where shall I go?", Code.AMBIGUOUS)
        return [Goal(Predicate.GO_TO, ref) for ref in places]

    def _throw(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        if {"away", "out"} & set(parts.particles):
            return self._discard(clause, parts, discourse)
        if any(self._holds(ref) for _, ref in parts.where(*PLACES)):
            return self._put(clause, parts, discourse)
        beyond = [ref for _, ref in parts.where("from", *PLACES) if not self._holds(ref)]
        if beyond:
            raise UnclearRequest(f"I can throw things into the air or into something, not past the {beyond[-1].noun}.")
        if clause.verb in _TOSSING and not parts.phrases and not parts.particles and not parts.to_person:
            raise UnclearRequest(f"Shall I {clause.verb} it away or up?", Code.AMBIGUOUS, _WHERE_TO_TOSS)
        return [Goal(Predicate.THROW, _from(ref, parts)) for ref in self._needed(clause, parts, discourse)]

    def _discard(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        themes = parts.themes or parts.after("of")
        parts.themes = themes
        if not themes:
            parts.themes = themes = self._needed(clause, parts, discourse)
        cans = [ref for _, ref in parts.where("in", "to") if "GarbageCan" in ref.categories]
        can = cans[-1] if cans else ObjectRef(("GarbageCan",), "garbage can", entity=discourse.new_entity())
        sources = parts.where("from") + [
            (p, r) for p, r in parts.where("on", "in", "near") if "GarbageCan" not in r.categories
        ]
        return [Goal(Predicate.PLACE, _at(ref, sources[-1][1]) if sources else ref, can, "in") for ref in themes]

    def _pour(self, clause: Clause, parts: Parts, discourse: Discourse) -> list[Goal]:
        vessels = [
            ref for _, ref in parts.where("in", "on") if any(self._lexicon.can(c, "fill") for c in ref.categories)
        ]
        if not vessels:
            raise UnclearRequest("I can only pour water into something that holds water.", Code.NOT_UNDERSTOOD)
        return [Goal(Predicate.FILL, ref) for ref in vessels]

    def _holds(self, ref: ObjectRef) -> bool:
        return bool(ref.room) or any(self._lexicon.can(c, "hold") for c in ref.categories)

    def _below(self, ref: ObjectRef) -> ObjectRef | None:
        """Return what is meant by "under" something: the cupboard below a basin; None where nothing is."""
        below = tuple(dict.fromkeys(self._lexicon.below[c] for c in ref.categories if c in self._lexicon.below))
        return replace(ref, noun=f"place under the {ref.noun}", categories=below, loosely=()) if below else None

    def _portable(self, ref: ObjectRef) -> bool:
        return any(self._lexicon.can(c, "pickup") and self._lexicon.can(c, "hold") for c in ref.categories)

    def _lamps(self) -> tuple[str, ...]:
        return tuple(c for c in self._lexicon.kinds if "lamp" in self._lexicon.kind(c).classes) or _LAMPS

    def _lamp(self, ref: ObjectRef) -> ObjectRef:
        """Return the reference with lamps only: an object is examined by a lamp, not by the room's light switch."""
        lamps = tuple(c for c in ref.categories if c in self._lamps())
        return replace(ref, categories=lamps) if lamps else ref


def _appliance(predicate: Predicate, clause: Clause, parts: Parts) -> ObjectRef | None:
    """Return the appliance that an instruction names, None for the usual one. Raises UnclearRequest for a wrong one."""
    named = [ref for _, ref in parts.where("in", "on")]
    wrong = set(_APPLIANCES[_OPPOSITE[predicate]]) if predicate in _OPPOSITE else set()
    for ref in named:
        if set(ref.categories) & wrong and clause.verb not in ("microwave", "refrigerate"):
            raise UnclearRequest(
                f"I can't {clause.verb} anything in the {ref.noun}. "
                f"If it is to be taken from there, say: {clause.verb} it from the {ref.noun}.",
                Code.PRECONDITION_FAILURE,
            )
    usual = _DEFAULT.get(predicate, "")
    fitting = [ref for ref in named if set(ref.categories) & set(_APPLIANCES.get(predicate, ()))]
    if not usual or not fitting or (usual in fitting[-1].categories and not fitting[-1].room):
        return None
    return fitting[-1]


def _at(ref: ObjectRef, place: ObjectRef) -> ObjectRef:
    """Return the reference, said to be at `place`."""
    if place.entity == ref.entity:
        return ref
    if place.room and not place.categories:
        return replace(ref, room=place.room)
    return replace(ref, place=place)


def _elsewhere(destination: ObjectRef, parts: Parts) -> ObjectRef:
    """Return where something goes without what it comes from: "from the bench to the TABLE" is to no desk."""
    sources = {category for _, ref in parts.where("from") for category in ref.categories}
    others = tuple(category for category in destination.categories if category not in sources)
    loosely = tuple(category for category in destination.loosely if category not in sources)
    return replace(destination, categories=others, loosely=loosely) if others else destination


def _from(ref: ObjectRef, parts: Parts) -> ObjectRef:
    sources = parts.where("from")
    return _at(ref, sources[-1][1]) if sources else ref
