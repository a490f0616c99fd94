# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The calls that may do something as things stand, from the skill table's preconditions over what is known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.names import Grounding
from planner_node.plan.task_planning.domain import CLOSED, HOLDING, ON
from planner_node.plan.task_planning.literals import ANY, Literal
from planner_node.plan.task_planning.physics import household_physics
from planner_node.plan.task_planning.schemas import Schema, schemas
from planner_node.skills import SkillCall, SkillTable, Target
from planner_node.understand.goals import ObjectRef
from planner_node.world import SEEN, Belief, World

_MOST = 14
"""Calls that are offered: a small model chooses among few."""
_MOST_ALIKE = 2
"""So many things more than asked for are offered of a kind: the likeliest."""
_EXPLORE = "Explore"
_NAMED, _AROUND, _MEANS, _ASIDE, _NONE = 0.0, 0.5, 1.0, 2.0, 9.0
"""How far a thing is from what the words are about: named, holds it, is a means to it, takes what is in the hand."""


@dataclass(frozen=True)
class Option:
    """A call that may be made now."""

    text: str
    """As the model says it: "PickupObject(Apple_2)"."""
    call: SkillCall
    stand_at: str = ""
    """Id of what the robot has to stand at for it; "" where the skill goes there by itself, or nowhere."""
    note: str = ""
    """What memory says of it, in a few words."""
    looks_for: tuple[ObjectRef, int] | None = None
    """What is to be found, and which of several: the robot looks around and into what is closed, as for any plan."""


@dataclass(frozen=True)
class About:
    """What the next calls may be about."""

    things: Sequence[ObjectRef]
    """What the words name, or what has to be done next is about."""
    predicates: frozenset[str] | None = None
    """What is to be brought about; None where that is not known."""
    asked: frozenset[str] = frozenset()
    """Of what can't be undone, what the words ask for: nothing else is sliced or broken."""
    sets: bool = True
    """Whether what is named may be switched, or closed: it is asked for, or nobody knows what is."""
    stays: Callable[[str], bool] = lambda name: False
    """Whether a thing (its id) is already as it is to be, and is not to be taken away."""


