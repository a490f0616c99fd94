# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""How things stand with the robot between two instructions."""

from __future__ import annotations

from collections.abc import Callable

from planner_node.skills import Point


class Standing:
    """The time, where the robot is, and what it holds."""

    def __init__(self, now: Callable[[], float] | None = None) -> None:
        """`now` gives the robot's time in seconds; without it, the stamp of the newest outcome is taken."""
        self._now = now
        self.reported = 0.0
        """The time that a skill reported last."""
        self.held = ""
        """Id of what it holds, by its last skill; after a restart working memory knows it."""
        self.position: Point | None = None
        """Where it was last."""

    @property
    def clock(self) -> float:
        """The robot's time in seconds, never before what a skill has reported."""
        return max(self.reported, self._now()) if self._now is not None else self.reported
