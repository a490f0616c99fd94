# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Message types by name, messages from mappings, and fields by path (ROS side)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from sim_bridge.robot.calls import Call
from sim_bridge.robot.table import TableError

_SEQUENCE = re.compile(r"^(?:sequence<([^,>]+)(?:, \d+)?>|(.+)\[\d+\])$")

_INTEGERS = {
    **{f"int{bits}": range(-(2 ** (bits - 1)), 2 ** (bits - 1)) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": range(2**bits) for bits in (8, 16, 32, 64)},
}
"""Type of a field → what it takes."""


def interface(name: str) -> Any:
    """Return a message, service or action type: package/msg/Name. TableError where it is not installed."""
    package, kind, type_name = name.split("/")
    try:
        return getattr(import_module(f"{package}.{kind}"), type_name)
    except (ImportError, AttributeError) as error:
        debian = f"ros-$ROS_DISTRO-{package.replace('_', '-')}"
        raise TableError(
            f"the interface {name} is not installed here: install the package {package} (on Ubuntu: {debian})"
        ) from error


def request_type(call: Call) -> Any:
    """Return the type of what a call sends: an action's goal, a service's request, a message."""
    kind = interface(call.type)
    return kind.Goal if call.action is not None else kind.Request if call.service is not None else kind


def answer_type(call: Call) -> Any:
    """Return the type of what a call's server answers; None for a topic."""
    kind = interface(call.type)
    return kind.Result if call.action is not None else kind.Response if call.service is not None else None


def message(kind: Any, values: Mapping[str, Any]) -> Any:
    """Return a message filled from a mapping that mirrors it; what is not given keeps its default.

    ValueError names the field that does not fit.
    """
    made = kind()
    _fill(made, values, kind.__name__)
    return made


def _fill(made: Any, values: Mapping[str, Any], path: str) -> None:
    types: Mapping[str, str] = made.get_fields_and_field_types()
    for name, value in values.items():
        where = f"{path}.{name}"
        if name not in types:
            raise ValueError(f"{where} is no field: {path} has {', '.join(types) or 'none'}")
        try:
            setattr(made, name, _value(types[name], getattr(made, name), value, where))
        except (AssertionError, TypeError, OverflowError) as error:
            raise ValueError(f"{where} does not take {value!r}: {error}") from error


def _value(type_name: str, default: Any, value: Any, where: str) -> Any:
    several = _SEQUENCE.match(type_name)
    if several is not None:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError(f"{where} takes a list of {several[1] or several[2]}, not {value!r}")
        inner = several[1] or several[2]
        return [_value(inner, _default(inner), item, f"{where}.{k}") for k, item in enumerate(value)]
    if "/" in type_name:
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} takes the fields of a {type_name}, not {value!r}")
        made = type(default)()
        _fill(made, value, where)
        return made
    # The messages themselves do not look at what they are given, unless ROS_PYTHON_CHECK_FIELDS is set.
    if type_name.startswith(("string", "wstring")):
        fits = isinstance(value, str)
    elif type_name == "boolean":
        fits = isinstance(value, bool)
    elif type_name in ("double", "float"):
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        value = float(value) if fits else value
    elif type_name == "octet":
        fits = isinstance(value, bytes)
    else:
        fits = isinstance(value, int) and not isinstance(value, bool) and value in _INTEGERS[type_name]
    if not fits:
        raise ValueError(f"{where} does not take {value!r}: it is a {type_name}")
    return value


def _default(type_name: str) -> Any:
    if "/" not in type_name:
        return None
    package, name = type_name.split("/")[0], type_name.split("/")[-1]
    return interface(f"{package}/msg/{name}")()


def field(made: Any, path: str) -> Any:
    """Return a field of a message by its path, as in pose.position.x or states.0.value; LookupError for none."""
    for part in path.split("."):
        if part.isdecimal():
            made = made[int(part)]
        elif hasattr(made, "get_fields_and_field_types") and part in made.get_fields_and_field_types():
            made = getattr(made, part)
        else:
            raise LookupError(f"{type(made).__name__} has no field {part}")
    return made


def leaf(kind: Any, path: str) -> str:
    """Return the type of a field, as in boolean or geometry_msgs/Pose, by its path. TableError where there is none."""
    made: Any = kind()
    type_name: str = kind.__name__
    for part in path.split("."):
        several = _SEQUENCE.match(type_name)
        if several is not None:
            if not part.isdecimal():
                raise TableError(f"{path}: {part} follows a list ({type_name}): write an index between, as in states.0")
            type_name = several[1] or several[2]
            made = _default(type_name)
            continue
        types = made.get_fields_and_field_types() if hasattr(made, "get_fields_and_field_types") else {}
        if part not in types:
            raise TableError(f"{type_name} has no field {part} ({path}): it has {', '.join(types) or 'none'}")
        made, type_name = getattr(made, part), types[part]
    return type_name


def check_value(type_name: str, value: Any, path: str) -> None:
    """Raise ValueError where a field of a type can never be equal to a value of the table."""
    _value(type_name, None, value, path)


def is_number(type_name: str) -> bool:
    """Return whether a field of a type is a number."""
    return type_name in ("double", "float") or type_name in _INTEGERS
