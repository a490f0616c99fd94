# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Goals and calls of skills, as the planner writes them, in words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karma_language.answers.plain_words import calls_in_words, recollected


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("explore()", "explore"),
        ("plan explore()", "plan explore"),
        ("go_to(kitchen)", "go to kitchen"),
        ("examine(book, lamp)", "examine book → lamp"),
        ("place(2 mugs from table, sink, in)", "place 2 mugs from table in sink"),
        ("place(red fruit=Apple|Tomato, sink=, in)", "place red fruit in sink"),
        ("open(fridge) if not open(fridge)", "open fridge if fridge is not open"),
        ("hold(mug) if there(mug on table)", "hold mug if mug on table is there"),
        ("Explore(Mug, 3 positions) failed", "Explore Mug from 3 viewpoints failed"),
        ("done: clean(fork); explore() | not done: open(box)", "done: clean fork; explore | not done: open box"),
        ("the fork (a clean one) and the mug(s)", "the fork (a clean one) and the mug(s)"),
        ("f(g(x)", "f(g x"),
    ],
)
def test_what_is_written_as_a_call_is_told_in_words(written: str, told: str) -> None:
    assert calls_in_words(written) == told


@given(st.text(st.sampled_from("ab1_ ,()=|;if"), max_size=40))
def test_any_text_can_be_told_and_one_without_calls_stays(text: str) -> None:
    told = calls_in_words(text)
    assert told == text or "(" in text


def test_what_a_person_told_stays_as_it_is() -> None:
    assert recollected(SimpleNamespace(kind="told", text="call f(x)")) == "call f(x)"
    episode = SimpleNamespace(kind="episodic", text='"look around": success, done: explore()')
    assert recollected(episode) == '"look around": success, done: explore'
