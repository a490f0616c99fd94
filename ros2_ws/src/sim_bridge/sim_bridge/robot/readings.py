# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How the answers of usual interfaces are read where a table does not say otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sim_bridge.robot.calls import Call, CodeName, Condition, Reading

_NOT_THERE: CodeName = "PRECONDITION_FAILURE"
_NAVIGATION = Reading(
    code="error_code",
    message="error_msg",
    codes={
        202: "UNAVAILABLE",  # TF_ERROR of the planner
        203: _NOT_THERE,  # START_OUTSIDE_MAP
        204: "NOT_FOUND",  # GOAL_OUTSIDE_MAP
        205: _NOT_THERE,  # START_OCCUPIED
        206: _NOT_THERE,  # GOAL_OCCUPIED
        208: _NOT_THERE,  # NO_VALID_PATH
        102: "UNAVAILABLE",  # TF_ERROR of the controller
        9001: "UNAVAILABLE",  # FAILED_TO_LOAD_BEHAVIOR_TREE
        9002: "UNAVAILABLE",  # TF_ERROR of the navigator
    },
)
"""Codes of nav2_msgs since Jazzy, of the planner (200), the controller (100) and the navigator (9000).

Humble's result is empty: there, only the action's status tells.
"""
ANSWERED = Reading(success=(Condition(field="success", equals=True),), message="message")
"""As `Trigger` and `SetBool` answer, and many services that are made like them."""

USUAL: Mapping[str, Reading] = {
    "nav2_msgs/action/NavigateToPose": _NAVIGATION,
    "std_srvs/srv/Trigger": ANSWERED,
    "std_srvs/srv/SetBool": ANSWERED,
}
"""Type → how its answer is read."""


def reading_of(call: Call, field: Callable[[str], Any] = lambda path: None) -> Reading:
    """Return how the answer to a call is read; `field` gives a field of that answer, None where there is none."""
    if call.reading is not None:
        return call.reading
    if call.service is not None and isinstance(field("success"), bool):
        return ANSWERED
    return USUAL.get(call.type, Reading())
