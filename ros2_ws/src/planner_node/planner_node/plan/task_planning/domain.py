# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The planning domain: ground actions made from the skill table that a robot advertises and from household physics."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.plan.task_planning.literals import ANY, Literal
from planner_node.plan.task_planning.physics import Physics, Process
from planner_node.plan.task_planning.schemas import Schema, schemas, useful
from planner_node.plan.task_planning.solving import NoPlan, Operator
from planner_node.skills import Point, SkillTable
from planner_node.world import across

HANDLING_SECONDS = 4.0
"""What one movement of the arm is taken to cost."""
DRIVING_SECONDS = 2.0
"""What setting out is taken to cost, driven or not."""
SECONDS_PER_METRE = 2.0
UNKNOWN_METRES = 4.0
"""The way between places of which one is not known."""
IRREVERSIBLE_SECONDS = 200.0
"""How much longer a plan may take that does without a skill that can't be undone."""
BLIND_SECONDS = 1.0
"""By how much going and acting in one skill is dearer than in two, between which a robot can notice its errors."""
SEARCH_SECONDS = 40.0
"""What looking for something is taken to cost, beside the way to where it likeliest is."""
_MOST_ACTIONS = 20_000
"""Some hundred times what households ask for; it is skills of many arguments that have more."""
START = "start"
"""The place where the robot is when that is none of the things that it is planned with."""
FIND = "find"
"""Stands for the search for something whose place is not known; how that is done is not planned here."""

LOCATED, HOLDING, ON, CLOSED = "located", "holding", "on", "closed"


@dataclass(frozen=True)
class Thing:
    """An object of the problem, known or assumed."""

    name: str
    """Scene-graph id; beginning with "?" for what still has to be found."""
    category: str
    position: Point | None = None
    spot: str = ""
    """Where the robot stands to handle it: its name, or that of what it is handled together with."""
    handicap: float = 0.0
    """Seconds by which something else is preferred to it."""
    door: bool = False
    """Whether it has to be open for anything to be put in or taken out."""

    @property
    def known(self) -> bool:
        """Whether its place is known."""
        return not self.name.startswith(ANY)


