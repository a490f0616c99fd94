# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals that no skill of a robot ever reaches, whatever is where: told by its skill table, before anything moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planner_node.plan.goals import BROUGHT_ABOUT
from planner_node.plan.task_planning.domain import HOLDING, ON
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.physics import Physics, household_physics
from planner_node.plan.task_planning.schemas import schemas
from planner_node.plan.task_planning.telling import no_skill
from planner_node.skills import SkillTable
from planner_node.understand.goals import SET, Goal, Predicate


def unreachable(goals: Iterable[Goal], table: SkillTable) -> str:
    """Return in words what of goals no skill of the robot brings about, empty where all may be reached."""
    physics = household_physics()
    made = _made(table, physics)
    for goal in goals:
        for literal in _wanted(goal):
            if (literal.predicate, literal.positive) not in made:
                return no_skill(literal, physics.said, str, goal.relation)
    return ""


def _made(table: SkillTable, physics: Physics) -> set[tuple[str, bool]]:
    """Return the predicates that skills, and household processes that skills start, make true and false."""
    made = {(e.predicate, e.positive) for schema in schemas(table, physics) for e in schema.effects}
    for process in physics.processes:
        if all((o.predicate, o.positive) in made for o in process.when):
            made |= {(o.predicate, o.positive) for o in process.then}
    return made


def _wanted(goal: Goal) -> Iterator[Literal]:
    """Yield what a goal asks for, over the nouns of its things."""
    if goal.object is None:
        return
    noun = goal.object.noun
    if goal.predicate is Predicate.PLACE and goal.destination is not None:
        yield Literal(ON, (noun, goal.destination.noun))
    elif goal.predicate in (Predicate.HOLD, Predicate.BRING):
        yield Literal(HOLDING, (noun,))
    elif goal.predicate in SET:
        predicate, positive = SET[goal.predicate]
        yield Literal(predicate, (noun,), positive)
    elif goal.predicate in BROUGHT_ABOUT:
        yield Literal(BROUGHT_ABOUT[goal.predicate], (noun,))
