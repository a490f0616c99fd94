# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An action of a plan as the call that the robot gets, and in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from planner_node.handling import Handling
from planner_node.skills import SkillCall, Target
from planner_node.task_planning.domain import LOCATED, Action
from planner_node.task_planning.known import completed
from planner_node.task_planning.situation import Problem


@dataclass(frozen=True)
class Telling:
    """Tells robots and people of the actions for one wish."""

    handling: Handling
    said: Mapping[tuple[str, bool], str]
    """Predicate and whether it is made true → words for that; see physics.Physics."""
    relation: str
    """"on", "in" or "near" as the person said; empty where nothing was said."""
    why: str
    """What the wish serves, empty where it is what was asked for."""

    def call(self, action: Action, problem: Problem) -> SkillCall:
        """Return the call of an action of a plan for `problem`."""
        fields = {p.name for p in self.handling.table[action.skill].parameters}
        call = SkillCall(action.skill, self._argument(action, "target"), self._argument(action, "receptacle"))
        beside = self.relation == "near" and action.binding.get("receptacle") in problem.roles
        return replace(call, relation="near") if beside and "relation" in fields else call

    def text(self, action: Action, problem: Problem) -> str:
        """Return in words what is done, and what for."""
        return self.what(action, problem) + (f", to {self.why}" if self.why else "")

    def what(self, action: Action, problem: Problem) -> str:
        """Return in words what is done."""
        brings, do = action.brings, self.handling
        words = self.said.get((brings.predicate, brings.positive), "") if brings else ""
        nouns = [do.noun_of(a) for a in brings.arguments] if brings else []
        if not brings or not words or not nouns:
            target = action.binding.get("target") or action.binding.get("receptacle", "")
            return f"{do.words(action.skill)} the {do.noun_of(target)}" if target else do.words(action.skill)
        relation = self.relation
        if len(nouns) > 1:
            place = problem.things.get(brings.arguments[1])
            relation = relation or do.lexicon.kind(place.category if place is not None else "").relation
        parts = {"X": nouns[0], "Y": nouns[-1], "ON": relation}
        return " ".join(parts.get(word, word) for word in words.split())

    def _argument(self, action: Action, name: str) -> Target:
        """Return an argument of a skill, with the position where the skill has to find its way there."""
        spec = completed(self.handling.table[action.skill])
        if name not in action.binding or all(p.name != name for p in spec.parameters):
            return Target()
        belief = self.handling.world.get(action.binding[name])
        category = belief.node.category if belief else ""
        finds_its_way = f"{LOCATED}({name})" in spec.preconditions
        return Target(action.binding[name], category, belief.node.position if belief and finds_its_way else None)
