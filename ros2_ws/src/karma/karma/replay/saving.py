# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a replay needs besides the topics, beside the bag: the memory's journal, parameters, definitions of messages."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.parameter import parameter_value_to_python

from karma.replay.trial import DEFINITIONS, JOURNAL, PARAMETERS
from karma_interfaces.msg import Result
from karma_interfaces.srv import ExportMemory
from karma_ros.client import GraphClient, GraphError
from planner_node.ros.exchanges import definitions, interfaces

NODES = ("memory_server", "planner")
ANSWER_S = 5.0
EXPORT_S = 600.0


@dataclass
class Saved:
    """What was written."""

    files: list[Path] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """In sentences."""


def save(client: GraphClient, folder: Path) -> Saved:
    """Write the journal and the parameters of a running graph to a bag's folder; what can't be had is a problem."""
    saved = Saved()
    parameters, journal, defined = folder / PARAMETERS, folder / JOURNAL, folder / DEFINITIONS
    try:
        content = {"digest": interfaces(), "definitions": definitions()}
        defined.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        saved.files.append(defined)
        values = {_full(client, node): {"ros__parameters": parameters_of(client, node)} for node in NODES}
        parameters.write_text(yaml.safe_dump(values), encoding="utf-8")
        saved.files.append(parameters)
    except (GraphError, OSError) as error:
        saved.problems.append(f"the parameters, or how messages are defined: {error}")
    try:
        request = ExportMemory.Request(path=str(journal.absolute()))
        answer = client.call(ExportMemory, "memory/export", request, timeout=EXPORT_S, repeat=EXPORT_S)
    except GraphError as error:
        saved.problems.append(f"the memory's journal: {error}")
        return saved
    if answer.result.code != Result.SUCCESS:
        saved.problems.append(f"the memory's journal: {answer.result.message}")
    elif not journal.exists():
        saved.problems.append(f"the memory's journal is on its own machine, in {answer.path}: copy it to {journal}")
    else:
        saved.files.append(journal)
    return saved


def parameters_of(client: GraphClient, node: str) -> dict[str, Any]:
    """Return the parameters of a node that are numbers, texts or flags. GraphError."""
    names = client.call(ListParameters, f"{node}/list_parameters", ListParameters.Request(), timeout=ANSWER_S)
    request = GetParameters.Request(names=names.result.names)
    values = client.call(GetParameters, f"{node}/get_parameters", request, timeout=ANSWER_S).values
    known = zip(request.names, map(parameter_value_to_python, values), strict=True)
    return {name: value for name, value in known if isinstance(value, (bool, int, float, str))}


def _full(client: GraphClient, node: str) -> str:
    return f"{client.node.get_namespace().rstrip('/')}/{node}"
