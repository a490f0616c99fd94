# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Planning problems and plans in the form of `unified-planning`, and its validator as the judge of plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karma_eval.planning.problem import Problem
from planner_node.plan.task_planning.literals import Literal

COST_UNITS = 100
"""Costs are whole numbers there: hundredths of a second."""


class Unified:
    """A problem, made for unified-planning."""

    def __init__(self, problem: Problem, *, costs: bool) -> None:
        """`costs`: whether plans are to be cheap; without, any will do."""
        from unified_planning import shortcuts as up

        self.problem: Any = up.Problem("household")
        self._fluents: dict[Literal, Any] = {}
        self._up = up
        prices = {}
        for number, operator in enumerate(problem.operators):
            action = up.InstantaneousAction(f"a{number}")
            for need in sorted(operator.needs):
                action.add_precondition(self._condition(need))
            for effect in sorted(operator.effects):
                if effect.positive or ~effect not in operator.effects:  # what is both ended and begun holds afterwards
                    action.add_effect(self._fact(effect), effect.positive)
            self.problem.add_action(action)
            prices[action] = up.Int(round(operator.cost * COST_UNITS))
        for literal in problem.goal:
            self.problem.add_goal(self._condition(literal))
        for fact in problem.state & self._fluents.keys():
            self.problem.set_initial_value(self._fluents[fact], True)
        if costs:
            self.problem.add_quality_metric(up.MinimizeActionCosts(prices))
        self._actions = [self.problem.action(f"a{number}") for number in range(len(problem.operators))]

    def _fact(self, literal: Literal) -> Any:
        fact = literal if literal.positive else ~literal
        if fact not in self._fluents:
            fluent = self._up.Fluent(f"f{len(self._fluents)}")
            self.problem.add_fluent(fluent, default_initial_value=False)
            self._fluents[fact] = fluent()
        return self._fluents[fact]

    def _condition(self, literal: Literal) -> Any:
        fact = self._fact(literal)
        return fact if literal.positive else self._up.Not(fact)

    @staticmethod
    def indices(plan: Any) -> list[int] | None:
        """Return which operators a plan consists of; None for none."""
        if plan is None:
            return None
        if not hasattr(plan, "actions"):  # a partial order
            plan = next(iter(plan.all_sequential_plans()))
        return [int(instance.action.name[1:]) for instance in plan.actions]

    def is_valid(self, plan: Sequence[int]) -> bool:
        """Whether unified-planning's own validator says that a plan reaches the goal."""
        from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
        from unified_planning.plans import ActionInstance, SequentialPlan

        instances = SequentialPlan([ActionInstance(self._actions[index]) for index in plan])
        return bool(SequentialPlanValidator().validate(self.problem, instances).status is ValidationResultStatus.VALID)
