# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Events that others made: nothing is taken to be after now, and words in a file are not taken for people's."""

from __future__ import annotations

import time
from dataclasses import replace

from karma_memory.events import Event
from karma_memory.privacy.belongings import of_the_world

AHEAD = 600.0
"""Seconds that the clock of who sends an event may be ahead."""


def not_after(event: Event, now: float) -> Event:
    """Return an event of which nothing is later than `now`, seconds: the newest wins, and the future always would."""
    outcome = event.outcome
    return replace(
        event,
        stamp=min(event.stamp, now),
        nodes=tuple(replace(node, last_seen=min(node.last_seen, now)) for node in event.nodes),
        outcome=replace(outcome, stamp=min(outcome.stamp, now)) if outcome is not None else None,
    )


def seen_only(event: Event) -> Event | None:
    """Return what an event of a file says of the world, until now; None where it says nothing of that.

    Anybody can write a file: it brings nothing that people are to have said, done or changed.
    """
    seen = of_the_world(event, event.id)
    return None if seen is None else not_after(seen, time.time())
