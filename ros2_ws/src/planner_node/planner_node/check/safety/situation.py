# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What safety rules look at: a skill that is about to be run, with the things that it concerns as they are believed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from karma_language.vocabulary.lexicon import SWITCHED_BY, Lexicon
from planner_node.check.safety.rules import Rules
from planner_node.skills import Node, Point, SkillCall
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.world import World

_DEEP = 5
"""Receptacles within receptacles that are looked through."""
_BETWEEN_FLOORS = 1.0
"""Metres of height between two things from which on they are on different floors."""
_WASHED_IN, _HEATED_IN, _COOLED_IN = "SinkBasin", "Microwave", "Fridge"


@dataclass(frozen=True)
class Situation:
    """A skill and what it concerns."""

    skill: str
    held: tuple[Node, ...] = ()
    """What is in the gripper, and what is in or on that."""
    target: tuple[Node, ...] = ()
    """What the skill acts on, and for putting down what holds the receptacle."""
    contents: tuple[Node, ...] = ()
    beside: tuple[Node, ...] = ()
    where: Node | None = None
    """What the skill takes place at; of size 0 for a position."""
    to_asker: bool = False
    """Whether it goes to where the instruction was given."""
    around: tuple[Node, ...] = ()
    """What the target is in or on, innermost first; for putting down it is part of `target`."""


def of_call(call: SkillCall, world: World, rules: Rules, asker: Point | None = None) -> Situation:
    """Return the situation that a call makes.

    `asker`: where the instruction was given, metres, map frame; None when unknown.
    """
    held = _with_contents(_node(world, world.held), world) if world.held else ()
    if call.skill in ("PutObject", "Place"):
        at = _named(call.receptacle.id, call.receptacle.category, call.receptacle.position, world)
        if call.relation == "near":
            around = _chain(_node(world, at.receptacle), world) if at.receptacle else ()
            return Situation(call.skill, held, around, (), (at,), at)
        return Situation(call.skill, held, _chain(at, world), tuple(_contents(at, world)), (), at)
    at = _named(call.target.id, call.target.category, call.target.position, world)
    if not call.target:  # throwing: where the robot is
        return Situation(call.skill, held, where=replace(at, position=world.position))
    served = tuple(_served(at, world, rules))
    goes = asker is not None and at.position is not None and math.dist(asker[:2], at.position[:2]) < 1.0
    to_asker = goes and call.skill == "Navigate" and not call.target.id
    around = _chain(at, world)[1:]
    return Situation(call.skill, held, (at,), (*_contents(at, world), *served), (), at, to_asker, around)


def of_goal(goal: Goal, before: Sequence[Goal], after: Sequence[Goal] = ()) -> Iterator[tuple[Situation, ...]]:
    """Yield the situations that reaching a goal leads to, for every kind of thing that it may speak of.

    Nothing is known of where things are. `before`: goals reached until then, which may have heated or filled things, or
    switched something on. `after`: those that follow, which may switch on what the thing is then on, in or beside.
    """
    ref = goal.object
    if ref is None:
        return
    places = goal.destination.categories if goal.destination is not None else ()
    states = _states(ref, before)
    there = _states(goal.destination, before) if goal.destination is not None else {}
    for category in ref.categories:
        thing = (Node("", category, states=states),)
        if goal.predicate is Predicate.PLACE:
            for place in places:
                switch = (Node("", SWITCHED_BY.get(place, place)),)
                on, later = _is_on(place, before), _switched_on(place, ref, after)
                if goal.relation == "near":
                    yield (Situation("PutObject", thing, beside=(_toggled(place, on or later),)),)
                    continue
                put = Situation("PutObject", thing, (_toggled(place, on, there),))
                yield (put, Situation("ToggleOn", (), switch, contents=thing)) if later else (put,)
        elif goal.predicate in _PUT_IN:
            for place in places or (_PUT_IN[goal.predicate],):
                node = (Node("", place),)
                put = Situation("PutObject", thing, node)
                heats = goal.predicate is Predicate.HEAT
                yield (put, Situation("ToggleOn", (), node, contents=thing)) if heats else (put,)
        elif goal.predicate is Predicate.BRING:
            yield (Situation("Navigate", thing, to_asker=True),)
        elif goal.predicate is Predicate.THROW:
            yield (Situation("ThrowObject", thing),)
        elif goal.predicate in _ACTS:
            yield (Situation(_ACTS[goal.predicate], (), (Node("", SWITCHED_BY.get(category, category)),)),)


_PUT_IN = {
    Predicate.CLEAN: _WASHED_IN,
    Predicate.FILL: _WASHED_IN,
    Predicate.HEAT: _HEATED_IN,
    Predicate.COOL: _COOLED_IN,
}
_TAKEN_AWAY = frozenset({Predicate.PLACE, Predicate.HOLD, Predicate.BRING, Predicate.THROW, *_PUT_IN})
_ACTS = {
    Predicate.HOLD: "PickupObject",
    Predicate.SLICE: "SliceObject",
    Predicate.BREAK: "BreakObject",
    Predicate.SWITCH_ON: "ToggleOn",
    Predicate.OPEN: "OpenObject",
}


