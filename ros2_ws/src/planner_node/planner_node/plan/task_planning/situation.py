# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner believes of the world, as things and literals of a planning problem: only what a goal may need."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.names import BASINS, Grounding
from planner_node.plan.search import ordered_areas
from planner_node.plan.task_planning.domain import CLOSED, HOLDING, LOCATED, ON, START, Action, Domain, Thing
from planner_node.plan.task_planning.literals import ANY, Literal
from planner_node.plan.task_planning.physics import Physics
from planner_node.plan.task_planning.schemas import schemas
from planner_node.skills import Point, SkillTable
from planner_node.understand.goals import ObjectRef
from planner_node.world import WATER_REACH, Belief, World, across

SLICED = "sliced"
_MOST_ALIKE = 2
"""So many things of one kind are planned with: the nearest."""
_MOST_SURFACES = 3
_WORSE = 20.0
"""Seconds by which a better kind of tool is preferred."""
_OF_OBJECTS = frozenset({"clean", "hot", "cold", "filled", SLICED, "dirty"})
"""Predicates of the physics → states as World names them."""
KEPT = frozenset({CLOSED, "toggled", "broken", ON, HOLDING, "handempty", LOCATED, "at", *_OF_OBJECTS})
"""Predicates that the world model keeps."""

_ONCE = _OF_OBJECTS | {"broken"}
"""Predicates that are wanted to have been brought about, not to stay."""


@dataclass(frozen=True)
class Role:
    """What a goal speaks of."""

    ref: ObjectRef
    index: int = 0
    avoid: frozenset[str] = frozenset()
    """Ids that it must not be."""


@dataclass(frozen=True)
class Wish:
    """What is to be true, over the names of roles and the ids of things."""

    literals: tuple[Literal, ...]
    roles: Mapping[str, Role] = field(default_factory=dict)
    relation: str = ""
    """"near" where things are to be put beside something."""
    anew: frozenset[str] = frozenset()
    """Predicates that are to be brought about though they may hold already."""
    why: str = ""
    """What it is good for, for people: "look for the apple in the fridge"."""
    avoid: frozenset[str] = frozenset()
    """Ids of things that nothing is to be put on or in."""


@dataclass(frozen=True)
class Problem:
    """A planning problem, and what its names stand for."""

    things: Mapping[str, Thing]
    roles: Mapping[str, Role]
    """Name of a thing → the role that it was chosen for."""
    state: frozenset[Literal]
    actions: tuple[Action, ...]
    goal: tuple[Literal, ...]


