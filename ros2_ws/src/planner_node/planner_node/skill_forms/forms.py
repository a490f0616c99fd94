# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans in KARMA's or MEMENTO's form: told from other text, read against the skill table, and written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from planner_node.skill_forms import karma, memento
from planner_node.skill_forms.binding import MEMENTO_NAMES, bound, from_memento, to_memento, unbound
from planner_node.skill_forms.written import FormError, Trouble
from planner_node.skills import SkillCall, SkillTable

_CALL = re.compile(r"\s*(?P<name>[^\W\d]\w*)\(\s*(?P<robot>robots?\b)?")
_ACTION = re.compile(r"\s*(?:[\w ]{0,30}action[\w ]{0,10}:\s*)?(?P<name>\w+)\s*\[", re.IGNORECASE)
_ASIDE = re.compile(r"\s*(?:$|#|thought\b)", re.IGNORECASE)
_BEFORE_CALLS = re.compile(r"\s*(?:def\s+\w+\s*\(|\w+\s*=|\"\"\"|''')")
"""How a plan in KARMA's form may begin before its first call."""


class Form(str, Enum):
    """How plans are written."""

    KARMA = "karma"
    MEMENTO = "memento"


@dataclass(frozen=True)
class PlannedCall:
    """One call of a plan, and its line, from 1."""

    call: SkillCall
    line: int


def may_be_plan(text: str) -> bool:
    """Whether a text is written like a plan; whether it calls skills only a table of them can say."""
    return _written_in(text) is not None


def _written_in(text: str) -> Form | None:
    """Return the form in which a text is written, None for one that is not written like a plan."""
    first = next((line for line in text.splitlines() if not _ASIDE.match(line)), "")
    if _ACTION.match(first):
        return Form.MEMENTO
    return Form.KARMA if _CALL.match(first) or _BEFORE_CALLS.match(first) else None


def form_of(text: str, table: SkillTable) -> Form | None:
    """Return the form in which a text is a plan; None for a text that begins with no call of a skill."""
    lines = [line for line in text.splitlines() if not _ASIDE.match(line)]
    first = lines[0] if lines else ""
    names = table.keys() | MEMENTO_NAMES.keys()
    if (action := _ACTION.match(first)) and action["name"] in names:
        return Form.MEMENTO
    calls = [call for line in lines if (call := _CALL.match(line))]
    known = any(call["robot"] or call["name"] in names for call in calls)
    return Form.KARMA if known and (_CALL.match(first) or _BEFORE_CALLS.match(first)) else None


def read(text: str, table: SkillTable, form: Form | None = None) -> list[PlannedCall]:
    """Return the calls of what is to be a written plan. FormError with all that is wrong, line by line."""
    form = form or form_of(text, table) or _written_in(text)
    if form is None:
        raise FormError([Trouble("no call of a skill, such as PickupObject(robot, 'Apple') or Pick[Apple], is in it")])
    calls: list[PlannedCall] = []
    troubles: list[Trouble] = []
    for written in karma.parse(text) if form is Form.KARMA else memento.parse(text):
        try:
            meant = from_memento(written) if form is Form.MEMENTO else written
            calls.append(PlannedCall(bound(meant, table), written.line))
        except FormError as error:
            troubles += error.troubles
    if troubles:
        raise FormError(troubles)
    if not calls:
        raise FormError([Trouble("there is no call of a skill in the plan")])
    return calls


def print_call(call: SkillCall, table: SkillTable, form: Form) -> str:
    """Return a call in a form. FormError for a skill or a text that the form can't express."""
    if form is Form.KARMA:
        return karma.written(unbound(call, table, keeps_places=True))
    return memento.written(to_memento(unbound(call, table, keeps_places=False)))


def print_plan(calls: Iterable[SkillCall], table: SkillTable, form: Form) -> str:
    """Return a plan in a form, a call a line."""
    return "".join(print_call(call, table, form) + "\n" for call in calls)
