# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether what was heard is of now: by when it came, and by when its sender says that it was sent."""

from __future__ import annotations

import math

from sim_bridge.robot.ports import Heard

AHEAD = 0.5
"""Seconds that a sender's clock may be ahead of this machine's: by so much a message may be older than it seems."""
_MEND = (
    "synchronise the clocks (chrony; with use_sim_time, all have to stamp with /clock), or write by_receipt: true in "
    "the table for a topic whose driver has no such clock"
)


def why_not_of_now(heard: Heard, longest: float, *, ahead: float = AHEAD) -> str:
    """Return why a message says nothing of now; empty where it does.

    Its age is the time since it came, and the time that it was underway before. A clock that is ahead hides how long
    that was, so that nothing is known then. `longest`: seconds of age after which a message counts as none; where that
    is infinite, no clock matters. `ahead`: seconds that a stamp may be ahead.
    """
    if math.isinf(longest):
        return ""
    if heard.age > longest:
        return f"the newest message came {heard.age:.1f} s ago, max_age is {longest:g} s"
    underway = heard.underway if heard.underway is not None else 0.0
    if underway < -ahead:
        return (
            f"the newest message is stamped {-underway:.1f} s ahead of this machine's time, so that its age is not "
            f"known: {_MEND}"
        )
    if heard.age + max(underway, 0.0) > longest:
        return (
            f"the newest message is stamped {underway:.1f} s before it came, {heard.age:.1f} s ago, max_age is "
            f"{longest:g} s: either it was underway for long, or its driver's clock is behind this machine's; {_MEND}"
        )
    return ""
