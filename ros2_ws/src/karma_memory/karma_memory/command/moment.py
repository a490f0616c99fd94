# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Times as people write them, and as they are shown to them."""

from __future__ import annotations

import argparse
import re
import time
from dataclasses import dataclass
from datetime import datetime, timezone

from karma_memory.journal import Journal

EPOCH_STAMP = 1e9
"""Seconds; stamps beyond this are taken for times since 1970, not for those of a clock that started with the robot."""
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
"""Seconds of each unit of an age."""
WHEN = "a time (2027-01-15, 2027-01-15T08:00+01:00, or seconds of the robot's clock) or an age (90min, 12h, 30d, 4w)"

_AGE = re.compile(rf"(\d+(?:\.\d+)?)({'|'.join(UNITS)})")


@dataclass(frozen=True)
class Moment:
    """A time, or how long ago it is."""

    seconds: float
    ago: bool = False

    def in_journal(self, journal: Journal) -> float:
        """Return the time in seconds of the journal's clock.

        An age counts back from now; from the newest event where the clock of the journal began with the robot.
        """
        if not self.ago:
            return self.seconds
        newest = journal.newest_stamp(journal.last_sequence)
        return (time.time() if newest >= EPOCH_STAMP else newest) - self.seconds


def to_moment(text: str) -> Moment:
    """Return what WHEN describes; a time without a zone is local. argparse.ArgumentTypeError for anything else."""
    if age := _AGE.fullmatch(text):
        return Moment(float(age[1]) * UNITS[age[2]], ago=True)
    try:
        return Moment(float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no {WHEN.removeprefix('a ')}") from error


def show_time(stamp: float) -> str:
    """Return a time for people."""
    if stamp < EPOCH_STAMP:
        return f"{stamp:.3f} s"
    return datetime.fromtimestamp(stamp, timezone.utc).isoformat(timespec="seconds")