@dataclass(frozen=True)
class Action(Operator):
    """A skill with its arguments, ready to be planned with."""

    skill: str = ""
    binding: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Parameter ("target", "receptacle", "?") → name of a thing."""
    goes: str = ""
    """The thing that it does nothing but go to; empty for others."""
    brings: Literal | None = None
    """What it is done for, for people."""


class Domain:
    """Grounds a skill table over the things of one problem."""

    def __init__(self, table: SkillTable, lexicon: Lexicon, physics: Physics, things: Sequence[Thing]) -> None:
        self._lexicon = lexicon
        self._physics = physics
        self._things = {thing.name: thing for thing in things}
        self._schemas = useful(schemas(table, physics), physics)
        self._portable = [t.name for t in things if lexicon.can(t.category, "pickup")]
        self._doors = [t.name for t in things if t.door]
        self._hollow = [*self._doors, *(t.name for t in things if t.category in physics.hollow)]
        self._taking: frozenset[str] = frozenset()
        """What things can be put on, in or beside."""
        self._wanted: Sequence[Literal] = ()
        self._named: frozenset[str] = frozenset()
        self._used = frozenset[str]()
        """Categories that processes for what is wanted put things into."""
        self._spots = {START, *(self._spot(name) for name in self._things)}

    def _can_hold(self, name: str) -> bool:
        return self._lexicon.can(self._things[name].category, "hold")

    def at(self, name: str) -> Literal:
        """Return that the robot stands where a thing can be handled: all that skill tables say of that."""
        return Literal("at", (self._spot(name),))

    def actions(
        self,
        wanted: Sequence[Literal],
        named: frozenset[str],
        positions: Mapping[str, Point | None],
        *,
        beside: bool = False,
    ) -> list[Action]:
        """Return the actions. `named` are the things that the instruction names beside what it is about.

        `positions`: of spots, for the length of ways. `beside`: things are put near what is named. NoPlan: too many.
        """
        aims = {o.predicate for o in wanted}
        ways = [p for p in self._physics.processes if aims & {o.predicate for o in p.then}]
        self._used = frozenset(c for p in ways for categories in p.categories.values() for c in categories)
        self._wanted, self._named = wanted, named
        self._taking = named if beside else frozenset(n for n in named if self._can_hold(n))
        self._taking |= {n for n in self._things if n not in self._portable and self._can_hold(n)}
        processes = [p for process in self._physics.processes for p in self._instances(process, named)]
        found: list[Action] = []
        for schema in self._schemas:
            for binding in self._bindings(schema):
                for action in self._ground(schema, binding, positions):
                    found += self._with_processes(action, processes)
                if len(found) > _MOST_ACTIONS:
                    raise NoPlan(f"there are more than {_MOST_ACTIONS} things that I could do")
        for thing in self._things.values():
            if not thing.known:
                found += self._finding(thing, positions)
        return found

    # Skills

    def _bindings(self, schema: Schema) -> Iterator[dict[str, str]]:
        choices = [self._choices(schema, role) for role in schema.roles]
        for names in itertools.product(*choices):
            if len(set(names)) == len(names):
                yield dict(zip(schema.roles, names, strict=True))

    def _choices(self, schema: Schema, role: str) -> list[str]:
        """Return the things that an argument can be, by what the literals say of it."""
        fits = list(self._things.values())
        if role not in schema.parameters and role != ANY:  # a category: "holding(Knife)"
            categories = self._lexicon.slicers if role in self._lexicon.slicers else (role,)
            return [t.name for t in fits if t.category in categories]
        for literal in schema.needs:
            affordance = self._physics.affordances.get(literal.predicate)
            if affordance and role in literal.arguments:
                fits = [t for t in fits if self._lexicon.can(t.category, affordance)]
        for literal in (*schema.needs, *schema.effects):
            if literal.predicate == HOLDING and role in literal.arguments:
                fits = [t for t in fits if t.name in self._portable]
            if literal.predicate == ON and literal.positive and literal.arguments[-1] == role:
                fits = [t for t in fits if t.name in self._taking]
        return [t.name for t in fits]

    def _ground(
        self, schema: Schema, binding: Mapping[str, str], positions: Mapping[str, Point | None]
    ) -> list[Action]:
        needs = {n.bound(binding) for n in schema.needs if n.predicate not in self._physics.affordances}
        effects = set[Literal]()
        for effect in (e.bound(binding) for e in schema.effects):
            effects |= set(self._everything(effect)) if ANY in effect.arguments else {effect}
        if any(e.predicate == ON and e.positive and not self._may_put(*e.arguments) for e in effects):
            return []
        places = [n.arguments[0] for n in needs if n.predicate in self._physics.here and n.positive]
        goals = [e.arguments[0] for e in effects if e.predicate in self._physics.here and e.positive]
        sites = [n.arguments[0] for n in needs if n.predicate == LOCATED and n.positive]
        here = {o for o in (*needs, *effects) if o.predicate in self._physics.here}
        drives = next((name for name in (*goals, *sites) if name in self._things), "")
        brings = next((e for e in (e.bound(binding) for e in schema.effects) if self._words(e)), None)
        for taken in [e.arguments[0] for e in effects if e.predicate == HOLDING and e.positive]:
            effects |= set(self._everything(~Literal(ON, (taken, ANY))))
        needs, effects = needs - here, effects - here
        needs = {n for n in needs if not self._never_shut(n, binding)}
        for effect in tuple(effects):
            needs |= self._first(effect)
        cost = (HANDLING_SECONDS if effects else 0.0) + (IRREVERSIBLE_SECONDS if schema.spec.irreversible else 0.0)
        goes = "" if effects else drives
        base = Action(frozenset(needs), frozenset(effects), cost, schema.spec.name, binding, goes, brings)
        if drives:
            return self._driving(base, drives, positions)
        return self._standing(base, places)

    def _may_put(self, name: str, place: str) -> bool:
        """Whether something may be put there: what is only in the way goes on surfaces, and into nothing."""
        category = self._things[place].category
        if category in self._physics.surfaces:
            return True
        about = any(o.arguments[:1] == (name,) for o in self._wanted)
        return about and (place in self._named or category in self._used or Literal(ON, (name, place)) in self._wanted)

    def _driving(self, action: Action, to: str, positions: Mapping[str, Point | None]) -> list[Action]:
        """Return the ways of an action that begins with going to a thing."""
        spot, found = self._spot(to), []
        effects = action.effects | self._arrived(spot)
        for access in self._open_around(to):
            for origin in sorted(self._spots - {spot}):
                way = _metres(positions.get(origin), positions.get(spot)) * SECONDS_PER_METRE + DRIVING_SECONDS
                needs = action.needs | access | {Literal("at", (origin,)), Literal(LOCATED, (to,))}
                cost = action.cost + way + self._things[to].handicap + (0.0 if action.goes else BLIND_SECONDS)
                found.append(replace(action, needs=needs, effects=effects, cost=cost))
            if not action.goes:
                here = action.needs | access | {Literal("at", (spot,))}
                found.append(replace(action, needs=here, cost=action.cost + BLIND_SECONDS))
        return found

    def _arrived(self, spot: str) -> frozenset[Literal]:
        return frozenset([Literal("at", (spot,)), *(~Literal("at", (other,)) for other in self._spots - {spot})])

    def _standing(self, action: Action, places: Sequence[str]) -> list[Action]:
        """Return the ways of an action on things that the robot must stand at."""
        found = [action]
        for place in dict.fromkeys(places):
            if place not in self._things:
                continue
            ways: list[set[Literal]] = [{self.at(place), *access} for access in self._open_around(place)]
            if place in self._portable:
                for holder in (h for h in self._hollow if h != place):
                    shut = {~Literal(CLOSED, (holder,))} if holder in self._doors else set()
                    there = {self.at(holder), Literal(ON, (place, holder)), *shut}
                    ways += [there | access for access in self._open_around(holder, (place,))]
            found = [replace(a, needs=a.needs | way) for a in found for way in ways]
        put = {
            Literal("at", (self._spot(e.arguments[0]),))
            for e in action.effects
            if e.predicate == ON and e.positive and e.arguments[0] in self._things
        }
        return [replace(a, effects=a.effects | put) for a in found]

    def _open_around(self, name: str, within: tuple[str, ...] = ()) -> list[frozenset[Literal]]:
        """Return when a thing can be got at: in nothing that may be closed, or in what is open and can be got at."""
        if name not in self._portable:
            return [frozenset()]
        doors = [d for d in self._doors if d not in (name, *within)]
        ways = ((d, way) for d in doors for way in self._open_around(d, (*within, name)))
        inside = (way | {Literal(ON, (name, d)), ~Literal(CLOSED, (d,))} for d, way in ways)
        return [frozenset(~Literal(ON, (name, d)) for d in doors), *inside]

    def _finding(self, thing: Thing, positions: Mapping[str, Point | None]) -> list[Action]:
        spot = self._spot(thing.name)
        arrived = self._arrived(spot) | {Literal(LOCATED, (thing.name,))}
        least = SEARCH_SECONDS + thing.handicap
        return [
            Action(
                frozenset([~Literal(LOCATED, (thing.name,)), Literal("at", (origin,))]),
                arrived,
                least + _metres(positions.get(origin), positions.get(spot)) * SECONDS_PER_METRE,
                FIND,
                {"target": thing.name},
                thing.name,
            )
            for origin in sorted(self._spots - {spot})
        ]

    # Physics

    def _instances(self, process: Process, named: frozenset[str]) -> Iterator[Process]:
        """Return a process with things for its variables."""
        variables = list(dict.fromkeys(a for o in process.when for a in o.arguments))
        choices = [
            [
                n
                for n, t in self._things.items()
                if t.category in process.categories[v] and (v != process.named or n in named)
            ]
            if v in process.categories
            else self._portable
            for v in variables
        ]
        for names in itertools.product(*choices):
            binding = dict(zip(variables, names, strict=True))
            if process.within is not None:
                one, other, metres = process.within
                a, b = self._things[binding[one]], self._things[binding[other]]
                if a.known and b.known and across(a.position, b.position) > metres:
                    continue
            yield replace(
                process,
                when=tuple(o.bound(binding) for o in process.when),
                then=tuple(o.bound(binding) for o in process.then),
            )

    def _with_processes(self, action: Action, processes: Sequence[Process]) -> list[Action]:
        """Return the action as it is, and once for each process that it sets off."""
        found = [action]
        for process in processes:
            caused = [o for o in process.when if o in action.effects]
            if not caused:
                continue
            others = frozenset(o for o in process.when if o not in action.effects)
            if others:
                then = action.effects | set(process.then)
                found.append(replace(action, needs=action.needs | others, effects=then))
            else:
                found[0] = replace(found[0], effects=found[0].effects | set(process.then))
        return found

    def _first(self, effect: Literal) -> frozenset[Literal]:
        """Return what must hold before an effect can be brought about."""
        found = set[Literal]()
        for rule in self._physics.first:
            if (rule.to.predicate, rule.to.positive) != (effect.predicate, effect.positive):
                continue
            binding = dict(zip(rule.to.arguments, effect.arguments, strict=False))
            if all(
                binding[v] in self._things and self._things[binding[v]].category in c
                for v, c in rule.categories.items()
            ):
                found |= {n.bound(binding) for n in rule.needs}
        return frozenset(found)

    def _everything(self, effect: Literal) -> Iterator[Literal]:
        """Return an effect on whatever it is, for each thing that it can be."""
        return (effect.bound({ANY: name}) for name in self._things if name not in effect.arguments)

    def _never_shut(self, need: Literal, binding: Mapping[str, str]) -> bool:
        """Whether a need is that something without a door is not closed."""
        if need.predicate != CLOSED or need.positive or need.arguments[0] == binding.get("target"):
            return False
        thing = self._things.get(need.arguments[0])
        return thing is not None and thing.name not in self._doors

    def _words(self, literal: Literal) -> str:
        return self._physics.said.get((literal.predicate, literal.positive), "")

    def _spot(self, name: str) -> str:
        thing = self._things.get(name)
        return (thing.spot or name) if thing else name


def _metres(a: Point | None, b: Point | None) -> float:
    return math.dist(a, b) if a is not None and b is not None else UNKNOWN_METRES