def gap(a: Node, b: Node) -> float:
    """Return the horizontal distance in metres between two things' boxes; infinite on different floors, or unknown."""
    if a.position is None or b.position is None:
        return math.inf
    if abs(a.position[2] - b.position[2]) - (a.size[2] + b.size[2]) / 2 > _BETWEEN_FLOORS:
        return math.inf
    return a.gap(b)


def _states(ref: ObjectRef, before: Sequence[Goal]) -> dict[str, str]:
    """Return the states that a thing will have by then, as far as the instruction says so."""
    done = [g.predicate for g in before if g.object is not None and _is_same(g.object, ref)]
    switched = [predicate for predicate in done if predicate in (Predicate.SWITCH_ON, Predicate.SWITCH_OFF)]
    states = {}
    if ("hot" in ref.states or Predicate.HEAT in done) and Predicate.COOL not in done:
        states["temperature"] = "Hot"
    if "filled" in ref.states or Predicate.FILL in done:
        states["isFilledWithLiquid"] = "true"
    if switched[-1:] == [Predicate.SWITCH_ON] or ("on" in ref.states and not switched):
        states["isToggled"] = "true"
    return states


def _is_same(one: ObjectRef, other: ObjectRef) -> bool:
    """Whether two parts of an instruction speak of one thing, as far as their words say."""
    return (bool(one.entity) and one.entity == other.entity) or one.noun == other.noun


def _toggled(category: str, on: bool, states: Mapping[str, str] = MappingProxyType({})) -> Node:
    return Node("", category, states={**states, "isToggled": "true"} if on else dict(states))


def _switches(place: str, goal: Goal) -> bool:
    """Whether a goal switches what a thing of a category is switched by."""
    ref = goal.object if goal.predicate in (Predicate.SWITCH_ON, Predicate.SWITCH_OFF) else None
    return ref is not None and SWITCHED_BY.get(place, place) in {SWITCHED_BY.get(c, c) for c in ref.categories}


def _is_on(place: str, before: Sequence[Goal]) -> bool:
    """Whether the goals reached until then switched a place on, and not off again."""
    last = next((goal for goal in reversed(before) if _switches(place, goal)), None)
    return last is not None and last.predicate is Predicate.SWITCH_ON


def _switched_on(place: str, ref: ObjectRef, after: Sequence[Goal]) -> bool:
    """Whether the goals that follow switch a place on before they take away what was put there."""
    for goal in after:
        if goal.object is not None and goal.object.entity == ref.entity and goal.predicate in _TAKEN_AWAY:
            return False
        if _switches(place, goal) and goal.predicate is Predicate.SWITCH_ON:
            return True
    return False


def _node(world: World, name: str) -> Node:
    belief = world.get(name)
    return belief.node if belief is not None else Node(name, "")


def _named(name: str, category: str, position: Point | None, world: World) -> Node:
    """Return the thing that a call names, as it is believed to be."""
    belief = world.get(name) if name else None
    if belief is not None:
        node = belief.node
        return node if node.position is not None else replace(node, position=position)
    return world.rooms.get(name) or Node(name, category, position=position)


def _chain(node: Node, world: World) -> tuple[Node, ...]:
    """Return a receptacle and what holds it, innermost first."""
    chain = [node]
    while node.receptacle and len(chain) < _DEEP and (belief := world.get(node.receptacle)) is not None:
        node = belief.node
        chain.append(node)
    return tuple(chain)


def _with_contents(node: Node, world: World) -> tuple[Node, ...]:
    return (node, *_contents(node, world))


def _contents(node: Node, world: World, deep: int = 0) -> Iterator[Node]:
    """Yield what is on or in a thing, and on or in that."""
    for belief in world.contents(node.id) if node.id and deep < _DEEP else ():
        if belief.id != world.held:
            yield belief.node
            yield from _contents(belief.node, world, deep + 1)


def _served(switch: Node, world: World, rules: Rules) -> Iterator[Node]:
    """Yield what is on or in the receptacles that a switch works on."""
    serves = rules.serves.get(switch.category)
    if serves is None:
        return
    for belief in world.of(serves.things):
        if gap(switch, belief.node) <= serves.within:
            yield from _contents(belief.node, world)


def asked_for(skill: str, category: str, goals: Sequence[Goal], lexicon: Lexicon) -> bool:
    """Whether goals ask for a skill on things of a category, or on anything where the category is not known."""
    for goal in goals:
        ref = goal.object
        written = goal.call.skill.replace("SwitchOn", "ToggleOn") if goal.call is not None else ""
        if written == skill.replace("SwitchOn", "ToggleOn") and (ref is None or category in ref.categories):
            return True
        if ref is None:
            continue
        meant = {*ref.categories, *ref.loosely}
        meant |= {SWITCHED_BY.get(c, c) for c in meant} | {lexicon.slices.get(c, c) for c in meant}
        if category and category not in meant:
            continue
        wanted = {
            "ThrowObject": goal.predicate is Predicate.THROW,
            "BreakObject": goal.predicate is Predicate.BREAK,
            "SliceObject": goal.predicate is Predicate.SLICE or "sliced" in ref.states,
        }.get(skill, goal.predicate is Predicate.SWITCH_ON)
        if wanted:
            return True
    return False
