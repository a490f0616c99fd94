# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What an answer says is found in its words."""

from __future__ import annotations

import pytest

from karma_eval.answers import number_in, says_yes, times_in

NOW = 1_778_094_600.0
"""2026-05-06 19:10 UTC."""
HOUR = 3600.0


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("I know of two cups; I saw them at 8:12, 4 hours ago.", 2),
        ("At 8:12 I saw 3 of them.", 3),
        ("None.", 0),
        ("Twice. Last at 16:34, 3 hours ago.", 2),
        ("I know of three apples and 2 pears.", 3),
        ("None that I know of.", 0),
        ("It is on the sofa.", None),
    ],
)
def test_times_and_ages_are_no_counts(text: str, number: int | None) -> None:
    assert number_in(text) == number


def test_times_are_found_however_they_are_said() -> None:
    assert times_in("on 4 May at 9:05", NOW) == [NOW - 58 * HOUR - 5 * 60]
    assert times_in("half an hour ago", NOW)[0] == NOW - 1800
    assert times_in("[2026-05-06 07:00:00] mug", NOW) == [NOW - 12 * HOUR - 600]
    assert times_in("just now", NOW) == [NOW]


def test_a_quoted_no_is_not_a_no() -> None:
    assert says_yes("You told me: “there is no milk”") is True
    assert says_yes("None of them is.") is False
    assert says_yes("Yes, it is not far.") is True
    assert says_yes("It isn't.") is False
