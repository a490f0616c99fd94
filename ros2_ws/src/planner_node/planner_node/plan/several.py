# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A goal for several things: what goes wrong with one of them is put right, and the others are not left undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from karma_language.answers.speech import Words, sentences
from planner_node.plan.handling import Handling
from planner_node.plan.repairs import REPAIRABLE
from planner_node.plan.steps import GoalFailed, InVain, Steps
from planner_node.skills import Code
from planner_node.understand.goals import ALL, Goal, ObjectRef

_GOES_ON = frozenset((*REPAIRABLE, Code.PLANNING_FAILURE, Code.REFUSED))
"""How it may end with one thing for another to be worth a try."""


class Several:
    """Knows how far the goal is that is pursued."""

    def __init__(self, handling: Handling) -> None:
        self._do = handling
        self._goal: Goal | None = None
        self._done: dict[int, str] = {}
        """Number → id of each thing that the goal is reached for; they are not dealt with again in another attempt."""

    def reach(self, goal: Goal, number: int, method: Callable[[Goal, int], Steps[None]]) -> Steps[None]:
        """Reach a goal for each of so many things. GoalFailed says at last for which that can't be, and why."""
        assert goal.object is not None
        if goal is not self._goal:
            self._goal, self._done = goal, {}
        failed: dict[str, GoalFailed] = {}
        for index in range(number):
            if index in self._done:
                continue
            try:
                self._foresee(goal.object, index, failed)
                yield from method(goal, index)
            except GoalFailed as failure:
                name = self._do.grounding.bound(goal.object, index)
                if failure.code is Code.NOT_FOUND and goal.object.count == ALL and index:
                    found = len(self._done) + len(failed)
                    self._do.notes.append(f"I found {found} of the {goal.object.noun}; memory knew of {number}.")
                    break
                if failure.code is Code.NOT_FOUND and not name and self._done:
                    few = f"I found only {len(self._done)} of the {number} {goal.object.noun}"
                    done = f"{few}, and did that with {'these' if index > 1 else 'it'}."
                    raise GoalFailed(Code.NOT_FOUND, done) from failure
                if number == 1 or not name or failure.code not in _GOES_ON:
                    raise
                failed[name] = failure
                yield from self._leave(name)
            else:
                self._done[index] = self._do.grounding.bound(goal.object, index)
                self._do.aside.clear()
        if failed:
            raise self._told(failed)

    def _foresee(self, ref: ObjectRef, index: int, failed: Mapping[str, GoalFailed]) -> None:
        """Raise InVain for a thing that is no smaller than one for which there was no room."""
        thing = next(iter(self._do.grounding.candidates(ref, index)), None)
        for name, failure in failed.items():
            other = self._do.world.get(name)
            if thing is None or other is None or not isinstance(failure, InVain) or not all(other.node.size[:2]):
                continue
            if all(a >= b for a, b in zip(sorted(thing.node.size[:2]), sorted(other.node.size[:2]), strict=True)):
                self._do.grounding.bind(ref, index, thing.id)
                raise failure

    def _leave(self, name: str) -> Steps[None]:
        """Put back a thing with which it went wrong, what else is held for it, and what made room in vain."""
        held = "" if self._do.world.held in self._done.values() else self._do.world.held
        for one in dict.fromkeys((held, name, *reversed(self._do.aside))):
            yield from self._do.put_back(one)
        if held and self._do.world.held == held:
            yield from self._do.empty_hand()

    def _told(self, failed: Mapping[str, GoalFailed]) -> GoalFailed:
        """Return a failure that says with which things it went well and with which it did not, and why."""
        done, not_done = self._named(self._done.values()), self._named(failed)
        went = f"I did that with {done}, but not with {not_done}" if done else f"I could not do that with {not_done}"
        why = dict.fromkeys(failure.message for failure in failed.values())
        vain = all(isinstance(one, InVain) or one.code is Code.REFUSED for one in failed.values())
        kind = InVain if vain else GoalFailed
        code = min((failure.code for failure in failed.values()), key=lambda code: code is Code.REFUSED)
        return kind(code, sentences([went, *why]))

    def _named(self, names: Iterable[str]) -> str:
        categories = [self._do.world.category_of(name) for name in names]
        return Words(self._do.lexicon).list(categories) if categories else ""
