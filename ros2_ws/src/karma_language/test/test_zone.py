# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""People speak of the days and hours of their own time zone."""

import time
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from karma_language.phrases.times import take_time
from karma_language.told.facts.times import mark_times
from karma_language.zone import local_time, local_zone

OSAKA = ZoneInfo("Asia/Tokyo")
LYON = ZoneInfo("Europe/Paris")


@pytest.fixture
def live_in(monkeypatch):
    """Return a function that moves this process into a time zone until the test ends."""

    def move(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()
        local_zone.cache_clear()

    yield move
    monkeypatch.undo()
    time.tzset()
    local_zone.cache_clear()


def test_this_morning_is_the_morning_of_the_home(live_in):
    live_in("Asia/Tokyo")
    now = datetime(2026, 5, 8, 10, 0, tzinfo=OSAKA).timestamp()
    _, span = take_time("where was my cup this morning", now)
    assert (span.since, span.until) == (datetime(2026, 5, 8, 5, 0, tzinfo=OSAKA).timestamp(), now)
    assert local_time(span.since).hour == 5


def test_a_day_is_of_the_home_also_when_the_clocks_change(live_in):
    live_in("Europe/Paris")
    now = datetime(2026, 3, 31, 12, 0, tzinfo=LYON).timestamp()
    _, span = take_time("what did you do on Sunday", now)
    day = datetime(2026, 3, 29, tzinfo=LYON)  # it had 23 hours
    assert (span.since, span.until) == (day.timestamp(), (day + timedelta(days=1)).timestamp())
    assert span.until - span.since == 23 * 3600


@pytest.mark.parametrize("name", ["Asia/Tokyo", "America/Los_Angeles", "Europe/Paris", "UTC"])
def test_an_appointment_keeps_its_day_and_hour(live_in, name):
    live_in(name)
    now = datetime(2026, 5, 4, 20, 0, tzinfo=ZoneInfo(name)).timestamp()
    _, (said,) = mark_times("the dentist is on 12 May at 8 am", now)
    assert datetime.fromtimestamp(said.moment.span.at, ZoneInfo(name)) == datetime(
        2026, 5, 12, 8, 0, tzinfo=ZoneInfo(name)
    )
    _, (said,) = mark_times("my birthday is on 12 May", now)
    span = said.moment.span
    assert (
        datetime.fromtimestamp(span.since, timezone(timedelta(seconds=span.offset))).strftime("%d %B %H") == "12 May 00"
    )


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "\x01", "../../etc/passwd"])
def test_what_is_no_zone_is_answered_with_utc(live_in, name):
    live_in(name)
    assert local_time(0.0).utcoffset() == timedelta()
