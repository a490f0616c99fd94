# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a robot's table: what is called, how its answer is read, and which topic has to confirm it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from sim_bridge.backend import Code
from sim_bridge.robot import placeholders
from sim_bridge.robot.sources import Metres, Name, Part, Path_, Seconds, Source

CodeName = Literal[
    "NOT_FOUND", "PRECONDITION_FAILURE", "EXECUTION_FAILURE", "CANCELED", "TIMEOUT", "UNAVAILABLE", "INTERNAL_ERROR"
]

_POSITIONS = tuple(f"${name}" for name in placeholders.NAMES if name.endswith("position"))


class Condition(Part):
    """What a field must be."""

    field: Path_
    equals: bool | int | float | str | None = None
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _one(self) -> Condition:
        if self.equals is None and self.at_least is None and self.at_most is None:
            raise ValueError("say what the field must be: equals, at_least or at_most")
        return self

    def met(self, value: Any) -> bool:
        """Whether a field's value is as it must be."""
        if self.equals is not None:
            return bool(value == self.equals)
        low = self.at_least is None or value >= self.at_least
        return bool(low and (self.at_most is None or value <= self.at_most))


class Confirm(Source):
    """What a topic must tell after a call has begun, before that counts as done: not every server tells the truth."""

    equals: bool | int | float | str | None = None
    near: str | None = None
    """Placeholder of a position that the field must be near."""
    tolerance: Metres = 0.1
    timeout: Seconds = 5.0

    @model_validator(mode="after")
    def _one(self) -> Confirm:
        if (self.equals is None) == (self.near is None):
            raise ValueError("give either equals or near")
        if self.near not in (None, *_POSITIONS):
            raise ValueError("near takes a position, such as $target.position")
        return self


class Reading(Part):
    """How an answer is read."""

    success: tuple[Condition, ...] = ()
    """All of them hold when it was done; an action must have succeeded as well."""
    code: Path_ | None = None
    """Field with the server's own code."""
    message: Path_ | None = None
    """Field with what a person may read."""
    codes: dict[int | str, CodeName] = Field(default_factory=dict)
    """The server's code → ours; any other is EXECUTION_FAILURE."""

    def meaning(self, code: Any) -> Code:
        """Return what a server's code means."""
        return Code[self.codes.get(code, "EXECUTION_FAILURE")]


class Call(Part):
    """One call of an action, a service or a topic."""

    action: Name | None = None
    service: Name | None = None
    topic: Name | None = None
    type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*/(action|srv|msg)/[A-Z][A-Za-z0-9]*$")]
    request: dict[str, Any] | str = Field(default_factory=dict)
    """Mirrors the message; leaves may be placeholders, and so may the whole."""
    timeout: Seconds = 30.0
    """Until the answer."""
    silence: Seconds | None = None
    """Actions: longest time without feedback, for servers that give it steadily."""
    reading: Reading | None = None
    """None: as usual for the type (`sim_bridge.robot.readings`)."""
    confirm: Confirm | None = None

    @field_validator("request")
    @classmethod
    def _known(cls, request: dict[str, Any] | str) -> dict[str, Any] | str:
        if isinstance(request, str) and not request.startswith("$"):
            raise ValueError("a request is a mapping, or a placeholder such as $target.pose")
        placeholders.check(request)
        if not _finite(request):
            raise ValueError("a request takes no .nan and no .inf")
        return request

    @model_validator(mode="after")
    def _one(self) -> Call:
        kinds = {"action": "action", "service": "srv", "topic": "msg"}
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError("a call names one of action, service and topic")
        if self.type.split("/")[1] != kinds[given[0]]:
            raise ValueError(f"the type of {given[0]} {self.name} is written package/{kinds[given[0]]}/Name")
        if self.silence is not None and self.action is None:
            raise ValueError("only an action gives feedback: leave silence out")
        return self

    @property
    def used(self) -> Iterator[str]:
        """Names of the placeholders that it uses."""
        yield from placeholders.used(self.request)
        if self.confirm is not None and self.confirm.near is not None:
            yield self.confirm.near[1:]

    @property
    def kind(self) -> str:
        """action, service or topic."""
        return "action" if self.action else "service" if self.service else "topic"

    @property
    def name(self) -> str:
        """Name of what is called."""
        return self.action or self.service or self.topic or ""

    def __str__(self) -> str:
        return f"the {self.kind} {self.name} ({self.type})"


def check_known(call: Call, kinds: tuple[str, ...]) -> None:
    """ValueError where a call uses a placeholder that has no value there."""
    for name in call.used:
        if name.split(".")[0] not in kinds:
            known = ", ".join(f"${known}" for known in placeholders.NAMES if known.split(".")[0] in kinds)
            raise ValueError(f"${name} has no value here: {call} may use {known}")


def _finite(value: Any) -> bool:
    """Return whether all numbers in a request are."""
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
