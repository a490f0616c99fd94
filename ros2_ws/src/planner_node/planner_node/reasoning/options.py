# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The calls that may do something as things stand, from the skill table's preconditions over what is known."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.skills import SkillCall, SkillTable, Target
from planner_node.task_planning.domain import CLOSED, HOLDING, ON
from planner_node.task_planning.literals import ANY, Literal
from planner_node.task_planning.physics import household_physics
from planner_node.task_planning.schemas import Schema, schemas
from planner_node.world import Belief, World

_MOST = 24
"""Calls that are offered: a small model chooses among few."""
_MOST_THINGS = 12
"""Things that an argument may be."""
_EXPLORE = "Explore"


@dataclass(frozen=True)
class Option:
    """A call that may be made now."""

    text: str
    """As the model says it: "PickupObject(Apple_2)"."""
    call: SkillCall
    stand_at: str = ""
    """Id of what the robot has to stand at for it; "" where the skill goes there by itself, or nowhere."""


class Options:
    """Lists the calls that are admissible."""

    def __init__(self, table: SkillTable, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._physics = household_physics()
        self._explores = _EXPLORE in table
        self._schemas = self._without_twins(schemas(table, self._physics))

    def now(self, world: World, named: Collection[str], asked: Collection[str]) -> list[Option]:
        """Return what may be done, what the words are about first.

        `named`: categories that the words name; `asked`: predicates of what they ask for that can't be undone, such as
        "sliced": without being asked for nothing is sliced or broken.
        """
        labels = labels_of(world)
        found: list[tuple[float, Option]] = []
        for schema in self._schemas:
            if schema.spec.irreversible and not {e.predicate for e in schema.effects} & set(asked):
                continue
            for binding in self._bindings(schema, world, named):
                if option := self._option(schema, binding, world, labels):
                    rank = min(self._rank(world, world.get(name), named) for name in binding.values() if name)
                    found.append((rank, option))
        tools = (*sorted(_WORKPLACES), *(self._lexicon.slicers if "sliced" in asked else ()))
        for rank, categories in ((0.0, named), (1.5, tools)) if self._explores else ():
            unknown = (category for category in categories if not world.of([category]))
            found += [
                (rank, Option(f"{_EXPLORE}({one})", SkillCall(_EXPLORE, Target(category=one)))) for one in unknown
            ]
        ranked = (option for _, option in sorted(found, key=lambda pair: pair[0]))
        return list({option.text: option for option in ranked}.values())[:_MOST]

    def _without_twins(self, found: list[Schema]) -> list[Schema]:
        """Return the skills that do something, each effect once: a table may have two names for switching on."""
        kept: dict[tuple[frozenset[tuple[str, bool]], bool], Schema] = {}
        for schema in found:
            does = {(e.predicate, e.positive) for e in schema.effects if e.predicate not in self._physics.here}
            if does - {(ON, False)} and schema.spec.name != _EXPLORE:
                kept.setdefault((frozenset(does - {(ON, False)}), schema.spec.irreversible), schema)
        return list(kept.values())

    def _bindings(self, schema: Schema, world: World, named: Collection[str]) -> Iterator[dict[str, str]]:
        roles = [role for role in schema.roles if role in schema.parameters or role == ANY]
        choices = [self._choices(schema, role, world, named) for role in roles]
        for names in itertools.product(*choices):
            if len(set(names)) == len(names):
                yield dict(zip(roles, names, strict=True))

    def _choices(self, schema: Schema, role: str, world: World, named: Collection[str]) -> list[str]:
        """Return the ids that an argument may be, the likeliest first."""
        if role == ANY or any(n.predicate == HOLDING and n.arguments == (role,) for n in schema.needs):
            return [world.held] if world.held else []
        needs = [self._physics.affordances[n.predicate] for n in schema.needs if self._affords(n, role)]
        if any(e.predicate == HOLDING and e.arguments == (role,) for e in schema.effects):
            needs.append("pickup")
        if any(e.predicate == ON and e.positive and e.arguments[-1:] == (role,) for e in schema.effects):
            needs.append("hold")
        fits = [b for b in world if all(self._lexicon.can(b.node.category, need) for need in needs)]
        ranked = sorted(fits, key=lambda belief: self._rank(world, belief, named))
        return [belief.id for belief in ranked[:_MOST_THINGS]]

    def _affords(self, need: Literal, role: str) -> bool:
        return need.predicate in self._physics.affordances and role in need.arguments

    def _rank(self, world: World, belief: Belief | None, named: Collection[str]) -> float:
        """Return how far a thing is from what the words are about: 0 for what they name."""
        if belief is None:
            return 3.0
        category = belief.node.category
        if category in named or belief.id == world.held:
            rank = 0.0
        elif any(inside.node.category in named for inside in world.contents(belief.id)):
            rank = 0.5
        elif category in self._lexicon.slicers or self._lexicon.can(category, "toggle") or category in _WORKPLACES:
            rank = 1.0
        else:
            rank = 2.0
        return rank + min(world.distance(belief.node), 99.0) / 100.0

    def _option(
        self, schema: Schema, binding: Mapping[str, str], world: World, labels: Mapping[str, str]
    ) -> Option | None:
        needs = [need.bound(binding) for need in schema.needs]
        if any(self._denied(need, world) for need in needs):
            return None
        target, receptacle = (binding.get(role, "") for role in ("target", "receptacle"))
        subject = receptacle or target
        if subject and subject != world.held and world.closed_around(subject):
            return None  # what it is in has to be opened first
        here = next((n.arguments[0] for n in needs if n.predicate in self._physics.here and n.positive), "")
        said = [labels[name] for name in (target, receptacle) if name]
        call = SkillCall(schema.spec.name, _target(target, world), _target(receptacle, world))
        return Option(f"{schema.spec.name}({', '.join(said)})", call, here if here in labels else "")

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


_WORKPLACES = frozenset({"Microwave", "Fridge", "SinkBasin", "Faucet", "StoveBurner", "Toaster", "CoffeeMachine"})
"""What things are washed, heated, cooled and made with."""


def labels_of(world: World) -> dict[str, str]:
    """Return what each known thing is called for the model: "Apple" where there is one, "Apple_2" for the second."""
    by_category: dict[str, list[str]] = {}
    for belief in sorted(world, key=lambda one: one.id):
        by_category.setdefault(belief.node.category, []).append(belief.id)
    return {
        name: f"{category}_{number}" if len(ids) > 1 else category
        for category, ids in by_category.items()
        for number, name in enumerate(ids, 1)
    }


def _target(name: str, world: World) -> Target:
    belief = world.get(name)
    return Target(name, belief.node.category, belief.node.position) if belief is not None else Target(name)
