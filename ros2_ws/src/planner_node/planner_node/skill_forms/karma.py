# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""KARMA's action code (the paper's figure 8 and listing 2): Python's syntax, read as data and never run.

    def wash_the_apple():
        # 1: Find the apple.
        Explore(robot, 'Apple', [(1.0, 2.0, 0.0), (3.0, 0.5, 0.0)])
        PickupObject(robot, 'Apple')

A plan is a sequence of calls, in the body of functions without arguments or not in any; names may stand for literals.
There are no conditions and no loops: those are the planner's business.
"""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Sequence

from planner_node.skill_forms.written import (
    LONGEST_NAME,
    MOST_CALLS,
    Argument,
    FormError,
    Trouble,
    Written,
    check_size,
    points_in,
    short,
)
from planner_node.skills import Point

ROBOTS = frozenset({"robot", "robots", "agent"})
"""What the first argument may be called."""
_DEEPEST = 200
"""Brackets of a text; Python's parser answers deeper ones with other errors."""


def parse(text: str) -> list[Written]:
    """Return the calls of a plan in order. FormError says what is not of the form, and where."""
    check_size(text)
    if sum(text.count(c) for c in "([{") > 20 * MOST_CALLS or _depth(text) > _DEEPEST:
        raise FormError([Trouble("the brackets are too many or too deep for a plan")])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            module = ast.parse(textwrap.dedent(text))
    except SyntaxError as error:
        raise FormError([Trouble(f"this is no Python: {error.msg}", error.lineno or 0)]) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormError([Trouble(f"this is no Python: {error}")]) from error
    reading = _Reading()
    reading.statements(module.body)
    if reading.troubles:
        raise FormError(reading.troubles)
    return reading.calls


def written(call: Written) -> str:
    """Return a call in KARMA's form."""
    arguments = ["robot", *map(_literal, call.arguments)]
    arguments += [f"{name}={_literal(value)}" for name, value in call.named.items()]
    return f"{call.name}({', '.join(arguments)})"


def _literal(value: Argument) -> str:
    return repr(list(value)) if isinstance(value, tuple) and value and isinstance(value[0], tuple) else repr(value)


class _Reading:
    """Goes through the statements of a plan."""

    def __init__(self) -> None:
        self.calls: list[Written] = []
        self.troubles: list[Trouble] = []
        self._values: dict[str, Argument] = {}
        self._functions: set[str] = set()

    def statements(self, body: Sequence[ast.stmt], *, inside: bool = False) -> None:
        for statement in body:
            if len(self.calls) >= MOST_CALLS:
                self._complain(statement, f"a plan has at most {MOST_CALLS} calls")
                return
            try:
                self._statement(statement, inside)
            except FormError as error:
                self.troubles += error.troubles

    def _statement(self, statement: ast.stmt, inside: bool) -> None:
        if isinstance(statement, ast.Pass) or (isinstance(statement, ast.Return) and statement.value is None):
            return
        if isinstance(statement, ast.FunctionDef) and not inside:
            arguments = statement.args
            names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
            if set(names) - ROBOTS or statement.decorator_list or arguments.vararg or arguments.kwarg:
                raise _wrong(statement, f"the function {short(statement.name)} may take nothing but the robot")
            self._functions.add(statement.name)
            self.statements(statement.body, inside=True)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            name = statement.targets[0]
            if not isinstance(name, ast.Name):
                raise _wrong(statement, "only a name can be given a value")
            self._values[name.id] = self._value(statement.value)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._call(statement.value, inside)
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            what = type(statement.value if isinstance(statement, ast.Expr) else statement).__name__
            raise _wrong(statement, f"a plan is made of calls of skills, one a line; this is something else ({what})")

    def _call(self, call: ast.Call, inside: bool) -> None:
        name = call.func
        if not isinstance(name, ast.Name):
            raise _wrong(call, "a skill is called by its bare name, such as PickupObject(robot, 'Apple')")
        if name.id in self._functions and not inside:
            return  # the plan's own function, whose calls were taken where it is defined
        given = list(call.args)
        if given and _is_robot(given[0]) and not self._is_value(given[0]):
            del given[0]
        named = {k.arg: k.value for k in call.keywords if k.arg is not None}
        if len(named) < len(call.keywords):
            raise _wrong(call, "arguments can't be unpacked with ** or given twice")
        self.calls.append(
            Written(
                name.id,
                tuple(self._value(value) for value in given),
                {key: self._value(value) for key, value in named.items() if key not in ROBOTS},
                call.lineno,
            )
        )

    def _is_value(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._values

    def _value(self, node: ast.expr) -> Argument:
        """Return the value of a literal, or of a name that stands for one."""
        if isinstance(node, ast.Name):
            if node.id not in self._values:
                raise _wrong(node, f"{short(node.id)} stands for nothing; write objects in quotes")
            return self._values[node.id]
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if len(node.value) > LONGEST_NAME:
                raise _wrong(node, f"a name has at most {LONGEST_NAME} characters, this one {len(node.value)}")
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            return self._points(node)
        number = _number(node)
        if number is None:
            raise _wrong(node, "an argument is a text in quotes, a number, a position (x, y, z) or a list of positions")
        return number

    def _points(self, node: ast.List | ast.Tuple) -> Argument:
        numbers = [_number(item) for item in node.elts]
        if len(numbers) == 3 and all(number is not None for number in numbers):
            return _point(numbers)
        points: list[Point] = []
        for item in node.elts:
            value = self._value(item)
            if not (isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], float)):
                raise _wrong(node, "a list holds positions (x, y, z), metres in the map frame")
            points += points_in(value)
        return tuple(points)

    def _complain(self, node: ast.stmt, message: str) -> None:
        self.troubles.append(Trouble(message, node.lineno))


def _wrong(node: ast.stmt | ast.expr, message: str) -> FormError:
    return FormError([Trouble(message, node.lineno)])


def _is_robot(node: ast.expr) -> bool:
    """Whether an argument is `robot`, `robots` or `robots[0]`."""
    inner = node.value if isinstance(node, ast.Subscript) else node
    return isinstance(inner, ast.Name) and inner.id in ROBOTS


def _number(node: ast.expr) -> float | None:
    sign = 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        sign, node = (-1.0 if isinstance(node.op, ast.USub) else 1.0), node.operand
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
        return None
    try:
        return sign * float(node.value)
    except OverflowError:
        return None


def _point(numbers: Sequence[float | None]) -> Point:
    x, y, z = (float(number or 0.0) for number in numbers)
    return (x, y, z)


def _depth(text: str) -> int:
    """Return how deep brackets are nested at most, comments and quotes not told apart."""
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest
