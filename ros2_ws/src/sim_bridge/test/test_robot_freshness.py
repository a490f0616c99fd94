# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What was heard is of now, or it is said why not: whatever the way and whatever the clocks."""

from __future__ import annotations

import math

from hypothesis import assume, given
from hypothesis import strategies as st

from sim_bridge.robot.freshness import AHEAD, why_not_of_now
from sim_bridge.robot.ports import Heard

SECONDS = st.floats(0.0, 100.0)
LONGEST = st.floats(0.1, 60.0)
OFF = st.floats(-2e9, 2e9)
"""How far a clock is off: also one that counts from when it was switched on."""
EXACT = 1e-6


def heard(age: float, underway: float | None) -> Heard:
    return Heard(None, age, None, underway)


@given(age=SECONDS, longest=LONGEST)
def test_without_a_stamp_it_goes_by_when_it_came(age: float, longest: float) -> None:
    assert (why_not_of_now(heard(age, None), longest) == "") is (age <= longest)


@given(age=SECONDS, way=SECONDS, longest=LONGEST)
def test_with_one_clock_it_goes_by_when_it_was_stamped(age: float, way: float, longest: float) -> None:
    assume(abs(age + way - longest) > EXACT)
    assert (why_not_of_now(heard(age, way), longest) == "") is (age + way <= longest)


@given(age=SECONDS, way=SECONDS, off=st.floats(-AHEAD, AHEAD), longest=LONGEST)
def test_a_clock_that_is_off_a_little_makes_nothing_much_fresher(
    age: float, way: float, off: float, longest: float
) -> None:
    if not why_not_of_now(heard(age, way - off), longest):
        assert age + way <= longest + AHEAD + EXACT


@given(age=SECONDS, off=OFF, longest=LONGEST)
def test_a_clock_that_is_off_is_told_and_not_taken_for_silence(age: float, off: float, longest: float) -> None:
    """Of a message that comes at once, whose age by receipt is all right."""
    assume(age <= longest)
    why = why_not_of_now(heard(age, -off), longest)
    if off > AHEAD + EXACT or -off > longest + EXACT:
        assert "synchronise the clocks" in why
        assert f"{abs(off):.1f} s" in why
    if why:
        assert "clock" in why


@given(age=SECONDS, underway=OFF, longest=LONGEST, later=SECONDS)
def test_what_is_not_of_now_is_not_of_later(age: float, underway: float, longest: float, later: float) -> None:
    if why_not_of_now(heard(age, underway), longest):
        assert why_not_of_now(heard(age + later, underway), longest)


@given(age=SECONDS, underway=st.none() | OFF)
def test_what_never_gets_old_needs_no_clock(age: float, underway: float | None) -> None:
    assert why_not_of_now(heard(age, underway), math.inf) == ""
