# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Names of the codes in karma_interfaces/msg/Result."""

from __future__ import annotations

from karma_interfaces.msg import Result

NAMES: dict[int, str] = {
    getattr(Result, name): name
    for name in (
        "UNSET",
        "SUCCESS",
        "INVALID_ARGUMENT",
        "NOT_FOUND",
        "PRECONDITION_FAILURE",
        "PLANNING_FAILURE",
        "EXECUTION_FAILURE",
        "CANCELED",
        "TIMEOUT",
        "UNAVAILABLE",
        "AMBIGUOUS",
        "NOT_UNDERSTOOD",
        "REFUSED",
        "INTERNAL_ERROR",
    )
}


def code_name(result: Result) -> str:
    """Return the name of a result's code; a number that this version does not know comes back as text."""
    return NAMES.get(result.code, str(result.code))
