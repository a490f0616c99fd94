# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner_node.printable import LABEL, label, printable


@given(st.text(), st.integers(1, 200))
def test_what_is_printed_is_short_and_has_nothing_hidden(text: str, most: int) -> None:
    shown = printable(text, most)
    assert len(shown) <= most
    assert shown.replace("\n", "").isprintable() or any(not c.isprintable() for c in shown if c.isspace())
    assert printable(shown, most) == shown
    assert len(label(text)) <= LABEL
    assert "\n" not in label(text)


def test_plain_text_stays_as_it_is() -> None:
    assert printable("Café für Ann, 12 °C\n苹果") == "Café für Ann, 12 °C\n苹果"
    assert label("red\tapple\n\u202ewen") == "red apple wen"
