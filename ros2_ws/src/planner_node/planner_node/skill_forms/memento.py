# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""MEMENTO's actions (the paper's tables 3 and 4): a skill, and its arguments in brackets.

    Navigate[table_2]
    Place[cup_1, on, table_2, None, None]

One action a line; `Action:` or `Assigned Action:` may stand before it, and lines that begin with `#` or `Thought` are
for people. A position is written (x, y, z).
"""

from __future__ import annotations

import math
import re

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

_ACTION = re.compile(
    r"\s*(?:[\w ]{0,30}action[\w ]{0,10}:\s*)?(?P<name>\w+)\s*\[(?P<inside>[^\[\]]*)\]\s*[.;]?\s*", re.IGNORECASE
)
_ASIDE = re.compile(r"\s*(?:#.*|thought\b.*)?", re.IGNORECASE)
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_POINT = re.compile(rf"\(\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)")
_SEPARATOR = re.compile(r",(?![^(]*\))")
"""A comma that is not in a position."""
_UNWRITABLE = re.compile(r"[\[\]()\n\r,]")


def parse(text: str) -> list[Written]:
    """Return the actions of a plan in order. FormError says which lines are none."""
    check_size(text)
    calls: list[Written] = []
    troubles: list[Trouble] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if _ASIDE.fullmatch(line):
            continue
        match = _ACTION.fullmatch(line)
        if match is None:
            troubles.append(Trouble(f"this is no action such as Pick[cup_1]: {short(line.strip())}", number))
        elif len(calls) >= MOST_CALLS:
            troubles.append(Trouble(f"a plan has at most {MOST_CALLS} actions", number))
            break
        else:
            try:
                calls.append(Written(match["name"], _arguments(match["inside"], number), line=number))
            except FormError as error:
                troubles += error.troubles
    if troubles:
        raise FormError(troubles)
    return calls


def written(call: Written) -> str:
    """Return a call as an action. FormError for what the form has no room for."""
    if call.named:
        raise FormError([Trouble(f"{call.name}: MEMENTO's form has no room for {', '.join(call.named)}")])
    return f"{call.name}[{', '.join(_text(value, call.name) for value in call.arguments)}]"


def _arguments(inside: str, line: int) -> tuple[Argument, ...]:
    if not inside.strip():
        return ()
    found: list[Argument] = []
    for part in (part.strip() for part in _SEPARATOR.split(inside)):
        if point := _POINT.fullmatch(part):
            x, y, z = map(float, point.groups())
            before = points_in(found.pop()) if found and isinstance(found[-1], tuple) else ()
            found.append((*before, (x, y, z)))
        elif not part or len(part) > LONGEST_NAME or "(" in part or ")" in part:
            raise FormError([Trouble(f"an argument is a name, a number or a position, not {short(part)}", line)])
        else:
            found.append(None if part == "None" else float(part) if re.fullmatch(_NUMBER, part) else part)
    return tuple(found)


def _text(value: Argument, name: str) -> str:
    if value is None or isinstance(value, (float, int)):
        return str(value)
    if isinstance(value, str):
        plain = value == value.strip() and value and not _UNWRITABLE.search(value) and value.isprintable()
        if not plain or value == "None" or re.fullmatch(_NUMBER, value):
            raise FormError([Trouble(f"{name}: MEMENTO's form can't express {short(value)}")])
        return value
    points = points_in(value)
    if not all(math.isfinite(c) for point in points for c in point):
        raise FormError([Trouble(f"{name}: a position is not finite")])
    return ", ".join(f"({x!r}, {y!r}, {z!r})" for x, y, z in points)
