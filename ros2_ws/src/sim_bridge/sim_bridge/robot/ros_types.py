# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a table fits the message types that it names (ROS side)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sim_bridge.robot.calls import Call, Condition, Confirm
from sim_bridge.robot.placeholders import NAMES, fill
from sim_bridge.robot.readings import USUAL
from sim_bridge.robot.ros_messages import (
    answer_type,
    check_value,
    interface,
    is_number,
    leaf,
    message,
    request_type,
)
from sim_bridge.robot.sources import Battery, EmergencyStop, Source
from sim_bridge.robot.table import Table, TableError
from sim_bridge.robot.yaml_lines import Place

_POINTS = ("geometry_msgs/Point", "geometry_msgs/Point32", "geometry_msgs/Vector3")
_Check = tuple[Place, Callable[[], object]]
"""Where below a part of the table, and what raises ValueError where that is wrong."""


def check_types(table: Table) -> None:
    """Raise TableError, with a line for each, where the table does not fit its types, or these are not installed."""
    wrong = []
    for place, type_name, checks in _parts(table):
        installed: _Check = (("type",), partial(interface, type_name))
        for below, check in (installed, *checks):
            try:
                check()
            except ValueError as error:
                wrong.append(f"{table.where((*place, *below))}: {error}")
                if below == ("type",):
                    break  # nothing else can be said of it
    if wrong:
        raise TableError("\n".join(wrong))


def _parts(table: Table) -> Iterator[tuple[Place, str, list[_Check]]]:
    for place, call in table.placed_calls:
        yield place, call.type, list(_of_call(call))
        if call.confirm is not None:
            yield (*place, "confirm"), call.confirm.type, [(("field",), partial(_check_confirm, call.confirm))]
    for place, source in table.sources:
        given = source.model_fields_set
        below = next((name for name in ("released", "stopped") if name in given), "field")
        yield place, source.type, [((below,), partial(_check_source, source))]


def _of_call(call: Call) -> Iterator[_Check]:
    yield ("request",), partial(_check_request, call)
    reading = call.reading
    if reading is None:
        yield (), partial(_check_told, call)
        return
    for k, condition in enumerate(reading.success):
        yield ("reading", "success", k), partial(_check_condition, call, condition)
    for name in ("code", "message"):
        if (path := getattr(reading, name)) is not None:
            yield ("reading", name), partial(_leaf_of_answer, call, path)
    if reading.code is not None:
        for code in reading.codes:
            yield ("reading", "codes", code), partial(_check_code, call, reading.code, code)


def _check_request(call: Call) -> None:
    message(request_type(call), fill(call.request, {name: _example(text) for name, text in NAMES.items()}))


def _check_told(call: Call) -> None:
    """Raise ValueError unless something says whether a service has done what it was asked for."""
    if call.service is None or call.confirm is not None or call.type in USUAL:
        return
    if answer_type(call).get_fields_and_field_types().get("success") != "boolean":
        raise ValueError(
            f"what {call} answers does not say whether it was done: give it a reading, or a confirm; "
            "reading: {} where every answer means so"
        )


def _leaf_of_answer(call: Call, path: str) -> str:
    answer = answer_type(call)
    if answer is None:
        raise ValueError("a topic answers nothing: leave reading out")
    return leaf(answer, path)


def _check_condition(call: Call, condition: Condition) -> None:
    kind = _leaf_of_answer(call, condition.field)
    if condition.equals is not None:
        check_value(kind, condition.equals, condition.field)
    elif not is_number(kind):
        raise ValueError(f"{condition.field} is a {kind}, and no number: write equals")


def _check_code(call: Call, path: str, code: int | str) -> None:
    check_value(_leaf_of_answer(call, path), code, path)


def _check_confirm(confirm: Confirm) -> None:
    kind = leaf(interface(confirm.type), confirm.field)
    if confirm.near is None:
        check_value(kind, confirm.equals, confirm.field)
    elif kind not in _POINTS:
        raise ValueError(f"{confirm.field} is a {kind}: near needs a position, one of {', '.join(_POINTS)}")


def _check_source(source: Source) -> None:
    kind = leaf(interface(source.type), source.field)
    if isinstance(source, EmergencyStop):
        if source.released is None and kind != "boolean":
            raise ValueError(
                f"{source.field} is a {kind}, and no boolean: say which values mean that the stop is released "
                "(released: 2, or a list); any other then means stopped"
            )
        for value in source.released or (source.stopped,):
            check_value(kind, value, source.field)
    elif isinstance(source, Battery):
        if not is_number(kind):
            raise ValueError(f"{source.field} is a {kind}: a charge is a number")
    elif kind != "geometry_msgs/Pose":
        raise ValueError(f"{source.field} is a {kind}: name a geometry_msgs/Pose, as nav_msgs/Odometry's pose.pose")


def _example(description: str) -> Any:
    """Return a value of the kind that a placeholder has."""
    position = {"x": 0.0, "y": 0.0, "z": 0.0}
    if "PoseStamped" in description or "upright" in description:
        return {"header": {"frame_id": "map"}, "pose": {"position": position}}
    if "PointStamped" in description:
        return {"header": {"frame_id": "map"}, "point": position}
    if "Point" in description:
        return position
    return "" if "text" in description else 0.0
