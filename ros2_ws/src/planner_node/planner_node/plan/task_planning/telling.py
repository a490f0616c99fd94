# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""An action of a plan as the call that the robot gets, and in words for people; what no skill does, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from karma_language.vocabulary.lexicon import Lexicon
from planner_node.plan.handling import Handling
from planner_node.plan.task_planning.domain import FIND, LOCATED, Action
from planner_node.plan.task_planning.known import completed
from planner_node.plan.task_planning.literals import Literal
from planner_node.plan.task_planning.situation import Problem
from planner_node.skills import SkillCall, Target

_EXPLORE = "Explore"


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
        if beside and "relation" in fields:
            return replace(call, relation="near")
        either = self.handling.lexicon.kind(call.receptacle.category).either
        said = self.relation if self.relation in ("on", "in") and call.receptacle.id in problem.roles else ""
        return replace(call, relation=said) if either and said and "relation" in fields else call

    def foreseen(self, action: Action, problem: Problem) -> SkillCall | None:
        """Return a call as it is planned: what has to be found has no id yet. A search is one Explore, or None."""
        if action.skill == FIND:
            sought = self._sought(Target(action.binding["target"]), problem)
            return SkillCall(_EXPLORE, sought) if _EXPLORE in self.handling.table else None
        call = self.call(action, problem)
        target, receptacle = self._sought(call.target, problem), self._sought(call.receptacle, problem)
        return replace(call, target=target, receptacle=receptacle)

    def _sought(self, target: Target, problem: Problem) -> Target:
        """Return an argument of a call; what is not known yet by its category."""
        thing = problem.things.get(target.id)
        return target if thing is None or thing.known else Target(category=thing.category)

    def text(self, action: Action, problem: Problem) -> str:
        """Return in words what is done, and what for."""
        return self.what(action, problem) + (f", to {self.why}" if self.why else "")

    def what(self, action: Action, problem: Problem) -> str:
        """Return in words what is done."""
        brings, do = action.brings, self.handling
        relation = self.relation or (relation_to(brings, problem, do.lexicon) if brings else "")
        if brings and (words := in_words(brings, self.said, do.noun_of, relation)):
            return words
        target = action.binding.get("target") or action.binding.get("receptacle", "")
        return f"{do.words(action.skill)} the {do.noun_of(target)}" if target else do.words(action.skill)

    def impossible(self, literal: Literal, problem: Problem) -> str:
        """Return in words what of a problem no skill of the robot brings about."""

        def noun_of(name: str) -> str:
            role, thing = problem.roles.get(name), problem.things.get(name)
            kind = self.handling.lexicon.kind(thing.category) if thing is not None else None
            return role.ref.noun if role is not None else kind.noun if kind is not None else name

        relation = self.relation or relation_to(literal, problem, self.handling.lexicon)
        return no_skill(literal, self.said, noun_of, relation)

    def _argument(self, action: Action, name: str) -> Target:
        """Return an argument of a skill, with the position where the skill has to find its way there."""
        spec = completed(self.handling.table[action.skill])
        if name not in action.binding or all(p.name != name for p in spec.parameters):
            return Target()
        belief = self.handling.world.get(action.binding[name])
        category = belief.node.category if belief else ""
        finds_its_way = f"{LOCATED}({name})" in spec.preconditions
        return Target(action.binding[name], category, belief.node.position if belief and finds_its_way else None)


def no_skill(
    literal: Literal, said: Mapping[tuple[str, bool], str], noun_of: Callable[[str], str], relation: str
) -> str:
    """Return in words that no skill of the robot makes a literal true; see in_words."""
    predicate = literal.predicate.removeprefix("once ")
    subject = f"the {noun_of(literal.arguments[0])}" if literal.arguments else "my gripper"
    state = f"bring about that {subject} is {'' if literal.positive else 'not '}{predicate}"
    return f"no skill of this robot can {in_words(literal, said, noun_of, relation) or state}"


def in_words(
    literal: Literal, said: Mapping[tuple[str, bool], str], noun_of: Callable[[str], str], relation: str
) -> str:
    """Return what people call making a literal true; empty where `said` (see Telling) has no word for it.

    `noun_of`: what people call the thing that an argument names; `relation`: of the first to the second.
    """
    words, nouns = said.get((literal.predicate, literal.positive), ""), [noun_of(a) for a in literal.arguments]
    if not words or not nouns:
        return ""
    parts = {"X": nouns[0], "Y": nouns[-1], "ON": relation}
    return " ".join(parts.get(word, word) for word in words.split())


def relation_to(literal: Literal, problem: Problem, lexicon: Lexicon) -> str:
    """Return "on" or "in", whichever is said of the second argument."""
    place = problem.things.get(literal.arguments[1]) if len(literal.arguments) > 1 else None
    return lexicon.kind(place.category if place is not None else "").relation
