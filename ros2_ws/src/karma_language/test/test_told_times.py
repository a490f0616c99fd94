# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.told.facts.moments import Moment, spoken
from karma_language.told.facts.times import mark_times

NOW = datetime(2026, 5, 6, 10, tzinfo=timezone.utc).timestamp()
"""A Wednesday."""


def value(moment):
    """Return a moment as people of ISO 8601 write it."""
    return moment.day.isoformat() + ("" if moment.hour is None else f" {moment.hour:02}:{moment.minute:02}")


@pytest.mark.parametrize(
    ("text", "lead", "value_said"),
    [
        ("on Thursday at 3 pm", "on", "2026-05-07 15:00"),
        ("01:40 on 2024-05-12", "", "2024-05-12 01:40"),
        ("until 14 May", "until", "2026-05-14"),
        ("April 2nd, 1998", "", "1998-04-02"),
        ("the 5th of June", "", "2026-06-05"),
        ("3 May", "", "2027-05-03"),
        ("in two weeks", "", "2026-05-20"),
        ("for the next three days", "lasting", "2026-05-09"),
        ("tomorrow evening", "", "2026-05-07 19:00"),
        ("tomorrow at 9", "", "2026-05-07 09:00"),
        ("on Friday at 3", "on", "2026-05-08 15:00"),
        ("next Monday at noon", "", "2026-05-11 12:00"),
        ("at midnight", "at", "2026-05-06 00:00"),
        ("noon on Friday", "", "2026-05-08 12:00"),
        ("by 3 o'clock", "by", "2026-05-06 15:00"),
        ("the end of the month", "", "2026-05-31"),
        ("on the ninth of November", "on", "2026-11-09"),
        ("June the twenty-first", "", "2026-06-21"),
    ],
)
def test_times_are_resolved_against_when_they_are_said(text, lead, value_said):
    marked, (found,) = mark_times(text, NOW)
    assert (found.lead, value(found.moment)) == (lead, value_said)
    assert marked.split() == ["@0"]


@pytest.mark.parametrize(
    ("text", "when"),
    [("at 8", "2026-05-06 20:00"), ("at eleven", "2026-05-06 11:00"), ("by 5", "2026-05-06 17:00"),
     ("at half past seven", "2026-05-06 19:30"), ("at quarter to nine", "2026-05-06 20:45"),
     ("at ten to eight", "2026-05-06 19:50")],
)  # fmt: skip
def test_of_what_there_is_to_do_a_bare_number_is_the_next_such_time(text, when):
    marked, (found,) = mark_times(f"call Kim {text}", NOW, to_come=True)
    assert (marked.split(), value(found.moment)) == (["call", "Kim", "@0"], when)
    assert mark_times("eat at 5 Elm Street", NOW, to_come=True)[1] == []
    assert mark_times(f"I got up {text}", NOW)[1] == []


@pytest.mark.parametrize(
    "text", ["I may go", "31 June", "two marches", "the second floor", "the second may be", "room 12", "at home"]
)
def test_what_is_no_time_stays(text):
    assert mark_times(text, NOW) == (text, [])


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)))
def test_an_iso_date_is_that_date(day):
    (found,) = mark_times(f"It was on {day.isoformat()}.", NOW)[1]
    assert found.moment == Moment(day)


@given(st.dates(date(2026, 5, 6), date(2027, 5, 5)))
def test_a_day_without_year_is_its_next_one(day):
    (found,) = mark_times(f"on {day.day} {day:%B}", NOW)[1]
    assert found.moment.day == day
    assert found.moment.yearless


def test_a_day_is_a_stretch_of_time_and_a_time_of_day_a_moment():
    midnight = datetime(2026, 5, 7, tzinfo=timezone.utc)
    day = Moment(date(2026, 5, 6)).span
    assert (day.since, day.until, day.at) == (midnight.timestamp() - 86_400, midnight.timestamp(), None)
    assert Moment(date(2026, 5, 6), 9, 30).span.at == (midnight - timedelta(hours=14, minutes=30)).timestamp()


@pytest.mark.parametrize(
    "text", ["tomorrow at 9 Elm Street", "on Friday at 12-14 High Road", "on Monday at 5th Street"]
)
def test_a_number_of_a_house_is_no_hour(text):
    (found,) = mark_times(text, NOW)[1]
    assert found.moment.hour is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("--05-12", "12 May"),
        ("2026-05-12", "12 May 2026"),
        ("2026-05-12 01:40", "12 May 2026 at 01:40"),
        ("4711", "4711"),
    ],
)
def test_a_time_is_said_for_people(value, said):
    assert spoken(value) == said
