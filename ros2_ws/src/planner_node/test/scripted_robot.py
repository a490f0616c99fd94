# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A robot whose outcomes a test writes down, and a person whose answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner_node.instruction import Unobserved
from planner_node.skills import (
    Code,
    Node,
    Outcome,
    RobotUnavailable,
    SkillCall,
    SkillParameter,
    SkillSpec,
    SkillTable,
)

Answer = Code | tuple[Code, str] | Outcome
_TARGET = SkillParameter("target", required=True)

_RECEPTACLE = SkillParameter("receptacle", "receptacle", required=True)


def _skill(name: str, needs: str, effects: str, *parameters: SkillParameter) -> SkillSpec:
    """Return a row of the table; literals are separated by semicolons."""
    return SkillSpec(name, "", parameters, *(tuple(t for t in text.split("; ") if t) for text in (needs, effects)))


TABLE = SkillTable(
    [
        SkillSpec("Explore", parameters=(SkillParameter("target"), SkillParameter("positions", "points"))),
        SkillSpec("Navigate", parameters=(_TARGET,)),
        _skill("GoToObject", "located(target)", "reachable(target)", _TARGET),
        _skill("OpenObject", "reachable(target); openable(target); closed(target)", "not closed(target)", _TARGET),
        _skill("CloseObject", "reachable(target); openable(target); not closed(target)", "closed(target)", _TARGET),
        _skill("ToggleOn", "reachable(target); toggleable(target); not toggled(target)", "toggled(target)", _TARGET),
        _skill("ToggleOff", "reachable(target); toggleable(target); toggled(target)", "not toggled(target)", _TARGET),
        _skill("SliceObject", "reachable(target); sliceable(target); holding(Knife)", "sliced(target)", _TARGET),
        _skill(
            "PickupObject",
            "reachable(target); pickupable(target); handempty()",
            "holding(target); not handempty(); not on(target, ?)",
            _TARGET,
        ),
        _skill(
            "PutObject",
            "holding(?); reachable(receptacle); not closed(receptacle)",
            "handempty(); not holding(?); on(?, receptacle)",
            _RECEPTACLE,
            SkillParameter("relation", "text", choices=("on", "in", "near")),
        ),
    ]
)


class ScriptedRobot:
    """Answers SUCCESS, unless `answers` has something for the call: by its text, or by the skill's name.

    A list is answered in turn, its last entry for ever.
    """

    def __init__(self, answers: dict[str, Sequence[Answer]] | None = None, gone_after: int | None = None) -> None:
        self.answers = {key: list(value) for key, value in (answers or {}).items()}
        self.calls: list[SkillCall] = []
        self.gone_after = gone_after

    @property
    def log(self) -> list[str]:
        """Return what was called, as text."""
        return [str(call) for call in self.calls]

    def skills(self) -> SkillTable:
        return TABLE

    def execute(self, call: SkillCall, on_feedback: Callable[[str], None], cancelled: Callable[[], bool]) -> Outcome:
        if self.gone_after is not None and len(self.calls) >= self.gone_after:
            raise RobotUnavailable("the bridge is gone")
        self.calls.append(call)
        script = self.answers.get(str(call)) or self.answers.get(call.skill) or [Code.SUCCESS]
        answer = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(answer, Outcome):
            return Outcome(call, answer.code, answer.message, answer.seen, answer.explore_steps, 1.0)
        code, message = answer if isinstance(answer, tuple) else (answer, "")
        return Outcome(call, code, message, duration=1.0)


def shows(*nodes: Node, code: Code = Code.SUCCESS, explore_steps: int = 0) -> Outcome:
    """Return an outcome that shows objects, for a script."""
    return Outcome(SkillCall(""), code, seen=nodes, explore_steps=explore_steps)


def thing(name: str, position: tuple[float, float, float] = (1.0, 1.0, 1.0), **fields: object) -> Node:
    """Return an object whose id begins with its category: "Apple1" is an Apple."""
    category = name.rstrip("0123456789")
    return Node(name, category, position=position, **fields)  # type: ignore[arg-type]


class Person(Unobserved):
    """Answers every question the same."""

    def __init__(self, says: str) -> None:
        self.says = says
        self.heard: list[str] = []

    def ask(self, question: str, choices: Sequence[str]) -> str:
        self.heard.append(question)
        return self.says
