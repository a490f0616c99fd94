# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals that open, close or switch something: which one of several, and by which switch."""

from __future__ import annotations

from dataclasses import replace

from karma_language.answers.speech import form_of_be, is_plural
from karma_language.vocabulary.lexicon import SWITCHED_BY
from planner_node.plan.handling import Handling
from planner_node.plan.steps import GoalFailed, Steps
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.pursuing import Pursuit
from planner_node.plan.task_planning.situation import Role, Wish
from planner_node.skills import Code
from planner_node.understand.goals import SET, Goal, ObjectRef, Predicate
from planner_node.world import Belief


class Setting:
    """Opens, closes and switches for one instruction."""

    def __init__(self, handling: Handling, pursuit: Pursuit) -> None:
        self._do = handling
        self._world = handling.world
        self._grounding = handling.grounding
        self._pursuit = pursuit
        self._switches: dict[int, int] = {}
        """Entity → the one that stands for what switches it, where that is another thing."""

    def set(self, goal: Goal, index: int) -> Steps[None]:
        """Open, close or switch it."""
        assert goal.object is not None
        predicate, value = SET[goal.predicate]
        ref = self._switch_of(goal.object) if predicate == "toggled" else goal.object
        yield from self._reach_unset(ref, index, predicate, value)
        yield from self._pursuit.bring_about(Wish((Literal(predicate, ("x",), value),), {"x": Role(ref, index)}))
        if ref.entity != goal.object.entity:
            yield from self._try_switches(goal.object, ref, index, value)
        if goal.predicate is Predicate.OPEN:
            self._do.keep_open(self._grounding.bound(ref, index))

    def _switch_of(self, ref: ObjectRef) -> ObjectRef:
        """Return what is operated to switch something: the knob of a burner, which stays another thing than that."""
        categories = tuple(dict.fromkeys(SWITCHED_BY.get(c, c) for c in ref.categories))
        if categories == ref.categories:
            return ref
        if ref.entity not in self._switches:
            self._switches[ref.entity] = -next(self._pursuit.entities)
        return replace(ref, categories=categories, entity=self._switches[ref.entity])

    def _try_switches(self, ref: ObjectRef, switch: ObjectRef, index: int, value: bool) -> Steps[None]:
        """Try another switch where the one that was taken is seen to be another's: nobody knows which knob is whose.

        Where nothing was chosen before, the reference means what was switched on, if that was seen.
        """
        chosen = self._grounding.bound(ref, index)
        if not chosen:
            on = [b.id for b in self._grounding.candidates(ref, index) if self._world.is_on(b.id)]
            if on and value:
                self._grounding.bind(ref, index, on[0])
            return
        untried = [b.id for b in self._world.of(switch.categories) if bool(self._world.is_on(b.id)) is not value]
        while self._world.is_on(chosen) is not value and self._world.is_on(chosen) is not None:
            if not untried:
                raise GoalFailed(Code.PLANNING_FAILURE, f"I know of no switch that works on the {ref.noun}.")
            for name, wanted in ((self._grounding.bound(switch, index), not value), (untried.pop(0), value)):
                self._grounding.bind(switch, index, name)
                wish = Wish((Literal("toggled", ("x",), wanted),), {"x": Role(switch, index)})
                yield from self._pursuit.bring_about(wish)

    def _reach_unset(self, ref: ObjectRef, index: int, predicate: str, value: bool) -> Steps[None]:
        """Go to what is to be set: who asks for a light to be turned on means one that is off, where there is one.

        Where all are so already, the likeliest is what was meant.
        """
        state = self._world.is_on if predicate == "toggled" else self._world.is_open
        wanted = value if predicate == "toggled" else not value
        if ref.id or ref.count != 1 or self._grounding.bound(ref, index):
            yield from self._do.reach(ref, index)
            return
        name, passed = "", ""
        while not name or state(name) is wanted:
            known = [b for b in self._grounding.candidates(ref, index) if self._may_be(b, ref)]
            done = frozenset(b.id for b in known if bool(state(b.id)) is wanted)  # unknown counts as off, or closed
            passed = passed or next((b.id for b in known if b.id in done), "")
            other_kinds = name and not ref.place and len({b.node.category for b in known}) == 1 < len(ref.categories)
            avoid = done if len(done) < len(known) or other_kinds else frozenset()
            if name and not avoid:
                break
            try:
                name = yield from self._do.reach(ref, index, avoid)
            except GoalFailed:
                if not avoid:
                    raise
                break
        if not name or state(name) is wanted:
            self._grounding.bind(ref, index, "")
            if name and name == next((b.id for b in self._grounding.candidates(ref, index)), ""):
                self._grounding.bind(ref, index, name)
            else:
                name = yield from self._do.reach(ref, index)
        which, word = self._do.noun_of(name), _so(predicate, value)
        if state(name) is wanted:
            its_state = f"{form_of_be(1 + is_plural(which))} {word} already"
            self._do.notes.append(f"The {which} {its_state}: there is nothing to do.")
        elif passed and (other := self._do.noun_of(passed)) != which:
            was = form_of_be(1 + is_plural(other), past=True)
            self._do.notes.append(f"The {other} {was} {word} already: I took the {which}.")

    def _may_be(self, belief: Belief, ref: ObjectRef) -> bool:
        return ref.place is None or self._grounding.is_at(belief.id, ref.place)


def _so(predicate: str, value: bool) -> str:
    """Return in a word how something is."""
    return {("toggled", True): "on", ("toggled", False): "off", ("closed", True): "closed"}.get(
        (predicate, value), "open"
    )
