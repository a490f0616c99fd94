# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Times as values of a graph: "2026-05-12", "2026-05-12 01:40", and "--05-12" (RFC 6350) for a day of every year.

They are as the clock of who told them showed them, so what was told stays the same wherever the journal is read.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from karma_language.things import Span

HOUR = 3600.0


def name_of(span: Span, *, yearly: bool = False) -> str:
    """Return the value that a time is; "" for one without numbers. `yearly`: the year doesn't matter."""
    start = span.at if span.at is not None else span.since
    if start is None:
        return ""
    time = datetime.fromtimestamp(start, timezone(timedelta(seconds=span.offset)))
    if yearly:
        return f"--{time:%m-%d}"
    return f"{time:%Y-%m-%d}" if span.at is None else f"{time:%Y-%m-%d %H:%M}"


def end_of(span: Span | None) -> float | None:
    """Return when a time is over, seconds: a day with itself, a time of day after an hour; None for no time."""
    if span is None:
        return None
    return span.until if span.at is None else span.at + HOUR