class Situation:
    """Makes problems of wishes and of what is believed."""

    def __init__(
        self, world: World, lexicon: Lexicon, table: SkillTable, grounding: Grounding, physics: Physics
    ) -> None:
        self._world = world
        self._lexicon = lexicon
        self._table = table
        self._grounding = grounding
        self._physics = physics
        self.assumed: dict[Literal, bool] = {}
        """What skills have brought about, or turned out to need, that the world model does not keep."""
        self.opened: dict[str, None] = {}
        """What was opened on the way and is to be closed again."""

    def take_over(self, effects: Iterable[Literal]) -> None:
        """Note what a skill has brought about, where the world model does not by itself."""
        for effect in effects:
            fact = effect if effect.positive else ~effect
            if effect.predicate not in (HOLDING, "handempty", LOCATED, "at") and (
                fact in self.assumed or self._believes(fact) is not effect.positive
            ):
                self.assumed[fact] = effect.positive

    def _believes(self, fact: Literal) -> bool | None:
        """Return whether the world model holds a fact; None where it knows nothing of that kind."""
        name = fact.arguments[0] if fact.arguments else ""
        if fact.predicate == ON:
            belief = self._world.get(name)
            return belief is not None and belief.node.receptacle == fact.arguments[-1] and name != self._world.held
        if fact.predicate == CLOSED:
            return self._world.is_open(name) is False
        if fact.predicate == "toggled":
            return self._world.is_on(name) is True
        return None

    def workplaces(self, predicates: Collection[str]) -> frozenset[str]:
        """Return the categories of what makes such literals true of what is in it."""
        ways = [p for p in self._physics.processes if set(predicates) & {o.predicate for o in p.then if o.positive}]
        return frozenset(c for way in ways for categories in way.categories.values() for c in categories)

    def problem(self, wish: Wish, done: Collection[Literal], avoid: frozenset[str], unsure: frozenset[str]) -> Problem:
        """Return the problem. `done`: what was brought about for this wish. `avoid`: ids not to be used.

        States count once they were brought about: what is heated and then put into the fridge was heated.

        `unsure`: names of roles whose thing has to be looked for though one is known.
        """
        chosen = {role: self._choose(role, one, avoid, unsure) for role, one in wish.roles.items()}
        names = {role: thing.name for role, thing in chosen.items()}
        things = {thing.name: thing for thing in chosen.values()}
        wanted = tuple(literal.bound(names) for literal in wish.literals)
        for literal in wanted:
            self._add(things, (a for a in literal.arguments if a not in things))
        named = frozenset(name for role, name in names.items() if role != "x")
        self._add_helpers(things, wanted, named, avoid)
        if self._world.held:
            self._add(things, [self._world.held])
            things.setdefault(self._world.held, Thing(self._world.held, ""))
        self._add_surfaces(things, wanted, avoid)
        for name in list(things):
            belief = self._world.get(name)
            holder = belief.node.receptacle if belief else ""
            hollow = self._world.category_of(holder) in self._physics.hollow
            self._add(things, [*self._doors_around(name), *([holder] if hollow else [])])
        self._add(things, self.opened)
        domain = Domain(self._table, self._lexicon, self._physics, list(things.values()))
        positions: dict[str, Point | None] = {START: self._world.position}
        for thing in things.values():
            positions.setdefault(thing.spot or thing.name, thing.position)
        actions = domain.actions(wanted, named, positions, beside=wish.relation == "near")
        actions = [a for a in actions if a.binding.get("receptacle") not in avoid]
        state = self._state(domain, things, actions, wanted)
        if wish.anew:
            state -= {o for o in state if o.predicate in wish.anew and o.arguments == (names["x"],)}
        undone = self._undone(things, state, wanted)
        once = {o: Literal(f"once {o.predicate}", o.arguments) for o in wanted if o.predicate in _ONCE and o.positive}
        once = {o: had for o, had in once.items() if o in done or o in state or any(o in a.effects for a in actions)}
        state |= {had for o, had in once.items() if o in done or o in state}
        actions = [replace(a, effects=a.effects | {once[o] for o in a.effects if o in once}) for a in actions]
        goal = tuple(once.get(o, o) for o in wanted)
        cut = tuple(o for o in goal if o.predicate.endswith(SLICED) and o not in state)
        goal = (cut or goal) + undone  # first of all: slices are other things than what they are cut from
        return Problem(things, {names[r]: one for r, one in wish.roles.items()}, state, tuple(actions), goal)

    # Things

    def _choose(self, role: str, one: Role, avoid: frozenset[str], unsure: frozenset[str]) -> Thing:
        bound = self._world.get(self._grounding.bound(one.ref, one.index))
        known = [bound] if bound is not None else []  # it may be what only loosely is what was asked for
        known = [] if role in unsure else [*known, *self._grounding.candidates(one.ref, one.index)]
        for belief in known:
            if belief.id not in avoid and belief.id not in one.avoid:
                return self._thing(belief)
        return self._unknown(one.ref, role)

    def _unknown(self, ref: ObjectRef, role: str) -> Thing:
        """Return what stands for something that still has to be found, at its likeliest place."""
        category = ref.categories[0] if ref.categories else ""
        areas = ordered_areas(self._world, self._lexicon, ref.categories, ref.room)
        return Thing(f"{ANY}{role}", category, areas[0] if areas else None)

    def _thing(self, belief: Belief, handicap: float = 0.0) -> Thing:
        category = belief.node.category
        lidless = self._world.is_open(belief.id) is False and not self._world.hides(belief.id)
        door = self._lexicon.can(category, "open") and self._lexicon.can(category, "hold") and not lidless
        return Thing(belief.id, category, belief.node.position, handicap=handicap, door=door)

    def _add(self, things: dict[str, Thing], names: Iterable[str]) -> None:
        for name in names:
            belief = self._world.get(name)
            if belief is not None and name not in things:
                things[name] = self._thing(belief)

    def _near(self, categories: Iterable[str], anchor: Point | None, avoid: frozenset[str]) -> list[Belief]:
        found = [b for b in self._world.of(categories) if b.id not in avoid]
        return sorted(found, key=lambda b: across(b.node.position, anchor) if anchor else self._world.distance(b.node))

    def _add_helpers(
        self, things: dict[str, Thing], wanted: Sequence[Literal], named: frozenset[str], avoid: frozenset[str]
    ) -> None:
        """Add what processes and tools for bringing about what is wanted need."""
        predicates = {literal.predicate for literal in wanted if literal.positive}
        anchor = next((t.position for t in things.values() if t.position), None)
        taken = {things[n].category for n in named if n in things}
        ways = [p for p in self._physics.processes if predicates & {o.predicate for o in p.then if o.positive}]
        ways = [p for p in ways if any(taken & set(c) for c in p.categories.values())] or [
            p for p in ways if not p.named
        ]
        for process in ways:
            for variable, categories in process.categories.items():
                paired = process.within is not None and variable == process.within[0]
                if not paired and not taken & set(categories):
                    self._add_alike(things, categories, anchor, avoid)
            if process.within is not None:
                self._pair(things, process.categories, process.within, avoid)
        for schema in schemas(self._table, self._physics):
            if predicates & {e.predicate for e in schema.effects if e.positive and e.predicate not in (ON, HOLDING)}:
                for need in schema.needs:
                    for argument in need.arguments:
                        if need.predicate == HOLDING and argument not in (*schema.parameters, ANY):
                            slicers = self._lexicon.slicers
                            self._add_alike(things, slicers if argument in slicers else (argument,), anchor, avoid)

    def _add_alike(
        self, things: dict[str, Thing], categories: Sequence[str], anchor: Point | None, avoid: frozenset[str]
    ) -> None:
        found = [b for b in self._near(categories, anchor, avoid) if not self._has_basin(b)]
        found.sort(key=lambda b: categories.index(b.node.category))
        held = [b for b in found if b.id == self._world.held]
        for belief in [*held, *found[:_MOST_ALIKE]]:
            things.setdefault(belief.id, self._thing(belief, _WORSE * categories.index(belief.node.category)))
        if not found:
            ref = ObjectRef(tuple(categories), self._lexicon.kind(categories[0]).noun)
            unknown = self._unknown(ref, categories[0])
            things.setdefault(unknown.name, unknown)

    def _has_basin(self, belief: Belief) -> bool:
        """Whether something is but the rim of a basin that is known: nothing can be put into the rim."""
        basins = self._world.of([BASINS[belief.node.category]] if belief.node.category in BASINS else [])
        return any(across(basin.node.position, belief.node.position) <= WATER_REACH for basin in basins)

    def _pair(
        self,
        things: dict[str, Thing],
        categories: Mapping[str, Sequence[str]],
        within: tuple[str, str, float],
        avoid: frozenset[str],
    ) -> None:
        """Add what belongs to each of the things there are: the tap to the basin. Both are handled from one place."""
        one, other, metres = within
        found = False
        for basin in [t for t in things.values() if t.category in categories[other] and t.known]:
            for tap in self._near(categories[one], basin.position, avoid)[:1]:
                if across(tap.node.position, basin.position) <= metres and not (
                    tap.id in things and things[tap.id].spot
                ):
                    things[tap.id] = replace(self._thing(tap), spot=basin.name)
                    found = True
        if not found:
            kind = categories[one][0]
            things[f"{ANY}{kind}"] = Thing(f"{ANY}{kind}", kind)

    def _add_surfaces(self, things: dict[str, Thing], wanted: Sequence[Literal], avoid: frozenset[str]) -> None:
        """Add where something can be put that has to go out of the hand, if that may be."""
        held = self._world.held
        kept = {o.arguments[0] for o in wanted if o.predicate in (HOLDING, ON) and o.positive}
        tools = any(
            self._lexicon.can(t.category, "pickup") and t.category in self._lexicon.slicers for t in things.values()
        )
        if not (held and held not in kept) and not tools and Literal("handempty") not in wanted:
            return
        near = [b for b in self._near(self._physics.surfaces, None, avoid) if not self._world.hides(b.id)]
        last = self._physics.surfaces[-1]
        best = [b for b in near if b.node.category != last][:_MOST_SURFACES] or near[:1]
        for belief in best:
            things.setdefault(belief.id, self._thing(belief))
        if not best:
            things["?surface"] = Thing("?surface", self._physics.surfaces[0])

    # Literals

    def _state(
        self, domain: Domain, things: Mapping[str, Thing], actions: Sequence[Action], wanted: Sequence[Literal]
    ) -> frozenset[Literal]:
        """Return what is believed to hold; what nobody knows of is taken not to."""
        held = self._world.held
        state = {Literal(HOLDING, (held,)) if held else Literal("handempty")}
        at = self._world.at
        state.add(domain.at(at) if at in things else Literal("at", (START,)))
        for name, thing in things.items():
            if thing.known:
                state.add(Literal(LOCATED, (name,)))
            belief = self._world.get(name)
            if belief is None:
                continue
            holder = belief.node.receptacle
            for place in {holder, *self._doors_around(name)[:1]} & set(things) if name != held else ():
                state.add(Literal(ON, (name, place)))
            if holder and holder == at and self._lexicon.can(self._world.category_of(holder), "open"):
                state.add(domain.at(name))
            if self._world.hides(name) or self._world.is_open(name) is False:
                state.add(Literal(CLOSED, (name,)))
            if self._world.is_on(name):
                state.add(Literal("toggled", (name,)))
            if belief.node.states.get("isBroken") == "true":
                state.add(Literal("broken", (name,)))
            state |= {Literal(p, (name,)) for p in _OF_OBJECTS if self._world.has(name, p)}
            state |= self._told(name, belief)
        state = self._with_assumptions(state, actions)
        for literal in wanted:
            unknown = {CLOSED: self._world.is_open, "toggled": self._world.is_on}.get(literal.predicate)
            if unknown is not None and unknown(literal.arguments[0]) is None and literal not in self.assumed:
                state = state - {literal} if literal.positive else state | {~literal}
        return frozenset(state)

    def _told(self, name: str, belief: Belief) -> set[Literal]:
        """Return what the states of an object say under names of their own: "isLocked" is "locked"."""
        return {
            Literal(key[2].lower() + key[3:], (name,))
            for key, value in belief.node.states.items()
            if value == "true" and key.startswith("is") and len(key) > 3 and key not in ("isOpen", "isToggled")
        }

    def _with_assumptions(self, state: set[Literal], actions: Sequence[Action]) -> set[Literal]:
        """Add what the world model does not keep: what is noted, else what is needed and no skill brings about."""
        made = {e.predicate for action in actions for e in action.effects}
        kept = KEPT | {o.predicate for o in state}
        given = {n for a in actions for n in a.needs if n.positive and n.predicate not in made | kept}
        state = state | given
        for literal, holds in self.assumed.items():
            state = (state | {literal}) if holds else (state - {literal})
        return state

    def _undone(
        self, things: Mapping[str, Thing], state: frozenset[Literal], wanted: Sequence[Literal]
    ) -> tuple[Literal, ...]:
        """Return what is to be as it was: doors closed, appliances off."""
        asked = {literal if literal.positive else ~literal for literal in wanted}
        found = []
        for predicate, value in self._physics.undone:
            for name, thing in things.items():
                literal = Literal(predicate, (name,))
                affordance = "open" if predicate == CLOSED else "toggle"
                if literal in asked or not self._lexicon.can(thing.category, affordance):
                    continue
                was = (literal in state) != value or (predicate == CLOSED and name in self.opened)
                if was:
                    found.append(literal if not value else ~literal)
        return tuple(found)

    def _doors_around(self, name: str) -> list[str]:
        """Return what has a door, open or not, among the receptacles that hold a thing, the nearest first."""
        around = [self._world.get(holder) for holder in self._world.around(name)]
        return [belief.id for belief in around if belief is not None and self._thing(belief).door]
