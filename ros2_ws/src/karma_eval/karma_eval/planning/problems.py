# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Planning problems as a robot meets them: what it plans for while it carries out goals in homes that it has surveyed.

Goals are of ALFRED's kinds (Shridhar et al. 2020, section 3: place, two of a kind, stacked, clean, heat, cool, in
light; and slices), made up from what there is in a home.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from karma_eval.household.conversions import node_from
from karma_eval.household.robot import HouseholdRobot
from karma_eval.household.survey import Survey, survey
from karma_eval.planning.problem import Problem
from karma_language.vocabulary import household
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.act.loop import Actor, Budget
from planner_node.ground.names import Grounding
from planner_node.memory import LONG_TERM
from planner_node.plan.exploring import Exploring
from planner_node.plan.goals import Methods
from planner_node.plan.handling import Handling
from planner_node.plan.steps import GoalFailed, Stopped
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.physics import household_physics
from planner_node.plan.task_planning.solving import Operator, relevant, solve
from planner_node.skills import SkillTable
from planner_node.understand.goals import Goal, ObjectRef, Predicate
from planner_node.world import World
from sim_bridge.household.backend import HouseholdBackend

KINDS = ("place", "two", "stack", "clean", "heat", "cool", "slice", "light")
_TRIES = 3
"""Goals of a kind that are made up for one home."""


def met(scenes: Sequence[str], seed: int, on_goal: Callable[[str], None] = lambda text: None) -> list[Problem]:
    """Return the problems that are met in these homes, each once. `on_goal` hears of every goal, begun anew."""
    found: dict[Problem, None] = {}
    for scene in scenes:
        seen = survey(HouseholdRobot(HouseholdBackend(scene, seed=seed)))
        rng = random.Random(f"{seed} {scene}")  # noqa: S311
        for kind, goals in _goals(seen, household(), rng):
            on_goal(f"{scene}: {kind}")
            found.update(dict.fromkeys(_carried_out(kind, goals, seen, seed)))
    return list(found)


def chosen(problems: Sequence[Problem], count: int, seed: int) -> list[Problem]:
    """Return that many of the problems, of all kinds in turn; all, where there are no more."""
    rng = random.Random(seed)  # noqa: S311
    kinds = [[p for p in problems if p.kind == kind] for kind in KINDS]
    for of_kind in kinds:
        rng.shuffle(of_kind)
    return [p for group in itertools.zip_longest(*kinds) for p in group if p is not None][:count]


def _goals(seen: Survey, lexicon: Lexicon, rng: random.Random) -> Iterator[tuple[str, list[Goal]]]:
    """Yield goals of every kind that the home has the things for."""
    entities = itertools.count(1)
    seen_kinds = sorted({node.category for node in seen.nodes if node.category in lexicon.kinds})
    portable = [c for c in seen_kinds if lexicon.can(c, "pickup")]
    surfaces = [c for c in seen_kinds if c in household_physics().surfaces]
    food = [c for c in portable if "food" in lexicon.kind(c).classes]
    things = {
        "place": portable,
        "two": [c for c in portable if sum(node.category == c for node in seen.nodes) > 1],
        "stack": portable,
        "clean": [c for c in portable if {"food", "dish", "cutlery"} & set(lexicon.kind(c).classes)],
        "heat": food,
        "cool": food,
        "slice": [c for c in food if lexicon.can(c, "slice")],
        "light": portable,
    }
    lamps = [c for c in seen_kinds if c in ("DeskLamp", "FloorLamp")]
    holders = [c for c in portable if lexicon.can(c, "hold")]
    states = {"clean": "clean", "heat": "hot", "cool": "cold", "slice": "sliced"}

    def ref(category: str, count: int = 1, *adjectives: str) -> ObjectRef:
        noun = lexicon.kind(category).noun
        return ObjectRef((category,), noun, states=frozenset(adjectives), count=count, entity=next(entities))

    for kind in KINDS * _TRIES:
        choices = {"stack": holders, "light": lamps}.get(kind, surfaces)
        if not things[kind] or not choices or not surfaces:
            continue
        thing, place = rng.choice(things[kind]), ref(rng.choice(choices))
        if kind == "light":
            yield kind, [Goal(Predicate.EXAMINE, ref(thing), place)]
            continue
        adjectives = (states[kind],) if kind in states else ()
        goals = [Goal(Predicate.PLACE, ref(thing, 2 if kind == "two" else 1, *adjectives), place)]
        if kind == "stack":
            if place.categories == (thing,):
                continue
            goals.append(Goal(Predicate.PLACE, place, ref(rng.choice(surfaces))))
        yield kind, goals


def _carried_out(kind: str, goals: Sequence[Goal], seen: Survey, seed: int) -> list[Problem]:
    """Carry out goals in a home where nothing was done yet, and return the problems on the way."""
    found: list[Problem] = []

    def recording(state: frozenset[Literal], operators: Sequence[Operator], goal: Iterable[Literal]) -> list[int]:
        goal = tuple(goal)
        if not all(literal in state if literal.positive else ~literal not in state for literal in goal):
            used = [Operator(o.needs, o.effects, o.cost) for o in (operators[i] for i in relevant(operators, goal))]
            found.append(Problem(seen.scene, kind, state, tuple(used), goal))
        return solve(state, operators, goal)

    lexicon = household()
    robot = HouseholdRobot(HouseholdBackend(seen.scene, seed=seed))
    table: SkillTable = robot.skills()
    world = World(lexicon)
    for node in seen.nodes:
        world.believe(node_from(node), LONG_TERM)
    grounding = Grounding(world, lexicon)
    exploring = Exploring(world, table, None)
    methods = Methods(Handling(world, lexicon, exploring, table, grounding, lambda name: None, recording))
    actor = Actor(
        robot,
        table,
        world,
        budget=Budget(),
        on_step=lambda text, done: None,
        on_outcome=lambda outcome: None,
        cancelled=lambda: False,
    )
    try:
        actor.pursue(methods.begin)
        for goal in goals:
            actor.pursue(partial(methods.achieve, goal))
        actor.pursue(methods.tidy)
    except (GoalFailed, Stopped):
        return found  # what was met until then counts
    return found
