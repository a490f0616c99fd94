# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.phrases.times import take_clause, take_time, time_said

ZONE = timezone.utc
NOW = datetime(2026, 5, 14, 15, 0, tzinfo=ZONE).timestamp()
"""A Thursday."""


def clock(stamp: float | None) -> str:
    return "" if stamp is None else datetime.fromtimestamp(stamp, ZONE).strftime("%d.%m. %H:%M")


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("two hours ago", "14.05. 13:00"),
        ("half an hour ago", "14.05. 14:30"),
        ("at half past eight", "14.05. 08:30"),
        ("at a quarter to nine", "14.05. 08:45"),
        ("at 14:30", "14.05. 14:30"),
        ("at 5 pm", "13.05. 17:00"),
        ("at three o'clock", "14.05. 15:00"),
        ("yesterday at 8 in the evening", "13.05. 20:00"),
        ("yesterday evening at about 8", "13.05. 20:00"),
    ],
)
def test_a_moment(said: str, at: str) -> None:
    rest, span = take_time(f"where was it {said}?", NOW)
    assert rest == "where was it?"
    assert span is not None
    assert (clock(span.at), span.since, span.until, span.text) == (at, None, None, said)


@pytest.mark.parametrize(
    ("said", "begin", "end"),
    [
        ("now", "14.05. 15:00", "14.05. 15:00"),
        ("5 min ago", "14.05. 14:55", "14.05. 14:55"),
        ("10:00", "14.05. 10:00", "14.05. 10:00"),
        ("noon", "14.05. 12:00", "14.05. 12:00"),
        ("2 pm", "14.05. 14:00", "14.05. 14:00"),
        ("yesterday", "13.05. 00:00", "14.05. 00:00"),
        ("Monday", "11.05. 00:00", "12.05. 00:00"),
        ("2026-05-12", "12.05. 00:00", "13.05. 00:00"),
        ("2026-05-12T17:30", "12.05. 17:30", "12.05. 17:30"),
        ("2026-05-12T17:30+02:00", "12.05. 15:30", "12.05. 15:30"),
        ("today", "14.05. 00:00", "14.05. 15:00"),
        ("the mug yesterday", "", ""),
        ("2026-13-12", "", ""),
        ("", "", ""),
    ],
)
def test_a_time_that_is_said_alone(said: str, begin: str, end: str) -> None:
    span = time_said(said, NOW)
    moments = () if span is None else (span.at or span.since, span.at or span.until)
    assert [*map(clock, moments)] == [one for one in (begin, end) if one]


@pytest.mark.parametrize(
    ("said", "since", "until"),
    [
        ("before lunch", "", "14.05. 11:00"),
        ("before dinner", "", "13.05. 17:00"),
        ("this morning", "14.05. 05:00", "14.05. 12:00"),
        ("last night", "13.05. 21:00", "14.05. 06:00"),
        ("on Monday", "11.05. 00:00", "12.05. 00:00"),
        ("since Tuesday evening", "12.05. 17:00", "14.05. 15:00"),
        ("on Thursday", "07.05. 00:00", "08.05. 00:00"),
        ("the day before yesterday", "12.05. 00:00", "13.05. 00:00"),
        ("on the 3rd of May", "03.05. 00:00", "04.05. 00:00"),
        ("on June 3", "03.06. 00:00", "04.06. 00:00"),
        ("between eight and ten", "14.05. 08:00", "14.05. 10:00"),
        ("in the last hour", "14.05. 14:00", "14.05. 15:00"),
        ("since breakfast", "14.05. 06:00", "14.05. 15:00"),
        ("last week", "04.05. 00:00", "11.05. 00:00"),
        ("last month", "01.04. 00:00", "01.05. 00:00"),
        ("today", "14.05. 00:00", "14.05. 15:00"),
        ("all day", "14.05. 00:00", "14.05. 15:00"),
    ],
)
def test_a_stretch(said: str, since: str, until: str) -> None:
    rest, span = take_time(f"where was it {said}?", NOW)
    assert rest == "where was it?"
    assert span is not None
    assert (clock(span.since), clock(span.until), span.at, span.text) == (since, until, None, said)


@pytest.mark.parametrize("said", ["on the table", "at 99", "on 45 May", "in the kitchen", "tonight", "at the window"])
def test_what_is_no_time_of_the_past(said: str) -> None:
    assert take_time(said, NOW) == (said, None)


def test_a_clause_says_when_in_words() -> None:
    rest, span = take_clause("what was moved while I was at work?")
    assert rest == "what was moved?"
    assert span is not None
    assert (span.text, span.since, span.until, span.at) == ("while I was at work", None, None, None)


@given(st.text(max_size=200))
def test_any_text_is_read_or_not(text: str) -> None:
    _, span = take_time(text, NOW)
    assert span is None or span.text in text
