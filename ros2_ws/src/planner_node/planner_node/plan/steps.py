# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of plans: what a plan yields, what it is sent back, and how it fails."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from planner_node.skills import Code, Outcome, SkillCall

_T = TypeVar("_T")


@dataclass(frozen=True)
class Step:
    """A skill to be run now, and in one sentence why."""

    call: SkillCall
    text: str


Steps = Generator[Step, Outcome, _T]
"""A plan: it yields steps and is sent their outcomes, so that what comes next depends on what happened."""


class _Ended(Exception):  # noqa: N818 - an outcome, not a defect
    """What is pursued ends here; the message says why, for a person."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class GoalFailed(_Ended):
    """A goal can't be reached."""


class InVain(GoalFailed):
    """A goal can't be reached, and to try again would not help."""


class Stopped(_Ended):
    """The instruction ends here whatever else is wanted: canceled, out of budget, robot gone."""
