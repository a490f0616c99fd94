# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Formulas are told from what says anything besides."""

from __future__ import annotations

import pytest

from karma_language.social import friendly, read_social


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Thanks!", "thanks"),
        ("thank you so much", "thanks"),
        ("good morning, robot", "greeting"),
        ("Bye!", "farewell"),
        ("well done", "praise"),
        ("sorry", "apology"),
        ("never mind", "agreement"),
    ],
)
def test_a_formula_has_a_friendly_line(text: str, kind: str) -> None:
    social = read_social(text)
    assert social is not None
    assert social.kind == kind
    assert friendly(social)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "thanks, now bring me an apple",
        "hello, where is my phone",
        "is it done?",
        "you",
        "good morning " * 20,
        "the nice mug",
        "nothing is left in the fridge",
    ],
)
def test_what_says_more_is_no_formula(text: str) -> None:
    assert read_social(text) is None
