# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Planning problems as STRIPS tasks without negative conditions, and as Fast Downward's SAS+ files (Helmert 2006)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karma_eval.planning.problem import Problem
from planner_node.plan.task_planning.literals import Literal

_COST_UNITS = 100
"""Costs are whole numbers there: hundredths of a second."""


@dataclass(frozen=True)
class StripsOperator:
    """What must hold, what begins, what ends."""

    needs: frozenset[str]
    adds: frozenset[str]
    ends: frozenset[str]


@dataclass(frozen=True)
class Strips:
    """A task in which a fact that is needed untrue has a fact of its own for that."""

    facts: frozenset[str]
    state: frozenset[str]
    operators: tuple[StripsOperator, ...]
    goal: frozenset[str]


def strips(problem: Problem) -> Strips:
    """Compile negative conditions away: "not f" becomes a fact."""
    needed = {n for o in problem.operators for n in o.needs} | set(problem.goal)
    operators = []
    for operator in problem.operators:
        begun = [e for e in operator.effects if e.positive]
        ended = [e for e in operator.effects if not e.positive and ~e not in operator.effects]
        changed = [*begun, *ended]
        operators.append(
            StripsOperator(
                frozenset(map(str, operator.needs)),
                frozenset(str(e) for e in changed if e in needed),
                frozenset(str(~e) for e in changed if ~e in needed),
            )
        )
    state = {str(n) for n in needed if (n in problem.state if n.positive else ~n not in problem.state)}
    return Strips(frozenset(map(str, needed)), frozenset(state), tuple(operators), frozenset(map(str, problem.goal)))


def sas(problem: Problem) -> str:
    """Return a problem as the input of Fast Downward's search: a variable of two values for each fact."""
    spoken_of = {e for o in problem.operators for e in (*o.needs, *o.effects)} | set(problem.goal)
    facts = sorted({literal if literal.positive else ~literal for literal in spoken_of})
    numbers = {fact: number for number, fact in enumerate(facts)}

    def variable(literal: Literal) -> int:
        return numbers[literal if literal.positive else ~literal]

    def value(literal: Literal) -> int:
        return 0 if literal.positive else 1

    def pairs(literals: Iterable[Literal]) -> list[str]:
        found = sorted(f"{variable(literal)} {value(literal)}" for literal in literals)
        return [str(len(found)), *found]

    actions = []
    for index, operator in enumerate(problem.operators):
        changes = {variable(e): value(e) for e in operator.effects if e.positive or ~e not in operator.effects}
        before = {variable(n): value(n) for n in operator.needs}
        kept = [n for n in operator.needs if variable(n) not in changes]
        effects = sorted(f"0 {number} {before.get(number, -1)} {after}" for number, after in changes.items())
        cost = round(operator.cost * _COST_UNITS)
        actions += ["begin_operator", str(index), *pairs(kept), str(len(effects)), *effects, str(cost), "end_operator"]
    goal = ["begin_goal", *pairs(problem.goal), "end_goal"]
    variables, state = [], []
    for fact, number in numbers.items():
        variables += ["begin_variable", f"var{number}", "-1", "2", f"Atom f{number}()", f"NegatedAtom f{number}()"]
        variables.append("end_variable")
        state.append("0" if fact in problem.state else "1")
    lines = ["begin_version", "3", "end_version", "begin_metric", "1", "end_metric", str(len(numbers)), *variables]
    lines += ["0", "begin_state", *state, "end_state", *goal, str(len(problem.operators)), *actions, "0"]
    return "\n".join(lines) + "\n"
