# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""A check, what it needs, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sim_bridge.conformance.subject import Feature

if TYPE_CHECKING:
    from sim_bridge.conformance.trial import Trial

Verdict = Literal["pass", "fail", "not applicable"]


class NonConformityError(AssertionError):
    """The backend does not do what every backend has to; the message says what was expected and what came."""


class NotApplicableError(Exception):
    """The backend declares that it has none of what the check is about; the message says why."""


@dataclass(frozen=True)
class Check:
    """One thing that every backend does alike."""

    name: str
    description: str
    skills: tuple[str, ...]
    """Skills of the table that have to succeed in its course."""
    features: tuple[Feature, ...]
    run: Callable[[Trial], None]


@dataclass(frozen=True)
class Result:
    """How a check ended."""

    check: str
    verdict: Verdict
    text: str = ""
    """What was expected and what came, or why the check does not apply."""
    seconds: float = 0.0
    """By the clock on the wall."""


def check(*needs: str | Feature) -> Callable[[Callable[[Trial], None]], Check]:
    """Make a check of a function that raises NonConformityError: its docstring says what is checked.

    `needs`: the skills that must succeed in its course, and the features without which it does not apply.
    """
    skills = tuple(need for need in needs if isinstance(need, str))
    features = tuple(need for need in needs if isinstance(need, Feature))

    def made(run: Callable[[Trial], None]) -> Check:
        return Check(run.__name__, (run.__doc__ or "").strip(), skills, features, run)

    return made


def require(condition: object, expected: str, got: object) -> None:
    """Raise NonConformityError with what was expected and what came unless the condition holds."""
    if not condition:
        raise NonConformityError(f"expected {expected}; got {got}")
