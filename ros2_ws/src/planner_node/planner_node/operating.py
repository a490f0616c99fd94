# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans for what stays where it is: go to, open, close, switch."""

from __future__ import annotations

from planner_node.skills import Code, Node, SkillCall, SkillTable, Target
from planner_node.steps import GoalFailed, Step, Steps
from planner_node.vocabulary.lexicon import Lexicon
from planner_node.world import World


class Operating:
    """Drives to known things, opens, closes and switches them, and remembers which doors it opened on the way."""

    def __init__(self, world: World, lexicon: Lexicon, table: SkillTable) -> None:
        self.world = world
        self.lexicon = lexicon
        self.table = table
        self._opened: dict[str, None] = {}
        self.notes: list[str] = []
        """What a person should know about how a goal was reached."""

    def open(self, name: str, why: str = "") -> Steps[None]:
        """Open something known, driving there first."""
        yield from self.stand_at(name)
        if self.world.is_open(name):
            return
        if self._category(name) == "Microwave" and self.world.is_on(name):
            yield from self.switch(name, on=False)
        outcome = yield self._step("OpenObject", name, why or f"open the {self._noun_of(name)}")
        if not outcome.ok and outcome.code is not Code.UNAVAILABLE:
            yield from self.stand_at(name, again=True)
            if self.world.is_open(name):
                return
            outcome = yield self._step("OpenObject", name, f"open the {self._noun_of(name)}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't open the {self._noun_of(name)}: {outcome.message}")
        self._opened[name] = None

    def close(self, name: str) -> Steps[None]:
        """Close something known, driving there first."""
        yield from self.stand_at(name)
        self._opened.pop(name, None)
        if self.world.is_open(name) is False:
            return
        outcome = yield self._step("CloseObject", name, f"close the {self._noun_of(name)}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't close the {self._noun_of(name)}: {outcome.message}")

    def keep_open(self, name: str) -> None:
        """Do not close something again: a person asked for it to be open."""
        self._opened.pop(name, None)

    def close_again(self, name: str) -> Steps[None]:
        """Close what was opened on the way, if it was. A door that stays open is no failure."""
        if name in self._opened:
            del self._opened[name]
            yield self._step("CloseObject", name, f"close the {self._noun_of(name)}")

    def close_all(self) -> Steps[None]:
        """Close what was opened on the way and is still open, driving there."""
        for name in list(self._opened):
            try:
                yield from self.close(name)
            except GoalFailed as failure:
                self.notes.append(f"I left the {self._noun_of(name)} open: {failure.message}")

    def switch(self, name: str, on: bool) -> Steps[None]:
        """Switch something known on or off, driving there first."""
        yield from self.stand_at(name)
        if self.world.is_on(name) is on:
            return
        if on and self._category(name) == "Microwave" and self.world.is_open(name):
            yield from self.close(name)
        skill = self.table.first("ToggleOn", "SwitchOn") if on else self.table.first("ToggleOff", "SwitchOff")
        word = "on" if on else "off"
        outcome = yield self._step(skill, name, f"switch the {self._noun_of(name)} {word}")
        if not outcome.ok:
            raise GoalFailed(outcome.code, f"I can't switch the {self._noun_of(name)} {word}: {outcome.message}")

    def stand_at(self, name: str, again: bool = False) -> Steps[None]:
        """Drive to something known, unless the robot is there."""
        if name == self.world.at and not again:
            return
        belief = self.world.get(name)
        if belief is None:
            raise GoalFailed(Code.NOT_FOUND, f"I don't know where {name} is.")
        outcome = yield self._go_to(belief.node)
        if not outcome.ok:
            if outcome.code is Code.NOT_FOUND:
                self.world.forget(name)
            raise GoalFailed(outcome.code, f"I can't get to the {self._noun(belief.node)}: {outcome.message}")

    def _go_to(self, node: Node) -> Step:
        call = SkillCall("GoToObject", Target(node.id, node.category, node.position))
        return Step(call, f"go to the {self._noun(node)}")

    def _step(self, skill: str, name: str, text: str) -> Step:
        return Step(SkillCall(skill, Target(name, self._category(name))), text)

    def _category(self, name: str) -> str:
        belief = self.world.get(name)
        return belief.node.category if belief else ""

    def _noun(self, node: Node) -> str:
        return self.lexicon.kind(node.category).noun if node.category else node.id

    def _noun_of(self, name: str) -> str:
        belief = self.world.get(name)
        return self._noun(belief.node) if belief else name
