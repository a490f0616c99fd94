# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What a request of a table may be filled with: a closed set of names, whose values keep their types.

`$target.position` as a whole value of the YAML is replaced; text with a `$` elsewhere is left alone, and `$$` at the
beginning of a text means a single one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NAMES: Mapping[str, str] = {
    "goal.pose": "where the base is to drive: geometry_msgs/PoseStamped (drive only)",
    "goal.x": "the same, metres",
    "goal.y": "the same, metres",
    "goal.yaw": "the same, radians",
    "point.stamped": "what the camera is to look at: geometry_msgs/PointStamped (look only)",
    "point.position": "the same: geometry_msgs/Point",
    "target.id": "id of what the skill is about, text",
    "target.category": "its category, text",
    "target.position": "its middle: geometry_msgs/Point",
    "target.pose": "the same, upright: geometry_msgs/PoseStamped",
    "target.near_position": "where a hand takes hold: on its near side, off that side's ends: geometry_msgs/Point",
    "target.near_pose": "the same, upright: geometry_msgs/PoseStamped",
    "target.width": "its smaller horizontal extent, metres",
    "receptacle.id": "id of where something is put, text",
    "receptacle.category": "its category, text",
    "receptacle.position": "its middle: geometry_msgs/Point",
    "place.position": "where the bottom of what is held is to come: geometry_msgs/Point (PutObject, Place)",
    "place.pose": "the same, upright: geometry_msgs/PoseStamped (PutObject, Place)",
    "place.hand_position": "where a hand that holds it by its middle is then: geometry_msgs/Point (PutObject, Place)",
    "place.hand_pose": "the same, upright: geometry_msgs/PoseStamped (PutObject, Place)",
    "held.id": "id of what is in the gripper, text",
    "relation": "on, in or near, text",
    "duration": "seconds",
    "limits.speed": "the table's limit, metres a second",
}
"""Name → what it stands for."""

Values = Mapping[str, Any]
"""Name → its value: a number, a text, or a mapping that mirrors a message."""


class UnknownPlaceholderError(ValueError):
    """A placeholder that is none of `NAMES`."""


class NoValueError(ValueError):
    """A placeholder that has no value in this call: the position of something whose place nobody knows."""


def check(request: Any) -> None:
    """Raise UnknownPlaceholderError when a request uses a name that is none."""
    for name in used(request):
        if name not in NAMES:
            raise UnknownPlaceholderError(f"${name} is no placeholder: they are {', '.join(f'${n}' for n in NAMES)}")


def fill(request: Any, values: Values) -> Any:
    """Return a request with its placeholders replaced. NoValueError for one that has no value now."""
    if isinstance(request, Mapping):
        return {key: fill(value, values) for key, value in request.items()}
    if isinstance(request, list):
        return [fill(value, values) for value in request]
    if not isinstance(request, str) or not request.startswith("$"):
        return request
    if request.startswith("$$"):
        return request[1:]
    if request[1:] not in values:
        raise NoValueError(f"the call needs {request} ({NAMES[request[1:]]}), and that is not known")
    return values[request[1:]]


def used(request: Any) -> Iterator[str]:
    """Return the names that a request uses."""
    if isinstance(request, Mapping):
        for value in request.values():
            yield from used(value)
    elif isinstance(request, list):
        for value in request:
            yield from used(value)
    elif isinstance(request, str) and request.startswith("$") and not request.startswith("$$"):
        yield request[1:]
