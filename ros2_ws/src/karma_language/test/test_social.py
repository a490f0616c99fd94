# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Formulas of politeness are told from what says anything besides."""

from __future__ import annotations

import pytest

from karma_language.social import SocialReader, friendly
from karma_language.vocabulary.embedder import installed


@pytest.fixture(scope="module")
def reader() -> SocialReader:
    embedder = installed()
    assert embedder is not None, "needs the packages of ./karma setup"
    return SocialReader(embedder)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("cheers, that helps me a lot", "thanks"),
        ("hi there!", "greeting"),
        ("Bye bye", "farewell"),
        ("great job, you clever machine", "praise"),
        ("oops, I'm sorry about that", "apology"),
        ("see you later", "farewell"),
        ("ha, just teasing you", "chatter"),
        ("don't bother, it's alright", "agreement"),
    ],
)
def test_a_formula_has_a_friendly_line(reader: SocialReader, text: str, kind: str) -> None:
    social = reader.read(text)
    assert social is not None
    assert social.kind == kind
    assert friendly(social)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "take the bottle to Grandma",
        "the spare key hangs behind the door",
        "who used the oven yesterday?",
        "my back hurts",
        "good morning " * 20,
        "nothing is left in the fridge",
    ],
)
def test_what_says_more_is_no_formula(reader: SocialReader, text: str) -> None:
    assert reader.read(text) is None


def test_without_an_embedder_nothing_is_a_formula() -> None:
    assert SocialReader(None).read("hello") is None
