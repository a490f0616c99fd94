# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How far the robot is with what was understood, by what it has seen itself."""

from __future__ import annotations

from collections.abc import Sequence

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.ground.names import Grounding
from planner_node.plan.goals import BROUGHT_ABOUT
from planner_node.understand.goals import ALL, SET, Goal, ObjectRef, Predicate
from planner_node.understand.paraphrase import paraphrase
from planner_node.world import SEEN, World

_LASTING = frozenset({"clean", "hot", "cold", "sliced", "filled"})
"""States that a thing is asked to have."""


def can_tell(goal: Goal) -> bool:
    """Whether it can be seen that a goal is reached.

    What has a condition, mere looking, and all of a kind, of which there may be more, the task planner does.
    """
    seen = (Predicate.PLACE, Predicate.HOLD, Predicate.BRING, *BROUGHT_ABOUT, *SET)
    lit = goal.predicate is Predicate.EXAMINE and goal.destination is not None
    placed = goal.predicate is not Predicate.PLACE or goal.destination is not None
    every = goal.object is not None and goal.object.count == ALL
    told = goal.condition is None and goal.call is None and not every
    return told and placed and (goal.predicate in seen or lit)


class Progress:
    """Compares goals with the world."""

    def __init__(self, goals: Sequence[Goal], world: World, grounding: Grounding, lexicon: Lexicon) -> None:
        self._goals = goals
        self._world = world
        self._grounding = grounding
        self._lexicon = lexicon

    def cuts(self, name: str) -> bool:
        """Whether things are cut with it."""
        return self._world.category_of(name) in self._lexicon.slicers

    def left(self) -> list[Goal]:
        """Return the goals that are not reached."""
        return [goal for goal, reached in zip(self._goals, self._reached(), strict=True) if not reached]

    def missing(self, goal: Goal) -> frozenset[str]:
        """Return the predicates that are to be brought about for a goal, those that come first of all: cut, then heat.

        Empty where things only have to be somewhere, or be open or on.
        """
        states = frozenset(goal.object.states & _LASTING) if goal.object is not None else frozenset[str]()
        if goal.predicate in BROUGHT_ABOUT:
            states |= {BROUGHT_ABOUT[goal.predicate]}
        best = self._best(goal)
        open_ = frozenset(s for s in states if not all(name and self._world.has(name, s) for name in best))
        return open_ & {"sliced"} or open_

    def lines(self) -> list[str]:
        """Return a line for each goal: "wash the ladle: not yet"."""
        pairs = zip(self._goals, self._reached(), strict=True)
        return [f"{paraphrase([goal], self._lexicon)}: {'done' if ok else 'not yet'}" for goal, ok in pairs]

    def _reached(self) -> list[bool]:
        """Return for each goal whether the things that fit best, over all goals about the same, fit this one."""
        return [all(self.fits(goal, name) for name in self._best(goal)) for goal in self._goals]

    def _best(self, goal: Goal) -> list[str]:
        """Return what a goal is about: what was chosen for it; else what is meant or, of any will do, fits best."""
        ref = goal.object
        if ref is None:
            return []
        same = [g for g in self._goals if g is goal or (ref.entity and g.object and g.object.entity == ref.entity)]
        chosen = [name for name in self._grounding.all_bound_of(ref) if self._world.get(name) is not None]
        others = [b.id for b in self._grounding.candidates(ref) if b.source == SEEN and b.id not in chosen]
        number = max(ref.count, 1)
        if not (ref.definite or ref.place or ref.near or ref.room or ref.id):
            others.sort(key=lambda n: (-sum(self.fits(g, n) for g in same), -self._asked_of(ref, n)))
        return [*chosen, *others, *[""] * number][:number]

    def fits(self, goal: Goal, name: str) -> bool:
        """Whether a thing is as a goal wants it, and nothing more is to be done with it; "" for one not found."""
        world, predicate, place = self._world, goal.predicate, goal.destination
        if not name or not self._is_as_asked(goal.object, name):
            return False
        if predicate is Predicate.PLACE:
            ref = goal.object
            stayed = ref is None or (ref.definite and ref.place is None)
            moved = name in world.taken_from or stayed
            return place is None or (moved and self._grounding.is_at(name, place))
        if predicate in BROUGHT_ABOUT:
            return world.has(name, BROUGHT_ABOUT[predicate])
        if predicate in SET:
            what, value = SET[predicate]
            known = world.is_open(name) if what == "closed" else world.is_on(name)
            return known is not None and (known is not value if what == "closed" else known is value)
        if predicate in (Predicate.HOLD, Predicate.BRING):
            return world.held == name or (name in world.taken_from and self._goes_on(goal))
        if predicate is Predicate.EXAMINE and place is not None:
            return world.held == name and any(world.is_on(lamp.id) for lamp in world.of(place.categories))
        return True

    def _goes_on(self, goal: Goal) -> bool:
        """Whether more is to be done with what a goal is about: what is taken to be washed leaves the hand."""
        later = self._goals[self._goals.index(goal) + 1 :]
        entity = goal.object.entity if goal.object is not None else 0
        return any(one.object is not None and entity and one.object.entity == entity for one in later)

    def _is_as_asked(self, ref: ObjectRef | None, name: str) -> bool:
        return ref is None or self._asked_of(ref, name) == len(ref.states & _LASTING)

    def _asked_of(self, ref: ObjectRef, name: str) -> int:
        """Return how many of the states asked for a thing has."""
        return sum(self._world.has(name, state) for state in ref.states & _LASTING)
