# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The time zone in which people speak of times, and in which the robot tells them."""

from __future__ import annotations

import logging
from datetime import datetime, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfoNotFoundError

from tzlocal import reload_localzone


@cache
def local_zone() -> tzinfo:
    """Return the zone of this process: the variable TZ, else the machine's; UTC where that is no zone."""
    try:
        return reload_localzone()
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        logging.getLogger(__name__).warning(
            "times are in UTC, because the machine's time zone can't be read: %s", error
        )
        return timezone.utc


def local_time(stamp: float) -> datetime:
    """Return a time (seconds since the epoch) as people here say it. ValueError, OverflowError: no calendar has it."""
    return datetime.fromtimestamp(stamp, local_zone())
