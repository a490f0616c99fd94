# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans for what stays where it is: go to it, open it and close it again."""

from __future__ import annotations

from collections.abc import Callable

from karma_language.vocabulary.lexicon import Lexicon, split_camel
from planner_node.plan.steps import GoalFailed, Step, Steps
from planner_node.plan.task_planning.domain import CLOSED, ON
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.physics import household_physics
from planner_node.plan.task_planning.schemas import driving_skill
from planner_node.skills import Code, Node, SkillCall, SkillTable, Target
from planner_node.whereabouts import whereabouts
from planner_node.world import World


class Operating:
    """Drives to known things and opens them, and remembers which doors it opened on the way."""

    bring_about: Callable[[Literal, str], Steps[bool]]
    """Plans for a literal to be true and carries the plan out; in words what for. Set by task_planning.pursuing."""

    def __init__(self, world: World, lexicon: Lexicon, table: SkillTable) -> None:
        self.world = world
        self.lexicon = lexicon
        self.table = table
        self.opened: dict[str, None] = {}
        """What was opened on the way and is to be closed again."""
        self.notes: list[str] = []
        """What a person should know about how a goal was reached."""
        self.aside: dict[str, str] = {}
        """What was put aside to make room, and what is said of it."""
        self._driving = driving_skill(table, household_physics())

    @property
    def drives(self) -> bool:
        """Whether the robot has a skill that does nothing but go to a thing; others go there as they act."""
        return bool(self._driving)

    def open(self, name: str, why: str = "") -> Steps[None]:
        """Open something known, driving there first."""
        yield from self.stand_at(name)
        if not self.world.is_open(name):
            yield from self.bring_about(Literal(CLOSED, (name,), positive=False), why)

    def open_around(self, name: str) -> Steps[str]:
        """Open what hides a thing, from without to within; return the id of what was opened last, empty for nothing."""
        opened = ""
        for holder in reversed(list(self.world.around(name))):
            if self.world.hides(holder):
                yield from self.open(holder)
                opened = holder
        return opened

    def keep_open(self, name: str) -> None:
        """Do not close something again: a person asked for it to be open."""
        self.opened.pop(name, None)

    def close_again(self, name: str) -> Steps[None]:
        """Close what was opened on the way, if it was. A door that stays open is no failure."""
        if name in self.opened:
            del self.opened[name]
            yield self._step("CloseObject", name, f"close the {self._noun_of(name)}")

    def close_all(self) -> Steps[None]:
        """Close what was opened on the way and is still open, driving there."""
        for name in list(self.opened):
            try:
                yield from self.bring_about(Literal(CLOSED, (name,)), "")
            except GoalFailed as failure:
                self.notes.append(f"I left the {self._noun_of(name)} open: {failure.message}")
            self.opened.pop(name, None)

    def switch(self, name: str, on: bool) -> Steps[None]:
        """Switch something known on or off, driving there first."""
        yield from self.bring_about(Literal("toggled", (name,), positive=on), "")

    def empty_hand(self) -> Steps[None]:
        """Put what is held on a surface near by."""
        if self.world.held:
            yield from self.bring_about(Literal("handempty"), "")

    def put_back(self, name: str) -> Steps[None]:
        """Put a thing back where this instruction took it from, else down near by; note which. Nothing makes room."""
        belief, (place, _) = self.world.get(name), self.world.taken_from.get(name, ("", ""))
        there = belief is not None and name != self.world.held and belief.node.receptacle == place
        if belief is None or there or self.world.get(place) is None:
            return
        aside, noun = self.aside.pop(name, ""), self._noun_of(name)
        try:
            yield from self.bring_about(Literal(ON, (name, place)), "leave everything as it was")
        except GoalFailed:
            if name == self.world.held:
                yield from self.empty_hand()
            self.notes.append(f"I could not put the {noun} back.")
            if self.world.get(name) is not None:  # it may not have been where it was put
                self.notes.append(whereabouts(name, self.world, self.lexicon))
            return
        if aside:
            self.notes.remove(aside)
        else:
            self.notes.append(f"I put the {noun} back.")

    def stand_at(self, name: str, again: bool = False) -> Steps[None]:
        """Drive to something known, unless the robot is there or can't but drive as it acts."""
        if (name == self.world.at and not again) or not self.drives:
            return
        belief = self.world.get(name)
        if belief is None:
            raise GoalFailed(Code.NOT_FOUND, f"I don't know where {name} is.")
        outcome = yield self.going_to(belief.node)
        if not outcome.ok:
            if outcome.code is Code.NOT_FOUND:
                self.world.forget(name)
            raise GoalFailed(outcome.code, f"I can't get to the {self._noun(belief.node)}: {outcome.message}")

    def noun_of(self, name: str) -> str:
        """Return what people call a thing, known or one that begins with "?" and a category."""
        category = name.removeprefix("?")
        return self._noun_of(name) if self.world.get(name) else self.lexicon.kind(category).noun

    @staticmethod
    def words(skill: str) -> str:
        """Return the name of a skill in words."""
        return split_camel(skill).removesuffix(" object")

    def going_to(self, node: Node) -> Step:
        """Return the step that goes to an object."""
        call = SkillCall(self._driving or "GoToObject", Target(node.id, node.category, node.position))
        return Step(call, f"go to the {self._noun(node)}")

    def _step(self, skill: str, name: str, text: str) -> Step:
        return Step(SkillCall(skill, Target(name, self.world.category_of(name))), text)

    def _noun(self, node: Node) -> str:
        return self.lexicon.kind(node.category).noun if node.category else node.id

    def _noun_of(self, name: str) -> str:
        belief = self.world.get(name)
        return self._noun(belief.node) if belief else name
