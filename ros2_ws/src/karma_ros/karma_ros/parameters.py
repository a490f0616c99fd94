# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters as data: name, default, meaning, the values that are allowed, and when a change takes effect. No ROS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

Value = str | int | float | bool


class ParameterError(ValueError):
    """A parameter that doesn't exist, or a value that it can't have; the message says what is expected."""


class Effect(Enum):
    """When a change of a parameter takes effect; the value says so to people."""

    AT_ONCE = "A change takes effect at once."
    CONFIGURATION = "A change takes effect at the next configuration."
    READ_ONLY = "It is read at the start and can't be changed."


@dataclass(frozen=True)
class Parameter:
    """One parameter; the default fixes the type."""

    name: str
    default: Value
    description: str
    low: float | None = None
    """Least value of a number, `high` the greatest."""
    high: float | None = None
    choices: tuple[str, ...] = ()
    """All that a text may be; empty: anything."""
    effect: Effect = Effect.CONFIGURATION
    check: Callable[[Any], object] | None = None
    """What else is wrong with a value: raises ValueError or OSError, whose message says what is expected."""


def checked(parameter: Parameter, value: object) -> Value:
    """Return a value as the parameter's type. A whole number will do for a float.

    `ParameterError` for another type, and for what is not allowed.
    """
    name, kind = parameter.name, type(parameter.default)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise ParameterError(f"{name} is {value!r}; expected a value of type {kind.__name__}")
    assert isinstance(value, (str, int, float, bool))
    if parameter.choices and value not in parameter.choices:
        raise ParameterError(f"{name} is {value!r}; expected one of {', '.join(parameter.choices)}")
    if parameter.low is not None and parameter.high is not None:
        assert not isinstance(value, str)
        if not parameter.low <= value <= parameter.high:
            raise ParameterError(f"{name} is {value}; expected {parameter.low} to {parameter.high}")
    if parameter.check is not None:
        try:
            parameter.check(value)
        except ParameterError:
            raise
        except (ValueError, OSError) as error:
            raise ParameterError(f"{name} is {value!r}: {error}") from error
    return value


def existing_file(path: str) -> None:
    """Raise ValueError unless a text names a file, or nothing. "~" is the home folder."""
    if path and not Path(path).expanduser().is_file():
        raise ValueError("there is no such file")
