# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of nodes that a user sets one by one, as `sim_bridge.habitat_camera=arm`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

ParameterValue = bool | int | float | str | list[str]

FORM = re.compile(r"(\w+)\.(\w+)=(.*)", re.DOTALL)
FILES = frozenset(
    (
        *(f"sim_bridge.habitat_{what}" for what in ("dataset", "episodes", "objects", "spot")),
        *(f"perception.{what}" for what in ("detector_model", "detector_labels", "class_table", "map_file")),
        *("planner.safety_rules", "planner.home_words", "memory_server.folder"),
    )
)
"""Parameters that name a file or folder, which the user means from where the command is given."""


_KINDS: Mapping[type, str] = {bool: "true or false", int: "an int", float: "a float", str: "a text"}


class ParameterError(ValueError):
    """No node of KARMA's has such a parameter, or it takes no such value; the message says which and why."""


def read_parameters(texts: Iterable[str], config: Path) -> dict[str, dict[str, ParameterValue]]:
    """Return, by node and parameter, what texts of the form NODE.PARAMETER=VALUE set; of two, the later one holds.

    `config` is the folder of the nodes' parameter files, which say what there is and of which type. ParameterError
    otherwise.
    """
    values: dict[str, dict[str, ParameterValue]] = {}
    nodes = sorted(file.stem for file in config.glob("*.yaml"))
    declared: dict[str, Mapping[str, ParameterValue]] = {}
    for text in texts:
        match = FORM.fullmatch(text)
        if match is None:
            raise ParameterError(f"{text!r} is not NODE.PARAMETER=VALUE, as in sim_bridge.habitat_camera=arm")
        node, name, value = match.groups()
        if node not in nodes:
            raise ParameterError(f"no node {node!r} has parameters{_meant(node, nodes)}; those are {', '.join(nodes)}")
        if node not in declared:
            declared[node] = declared_parameters(config / f"{node}.yaml")
        if name not in declared[node]:
            raise ParameterError(
                f"{node} has no parameter {name!r} to be set so{_meant(name, declared[node])}; "
                f"{config / node}.yaml lists them, and the rest are arguments themselves, as --scene is"
            )
        values.setdefault(node, {})[name] = _value(f"{node}.{name}", value, declared[node][name])
    return values


def declared_parameters(file: Path) -> Mapping[str, ParameterValue]:
    """Return the parameters that a node's file lists, which is read, and values of their types."""
    import yaml

    content = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return {**content["/**"]["ros__parameters"], "use_sim_time": False}


def typed_value(name: str, value: ParameterValue, declared: Mapping[str, ParameterValue]) -> ParameterValue:
    """Return a value for a declared parameter, as its type; a whole number will do for a float.

    ParameterError where there is no such parameter, or it takes no such value.
    """
    if name not in declared:
        raise ParameterError(f"there is no parameter {name!r}{_meant(name, declared)}")
    kind = type(declared[name])
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ParameterError(f"{name} is {_KINDS.get(kind, kind.__name__)}, not {value!r}")
    return value


def _value(name: str, text: str, example: ParameterValue) -> ParameterValue:
    """Return the value that a text says, of the type that the example has."""
    if isinstance(example, bool):
        if text not in ("true", "false"):
            raise ParameterError(f"{name} is {_KINDS[bool]}, not {text!r}")
        return text == "true"
    if isinstance(example, (int, float)):
        kind = type(example)
        try:
            return kind(text)
        except ValueError as error:
            raise ParameterError(f"{name} is {_KINDS[kind]}, not {text!r}") from error
    return str(Path(text).expanduser().absolute()) if text and name in FILES else text


def _meant(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=2, cutoff=0.7)
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def perception_parameters(file: Path | None, settings: Mapping[str, str]) -> dict[str, object]:
    """Return perception's parameters from a YAML file, as `ros2 run --params-file` takes it, and values by name.

    ParameterError where they can't be read.
    """
    import yaml

    chosen: dict[str, object] = {}
    try:
        if file is not None:
            content = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
            # The node's own section comes after what holds for all nodes.
            for section in ("/**", "perception", "/perception"):
                chosen |= (content.get(section) or {}).get("ros__parameters") or {}
        given = {name: yaml.load(value, yaml.CSafeLoader) if value.strip() else "" for name, value in settings.items()}
    except (yaml.YAMLError, ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        raise ParameterError(f"the parameters can't be read as YAML: {error}") from error
    if file is not None and not chosen:
        raise ParameterError(f"{file} has no ros__parameters for /** or perception; see perception.yaml")
    return chosen | given
