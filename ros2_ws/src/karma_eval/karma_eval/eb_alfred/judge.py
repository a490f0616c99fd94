# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""ALFRED's goal conditions on the simulator's world (Shridhar et al. 2020, `goal_conditions_met` of their tasks)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from karma_eval.eb_alfred.tasks import PddlGoal
from sim_bridge.household.world import World

_SLICED = "Sliced"
_STATES = {
    "pick_clean_then_place_in_recep": "washed",
    "pick_heat_then_place_in_recep": "heated",
    "pick_cool_then_place_in_recep": "cooled",
}
"""Types of task → the set of `World` that says to which objects it was done."""


@dataclass(frozen=True)
class Verdict:
    """How many of a goal's conditions hold, by their names."""

    conditions: tuple[tuple[str, bool], ...]

    @property
    def success(self) -> bool:
        """Whether all hold."""
        return all(met for _, met in self.conditions)

    @property
    def met(self) -> float:
        """Share of the conditions that hold, 0..1."""
        return sum(met for _, met in self.conditions) / len(self.conditions)


def judge(world: World, goal: PddlGoal) -> Verdict:
    """Return which conditions of the goal hold. A type of task that ALFRED does not have is a ValueError."""
    return Verdict(tuple(_conditions(world, goal)))


def _conditions(world: World, goal: PddlGoal) -> Iterator[tuple[str, bool]]:
    things = list(world.of_category(goal.thing))
    if goal.thing.endswith(_SLICED):
        two = goal.kind == "pick_two_obj_and_place"
        yield f"{goal.thing} is there", len(things) >= (2 if two else 1)
    if goal.kind == "look_at_obj_in_light":
        yield f"{goal.thing} is held", world.held in things
        yield f"{goal.lamp} is on", any(world.is_(lamp, "isToggled") for lamp in world.of_category(goal.lamp))
        return
    places = set(world.of_category(goal.place))
    placed = [thing for thing in things if _inside(world, thing, places)]
    where = f"{goal.thing} in {goal.place}"
    if goal.kind == "pick_and_place_simple":
        yield where, bool(placed)
    elif goal.kind == "pick_two_obj_and_place":
        most = max((sum(_inside(world, t, {place}) for t in things) for place in places), default=0)
        yield where, most >= 1
        yield f"two {where}", most >= 2
    elif goal.kind in _STATES:
        done = getattr(world, _STATES[goal.kind])
        yield where, bool(placed)
        yield f"{goal.thing} {_STATES[goal.kind]}", any(thing in done for thing in things)
        yield f"{_STATES[goal.kind]} {where}", any(thing in done for thing in placed)
    elif goal.kind == "pick_and_place_with_movable_recep":
        vessels = set(world.of_category(goal.vessel))
        standing = {vessel for vessel in vessels if _inside(world, vessel, places)}
        yield f"{goal.thing} in {goal.vessel}", any(_inside(world, t, vessels) for t in things)
        yield f"{goal.vessel} in {goal.place}", bool(standing)
        yield f"{goal.thing} in {goal.vessel} in {goal.place}", any(_inside(world, t, standing) for t in things)
    else:
        raise ValueError(f"ALFRED has no type of task {goal.kind!r}")


def _inside(world: World, thing: str, receptacles: Collection[str]) -> bool:
    """Whether a thing rests on or in one of the receptacles, or in something that does."""
    return any(holder in receptacles for holder in world.ancestors(thing))
