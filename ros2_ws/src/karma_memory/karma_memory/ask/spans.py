# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The stretch of time that a question is about."""

from __future__ import annotations

from karma_language.things import Span

DAY = 86_400.0
JUST = 1e-3
"""Seconds before a change at which it is as it was."""


def stretch(time: Span | None, now: float, default: float) -> tuple[float, float]:
    """Return a stretch of time: of a moment, the hour around it."""
    if time is None:
        return now - default, now
    if time.at is not None:
        return time.at - 1800.0, time.at + 1800.0
    return time.since if time.since is not None else 0.0, time.until if time.until is not None else now


def moment(time: Span) -> float:
    """Return the moment that a stretch of time is asked about by: its end."""
    if time.at is not None:
        return time.at
    return time.until if time.until is not None else time.since or 0.0
