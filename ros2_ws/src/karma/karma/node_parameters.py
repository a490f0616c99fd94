# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of nodes that a user sets one by one, as `sim_bridge.habitat_camera=arm`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

ParameterValue = bool | int | float | str | list[str]

FORM = re.compile(r"(\w+)\.(\w+)=(.*)", re.DOTALL)
FILES = frozenset(
    (
        *(f"sim_bridge.habitat_{what}" for what in ("dataset", "episodes", "objects", "spot")),
        *(f"perception.{what}" for what in ("detector_model", "detector_labels", "class_table", "map_file")),
        *("planner.safety_rules", "memory_server.folder"),
    )
)
"""Parameters that name a file or folder, which the user means from where the command is given."""


class ParameterError(ValueError):
    """No node of KARMA's has such a parameter, or it takes no such value; the message says which and why."""


def read_parameters(texts: Iterable[str], config: Path) -> dict[str, dict[str, ParameterValue]]:
    """Return, by node and parameter, what texts of the form NODE.PARAMETER=VALUE set; of two, the later one holds.

    `config` is the folder of the nodes' parameter files, which say what there is and of which type. ParameterError
    otherwise.
    """
    values: dict[str, dict[str, ParameterValue]] = {}
    for text in texts:
        match = FORM.fullmatch(text)
        if match is None:
            raise ParameterError(f"{text!r} is not NODE.PARAMETER=VALUE, as in sim_bridge.habitat_camera=arm")
        node, name, value = match.groups()
        nodes = sorted(file.stem for file in config.glob("*.yaml"))
        if node not in nodes:
            raise ParameterError(f"no node {node!r} has parameters{_meant(node, nodes)}; those are {', '.join(nodes)}")
        declared = _declared(config / f"{node}.yaml")
        if name not in declared:
            raise ParameterError(
                f"{node} has no parameter {name!r} to be set so{_meant(name, declared)}; "
                f"{config / node}.yaml lists them, and the rest are arguments themselves, as --scene is"
            )
        values.setdefault(node, {})[name] = _value(f"{node}.{name}", value, declared[name])
    return values


def _declared(file: Path) -> dict[str, ParameterValue]:
    """Return the parameters of a node and values of their types."""
    import yaml

    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {**content["/**"]["ros__parameters"], "use_sim_time": False}


def _value(name: str, text: str, example: ParameterValue) -> ParameterValue:
    """Return the value that a text says, of the type that the example has."""
    if isinstance(example, bool):
        if text not in ("true", "false"):
            raise ParameterError(f"{name} is true or false, not {text!r}")
        return text == "true"
    if isinstance(example, (int, float)):
        kind = type(example)
        try:
            return kind(text)
        except ValueError as error:
            said = "an int" if kind is int else "a float"
            raise ParameterError(f"{name} is {said}, not {text!r}") from error
    return str(Path(text).expanduser().absolute()) if text and name in FILES else text


def _meant(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=2, cutoff=0.7)
    return f" (did you mean {' or '.join(close)}?)" if close else ""
