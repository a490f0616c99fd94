# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The order of an instruction's goals: that of the shortest way, where the words leave it free.

"Put the cup in the sink and the book on the shelf" says what is to be so in the end, "first", "then" or "after that"
in which order. Goals that depend on each other stay in the order in which they were said: "wash the apple and put it in
the bowl". So do those of which not all is a matter of carrying things about: what is fetched is to be held at the end.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from karma_language.dialogue.utterances import says_order
from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.names import Grounding
from planner_node.run import Run
from planner_node.skills import Point
from planner_node.understand.goals import ALL, Goal, ObjectRef, Predicate
from planner_node.world import World

_MOST = 6
"""Goals whose orders are all compared; more stay as they were said."""
_WORTH = 1.0
"""Metres that another order must save."""
_FREE = frozenset({Predicate.PLACE, Predicate.CLEAN, Predicate.HEAT, Predicate.COOL, Predicate.FILL})


def order(run: Run, lexicon: Lexicon) -> None:
    """Put the goals of a run into the order in which they are reached; what is done as it was told keeps its order."""
    told = (one.knowledge.told for one in run.recalled() if one.knowledge is not None)
    words = " ".join([run.instruction.text, *told])
    run.goals = shortest(run.goals, words, run.world, Grounding(run.world, lexicon))


def shortest(goals: tuple[Goal, ...], text: str, world: World, grounding: Grounding) -> tuple[Goal, ...]:
    """Return goals in the order of the shortest way from where the robot is, as far as places are known."""
    if len(goals) < 2 or says_order(text):
        return goals
    found: list[Goal] = []
    for free, group in itertools.groupby(goals, _is_free):
        block = tuple(group)
        found += _shortest(block, world, grounding) if free else block
    return tuple(found)


def _is_free(goal: Goal) -> bool:
    return goal.predicate in _FREE and goal.condition is None and goal.object is not None and goal.object.count != ALL


def _shortest(goals: Sequence[Goal], world: World, grounding: Grounding) -> Sequence[Goal]:
    if not 2 <= len(goals) <= _MOST:
        return goals
    stops = [_stops(goal, world, grounding) for goal in goals]
    said = range(len(goals))
    bound = [(a, b) for a, b in itertools.combinations(said, 2) if _depend(goals[a], goals[b])]
    best, least = tuple(said), _way(stops, world.position) - _WORTH
    for other in itertools.permutations(said):
        way = _way((stops[number] for number in other), world.position)
        if way < least - 1e-9 and all(other.index(a) < other.index(b) for a, b in bound):
            best, least = other, way
    return [goals[number] for number in best]


def _stops(goal: Goal, world: World, grounding: Grounding) -> list[Point]:
    """Return where the robot has to go for a goal, in order, as far as is known."""
    found: list[Point] = []
    for ref in goal.refs:
        best = grounding.candidates(ref)[:1]
        found += [b.node.position for b in best if b.node.position is not None and b.id != world.held]
    return found


def _way(stops: Iterable[Sequence[Point]], start: Point | None) -> float:
    """Return the length of the straight ways between stops, metres."""
    points = [*([start] if start is not None else []), *itertools.chain.from_iterable(stops)]
    return sum(math.dist(a, b) for a, b in itertools.pairwise(points))


def _depend(first: Goal, second: Goal) -> bool:
    """Whether one goal is about what another carries or does something to: the cup that the pen is to be put into."""
    return any(
        (carried.entity and carried.entity == other.entity) or _kinds(carried) & _kinds(other)
        for carried, others in ((first.object, _about(second)), (second.object, _about(first)))
        if carried is not None
        for other in others
    )


def _about(goal: Goal) -> list[ObjectRef]:
    return [*goal.refs, *(ref.place for ref in goal.refs if ref.place is not None)]


def _kinds(ref: ObjectRef) -> set[str]:
    return {*ref.categories, *ref.loosely}