class Options:
    """Lists the calls that are admissible: with what the words name, and known means to that."""

    def __init__(self, table: SkillTable, lexicon: Lexicon, grounding: Grounding) -> None:
        self._lexicon = lexicon
        self._grounding = grounding
        self._physics = household_physics()
        self._explores = _EXPLORE in table
        self._tools: dict[tuple[str, ...], ObjectRef] = {}
        """What is needed as a means, of some kinds → its reference: the same whenever it is needed."""
        self._schemas = self._without_twins(schemas(table, self._physics))

    def now(self, world: World, about: About) -> list[Option]:
        """Return what may be done, what it is about first."""
        labels = labels_of(world)
        means = self._means_to(about)
        ranks = self._ranks(world, about, means)
        found: list[tuple[float, Option]] = []
        for schema in self._schemas:
            if schema.spec.irreversible and not {e.predicate for e in schema.effects} & about.asked:
                continue
            for binding in self._bindings(schema, world, ranks, about):
                if schema.spec.irreversible and not self._is_meant(binding.get("target", ""), about):
                    continue
                idle = not about.sets and self._only_sets(schema, binding, world, ranks)
                if not idle and (option := self._option(schema, binding, world, labels)):
                    found.append((max(ranks.get(name, _NONE) for name in binding.values()), option))
        handled = {target.id for _, option in found for target in (option.call.target, option.call.receptacle)}
        found += self._searches(about, means, handled) if self._explores else ()
        ranked = (option for _, option in sorted(found, key=lambda pair: pair[0]))
        return list({option.text: option for option in ranked}.values())[:_MOST]

    def _is_meant(self, name: str, about: About) -> bool:
        """Whether something that can't be undone may be done to a thing: it is what the next goal is about."""
        refs = about.things if about.predicates is None else about.things[:1]
        return any(name in (b.id for b in self._grounding.candidates(ref)) for ref in refs)

    def _searches(
        self, about: About, means: Sequence[tuple[str, ...]], handled: Collection[str]
    ) -> Iterator[tuple[float, Option]]:
        """Yield what may be looked for: what is named or needed, and not known, or only remembered.

        `handled`: ids of what other calls are about.
        """
        for kinds in means:
            noun = self._lexicon.kind(kinds[0]).noun
            self._tools.setdefault(kinds, ObjectRef(kinds, noun, entity=-1000 - len(self._tools)))
        tools = [self._tools[kinds] for kinds in means]
        for rank, refs in ((_NAMED, about.things), (_MEANS, tools)):
            for ref in refs:
                index = self._grounding.count_bound(ref) if ref.count > 1 else 0
                known = self._grounding.candidates(ref, index)
                there = any(self._is_there(one) or one.id in handled for one in known)
                if ref.categories and index < max(ref.count, 1) and not there:
                    call = SkillCall(_EXPLORE, Target(category=ref.categories[0]))
                    yield rank, Option(f"{_EXPLORE}({ref.noun})", call, looks_for=(ref, index))

    def _is_there(self, belief: Belief) -> bool:
        """Whether a thing is where it is known to be: it was seen there, or can't be carried away."""
        return belief.source == SEEN or not self._lexicon.can(belief.node.category, "pickup")

    def _means_to(self, about: About) -> list[tuple[str, ...]]:
        """Return what brings about what is wanted, as kinds of which one is needed: (Microwave,), (Faucet,)."""
        named = {category for ref in about.things for category in ref.categories}
        ways = [p for p in self._physics.processes if not p.named or named & set(p.categories[p.named])]
        if about.predicates is not None:
            ways = [p for p in ways if {o.predicate for o in p.then if o.positive} & about.predicates]
        means = [kinds for way in ways for kinds in way.categories.values()]
        if about.predicates is not None and "sliced" in about.predicates:
            means.append(tuple(self._lexicon.slicers))
        return list(dict.fromkeys(means))

    def _ranks(self, world: World, about: About, means: Sequence[tuple[str, ...]]) -> dict[str, float]:
        """Return the ids of what calls may be about → how far each is from what it is about."""
        ranks: dict[str, float] = {world.held: _NAMED} if world.held else {}
        nearest = [
            min(known, key=lambda b: (kinds.index(b.node.category), world.distance(b.node))).id
            for kinds in means
            if (known := world.of(kinds))
        ]
        for ref in about.things:
            chosen = [name for name in self._grounding.all_bound_of(ref) if world.get(name) is not None]
            if len(chosen) < max(ref.count, 1):
                known = self._grounding.candidates(ref)  # the first one says of which kind they are
                alike = [one.id for one in known if one.node.category == known[0].node.category]
                chosen += [name for name in alike[: max(ref.count, 1) + _MOST_ALIKE] if name not in chosen]
            for number, name in enumerate(chosen):
                _note(ranks, [name], _NAMED + number / 100)
                holders = (world.get(holder) for holder in world.around(name) if holder not in nearest)
                doors = [h.id for h in holders if h is not None and self._lexicon.can(h.node.category, "open")]
                _note(ranks, doors, _AROUND + number / 100)
        _note(ranks, nearest, _MEANS)
        if world.held:
            free = [b for b in world.of(self._physics.surfaces) if not world.hides(b.id)]
            _note(ranks, [b.id for b in sorted(free, key=lambda b: world.distance(b.node))[:1]], _ASIDE)
        return ranks

    def _without_twins(self, found: list[Schema]) -> list[Schema]:
        """Return the skills that do something, each effect once: a table may have two names for switching on."""
        kept: dict[tuple[frozenset[tuple[str, bool]], bool], Schema] = {}
        for schema in found:
            does = {(e.predicate, e.positive) for e in schema.effects if e.predicate not in self._physics.here}
            if does - {(ON, False)} and schema.spec.name != _EXPLORE:
                kept.setdefault((frozenset(does - {(ON, False)}), schema.spec.irreversible), schema)
        return list(kept.values())

    def _bindings(
        self, schema: Schema, world: World, ranks: Mapping[str, float], about: About
    ) -> Iterator[dict[str, str]]:
        roles = [role for role in schema.roles if role in schema.parameters or role == ANY]
        choices = [self._choices(schema, role, world, ranks, about) for role in roles]
        for names in itertools.product(*choices):
            if len(set(names)) == len(names):
                yield dict(zip(roles, names, strict=True))

    def _choices(self, schema: Schema, role: str, world: World, ranks: Mapping[str, float], about: About) -> list[str]:
        """Return the ids that an argument may be."""
        if role == ANY or any(n.predicate == HOLDING and n.arguments == (role,) for n in schema.needs):
            return [world.held] if world.held else []
        needs = [self._physics.affordances[n.predicate] for n in schema.needs if self._affords(n, role)]
        if taken := any(e.predicate == HOLDING and e.arguments == (role,) for e in schema.effects):
            needs.append("pickup")
        if takes := any(e.predicate == ON and e.positive and e.arguments[-1:] == (role,) for e in schema.effects):
            needs.append("hold")
        fits = (n for n, rank in ranks.items() if (not _AROUND <= rank < _MEANS if takes else rank < _ASIDE))
        known = (belief for name in fits if (belief := world.get(name)) is not None)
        known = (b for b in known if not (taken and about.stays(b.id)))
        return [b.id for b in known if all(self._lexicon.can(b.node.category, need) for need in needs)]

    def _affords(self, need: Literal, role: str) -> bool:
        return need.predicate in self._physics.affordances and role in need.arguments

    def _option(
        self, schema: Schema, binding: Mapping[str, str], world: World, labels: Mapping[str, str]
    ) -> Option | None:
        needs = [need.bound(binding) for need in schema.needs]
        before = self._first([effect.bound(binding) for effect in schema.effects], world)
        if any(self._denied(n, world) for n in (*needs, *before)) or self._changes_nothing(schema, binding, world):
            return None
        target, receptacle = (binding.get(role, "") for role in ("target", "receptacle"))
        subject = receptacle or target
        if subject and subject != world.held and world.closed_around(subject):
            return None  # what it is in has to be opened first
        here = next((n.arguments[0] for n in needs if n.predicate in self._physics.here and n.positive), "")
        said = [labels[name] for name in (target, receptacle) if name]
        call = SkillCall(schema.spec.name, _target(target, world), _target(receptacle, world))
        return Option(f"{schema.spec.name}({', '.join(said)})", call, here if here in labels else "")

    def _first(self, effects: Iterable[Literal], world: World) -> Iterator[Literal]:
        """Yield what must hold before such effects can come about: a microwave is off when it is opened."""
        for effect, first in itertools.product(effects, self._physics.first):
            if (effect.predicate, effect.positive) != (first.to.predicate, first.to.positive):
                continue
            names = dict(zip(first.to.arguments, effect.arguments, strict=False))
            if all(world.category_of(names.get(part, "")) in of for part, of in first.categories.items()):
                yield from (need.bound(names) for need in first.needs)

    def _only_sets(self, schema: Schema, binding: Mapping[str, str], world: World, ranks: Mapping[str, float]) -> bool:
        """Whether a skill opens, closes or switches something to no end: it is no means, or empty and hides nothing."""
        effects = [e for e in schema.effects if e.predicate not in self._physics.here]
        if not effects or any(e.predicate not in (CLOSED, "toggled") for e in effects):
            return False
        name = binding.get("target", "")
        opens = any(e.predicate == CLOSED and not e.positive for e in effects)
        idle = any(e.predicate == "toggled" and e.positive for e in effects) and not self._works_on(name, world, ranks)
        frees = world.hides(name) and (opens or any(e.predicate == "toggled" and not e.positive for e in effects))
        return (ranks.get(name, _NONE) < _MEANS or idle) and not frees

    def _works_on(self, name: str, world: World, ranks: Mapping[str, float]) -> bool:
        """Whether what is switched on would do something to a thing that is named: the cup under the tap."""
        category = world.category_of(name)
        for process in self._physics.processes:
            kinds = {c for of in process.categories.values() if category in of for c in of}
            inside = {c for of in process.categories.values() for c in of} - (kinds if process.within else set())
            if kinds and any(
                ranks.get(belief.id, _NONE) < _AROUND and world.category_of(belief.node.receptacle) in inside
                for belief in world
            ):
                return True
        return False

    def _changes_nothing(self, schema: Schema, binding: Mapping[str, str], world: World) -> bool:
        """Whether something is open, closed, on or off already, as the skill would have it."""
        effects = [e.bound(binding) for e in schema.effects if e.predicate not in self._physics.here]
        is_so = [
            (world.is_open(e.arguments[0]) is not e.positive and world.is_open(e.arguments[0]) is not None)
            if e.predicate == CLOSED
            else e.predicate == "toggled" and world.is_on(e.arguments[0]) is e.positive
            for e in effects
        ]
        return bool(is_so) and all(is_so)

    def _denied(self, need: Literal, world: World) -> bool:
        """Whether it is known that something needed is not so."""
        name = need.arguments[0] if need.arguments else ""
        if need.predicate == "handempty":
            return bool(world.held) is need.positive
        if need.predicate == HOLDING:
            held = world.get(world.held)
            slicers = self._lexicon.slicers
            tool = held is not None and name in slicers and held.node.category in slicers
            return (world.held == name or tool) is not need.positive
        if need.predicate == CLOSED:
            return world.is_open(name) is True if need.positive else world.hides(name)
        if need.predicate == "toggled":
            return world.is_on(name) is (not need.positive)
        return False


def _note(ranks: dict[str, float], names: Iterable[str], rank: float) -> None:
    for name in names:
        ranks[name] = min(rank, ranks.get(name, _NONE))


def labels_of(world: World) -> dict[str, str]:
    """Return what each known thing is called for the model: "Apple" where there is one, "Apple_2" for the second.

    In the order in which they became known: what was called "Apple_1" before stays that.
    """
    by_category: dict[str, list[str]] = {}
    for belief in world:
        by_category.setdefault(belief.node.category, []).append(belief.id)
    return {
        name: f"{category}_{number}" if len(ids) > 1 else category
        for category, ids in by_category.items()
        for number, name in enumerate(ids, 1)
    }


def _target(name: str, world: World) -> Target:
    belief = world.get(name)
    return Target(name, belief.node.category, belief.node.position) if belief is not None else Target(name)
